"""Levels of difficulty: measured ones, kept in a file beside the game, else those it declares; and the one for you.

``turnsmith levels GAME`` measures them (``arena/ladder.py``). Ratings are Elo points: who is 200 above another wins
76 % of their games, a draw counting half. A person has a rating too, from what the games so far have brought.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnsmith.common.errors import BadInput
from turnsmith.common.files import write_text
from turnsmith.languages import _, marked
from turnsmith.play.choice import beside, writable_beside

if TYPE_CHECKING:
    from turnsmith.common.arrays import Array
    from turnsmith.contract.game import Game
    from turnsmith.contract.outcome import Outcome

STARS = 5
SCALE = 400.0 / math.log(10.0)
"""Rating points by which the odds grow e times."""
NAMES = {
    1: (marked("easy"),),
    2: ("easy", marked("hard")),
    3: ("easy", marked("medium"), "hard"),
    4: ("easy", "medium", "hard", marked("expert")),
    5: (marked("beginner"), "easy", "medium", "hard", "expert"),
}
STRONGEST = marked("strongest")
"""The level above all others of a game: the best player there is, who may think for a second."""
ADAPTIVE = marked("adaptive")
"""The level that follows a person, so that about half of the games are won."""
DOUBT = 350.0
"""Points by which a person nobody knows is likely off the middle of the levels."""
RECENT = 30
"""Games of a person that count, the last."""


@dataclass(frozen=True)
class Chance:
    """How likely one ends above another: the share of games, and its 95 % interval."""

    rate: float
    low: float
    high: float
    games: int

    def __str__(self) -> str:
        return f"{self.rate:.0%} ({self.low:.0%}–{self.high:.0%})"


@dataclass(frozen=True)
class Level:
    """A rung of the ladder: who plays there, how well, and against whom that was seen.

    `name` and `stars` are empty and 0 where a rung is there only for people who are between two levels. Declared levels
    have no rating.
    """

    name: str
    player: str
    stars: int = 0
    sentence: str = ""
    rating: float | None = None
    low: float | None = None
    high: float | None = None
    seconds: float | None = None
    """Of one decision, in the mean, on the machine that measured."""
    chances: dict[str, Chance] = field(default_factory=dict)
    """By the player of the other rung."""
    tier: float = 0.0
    """CPU seconds a decision where the rung is the best player of a slower tier."""

    @property
    def stars_only(self) -> str:
        return "★" * self.stars

    @property
    def shown_stars(self) -> str:
        return self.stars_only + "☆" * (STARS - self.stars) if self.stars else ""


@dataclass(frozen=True)
class Ladder:
    """The rungs of a game, weakest first."""

    game: str
    rungs: tuple[Level, ...]
    is_measured: bool = False
    others: dict[str, float] = field(default_factory=dict)
    """The ratings of players that were measured too, and made no rung."""

    @property
    def levels(self) -> tuple[Level, ...]:
        """The rungs people choose from."""
        return tuple(rung for rung in self.rungs if rung.name)

    def against(self, level: Level, other: Level) -> str:
        """What was seen between two levels, in words; "" if nothing was.

        >>> one = Level("hard", "mcts", 4, chances={"random": Chance(0.76, 0.7, 0.81, 200)})
        >>> Ladder("pig", (one,)).against(one, Level("easy", "random", 2))
        'wins 76 % against ★★'
        """
        seen = level.chances.get(other.player)
        if not seen:
            return ""
        whom = other.stars_only or _(other.name)
        return _("wins {share:.0f} % against {whom}").format(share=100 * seen.rate, whom=whom)

    def beside(self, level: Level) -> str:
        """The same against the next level below, or above where there is none."""
        place = self.levels.index(level)
        other = place - 1 if place else 1
        return self.against(level, self.levels[other]) if len(self.levels) > 1 else ""


# ---------------------------------------------------------------- files


def _cached(game: Game) -> Path:
    """Where they are kept instead if nothing can be written there."""
    from turnsmith.compile.cache import cache_folder

    return cache_folder() / "levels" / f"{game.name}.json"


def keep(game: Game, document: dict[str, Any]) -> Path:
    """Write measured levels beside the game, or where that cannot be, in the cache; returns where."""
    text = json.dumps(document, indent=1) + "\n"
    path = writable_beside(game, "levels")
    if path is not None:
        write_text(path, text)
        _cached(game).unlink(missing_ok=True)  # it would be asked first
        return path
    write_text(_cached(game), text)
    return _cached(game)


def document_of(ladder: Ladder, **more: Any) -> dict[str, Any]:
    """What is kept of a ladder, for JSON."""
    rungs = [asdict(rung) for rung in ladder.rungs]
    return {"turnsmith": "levels", "game": ladder.game, **more, "rungs": rungs, "others": ladder.others}


def read(path: Path) -> Ladder:
    """The levels in a file, refused in one line where they are not what they should be."""
    try:
        document = json.loads(path.read_text("utf-8"))
        if document["turnsmith"] != "levels" or not isinstance(document["game"], str):
            raise ValueError("turnsmith")
        rungs = tuple(_rung(rung) for rung in document["rungs"])
        others = {str(text): float(rating) for text, rating in document["others"].items()}
        if not rungs or not any(rung.name for rung in rungs):
            raise ValueError("rungs")
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise BadInput(f"{path} does not hold levels; delete it, or let 'turnsmith levels' write it again") from None
    return Ladder(document["game"], rungs, True, others)


def _rung(found: dict[str, Any]) -> Level:
    chances = {str(who): Chance(**chance) for who, chance in found.pop("chances").items()}
    level = Level(**found, chances=chances)
    numbers = [level.rating, level.low, level.high, level.tier, *(chance.rate for chance in chances.values())]
    if not all(isinstance(number, (int, float)) and math.isfinite(number) for number in numbers):
        raise ValueError("numbers")
    if not all(isinstance(text, str) for text in (level.name, level.player, level.sentence)):
        raise ValueError("texts")
    if type(level.stars) is not int or not 0 <= level.stars <= STARS:
        raise ValueError("stars")
    return level


def measured(game: Game) -> Ladder | None:
    """The measured levels of a game, if there are any."""
    for path in (_cached(game), beside(game, "levels")):
        if path is not None and path.is_file():
            return read(path)
    return None


# ---------------------------------------------------------------- for people


FEWEST = 3
"""Measured levels that play with other options, or those that a game declares are taken."""


def ladder(game: Game, boards: Array | None = None) -> Ladder:
    """The levels to choose from: measured, else declared by the game, else searches that think more and more; on a
    board, those of them that play there."""
    from turnsmith.play.player import LEVELS, player, players

    known = measured(game)
    if known is not None:
        unknown = next((rung for rung in known.rungs if rung.player.partition(":")[0] not in players(game)), None)
        if unknown is not None:
            why = f"there is no player '{unknown.player}' any more"
            raise BadInput(f"the levels of {game.name}: {why}; measure them again: turnsmith levels {game.text_name}")
        whole = _with_strongest(game, known)
        fitting = _on_board(whole, game, boards)
        if len(fitting.levels) >= min(FEWEST, len(whole.levels)):
            return fitting  # else they were measured with other options, and most of them cannot play with these
    declared = game.levels() or LEVELS
    rungs = (Level(name, text, sentence=type(player(text, game)).summary) for name, text in declared.items())
    return _on_board(_with_strongest(game, Ladder(game.text_name, tuple(rungs))), game, boards)


def _on_board(known: Ladder, game: Game, boards: Array | None) -> Ladder:
    """Those levels that play on a board."""
    from turnsmith.play.player import player

    if boards is None:
        return known
    fits = (rung for rung in known.rungs if player(rung.player, game).refuses(game, boards[0]) is None)
    return replace(known, rungs=tuple(fits))


def _with_strongest(game: Game, known: Ladder) -> Ladder:
    """The levels, and above them the best player, with what was measured of it in the slowest tier; of levels that were
    not measured, it takes the place of one that plays the same way."""
    from turnsmith.play.player import BEST, player

    best = player(BEST, game)
    above = Level(STRONGEST, BEST, STARS, f"The best player there is: {type(best).summary}.")
    if known.is_measured:
        slowest = max(known.rungs, key=lambda rung: rung.tier)
        if not slowest.tier:
            return replace(known, rungs=(*known.rungs, above))
        above = replace(slowest, name=STRONGEST, player=BEST, stars=STARS, sentence=above.sentence)
        below = (_called(rung, slowest.player, BEST) for rung in known.rungs if rung != slowest)
        return replace(known, rungs=(*below, above))
    rungs = [*(rung for rung in known.rungs if player(rung.player, game) != best), above]
    stars = star_places(len(rungs))
    return replace(known, rungs=tuple(replace(rung, stars=at) for rung, at in zip(rungs, stars, strict=True)))


def _called(rung: Level, player: str, name: str) -> Level:
    """A rung that knows another player by this name."""
    return replace(rung, chances={name if who == player else who: chance for who, chance in rung.chances.items()})


def middling(game: Game, boards: Array) -> Level:
    """Whom somebody meets who names no opponent: the level in the middle of those that play on a board."""
    known = ladder(game, boards).levels
    return known[(len(known) - 1) // 2]


def star_places(count: int) -> list[int]:
    """How many stars each of so many levels has, of five; the strongest has all.

    >>> star_places(5), star_places(3), star_places(1)
    ([1, 2, 3, 4, 5], [1, 3, 5], [5])
    """
    if count == 1:
        return [STARS]
    return [min(STARS, max(1, round(1 + (STARS - 1) * place / (count - 1)))) for place in range(count)]


# ---------------------------------------------------------------- a level that adapts


@dataclass(frozen=True)
class LevelResult:
    """What a game against a rung of this rating has brought a person: 1 won, 0.5 drawn, 0 lost."""

    rating: float
    points: float


def strength(rungs: Sequence[Level], results: Sequence[LevelResult]) -> tuple[float, float]:
    """The rating of a person by the last results, and how far it may be off (95 %).

    The likeliest rating, where somebody unknown is about in the middle: found by Newton's steps.
    """
    ratings = [rung.rating for rung in rungs if rung.rating is not None]
    middle = 0.5 * (min(ratings) + max(ratings))
    rating, certain = middle, 1.0 / DOUBT**2
    for _step in range(50):
        slope, certain = (middle - rating) / DOUBT**2, 1.0 / DOUBT**2
        for result in results[-RECENT:]:
            chance = expected(rating - result.rating)
            slope += (result.points - chance) / SCALE
            certain += chance * (1.0 - chance) / SCALE**2
        step = max(-DOUBT, min(DOUBT, slope / certain))
        rating += step
        if abs(step) < 0.01:
            break
    return rating, 1.96 / math.sqrt(certain)


def expected(ahead: float) -> float:
    """The share of games that who is so many points ahead is expected to win.

    >>> round(expected(200.0), 2)
    0.76
    """
    return 1.0 / (1.0 + math.exp(-ahead / SCALE))


def adapted(ladder: Ladder, results: Sequence[LevelResult]) -> Level:
    """The rung against which a person with these results is expected to win about half of the games."""
    rungs = [rung for rung in ladder.rungs if rung.rating is not None]
    if not rungs:
        raise BadInput(f"the levels of {ladder.game} are not measured; run 'turnsmith levels {ladder.game}' first")
    rating, _reach = strength(rungs, results)
    return min(rungs, key=lambda rung: abs((rung.rating or 0.0) - rating))


def points_of(outcome: Outcome, seat: int) -> float:
    """What a game has brought a seat: 1 above the others in the mean, 0 below, 0.5 as good as them."""
    if len(outcome.winners) == 1:
        return float(seat in outcome.winners)
    rivals = [value for other, value in enumerate(outcome.returns) if other != seat]
    above = sum((outcome.returns[seat] > value) - (outcome.returns[seat] < value) for value in rivals)
    return 1.0 if above > 0 else 0.5 if above == 0 else 0.0


def results_text(results: Sequence[LevelResult]) -> str:
    """The last results in a short text, for a file or a browser to keep.

    >>> results_text([LevelResult(266.4, 1.0), LevelResult(510.0, 0.5)])
    '266:1 510:0.5'
    """
    return " ".join(f"{result.rating:.0f}:{result.points:g}" for result in results[-RECENT:])


def read_results(text: object) -> list[LevelResult]:
    """Results from such a text, which comes from outside: what is none of them is left out."""
    matches = re.findall(r"(?<!\S)(-?\d{1,5}):(0|0\.5|1)(?!\S)", text) if isinstance(text, str) else []
    return [LevelResult(float(rating), float(points)) for rating, points in matches][-RECENT:]


class PlayerRecord:
    """The results of whoever plays in this terminal, by game, in a file of theirs."""

    def __init__(self, path: Path | None = None):
        base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".local" / "state"
        self.path = path or Path(os.environ.get("TURNSMITH_RECORD") or Path(base) / "turnsmith" / "record.json")

    def _all(self) -> dict[str, Any]:
        try:
            document = json.loads(self.path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError):
            document = None
        if not isinstance(document, dict):
            raise BadInput(f"{self.path} does not hold your results; delete it to begin anew")
        return document

    def results(self, game: str) -> list[LevelResult]:
        return read_results(self._all().get(game))

    def add(self, game: str, result: LevelResult) -> None:
        kept = results_text([*self.results(game), result])
        write_text(self.path, json.dumps({**self._all(), game: kept}, indent=1) + "\n")
