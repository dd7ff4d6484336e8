"""Tactics for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from turnsmith.games.tactics.rules import DECIDE, SHOT, cell_name, unit_name


@dataclass(frozen=True)
class Soldier:
    name: str
    """As in moves: green1, red1, …"""
    seat: int
    cell: str
    """As in moves: a column in letters and a row, c5."""
    column: int
    row: int
    hp: int
    """0 for the dead."""
    hp_most: int
    ammo: int
    ammo_most: int
    takes_cover: bool


@dataclass(frozen=True)
class Shot:
    shooter: str
    target: str
    damage: int | None
    """0 for a miss, null while it is in the air."""


@dataclass(frozen=True)
class Ground:
    """A position of Tactics."""

    heights: list[list[int]]
    """Of the cells, row by row."""
    soldiers: list[Soldier]
    acting: str | None
    """The soldier whose turn it is."""
    points: int
    """What it may still spend."""
    turn: int
    """Rounds that are over."""
    rounds: int
    last_shot: Shot | None


def json_state(board: Any, state: Any) -> Ground:
    side = int(board.side)
    heights = [int(height) for height in board.heights[: board.cells]]
    soldiers = []
    for unit in range(2 * int(board.team)):
        row, column = divmod(int(state.cell[unit]), side)
        soldiers.append(
            Soldier(
                unit_name(unit),
                unit & 1,
                cell_name(board, state.cell[unit]),
                column,
                row,
                int(state.hp[unit]),
                int(board.hp[unit]),
                int(state.ammo[unit]),
                int(board.magazine[unit]),
                bool(state.taking[unit]),
            )
        )
    shot = None
    if state.shooter >= 0:
        damage = None if state.phase == SHOT else int(state.damage)
        shot = Shot(unit_name(state.shooter), unit_name(state.target), damage)
    return Ground(
        [heights[row * side : (row + 1) * side] for row in range(side)],
        soldiers,
        unit_name(state.unit) if state.phase == DECIDE else None,
        int(state.points),
        int(state.turn),
        int(board.rounds),
        shot,
    )
