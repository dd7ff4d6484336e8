"""A map as whole numbers: a gene a cell, its height; of a map that is its own mirror image only one half.

Any heights make a map, but soldiers climb one level at a time, so repair keeps two promises: from the corner where
green starts there is a way across (what bars the cheapest one is lowered), and from every cell there is a way back to
that corner (pits are filled). Cells too high to climb are left as they are: they are cover.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.contract.genes import checked_genes
from turnsmith.games.tactics import config as configuration
from turnsmith.games.tactics.maps import mirrored, read_rows, write_rows


def gene_values(source: dict[str, Any]) -> Array:
    settings = configuration.read(source["config"]).map
    heights = read_rows(source["rows"], "the map")
    tallest = max(settings.highest + max(settings.raises), int(heights.max()))
    return np.full(len(cells_with_genes(heights)), tallest + 1)


def genes(source: dict[str, Any]) -> Array:
    heights = read_rows(source["rows"], "the map")
    return heights[cells_with_genes(heights)]


def with_genes(source: dict[str, Any], genes: Any) -> dict[str, Any]:
    heights, given = read_rows(source["rows"], "the map"), checked_genes(genes, gene_values(source))
    side, cells = len(source["rows"]), cells_with_genes(heights)
    if np.array_equal(given, heights[cells]):
        return source  # somebody's own map may have pits; it stays as it is
    heights[cells] = given
    goals = np.flatnonzero(_steps(side) == side - 1) if len(cells) < side * side else [side * side - 1]
    near = _near(side, set(cells.tolist()))
    _open_way(heights, near, set(np.asarray(goals).tolist()))
    _fill_pits(heights, near)
    if len(cells) < side * side:
        heights[mirrored(side, cells)] = heights[cells]
    return {**source, "rows": write_rows(heights, side)}


def _steps(side: int) -> Array:
    """How many rows and columns every cell is away from the first."""
    cells = np.arange(side * side)
    return cells % side + cells // side


def cells_with_genes(heights: Array) -> Array:
    """The cells that have a gene: those up to the mirror's line, or all if the map is not its own image.

    A map whose halves differ would have fewer genes if all its halves' heights became the same; hundreds of them do
    not by chance.
    """
    side = int(len(heights) ** 0.5)
    cells = np.arange(side * side)
    return np.flatnonzero(_steps(side) < side) if np.array_equal(heights, heights[mirrored(side, cells)]) else cells


def _near(side: int, within: set[int]) -> dict[int, list[int]]:
    """The cells beside each, of those that have a gene; in half a map no way back leads through the other half."""
    near = {}
    for cell in within:
        x, y = cell % side, cell // side
        beside = [(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)]
        inside = [b * side + a for a, b in beside if 0 <= a < side and 0 <= b < side]
        near[cell] = [other for other in inside if other in within]
    return near


def _open_way(heights: Array, near: dict[int, list[int]], goals: set[int]) -> None:
    """Lower what bars the way from the first cell to any of the goals: the way that needs the least of it."""
    costs, came_from = {0: 0}, {0: 0}
    queue = [(0, 0)]
    while queue:
        cost, cell = heapq.heappop(queue)
        if cell in goals:
            break
        for other in near[cell] if cost == costs[cell] else ():
            dearer = cost + max(0, int(heights[other] - heights[cell]) - 1)
            if dearer < costs.get(other, dearer + 1):
                costs[other], came_from[other] = dearer, cell
                heapq.heappush(queue, (dearer, other))
    way = [cell]
    while way[-1] != 0:
        way.append(came_from[way[-1]])
    for before, after in zip(way[::-1], way[-2::-1], strict=False):
        heights[after] = min(heights[after], heights[before] + 1)


def _fill_pits(heights: Array, near: dict[int, list[int]]) -> None:
    """Raise the cells from which one could not climb back to the first, no higher than that needs."""
    queue, seen = [(int(heights[0]), 0)], {0}
    while queue:
        height, cell = heapq.heappop(queue)
        for other in near[cell]:
            if other not in seen:
                seen.add(other)
                heights[other] = max(heights[other], height - 1)
                heapq.heappush(queue, (int(heights[other]), other))
