"""What a position is worth to the pacmans before the end: the fifteen features of Kulka's thesis, or a Voronoi map.

Both are sums of features times weights, and one dot eaten is worth `score`, so the other weights are in dots. A
position is looked at in the form the search keeps it in: a row (see the columns below) and the dots as words of bits.
Weights are data: `WEIGHTS` has the shipped sets, and a JSON file with some of the names changes those.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from turnsmith.games.pacman.survey import MASK, SAFE_DOTS
from turnsmith.kernel import popcount, scratch
from turnsmith.texts import BadInput, suggestion

PACMAN, GHOST, COUNT, EATEN, LEFT, TOOK, TAKEN, NEAREST = 0, 5, 10, 11, 12, 13, 14, 19
COLUMNS = 24
"""Columns of a row: five pacmans' cells, five ghosts' cells, how many pacmans are left, dots eaten, dots left, how many
dots the last move took and where (five), the distance of each pacman's nearest dot (five)."""

SCALE = 16.0
"""Values inside the search are whole sixteenths of a dot: finer ones only make it slower."""
FAR = 255

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


def nearest_dot(survey, dots, cell):
    """Steps to the nearest dot, FAR if there is none."""
    for index in range(survey.cells):
        other = np.int64(survey.order[cell, index])
        if (dots[other >> 6] >> np.uint64(other & 63)) & np.uint64(1):
            return np.int64(survey.dist[cell, other])
    return np.int64(FAR)


# ---------------------------------------------------------------- the fifteen features


def by_features(weights, board, survey, dots, row, ghosts_move):
    closest, second, least, most = np.int64(FAR), np.int64(FAR), np.int64(1 << 30), np.int64(0)
    dying, alley, way_out, calm, safe_dot = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for unit in range(row[COUNT]):
        cell = row[PACMAN + unit]
        one, two, total = np.int64(FAR), np.int64(FAR), np.int64(0)
        behind = np.uint64(0)
        for ghost in range(board.ghosts):
            there = row[GHOST + ghost]
            far = np.int64(survey.dist[cell, there])
            behind |= survey.first[cell, there]
            total += far
            two = min(two, max(one, far))
            one = min(one, far)
        closest, second, least, most = min(closest, one), min(second, two), min(least, total), max(most, total)
        dying += is_dying(board, survey, row, cell, one, ghosts_move)
        alley += one <= 7 and survey.to_crossroad[cell] >= 2
        way_out += survey.crossroads[cell] & ~behind != 0
        calm += survey.ring[cell] & ~behind != 0
        safe_dot += has_safe_dot(survey, dots, row, unit, behind)
    crowded = crowd(board, survey, row)
    base = features_base(weights, board, survey, row)
    return weigh(
        weights, board, base, closest, second, least, most, dying, alley, way_out, calm, safe_dot, crowded
    )  # fmt: skip


def features_base(weights, board, survey, row):
    """What does not depend on the ghosts."""
    pacmans = row[COUNT]
    value = weights[SCORE] * row[EATEN] + weights[ALIVE] * pacmans / board.pacmans
    near_dots, total, pairs = 0.0, np.int64(0), np.int64(0)
    for unit in range(pacmans):
        near_dots += closeness(row[NEAREST + unit], 1 / 40)
        for other in range(unit):
            total += np.int64(survey.dist[row[PACMAN + unit], row[PACMAN + other]])
            pairs += 1
    if pairs:
        value += weights[TOGETHER] * closeness(total / pairs, 1 / 12)
    return value + weights[NEAR_DOT] * near_dots / pacmans


def weigh(
    weights, board, base, closest, second, least, most, dying, alley, way_out, calm, safe_dot, crowded
):  # fmt: skip
    """All features together: distances of the nearest two ghosts, least and most sum of the ghosts' distances to one
    pacman, and counts of pacmans (of pairs of ghosts, the last one)."""
    value = base + weights[NEAREST_GHOST] * closeness(closest, 1 / 10)
    value += weights[LEAST_MEAN] * closeness(least / board.ghosts, 1 / 20)
    value += weights[MOST_MEAN] * closeness(most / board.ghosts, 1 / 20)
    if board.ghosts > 1:
        value += weights[SECOND_GHOST] * closeness(second, 1 / 20)
    value += weights[DYING] * dying + weights[ALLEY] * alley + weights[WAY_OUT] * way_out
    return rounded(value + weights[CALM] * calm + weights[SAFE_DOT] * safe_dot + weights[CROWDED] * crowded)


def is_dying(board, survey, row, cell, nearest, ghosts_move):
    """Whether the pacman on a cell is sure to be caught in this or the next move: a ghost that moves now is beside it,
    or one is beside, or on, every cell the pacman could be on after its own move."""
    if ghosts_move or nearest > 2:
        return nearest == 1
    for index in range(board.ways[cell]):
        to = np.int64(board.near[cell, board.way[cell, index]])
        reached = False
        for ghost in range(board.ghosts):
            reached = reached or survey.dist[to, row[GHOST + ghost]] <= 1
        if not reached:
            return False
    return True


def has_safe_dot(survey, dots, row, unit, behind):
    """Whether there is a dot within three steps of a pacman that no ghost reaches as early."""
    if row[NEAREST + unit] > SAFE_DOTS:
        return False
    cell, index = row[PACMAN + unit], 0
    while survey.outlook[cell, index] >= 0:
        other = np.int64(survey.outlook[cell, index])
        if (dots[other >> 6] >> np.uint64(other & 63)) & ~(behind >> np.uint64(index)) & np.uint64(1):
            return True
        index += 1
    return False


def crowd(board, survey, row):
    """How many pairs of ghosts stand side by side."""
    pairs = np.int64(0)
    for ghost in range(board.ghosts):
        for other in range(ghost):
            pairs += survey.dist[row[GHOST + ghost], row[GHOST + other]] == 1
    return pairs


# ---------------------------------------------------------------- the Voronoi map


def by_voronoi(weights, board, survey, dots, row):
    """Which cells and dots the pacmans reach before every ghost, and how much room each of them has."""
    won = scratch(MASK, np.uint64)
    for word in range(survey.words):
        won[word] = np.uint64(0)
    room, near_ghosts = np.int64(0), np.int64(0)
    for unit in range(row[COUNT]):
        cell = row[PACMAN + unit]
        cells, one = np.int64(0), np.int64(FAR)
        for word in range(survey.words):
            lost = np.uint64(0)
            for ghost in range(board.ghosts):
                lost |= survey.beats[cell, row[GHOST + ghost], word]
            won[word] |= ~lost
            cells += np.int64(popcount(~lost))
        for ghost in range(board.ghosts):
            one = min(one, np.int64(survey.dist[cell, row[GHOST + ghost]]))
        room += min(cells, ENOUGH_ROOM)
        near_ghosts += max(0, 11 - one)
    won_dots, won_cells = np.int64(0), np.int64(0)
    for word in range(survey.words):
        won_dots += np.int64(popcount(won[word] & dots[word]))
        won_cells += np.int64(popcount(won[word]))
    return weigh_voronoi(weights, survey, voronoi_base(weights, row), won_dots, won_cells, room, near_ghosts)


def voronoi_base(weights, row):
    """What does not depend on the ghosts."""
    near_dots = 0.0
    for unit in range(row[COUNT]):
        near_dots += closeness(row[NEAREST + unit], 1 / 40)
    value = weights[V_SCORE] * row[EATEN] + weights[V_PACMANS] * row[COUNT]
    return value + weights[V_NEAR_DOT] * near_dots / row[COUNT]


def weigh_voronoi(weights, survey, base, won_dots, won_cells, room, near_ghosts):
    """`room` counts cells, `near_ghosts` the steps by which the nearest ghost of each pacman is nearer than eleven."""
    value = base + weights[V_DOTS] * won_dots + weights[V_CELLS] * won_cells / survey.cells
    return rounded(value + weights[V_ROOM] * room / ENOUGH_ROOM + weights[V_NEAR_GHOST] * near_ghosts / 10)
