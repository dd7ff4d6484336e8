"""Files of trainings: arrays without pickle, JSON with settings."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.common.files import write_text
from turnsmith.common.files import write_whole as write_whole

T = TypeVar("T")


def write_arrays(path: Path, arrays: dict[str, Array], compressed: bool = True) -> None:
    """Arrays by name; those that are soon read and removed are written faster if they are not compressed."""
    save = np.savez_compressed if compressed else np.savez
    write_whole(path, lambda target: save(target, **arrays))  # type: ignore[arg-type]


def read_arrays(path: Path, *names: str) -> dict[str, Array]:
    """The arrays of a file that ``write_arrays`` wrote, or those that are named; a damaged file is refused by name, and
    so is one that lacks an array when somebody asks for it."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            return Arrays(path, {name: archive[name] for name in names or archive})
    except Exception as error:  # zlib, lzma, zipfile, tokenize and NumPy have an exception each for a damaged file
        raise BadInput(f"{path} cannot be read ({type(error).__name__}); remove it and make it again") from None


class Arrays(dict[str, Array]):
    """Arrays by name, of a file that is to hold those one asks for."""

    def __init__(self, path: Path, arrays: dict[str, Array]) -> None:
        super().__init__(arrays)
        self.path = path

    def __missing__(self, name: str) -> Array:
        raise BadInput(f"{self.path} holds no '{name}'; remove it and make it again")


def write_json(path: Path, document: Any) -> None:
    write_text(path, json.dumps(document, indent=1) + "\n")


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read ({type(error).__name__}); remove it and make it again") from None


def until_changed(read: Callable[[Path], T]) -> Callable[[Path], T]:
    """Remember what `read` made of a file until another one stands in its place."""
    remembered = functools.lru_cache(maxsize=16)(lambda path, stamp: read(path))

    @functools.wraps(read)
    def read_once(path: Path) -> T:
        try:
            now = path.stat()
        except OSError:
            return read(path)
        return remembered(path, (now.st_mtime_ns, now.st_size, now.st_ino))

    return read_once


def keep_settings(folder: Path, settings: dict[str, Any], free: Collection[str] = ()) -> None:
    """Keep a run's settings beside its results; a run begun with others is refused, but those in `free` may change, and
    so is a folder that holds anything else: a run would write over what has the name of one of its files."""
    file = folder / "settings.json"
    if not file.exists():
        names = sorted(path.name for path in folder.glob("*") if path.is_file())
        other = next((name for name in names if not name.startswith(".")), None)
        if other is not None:
            raise BadInput(f"{folder} holds {shown(other)} and no work to go on with; name a new or an empty folder")
        write_json(file, settings)
        return
    was, now = read_json(file), json.loads(json.dumps(settings))
    changed = [name for name in now if name not in free and was.get(name) != now[name]]
    if changed:
        before = shown(was.get(changed[0]))
        raise BadInput(f"{folder} was begun with {changed[0]}={before}; use the same, or another folder")
