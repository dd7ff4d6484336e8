"""The learned evaluation: how many dots each pacman will eat soon, guessed by a small net, on top of the Voronoi map.

There is a net for the pacmans' search and one for the ghosts'. It is asked once for every pacman, and has one hidden
layer of ReLUs over three groups of numbers: what does not depend on where the ghosts are (dots around, turns left),
what the ghosts mean to this pacman (room, cells and dots it reaches first, distances), and what they mean to the whole
team. The last ply, where only ghosts move, adds the first group up once for all their moves.

The search hands a net over as its weights, float64: the pacmans' turns left at the root (in eights, so that positions
of neighbouring turns share their entry in the table), how much its guess counts, whether it is added to the Voronoi map
(not while it learns), the rows of the first layer, its biases, the second layer, its bias.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import popcount, scratch
from turnsmith.games.pacman.evaluation import (
    COUNT,
    EATEN,
    ENOUGH_ROOM,
    FAR,
    GHOST,
    LEFT,
    NEAREST,
    PACMAN,
    GhostSums,
    closeness,
    rounded,
    voronoi_base,
    weigh_voronoi,
)
from turnsmith.games.pacman.maps import UNITS
from turnsmith.nets.dense import Layers, read_onnx

SHIPPED = Path(__file__).parent / "value.onnx"

CALM_NAMES = (
    "pacmans", "alone", "dots_left", "many_dots", "pace", "slow_pace", "near_dot", "at_dot", "close_dots",
    "dots_around", "friend", "ghosts_move", "ghosts", "open",
)  # fmt: skip
TEAM_NAMES = ("won_dots", "first_won_dots", "won_cells", "all_room")
OWN_NAMES = (
    "cramped", "little_room", "room", "much_room", "own_dots", "first_dots", "more_dots", "near_room", "near_won_dots",
    "near_ghost", "beside", "second_ghost", "mean_ghost", "sure_room", "sure_dots",
)  # fmt: skip
INPUT_NAMES = CALM_NAMES + TEAM_NAMES + OWN_NAMES
CALM, TEAM, OWN, INPUTS, HIDDEN = len(CALM_NAMES), len(TEAM_NAMES), len(OWN_NAMES), len(INPUT_NAMES), 16
TURNS, TRUST, WITH_MAP, FIRST = range(4)
FIRST_TEAM = FIRST + CALM * HIDDEN
FIRST_OWN = FIRST_TEAM + TEAM * HIDDEN
BIASES = FIRST + INPUTS * HIDDEN
SECOND = BIASES + HIDDEN
SECOND_BIAS = SECOND + HIDDEN
NUMBERS = SECOND_BIAS + 1
"""Where the parts of a net begin in the weights; all inputs are about 0 to 1."""
EIGHTS = 8
SOON = 16.0
"""Dots that an output of 1 stands for."""
MAP, SHARE = (0.1, 0.5, 3.0, 25.0, 10.0, 1.0, 0.5, -0.7), 0.3
"""In play the Voronoi map is asked as well, with these weights (half the room of the usual ones, twice the longing for
dots), and the net's guess counts by this share on top of it: the map is sharp where ghosts are close, the net knows
what comes of it."""
HIDDENS = UNITS * HIDDEN
CELLS, DOTS, NEAR_CELLS, NEAR_DOTS, SURE_CELLS, SURE_DOTS = range(6)
COUNTS = 6
ALL_COUNTS = UNITS * COUNTS
"""What is counted for each pacman: cells and dots it reaches before every ghost, those about it, and those it reaches
more than MARGIN steps before."""


def numbers(file: str) -> tuple[float, ...]:
    """The weights of both nets in a file, the pacmans' and the ghosts'; the shipped ones if there is none."""
    layers = read_onnx(Path(file) if file else SHIPPED)
    shapes = [part.shape for layer in layers for part in layer]
    if shapes != [(INPUTS, 2 * HIDDEN), (2 * HIDDEN,), (2 * HIDDEN, 2), (2,)]:
        raise BadInput(
            f"{file} is no net for Pac-Man: it needs {INPUTS} inputs and twice {HIDDEN} hidden numbers; train one"
        )
    return tuple(float(x) for half in halves(layers) for x in flat(half, SHARE, True))


def flat(layers: Layers, trust: float, with_map: bool) -> Array:
    """float64[NUMBERS]: one net as the search wants it, the turns left open."""
    parts = (np.asarray(part, np.float64).reshape(-1) for layer in layers for part in layer)
    return np.concatenate([[0.0, trust, float(with_map)], *parts])


def whole(pacmans: Layers, ghosts: Layers) -> Layers:
    """Two nets side by side as one with two outputs."""
    ((first, first_bias), (last, last_bias)), ((other, other_bias), (other_last, other_last_bias)) = pacmans, ghosts
    nothing = np.zeros_like(last)
    outputs = np.block([[last, nothing], [nothing, other_last]])
    inside = np.concatenate([first, other], axis=1), np.concatenate([first_bias, other_bias])
    return [inside, (outputs, np.concatenate([last_bias, other_last_bias]))]


def halves(layers: Layers) -> tuple[Layers, Layers]:
    """The two nets that ``whole`` put side by side."""
    (first, first_bias), (last, last_bias) = layers
    one, two = (
        [(first[:, own], first_bias[own]), (last[own, side : side + 1], last_bias[side : side + 1])]
        for side, own in enumerate((slice(0, HIDDEN), slice(HIDDEN, None)))
    )
    return one, two


def by_net(weights, board, map_tables, dots, row, ghosts_move):
    """The value of a position that goes on, for the pacmans, in sixteenths of a dot."""
    room = scratch(1, GhostSums)
    sums = room[0]
    calm = scratch(HIDDENS, np.float64)
    begin_hidden(weights, board, map_tables, dots, row, ghosts_move, calm)
    meet_ghosts(board, map_tables, row, sums)
    return worth(weights, board, map_tables, dots, row, sums, 0, calm)


def begin_hidden(weights, board, map_tables, dots, row, ghosts_move, calm):
    """calm[unit * HIDDEN:][:HIDDEN]: the hidden numbers of each pacman before anything is known of the ghosts."""
    inputs = scratch(CALM, np.float64)
    turns = np.int64(weights[TURNS])
    for unit in range(row[COUNT]):
        describe_calm(board, map_tables, dots, row, unit, ghosts_move, turns, inputs)
        mine = calm[unit * HIDDEN : (unit + 1) * HIDDEN]
        for place in range(HIDDEN):
            mine[place] = weights[BIASES + place]
        for index in range(CALM):
            add_input(weights, FIRST + index * HIDDEN, inputs[index], mine)


def worth(weights, board, map_tables, dots, row, sums, at, calm):
    """The value when all ghosts are known; the pacmans' sums begin at place `at`."""
    counts, inputs = scratch(ALL_COUNTS, np.int64), scratch(OWN, np.float64)
    team, hidden = scratch(HIDDEN, np.float64), scratch(HIDDEN, np.float64)
    won_dots, won_cells = describe_team(map_tables, dots, row, sums, at, counts, inputs)
    for place in range(HIDDEN):
        team[place] = 0.0
    for index in range(TEAM):
        add_input(weights, FIRST_TEAM + index * HIDDEN, inputs[index], team)
    share, room, near_ghosts = 0.0, np.int64(0), np.int64(0)
    for unit in range(row[COUNT]):
        describe_own(board, map_tables, row, unit, sums, at, counts, inputs)
        mine = calm[unit * HIDDEN : (unit + 1) * HIDDEN]
        for place in range(HIDDEN):
            hidden[place] = mine[place] + team[place]
        for index in range(OWN):
            add_input(weights, FIRST_OWN + index * HIDDEN, inputs[index], hidden)
        share += weights[SECOND_BIAS] + second_layer(weights, hidden)
        room += min(counts[unit * COUNTS + CELLS], ENOUGH_ROOM)
        near_ghosts += max(0, 11 - sums.one[at + unit])
    guessed = weights[TRUST] * SOON * share
    if weights[WITH_MAP] == 0.0:
        return rounded(row[EATEN] + guessed)
    return weigh_voronoi(MAP, map_tables, voronoi_base(MAP, row) + guessed, won_dots, won_cells, room, near_ghosts)


def add_input(weights, start, value, hidden):
    """hidden += value · the row of weights that begins at `start`."""
    for place in range(HIDDEN):
        hidden[place] += value * weights[start + place]


def second_layer(weights, hidden):
    """The sum of the second layer, in four strands, which processors add up at the same time."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for place in range(0, HIDDEN, 4):
        a += max(hidden[place], 0.0) * weights[SECOND + place]
        b += max(hidden[place + 1], 0.0) * weights[SECOND + place + 1]
        c += max(hidden[place + 2], 0.0) * weights[SECOND + place + 2]
        d += max(hidden[place + 3], 0.0) * weights[SECOND + place + 3]
    return (a + b) + (c + d)


# ---------------------------------------------------------------- inputs


def describe(board, map_tables, dots, row, ghosts_move, turns, inputs):
    """Fill inputs[unit, :INPUTS] for each pacman of a position."""
    room = scratch(1, GhostSums)
    sums = room[0]
    counts = scratch(ALL_COUNTS, np.int64)
    meet_ghosts(board, map_tables, row, sums)
    for unit in range(row[COUNT]):
        mine = inputs[unit]
        describe_calm(board, map_tables, dots, row, unit, ghosts_move, turns, mine)
        describe_team(map_tables, dots, row, sums, 0, counts, mine[CALM:])
        describe_own(board, map_tables, row, unit, sums, 0, counts, mine[CALM + TEAM :])


def meet_ghosts(board, map_tables, row, sums):
    """Sum up what all ghosts come to for each pacman."""
    for unit in range(row[COUNT]):
        forget_ghosts(map_tables, unit, sums)
    for ghost in range(board.ghosts):
        meet_ghost(map_tables, row, row[GHOST + ghost], 0, 0, sums)


def forget_ghosts(map_tables, unit, sums):
    sums.one[unit], sums.two[unit], sums.total[unit] = FAR, FAR, 0
    for word in range(map_tables.words):
        sums.lost[unit, word] = np.uint64(0)
        sums.unsure[unit, word] = np.uint64(0)


def meet_ghost(map_tables, row, there, here, below, sums):
    """Add a ghost on cell `there` to what places `here`, … know of the others; the sums go to places `below`, …"""
    one, two, total, lost, unsure = sums.one, sums.two, sums.total, sums.lost, sums.unsure
    for unit in range(row[COUNT]):
        cell, old, new = row[PACMAN + unit], here + unit, below + unit
        far = np.int64(map_tables.dist[cell, there])
        two[new] = min(two[old], max(one[old], far))
        one[new] = min(one[old], far)
        total[new] = total[old] + far
        for word in range(map_tables.words):
            lost[new, word] = lost[old, word] | map_tables.beats[cell, there, word]
            unsure[new, word] = unsure[old, word] | map_tables.follows[cell, there, word]


def describe_calm(board, map_tables, dots, row, unit, ghosts_move, turns, inputs):
    """inputs[:CALM]: what does not depend on where the ghosts are."""
    pacmans, left, cell = row[COUNT], row[LEFT], row[PACMAN + unit]
    friend = np.int64(FAR)
    for other in range(pacmans):
        if other != unit:
            friend = min(friend, np.int64(map_tables.dist[cell, row[PACMAN + other]]))
    close, about = np.int64(0), np.int64(0)
    for word in range(map_tables.words):
        close += np.int64(popcount(map_tables.close[cell, word] & dots[word]))
        about += np.int64(popcount(map_tables.about[cell, word] & dots[word]))
    inputs[0] = pacmans / board.pacmans
    inputs[1] = 1.0 if pacmans == 1 else 0.0
    inputs[2] = left / (left + row[EATEN])
    inputs[3] = min(left, 200) / 200
    inputs[4] = min(1.0, turns * pacmans / left)
    inputs[5] = min(1.0, turns * pacmans / (4.0 * left))
    inputs[6] = closeness(row[NEAREST + unit], 1 / 40)
    inputs[7] = closeness(row[NEAREST + unit], 1 / 6)
    inputs[8] = min(close, 16) / 16
    inputs[9] = min(about, 40) / 40
    inputs[10] = closeness(friend, 1 / 12)
    inputs[11] = 1.0 if ghosts_move else 0.0
    inputs[12] = board.ghosts / (board.ghosts + pacmans)
    inputs[13] = np.int64(map_tables.space[cell]) / 64


def describe_team(map_tables, dots, row, sums, at, counts, inputs):
    """inputs[:TEAM]: what the ghosts mean to all pacmans together; `counts` gets what is counted for each of them.
    Returns the dots and the cells they reach first."""
    won_dots, won_cells, room = np.int64(0), np.int64(0), np.int64(0)
    for index in range(row[COUNT] * COUNTS):
        counts[index] = 0
    for word in range(map_tables.words):
        won = np.uint64(0)
        for unit in range(row[COUNT]):
            cell = row[PACMAN + unit]
            mine, sure = ~sums.lost[at + unit, word], ~sums.unsure[at + unit, word]
            won |= mine
            near = mine & map_tables.about[cell, word]
            counts[unit * COUNTS + CELLS] += np.int64(popcount(mine))
            counts[unit * COUNTS + DOTS] += np.int64(popcount(mine & dots[word]))
            counts[unit * COUNTS + NEAR_CELLS] += np.int64(popcount(near))
            counts[unit * COUNTS + NEAR_DOTS] += np.int64(popcount(near & dots[word]))
            counts[unit * COUNTS + SURE_CELLS] += np.int64(popcount(sure))
            counts[unit * COUNTS + SURE_DOTS] += np.int64(popcount(sure & dots[word]))
        won_dots += np.int64(popcount(won & dots[word]))
        won_cells += np.int64(popcount(won))
    for unit in range(row[COUNT]):
        room += counts[unit * COUNTS + CELLS]
    inputs[0] = won_dots / row[LEFT]
    inputs[1] = min(won_dots, 16) * (1 / 16)
    inputs[2] = won_cells / map_tables.cells
    inputs[3] = min(room, 80) * (1 / 80)
    return won_dots, won_cells


def describe_own(board, map_tables, row, unit, sums, at, counts, inputs):
    """inputs[:OWN]: what the ghosts mean to one pacman; the pacmans' sums begin at place `at`."""
    one, two, total = sums.one[at + unit], sums.two[at + unit], sums.total[at + unit]
    first = unit * COUNTS
    cells, own_dots = counts[first + CELLS], counts[first + DOTS]
    inputs[0] = 1.0 if cells <= 10 else 0.0
    inputs[1] = min(cells, 12) * (1 / 12)
    inputs[2] = min(cells, 40) * (1 / 40)
    inputs[3] = cells / map_tables.cells
    inputs[4] = own_dots / row[LEFT]
    inputs[5] = min(own_dots, 8) * (1 / 8)
    inputs[6] = min(own_dots, 32) * (1 / 32)
    inputs[7] = min(counts[first + NEAR_CELLS], 32) * (1 / 32)
    inputs[8] = min(counts[first + NEAR_DOTS], 16) * (1 / 16)
    inputs[9] = max(0, 11 - one) * (1 / 10)
    inputs[10] = 1.0 if one <= 1 else 0.0
    inputs[11] = max(0, 11 - two) * (1 / 10)
    inputs[12] = closeness(total / board.ghosts, 1 / 20)
    inputs[13] = min(counts[first + SURE_CELLS], 24) * (1 / 24)
    inputs[14] = min(counts[first + SURE_DOTS], 24) * (1 / 24)
