"""A map of Dice Wars as whole numbers: a gene a hex, water or land; then who owns each area, and its dice.

The areas are those of the map that the genes are given to. New land belongs to the area that is nearest by land. Repair
is done in this order: an area that falls apart is its largest part, the rest is new land; one that is lost keeps its
first hex; land is added until all hangs together. A player without an area gets one of the player who has most.
"""

from __future__ import annotations

from collections import deque
from functools import cache
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.contract.genes import checked_genes, joined
from turnsmith.games.dicewars.maps import HEXES, MOST_DICE, WATER, hexes_beside, read_grid, write_grids


def gene_values(source: dict[str, Any]) -> Array:
    areas = len(source["owners"])
    return np.repeat([2, int(source["players"]), MOST_DICE], [HEXES, areas, areas])


def genes(source: dict[str, Any]) -> Array:
    owners, dice = ([int(digit) for digit in source[name]] for name in ("owners", "dice"))
    return np.concatenate([read_grid(source["map"]) != WATER, owners, np.array(dice) - 1]).astype(np.int64)


def with_genes(source: dict[str, Any], genes: Any) -> dict[str, Any]:
    areas, players = len(source["owners"]), int(source["players"])
    given = checked_genes(genes, gene_values(source))
    land, owners, dice = np.split(given, [HEXES, HEXES + areas])
    _leave_nobody_out(owners, players)
    grid = _shaped(read_grid(source["map"]), land == 1)
    owned, counted = ("".join(map(str, numbers)) for numbers in (owners, dice + 1))
    return {**source, "map": write_grids(grid[None])[0], "owners": owned, "dice": counted}


def _leave_nobody_out(owners: Array, players: int) -> None:
    for seat in range(players):
        if not (owners == seat).any():
            richest = np.bincount(owners, minlength=players).argmax()
            owners[np.flatnonzero(owners == richest)[0]] = seat


@cache
def _near() -> list[list[int]]:
    """The hexes beside each."""
    return [[int(other) for other in row if other >= 0] for row in hexes_beside()]


def _shaped(grid: Array, land: Array) -> Array:
    """The grid with land as wanted, mended where it does not hang together; as it is where nothing changes."""
    own = grid != WATER
    if not np.array_equal(land, own):
        land = _with_land(grid, land) != WATER
        land[joined(land.tolist(), _near(), int(np.argmax(land)))] = True
    return grid if np.array_equal(land, own) else _with_land(grid, land)


def _with_land(grid: Array, land: Array) -> Array:
    """The areas of the grid on other land, each in one piece; land that touches none of them is water."""
    shaped = np.full(HEXES, WATER, np.int8)
    for area in range(int(grid.max()) + 1):
        own = np.flatnonzero(grid == area)
        left = own[land[own]].tolist()
        shaped[max(_pieces(left), key=len) if left else own[:1]] = area
    areas, wanted, near = shaped.tolist(), land.tolist(), _near()  # lists: looked at one by one, arrays are slow
    queue = deque(np.flatnonzero(shaped != WATER).tolist())
    while queue:
        place = queue.popleft()
        for beside in near[place]:
            if wanted[beside] and areas[beside] == WATER:
                areas[beside] = areas[place]
                queue.append(beside)
    return np.array(areas, np.int8)


def _pieces(places: list[int]) -> list[list[int]]:
    """The connected parts of some hexes."""
    left, pieces = dict.fromkeys(places), []
    while left:
        piece = [next(iter(left))]
        del left[piece[0]]
        for place in piece:
            for beside in _near()[place]:
                if beside in left:
                    del left[beside]
                    piece.append(beside)
        pieces.append(piece)
    return pieces
