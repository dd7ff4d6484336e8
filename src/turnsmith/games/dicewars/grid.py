"""Maps of Dice Wars as grids of hexes: which area each is of; owners and dice are properties, a digit an area."""

from __future__ import annotations

import colorsys
from typing import Any

import numpy as np

from turnsmith.contract.grids import Form, Grid, Tile, refuse_other_properties, setting_of
from turnsmith.games.dicewars.maps import NAMES

SIGNS = "." + NAMES
KEPT: dict[str, Any] = {"players": 4, "edition": 2020, "owners": "", "dice": ""}


def to_grid(source: dict[str, Any]) -> Grid:
    areas = np.array([[SIGNS.index(sign) for sign in row] for row in source["map"]], np.int16)
    return Grid({"areas": areas}, (), {name: source[name] for name in KEPT})


def from_grid(grid: Grid) -> dict[str, Any]:
    refuse_other_properties(grid, *KEPT)
    rows = ["".join(SIGNS[area] for area in row) for row in grid.layers["areas"].tolist()]
    players, edition = (setting_of(grid, name, KEPT[name]) for name in ("players", "edition"))
    owners, dice = (setting_of(grid, name, KEPT[name]) for name in ("owners", "dice"))
    return {"players": players, "edition": edition, "map": rows, "owners": owners, "dice": dice}


def _colour(area: int) -> str:
    """Neighbouring names far apart on the wheel."""
    shares = colorsys.hsv_to_rgb(area * 0.618 % 1.0, 0.45, 0.9)
    return "#" + "".join(f"{round(255 * share):02x}" for share in shares)


GRID = Form(
    layers={"areas": (Tile("water", "."), *(Tile(f"area {sign}", sign, _colour(n)) for n, sign in enumerate(NAMES)))},
    kinds=(),
    to_grid=to_grid,
    from_grid=from_grid,
    hexes=True,
    genes=lambda source: np.arange(len(source["map"]) * len(source["map"][0])).reshape(len(source["map"]), -1),
    options=lambda source: {"players": source["players"]},
)
