"""An arena of any number of games: what is held in memory is what is under way, and what a table is counted from."""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Iterator

import numpy as np

from turnsmith.arena.different import count_different
from turnsmith.arena.runners import Plan, run, warm_up
from turnsmith.arena.schedule import Missing
from turnsmith.arena.store import Keep, Store
from turnsmith.arena.table import Streamed
from turnsmith.arena.tally import Tally
from turnsmith.game import Array


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
        found = [(0, self.end)]
        for first, _, many, _ in sorted(self._waiting, key=lambda entry: entry[:2]):
            low, high = found[-1]
            if first <= high:
                found[-1] = (low, max(high, first + many))
            else:
                found.append((first, first + many))
        return found

    @property
    def done(self) -> int:
        return sum(high - low for low, high in self.spans())


def stream(
    plan: Plan, games: int, names: list[str], workers: int = 1, store: Store | None = None, keep: Keep = "all"
) -> Iterator[tuple[int, Streamed]]:
    """Play an arena, batch by batch: how many games are done, and the table of those done without a gap.

    The same games and the same numbers as ``follow``; a table of before changes when the next one is asked for.
    """
    goal = plan.game.goal(plan.game.board()[0])
    tally, order = Tally(len(plan.players), plan.seats, goal), InOrder()
    reasons: dict[int, str] = {}
    seconds, name, keys = 0.0, "", dict[int, bytes]()

    def count(numbers: Array, returns: Array, culprits: Array, why: dict[int, str]) -> None:
        reasons.update(why)
        for first, (got, who) in order.add(numbers, returns, culprits):
            tally.add(plan.seating[first : first + len(got)], got, who)
        if len(reasons) > 2 * len(tally.forfeits):  # only the first of them are told
            told = {match for match, _, _ in tally.forfeits}
            for number in [n for n in reasons if n < tally.games and n not in told]:
                del reasons[number]

    def table() -> tuple[int, Streamed]:
        different = count_different(keys, order.end)
        known = Streamed(plan.game.text_name, names, plan.seed, seconds, tally, reasons, goal, different)
        return order.done, known

    if store is not None:
        name = store.open_run(plan)
        for part in store.parts(name):
            mine = part.matches[part.matches["number"] < games]
            seconds += part.seconds
            keys |= part.keys
            count(
                mine["number"], mine["returns"], mine["culprit"], {n: w for n, w in part.reasons.items() if n < games}
            )
    yield table()
    todo = Missing(order.spans(), games)
    warm_up(plan, todo)
    mark = time.monotonic()
    for batch in run(plan, todo, workers):
        lap = time.monotonic() - mark
        if store is not None:
            store.add(name, plan, batch, lap, keep)
        if store is None or keep == "all":  # else whoever goes on with the run could not say the same
            keys |= batch.keys
        count(batch.numbers, batch.returns, batch.culprits, batch.reasons)
        mark += lap
        seconds += lap
        yield table()
