"""Playouts that see one move ahead: a seat that can win at once does, and none lets the next seat win at once.

Random games are blind to both. So in games that end suddenly they praise positions that lose at once (Teytaud and
Teytaud, "On the huge benefit of decisive moves in Monte-Carlo tree search algorithms", 2010). In games that end slowly,
looking ahead finds nothing and costs much: `pays` decides by the wins found so far. Games with a rule for how to `win`
at once are asked always: that costs little.
"""

from __future__ import annotations

import numpy as np

from turnsmith.compile.kernel import copy
from turnsmith.compile.rng import below
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.play.step import draw_outcome

UNKNOWN = -1.0  # the result of a position that is not proven
TRIAL = 4096  # moves that are looked at before it is judged
PAYS = 256  # moves looked at for each win that is found, at most
LOOKED, FOUND = range(2)  # places in the counts


def pays(counts):
    """Whether looking ahead is worth its while, by the moves looked at and the wins found."""
    return counts[LOOKED] < TRIAL or counts[LOOKED] < PAYS * counts[FOUND]


def sharp_playout(game, board, state, spare, acts, replies, chances, rewards, counts, rng):
    """Play to the end, and write the returns into `rewards`.

    Returns what the first mover gets for certain, of 1: all if it can win at once, nothing if every move lets the next
    seat win at once, else UNKNOWN. `spare`: two states.
    """
    known, first, safe = UNKNOWN, True, False  # safe: the mover is known to have no win at once
    mover = game.to_move(board, state)
    while mover != OVER:
        if mover == CHANCE:
            game.apply(board, state, draw_outcome(game, board, state, acts, chances, rng))
            mover, first, safe = game.to_move(board, state), False, False
            continue
        after, count = spare[0], game.legal(board, state, acts)
        win = np.int64(-1) if safe else find_win(game, board, state, mover, spare[1], acts, count, rewards, counts)
        if win >= 0:
            known = 1.0 if first else known
            game.apply(board, state, win)
            break
        place, tried, next_mover = np.int64(below(rng, count)), np.int64(0), mover
        safe = False
        while tried < count and not safe:
            copy(after, state)
            game.apply(board, after, np.int64(acts[place]))
            place = place + 1 if place + 1 < count else np.int64(0)
            next_mover = game.to_move(board, after)
            tried += 1
            if next_mover < 0 or next_mover == mover:
                break
            number = 0 if game.wins else game.legal(board, after, replies)
            safe = find_win(game, board, after, next_mover, spare[1], replies, number, rewards, counts) < 0
        if first and tried == count and not safe and next_mover >= 0 and next_mover != mover:
            known = 0.0
        copy(state, after)
        mover, first = next_mover, False
    game.returns(board, state, rewards)
    return known


def find_win(game, board, state, mover, after, acts, count, rewards, counts):
    """The least action that ends the game with the highest return for the mover, or -1; a game that knows it need not
    try the `count` moves of `acts`."""
    if game.wins:
        return np.int64(game.win(board, state))
    for index in range(count):
        copy(after, state)
        game.apply(board, after, np.int64(acts[index]))
        if game.to_move(board, after) == OVER:
            game.returns(board, after, rewards)
            if rewards[mover] >= board.high:
                counts[LOOKED] += index + 1
                counts[FOUND] += 1
                return np.int64(acts[index])
    counts[LOOKED] += count
    return np.int64(-1)
