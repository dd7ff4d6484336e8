"""Who sits where: starts in rotation, so that neither the board nor the seat favours anybody.

A group is one start (a board and the chance before the first decision) and one choice of players, played once in each
rotation of the seats. Match number n belongs to group n // seats and has rotation n % seats.

A match has a seed, and its group has one: that of the group decides the board and the chance before the first decision,
that of the match everything else. Those of number 0 are the seed of the whole, so the first match of an arena is the
game that ``game.start(seed)`` and ``play(seed=seed)`` name.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import begin, below, set_stream

GROUP, MATCH, SEATING = 1_000_001, 1_000_002, 2_000_000
"""Stream indices of the seeds of groups and matches, and of the order around the table."""
MOST_SEATED = 100_000_000
"""Games times seats of one run: who sat where and what it brought are held in memory."""


def seeds_of(seed: int, numbers: Array, kind: int) -> Array:
    """uint64: the seeds of groups or matches; that of number 0 is `seed` itself."""
    with np.errstate(over="ignore"):
        derived = begin(np.uint64(seed), numbers.astype(np.uint64), kind) >> np.uint64(1)
    return np.where(numbers == 0, np.uint64(seed), derived)


class MatchRows(Protocol):
    """Rows of numbers by match: an array, or what gives them when they are asked for."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def __len__(self) -> int: ...

    def __getitem__(self, wanted: Any, /) -> Any: ...


class Some:
    """Some rows of a table that is somewhere else: numbers, ascending, and the rows they have there."""

    def __init__(self, numbers: Array, rows: Array):
        self.numbers, self.rows = numbers, rows

    @property
    def shape(self) -> tuple[int, ...]:
        return len(self), *self.rows.shape[1:]

    def __len__(self) -> int:
        return int(self.numbers[-1]) + 1

    def __getitem__(self, wanted: Any) -> Any:
        return self.rows[np.searchsorted(self.numbers, wanted)]


class Missing:
    """The numbers below `end` that are in no span, ascending, worked out when they are asked for.

    >>> Missing([(0, 3), (5, 6)], 9)[1:4].tolist()
    [4, 6, 7]
    """

    def __init__(self, spans: Iterable[tuple[int, int]], end: int):
        edges = [0, *(edge for span in sorted(spans) for edge in span), end]
        gaps = [(low, high) for low, high in zip(edges[::2], edges[1::2], strict=True) if low < high]
        self._first = np.array([low for low, _ in gaps], np.int64)
        self._before = np.cumsum([0, *(high - low for low, high in gaps)])

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self),)

    def __len__(self) -> int:
        return int(self._before[-1])

    def __getitem__(self, wanted: slice) -> Array:
        places = np.arange(*wanted.indices(len(self)))
        gap = np.searchsorted(self._before, places, side="right") - 1
        return np.asarray(self._first[gap] + places - self._before[gap])


class Seatings:
    """Which player sits in which seat of each match: int32[games, seats], worked out when it is asked for.

    Every choice of players comes up equally often; the order around the table is drawn anew for every group.

    >>> Seatings(3, 2, 6, seed=1)[:].tolist()
    [[1, 0], [0, 1], [0, 2], [2, 0], [2, 1], [1, 2]]
    """

    def __init__(self, players: int, seats: int, games: int, seed: int):
        if players < 1 or games < 1:
            raise BadInput("an arena needs at least one player and one game")
        self.shape, self.seed = (games, seats), seed
        if players >= seats:
            if math.comb(players, seats) > 1_000_000:
                raise BadInput(f"{players} players make too many tables of {seats}; name fewer players")
            choices = list(itertools.combinations(range(players), seats))
        else:  # fewer players than seats: everyone sits more than once
            choices = [tuple(seat % players for seat in range(seats))]
        self.choices = np.array(choices, np.int32)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, wanted: Any) -> Any:
        if isinstance(wanted, slice):
            wanted = np.arange(*wanted.indices(len(self)))
        numbers = np.atleast_1d(np.asarray(wanted, np.int64))
        rows = np.zeros((len(numbers), self.shape[1]), np.int32)
        compiled(fill)(rows, numbers, self.choices, self.seed)
        return rows if np.ndim(wanted) else rows[0]


def seatings(players: int, seats: int, games: int, seed: int) -> Array:
    """The same in an array."""
    if games * seats > MOST_SEATED:
        raise BadInput(f"games={games} are too many for one run: at most {MOST_SEATED // seats}; split them over seeds")
    return np.asarray(Seatings(players, seats, games, seed)[:])


def fill(rows, numbers, choices, seed):  # type: ignore[no-untyped-def]
    """Seat each group's choice of players in a random order, then turn the table."""
    seats = rows.shape[1]
    rng = np.zeros(1, np.uint64)
    table = np.zeros(seats, np.int32)
    for row in range(numbers.shape[0]):
        group, turn = numbers[row] // seats, numbers[row] % seats
        for seat in range(seats):
            table[seat] = choices[group % choices.shape[0], seat]
        set_stream(rng, seed, group, SEATING)
        for seat in range(seats - 1, 0, -1):
            other = below(rng, seat + 1)
            table[seat], table[other] = table[other], table[seat]
        for seat in range(seats):
            rows[row, (seat + turn) % seats] = table[seat]
