"""Dice Wars for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from turnsmith.games.dicewars.maps import COLUMNS, ROWS, WATER
from turnsmith.games.dicewars.rules import DECIDE, PLACE, ROLL

PHASES: dict[int, Literal["decide", "roll", "place"]] = {DECIDE: "decide", ROLL: "roll", PLACE: "place"}


@dataclass(frozen=True)
class Area:
    name: str
    """As in moves: a0, a1, …"""
    owner: int
    """A seat."""
    dice: int
    beside: list[str]
    """Areas that it borders on."""


@dataclass(frozen=True)
class Attack:
    attacker: str
    defender: str
    won: bool | None
    """Null while the dice roll."""


@dataclass(frozen=True)
class Areas:
    """A position of Dice Wars."""

    phase: Literal["decide", "roll", "place", "over"]
    """What comes next: a decision, the dice of an attack, one die of reinforcement, nothing."""
    seat: int
    """Whose turn it is."""
    areas: list[Area]
    score: list[int]
    """Of each seat: areas of its largest region."""
    reserve: list[int]
    """Of each seat: dice kept for later; 0 where this seat cannot see them."""
    last_attack: Attack | None
    hexes: list[list[str | None]]
    """The map, row by row: the area of each hex, null for water. Odd rows lie half a hex to the right."""


def json_state(board: Any, state: Any) -> Areas:
    names = [f"a{area}" for area in range(board.areas)]
    borders: dict[int, list[str]] = {area: [] for area in range(board.areas)}
    for edge in range(board.edges):
        borders[int(board.source[edge])].append(names[int(board.target[edge])])
    areas = [Area(names[a], int(state.owner[a]), int(state.dice[a]), borders[a]) for a in range(board.areas)]
    attack = None
    if state.attacker >= 0:
        won = None if state.phase == ROLL else bool(state.won)
        attack = Attack(names[int(state.attacker)], names[int(state.defender)], won)
    grid = [int(area) for area in board.grid]
    rows = [grid[row * COLUMNS : (row + 1) * COLUMNS] for row in range(ROWS)]
    return Areas(
        PHASES.get(int(state.phase), "over"),
        int(state.seat),
        areas,
        [int(score) for score in state.score[: board.seats]],
        [int(dice) for dice in state.reserve[: board.seats]],
        attack,
        [[None if area == WATER else names[area] for area in row] for row in rows],
    )
