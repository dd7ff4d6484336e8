"""Whether a new net is better than the best one so far: a sequential test, which stops as soon as it knows.

Games are played until winning so often as BETTER says is so much likelier than being equal, or the other way round.
Where returns are scores, nobody wins; what the new net gets beyond the others is compared instead, start by start: each
is played from every seat, so that whatever the seats are worth cancels out.
"""

from __future__ import annotations

import math

import numpy as np

from turnsmith.arena.table import Table
from turnsmith.common.arrays import Array

GATE, BATCHES = 40, 5
"""Games of a batch, and batches at most."""
BETTER, LIKELY = 0.55, math.log(19.0)
"""The share of wins of two that would be better; and how much likelier one of the two has to be, as a logarithm."""


def evidence_of_wins(won: float, games: int, seats: int) -> float:
    """How much likelier so many wins are if a player is better than if it equals all others, as a logarithm.

    >>> round(evidence_of_wins(24, 40, 2), 2), round(evidence_of_wins(16, 40, 2), 2)
    (0.6, -1.0)
    """
    even = 1.0 / seats
    more = min(even + (BETTER - 0.5), 0.95)
    return won * math.log(more / even) + (games - won) * math.log((1 - more) / (1 - even))


def evidence_of_gains(gains: Array, seats: int) -> float:
    """The same of what a player got beyond others, a number a start: better is by as many standard deviations as for
    one that wins.

    >>> round(evidence_of_gains(np.array([0.1, 0.3] * 20), 2), 2), evidence_of_gains(np.zeros(9), 2)
    (10.91, 0.0)
    """
    spread, total = float(np.std(gains)), float(gains.sum())
    if spread == 0.0:
        return math.copysign(math.inf, total) if total else 0.0
    by = 2.0 * (BETTER - 0.5) * math.sqrt(seats)
    return by * total / spread - len(gains) * by * by / 2.0


def gains_of(table: Table) -> Array:
    """What the first player of an arena got beyond the mean of the others, a number a start: the mean of its games from
    all seats."""
    first = table.seating == 0
    seats = first.shape[1]
    own = table.returns[first]
    beyond = own - (table.returns.sum(axis=1) - own) / (seats - 1)
    whole = len(beyond) // seats * seats
    return np.asarray(beyond[:whole].reshape(-1, seats).mean(axis=1))
