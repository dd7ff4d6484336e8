"""A transposition table: results of a search about positions it may meet again, in a seat's memory.

An entry keeps the value that a search of `depth` decisions found, or a bound on it. It stands for a search of just that
depth, or for any deeper one if nothing in it was estimated. So a search with the table finds exactly the values of one
without it. A win is as near as the depth of its entry, however old the entry is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.rng import GOLDEN
from turnsmith.contract.game import Game
from turnsmith.contract.records import record
from turnsmith.play.player import HEADER, Prepared, filled, numbers
from turnsmith.play.stop import affordable
from turnsmith.search.limits import DepthFirst, Limits
from turnsmith.search.value import Valued

Entry = record(
    key=np.uint64, value=np.float64, action=np.int32, depth=np.int16, age=np.int16, bound=np.int32, proven=np.int32
)
ENTRY = Entry.itemsize  # 32: the two places for a key share a cache line
NOTHING, EXACT, AT_LEAST, AT_MOST = range(4)
LEAST = 4  # the smallest table, as a power of 2


def open_table(memory, log2):
    """The table in a seat's memory, empty at the start of a match, and the number of this decision in the match."""
    head = memory[:HEADER].view(np.int64)
    body = memory[HEADER : HEADER + (ENTRY << log2)]
    if head[0] == 0:
        body[:] = 0
    head[0] += 1
    return body.view(Entry), np.int64(head[0] & 32767)


def bucket(table, key):
    """The first of the two places for a key. Multiplying first lets hashes be poor in some bits."""
    return np.int64((key * GOLDEN) >> np.uint64(32)) & (table.shape[0] - 2)


def find(table, key):
    """The place of a position's entry, or -1."""
    place = bucket(table, key)
    for at in range(place, place + 2):
        if table[at].key == key and table[at].bound != NOTHING:
            return at
    return -1


def answers(entry, depth, alpha, beta):
    """Whether an entry settles a search of this depth and window."""
    if entry.depth != depth and not (entry.proven and entry.depth < depth):
        return False
    if entry.bound == EXACT:
        return True
    return entry.value >= beta if entry.bound == AT_LEAST else entry.value <= alpha


def store(table, key, depth, age, value, alpha, beta, action, proven):
    """Keep a result: in the first place of the bucket unless a deeper one of this decision is there."""
    place = bucket(table, key)
    first = table[place]
    if first.key != key and first.age == age and first.depth > depth:
        place += 1
    entry = table[place]
    entry.key = key
    entry.value = value
    entry.action = action
    entry.depth = depth
    entry.age = age
    entry.bound = AT_LEAST if value >= beta else AT_MOST if value <= alpha else EXACT
    entry.proven = 1 if proven else 0


def fitting(table: int, least: int, entry: int) -> int:
    """The size of a table, as a power of 2: the one wanted, or the largest there is room for; entries in bytes."""
    return affordable(1 << table, 1 << least, entry).bit_length() - 1


Settings = numbers(*(Limits.names or ()), "turns", "table")
"""The params that a search with a table begins with."""


@dataclass(frozen=True, repr=False)
class Tabled(Valued, DepthFirst):
    """A player with a transposition table; its size is a parameter behind the limits."""

    table: int = setting(16, LEAST, 24)
    """Size of the transposition table: 2 to this power entries of 32 bytes."""

    def prepared(self, game: Game, boards: Array, settings: np.dtype[Any]) -> Prepared:
        """What it needs for one board, its params as the record `settings` names them."""
        table, limits = fitting(self.table, LEAST, ENTRY), dict(zip(Limits.names or (), self.limits(), strict=True))
        params = filled(settings, self, **limits | {"table": float(table)})
        return Prepared.of(data=self.value_data(game, boards), memory=ENTRY << table, params=params)
