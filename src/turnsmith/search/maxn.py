"""Max^n: any number of seats and chance; the search takes every seat to maximise its own return.

Depth counts decisions: chance is always played out to the next one. Where seats are not opposed, no move can be left
out safely, with one exception: the moves after one that brings the mover the greatest return there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import borrow, copy, scratch
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.play.player import Prepared
from turnsmith.search.limits import (
    CHOICE,
    HORIZON,
    PLIES,
    STOPPED,
    Limited,
    deepen,
    estimate,
    shuffle,
    spend,
    start_work,
    stop_flag,
)
from turnsmith.search.value import Valued, deciders


class MaxnBuffers(NamedTuple):
    """What a search writes to, and its net and limits. Rows are plies, chance included.

    values: float64[plies, seats], the returns of all seats.
    """

    values: Array
    moves: Array
    chances: Array
    work: Array
    stop: Array
    rng: Array
    net: Any  # a Judge, or None


def think(game, board, view, acts, net, memory, params, report, rng):
    values = np.empty((PLIES, board.seats), np.float64)
    moves = np.empty((PLIES, max(board.actions, board.outcomes)), np.int32)
    chances = np.empty((PLIES, board.outcomes), np.float64)
    buffers = MaxnBuffers(values, moves, chances, start_work(params), stop_flag(memory), rng, net)
    return deepen(look, game, board, view, acts, params, buffers, report)


def look(game, board, states, me, depth, buffers):
    ply = np.int64(0)  # not a literal: numba would compile the search twice, and miss the second in its cache
    search(game, board, states, depth, ply, lent(buffers))
    return buffers.values[0, me]


def lent(buffers):
    """The same without counting references; for arguments alone."""
    return MaxnBuffers(
        borrow(buffers.values), borrow(buffers.moves), borrow(buffers.chances), borrow(buffers.work),
        borrow(buffers.stop), borrow(buffers.rng), buffers.net,
    )  # fmt: skip


def search(game, board, states, depth, ply, buffers):
    """Fill values[ply] with the returns states[0] leads to, `depth` decisions deep; the row below is scratch."""
    state, work, moves, values = states[0], buffers.work, buffers.moves[ply], buffers.values[ply]

    # 1. Ends and estimates.
    mover = game.to_move(board, state)
    if mover == OVER:
        game.returns(board, state, values)
        return
    if (depth == 0 and mover != CHANCE) or ply == PLIES - 1:
        estimate(game, board, state, buffers.net, values, work)
        return

    # 2. Every move: the mean where chance moves, the best for the mover where a seat does.
    count = game.legal(board, state, moves)
    if mover == CHANCE:
        game.weights(board, state, buffers.chances[ply])
    elif ply == 0:
        shuffle(moves, count, buffers.rng)
    children = scratch(1, game.State)
    below = buffers.values[ply + 1]
    entered = before = work[HORIZON]
    best = -np.inf
    for seat in range(board.seats):
        values[seat] = 0.0
    for index in range(count):
        action = np.int64(moves[index])
        copy(children[0], state)
        game.apply(board, children[0], action)
        if spend(work, buffers.stop):
            return
        before = work[HORIZON]
        search(game, board, children, depth if mover == CHANCE else depth - 1, ply + 1, buffers)
        if work[STOPPED]:
            return
        if mover == CHANCE:
            for seat in range(board.seats):
                values[seat] += buffers.chances[ply, index] * below[seat]
        elif below[mover] > best:
            best = below[mover]
            for seat in range(board.seats):  # values[:] = below would take numba seconds to compile
                values[seat] = below[seat]
            if ply == 0:
                work[CHOICE] = action
            if best >= board.high:
                break

    # 3. The greatest return there is rests on one move alone; but what it leaves the others may be another tie's.
    if ply == 0 and best >= board.high and work[HORIZON] == before:
        work[HORIZON] = entered


@dataclass(frozen=True, repr=False)
class Maxn(Valued, Limited):
    name = "maxn"
    summary = "any number of seats and chance, everybody for themselves"
    decide, decide_by_value = deciders(think)

    def prepare(self, game: Game, boards: Array) -> Prepared:
        return Prepared.of(data=self.value_data(game, boards), params=self.limits())
