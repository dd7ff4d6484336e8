"""The last ply where ghosts move: the least value over all joint moves, put together ghost by ghost.

Most positions a search looks at are the hundred or more that differ only in one last step of each ghost. What a ghost
contributes to the features (distances, cells it reaches first) does not depend on the others, so it is looked up once
a step and merged going down the units: the same values as ``judge.evaluate``.
"""

from __future__ import annotations

import numpy as np

from turnsmith.compile.kernel import scratch
from turnsmith.games.pacman.evaluation import (
    COUNT,
    EATEN,
    FAR,
    FEATURES,
    GHOST,
    LEFT,
    LEVELS,
    NEAREST,
    PACMAN,
    VORONOI,
    Danger,
    GhostSums,
    crowd,
    features_base,
    has_safe_dot,
    is_dying,
    map_value,
    voronoi_base,
    weigh,
)
from turnsmith.games.pacman.maps import UNITS
from turnsmith.games.pacman.net import HIDDENS, begin_hidden, forget_ghosts, meet_ghost, worth
from turnsmith.games.pacman.rules import WAYS


def least_after_ghosts(board, map_tables, search_state, ply, beta):
    """Look at the joint moves of the ghosts in row `ply`, none of them beside a pacman, the most promising steps first,
    until one is worth `beta` to them. Their best value, the move, and how many were looked at go to
    search_state.known.
    """
    row, after = search_state.line[ply], search_state.line[ply + 1]
    kind, ghosts = search_state.kind, board.ghosts
    keep_pacmans(row, after)
    calm_part = scratch(HIDDENS, np.float64)
    base = before_ghosts(board, map_tables, search_state, after, calm_part)
    goes, digit, steps = scratch(LEVELS, np.int64), scratch(LEVELS, np.int64), scratch(UNITS, np.int64)
    list_steps(board, map_tables, row, goes, digit, steps)

    # Down the ghosts: level k holds, for each pacman, what ghosts 0 .. k - 1 come to together.
    room = scratch(1, GhostSums)
    sums = room[0]
    number, cursor = scratch(UNITS, np.int64), scratch(UNITS, np.int64)
    for unit in range(row[COUNT]):
        forget_ghosts(map_tables, unit, sums)
        sums.behind[unit] = np.uint64(0)
    level = np.int64(0)
    cursor[0] = 0
    while level >= 0:
        if cursor[level] == steps[level]:
            level -= 1
            continue
        option = level * UNITS + cursor[level]
        cursor[level] += 1
        to = goes[option]
        if is_taken(after, level, to):
            continue
        after[GHOST + level] = to
        whole = digit[option] if level == 0 else number[level - 1] * WAYS + digit[option]
        here, below = level * UNITS, (level + 1) * UNITS
        if kind == FEATURES:
            meet_by_features(map_tables, row, to, here, below, sums)
        elif kind == VORONOI:
            meet_by_voronoi(map_tables, row, to, here, below, sums)
        else:
            meet_ghost(map_tables, after, to, here, below, sums)
        if level < ghosts - 1:
            number[level] = whole
            level += 1
            cursor[level] = 0
            continue

        # All ghosts have stepped.
        search_state.known[2] += 1
        weights, dots = search_state.weights, search_state.dots
        if kind == FEATURES:  # as in evaluation.by_features; a call would take a sixth of the time
            closest, second, least, most = np.int64(FAR), np.int64(FAR), np.int64(1 << 30), np.int64(0)
            dying, alley, way_out, calm, safe_dot = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
            for unit in range(row[COUNT]):
                cell, one, behind = row[PACMAN + unit], sums.one[below + unit], sums.behind[below + unit]
                closest, second = min(closest, one), min(second, sums.two[below + unit])
                least, most = min(least, sums.total[below + unit]), max(most, sums.total[below + unit])
                dying += is_dying(board, map_tables, after, cell, one, False)
                alley += one <= 7 and map_tables.to_crossroad[cell] >= 2
                way_out += map_tables.crossroads[cell] & ~behind != 0
                calm += map_tables.ring[cell] & ~behind != 0
                safe_dot += has_safe_dot(map_tables, dots, after, unit, behind)
            crowded = crowd(board, map_tables, after)
            danger = Danger(closest, second, least, most, dying, alley, way_out, calm, safe_dot, crowded)
            value = -weigh(weights, board, base, danger)
        elif kind == VORONOI:
            value = -map_value(weights, map_tables, dots, row[COUNT], base, sums, below)
        else:
            value = -worth(weights, board, map_tables, dots, after, sums, below, calm_part)
        if value > search_state.known[0]:
            search_state.known[0], search_state.known[1] = value, whole
            if value >= beta:
                return


def keep_pacmans(row, after):
    """The pacmans after a move of the ghosts that catches none."""
    after[COUNT], after[EATEN], after[LEFT] = row[COUNT], row[EATEN], row[LEFT]
    for unit in range(row[COUNT]):
        after[PACMAN + unit], after[NEAREST + unit] = row[PACMAN + unit], row[NEAREST + unit]


def before_ghosts(board, map_tables, search_state, row, calm_part):
    """The part of the value that does not depend on the ghosts; that of the net, hidden numbers, goes to calm_part."""
    if search_state.kind == FEATURES:
        return features_base(search_state.weights, board, map_tables, row)
    if search_state.kind == VORONOI:
        return voronoi_base(search_state.weights, row)
    begin_hidden(search_state.weights, board, map_tables, search_state.dots, row, False, calm_part)
    return 0.0


def list_steps(board, map_tables, row, goes, digit, steps):
    """The steps of each ghost, those that come nearest to a pacman first: steps[ghost] of them, goes[ghost * UNITS +
    index] the cell and digit[…] the way."""
    for unit in range(board.ghosts):
        cell, first = row[GHOST + unit], unit * UNITS
        count = np.int64(0)
        for index in range(board.ways[cell]):
            to = np.int64(board.near[cell, board.way[cell, index]])
            nearest = distance_to_team(map_tables, row, to)
            at = first + count
            while at > first and distance_to_team(map_tables, row, goes[at - 1]) > nearest:
                goes[at], digit[at] = goes[at - 1], digit[at - 1]
                at -= 1
            goes[at], digit[at] = to, np.int64(board.way[cell, index])
            count += 1
        steps[unit] = count


def is_taken(after, level, cell):
    """Whether one of the ghosts before this one has gone to a cell."""
    taken = False
    for other in range(level):
        taken = taken or after[GHOST + other] == cell
    return taken


def meet_by_features(map_tables, row, there, here, below, sums):
    """Add a ghost on cell `there` to what places `here`, … know of the others; the sums go to places `below`, …"""
    one, two, total, behind = sums.one, sums.two, sums.total, sums.behind
    for unit in range(row[COUNT]):
        cell, old, new = row[PACMAN + unit], here + unit, below + unit
        far = np.int64(map_tables.dist[cell, there])
        two[new] = min(two[old], max(one[old], far))
        one[new] = min(one[old], far)
        total[new] = total[old] + far
        behind[new] = behind[old] | map_tables.first[cell, there]


def meet_by_voronoi(map_tables, row, there, here, below, sums):
    """The same for the Voronoi map."""
    one, lost = sums.one, sums.lost
    for unit in range(row[COUNT]):
        cell, old, new = row[PACMAN + unit], here + unit, below + unit
        one[new] = min(one[old], np.int64(map_tables.dist[cell, there]))
        for word in range(map_tables.words):
            lost[new, word] = lost[old, word] | map_tables.beats[cell, there, word]


def distance_to_team(map_tables, row, cell):
    """Steps from a cell to the nearest pacman."""
    nearest = np.int64(FAR)
    for unit in range(row[COUNT]):
        nearest = min(nearest, np.int64(map_tables.dist[cell, row[PACMAN + unit]]))
    return nearest
