"""Arenas batch by batch, with the results of every match held in memory or only what a table is counted from."""

from __future__ import annotations

import heapq
import itertools
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from turnsmith.arena.different import count_different
from turnsmith.arena.runners import ArenaPlan, MatchBatch, run, warm_up
from turnsmith.arena.schedule import MOST_SEATED, MatchRows, Missing
from turnsmith.arena.table import Streamed, Table, distinct
from turnsmith.arena.tally import Tally
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput

if TYPE_CHECKING:
    from turnsmith.arena.store import Keep, Store, StoredBatch

T = TypeVar("T")


class InOrder:
    """Results that come in any order, and are passed on in the order of their numbers."""

    def __init__(self) -> None:
        self.end = 0
        """All before this have been passed on."""
        self._ticket = itertools.count()
        self._waiting: list[tuple[int, int, int, list[Array]]] = []
        """A heap: first number, ticket, how many in a row, and the columns of their results."""

    def add(self, numbers: Array, *columns: Array) -> Iterator[tuple[int, list[Array]]]:
        """What can be passed on now: the first number and the columns of matches in a row. A match that comes again
        counts once."""
        order = np.argsort(numbers, kind="stable")
        breaks = np.flatnonzero(np.diff(numbers[order]) != 1) + 1
        for rows in np.split(order, breaks):
            if len(rows):
                entry = (int(numbers[rows[0]]), next(self._ticket), len(rows), [column[rows] for column in columns])
                heapq.heappush(self._waiting, entry)
        while self._waiting and self._waiting[0][0] <= self.end:
            first, _, many, got = heapq.heappop(self._waiting)
            known = self.end - first
            if known < many:
                start, self.end = self.end, first + many
                yield start, [column[known:] for column in got]

    def spans(self) -> list[tuple[int, int]]:
        """From which number to which there are results."""
        spans = [(0, self.end)]
        for first, _, many, _ in sorted(self._waiting, key=lambda entry: entry[:2]):
            low, high = spans[-1]
            if first <= high:
                spans[-1] = (low, max(high, first + many))
            else:
                spans.append((first, first + many))
        return spans

    @property
    def done(self) -> int:
        return sum(high - low for low, high in self.spans())


class ResultsSoFar(ABC, Generic[T]):
    """The results of an arena that is under way, and its table."""

    def __init__(self, plan: ArenaPlan, games: int, names: list[str]):
        self.plan, self.games = plan, games
        self.goal = plan.game.goal(plan.game.board()[0])
        self.seconds = 0.0
        self.reasons: dict[int, str] = {}
        """Why a seat forfeited, by the number of the match."""
        self.keys: dict[int, bytes] = {}
        """What tells the first games apart."""
        self._same: dict[str, Any] = {"game": plan.game.text_name, "players": names, "seed": plan.seed}
        self._same["goal"] = self.goal

    @abstractmethod
    def add(self, numbers: Array, returns: Array, culprits: Array, reasons: dict[int, str]) -> None:
        """Count matches; one that comes again counts once."""

    @property
    @abstractmethod
    def done(self) -> int:
        """How many matches are done."""

    @abstractmethod
    def missing(self) -> MatchRows:
        """The numbers of the matches that are not."""

    @abstractmethod
    def table(self) -> T:
        """Of the matches that are done without a gap."""

    def _told(self, end: int) -> dict[str, Any]:
        """What every table is told, of the first `end` matches."""
        return {**self._same, "seconds": self.seconds, "different": count_different(self.keys, end)}

    def go_on_from(self, parts: Iterable[StoredBatch]) -> None:
        """Count what a store has of the same run."""
        for part in parts:
            mine = part.matches[part.matches["number"] < self.games]
            reasons = {number: reason for number, reason in part.reasons.items() if number < self.games}
            self.seconds += part.seconds
            self.keys |= part.keys
            self.add(mine["number"], mine["returns"], mine["culprit"], reasons)


class HeldResults(ResultsSoFar[Table]):
    """Those of every match, held in memory."""

    def __init__(self, plan: ArenaPlan, games: int, names: list[str]):
        super().__init__(plan, games, names)
        self._returns = np.zeros((games, plan.seats), np.float64)
        self._culprits = np.full(games, -1, np.int32)
        self._played = np.zeros(games, np.bool_)

    def add(self, numbers: Array, returns: Array, culprits: Array, reasons: dict[int, str]) -> None:
        fresh = ~self._played[numbers]
        new = numbers[fresh]
        self._returns[new], self._culprits[new], self._played[new] = returns[fresh], culprits[fresh], True
        self.reasons.update(reasons)

    @property
    def done(self) -> int:
        return int(self._played.sum())

    def missing(self) -> MatchRows:
        return np.flatnonzero(~self._played)

    def table(self) -> Table:
        end = self.games if self._played.all() else int(np.argmin(self._played))
        return Table(
            seating=self.plan.seating[:end],
            returns=self._returns[:end].copy(),
            culprits=self._culprits[:end].copy(),
            reasons={number: reason for number, reason in self.reasons.items() if number < end},
            **self._told(end),
        )


class CountedResults(ResultsSoFar[Streamed]):
    """Only what a table is counted from."""

    def __init__(self, plan: ArenaPlan, games: int, names: list[str]):
        super().__init__(plan, games, names)
        self._tally, self._order = Tally(len(plan.players), plan.seats, self.goal), InOrder()

    def add(self, numbers: Array, returns: Array, culprits: Array, reasons: dict[int, str]) -> None:
        self.reasons.update(reasons)
        for first, (got, who) in self._order.add(numbers, returns, culprits):
            self._tally.add(self.plan.seating[first : first + len(got)], got, who)
        if len(self.reasons) > 2 * len(self._tally.forfeits):  # only the first of them are told
            noted = {match for match, _, _ in self._tally.forfeits}
            for number in [n for n in self.reasons if n < self._tally.games and n not in noted]:
                del self.reasons[number]

    @property
    def done(self) -> int:
        return self._order.done

    def missing(self) -> MatchRows:
        return Missing(self._order.spans(), self.games)

    def table(self) -> Streamed:
        return Streamed(counted=self._tally, reasons=self.reasons, **self._told(self._order.end))


def follow(
    plan: ArenaPlan,
    games: int,
    workers: int = 1,
    store: Store | None = None,
    keep: Keep = "all",
    seen: Callable[[MatchBatch], None] | None = None,
) -> Iterator[tuple[int, Table]]:
    """Play an arena, batch by batch: how many games are done, and the table of those done without a gap.

    The first comes before anything is played, or compiled. Whoever stops asking stops the arena. `seen` is shown every
    batch that is played.
    """
    if games * plan.seats > MOST_SEATED:
        raise BadInput(f"games={games} are too many to hold: at most {MOST_SEATED // plan.seats}; see streamed")
    yield from _played(HeldResults(plan, games, distinct([repr(p) for p in plan.players])), workers, store, keep, seen)


def stream(
    plan: ArenaPlan, games: int, names: list[str], workers: int = 1, store: Store | None = None, keep: Keep = "all"
) -> Iterator[tuple[int, Streamed]]:
    """Play an arena, batch by batch: how many games are done, and the table of those done without a gap.

    The same games and the same numbers as ``follow``; a table of before changes when the next one is asked for.
    """
    yield from _played(CountedResults(plan, games, names), workers, store, keep)


def _played(
    results: ResultsSoFar[T],
    workers: int,
    store: Store | None,
    keep: Keep,
    seen: Callable[[MatchBatch], None] | None = None,
) -> Iterator[tuple[int, T]]:
    """What the store has, then what is played and stored."""
    plan, name = results.plan, ""
    if store is not None:
        name = store.open_run(plan)
        results.go_on_from(store.parts(name))
    yield results.done, results.table()
    todo = results.missing()
    warm_up(plan, todo)
    mark = time.monotonic()
    for batch in run(plan, todo, workers):
        lap = time.monotonic() - mark
        if store is not None:
            store.add(name, plan, batch, lap, keep)
        if store is None or keep == "all":  # else whoever goes on with the run could not say the same
            results.keys |= batch.keys
        results.add(batch.numbers, batch.returns, batch.culprits, batch.reasons)
        if seen:
            seen(batch)
        mark += lap
        results.seconds += lap
        yield results.done, results.table()
