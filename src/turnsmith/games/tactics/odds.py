"""The chance of a shot as a sum of named modifiers, from where a soldier stands or as if it stood elsewhere."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import compiled
from turnsmith.games.tactics.rules import chance_after
from turnsmith.games.tactics.tables import (
    can_step,
    cover_from,
    distance_bonus,
    height_bonus,
    measure_sight,
    note_neighbours,
)
from turnsmith.languages import _, marked


def modifiers(board: Any, state: Any, shooter: int, target: int, cell: int | None = None) -> list[tuple[str, int]]:
    """What makes up the chance, in percent, that one soldier hits another, as if from `cell` if that is given.

    Their sum is the chance; `limit` is what the least or the greatest chance cuts. Empty if there is no line of fire or
    it is too far.
    """
    cell, other = int(state.cell[shooter] if cell is None else cell), int(state.cell[target])
    kind, side = int(board.kind[shooter]), int(board.side)
    if board.odds[kind, other, cell] == 0:
        return []
    dx, dy = cell % side - other % side, cell // side - other // side
    level = cover_from(board, other, dx, dy)
    found = [
        (marked("aim"), int(board.aim[kind])),
        (marked("distance"), distance_bonus(board, kind, dx * dx + dy * dy)),
        (marked("height"), int(height_bonus(board, cell, other))),
        (marked("half cover") if level == 1 else marked("full cover"), -int((0, board.half, board.full)[level])),
        (marked("taking cover"), -int(board.taking) if state.taking[target] else 0),
    ]
    total = sum(value for _name, value in found)
    found.append((marked("limit"), max(int(board.least), min(int(board.most), total)) - total))
    return [each for each in found if each[1] or each[0] == "aim"]


def told(found: list[tuple[str, int]]) -> str:
    """The modifiers and their sum in words.

    >>> told([("aim", 65), ("distance", 9), ("height", 5), ("half cover", -20)])
    'aim 65, distance +9, height +5, half cover -20 = 59 %'
    """
    parts = [f"{_(name)} {value}" if name == "aim" else f"{_(name)} {value:+d}" for name, value in found]
    return f"{', '.join(parts)} = {sum(value for _name, value in found)} %"


def enemies_of(board: Any, state: Any, unit: int) -> list[int]:
    """The living enemies of a soldier."""
    return [other for other in range(1 - (unit & 1), 2 * int(board.team), 2) if state.hp[other] > 0]


def shots(board: Any, state: Any, shooter: int, cell: int) -> dict[int, int]:
    """The enemies that a soldier could hit from a cell, and with what chance; the best first."""
    found = {}
    for target in enemies_of(board, state, shooter):
        raw = int(board.odds[board.kind[shooter], state.cell[target], cell])
        if raw:
            found[target] = int(chance_after(board, raw, state.taking[target]))
    return dict(sorted(found.items(), key=lambda each: -each[1]))


@lru_cache(maxsize=8)
def _sight(heights: bytes, side: int, farthest: int) -> tuple[Array, Array]:
    """uint8[cells, cells]: which cells' eyes see each other; int64[cells, 4]: the cells beside each."""
    sight, beside = np.zeros((side * side, side * side), np.uint8), np.zeros((side * side, 4), np.int64)
    compiled(measure_sight)(np.frombuffer(heights, np.int8), side, farthest, sight)
    note_neighbours(side, beside)
    return sight, beside


def ray(board: Any, shooter: int, cell: int, other: int) -> tuple[int, int] | None:
    """From where to where a soldier on `cell` can see somebody on `other`, either a step aside if need be; None if it
    cannot. Of several rays the one with the fewest such steps."""
    side, kind = int(board.side), int(board.kind[shooter])
    if board.odds[kind, other, cell] == 0:
        return None
    heights = board.heights[: board.cells]
    sight, beside = _sight(heights.tobytes(), side, int(board.range[: board.classes].max()) + 2)
    own = [c for c in beside[cell] if c >= 0 and can_step(heights, cell, c) and can_step(heights, c, cell)]
    its = [c for c in beside[other] if c >= 0 and can_step(heights, other, c)]
    ways = [(a, b) for a in (cell, *own) for b in (other, *its) if sight[a, b]]
    near = min(ways, key=lambda way: ((way[0] != cell) + (way[1] != other), way[0] != cell))
    return int(near[0]), int(near[1])


def way(board: Any, cell: int, target: int) -> list[int]:
    """The cells of a shortest way, both ends included."""
    heights, side, found = board.heights[: board.cells], int(board.side), [int(cell)]
    while found[-1] != target:
        here = found[-1]
        x, y = here % side, here // side
        around = [here + 1] * (x + 1 < side) + [here + side] * (y + 1 < side)
        around += [here - 1] * (x > 0) + [here - side] * (y > 0)
        nearer = int(board.steps[here, target]) - 1
        found.append(next(c for c in around if can_step(heights, here, c) and board.steps[c, target] == nearer))
    return found


def exposure(board: Any, state: Any, unit: int, cell: int) -> int:
    """The mean chance, in percent, that a living enemy hits a soldier on a cell."""
    enemies = enemies_of(board, state, unit)
    return round(sum(int(board.threat[board.kind[e], state.cell[e], cell]) for e in enemies) / max(1, len(enemies)))
