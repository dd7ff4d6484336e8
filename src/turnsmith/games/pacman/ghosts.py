"""The ghosts of the arcade, each with its own target, as they play the turn-based game.

They scatter to their corners for 10 of their turns and chase for 84, three times, then chase for good. All chase one
pacman, the one with the least mean straight-line distance to them, until it is caught or the mode changes. A ghost
takes the step that ends nearest to its target in a straight line, of equals up, left, down, right; it turns round or
stands only where nothing else is left. When the mode changes, every ghost that can turns round instead. They decide
one after another, Blinky, Pinky, Inky, Clyde, so that two never want one cell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import scratch
from turnsmith.compile.rng import below
from turnsmith.contract.game import Game
from turnsmith.games.pacman.maps import UNITS
from turnsmith.games.pacman.rules import PACMANS, STAY, WAYS
from turnsmith.games.pacman.teams import WISHES, WholeTeams, joint, settle
from turnsmith.play.player import HEADER, Prepared, filled, numbers

SCATTER, CHASE, WAVES = 10, 84, 3
BLINKY, PINKY, INKY, CLYDE = range(4)
SHY = 8
"""Cells within which Clyde leaves for his corner."""
FAR_AWAY = 1 << 30
Settings = numbers("inverted_clyde")
PREY = 1
"""The place in a seat's memory of the pacman that is chased (its name + 1)."""
ACROSS, ALONG = np.array([0, -1, 0, 1, 0]), np.array([-1, 0, 1, 0, 0])


def is_scattering(ply):
    turn = np.int64(ply) // 2
    return turn < WAVES * (SCATTER + CHASE) and turn % (SCATTER + CHASE) < SCATTER


def is_new_mode(ply):
    """Whether the ghosts' turn before this one was of the other mode."""
    return ply > 1 and is_scattering(ply) != is_scattering(ply - 2)


def square(board, cell, x, y):
    """The squared straight-line distance from a cell to a point."""
    dx, dy = np.int64(board.x[cell]) - x, np.int64(board.y[cell]) - y
    return dx * dx + dy * dy


def unit_called(names, count, name):
    """Where in its team the unit of a name stands, or -1."""
    for unit in range(count):
        if names[unit] == name:
            return unit
    return -1


def choose_prey(board, view):
    """The pacman with the least mean straight-line distance to the ghosts; of equals the first."""
    best, least = 0, np.inf
    for unit in range(view.pacmans):
        cell = view.pacman[unit]
        total = 0.0
        for ghost in range(view.ghosts):
            total += np.sqrt(
                np.float64(square(board, view.ghost[ghost], np.int64(board.x[cell]), np.int64(board.y[cell])))
            )
        if total < least:
            best, least = unit, total
    return best


def chase(board, view, memory, inverted):
    """The joint move of the ghosts. `memory` is a seat's, as int64."""
    scattering, turning = is_scattering(view.ply), is_new_mode(view.ply)
    prey = unit_called(view.pacman_name, np.int64(view.pacmans), memory[PREY] - 1)
    if prey < 0 or turning:
        prey = choose_prey(board, view)
    memory[PREY] = np.int64(view.pacman_name[prey]) + 1

    count = np.int64(view.ghosts)
    place, cells = scratch(UNITS, np.int64), scratch(UNITS, np.int64)
    wish, chosen = scratch(WISHES, np.float64), scratch(UNITS, np.int64)
    for name in range(count):
        place[name] = unit_called(view.ghost_name, count, name)
        cells[name] = view.ghost[place[name]]
    for name in range(count):
        cell, facing = cells[name], np.int64(view.ghost_facing[place[name]])
        x, y = aim(board, view, name & 3, cell, cells[0], prey, scattering, inverted)
        for index in range(board.ways[cell]):
            way = np.int64(board.way[cell, index])
            away = square(board, np.int64(board.near[cell, way]), x, y)
            if way == STAY:
                away += FAR_AWAY * 2
            elif way == (facing + 2) % 4:
                away += -FAR_AWAY if turning else FAR_AWAY
            wish[name * WAYS + way] = -np.float64(away)
    settle(board, cells, count, wish, chosen)
    for name in range(count):  # decided by name, written by place
        cells[place[name]] = chosen[name]
    return joint(cells, count)


def aim(board, view, name, cell, blinky, prey, scattering, inverted):
    """The point a ghost goes for."""
    if scattering:
        return np.int64(board.corner[name, 0]), np.int64(board.corner[name, 1])
    hunted, facing = view.pacman[prey], view.pacman_facing[prey]
    x, y = np.int64(board.x[hunted]), np.int64(board.y[hunted])
    dx, dy = np.int64(ACROSS[facing]), np.int64(ALONG[facing])
    if name == PINKY:
        return x + 4 * dx, y + 4 * dy
    if name == INKY:
        return 2 * (x + 2 * dx) - np.int64(board.x[blinky]), 2 * (y + 2 * dy) - np.int64(board.y[blinky])
    if name == CLYDE and (square(board, cell, x, y) > SHY * SHY) == inverted:
        return np.int64(board.corner[name, 0]), np.int64(board.corner[name, 1])
    return x, y


def decide(game, board, view, acts, data, memory, params, report, rng):
    if np.int64(view.ply) & 1 == PACMANS:
        return np.int64(acts[below(rng, acts.shape[0])])
    return chase(board, view, memory[:HEADER].view(np.int64), params.view(Settings)[0].inverted_clyde > 0.0)


@dataclass(frozen=True, repr=False)
class OriginalGhosts(WholeTeams):
    inverted_clyde: bool = setting(False)
    """Clyde the other way round: he chases what is near and keeps to his corner otherwise."""

    name = "original-ghosts"
    summary = "Blinky, Pinky, Inky and Clyde as in the arcade; pacmans it moves at random"
    decide = decide

    def prepare(self, game: Game, boards: Array) -> Prepared:
        return Prepared.of(params=filled(Settings, self))
