"""Units that wish one by one, and the joint move that comes of it; who moves pacmans so leaves ghosts to the arcade."""

from __future__ import annotations

from typing import Any

import numpy as np

from turnsmith.compile.kernel import scratch
from turnsmith.contract.game import Game
from turnsmith.games.pacman.maps import UNITS
from turnsmith.games.pacman.rules import STAY, WAYS, can_finish, is_taken
from turnsmith.languages import _
from turnsmith.play.player import CompiledPlayer

WISHES = UNITS * WAYS
"""Room for a number a unit and way: the wish of unit u for way w stands at u * WAYS + w."""


def settle(board, cells, count, wish, chosen):
    """One unit after another takes the open way it wishes most, of equals the first, that leaves the others room.

    cells[:count] is where they stand; their ways go to chosen[:count].
    """
    target = scratch(UNITS, np.int64)
    for unit in range(count):
        cell = np.int64(cells[unit])
        best, most = np.int64(STAY), -np.inf
        for index in range(board.ways[cell]):
            way = np.int64(board.way[cell, index])
            if wish[unit * WAYS + way] <= most:
                continue
            target[unit] = board.near[cell, way]
            if not is_taken(target, unit, target[unit]) and can_finish(board, cells, count, target, unit + 1):
                best, most = way, wish[unit * WAYS + way]
        target[unit] = board.near[cell, best]
        chosen[unit] = best


def joint(chosen, count):
    """The number of a joint move from the ways of its units."""
    move = np.int64(0)
    for unit in range(count):
        move = move * WAYS + chosen[unit]
    return move


class WholeTeams(CompiledPlayer):
    """A player that moves all units of a team at once."""

    def refuses(self, game: Game, board: Any) -> str | None:
        return _("it moves whole teams; play with moves=joint, or take mcts") if game.joint is not None else None
