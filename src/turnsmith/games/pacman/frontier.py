"""The last ply where ghosts move: the least value over all joint moves, put together ghost by ghost.

Most positions a search looks at are the hundred or more that differ only in one last step of each ghost. What a ghost
contributes to the features (distances, cells it reaches first) does not depend on the others, so it is looked up once
a step and merged going down the units: the same values as ``judge.evaluate``.
"""

from __future__ import annotations

import numpy as np

from turnsmith.games.pacman.evaluation import (
    COUNT,
    EATEN,
    ENOUGH_ROOM,
    FAR,
    FEATURES,
    GHOST,
    LEFT,
    NEAREST,
    PACMAN,
    VORONOI,
    crowd,
    features_base,
    has_safe_dot,
    is_dying,
    voronoi_base,
    weigh,
    weigh_voronoi,
)
from turnsmith.games.pacman.maps import UNITS
from turnsmith.games.pacman.net import HIDDENS, begin_hidden, forget_ghosts, meet_ghost, worth
from turnsmith.games.pacman.rules import WAYS
from turnsmith.games.pacman.survey import MASK
from turnsmith.kernel import popcount, scratch

LEVELS = (UNITS + 1) * UNITS
MASKS = LEVELS * MASK


def least_after_ghosts(board, around, desk, ply, beta):
    """Look at the joint moves of the ghosts in row `ply`, none of them beside a pacman, the most promising steps first,
    until one is worth `beta` to them. Their best value, the move, and how many were looked at go to desk.known.
    """
    row, after = desk.line[ply], desk.line[ply + 1]
    pacmans, ghosts = row[COUNT], board.ghosts
    by_features, by_voronoi = desk.kind == FEATURES, desk.kind == VORONOI
    after[COUNT], after[EATEN], after[LEFT] = pacmans, row[EATEN], row[LEFT]
    for unit in range(pacmans):
        after[PACMAN + unit], after[NEAREST + unit] = row[PACMAN + unit], row[NEAREST + unit]
    base = 0.0
    calm_part = scratch(HIDDENS, np.float64)
    if by_features:
        base = features_base(desk.weights, board, around, after)
    elif by_voronoi:
        base = voronoi_base(desk.weights, after)
    else:
        begin_hidden(desk.weights, board, around, desk.dots, after, False, calm_part)

    # 1. The steps of each ghost, those that come nearest to a pacman first.
    goes, digit, steps = scratch(LEVELS, np.int64), scratch(LEVELS, np.int64), scratch(UNITS, np.int64)
    for unit in range(ghosts):
        cell = row[GHOST + unit]
        count = np.int64(0)
        for index in range(board.ways[cell]):
            to = np.int64(board.near[cell, board.way[cell, index]])
            nearest = distance_to_team(around, row, pacmans, to)
            at = count
            while at > 0 and distance_to_team(around, row, pacmans, goes[unit * UNITS + at - 1]) > nearest:
                goes[unit * UNITS + at] = goes[unit * UNITS + at - 1]
                digit[unit * UNITS + at] = digit[unit * UNITS + at - 1]
                at -= 1
            goes[unit * UNITS + at], digit[unit * UNITS + at] = to, np.int64(board.way[cell, index])
            count += 1
        steps[unit] = count

    # 2. Down the ghosts: level k holds, for each pacman, what ghosts 0 .. k - 1 come to together.
    one, two, total = scratch(LEVELS, np.int64), scratch(LEVELS, np.int64), scratch(LEVELS, np.int64)
    behind, lost, unsure = scratch(LEVELS, np.uint64), scratch(MASKS, np.uint64), scratch(MASKS, np.uint64)
    number, cursor = scratch(UNITS, np.int64), scratch(UNITS, np.int64)
    won = scratch(MASK, np.uint64)
    for unit in range(pacmans):
        forget_ghosts(around, unit, one, two, total, lost, unsure)
        behind[unit] = np.uint64(0)
    level = np.int64(0)
    cursor[0] = 0
    while level >= 0:
        if cursor[level] == steps[level]:
            level -= 1
            continue
        option = level * UNITS + cursor[level]
        cursor[level] += 1
        to = goes[option]
        taken = False
        for other in range(level):
            taken = taken or after[GHOST + other] == to
        if taken:
            continue
        after[GHOST + level] = to
        whole = digit[option] if level == 0 else number[level - 1] * WAYS + digit[option]
        here, below = level * UNITS, (level + 1) * UNITS
        if by_features or by_voronoi:
            for unit in range(pacmans):
                cell = row[PACMAN + unit]
                far = np.int64(around.dist[cell, to])
                two[below + unit] = min(two[here + unit], max(one[here + unit], far))
                one[below + unit] = min(one[here + unit], far)
                if by_features:
                    total[below + unit] = total[here + unit] + far
                    behind[below + unit] = behind[here + unit] | around.first[cell, to]
                else:
                    for word in range(around.words):
                        lost[(below + unit) * MASK + word] = (
                            lost[(here + unit) * MASK + word] | around.beats[cell, to, word]
                        )
        else:
            meet_ghost(around, after, to, here, below, one, two, total, lost, unsure)
        if level < ghosts - 1:
            number[level] = whole
            level += 1
            cursor[level] = 0
            continue

        # 3. All ghosts have stepped: the value, for the ghosts.
        desk.known[2] += 1
        if by_features:
            closest, second, least, most = np.int64(FAR), np.int64(FAR), np.int64(1 << 30), np.int64(0)
            dying, alley, way_out, calm, safe_dot = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
            for unit in range(pacmans):
                cell, at = row[PACMAN + unit], below + unit
                closest, second = min(closest, one[at]), min(second, two[at])
                least, most = min(least, total[at]), max(most, total[at])
                dying += is_dying(board, around, after, cell, one[at], False)
                alley += one[at] <= 7 and around.to_crossroad[cell] >= 2
                way_out += around.crossroads[cell] & ~behind[at] != 0
                calm += around.ring[cell] & ~behind[at] != 0
                safe_dot += has_safe_dot(around, desk.dots, after, unit, behind[at])
            crowded = crowd(board, around, after)
            value = -weigh(
                desk.weights, board, base, closest, second, least, most, dying, alley, way_out, calm, safe_dot, crowded
            )
        elif by_voronoi:
            room, near_ghosts, won_dots, won_cells = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
            for word in range(around.words):
                won[word] = np.uint64(0)
            for unit in range(pacmans):
                cells = np.int64(0)
                for word in range(around.words):
                    mine = ~lost[(below + unit) * MASK + word]
                    won[word] |= mine
                    cells += np.int64(popcount(mine))
                room += min(cells, ENOUGH_ROOM)
                near_ghosts += max(0, 11 - one[below + unit])
            for word in range(around.words):
                won_dots += np.int64(popcount(won[word] & desk.dots[word]))
                won_cells += np.int64(popcount(won[word]))
            value = -weigh_voronoi(desk.weights, around, base, won_dots, won_cells, room, near_ghosts)
        else:
            value = -worth(
                desk.weights, board, around, desk.dots, after, one, two, total, lost, unsure, below, calm_part
            )
        if value > desk.known[0]:
            desk.known[0], desk.known[1] = value, whole
            if value >= beta:
                return


def distance_to_team(around, row, pacmans, cell):
    """Steps from a cell to the nearest pacman."""
    nearest = np.int64(FAR)
    for unit in range(pacmans):
        nearest = min(nearest, np.int64(around.dist[cell, row[PACMAN + unit]]))
    return nearest
