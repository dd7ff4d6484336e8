"""Which player is the best of a game at a given time: what games between all candidates have shown, kept in a file.

``turnsmith levels GAME`` and the page let candidates meet (``arena/race.py``); ``best`` (``search/best.py``) reads who
won. A choice belongs to the digest of the rules. One that comes beside a game whose rules have changed since is still a
better guess than none.
"""

from __future__ import annotations

import json
import math
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnsmith.common.errors import BadInput
from turnsmith.common.files import write_text

if TYPE_CHECKING:
    from turnsmith.contract.game import Game

BUDGETS = (0.004, 0.1, 1.0)
"""CPU seconds a decision, for each of which the best player is looked for."""


@dataclass
class Meeting:
    """What two players have brought each other: the first one's points, summed over starts.

    A start is played from every seat and brings the mean of its games, 0 to 1.
    """

    one: str
    other: str
    starts: int = 0
    points: float = 0.0
    squares: float = 0.0
    """The sum of the squares of the points of each start."""


@dataclass
class Race:
    """Candidates that met with the same CPU time a decision."""

    seconds: float
    best: str
    """Without limits of time and work."""
    entrants: list[str]
    meetings: list[Meeting] = field(default_factory=list)

    @property
    def starts(self) -> int:
        return sum(meeting.starts for meeting in self.meetings)


@dataclass
class Choice:
    """The races of a game, and how much the candidates do in a second."""

    game: str
    digest: str
    races: list[Race] = field(default_factory=list)
    speeds: dict[str, float] = field(default_factory=dict)
    """Simulations or positions a CPU second, by candidate; of one that has no such limit, decisions."""

    def nearest(self, seconds: float) -> Race | None:
        """The race whose time is nearest to this one; of equally near ones the slower."""
        races = [race for race in self.races if race.best]
        return min(races, key=lambda race: (abs(math.log(race.seconds / seconds)), -race.seconds), default=None)

    def race(self, seconds: float) -> Race | None:
        return next((race for race in self.races if race.seconds == seconds), None)


def beside(game: Game, what: str) -> Path | None:
    """Where something measured is kept with a game: what.json in its folder, name.what.json beside its file."""
    module = game._module_file
    if module is None:
        return None
    return module.parent / f"{what}.json" if module.name == "__init__.py" else module.with_suffix(f".{what}.json")


def writable_beside(game: Game, what: str) -> Path | None:
    """The same if it can be written there."""
    path = beside(game, what)
    if path is None or not os.access(path.parent, os.W_OK) or (path.exists() and not path.is_file()):
        return None
    return path


def _cached(game: Game) -> Path:
    from turnsmith.compile.cache import cache_folder

    return cache_folder() / "best" / f"{game.name}-{game.digest}.json"


def keep_choice(game: Game, choice: Choice, to: Path | None = None) -> Path:
    """Write a choice where ``choice_of`` finds it, or into another file; returns where."""
    path = to or _cached(game)
    write_text(path, json.dumps({"turnsmith": "best", **asdict(choice)}, indent=1) + "\n")
    return path


def publish_choice(game: Game, choice: Choice) -> Path:
    """Write a choice beside its game, so that it goes where the game goes; else in the cache."""
    return keep_choice(game, choice, writable_beside(game, "best"))


def choice_of(game: Game) -> Choice | None:
    """What is known of a game: races of just these rules, else those that come beside it for the same options."""
    known = []
    with suppress(BadInput):  # what is damaged in the cache is found out again
        known.append(_read_if_there(_cached(game)))
    known.append(choice_beside(game))
    choices = [choice for choice in known if choice is not None]
    fitting = [choice for choice in choices if choice.digest == game.digest]
    if fitting:
        return max(fitting, key=lambda choice: sum(race.starts for race in choice.races))
    return next((choice for choice in choices if choice.game == game.text_name), None)


def choice_beside(game: Game) -> Choice | None:
    """The one that comes with a game."""
    return _read_if_there(beside(game, "best"))


def _read_if_there(path: Path | None) -> Choice | None:
    try:
        return _read(path, os.stat(path).st_mtime_ns) if path is not None else None
    except (FileNotFoundError, NotADirectoryError):
        return None


@lru_cache(maxsize=64)
def _read(path: Path, changed: int) -> Choice:
    """The choice in a file, refused in one line where it is not what it should be."""
    try:
        document = json.loads(path.read_text("utf-8"))
        if document.pop("turnsmith") != "best":
            raise ValueError("turnsmith")
        document["races"] = [_race(race) for race in document["races"]]
        choice = Choice(**document)
        texts, numbers = [choice.game, choice.digest, *choice.speeds], list(choice.speeds.values())
        if not all(isinstance(text, str) for text in texts) or not all(_is_above(number, 0.0) for number in numbers):
            raise ValueError("speeds")
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise BadInput(f"{path} does not say who plays best; delete it, and it is found out again") from None
    return choice


def _race(document: dict[str, Any]) -> Race:
    document["meetings"] = [Meeting(**meeting) for meeting in document["meetings"]]
    race = Race(**document)
    texts = [race.best, *race.entrants, *(who for meeting in race.meetings for who in (meeting.one, meeting.other))]
    if not all(isinstance(text, str) for text in texts) or not {*texts} <= {"", *race.entrants}:
        raise ValueError("entrants")
    if not _is_above(race.seconds, 0.0):
        raise ValueError("seconds")
    for meeting in race.meetings:
        if type(meeting.starts) is not int or not all(_is_above(n, -1e-9) for n in (meeting.points, meeting.squares)):
            raise ValueError("meetings")
        if not meeting.points <= meeting.starts:
            raise ValueError("points")
    return race


def _is_above(number: Any, least: float) -> bool:
    return isinstance(number, (int, float)) and math.isfinite(number) and number > least
