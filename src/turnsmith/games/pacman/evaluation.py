"""What a position is worth to the pacmans before the end: the fifteen features of Kulka's thesis, or a Voronoi map.

Both are sums of features times weights, and one dot eaten is worth `score`, so the other weights are in dots. A
position is looked at in the form the search keeps it in: a row (see the columns below) and the dots as words of bits.
Weights are data: `WEIGHTS` has the shipped sets, and a JSON file with some of the names changes those.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from turnsmith.common.errors import BadInput, suggestion
from turnsmith.compile.kernel import popcount, scratch
from turnsmith.contract.records import record
from turnsmith.games.pacman.maps import UNITS
from turnsmith.games.pacman.survey import MASK, SAFE_DOTS

PACMAN, GHOST, COUNT, EATEN, LEFT, TOOK, TAKEN, NEAREST = 0, 5, 10, 11, 12, 13, 14, 19
COLUMNS = 24
"""Columns of a row: five pacmans' cells, five ghosts' cells, how many pacmans are left, dots eaten, dots left, how many
dots the last move took and where (five), the distance of each pacman's nearest dot (five)."""

SCALE = 16.0
"""Values inside the search are whole sixteenths of a dot: finer ones only make it slower."""
FAR = 255
LEVELS = (UNITS + 1) * UNITS

GhostSums = record(
    one=(np.int64, LEVELS),  # steps to the nearest ghost
    two=(np.int64, LEVELS),  # steps to the second
    total=(np.int64, LEVELS),  # steps to all
    behind=(np.uint64, LEVELS),  # the cells of the outlook, as bits, that a ghost reaches no later
    lost=(np.uint64, (LEVELS, MASK)),  # the cells, as bits, that a ghost reaches no later
    unsure=(np.uint64, (LEVELS, MASK)),  # those that a ghost reaches at most MARGIN steps later
)
"""What ghosts come to for each pacman, one place a pacman; where ghosts move last, UNITS places for each number of
ghosts. An evaluation fills the fields it needs. A record, because compiled code hands over a record as one address."""

FEATURES, VORONOI = 0, 1
KINDS = ("features", "voronoi")

FEATURE_NAMES = (
    "are_pacmans_about_to_die",
    "is_nearest_ghost_close_to_one_pacman",
    "is_second_nearest_ghost_close_to_one_pacman",
    "is_min_avg_distance_of_ghosts_to_one_pacman_small",
    "is_max_avg_distance_of_ghosts_to_one_pacman_small",
    "are_pacmans_close_to_nearest_pacdot",
    "are_pacmans_close_to_each_other",
    "are_ghosts_close_to_each_other",
    "are_all_pacmans_dead",
    "score",
    "relative_pacmans_count",
    "are_pacmans_in_alley_and_in_danger",
    "are_pacmans_close_to_safe_pacdots",
    "can_pacmans_safely_reach_crossroad",
    "are_pacmans_not_in_close_danger",
)
(
    DYING, NEAREST_GHOST, SECOND_GHOST, LEAST_MEAN, MOST_MEAN, NEAR_DOT, TOGETHER, CROWDED, ALL_DEAD, SCORE, ALIVE,
    ALLEY, SAFE_DOT, WAY_OUT, CALM,
) = range(15)  # fmt: skip

VORONOI_NAMES = ("won_dots", "won_cells", "room", "pacmans", "near_dot", "score", "are_all_pacmans_dead", "near_ghost")
V_DOTS, V_CELLS, V_ROOM, V_PACMANS, V_NEAR_DOT, V_SCORE, V_ALL_DEAD, V_NEAR_GHOST = range(8)
ENOUGH_ROOM = 24
"""Cells a pacman reaches first beyond which more of them make it no safer."""

NAMES = (FEATURE_NAMES, VORONOI_NAMES)
WEIGHTS = {
    "features": (-18.0, -2.0, -4.0, -4.0, -2.0, 6.0, -1.0, 0.3, -20.0, 1.0, 30.0, -3.0, 1.5, 8.0, 8.0),
    "voronoi": (0.1, 0.5, 6.0, 25.0, 5.0, 1.0, 0.5, -0.7),
}


TUNED, MAIN = "main", Path(__file__).parent / "main.json"
"""The name and the file of the weights of features that a league found."""


def weights(kind: str, given: str) -> tuple[float, ...]:
    """The weights of an evaluation: its own, those the league found (`main`), or a JSON file's on top of its own."""
    names = NAMES[KINDS.index(kind)]
    chosen = dict(zip(names, WEIGHTS[kind], strict=True))
    if given == TUNED and kind != "features":
        raise BadInput(f"weights={TUNED} are for evaluation=features; leave them out, or give a JSON file")
    if given:
        try:
            found = json.loads((MAIN if given == TUNED else Path(given)).read_text("utf-8"))
            changed = {str(name): float(value) for name, value in found.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            raise BadInput(f"weights={given} is no JSON file of names and numbers; see {', '.join(names)}") from None
        for name in changed:
            if name not in chosen:
                raise BadInput(f"weights={given}: there is no feature '{name}'{suggestion(name, names)} in {kind}")
        chosen.update(changed)
    return tuple(chosen.values())


def closeness(distance, per_step):
    """1 beside each other, less by `per_step` for each step farther, and never below 0."""
    return max(0.0, min(1.0, 1.0 - (distance - 1.0) * per_step))


def rounded(value):
    return np.int64(np.floor(value * SCALE + 0.5))


def nearest_dot(map_tables, dots, cell):
    """Steps to the nearest dot, FAR if there is none."""
    for index in range(map_tables.cells):
        other = np.int64(map_tables.order[cell, index])
        if (dots[other >> 6] >> np.uint64(other & 63)) & np.uint64(1):
            return np.int64(map_tables.dist[cell, other])
    return np.int64(FAR)


# ---------------------------------------------------------------- the fifteen features


class Danger(NamedTuple):
    """The features that depend on the ghosts: distances in steps, counts of pacmans, and a count of pairs of ghosts."""

    closest: Any  # of a ghost to a pacman
    second: Any  # of the second ghost to a pacman
    least: Any  # sum of the ghosts' distances to one pacman
    most: Any
    dying: Any
    alley: Any
    way_out: Any
    calm: Any
    safe_dot: Any
    crowded: Any


def by_features(weights, board, map_tables, dots, row, ghosts_move):
    """The value of a position that goes on, for the pacmans, in sixteenths of a dot."""
    closest, second, least, most = np.int64(FAR), np.int64(FAR), np.int64(1 << 30), np.int64(0)
    dying, alley, way_out, calm, safe_dot = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for unit in range(row[COUNT]):
        cell = row[PACMAN + unit]
        one, two, total = np.int64(FAR), np.int64(FAR), np.int64(0)
        behind = np.uint64(0)
        for ghost in range(board.ghosts):
            there = row[GHOST + ghost]
            far = np.int64(map_tables.dist[cell, there])
            behind |= map_tables.first[cell, there]
            total += far
            two = min(two, max(one, far))
            one = min(one, far)
        closest, second, least, most = min(closest, one), min(second, two), min(least, total), max(most, total)
        dying += is_dying(board, map_tables, row, cell, one, ghosts_move)
        alley += one <= 7 and map_tables.to_crossroad[cell] >= 2
        way_out += map_tables.crossroads[cell] & ~behind != 0
        calm += map_tables.ring[cell] & ~behind != 0
        safe_dot += has_safe_dot(map_tables, dots, row, unit, behind)
    crowded = crowd(board, map_tables, row)
    danger = Danger(closest, second, least, most, dying, alley, way_out, calm, safe_dot, crowded)
    return weigh(weights, board, features_base(weights, board, map_tables, row), danger)


def features_base(weights, board, map_tables, row):
    """What does not depend on the ghosts."""
    pacmans = row[COUNT]
    value = weights[SCORE] * row[EATEN] + weights[ALIVE] * pacmans / board.pacmans
    near_dots, total, pairs = 0.0, np.int64(0), np.int64(0)
    for unit in range(pacmans):
        near_dots += closeness(row[NEAREST + unit], 1 / 40)
        for other in range(unit):
            total += np.int64(map_tables.dist[row[PACMAN + unit], row[PACMAN + other]])
            pairs += 1
    if pairs:
        value += weights[TOGETHER] * closeness(total / pairs, 1 / 12)
    return value + weights[NEAR_DOT] * near_dots / pacmans


def weigh(weights, board, base, danger):
    """All features together; `base` is what does not depend on the ghosts."""
    value = base + weights[NEAREST_GHOST] * closeness(danger.closest, 1 / 10)
    value += weights[LEAST_MEAN] * closeness(danger.least / board.ghosts, 1 / 20)
    value += weights[MOST_MEAN] * closeness(danger.most / board.ghosts, 1 / 20)
    if board.ghosts > 1:
        value += weights[SECOND_GHOST] * closeness(danger.second, 1 / 20)
    value += weights[DYING] * danger.dying + weights[ALLEY] * danger.alley + weights[WAY_OUT] * danger.way_out
    value += weights[CALM] * danger.calm
    return rounded(value + weights[SAFE_DOT] * danger.safe_dot + weights[CROWDED] * danger.crowded)


def is_dying(board, map_tables, row, cell, nearest, ghosts_move):
    """Whether the pacman on a cell is sure to be caught in this or the next move: a ghost that moves now is beside it,
    or one is beside, or on, every cell the pacman could be on after its own move."""
    if ghosts_move or nearest > 2:
        return nearest == 1
    for index in range(board.ways[cell]):
        to = np.int64(board.near[cell, board.way[cell, index]])
        reached = False
        for ghost in range(board.ghosts):
            reached = reached or map_tables.dist[to, row[GHOST + ghost]] <= 1
        if not reached:
            return False
    return True


def has_safe_dot(map_tables, dots, row, unit, behind):
    """Whether there is a dot within three steps of a pacman that no ghost reaches as early."""
    if row[NEAREST + unit] > SAFE_DOTS:
        return False
    cell, index = row[PACMAN + unit], 0
    while map_tables.outlook[cell, index] >= 0:
        other = np.int64(map_tables.outlook[cell, index])
        if (dots[other >> 6] >> np.uint64(other & 63)) & ~(behind >> np.uint64(index)) & np.uint64(1):
            return True
        index += 1
    return False


def crowd(board, map_tables, row):
    """How many pairs of ghosts stand side by side."""
    pairs = np.int64(0)
    for ghost in range(board.ghosts):
        for other in range(ghost):
            pairs += map_tables.dist[row[GHOST + ghost], row[GHOST + other]] == 1
    return pairs


# ---------------------------------------------------------------- the Voronoi map


def by_voronoi(weights, board, map_tables, dots, row):
    """Which cells and dots the pacmans reach before every ghost, and how much room each of them has."""
    room = scratch(1, GhostSums)
    sums = room[0]
    for unit in range(row[COUNT]):
        cell, one = row[PACMAN + unit], np.int64(FAR)
        for ghost in range(board.ghosts):
            one = min(one, np.int64(map_tables.dist[cell, row[GHOST + ghost]]))
        sums.one[unit] = one
        for word in range(map_tables.words):
            lost = np.uint64(0)
            for ghost in range(board.ghosts):
                lost |= map_tables.beats[cell, row[GHOST + ghost], word]
            sums.lost[unit, word] = lost
    return map_value(weights, map_tables, dots, row[COUNT], voronoi_base(weights, row), sums, 0)


def map_value(weights, map_tables, dots, pacmans, base, sums, at):
    """The value of a Voronoi map; the pacmans' sums begin at place `at`."""
    room, near_ghosts, won_dots, won_cells = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    won = scratch(MASK, np.uint64)
    for word in range(map_tables.words):
        won[word] = np.uint64(0)
    for unit in range(pacmans):
        cells = np.int64(0)
        for word in range(map_tables.words):
            mine = ~sums.lost[at + unit, word]
            won[word] |= mine
            cells += np.int64(popcount(mine))
        room += min(cells, ENOUGH_ROOM)
        near_ghosts += max(0, 11 - sums.one[at + unit])
    for word in range(map_tables.words):
        won_dots += np.int64(popcount(won[word] & dots[word]))
        won_cells += np.int64(popcount(won[word]))
    return weigh_voronoi(weights, map_tables, base, won_dots, won_cells, room, near_ghosts)


def voronoi_base(weights, row):
    """What does not depend on the ghosts."""
    near_dots = 0.0
    for unit in range(row[COUNT]):
        near_dots += closeness(row[NEAREST + unit], 1 / 40)
    value = weights[V_SCORE] * row[EATEN] + weights[V_PACMANS] * row[COUNT]
    return value + weights[V_NEAR_DOT] * near_dots / row[COUNT]


def weigh_voronoi(weights, map_tables, base, won_dots, won_cells, room, near_ghosts):
    """`room` counts cells, `near_ghosts` the steps by which the nearest ghost of each pacman is nearer than eleven."""
    value = base + weights[V_DOTS] * won_dots + weights[V_CELLS] * won_cells / map_tables.cells
    return rounded(value + weights[V_ROOM] * room / ENOUGH_ROOM + weights[V_NEAR_GHOST] * near_ghosts / 10)
