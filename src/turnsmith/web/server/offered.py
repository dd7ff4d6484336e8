"""The games and trained opponents of this server: what is installed, and files that were named on its command line.

Clients know a file by its name alone. They see no path, and can name none: what is not listed here is not there.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, suggestion
from turnsmith.common.settings import build, field_of, parse, show, written_fields
from turnsmith.contract.game import Game
from turnsmith.contract.homes import OPENSPIEL, names_file, serve_as
from turnsmith.contract.loading import load
from turnsmith.contract.registry import built_in, games
from turnsmith.languages import _
from turnsmith.play.player import levels, player
from turnsmith.search.value import name_value, named

SEARCHING = ("negamax:depth=4", "expectimax:depth=2", "maxn:depth=1")
"""Who asks a trained value, the first that plays the game."""

_files: dict[str, Game] = {}
_left_out: set[str] = set()


def offer_values(files: Sequence[str]) -> None:
    """Let clients play against trained files, each by its name without path and ending."""
    for file in files:
        name_value(Path(file))


def opponents(game: Game, boards: Array) -> dict[str, str]:
    """Names of difficulty and their players, easiest first, and then the trained files that fit the board."""
    trained = {f"trained: {name}": text for name in named if (text := _searching(game, boards, name))}
    return {**levels(game, boards), **trained}


def _searching(game: Game, boards: Array, value: str) -> str:
    """A search that asks a value by its name; none if it was trained for something else."""
    for search in SEARCHING:
        chosen = player(f"{search},value={value}", game)
        if chosen.refuses(game, boards[0]) is None:
            try:
                chosen.value_data(game, boards)  # type: ignore[attr-defined]
            except BadInput:
                return ""
            return repr(chosen)
    return ""


def offer(texts: Sequence[str]) -> None:
    """Put files on the page beside the installed games; of those, the ones whose rules are broken are left out."""
    for name in games().keys() - built_in().keys():
        try:
            load(name)
        except BadInput as error:
            _left_out.add(name)
            sys.stderr.write(f"turnsmith: '{name}' is not on the page: {error}\n")
    for text in texts:
        if not names_file(text) and not text.startswith(OPENSPIEL):
            hint = "name ./my_game.py or openspiel:chess (games that are installed are on the page anyway)"
            raise BadInput(f"'{text}' is no file; {hint}")
        game = load(text)
        if not re.fullmatch(r"[A-Za-z][\w-]*", game.name):
            raise BadInput(f"{game.home}: a file for the page must be called by letters, digits, _ and -; rename it")
        if game.name in games() or game.name in _files:
            raise BadInput(f"{game.home}: there is a game '{game.name}' on the page already; rename the file")
        _files[game.name] = dataclasses.replace(game, alias=game.name)
        serve_as(game.name, game.home, known_game)
    offered.cache_clear()
    known_game.cache_clear()


@lru_cache(maxsize=1)
def offered() -> dict[str, str]:
    """Name and first sentence of every game of this server."""
    own = {name: game.doc.partition("\n")[0] for name, game in _files.items()}
    return {**{name: line for name, line in games().items() if name not in _left_out}, **own}


@lru_cache(maxsize=64)  # a game's functions are read and hashed when it is loaded, which takes milliseconds
def known_game(text: str) -> Game:
    """A game of this server: strangers do not name files to be run."""
    name, settings = parse(text)
    if name in _files:
        return _with_settings(_files[name], settings)
    if name not in offered():
        known = f"{suggestion(name, offered())}; there are {', '.join(offered())}"
        raise BadInput(
            _("there is no game '{name}' among those of this server{known}").format(name=name[:40], known=known)
        )
    return load(text)


def _with_settings(game: Game, settings: dict[str, str]) -> Game:
    """A file's game with other options than it is served with, called by what differs."""
    if not settings:
        return game
    if game.options is None:
        raise BadInput(_("{name} has no settings; write just '{name}'").format(name=game.name))
    given = build(type(game.options), settings, game.name)
    named = written_fields(type(given))
    fields = {named[field_of(type(game.options), key)] for key in settings}
    try:
        options = dataclasses.replace(game.options, **{name: getattr(given, name) for name in fields})
    except ValueError as error:  # each is fine, but not together with those it is served with
        raise BadInput(f"{game.name}: {error}") from None
    return dataclasses.replace(game, options=options, alias=show(game.name, options, game.options))
