"""What strangers may ask for: games that come with turnsmith, boards and matches of a bounded size."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from turnsmith.game import Array, Game, load
from turnsmith.position import Position
from turnsmith.texts import BadInput

MOST_ACTIONS = 40_000
"""Games with more actions or outcomes are refused: their moves in words would take seconds to list."""
MOST_PLIES = 100_000
"""Of one match."""


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
    boards = described(loaded, loaded.describe(seed) if source is None else source)
    position = Position(loaded, seed, boards, luck=False)
    for number, action in enumerate(actions):
        try:
            position.push(action)
        except BadInput as error:
            raise BadInput(f"action {number + 1}: {error}") from None
    return position
