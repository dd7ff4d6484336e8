"""Files that are whole or not there: everything turnsmith writes for people goes through here."""

from __future__ import annotations

import glob
import os
import shutil
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from turnsmith.common.errors import BadInput


def write_whole(path: Path, write: Callable[[BinaryIO], Any]) -> None:
    """Let `write` fill a file that takes the place of `path` only when it is complete and on the disk."""
    if path.exists() and not path.is_file():  # a folder, or a device that a file would take the place of
        raise BadInput(f"{path} is no ordinary file; name another")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = _part(path.parent, path.name)
    try:
        with part.open("wb") as target:
            write(target)
            target.flush()
            os.fsync(target.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """The text as UTF-8, whole or not at all."""
    write_whole(path, lambda target: target.write(text.encode()))


def write_folder(folder: Path, contents: Mapping[str, str | bytes]) -> None:
    """Files of a folder, made if it is not there: none of them appears before all are written, and then in order."""
    is_new = not folder.is_dir()
    part = _part(folder.absolute().parent if is_new else folder, folder.name)
    try:
        part.mkdir(parents=True)
        for name, content in contents.items():  # not forced to the disk one by one: it can be made again
            (part / name).write_bytes(content.encode() if isinstance(content, str) else content)
        if is_new:
            part.replace(folder)
        else:
            for name in contents:
                (part / name).replace(folder / name)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def refuse_unwritable(path: Path, option: str) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "no ordinary file"
        raise BadInput(f"{option} {path} is {kind}; name a file")
    if not path.parent.is_dir():
        raise BadInput(f"{option} {path}: there is no folder {path.parent}; make it first")
    _refuse_without_rights(path.parent, f"{option} {path}")


def refuse_unwritable_folder(path: Path, option: str) -> None:
    """The same for a folder, which need not be there yet."""
    above = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not above.is_dir():
        raise BadInput(f"{option} {path}: {above} is a file; name a folder")
    _refuse_without_rights(above, f"{option} {path}")


def _refuse_without_rights(folder: Path, what: str) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput(f"{what} cannot be written: you may not write in {folder}; choose another place")


def _part(folder: Path, name: str) -> Path:
    """A name to write under. What processes that were killed have left of the same is removed."""
    start = f".{name[:40]}."
    for left in folder.glob(f"{glob.escape(start)}*.part"):
        process = left.name.removeprefix(start).partition(".")[0]
        if process.isdigit() and _has_ended(int(process)):
            shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
    return folder / f"{start}{os.getpid()}.{uuid.uuid4().hex[:12]}.part"


def _has_ended(process: int) -> bool:
    """Whether there is no such process on this machine, where that can be asked without harm."""
    if os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except (OSError, OverflowError) as error:
        return not isinstance(error, PermissionError)
    return False
