"""What strangers may ask for: games that come with turnsmith, boards and matches of a bounded size."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from turnsmith.game import Array, Game, load
from turnsmith.player import Player, player
from turnsmith.position import Position
from turnsmith.texts import BadInput, parse

MOST_ACTIONS = 40_000
"""Games with more actions or outcomes are refused: their moves in words would take seconds to list."""
MOST_PLIES = 100_000
"""Of one match."""
FILE = re.compile(r"\.[A-Za-z]\w*$|:\\")
"""How the name of a file ends, or a Windows path looks."""


class NotFound(BadInput):
    """A link or a number that leads nowhere."""


class Refused(BadInput):
    """Something exists, but not for the one who asks."""


@lru_cache(maxsize=64)  # a game's functions are read and hashed when it is loaded, which takes milliseconds
def known_game(text: str) -> Game:
    """A game that comes with turnsmith: strangers do not name files to be run."""
    if ".py" in text:
        raise BadInput("only the games that come with turnsmith are played here; see /api/games")
    return load(text)


def source_of(game: Game, seed: int = 0, source: Any = None) -> Any:
    """The description of a board: the one given, or the game's own, unless that would read a file."""
    if source is not None:
        return source
    refuse_files(game.text_name)
    return game.describe(seed)


def known_player(text: str, game: Game) -> Player:
    """A player of a game, without files of a stranger's choice."""
    refuse_files(text)
    return player(text, game)


def refuse_files(text: str) -> None:
    """Strangers do not name files of this machine to be read, not even to learn that they exist."""
    for key, value in parse(text)[1].items():
        if value[0] in "/.~\\" or FILE.search(value) or ("/" in value and Path(value).exists()):
            raise BadInput(f"{key}={value[:80]} names a file, and none is read here; give a name, or upload a board")


def described(game: Game, source: Any) -> Array:
    """The board of a description, refused with a reason if the game cannot build it or it is too large for here."""
    try:
        boards = game.build(source)
    except BadInput:
        raise
    except Exception as error:  # whatever a stranger's description breaks, it is the description that is wrong
        line = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        raise BadInput(f"this is no board of {game.name} ({line}); take one that the game described") from None
    if max(boards[0].actions, boards[0].outcomes) > MOST_ACTIONS:
        raise BadInput(f"{game.text_name} has more than {MOST_ACTIONS:,} moves to list; choose it smaller")
    return boards


def stand(game: str, actions: Sequence[int], seed: int = 0, source: Any = None) -> Position:
    """The position after a list of integers, each of them checked."""
    loaded = known_game(game)
    boards = described(loaded, source_of(loaded, seed, source))
    position = Position(loaded, seed, boards, draws_chance=False)
    for number, action in enumerate(actions):
        try:
            position.push(action)
        except BadInput as error:
            raise BadInput(f"action {number + 1}: {error}") from None
    return position
