"""Pac-Man for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from turnsmith.games.pacman.rules import LETTERS, has_dot


@dataclass(frozen=True)
class Unit:
    name: int
    """Keeps its number all game long."""
    x: int
    y: int
    facing: str
    """w, a, s, d: up, left, down, right."""


@dataclass(frozen=True)
class Maze:
    """A position of Pac-Man."""

    rows: list[str]
    """The map: # for a wall, . for a dot, a space for a free cell."""
    pacmans: list[Unit]
    ghosts: list[Unit]
    dots: int
    """Dots that are left."""
    ply: int
    plies: int
    """After so many it ends."""


def json_state(board: Any, state: Any) -> Maze:
    rows = [["#"] * int(board.width) for _ in range(board.height)]
    for cell in range(board.cells):
        rows[int(board.y[cell])][int(board.x[cell])] = "." if has_dot(state, cell) else " "

    def units(cells: Any, names: Any, facing: Any, count: Any) -> list[Unit]:
        known = zip(names[:count].tolist(), cells[:count].tolist(), facing[:count].tolist(), strict=True)
        return [Unit(name, int(board.x[at]), int(board.y[at]), LETTERS[way]) for name, at, way in sorted(known)]

    return Maze(
        ["".join(row) for row in rows],
        units(state.pacman, state.pacman_name, state.pacman_facing, state.pacmans),
        units(state.ghost, state.ghost_name, state.ghost_facing, state.ghosts),
        int(state.left),
        int(state.ply),
        int(board.t_max),
    )
