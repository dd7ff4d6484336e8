"""Expectimax: one seat against chance, or two opposed seats and chance, with exact expectations.

Values are returns of the seat that decides (`me`); the search takes another seat to minimise them. Depth counts
decisions: chance is always played out to the next one. No return is outside the declared range, so windows pass through
chance too (Ballard's Star1), and the search leaves out only moves that cannot matter. Where two seats are opposed, one
move after each outcome may already show that the mean is outside its window (Star2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import borrow, copy, scratch
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.play.player import Prepared, numbers
from turnsmith.search.limits import (
    CHOICE,
    HORIZON,
    PLIES,
    STOPPED,
    blank_rows,
    deepen,
    estimate,
    shuffle,
    spend,
    start_work,
    steps,
    stop_flag,
)
from turnsmith.search.ordering import SORTED, add_order, blank_history, blank_killers, bring_best, credit, guess_cuts
from turnsmith.search.table import Settings as TableSettings
from turnsmith.search.table import Tabled, answers, find, open_table, store
from turnsmith.search.value import deciders

ENOUGH, SELDOM = 16, 3
"""Probing goes on after so many tries where at least one of three was enough to know that the mean is outside."""
Settings = numbers(*(TableSettings.names or ()), "probes", "order")


class ExpectimaxBuffers(NamedTuple):
    """What a search writes to, its settings and net; one row a ply, chance included, except `history`, one row a seat,
    and `rows`, one an action at the root: its value, and whether that is only known to be no more. `lows` and `highs`
    are what is known of the outcomes of chance: their values are between them."""

    table: Array
    age: int
    moves: Array
    scores: Array
    killers: Array
    history: Array
    chances: Array
    lows: Array
    highs: Array
    probed: Array  # int64[2]: how often outcomes were probed, and how often that was enough
    out: Array
    work: Array
    stop: Array
    rng: Array
    rows: Array
    settings: Array  # Settings[1]
    net: Any  # a Judge, or None


def think(game, board, view, acts, net, memory, params, report, rng):
    settings = params.view(Settings)
    table, age = open_table(memory, np.int64(settings[0].table))
    moves = np.empty((PLIES, max(board.actions, board.outcomes)), np.int32)
    scores = np.empty((PLIES, board.actions), np.int64)
    killers, history = blank_killers(PLIES), blank_history(board.seats, board.actions)
    chances = np.empty((PLIES, board.outcomes), np.float64)
    lows, highs = np.empty_like(chances), np.empty_like(chances)
    out, rows = np.empty(board.seats, np.float64), blank_rows(board.actions, 2)
    buffers = ExpectimaxBuffers(
        table, age, moves, scores, killers, history, chances, lows, highs, np.zeros(2, np.int64), out,
        start_work(params), stop_flag(memory), rng, rows, settings, net,
    )  # fmt: skip
    return deepen(look, game, board, view, acts, params, buffers, report)


def look(game, board, states, me, depth, buffers):
    ply = np.int64(0)  # not a literal: numba would compile the search twice, and miss the second in its cache
    return search(game, board, states, me, depth, ply, board.low, board.high, lent(buffers))


def lent(buffers):
    """The same without counting references, which would take most of the time; for arguments alone."""
    return ExpectimaxBuffers(
        borrow(buffers.table), buffers.age, borrow(buffers.moves), borrow(buffers.scores), borrow(buffers.killers),
        borrow(buffers.history), borrow(buffers.chances), borrow(buffers.lows), borrow(buffers.highs),
        borrow(buffers.probed), borrow(buffers.out), borrow(buffers.work), borrow(buffers.stop), borrow(buffers.rng),
        borrow(buffers.rows), borrow(buffers.settings), buffers.net,
    )  # fmt: skip


def search(game, board, states, me, depth, ply, alpha, beta, buffers):
    """The value of states[0] for `me`, `depth` decisions deep; outside alpha..beta only a bound on it."""
    state, work, moves, settings = states[0], buffers.work, buffers.moves[ply], buffers.settings[0]
    mover = game.to_move(board, state)
    if mover == OVER:
        game.returns(board, state, buffers.out)
        return buffers.out[me]
    if (depth == 0 and mover != CHANCE) or ply == PLIES - 1:
        estimate(game, board, state, buffers.net, buffers.out, work)
        return buffers.out[me]
    by_turns = settings.turns != 0.0
    children = scratch(1, game.State)
    child = children[0]

    # 1. Chance: what is known of its outcomes?
    if mover == CHANCE:
        count, chances = game.legal(board, state, moves), buffers.chances[ply]
        lows, highs = buffers.lows[ply], buffers.highs[ply]
        game.weights(board, state, chances)
        for index in range(count):
            lows[index], highs[index] = board.low, board.high
        least, most = board.low, board.high
        entered = work[HORIZON]
        has_window = alpha > board.low or beta < board.high
        is_worth_it = settings.probes != 0.0 and buffers.probed[0] < ENOUGH + SELDOM * buffers.probed[1]
        if is_worth_it and depth > 0 and has_window and ply + 3 < PLIES and board.seats == 2:
            buffers.probed[0] += 1
            replies = scratch(1, game.State)
            for index in range(count):
                chance = chances[index]
                copy(child, state)
                game.apply(board, child, np.int64(moves[index]))
                if spend(work, buffers.stop):
                    return alpha
                seat = game.to_move(board, child)
                if seat < 0:
                    continue
                action = first_reply(game, board, child, seat, ply + 1, buffers)
                copy(replies[0], child)
                game.apply(board, replies[0], action)
                if spend(work, buffers.stop):
                    return alpha
                deeper = depth - steps(by_turns, seat, game.to_move(board, replies[0]))
                if (
                    seat == me
                ):  # one of its moves is the least that the seat can have, or the most that the other leaves
                    high = min((beta - least) / chance + board.low, board.high)
                    value = search(game, board, replies, me, deeper, ply + 2, board.low, high, buffers)
                    lows[index] = value
                    least += chance * (value - board.low)
                else:
                    low = max((alpha - most) / chance + board.high, board.low)
                    value = search(game, board, replies, me, deeper, ply + 2, low, board.high, buffers)
                    highs[index] = value
                    most -= chance * (board.high - value)
                if work[STOPPED]:
                    return alpha
                if least >= beta or most <= alpha:
                    buffers.probed[1] += 1
                    return least if least >= beta else most
        probed = work[HORIZON] - entered
        work[HORIZON] = entered

        # 2. Their mean, given up as soon as the outcomes left cannot bring it into the window.
        total = 0.0
        for index in range(count):
            chance = chances[index]
            if chance <= 0.0:
                continue
            least, most = rest(chances, lows, index + 1, count), rest(chances, highs, index + 1, count)
            lower, upper = (alpha - total - most) / chance, (beta - total - least) / chance
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
                work[HORIZON] += probed
                return min(alpha, total + most)
            if upper <= board.high and value >= upper:
                work[HORIZON] += probed
                return max(beta, total + least)
        return total

    # 3. A decision: has it been searched before?
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
    count = list_moves(game, board, state, mover, ply, hint, buffers)

    # 4. If not, the best of its moves.
    entered = before = work[HORIZON]
    best, choice, floor = -np.inf, np.int64(-1), alpha
    for index in range(count):
        if index < SORTED:
            bring_best(moves, buffers.scores[ply], index, count)
        action = np.int64(moves[index])
        copy(child, state)
        game.apply(board, child, action)
        if spend(work, buffers.stop):
            return sign * best
        before = work[HORIZON]
        low, high = (floor, beta) if sign > 0.0 else (-beta, -floor)
        deeper = depth - 1
        if by_turns:
            deeper = depth - steps(by_turns, mover, game.to_move(board, child))
        value = sign * search(game, board, children, me, deeper, ply + 1, low, high, buffers)
        if work[STOPPED]:
            return sign * best
        if ply == 0:
            buffers.rows[action, 0] = value
            buffers.rows[action, 1] = 1.0 if value <= floor else 0.0
        if value > best:
            best, choice, floor = value, action, max(floor, value)
            if ply == 0:
                work[CHOICE] = action
            if value >= beta:
                credit(mover, action, depth, buffers.killers[ply], buffers.history)
                break
    proven = work[HORIZON] == (before if best >= beta else entered)  # a cut rests on the last move alone
    if proven:
        work[HORIZON] = entered
    store(buffers.table, key, depth, buffers.age, best, alpha, beta, choice, proven)
    return sign * best


def rest(chances, bounds, first, count):
    """What outcomes from `first` on add to the mean, by the bounds that are known of them."""
    total = 0.0
    for index in range(first, count):
        total += chances[index] * bounds[index]
    return total


def first_reply(game, board, state, seat, ply, buffers):
    """The most promising move of a position."""
    place = find(buffers.table, game.hash(board, state))
    hint = buffers.table[place].action if place >= 0 else -1
    count = list_moves(game, board, state, seat, ply, hint, buffers)
    bring_best(buffers.moves[ply], buffers.scores[ply], 0, count)
    return np.int64(buffers.moves[ply, 0])


def list_moves(game, board, state, mover, ply, hint, buffers):
    """List the moves of a decision and score how promising they are; how many there are."""
    moves, scores = buffers.moves[ply], buffers.scores[ply]
    count = game.legal(board, state, moves)
    if ply == 0:
        shuffle(moves, count, buffers.rng)
    guess_cuts(count, mover, hint, moves, scores, buffers.killers[ply], buffers.history)
    if game.orders and buffers.settings[0].order != 0.0:
        add_order(game, board, state, count, moves, scores)
    return count


@dataclass(frozen=True, repr=False)
class Expectimax(Tabled):
    name = "expectimax"
    summary = "exact expectations for one seat, or two opposed ones, and chance"
    decide, decide_by_value = deciders(think)

    probes: bool = setting(True)
    """Whether it tries one move after each outcome of chance first, where two seats are opposed."""
    order: bool = setting(True)
    """Whether it tries first the moves that the game expects most of."""

    def prepare(self, game: Game, boards: Array) -> Prepared:
        return self.prepared(game, boards, Settings)

    def refuses(self, game: Game, board: Any) -> str | None:
        if board.seats > 2:
            return f"it needs one seat or two opposed ones and this game has {board.seats}; maxn plays any number"
        return None
