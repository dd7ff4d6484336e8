"""A maze as whole numbers: a gene a place, wall, dot or bare floor, row by row; then where each unit starts.

Where all places of the edge are walls they stay so: their genes have one value. Repair is done in this order: ways are
opened so that no floor is cut off, a maze that is too large is cut to what lies around the first pacman, and a unit on
a wall or on another one starts on the nearest floor.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.contract.genes import checked_genes, joined
from turnsmith.games.pacman.maps import CELLS, FARTHEST, STEPS, distances, places, reached

WALL, DOT, FLOOR = range(3)
SIGNS = {"#": WALL, ".": DOT, " ": FLOOR, "P": FLOOR, "G": DOT}


def gene_values(source: dict[str, Any]) -> Array:
    rows = source["rows"]
    wide, high = len(rows[0]), len(rows)
    cells = np.full((high, wide), 3)
    if _is_framed(rows):
        cells[[0, -1], :] = cells[:, [0, -1]] = 1
    units = len(places(rows, "PG"))
    return np.concatenate([cells.reshape(-1), np.full(units, wide * high)])


def genes(source: dict[str, Any]) -> Array:
    rows = source["rows"]
    within = reached(rows, places(rows, "P")[0])  # walled-in floor is as good as wall
    cells = [SIGNS[sign] if (x, y) in within else WALL for y, row in enumerate(rows) for x, sign in enumerate(row)]
    return np.array(cells + [y * len(rows[0]) + x for sign in "PG" for x, y in places(rows, sign)], np.int64)


def with_genes(source: dict[str, Any], genes: Any) -> dict[str, Any]:
    rows = source["rows"]
    wide, high = len(rows[0]), len(rows)
    given = checked_genes(genes, gene_values(source))
    cells, starts = given[: wide * high], given[wide * high :].tolist()
    near = _near(wide, high, _is_framed(rows))
    if not (cells != WALL).any():
        cells[_nearest(starts[0], [cell for cell in range(wide * high) if near[cell]], wide)] = DOT
    root = _nearest(starts[0], np.flatnonzero(cells != WALL).tolist(), wide)
    cells[joined((cells != WALL).tolist(), near, root)] = DOT
    _enlarge(cells, near, root, len(starts))
    _cut(cells, near, root)
    return {**source, "rows": _drawn(cells, starts, len(places(rows, "P")), wide)}


def _is_framed(rows: list[str]) -> bool:
    return set(rows[0] + rows[-1] + "".join(row[0] + row[-1] for row in rows)) == {"#"}


@lru_cache(maxsize=16)
def _near(wide: int, high: int, framed: bool) -> list[list[int]]:
    """The places beside each that may be floor, up, left, down, right; none beside those of a fixed edge."""
    inset = 1 if framed else 0

    def is_inside(x: int, y: int) -> bool:
        return inset <= x < wide - inset and inset <= y < high - inset

    around = [
        [(x + dx, y + dy) for dx, dy in STEPS] if is_inside(x, y) else [] for y in range(high) for x in range(wide)
    ]
    return [[y * wide + x for x, y in beside if is_inside(x, y)] for beside in around]


def _nearest(cell: int, among: list[int], wide: int) -> int:
    """The place with the fewest columns and rows between; of equals the first."""
    if cell in among:
        return cell
    return min(among, key=lambda other: abs(other % wide - cell % wide) + abs(other // wide - cell // wide))


def _steps_from(cells: Array, near: list[list[int]], root: int) -> dict[int, int]:
    """Every floor that can be reached from `root`, nearest first, and the steps to it."""
    steps, queue = {root: 0}, deque([root])
    while queue:
        cell = queue.popleft()
        for beside in near[cell]:
            if beside not in steps and cells[beside] != WALL:
                steps[beside] = steps[cell] + 1
                queue.append(beside)
    return steps


def _enlarge(cells: Array, near: list[list[int]], root: int, units: int) -> None:
    """Open walls around the floor until every unit has a place."""
    while len(floor := _steps_from(cells, near, root)) < units:
        cells[next(beside for cell in floor for beside in near[cell] if cells[beside] == WALL)] = DOT


def _cut(cells: Array, near: list[list[int]], root: int) -> None:
    """Wall off what a board has no room for: floor too far from the root, or too much of it."""
    steps = _steps_from(cells, near, root)
    kept = list(steps)[:CELLS]
    if steps[kept[-1]] > FARTHEST // 2:  # nearer, no two can be too far from each other
        number = {cell: index for index, cell in enumerate(kept)}
        ways = np.full((len(kept), 4), -1)
        for cell, index in number.items():
            beside = [number[other] for other in near[cell] if other in number]
            ways[index, : len(beside)] = beside
        if distances(ways).max() > FARTHEST:
            kept = [cell for cell in kept if steps[cell] <= FARTHEST // 2]
    cells[sorted(set(steps) - set(kept))] = WALL


def _drawn(cells: Array, starts: list[int], pacmans: int, wide: int) -> list[str]:
    """The rows of a map, its units on floor and apart."""
    signs = ["#. "[cell] for cell in cells]
    free = np.flatnonzero(cells != WALL).tolist()
    for unit, start in enumerate(starts):
        cell = _nearest(start, free, wide)
        free.remove(cell)
        signs[cell] = "P" if unit < pacmans else "G"
    return ["".join(signs[first : first + wide]) for first in range(0, len(signs), wide)]
