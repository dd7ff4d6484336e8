"""Maps of Homeguard as grids: covers on the cells with an odd sum of row and column, starts, and pairs of portals."""

from __future__ import annotations

from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.contract.grids import (
    Form,
    Grid,
    Kind,
    Thing,
    Tile,
    pair_of,
    refuse_other_properties,
    refused,
    setting_of,
)
from turnsmith.games.homeguard.maps import CHECKERS, CORNERS, LARGEST, SIGNS, SMALLEST, TOGETHER, start_cells

FLOOR, PLACE = range(2)
"""What the ground is: to walk on, or where cover may stand."""
USUAL: dict[str, Any] = {"generator": CHECKERS, "starts": CORNERS, "strict": False}
"""What a description says besides rows and portals."""


def may_fill(rows: int, columns: int) -> Array:
    """bool[rows, columns]: where cover may stand."""
    return np.asarray(np.add.outer(np.arange(rows), np.arange(columns)) % 2 == 1)


def starts(size: int, how: str) -> list[Thing]:
    """Where soldiers start, the player's first."""
    kinds = ("player", "player", "enemy", "enemy")
    return [Thing(kind, *divmod(cell, size)) for kind, cell in zip(kinds, start_cells(size, how), strict=True)]


def to_grid(source: dict[str, Any]) -> Grid:
    rows = source["rows"]
    size = len(rows)
    cover = np.array([[SIGNS.index(sign) for sign in row] for row in rows], np.int16)
    things = starts(size, source["starts"])
    for one, other in source["portals"]:
        things += pair_of("portal", divmod(one, size), divmod(other, size), len(things))
    ground = np.where(may_fill(size, size), PLACE, FLOOR).astype(np.int16)
    return Grid({"ground": ground, "cover": cover}, tuple(things), {name: source[name] for name in USUAL})


def from_grid(grid: Grid) -> dict[str, Any]:
    size, columns = grid.shape
    if size != columns or size % 2 == 0 or not SMALLEST <= size <= LARGEST:
        raise BadInput(f"a map is square, with an odd number of cells a side, {SMALLEST} to {LARGEST}; this one has "
                       f"{size} rows of {columns}")  # fmt: skip
    cover, allowed = grid.layers["cover"], may_fill(size, size)
    _refuse_first(cover.astype(np.bool_) & ~allowed, "cover", "here one walks; cover stands where row + column is odd")
    if "ground" in grid.layers:
        _refuse_first(
            grid.layers["ground"] != np.where(allowed, PLACE, FLOOR), "ground", "the ground is always the same"
        )
    portals = _portals(grid, size)
    refuse_other_properties(grid, *USUAL)
    rows = ["".join(SIGNS[value] for value in row) for row in cover.tolist()]
    settings = {name: setting_of(grid, name, usual) for name, usual in USUAL.items()}
    return {"rows": rows, "portals": portals, **settings, "starts": _starts(grid, size)}


def _refuse_first(wrong: Array, layer: str, reason: str) -> None:
    """Refuse the first of the cells that are wrong."""
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise refused(layer, row, column, reason)


def _portals(grid: Grid, size: int) -> list[list[int]]:
    portals, taken = [], set()
    for number, thing in enumerate(grid.things):
        if thing.kind != "portal":
            continue
        cell, corner = (thing.row, thing.column), {thing.row, thing.column} <= {0, size - 1}
        if (thing.row + thing.column) % 2 or corner or cell in taken:
            why = "a portal stands where row + column is even, alone, and not in a corner"
            raise refused("portals", *cell, why)
        taken.add(cell)
        if thing.target is not None and number < thing.target:
            other = grid.things[thing.target]
            portals.append([thing.row * size + thing.column, other.row * size + other.column])
    return portals


def _starts(grid: Grid, size: int) -> str:
    """How soldiers start: as the map says, else as they stand. They may be left out: they are where they are."""
    given = [thing for thing in grid.things if thing.kind != "portal"]
    chosen = setting_of(grid, "starts", CORNERS) if "starts" in grid.properties or not given else ""
    ways = [chosen] if chosen else [CORNERS, TOGETHER]
    for way in ways:
        if not given or sorted(map(str, given)) == sorted(map(str, starts(size, way))):
            return way
    wrong = next((thing for thing in given if not any(thing in starts(size, way) for way in ways)), given[0])
    why = f"so no {wrong.kind} starts; there are two of each, {' or '.join(ways)}, and all of them may be left out"
    raise refused("spawns", wrong.row, wrong.column, why)


def genes_of_cells(source: dict[str, Any]) -> Array:
    from turnsmith.games.homeguard.maps import gene_of_cell

    size = len(source["rows"])
    return gene_of_cell(size, source["generator"]).reshape(size, size)


GRID = Form(
    layers={
        "ground": (Tile("floor", "."  , "#d8cfb4"), Tile("place", ",", "#c6bb9a")),
        "cover": (Tile("none", "."), Tile("short", "o", "#8d8d86", "disc"), Tile("long", "T", "#2f6b3a", "block")),
    },
    kinds=(
        Kind("player", "spawns", "p", "#2c6fbb"),
        Kind("enemy", "spawns", "e", "#c0392b"),
        Kind("portal", "portals", "", "#8e44ad", "ring"),
    ),
    to_grid=to_grid,
    from_grid=from_grid,
    may_fill=may_fill,
    options=lambda source: {"size": len(source["rows"])},
    genes=genes_of_cells,
    drawn_apart=("portals",),
)  # fmt: skip


# ---------------------------------------------------------------- the original program's map format

FILE_SIGNS = " 01"
"""No cover, short and long in iwonmapformat; 2 is a player's start, 3 an enemy's, capital letters are portals."""
FILE_FORM = Form(
    layers={"cover": tuple(Tile(tile.name, sign) for tile, sign in zip(GRID.layers["cover"], FILE_SIGNS, strict=True))},
    kinds=(Kind("player", "spawns", "2", ""), Kind("enemy", "spawns", "3", ""), Kind("portal", "portals", "", "")),
    to_grid=to_grid,
    from_grid=from_grid,
)
