"""Mazes as grids: floor, dots and walls, and where pacmans and ghosts start. A text file is a map file of the game."""

from __future__ import annotations

from typing import Any

import numpy as np

from turnsmith.contract.grids import Form, Grid, Kind, Thing, Tile, refuse_other_properties, refused, setting_of
from turnsmith.games.pacman.maps import SIGNS, places, read

FLOOR, DOT, WALL = range(3)
CELLS = {"#": WALL, ".": DOT, " ": FLOOR, "P": FLOOR, "G": DOT}
UNITS = {"pacman": "P", "ghost": "G"}
assert set(CELLS) == set(SIGNS)


def to_grid(source: dict[str, Any]) -> Grid:
    rows = source["rows"]
    maze = np.array([[CELLS[sign] for sign in row] for row in rows], np.int16)
    things = tuple(Thing(kind, y, x) for kind, sign in UNITS.items() for x, y in places(rows, sign))
    return Grid({"maze": maze}, things, {name: source[name] for name in ("map", "t_max", "random", "unitwise")})


def from_grid(grid: Grid) -> dict[str, Any]:
    maze = grid.layers["maze"]
    rows = [[" .#"[cell] for cell in row] for row in maze.tolist()]
    for thing in grid.things:
        sign = UNITS[thing.kind]
        if rows[thing.row][thing.column] != " .#"[CELLS[sign]]:
            on = "bare floor" if sign == "P" else "a dot"
            raise refused("spawns", thing.row, thing.column, f"a {thing.kind} starts alone, on {on}")
        rows[thing.row][thing.column] = sign
    refuse_other_properties(grid, "map", "t_max", "random", "unitwise")
    flags = {name: setting_of(grid, name, False) for name in ("random", "unitwise")}
    drawn = ["".join(row) for row in rows]
    return {"map": setting_of(grid, "map", "a map"), "rows": drawn, "t_max": setting_of(grid, "t_max", 300), **flags}


def to_text(source: dict[str, Any]) -> str:
    rows, name = source["rows"], source["map"]
    head = f"id: {name}\ndescription: {name}\nsize: {len(rows[0])} x {len(rows)}\nt_max: {source['t_max']}\n"
    return head + "\n".join(rows) + "\n"


def from_text(text: str, said: str) -> dict[str, Any]:
    drawn = read(text, said)
    return {"map": drawn.name, "rows": list(drawn.rows), "t_max": drawn.t_max, "random": False, "unitwise": False}


GRID = Form(
    layers={"maze": (Tile("floor", " ", "#0b0b1e"), Tile("dot", ".", "#6b6250"), Tile("wall", "#", "#4c6fff"))},
    kinds=(
        Kind("pacman", "spawns", "P", "#f0e442", under=FLOOR),
        Kind("ghost", "spawns", "G", "#d55e00", "block", under=DOT),
    ),
    to_grid=to_grid,
    from_grid=from_grid,
    genes=lambda source: np.arange(len(source["rows"]) * len(source["rows"][0])).reshape(len(source["rows"]), -1),
    to_text=to_text,
    from_text=from_text,
)
