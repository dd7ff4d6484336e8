"""A race for the best player of a game: candidates meet until all but one are known to be weaker, or time is up.

Everybody has the same CPU time a decision, counted in work: how many simulations or positions a candidate makes in a
second is measured first. So how busy the machine is says nothing of who wins. In every round each candidate that is
left meets the leader in one start, from every seat. Who is behind the leader by more than chance explains drops out.
Rounds of a longer time begin with those who came near in a shorter one. What has been played is kept, so that a race
that was stopped goes on, and gets better the longer it is left.
"""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from turnsmith.arena.elo import difference, fit
from turnsmith.arena.pairs import OPENING, pair_points, positions_of, seconds_of_decisions
from turnsmith.arena.statistics import RateWithInterval, rate_of
from turnsmith.arena.tournament import arena
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled_in_this_process
from turnsmith.contract.game import Game
from turnsmith.play.choice import BUDGETS, Choice, Meeting, Race, choice_of, keep_choice
from turnsmith.play.player import player
from turnsmith.search.best import EXACT, candidates, with_time, with_work, work_of

DOUBTS = 2.5
"""Standard errors by which one must be behind the leader to drop out."""
NEAR = 250.0
"""Rating points, and as many doubts, within which one takes part in the next race."""
KNOWN = 12.0
"""The race is over where all who are left are known to be so near to the leader: the standard error."""
MOST_STARTS = 400
"""Of a pair, in one race."""
TRUST, MOST_TRUSTED = 0.25, 6.0
"""A start of a faster race counts as so much of one in the next, and those of a pair together as so many at most: a
start or two of slow games must not upset what hundreds of quick ones have shown."""
SLOW = 2.0
"""Who takes no limit may take so many times what all may."""
PROBED, MOST_PROBED = 0.004, 1 << 24
"""CPU seconds a decision from which on work in a second is known well enough, and work at which it is given up."""

Tell = Callable[[str], None]


@dataclass
class RaceSettings:
    """How long a game's candidates race, and who they are."""

    patience: float = 60.0
    """Seconds by the clock for all races together; to compile and time the candidates takes longer."""
    budgets: Sequence[float] = BUDGETS
    more: Sequence[str] = ()
    """Candidates besides the usual ones, such as searches with a net."""
    workers: int = 1
    seed: int = 0
    tell: Tell = lambda _text: None
    """Is told how it stands, a line at a time."""
    is_stopped: Callable[[], bool] = lambda: False


def find_best(game: Game, settings: RaceSettings) -> Choice:
    """The choice of a game, better by the games that were possible in time; it is kept after every round."""
    known = choice_of(game)
    choice = known if known is not None and known.digest == game.digest else Choice(game.text_name, game.digest)
    entrants = candidates(game, game.board(), settings.more)
    for text in [text for text in entrants if text not in choice.speeds]:
        speed = speed_of(text, game, settings)
        if speed is not None:
            choice.speeds[text] = speed
    left = [text for text in entrants if text in choice.speeds]
    if not left:
        raise BadInput(f"nobody plays {game.text_name} within {max(settings.budgets):g} s a decision; allow more")
    shares, until = shares_of(settings.patience, settings.budgets), time.monotonic()
    for seconds in settings.budgets:
        until += shares[seconds] * settings.patience
        race = choice.race(seconds)
        if race is None:
            quick = candidates_in_time(game, choice, seconds, left)
            if not quick:
                continue
            race = Race(seconds, "", quick)
        faster = max(
            (known for known in choice.races if known.seconds < seconds), key=lambda known: known.seconds, default=None
        )
        contest = Contest(game, race, choice.speeds, settings, faster)
        if time.monotonic() < until:
            contest.run(until, lambda race=race: _keep(game, choice, race))  # type: ignore[misc]
        if race.best:
            near = contest.near()
            left = [text for text in left if text in near or text not in race.entrants]
            left.sort(key=lambda text: text != race.best)  # the leader is met first
        if settings.is_stopped():
            break
    return choice


def _keep(game: Game, choice: Choice, race: Race) -> None:
    if race not in choice.races:
        choice.races.append(race)
        choice.races.sort(key=lambda each: each.seconds)
    keep_choice(game, choice)


def shares_of(patience: float, budgets: Sequence[float]) -> dict[float, float]:
    """The share of the time that the race of each budget gets: half of it goes to the slowest one that there is time
    for, as a decision of a second is worth its while only where there are many minutes.

    >>> shares_of(60.0, (0.004, 0.1, 1.0)), shares_of(3600.0, (0.004, 0.1, 1.0))
    ({0.004: 0.5, 0.1: 0.5, 1.0: 0.0}, {0.004: 0.25, 0.1: 0.25, 1.0: 0.5})
    """
    fitting = [seconds for seconds in budgets if seconds * 600.0 <= patience] or list(budgets[:1])
    shares = dict.fromkeys(budgets, 0.0)
    weights = [2.0 ** max(0, place - 1) for place in range(len(fitting))]
    for seconds, weight in zip(fitting, weights, strict=True):
        shares[seconds] = weight / sum(weights)
    return shares


def speed_of(text: str, game: Game, settings: RaceSettings) -> float | None:
    """How much work a candidate does in a CPU second, or how many decisions it makes where it counts none; None of one
    that cannot play, or takes too long."""
    settings.tell(f"timing {text}")
    positions, most, work = positions_of(game), SLOW * max(settings.budgets), 64
    is_counting = bool(work_of(player(text, game)))
    while True:
        limited = with_work(text, game, 1.0, work) if is_counting else with_time(text, game, most)
        try:
            took = seconds_of_decisions(limited, positions, most)
        except (BadInput, MemoryError):
            return None
        if not math.isfinite(took):
            return None
        if not is_counting:
            return 1.0 / max(took, 1e-7)
        if took >= PROBED or work >= MOST_PROBED:
            return work / max(took, 1e-7)
        work *= 4


def candidates_in_time(game: Game, choice: Choice, seconds: float, among: Sequence[str] | None = None) -> list[str]:
    """Those of the timed candidates who can decide within so many CPU seconds in the mean."""
    texts = choice.speeds if among is None else among
    return [text for text in texts if is_in_time(text, game, choice.speeds[text], seconds)]


def is_in_time(text: str, game: Game, speed: float, seconds: float) -> bool:
    """Whether a candidate can decide within so many CPU seconds in the mean."""
    chosen = player(text, game)
    if work_of(chosen):
        return speed * seconds >= 1.0
    return hasattr(chosen, "time") or speed * seconds * SLOW >= 1.0


def rate_of_meeting(meeting: Meeting, one: str) -> RateWithInterval:
    """How often one of two who met ended above the other, start by start."""
    starts, mean = meeting.starts, meeting.points / max(1, meeting.starts)
    squares = max(0.0, meeting.squares - starts * mean * mean)
    return rate_of(starts, mean if one == meeting.one else 1.0 - mean, squares, starts, 1)


def lines_of(choice: Choice) -> list[str]:
    """What races have shown, a line each, for people."""
    lines = []
    for race in choice.races:
        rates = []
        for meeting in sorted(race.meetings, key=lambda meeting: -meeting.starts):
            if race.best in (meeting.one, meeting.other) and meeting.starts:
                rate = rate_of_meeting(meeting, race.best)
                other = meeting.other if race.best == meeting.one else meeting.one
                rates.append(
                    f"{rate.rate:.0%} ({rate.low:.0%} to {rate.high:.0%}) of {rate.games} starts against {other}"
                )
        lines.append(f"{race.seconds:g} s a decision: {race.best}" + (f" wins {'; '.join(rates)}" if rates else ""))
    return lines


@dataclass
class Contest:
    """One race while it is run."""

    game: Game
    race: Race
    speeds: dict[str, float]
    settings: RaceSettings
    faster: Race | None = None
    """The race before this one, of less time a decision."""
    out: set[str] = field(default_factory=set)
    """Who broke a rule of the arena."""

    def __post_init__(self) -> None:
        board = self.game.board()[0]
        self._seats, self._opening = int(board.seats), 0 if board.outcomes else OPENING
        seconds = self.race.seconds
        self.players = {
            text: repr(with_work(text, self.game, seconds, self.speeds[text])) for text in self.race.entrants
        }

    def run(self, until: float, keep: Callable[[], None]) -> None:
        """Play round after round until it is known who is best, or the time is over."""
        while True:
            leader, left = self.standing()
            self.race.best = self.preferred(leader, left)
            keep()
            rivals = [text for text in left if text != leader and not self._is_known(leader, text)]
            if not rivals or self.settings.is_stopped():
                return
            self.settings.tell(f"{self.race.seconds:g} s a decision: {leader} meets {len(rivals)} others")
            for rival in rivals:
                known, begun = len(compiled_in_this_process), time.monotonic()
                self.meet(leader, rival)
                if len(compiled_in_this_process) > known:  # once on a machine; it takes no time away from games
                    until += time.monotonic() - begun
                if time.monotonic() >= until or self.settings.is_stopped():
                    self.race.best = self.preferred(*self.standing())
                    keep()
                    return

    def meet(self, one: str, other: str) -> None:
        """Let two play one more start, from every seat."""
        meeting = self._meeting(one, other)
        one, other = meeting.one, meeting.other
        pair = "\n".join((one, other, f"{self.race.seconds:g}"))
        seed = zlib.crc32(pair.encode(), self.settings.seed & 0xFFFFFFFF) + (meeting.starts << 32)
        points = self._points(self.players[one], self.players[other], seed)
        if points is None:
            return
        meeting.starts += 1
        meeting.points += points
        meeting.squares += points * points

    def _points(self, one: str, other: str, seed: int) -> float | None:
        """What a start has brought the first: the mean of its games; None where somebody broke a rule."""
        how = {"seed": seed, "opening": self._opening, "workers": self.settings.workers}
        if self._seats == 1:
            mine, theirs = (float(arena(self.game, [who], 1, **how).returns[0, 0]) for who in (one, other))  # type: ignore[arg-type]
            return 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
        table = arena(self.game, [one, other], self._seats, **how)  # type: ignore[arg-type]
        for number in np.flatnonzero(table.culprits >= 0):
            culprit = (one, other)[int(table.seating[number, table.culprits[number]])]
            self.out |= {text for text, name in self.players.items() if name == culprit}
        return None if (table.culprits >= 0).any() else float(pair_points(table)[0].mean())

    def _meeting(self, one: str, other: str) -> Meeting:
        for meeting in self.race.meetings:
            if {meeting.one, meeting.other} == {one, other}:
                return meeting
        self.race.meetings.append(Meeting(one, other))
        return self.race.meetings[-1]

    def _is_known(self, one: str, other: str) -> bool:
        """Whether a pair need not meet again."""
        _ratings, spread = self.ratings()
        places = [self.race.entrants.index(text) for text in (one, other)]
        meeting = self._meeting(one, other)
        return meeting.starts >= MOST_STARTS or (meeting.starts > 0 and difference(spread, *places) < KNOWN)

    def ratings(self) -> tuple[Array, Array]:
        """Ratings of the entrants and their covariance; a start counts as one game for each of its two sides, one of
        the faster race as less."""
        place = {text: number for number, text in enumerate(self.race.entrants)}
        points, games = np.zeros((len(place), len(place))), np.zeros((len(place), len(place)))
        weighed = [(meeting, 2.0) for meeting in self.race.meetings]
        weighed += [
            (meeting, 2.0 * min(TRUST, MOST_TRUSTED / max(1, meeting.starts)))
            for meeting in (self.faster.meetings if self.faster else ())
            if meeting.one in place and meeting.other in place
        ]
        for meeting, weight in weighed:
            one, other = place[meeting.one], place[meeting.other]
            games[one, other] += weight * meeting.starts
            games[other, one] += weight * meeting.starts
            points[one, other] += weight * meeting.points
            points[other, one] += weight * (meeting.starts - meeting.points)
        return fit(points, games)

    def standing(self) -> tuple[str, list[str]]:
        """Who leads, and who may still be better; nobody has met: the first, and all."""
        fair = [n for n, text in enumerate(self.race.entrants) if text not in self.out]
        if not fair:
            raise BadInput(f"every player of {self.game.text_name} breaks its rules; turnsmith check says how")
        meetings = [*self.race.meetings, *(self.faster.meetings if self.faster else ())]
        met = {text for meeting in meetings if meeting.starts for text in (meeting.one, meeting.other)}
        if not met & {self.race.entrants[n] for n in fair}:
            return self.race.entrants[fair[0]], [self.race.entrants[n] for n in fair]
        ratings, spread = self.ratings()
        leader = max((n for n in fair if self.race.entrants[n] in met), key=lambda n: float(ratings[n]))
        left = [n for n in fair if self.race.entrants[n] not in met or not self._is_behind(n, leader, ratings, spread)]
        return self.race.entrants[leader], [self.race.entrants[n] for n in left]

    def preferred(self, leader: str, left: Sequence[str]) -> str:
        """The leader, unless play that is exact for two seats is not known to be weaker: luck may hide who is. Where
        nobody is to be beaten, starts differ more than players do; so the first guess stands until it is known to be
        weaker."""
        exact = (text for text in left if text.partition(":")[0] in EXACT)
        if self._seats == 1 and self.race.entrants[0] in left:
            return self.race.entrants[0]
        return next(exact, leader) if self._seats <= 2 else leader

    def _is_behind(self, one: int, leader: int, ratings: Array, spread: Array, more: float = 0.0) -> bool:
        return bool(ratings[leader] - ratings[one] > more + DOUBTS * difference(spread, one, leader))

    def near(self) -> set[str]:
        """Who may be better where there is more time to think."""
        ratings, spread = self.ratings()
        leader = self.race.entrants.index(self.race.best)
        fair = [n for n, text in enumerate(self.race.entrants) if text not in self.out]
        return {self.race.entrants[n] for n in fair if not self._is_behind(n, leader, ratings, spread, NEAR)}
