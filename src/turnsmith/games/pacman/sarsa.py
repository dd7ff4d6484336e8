"""Pacmans by SARSA: ten features say in which of 512 situations a pacman is, and a table what each way is worth there.

The features are walls on four sides, the way a simple rule prefers, ghosts that bar four sides, and whether there is no
way out. All are seen from the preferred way, so turned positions are one situation and the table has
a line of five numbers for each: ahead, left, back, right, stay. Ghosts are moved as in the arcade. ``episodes.py``
learns the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import FileName, setting
from turnsmith.compile.kernel import scratch
from turnsmith.contract.game import Game
from turnsmith.games.pacman.ghosts import chase
from turnsmith.games.pacman.maps import CELLS, UNITS
from turnsmith.games.pacman.rules import PACMANS, STAY, WAYS, has_dot
from turnsmith.games.pacman.teams import WISHES, WholeTeams, joint, settle
from turnsmith.nets.files import read_json
from turnsmith.play.player import HEADER, Prepared

SHIPPED = Path(__file__).parent / "sarsa.json"
SITUATIONS = 1 << 9
CLOSE = 10
"""Steps within which a ghost that bars a side is a feature."""
TIGHT = 6
"""Cells reached before every ghost, below which room comes before dots."""
TRAPPED = 8
"""The bit of having no way out; four bits of walls and four of ghosts are below it."""
NOWHERE, LEFT_TO_OTHERS = 1 << 20, 1 << 8
CROSSROAD = 4
"""Ways from a cell with at least three exits, staying among them."""


def turned(way, ahead):
    """A way as seen by who looks `ahead`: 0 ahead, 1 left, 2 back, 3 right, 4 stay."""
    return way if way == STAY else (way - ahead) & 3


def soonest(board, cells, count, target):
    """Steps from the nearest of some cells to a target."""
    least = np.int64(NOWHERE)
    for unit in range(count):
        least = min(least, np.int64(board.dist[cells[unit], target]))
    return least


def has_way_out(board, soon, cell, spent):
    """Whether one who leaves a cell `spent` turns from now comes to another crossroad before every ghost."""
    for other in range(board.cells):
        steps = np.int64(board.dist[cell, other])
        if board.ways[other] >= CROSSROAD and steps > 0 and spent + steps < soon[other]:
            return True
    return False


def room(board, soon, cell, spent):
    """How many cells one who leaves a cell `spent` turns from now comes to before every ghost."""
    count = np.int64(0)
    for other in range(board.cells):
        count += spent + np.int64(board.dist[cell, other]) < soon[other]
    return count


def next_meal(board, view, soon, unit):
    """The nearest dot that has a way out, -1 for none; dots that another pacman is nearer to come last."""
    cell = np.int64(view.pacman[unit])
    found, least = np.int64(-1), np.int64(NOWHERE)
    for dot in range(board.cells):
        if not has_dot(view, dot):
            continue
        steps = np.int64(board.dist[cell, dot])
        is_others = soonest(board, view.pacman, np.int64(view.pacmans), dot) < steps
        rank = steps + LEFT_TO_OTHERS if is_others else steps
        if rank < least and steps < soon[dot] and has_way_out(board, soon, dot, steps):
            found, least = np.int64(dot), rank
    return found


def preferred(board, view, soon, unit):
    """The way to the next meal, of equally short ones the farther from ghosts; without a meal, or in a tight place, the
    way with the most room."""
    cell = np.int64(view.pacman[unit])
    meal = next_meal(board, view, soon, unit) if room(board, soon, cell, 0) >= TIGHT else np.int64(-1)
    best, most = np.int64(0), np.int64(-1)
    for index in range(board.ways[cell] - 1):  # staying is the last of the ways
        way = np.int64(board.way[cell, index])
        to = np.int64(board.near[cell, way])
        if meal < 0:
            worth = room(board, soon, to, 1)
        else:
            worth = soon[to] if board.dist[to, meal] < board.dist[cell, meal] else np.int64(-1)
        if worth > most:
            best, most = way, worth
    return best


def situation(board, view, unit):
    """The number of the situation pacman `unit` is in, and the way the rule prefers."""
    cell, ghosts = np.int64(view.pacman[unit]), np.int64(view.ghosts)
    soon = scratch(CELLS, np.int64)
    for other in range(board.cells):
        soon[other] = soonest(board, view.ghost, ghosts, other)
    ahead = preferred(board, view, soon, unit)
    number = np.int64(0) if has_way_out(board, soon, cell, 0) else np.int64(1 << TRAPPED)
    for way in range(4):
        to, side = np.int64(board.near[cell, way]), turned(way, ahead)
        if to < 0:
            number |= 1 << side
        elif not has_way_out(board, soon, to, 1) and (board.ways[to] < CROSSROAD or soon[to] <= 1):
            for ghost in range(ghosts):
                steps = np.int64(board.dist[cell, view.ghost[ghost]])
                if steps <= CLOSE and board.dist[to, view.ghost[ghost]] < steps:
                    number |= 1 << (4 + side)
    return number, ahead


def wish_for(board, view, unit, values, wish):
    """Fill a pacman's wishes with what its ways are worth; returns its situation and its preferred way."""
    number, ahead = situation(board, view, unit)
    for way in range(WAYS):
        wish[unit * WAYS + way] = values[number * WAYS + turned(way, ahead)]
    return number, ahead


def decide(game, board, view, acts, data, memory, params, report, rng):
    if np.int64(view.ply) & 1 != PACMANS:
        return chase(board, view, memory[:HEADER].view(np.int64), False)
    count, values = np.int64(view.pacmans), data.view(np.float64)
    wish, chosen = scratch(WISHES, np.float64), scratch(UNITS, np.int64)
    for unit in range(count):
        wish_for(board, view, unit, values, wish)
    settle(board, view.pacman, count, wish, chosen)
    return joint(chosen, count)


def read_values(file: str) -> Array:
    """float64[SITUATIONS, WAYS]: the table of a file, the shipped one if there is none."""
    path = Path(file) if file else SHIPPED
    try:
        values = np.array(read_json(path)["values"], np.float64)
    except (KeyError, TypeError, ValueError):
        values = np.zeros(0)
    if values.shape != (SITUATIONS, WAYS) or not np.isfinite(values).all():
        raise BadInput(f"{path} is no table of {SITUATIONS} x {WAYS} values; make one by: turnsmith train pacman sarsa")
    return values


@dataclass(frozen=True, repr=False)
class Sarsa(WholeTeams):
    file: Annotated[str, FileName()] = setting("")
    """A table of one's own, made by `turnsmith train pacman sarsa`; empty for the shipped one."""

    name = "sarsa"
    summary = "pacmans by a table learned with SARSA on ten features; ghosts as in the arcade"
    decide = decide

    def prepare(self, game: Game, boards: Array) -> Prepared:
        return Prepared.of(read_values(self.file))
