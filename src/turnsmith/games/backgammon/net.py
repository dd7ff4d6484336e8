"""What a net sees of backgammon, what it says, and all ways to play a roll. Compiled.

A position is judged before a roll, by who is about to roll (the mover). Of each point the net is told whether a side
has one, two, three checkers there and half of what is more (Tesauro, "Temporal difference learning and TD-Gammon",
1995), the mover's side first; then the checkers on the bar and off, and the pips to go.
"""

from __future__ import annotations

import math

import numpy as np

from turnsmith.compile.kernel import copy
from turnsmith.contract.game import OVER
from turnsmith.games.backgammon.rules import BAR, CHECKERS, OFF
from turnsmith.nets.dense import dense, relu

POINTS, UNITS = 24, 4
SIDE = POINTS * UNITS + 3
INPUTS = 2 * SIDE
WIN, GAMMON, BACKGAMMON, LOST_GAMMON, LOST_BACKGAMMON = range(5)
"""What the net says: how likely the mover wins; wins 2 points or more, 3 points; loses 2 points or more, 3 points."""
OUTPUTS = 5
MOST_ENDS = 1024
"""Positions that a roll may lead to; of more, which nobody has met, the first are looked at."""
PLACES = 4096  # of the table of positions met on the way: twice as many as can be
STEPS = 5  # positions on the way through a double, the first included


def look(state, mover, inputs):
    """Fill inputs, float32[INPUTS], with what `mover` sees."""
    for side in range(2):
        own, pips = state.checkers[mover if side == 0 else 1 - mover], 0
        start = side * SIDE
        for point in range(1, POINTS + 1):
            count, place = int(own[point]), start + (point - 1) * UNITS
            inputs[place] = 1.0 if count >= 1 else 0.0
            inputs[place + 1] = 1.0 if count >= 2 else 0.0
            inputs[place + 2] = 1.0 if count >= 3 else 0.0
            inputs[place + 3] = 0.5 * (count - 3) if count > 3 else 0.0
            pips += point * count
        place = start + POINTS * UNITS
        inputs[place] = 0.5 * int(own[BAR])
        inputs[place + 1] = int(own[OFF]) / CHECKERS
        inputs[place + 2] = (pips + BAR * int(own[BAR])) / 167.0


def judge(weights, inputs, hidden, out):
    """Fill out, float32[OUTPUTS], with chances; hidden: float32, as long as the layer."""
    begin = dense(weights, 0, inputs, hidden)
    relu(hidden)
    dense(weights, begin, hidden, out)
    for place in range(OUTPUTS):
        out[place] = 1.0 / (1.0 + math.exp(-np.float64(out[place])))


def points_of(out, most):
    """The points that the mover expects, where a game is worth `most` at most."""
    points = 2.0 * out[WIN] - 1.0
    if most >= 2:
        points += out[GAMMON] - out[LOST_GAMMON]
    if most >= 3:
        points += out[BACKGAMMON] - out[LOST_BACKGAMMON]
    return points


def list_ends(game, board, ways, ends, firsts, met, moves):
    """List where the roll at hand may lead: positions into `ends`, the first step to each into `firsts`; how many.

    ways: STEPS states, the first is the position at hand; met: uint64[PLACES]; moves: int32[STEPS, actions].
    """
    seat, count, level = game.to_move(board, ways[0]), 0, 0
    counts, cursors = np.empty(STEPS, np.int64), np.empty(STEPS, np.int64)
    met[:] = 0
    counts[0], cursors[0] = game.legal(board, ways[0], moves[0]), 0
    while level >= 0:
        if cursors[level] == counts[level]:
            level -= 1
            continue
        action = moves[level, cursors[level]]
        cursors[level] += 1
        after = ways[level + 1]
        copy(after, ways[level])
        game.apply(board, after, np.int64(action))
        if was_met(met, game.hash(board, after)):
            continue
        if game.to_move(board, after) != seat:
            if count < ends.shape[0]:
                copy(ends[count], after)
                firsts[count] = moves[0, cursors[0] - 1]
                count += 1
        elif level + 2 < STEPS:
            level += 1
            counts[level], cursors[level] = game.legal(board, after, moves[level]), 0
    return count


def was_met(met, key):
    """Whether a position was met on another way; it is noted. A full table forgets, which costs nothing but time."""
    key = key | np.uint64(1)
    place = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(52))
    for _ in range(16):
        if met[place] == key:
            return True
        if met[place] == 0:
            met[place] = key
            return False
        place = (place + 1) & (PLACES - 1)
    return False


def value_of(game, board, end, seat, weights, inputs, hidden, out, returns):
    """The points that `seat` expects where its turn is over, the other being about to roll."""
    if game.to_move(board, end) == OVER:
        game.returns(board, end, returns)
        return returns[seat]
    look(end, 1 - seat, inputs)
    judge(weights, inputs, hidden, out)
    return -points_of(out, board.most)
