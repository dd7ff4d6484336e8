"""The learned evaluation: what share of the dots that are left will be eaten, by a small net.

A net has one hidden layer of ReLUs over numbers the other evaluations know as well (who is first where, how near ghosts
are, ways out), and over what only it asks for: how many turns are left. Its first inputs do not depend on where the
ghosts are, so the last ply, where only ghosts move, adds them up once.

The search hands it over as its weights, float64: the pacmans' turns left at the root (in eights, so that positions of
neighbouring turns share their entry in the table), the rows of the first layer, its biases, the second layer, its bias.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from turnsmith.games.pacman.evaluation import (
    COUNT,
    EATEN,
    FAR,
    GHOST,
    LEFT,
    NEAREST,
    PACMAN,
    closeness,
    crowd,
    rounded,
)
from turnsmith.games.pacman.maps import UNITS
from turnsmith.games.pacman.survey import MASK
from turnsmith.kernel import popcount, scratch
from turnsmith.learn.perceptron import read_onnx
from turnsmith.texts import BadInput

SHIPPED = Path(__file__).parent / "value.onnx"

CALM_NAMES = (
    "pacmans", "last_pacman", "dots_left", "pace", "slow_pace", "near_dots", "nearest_dot", "together", "ghosts_move",
    "ghosts", "many_dots",
)  # fmt: skip
DANGER_NAMES = (
    "trapped", "tight", "little_room", "room", "near_ghost", "ghost_beside", "second_ghost", "no_way_out", "no_calm",
    "alley", "won_dots", "first_won_dots", "won_cells", "least_mean", "most_mean", "crowded", "weakest",
)  # fmt: skip
INPUT_NAMES = CALM_NAMES + DANGER_NAMES
CALM, DANGER, INPUTS, HIDDEN = len(CALM_NAMES), len(DANGER_NAMES), len(INPUT_NAMES), 16
FIRST = 1
FIRST_DANGER = FIRST + CALM * HIDDEN
BIASES = FIRST + INPUTS * HIDDEN
SECOND = BIASES + HIDDEN
SECOND_BIAS = SECOND + HIDDEN
NUMBERS = SECOND_BIAS + 1
"""Where the parts of a net begin in the weights; all inputs are about 0 to 1."""
TURNS, EIGHTS = 0, 8
UNIT_MASKS = UNITS * MASK


def numbers(file: str) -> tuple[float, ...]:
    """The weights of the net in a file, the shipped one if there is none."""
    layers = read_onnx(Path(file) if file else SHIPPED)
    shapes = [part.shape for layer in layers for part in layer]
    if shapes != [(INPUTS, HIDDEN), (HIDDEN,), (HIDDEN, 1), (1,)]:
        raise BadInput(f"{file} is no net for Pac-Man: it needs {INPUTS} inputs and {HIDDEN} hidden numbers; train one")
    return (0.0, *(float(x) for layer in layers for part in layer for x in np.asarray(part).reshape(-1)))


def by_net(weights, board, around, dots, row, ghosts_move):
    """The value of a position that goes on, for the pacmans, in sixteenths of a dot."""
    inputs, hidden = scratch(INPUTS, np.float64), scratch(HIDDEN, np.float64)
    describe(board, around, dots, row, ghosts_move, np.int64(weights[TURNS]), inputs)
    begin_hidden(weights, hidden)
    for index in range(INPUTS):
        add_input(weights, FIRST + index * HIDDEN, inputs[index], hidden)
    return worth(weights, row, hidden)


def begin_hidden(weights, hidden):
    for unit in range(HIDDEN):
        hidden[unit] = weights[BIASES + unit]


def add_input(weights, start, value, hidden):
    if value != 0.0:
        for unit in range(HIDDEN):
            hidden[unit] += value * weights[start + unit]


def worth(weights, row, hidden):
    share = weights[SECOND_BIAS]
    for unit in range(HIDDEN):
        share += max(hidden[unit], 0.0) * weights[SECOND + unit]
    return rounded(row[EATEN] + row[LEFT] * share)


def describe(board, around, dots, row, ghosts_move, turns, inputs):
    """Fill inputs[:INPUTS] for a position."""
    one, two, total = scratch(UNITS, np.int64), scratch(UNITS, np.int64), scratch(UNITS, np.int64)
    behind, lost = scratch(UNITS, np.uint64), scratch(UNIT_MASKS, np.uint64)
    for unit in range(row[COUNT]):
        cell = row[PACMAN + unit]
        one[unit], two[unit], total[unit], behind[unit] = FAR, FAR, 0, np.uint64(0)
        for word in range(around.words):
            lost[unit * MASK + word] = np.uint64(0)
        for ghost in range(board.ghosts):
            there = row[GHOST + ghost]
            far = np.int64(around.dist[cell, there])
            two[unit] = min(two[unit], max(one[unit], far))
            one[unit] = min(one[unit], far)
            total[unit] += far
            behind[unit] |= around.first[cell, there]
            for word in range(around.words):
                lost[unit * MASK + word] |= around.beats[cell, there, word]
    describe_calm(board, around, row, ghosts_move, turns, inputs)
    describe_danger(board, around, dots, row, one, two, total, behind, lost, 0, CALM, inputs)


def describe_calm(board, around, row, ghosts_move, turns, inputs):
    """inputs[:CALM]: what does not depend on where the ghosts are."""
    pacmans, left = row[COUNT], row[LEFT]
    near, nearest, together = 0.0, np.int64(FAR), np.int64(0)
    for unit in range(pacmans):
        near += closeness(row[NEAREST + unit], 1 / 40)
        nearest = min(nearest, row[NEAREST + unit])
        for other in range(unit):
            together += np.int64(around.dist[row[PACMAN + unit], row[PACMAN + other]])
    pairs = pacmans * (pacmans - 1) // 2
    inputs[0] = pacmans / board.pacmans
    inputs[1] = 1.0 if pacmans == 1 else 0.0
    inputs[2] = left / (left + row[EATEN])
    inputs[3] = min(1.0, turns * pacmans / left)
    inputs[4] = min(1.0, turns * pacmans / (4.0 * left))
    inputs[5] = near / pacmans
    inputs[6] = closeness(nearest, 1 / 10)
    inputs[7] = closeness(together / pairs, 1 / 12) if pairs > 0 else 0.0
    inputs[8] = 1.0 if ghosts_move else 0.0
    inputs[9] = board.ghosts / (board.ghosts + pacmans)
    inputs[10] = min(left, 200) / 200


def describe_danger(board, around, dots, row, one, two, total, behind, lost, at, start, inputs):
    """inputs[start:start + DANGER]: what the ghosts come to; the pacmans' numbers begin at place `at` of each array."""
    won = scratch(MASK, np.uint64)
    for word in range(around.words):
        won[word] = np.uint64(0)
    trapped, tight, little, room, weakest = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(24)
    near, second = np.int64(0), np.int64(0)
    beside, no_way_out, no_calm, alley = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    least, most = np.int64(1 << 30), np.int64(0)
    for unit in range(row[COUNT]):
        cell, place = row[PACMAN + unit], at + unit
        cells = np.int64(0)
        for word in range(around.words):
            mine = ~lost[place * MASK + word]
            won[word] |= mine
            cells += np.int64(popcount(mine))
        trapped += cells <= 1
        tight += cells <= 4
        little += min(cells, 12)
        room += min(cells, 40)
        weakest = min(weakest, cells)
        near += max(0, 11 - one[place])
        second += max(0, 11 - two[place])
        beside += one[place] <= 1
        no_way_out += around.crossroads[cell] & ~behind[place] == 0
        no_calm += around.ring[cell] & ~behind[place] == 0
        alley += one[place] <= 7 and around.to_crossroad[cell] >= 2
        least, most = min(least, total[place]), max(most, total[place])
    won_dots, won_cells = np.int64(0), np.int64(0)
    for word in range(around.words):
        won_dots += np.int64(popcount(won[word] & dots[word]))
        won_cells += np.int64(popcount(won[word]))
    each = 1.0 / board.pacmans
    inputs[start] = trapped * each
    inputs[start + 1] = tight * each
    inputs[start + 2] = little * each / 12
    inputs[start + 3] = room * each / 40
    inputs[start + 4] = near * each / 10
    inputs[start + 5] = beside * each
    inputs[start + 6] = second * each / 10
    inputs[start + 7] = no_way_out * each
    inputs[start + 8] = no_calm * each
    inputs[start + 9] = alley * each
    inputs[start + 10] = won_dots / row[LEFT]
    inputs[start + 11] = min(won_dots, 16) / 16
    inputs[start + 12] = won_cells / around.cells
    inputs[start + 13] = closeness(least / board.ghosts, 1 / 20)
    inputs[start + 14] = closeness(most / board.ghosts, 1 / 20)
    inputs[start + 15] = crowd(board, around, row) / 4
    inputs[start + 16] = weakest / 24
