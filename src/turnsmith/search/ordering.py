"""Which moves of a position to try first: the table's, what the game expects most of, killers, history.

Killers cut in another position at the same ply, and history counts how often and how deep a move cut anywhere.
"""

from __future__ import annotations

import numpy as np

from turnsmith.contract.game import MOST_ORDER

SORTED = 12  # moves worth sorting: where that many did not cut, none will
HINT, ORDER, KILLER = 1 << 60, 1 << 32, 1 << 31
"""What a move scores for the table, for each point of the game's order, and as a killer: history stays below that, so
killers come behind moves of which the game expects something, and before all others."""


def blank_killers(plies):
    """int64[plies, 2]"""
    killers = np.empty((plies, 2), np.int64)
    killers[:] = -1
    return killers


def blank_history(seats, actions):
    """int64[seats, actions]"""
    history = np.empty((seats, actions), np.int64)
    history[:] = 0
    return history


def guess_cuts(count, seat, hint, moves, scores, killers, history):
    """Score the moves of a position by how likely they cut; `killers` and `history` are those of the ply and seat."""
    for index in range(count):
        action = moves[index]
        scores[index] = history[seat, action]
        if action == hint:
            scores[index] += HINT
        elif action == killers[0] or action == killers[1]:
            scores[index] += KILLER


def add_order(game, board, state, count, moves, scores):
    """Add what the game expects of the moves."""
    for index in range(count):
        order = np.int64(game.order(board, state, np.int64(moves[index])))
        scores[index] += ORDER * min(max(order, -MOST_ORDER), MOST_ORDER)


def bring_best(moves, scores, index, count):
    """Swap the move with the greatest score among moves[index:count] to `index`."""
    best = index
    for other in range(index + 1, count):
        if scores[other] > scores[best]:
            best = other
    moves[index], moves[best] = moves[best], moves[index]
    scores[index], scores[best] = scores[best], scores[index]


def credit(seat, action, left, killers, history):
    """Note that a move cut with so many decisions left, so that it is tried early in positions like this."""
    if killers[0] != action:
        killers[1] = killers[0]
        killers[0] = action
    history[seat, action] = min(history[seat, action] + left * left, KILLER - 1)
