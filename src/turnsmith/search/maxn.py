"""Max^n: any number of seats and chance; the search takes every seat to maximise its own return.

Depth counts decisions: chance is always played out to the next one. Where seats are not opposed, no move can be left
out safely, with one exception: the moves after one that brings the mover the greatest return there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import borrow, copy, scratch
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.play.player import Prepared, filled, numbers
from turnsmith.search.limits import (
    CHOICE,
    HORIZON,
    PLIES,
    STOPPED,
    DepthFirst,
    Limits,
    blank_rows,
    deepen,
    estimate,
    shuffle,
    spend,
    start_work,
    steps,
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
    rows: Array
    """float64[actions, seats + 1]: what each action at the root brings all seats, and 0.0: none is a bound."""
    settings: Array  # Settings[1]
    net: Any  # a Judge, or None


Settings = numbers(*(Limits.names or ()), "turns", "order")


def think(game, board, view, acts, net, memory, params, report, rng):
    values = np.empty((PLIES, board.seats), np.float64)
    moves = np.empty((PLIES, max(board.actions, board.outcomes)), np.int32)
    chances = np.empty((PLIES, board.outcomes), np.float64)
    rows, settings = blank_rows(board.actions, board.seats + 1), params.view(Settings)
    work, stop = start_work(params), stop_flag(memory)
    buffers = MaxnBuffers(values, moves, chances, work, stop, rng, rows, settings, net)
    return deepen(look, game, board, view, acts, params, buffers, report)


def look(game, board, states, me, depth, buffers):
    ply = np.int64(0)  # not a literal: numba would compile the search twice, and miss the second in its cache
    search(game, board, states, depth, ply, lent(buffers))
    return buffers.values[0, me]


def lent(buffers):
    """The same without counting references; for arguments alone."""
    return MaxnBuffers(
        borrow(buffers.values), borrow(buffers.moves), borrow(buffers.chances), borrow(buffers.work),
        borrow(buffers.stop), borrow(buffers.rng), borrow(buffers.rows), borrow(buffers.settings), buffers.net,
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
        bring_promising(game, board, state, moves, count, buffers)
    by_turns = buffers.settings[0].turns != 0.0
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
        deeper = depth
        if mover != CHANCE:
            deeper -= steps(by_turns, mover, game.to_move(board, children[0])) if by_turns else 1
        search(game, board, children, deeper, ply + 1, buffers)
        if work[STOPPED]:
            return
        if ply == 0:
            for seat in range(board.seats):
                buffers.rows[action, seat] = below[seat]
            buffers.rows[action, board.seats] = 0.0
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


def bring_promising(game, board, state, moves, count, buffers):
    """Put the moves at the root in order: as the game expects, and what brought the mover most at the last depth first.

    Not so deeper down: among equals for the mover the first is taken, which is a matter of what it leaves others.
    """
    mover = game.to_move(board, state)
    for index in range(1, count):
        action, place = moves[index], index
        worth = promise(game, board, state, mover, np.int64(action), buffers)
        while place > 0 and promise(game, board, state, mover, np.int64(moves[place - 1]), buffers) < worth:
            moves[place] = moves[place - 1]
            place -= 1
        moves[place] = action


def promise(game, board, state, mover, action, buffers):
    """What an action at the root brought its mover at the last depth; before, what the game expects of it."""
    if not np.isnan(buffers.rows[action, mover]):
        return buffers.rows[action, mover]
    return np.float64(game.order(board, state, action)) if game.orders and buffers.settings[0].order != 0.0 else 0.0


@dataclass(frozen=True, repr=False)
class Maxn(Valued, DepthFirst):
    name = "maxn"
    summary = "any number of seats and chance, everybody for themselves"
    decide, decide_by_value = deciders(think)
    tells_all = True

    order: bool = setting(True)
    """Whether it tries first the moves that the game expects most of."""

    def prepare(self, game: Game, boards: Array) -> Prepared:
        limits = dict(zip(Limits.names or (), self.limits(), strict=True))
        return Prepared.of(data=self.value_data(game, boards), params=filled(Settings, self, **limits))
