"""What ladders and races share: how pairs compare, and how long players think in positions of random games."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from turnsmith.arena.statistics import RateWithInterval, above, clustered_rate
from turnsmith.arena.table import Table
from turnsmith.common.arrays import Array
from turnsmith.contract.game import OVER, Game
from turnsmith.play.player import Player
from turnsmith.play.position import Position
from turnsmith.play.seat import Seat

DECISIONS = 12
"""That are timed of a player, in positions of random games."""
SLOWEST = 10.0
"""A decision may take so many times what all may take in the mean."""
MOST_MOVES = 2000
"""Of a random game."""
OPENING = 2
"""Random moves every start begins with where chance has none: else players without whims repeat themselves."""


def pair_points(table: Table) -> tuple[Array, Array]:
    """Whether the first player ended above the second, 0 to 1, and the start it was. Where returns are scores of unlike
    roles, a start counts once: who has more after both have played every role."""
    mine, theirs = table.seating == 0, table.seating == 1
    groups = np.arange(table.games) // table.seats
    if table.is_by_score and len(set(table.goal.roles)) > 1:
        totals = [np.bincount(groups, (table.returns * side).sum(axis=1)) for side in (mine, theirs)]
        points = (totals[0] > totals[1] + 1e-9) + 0.5 * (np.abs(totals[0] - totals[1]) <= 1e-9)
        return points, np.arange(len(points))
    finish = table.goal.won(table.returns).astype(np.float64) if table.goal.kind == "rule" else table.returns
    return above(finish, mine, theirs), groups


def pair_rate(table: Table) -> RateWithInterval:
    """How often the first player ended above the second."""
    return clustered_rate(*pair_points(table))


def positions_of(game: Game) -> list[Position]:
    """Decisions of random games, early and late ones."""
    positions = []
    for seed in range(1, DECISIONS + 1):
        whole = _played_at_random(game, seed, MOST_MOVES)
        positions.append(_played_at_random(game, seed, seed * len(whole.history) // (DECISIONS + 1)))
    return [position for position in positions if position.mover != OVER] or [game.start(1)]


def _played_at_random(game: Game, seed: int, moves: int) -> Position:
    random, position = np.random.default_rng(seed), game.start(seed)
    while position.mover != OVER and len(position.history) < moves:
        position.push(int(random.choice(position.actions)))
    return position


def seconds_of_decisions(who: Player, positions: Sequence[Position], most: float) -> float:
    """CPU seconds a decision; infinite where a single one takes ten times as long as all may in the mean. Who can be
    stopped is stopped by the clock on the wall, which goes faster where others work too."""
    spent, patience = 0.0, max(2.0, 40.0 * most)
    first = Seat(who, positions[0].game, positions[0].boards)
    first.prepare()
    first.ask(positions[0], 0.01)  # which may compile
    for position in positions:
        seat = Seat(who, position.game, position.boards)
        seat.prepare()
        begun, wall = time.process_time(), time.monotonic()
        seat.ask(position, patience)
        took = time.process_time() - begun
        if took > SLOWEST * most or time.monotonic() - wall > 0.95 * patience:
            return math.inf
        spent += took
    return spent / len(positions)
