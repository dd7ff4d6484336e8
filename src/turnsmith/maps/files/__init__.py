"""Files of maps, one format a file here; which one it is, the ending says, or what stands in it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from turnsmith.common.errors import BadInput, shown
from turnsmith.common.files import write_whole
from turnsmith.contract.homes import STUDIES
from turnsmith.languages import marked
from turnsmith.maps.files.damage import refuse_to_run
from turnsmith.maps.files.format import Format
from turnsmith.maps.record import GameMap, refuse_untaken

MOST_BYTES = 64_000_000
"""Of a file of maps: 20,000 maps with embeddings take a quarter."""


def _declared() -> dict[str, Format]:
    """Formats of single games: ``MAP_FORMATS`` in the ``map_formats.py`` of their folder in ``studies/``."""
    homes = sorted(file.parent.name for file in STUDIES.glob("*/map_formats.py"))
    return {
        name: form
        for home in homes
        for name, form in importlib.import_module(f"turnsmith.studies.{home}.map_formats").MAP_FORMATS.items()
    }


FORMATS = {
    "json": Format("maps.files.own_json", (".json",), marked("all that is known of any map of any game"), many=True),
    "tmx": Format("maps.files.tmx", (".tmx",), marked("the Tiled map editor, XML")),
    "tmj": Format("maps.files.tmj", (".tmj",), marked("the Tiled map editor, JSON"), recognised=True),
    "ldtk": Format("maps.files.ldtk", (".ldtk",), marked("the LDtk map editor, a level a map"), many=True),
    "txt": Format("maps.files.drawing", (".txt",), marked("a drawing in signs, or the game's own map file")),
    "png": Format("maps.files.png", (".png",), marked("a picture that also holds the map"), recognised=True),
    "svg": Format("maps.files.svg", (".svg",), marked("the game's own picture, which also holds the map")),
    **_declared(),
}
"""By name. The first that an ending fits is written; what is read may say itself what it is."""

Read = Callable[[bytes, str, str], list[GameMap]]


def format_of(path: Path, name: str = "") -> Format:
    """The format that is named, else the one of the path's ending."""
    if name:
        if name not in FORMATS:
            raise BadInput(f"there is no format '{shown(name)}'; there are {', '.join(FORMATS)}")
        return FORMATS[name]
    chosen = next((kind for kind in FORMATS.values() if path.suffix.lower() in kind.endings), None)
    if chosen is None:
        endings = ", ".join(ending for kind in FORMATS.values() for ending in kind.endings)
        raise BadInput(f"the name {path} does not say a format; let it end with one of {endings}")
    return chosen


def save(path: Path, maps: Sequence[GameMap], name: str = "") -> list[Path]:
    """Write maps in the format of the path's ending, or the one that is named; the files that were written."""
    chosen = format_of(path, name)
    if not maps:
        raise BadInput("there are no maps to write")
    if len(maps) > 1 and not chosen.many:
        many = ", ".join(kind.endings[0] for kind in FORMATS.values() if kind.many)
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
    for number, game_map in enumerate(maps, start=1):
        where = f"{path}, map {number}" if len(maps) > 1 else str(path)
        if not game_map.game:
            raise BadInput(f"{where} does not say of which game it is; say it (--game)")
        refuse_to_run(game_map.game, where, game)
        refuse_untaken(game_map, where)
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
    return [replace(game_map, game=game) if game else game_map for game_map in maps]


def _seen(data: bytes) -> str:
    """The format that a content cannot but be, whatever its file is called; "" where the name must say it.

    The original program calls its maps maps.txt, or nothing at all; Tiled may end JSON with .json.
    """
    return next((name for name, form in FORMATS.items() if form.recognised and form.code.is_one(data)), "")
