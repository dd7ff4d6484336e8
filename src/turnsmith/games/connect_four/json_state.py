"""Connect Four for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from turnsmith.games.connect_four.picture import cell, winning_cells


@dataclass(frozen=True)
class Stones:
    """A position of Connect Four."""

    columns: list[list[int]]
    """The seats whose stones lie in a column, from the bottom up."""
    height: int
    connect: int
    """Stones in a line that win."""
    winning: list[tuple[int, int]]
    """Column and row, counted from the bottom, of the stones that won."""


def json_state(board: Any, state: Any) -> Stones:
    width, height = int(board.width), int(board.height)
    columns = [[cell(board, state, x, y) for y in range(height)] for x in range(width)]
    stones = [[seat for seat in column if seat is not None] for column in columns]
    return Stones(stones, height, int(board.connect), sorted(winning_cells(board, state)))
