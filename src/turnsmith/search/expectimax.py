"""Expectimax: one seat against chance, or two opposed seats and chance, with exact expectations.

Values are returns of the seat that decides (`me`); another seat, if there is one, is taken to minimise them. Depth
counts decisions: chance is always played out to the next one. Windows pass through chance too, since no return is
outside the declared range (Ballard's Star1), so only what cannot matter is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from turnsmith.game import CHANCE, OVER, Array, Game
from turnsmith.kernel import copy, scratch
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
from turnsmith.search.value import judge_in


class Tools(NamedTuple):
    """What a search carries with it. Rows of `moves` and `chances` are plies, chance included."""

    table: Array
    age: int
    moves: Array
    chances: Array
    out: Array
    work: Array
    stop: Array
    rng: Array
    net: Any  # a Judge, or None


def decide(game, board, view, acts, data, memory, params, report, rng):
    return think(game, board, view, acts, None, memory, params, report, rng)


def decide_by_value(game, board, view, acts, data, memory, params, report, rng):
    return think(game, board, view, acts, judge_in(game, data), memory, params, report, rng)


def think(game, board, view, acts, net, memory, params, report, rng):
    me = game.to_move(board, view)
    table, age = open_table(memory, np.int64(params.view(Settings)[0].table))
    moves = np.empty((PLIES, max(board.actions, board.outcomes)), np.int32)
    chances = np.empty((PLIES, board.outcomes), np.float64)
    out = np.empty(board.seats, np.float64)
    tools = Tools(table, age, moves, chances, out, start_work(params), stop_flag(memory), rng, net)
    return deepen(look, game, board, view, me, acts, params, tools, report, rng)


def look(game, board, states, me, depth, tools):
    ply = np.int64(0)  # not a literal: numba would compile the search twice, and miss the second in its cache
    return search(game, board, states, me, depth, ply, board.low, board.high, tools)


def search(game, board, states, me, depth, ply, alpha, beta, tools):
    """The value of states[0] for `me`, `depth` decisions deep; outside alpha..beta only a bound on it."""
    state, work, moves = states[0], tools.work, tools.moves[ply]
    children = scratch(1, game.State)
    child = children[0]

    # 1. Ends and estimates.
    mover = game.to_move(board, state)
    if mover == OVER:
        game.returns(board, state, tools.out)
        return tools.out[me]
    if (depth == 0 and mover != CHANCE) or ply == PLIES - 1:
        estimate(game, board, state, tools.net, tools.out, work)
        return tools.out[me]

    # 2. Chance: the mean, given up as soon as the outcomes left cannot bring it into the window.
    if mover == CHANCE:
        count = game.legal(board, state, moves)
        chances = tools.chances[ply]
        game.weights(board, state, chances)
        total, left = 0.0, 1.0
        for index in range(count):
            chance = chances[index]
            if chance <= 0.0:
                continue
            left -= chance
            lower = (alpha - total - left * board.high) / chance
            upper = (beta - total - left * board.low) / chance
            copy(child, state)
            game.apply(board, child, np.int64(moves[index]))
            if spend(work, tools.stop):
                return total
            value = search(
                game, board, children, me, depth, ply + 1, max(lower, board.low), min(upper, board.high), tools
            )
            if work[STOPPED]:
                return total
            total += chance * value
            if lower >= board.low and value <= lower:
                return min(alpha, total + left * board.high)
            if upper <= board.high and value >= upper:
                return max(beta, total + left * board.low)
        return total

    # 3. A decision seen before?
    sign = 1.0 if mover == me else -1.0
    if sign < 0.0:
        alpha, beta = -beta, -alpha  # from here on for the mover
    key = game.hash(board, state)
    place = find(tools.table, key)
    hint = -1
    if place >= 0:
        entry = tools.table[place]
        hint = entry.action
        if ply > 0 and answers(entry, depth, alpha, beta):
            work[HORIZON] += 1 - entry.proven
            return sign * entry.value

    # 4. A decision: the best of the moves, the one that was best before first.
    count = game.legal(board, state, moves)
    if ply == 0:
        shuffle(moves, count, tools.rng)
    for index in range(count):
        if moves[index] == hint:
            moves[index] = moves[0]
            moves[0] = hint
    entered = before = work[HORIZON]
    best, choice, floor = -np.inf, np.int64(-1), alpha
    for index in range(count):
        action = np.int64(moves[index])
        copy(child, state)
        game.apply(board, child, action)
        if spend(work, tools.stop):
            return sign * best
        before = work[HORIZON]
        if sign > 0.0:
            value = search(game, board, children, me, depth - 1, ply + 1, floor, beta, tools)
        else:
            value = -search(game, board, children, me, depth - 1, ply + 1, -beta, -floor, tools)
        if work[STOPPED]:
            return sign * best
        if value > best:
            best, choice = value, action
            floor = max(floor, value)
            if ply == 0:
                work[CHOICE] = action
            if value >= beta:
                break

    # 5. Remember it. A cut rests on the last move alone, anything else on all of them.
    proven = work[HORIZON] == (before if best >= beta else entered)
    if proven:
        work[HORIZON] = entered
    store(tools.table, key, depth, tools.age, best, alpha, beta, choice, proven)
    return sign * best


@dataclass(frozen=True, repr=False)
class Expectimax(Tabled):
    name = "expectimax"
    summary = "exact expectations for one seat, or two opposed ones, and chance"
    decide = decide
    decide_by_value = decide_by_value

    def refuses(self, game: Game, board: Any) -> str | None:
        if board.seats > 2:
            return f"it needs one seat or two opposed ones and this game has {board.seats}; maxn plays any number"
        return None
