"""Homeguard for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from turnsmith.games.homeguard.maps import SIGNS
from turnsmith.games.homeguard.picture import unit_name
from turnsmith.games.homeguard.rules import NOBODY, TEAM, UNITS, cell_name


@dataclass(frozen=True)
class Soldier:
    name: str
    """blue1, blue2, red1, red2."""
    seat: int
    cell: str
    """As in moves: a column by its letter and a row, c5."""
    column: int
    row: int
    hp: int


@dataclass(frozen=True)
class Shot:
    """A shot of the last round."""

    shooter: str
    target: str
    damage: int


@dataclass(frozen=True)
class Garden:
    """A position of Homeguard."""

    rows: list[str]
    """The map: . for nothing, o for a stone, T for a tree."""
    portals: list[tuple[str, str]]
    """Cells that lead to each other."""
    soldiers: list[Soldier]
    shots: list[Shot]
    dealt: list[int]
    """Of each seat: hit points it has removed."""
    kills: list[int]
    """Of each seat: soldiers it has killed."""
    turn: int
    """Rounds that are over."""
    rounds: int


def json_state(board: Any, state: Any) -> Garden:
    side = int(board.side)
    covers = [SIGNS[int(cover)] for cover in board.cover[: side * side]]
    places = [int(place) for place in state.place]
    return Garden(
        ["".join(covers[row * side : (row + 1) * side]) for row in range(side)],
        [tuple(cell_name(board, int(cell) // 2) for cell in pair) for pair in board.portal[: board.pairs]],
        [
            Soldier(
                unit_name(unit),
                unit // TEAM,
                cell_name(board, places[unit]),
                int(board.x[places[unit]]),
                int(board.y[places[unit]]),
                int(state.hp[unit]),
            )
            for unit in range(UNITS)
        ],
        [
            Shot(unit_name(unit), unit_name(int(state.target[unit])), int(state.hit[unit]))
            for unit in range(UNITS)
            if state.target[unit] != NOBODY
        ],
        [int(dealt) for dealt in state.dealt],
        [int(kills) for kills in state.kills],
        int(state.turn),
        int(board.rounds),
    )
