"""Expectimax: one seat against chance, or two opposed seats and chance, with exact expectations.

Values are returns of the seat that decides (`me`); the search takes another seat to minimise them. Depth counts
decisions: chance is always played out to the next one. No return is outside the declared range, so windows pass through
chance too (Ballard's Star1), and the search leaves out only moves that cannot matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import borrow, copy, scratch
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.search.limits import (
    CHOICE,
    HORIZON,
    PLIES,
    STOPPED,
    deepen,
    estimate,
    shuffle,
    spend,
    start_work,
    stop_flag,
)
from turnsmith.search.table import Settings, Tabled, answers, find, open_table, store
from turnsmith.search.value import deciders


class ExpectimaxBuffers(NamedTuple):
    """What a search writes to, and its net and limits. Rows of `moves` and `chances` are plies, chance included."""

    table: Array
    age: int
    moves: Array
    chances: Array
    out: Array
    work: Array
    stop: Array
    rng: Array
    net: Any  # a Judge, or None


def think(game, board, view, acts, net, memory, params, report, rng):
    table, age = open_table(memory, np.int64(params.view(Settings)[0].table))
    moves = np.empty((PLIES, max(board.actions, board.outcomes)), np.int32)
    chances = np.empty((PLIES, board.outcomes), np.float64)
    out = np.empty(board.seats, np.float64)
    buffers = ExpectimaxBuffers(table, age, moves, chances, out, start_work(params), stop_flag(memory), rng, net)
    return deepen(look, game, board, view, acts, params, buffers, report)


def look(game, board, states, me, depth, buffers):
    ply = np.int64(0)  # not a literal: numba would compile the search twice, and miss the second in its cache
    return search(game, board, states, me, depth, ply, board.low, board.high, lent(buffers))


def lent(buffers):
    """The same without counting references, which would take most of the time; for arguments alone."""
    return ExpectimaxBuffers(
        borrow(buffers.table), buffers.age, borrow(buffers.moves), borrow(buffers.chances), borrow(buffers.out),
        borrow(buffers.work), borrow(buffers.stop), borrow(buffers.rng), buffers.net,
    )  # fmt: skip


def search(game, board, states, me, depth, ply, alpha, beta, buffers):
    """The value of states[0] for `me`, `depth` decisions deep; outside alpha..beta only a bound on it."""
    state, work, moves = states[0], buffers.work, buffers.moves[ply]
    mover = game.to_move(board, state)
    if mover == OVER:
        game.returns(board, state, buffers.out)
        return buffers.out[me]
    if (depth == 0 and mover != CHANCE) or ply == PLIES - 1:
        estimate(game, board, state, buffers.net, buffers.out, work)
        return buffers.out[me]
    children = scratch(1, game.State)
    child = children[0]

    # 1. Chance: the mean, given up as soon as the outcomes left cannot bring it into the window.
    if mover == CHANCE:
        count, chances = game.legal(board, state, moves), buffers.chances[ply]
        game.weights(board, state, chances)
        total, left = 0.0, 1.0
        for index in range(count):
            chance = chances[index]
            if chance <= 0.0:
                continue
            left -= chance
            lower, upper = window_of_outcome(board, alpha - total, beta - total, chance, left)
            copy(child, state)
            game.apply(board, child, np.int64(moves[index]))
            if spend(work, buffers.stop):
                return total
            low, high = max(lower, board.low), min(upper, board.high)
            value = search(game, board, children, me, depth, ply + 1, low, high, buffers)
            if work[STOPPED]:
                return total
            total += chance * value
            if lower >= board.low and value <= lower:
                return min(alpha, total + left * board.high)
            if upper <= board.high and value >= upper:
                return max(beta, total + left * board.low)
        return total

    # 2. A decision: has it been searched before?
    sign = 1.0 if mover == me else -1.0
    if sign < 0.0:
        alpha, beta = -beta, -alpha  # from here on for the mover
    key = game.hash(board, state)
    place = find(buffers.table, key)
    hint = -1
    if place >= 0:
        entry = buffers.table[place]
        hint = entry.action
        if ply > 0 and answers(entry, depth, alpha, beta):
            work[HORIZON] += 1 - entry.proven
            return sign * entry.value
    count = list_moves(game, board, state, ply, hint, moves, buffers.rng)

    # 3. If not, the best of its moves.
    entered = before = work[HORIZON]
    best, choice, floor = -np.inf, np.int64(-1), alpha
    for index in range(count):
        action = np.int64(moves[index])
        copy(child, state)
        game.apply(board, child, action)
        if spend(work, buffers.stop):
            return sign * best
        before = work[HORIZON]
        low, high = (floor, beta) if sign > 0.0 else (-beta, -floor)
        value = sign * search(game, board, children, me, depth - 1, ply + 1, low, high, buffers)
        if work[STOPPED]:
            return sign * best
        if value > best:
            best, choice, floor = value, action, max(floor, value)
            if ply == 0:
                work[CHOICE] = action
            if value >= beta:
                break
    proven = work[HORIZON] == (before if best >= beta else entered)  # a cut rests on the last move alone
    if proven:
        work[HORIZON] = entered
    store(buffers.table, key, depth, buffers.age, best, alpha, beta, choice, proven)
    return sign * best


def window_of_outcome(board, alpha, beta, chance, left):
    """Values of an outcome outside these decide that the mean is outside alpha..beta, whatever the outcomes bring that
    are left with a chance of `left`. The window is what the outcomes so far leave of the mean's."""
    return (alpha - left * board.high) / chance, (beta - left * board.low) / chance


def list_moves(game, board, state, ply, hint, moves, rng):
    """List the moves of a decision, the one that was best before first; how many there are."""
    count = game.legal(board, state, moves)
    if ply == 0:
        shuffle(moves, count, rng)
    for index in range(count):
        if moves[index] == hint:
            moves[index] = moves[0]
            moves[0] = hint
    return count


@dataclass(frozen=True, repr=False)
class Expectimax(Tabled):
    name = "expectimax"
    summary = "exact expectations for one seat, or two opposed ones, and chance"
    decide, decide_by_value = deciders(think)

    def refuses(self, game: Game, board: Any) -> str | None:
        if board.seats > 2:
            return f"it needs one seat or two opposed ones and this game has {board.seats}; maxn plays any number"
        return None
