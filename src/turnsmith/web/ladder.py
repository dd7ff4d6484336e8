"""Opponents for people: the levels of a game from one star to five, each with a name and a sentence.

Which player a level is, the game says (or whoever has measured them): here they only get faces.
"""

from __future__ import annotations

from dataclasses import dataclass

from turnsmith.game import Array, Game
from turnsmith.player import player
from turnsmith.web.offered import opponents

MOST_STARS = 5
NAMES = ("Pip", "Wren", "Otto", "Mira", "Rex", "Vega")
SENTENCES = (
    "Still learning the game: a gentle start.",
    "Plays for fun, and misses a lot.",
    "Knows the game: a good evening.",
    "Strong: your mistakes will cost you.",
    "The strongest here. Good luck.",
)
TRAINED = "Trained on this machine."


@dataclass(frozen=True)
class Opponent:
    """A level for people; `text` is the player's, `stars` 0 for one whose strength nobody says."""

    text: str
    level: str
    name: str
    stars: int
    sentence: str

    @property
    def shown_stars(self) -> str:
        return "★" * self.stars + "☆" * (MOST_STARS - self.stars) if self.stars else ""


def ladder(game: Game, boards: Array) -> list[Opponent]:
    """The opponents that play on this board, the gentlest first, trained files last."""
    found = opponents(game, boards)
    levels = [level for level in found if not level.startswith("trained: ")]
    rungs = []
    for place, level in enumerate(levels):
        share = place / (len(levels) - 1) if len(levels) > 1 else 1.0
        stars = 1 + round((MOST_STARS - 1) * share)
        name = NAMES[round((len(NAMES) - 1) * share)]
        rungs.append(Opponent(found[level], level, name, stars, SENTENCES[stars - 1]))
    trained = [level for level in found if level not in levels]
    return rungs + [Opponent(found[level], level, level.removeprefix("trained: "), 0, TRAINED) for level in trained]


def called(text: str, game: Game, boards: Array) -> str:
    """What people call a player: the name of its level, or its text."""
    known = {repr(player(each.text, game)): each.name for each in ladder(game, boards)}
    return known.get(repr(player(text, game)), text)
