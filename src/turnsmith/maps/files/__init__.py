"""Files of maps, one format a file here; which one it is, the ending says, or what stands in it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from turnsmith.files import write_whole
from turnsmith.languages import marked
from turnsmith.maps.files.damage import refuse_to_run
from turnsmith.maps.record import GameMap, refuse_untaken
from turnsmith.texts import BadInput, shown

MOST_BYTES = 64_000_000
"""Of a file of maps: 20,000 maps with embeddings take a quarter."""


@dataclass(frozen=True)
class Format:
    """A format. Its module has `write(maps, name)`, which gives files by what is put behind the name ("" for the file
    itself), and `read(data, said, game)`, which gives maps; `game` is "" where only the file can say it."""

    module: str
    endings: tuple[str, ...]
    about: str
    many: bool = False
    """Whether a file holds several maps."""

    @property
    def code(self) -> ModuleType:
        return importlib.import_module(f"turnsmith.maps.files.{self.module}")


FORMATS = {
    "json": Format("own_json", (".json",), marked("all that is known of any map of any game"), many=True),
    "iwonmapformat": Format(
        "iwonmapformat", (".iwonmapformat",), marked("the original Homeguard program's maps"), many=True
    ),
    "tmx": Format("tmx", (".tmx",), marked("the Tiled map editor, XML")),
    "tmj": Format("tmj", (".tmj",), marked("the Tiled map editor, JSON")),
    "ldtk": Format("ldtk", (".ldtk",), marked("the LDtk map editor, a level a map"), many=True),
    "txt": Format("drawing", (".txt",), marked("a drawing in signs, or the game's own map file")),
    "png": Format("png", (".png",), marked("a picture that also holds the map")),
    "svg": Format("svg", (".svg",), marked("the game's own picture, which also holds the map")),
}
"""By name. The first that an ending fits is written; what is read may say itself what it is."""

Read = Callable[[bytes, str, str], list[GameMap]]


def format_of(path: Path, name: str = "") -> Format:
    """The format that is named, else the one of the path's ending."""
    if name:
        if name not in FORMATS:
            raise BadInput(f"there is no format '{shown(name)}'; there are {', '.join(FORMATS)}")
        return FORMATS[name]
    found = next((each for each in FORMATS.values() if path.suffix.lower() in each.endings), None)
    if found is None:
        endings = ", ".join(ending for each in FORMATS.values() for ending in each.endings)
        raise BadInput(f"the name {path} does not say a format; let it end with one of {endings}")
    return found


def save(path: Path, maps: Sequence[GameMap], name: str = "") -> list[Path]:
    """Write maps in the format of the path's ending, or the one that is named; the files that were written."""
    chosen = format_of(path, name)
    if not maps:
        raise BadInput("there are no maps to write")
    if len(maps) > 1 and not chosen.many:
        many = ", ".join(each.endings[0] for each in FORMATS.values() if each.many)
        raise BadInput(f"{path} can hold one map, there are {len(maps):,}; choose one (--map 1), or {many}")
    contents: dict[str, bytes] = chosen.code.write(list(maps), path.name)
    written = []
    for behind, content in reversed(contents.items()):  # the file itself last: it may name the others
        target = path.with_name(path.name + behind)
        write_whole(target, lambda file, content=content: file.write(content))  # type: ignore[misc]
        written.append(target)
    return written[::-1]


def load(path: Path, game: str = "", name: str = "") -> list[GameMap]:
    """The maps of a file, each taken by its game; `game` for files that do not say it."""
    maps = read(path, game, name)
    for number, found in enumerate(maps, start=1):
        said = f"{path}, map {number}" if len(maps) > 1 else str(path)
        if not found.game:
            raise BadInput(f"{said} does not say of which game it is; say it (--game)")
        refuse_to_run(found.game, said, game)
        refuse_untaken(found, said)
    return maps


def read(path: Path, game: str = "", name: str = "") -> list[GameMap]:
    """The maps of a file as they stand there; no game has looked at them yet."""
    if not path.is_file():
        raise BadInput(f"there is no file {path}; give the path of a file of maps")
    if path.stat().st_size > MOST_BYTES:
        raise BadInput(f"{path} has {path.stat().st_size:,} bytes; files of maps have at most {MOST_BYTES:,}")
    data = path.read_bytes()
    chosen = FORMATS[_seen(data)] if not name and _seen(data) else format_of(path, name)
    maps: list[GameMap] = chosen.code.read(data, str(path), game)
    return [replace(found, game=game) if game else found for found in maps]


def _seen(data: bytes) -> str:
    """The format that a content cannot but be, whatever its file is called; "" where the name must say it.

    The original program calls its maps maps.txt, or nothing at all; Tiled may end JSON with .json.
    """
    from turnsmith.maps.files import iwonmapformat, tmj

    if data.startswith(b"\x89PNG"):
        return "png"
    if tmj.is_one(data):
        return "tmj"
    return "iwonmapformat" if iwonmapformat.is_one(data) else ""
