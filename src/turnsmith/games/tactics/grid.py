"""Maps of Tactics as grids: a height a cell. A text file is a map file of the game, which says the heights only."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.contract.grids import Form, Grid, Tile, refuse_other_properties, setting_of
from turnsmith.games.tactics.config import USUAL, as_table
from turnsmith.games.tactics.maps import SIGNS, mirrored, read_rows

TEAM = 4


def to_grid(source: dict[str, Any]) -> Grid:
    heights = np.array([[SIGNS.index(sign) for sign in row] for row in source["rows"]], np.int16)
    return Grid({"heights": heights}, (), {"team": source["team"], "config": json.dumps(source["config"])})


def from_grid(grid: Grid) -> dict[str, Any]:
    refuse_other_properties(grid, "team", "config")
    rows = ["".join(SIGNS[height] for height in row) for row in grid.layers["heights"].tolist()]
    team, text = setting_of(grid, "team", TEAM), setting_of(grid, "config", "")
    try:
        config = json.loads(text) if text else as_table(USUAL)
    except (ValueError, RecursionError):
        raise BadInput("the property 'config' must be the configuration as JSON; leave it out for the usual") from None
    return {"rows": rows, "team": team, "config": config}


def from_text(text: str, said: str) -> dict[str, Any]:
    rows = text.split()
    read_rows(rows, said)
    return {"rows": rows, "team": TEAM, "config": as_table(USUAL)}


def _colour(height: int) -> str:
    """From dark green valleys to light stone."""
    share = min(height / 12, 1.0)
    low, high = (46, 79, 56), (226, 221, 205)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(low, high, strict=True))


def genes_of_cells(source: dict[str, Any]) -> Array:
    """A cell and its mirror image have the same gene, where a map is its own image."""
    from turnsmith.games.tactics.genes import cells_with_genes

    side = len(source["rows"])
    cells = cells_with_genes(read_rows(source["rows"], "the map"))
    genes = np.full(side * side, -1)
    genes[mirrored(side, cells)] = np.arange(len(cells))
    genes[cells] = np.arange(len(cells))
    return genes.reshape(side, side)


GRID = Form(
    layers={"heights": tuple(Tile(f"height {height}", sign, _colour(height)) for height, sign in enumerate(SIGNS))},
    kinds=(),
    to_grid=to_grid,
    from_grid=from_grid,
    options=lambda source: {"size": len(source["rows"])},
    genes=genes_of_cells,
    to_text=lambda source: "\n".join(source["rows"]) + "\n",
    from_text=from_text,
)
