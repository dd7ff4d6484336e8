"""Opponents for people: the levels of a game from one star to five, each with a name and a sentence.

Which player a level is, the game says (or whoever has measured them): here they only get faces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnsmith.common.arrays import Array
from turnsmith.contract.game import Game
from turnsmith.languages import _, marked
from turnsmith.play.levels import ADAPTIVE, LevelResult, adapted, measured, points_of, read_results, results_text
from turnsmith.play.levels import ladder as measured_or_declared
from turnsmith.play.player import player
from turnsmith.web.match.live_match import LiveMatch
from turnsmith.web.server.offered import opponents

MOST_STARS = 5
NAMES = ("Pip", "Wren", "Otto", "Mira", "Rex", "Vega")
SENTENCES = (
    marked("Still learning the game: a gentle start."),
    marked("Plays for fun, and misses a lot."),
    marked("Knows the game: a good evening."),
    marked("Strong: your mistakes will cost you."),
    marked("The strongest here. Good luck."),
)
TRAINED = marked("Trained on this machine.")
MATCHING = "Echo"
"""Who is as strong as the visitor."""


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
    texts, known = opponents(game, boards), measured_or_declared(game, boards)
    levels = known.levels
    rungs = []
    for place, level in enumerate(levels):
        share = place / (len(levels) - 1) if len(levels) > 1 else 1.0
        name = NAMES[round((len(NAMES) - 1) * share)]
        seen = known.beside(level) if known.game == game.text_name else ""  # it was measured on these options alone
        sentence = _(SENTENCES[level.stars - 1])
        if seen:
            sentence += f" {seen[:1].upper()}{seen[1:]}."
        rungs.append(Opponent(level.player, level.name, name, level.stars, sentence))
    trained = [level for level in texts if level.startswith("trained: ")]
    return rungs + [Opponent(texts[level], level, level.removeprefix("trained: "), 0, _(TRAINED)) for level in trained]


def adaptive(game: Game, boards: Array, results: str) -> list[Opponent]:
    """The opponent that suits a visitor with these results, where levels are measured."""
    known = measured_or_declared(game, boards)
    if not known.is_measured or not known.rungs:
        return []
    rung = adapted(known, read_results(results))
    return [Opponent(rung.player, ADAPTIVE, MATCHING, 0, _("As strong as you: you win about half of your games."))]


def results_after(match: LiveMatch, mine: Sequence[int], results: str) -> str | None:
    """The results of a visitor with that of a match that is over, unless it says nothing of how strong they are: with
    help, against people, or against somebody whose strength nobody measured."""
    outcome, known = match.outcome, measured(match.game)
    others = {repr(player(seat.who, match.game)) for seat in match.seats if not seat.is_person}
    if outcome is None or known is None or len(mine) != 1 or len(others) != 1 or match.people != list(mine):
        return None
    rung = next((level for level in known.rungs if {level.player} == others), None)
    if rung is None or rung.rating is None or match.was_helped:
        return None
    return results_text([*read_results(results), LevelResult(rung.rating, points_of(outcome, mine[0]))])


def called(text: str, game: Game, boards: Array) -> str:
    """What people call a player: the name of its level, or its text."""
    known = {repr(player(opponent.text, game)): opponent.name for opponent in ladder(game, boards)}
    return known.get(repr(player(text, game)), text)
