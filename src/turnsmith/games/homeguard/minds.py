"""How the two scripted minds of Homeguard think: `greedy` and `maximin`, compiled, also for whoever grows trees."""

from __future__ import annotations

import numpy as np

from turnsmith.compile.kernel import scratch
from turnsmith.games.homeguard.rules import MOVES, list_moves
from turnsmith.games.homeguard.tables import WAYS

LOWEST = -1_000_000


def harm(board, one, other, first, second, first_hp, second_hp):
    """Hit points that soldiers on `one` and `other` remove from enemies on `first` and `second`."""
    at_first, at_second = np.int64(0), np.int64(0)
    for shooter in (one, other):
        hurts, hurts_second = np.int64(board.damage[shooter, first]), np.int64(board.damage[shooter, second])
        if hurts_second > hurts:
            at_second += hurts_second
        else:
            at_first += hurts
    return min(at_first, first_hp) + min(at_second, second_hp)


def trade(board, state, seat, one, other, first, second):
    """What a round adds to the score of a seat when its soldiers stand on `one` and `other`, its enemies on `first` and
    `second` as all fire."""
    own, foes = 2 * seat, 2 - 2 * seat
    dealt = harm(board, one, other, first, second, np.int64(state.hp[foes]), np.int64(state.hp[foes + 1]))
    return dealt - harm(board, first, second, one, other, np.int64(state.hp[own]), np.int64(state.hp[own + 1]))


def distance(board, one, other, first, second):
    """Steps of two soldiers to the nearest enemy each, together."""
    from_one = min(np.int64(board.steps[one, first]), np.int64(board.steps[one, second]))
    return from_one + min(np.int64(board.steps[other, first]), np.int64(board.steps[other, second]))


def is_better(value, steps, best, fewest):
    """Whether a move is better than the best so far: by its value, then by steps; earlier ones stay."""
    return value > best or (value == best and steps < fewest)


def greedy_move(board, state, seat, moves):
    """The one of some joint moves with the best score after it, the opponent standing, and what it adds to the score.

    Of equals the one nearest to enemies, then the first."""
    first, second = np.int64(state.place[2 - 2 * seat]), np.int64(state.place[3 - 2 * seat])
    chosen, best, fewest = np.int64(0), np.int64(LOWEST), np.int64(0)
    for index in range(moves.shape[0]):
        one = np.int64(board.near[state.place[2 * seat], moves[index] // WAYS])
        other = np.int64(board.near[state.place[2 * seat + 1], moves[index] % WAYS])
        value = trade(board, state, seat, one, other, first, second)
        if value >= best:
            steps = distance(board, one, other, first, second)
            if is_better(value, steps, best, fewest):
                chosen, best, fewest = np.int64(moves[index]), value, steps
    return chosen, best


def maximin_move(board, state, seat, moves):
    """The one of some joint moves whose worst score after it, over all joint replies, is best, and what it adds to it.

    Of equals the one nearest to where enemies stand now, then the first."""
    replies = scratch(MOVES, np.int32)
    answers = list_moves(board, state, 1 - seat, replies)
    at_first, at_second = np.int64(state.place[2 - 2 * seat]), np.int64(state.place[3 - 2 * seat])
    chosen, best, fewest = np.int64(0), np.int64(LOWEST), np.int64(0)
    for index in range(moves.shape[0]):
        one = np.int64(board.near[state.place[2 * seat], moves[index] // WAYS])
        other = np.int64(board.near[state.place[2 * seat + 1], moves[index] % WAYS])
        worst = np.int64(-LOWEST)
        for answer in range(answers):
            first = np.int64(board.near[at_first, replies[answer] // WAYS])
            second = np.int64(board.near[at_second, replies[answer] % WAYS])
            worst = min(worst, trade(board, state, seat, one, other, first, second))
            if worst < best:
                break
        if worst >= best:
            steps = distance(board, one, other, at_first, at_second)
            if is_better(worst, steps, best, fewest):
                chosen, best, fewest = np.int64(moves[index]), worst, steps
    return chosen, best
