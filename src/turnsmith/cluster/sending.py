"""Games and players as plain data that any machine with the same turnsmith makes them from again.

A game and a player are texts. The files that these name (a game's source with what it imports from its own folder,
nets, maps) travel with them by content and are put into a folder of the user's cache, under the digest of all of them.
Players that no text names, such as the candidates of an evolution, are their class and its fields.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
import os
import sys
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.files import write_folder
from turnsmith.compile.cache import cache_folder
from turnsmith.compile.digest import contents, digest, installed_root
from turnsmith.contract.game import Game
from turnsmith.contract.homes import home_and_settings, names_file
from turnsmith.contract.loading import load_untried
from turnsmith.play.player import CompiledPlayer, Player, player

_loads: weakref.WeakKeyDictionary[Game, bool] = weakref.WeakKeyDictionary()


@dataclasses.dataclass(frozen=True)
class Sent:
    """A game and some players, ready to travel."""

    document: dict[str, Any]
    """JSON: the texts, and where each file that they name stands among the files."""
    files: dict[str, bytes]

    @property
    def arrays(self) -> dict[str, Array]:
        """The files, for a parcel."""
        return {name: np.frombuffer(raw, np.uint8) for name, raw in self.files.items()}


def sent(game: Game, players: Sequence[Player]) -> Sent | None:
    """The game and the players as plain data; None where they cannot be made from that again."""
    if game not in _loads:
        _loads[game] = not game.alias and code_of(load_untried(game.loads_by), []) == code_of(game, [])
    described = [_described(who, game) for who in players]
    if not _loads[game] or any(row is None for row in described):
        return None
    files, paths = {}, {}
    home, _ = home_and_settings(game.loads_by)
    if names_file(game.loads_by):
        for path in _sources(Path(home)):
            files[f"game/{path.relative_to(Path(home).resolve().parent)}"] = path.read_bytes()
        paths[home] = f"game/{Path(home).name}"
    for owner in (game.options, *players):
        for value in _named_files(owner):
            paths.setdefault(value, f"{len(paths)}/{Path(value).name}")
            files[paths[value]] = Path(value).read_bytes()
    return Sent({"game": game.loads_by, "players": described, "paths": paths}, files)


def received(document: Mapping[str, Any], files: Mapping[str, Array]) -> tuple[Game, list[Player]]:
    """What was sent."""
    paths = unfolded(document, files)
    game = load_untried(relocated(document["game"], paths))  # whoever sent it has tried it out
    return game, [_made(row, game, paths) for row in document["players"]]


def unfolded(document: Mapping[str, Any], files: Mapping[str, Array]) -> dict[str, str]:
    """Where the files that were sent are here, by what their sender calls them."""
    folder = _folder_of({name: array.tobytes() for name, array in files.items()})
    return {name: str(folder / place) for name, place in document["paths"].items()}


def code_of(game: Game, players: Sequence[Player]) -> str:
    """Changes when anything changes that a game and players decide with, wherever their files are."""
    makers = (game.source, game.tables, game.draw_boards, game.sources_of)
    parts: list[Any] = [game._numba_type_.name, *makers, _fields(game.options)]
    for who in players:
        compiled = isinstance(who, CompiledPlayer)
        parts += [who.decider(), type(who).prepare] if compiled else [type(who)]  # type: ignore[attr-defined]
        parts.append(_fields(who))
    return digest(*parts)


def _fields(thing: Any) -> list[tuple[str, Any]]:
    """The fields of a dataclass, a file for what is in it."""
    named = _named_files(thing)
    values = [(part.name, getattr(thing, part.name)) for part in dataclasses.fields(thing)] if thing is not None else []
    return [(name, contents(Path(value)) if value in named else value) for name, value in values]


def _named_files(thing: Any) -> list[str]:
    if thing is None:
        return []
    values = [getattr(thing, part.name) for part in dataclasses.fields(thing)]
    return [value for value in values if isinstance(value, str) and contents(Path(value))]


def _sources(home: Path) -> list[Path]:
    """A game's file and what it has imported from its folder; all of the folder where that is the game."""
    home = home.resolve()
    folder = home.parent
    if home.name == "__init__.py":
        return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    known = {Path(file).resolve() for name, module in list(sys.modules.items()) if (file := _file(name, module))}
    return [home, *sorted(path for path in known if path.parent == folder and path != home)]


def _file(name: str, module: Any) -> str:
    """Where a module's source is, if it is nobody's release."""
    is_ours = name.partition(".")[0] == "turnsmith" or installed_root(name)
    file = "" if is_ours or name in ("__main__", "__mp_main__") else getattr(module, "__file__", None) or ""
    return file if file.endswith(".py") else ""


def _described(each: Player, game: Game) -> Any:
    """The text that names a player, or its class and fields; None where neither gives it again."""
    for described in (repr(each), _parts(each)):
        try:
            if described and _made(json.loads(json.dumps(described)), game, {}) == each:
                return described
        except (BadInput, TypeError, ValueError):
            continue
    return None


def _parts(each: Player) -> dict[str, Any] | None:
    kind = type(each)
    if not kind.__module__.startswith("turnsmith."):
        return None
    values = {field.name: getattr(each, field.name) for field in dataclasses.fields(each)}
    return {"module": kind.__module__, "class": kind.__qualname__, "fields": values}


def _made(described: Any, game: Game, paths: Mapping[str, str]) -> Player:
    if isinstance(described, str):
        return player(relocated(described, paths), game)
    if not described["module"].startswith("turnsmith."):
        raise BadInput(f"a player of {described['module']} is not made from its fields; name it by a text")
    kind = getattr(importlib.import_module(described["module"]), described["class"], None)
    if not (isinstance(kind, type) and issubclass(kind, Player)):
        raise BadInput(f"there is no player {described['class']} in {described['module']}")
    return kind(**{name: _plain(value, paths) for name, value in described["fields"].items()})


def _plain(value: Any, paths: Mapping[str, str]) -> Any:
    """A field as it was before JSON made a list of every tuple."""
    if isinstance(value, list):
        return tuple(_plain(item, paths) for item in value)
    return paths.get(value, value) if isinstance(value, str) else value


def relocated(text: str, paths: Mapping[str, str]) -> str:
    """The text with files where they are here.

    >>> relocated("negamax:depth=2,value=mine.onnx", {"mine.onnx": "/cache/0/mine.onnx"})
    'negamax:depth=2,value=/cache/0/mine.onnx'
    """
    if not paths:
        return text
    name, settings = home_and_settings(text)
    options = ",".join(f"{key}={paths.get(value, value)}" for key, value in settings.items())
    return paths.get(name, name) + (f":{options}" if options else "")


def _folder_of(files: Mapping[str, bytes]) -> Path:
    """A folder with these files, made once."""
    hasher = hashlib.sha256()
    for name, content in sorted(files.items()):
        hasher.update(f"{name} {len(content)} ".encode() + content)
    folder = cache_folder() / "sent" / hasher.hexdigest()[:32]
    if files and not folder.is_dir():
        part = folder.with_name(f"{folder.name}.{os.getpid()}")
        for place in sorted({Path(name).parent for name in files}):
            here = {Path(name).name: content for name, content in files.items() if Path(name).parent == place}
            if place.is_absolute() or ".." in place.parts:
                raise BadInput(f"a file cannot be put at {place}; send it by its name")
            (part / place).mkdir(parents=True, exist_ok=True)
            write_folder(part / place, here)
        try:
            part.rename(folder)
        except OSError:  # somebody else has just made it
            if not folder.is_dir():
                raise
    return folder
