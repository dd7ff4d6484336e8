"""Joint moves decided unit by unit: a player of the unit-by-unit game plays the joint game.

The player decides for each unit in turn, and the pieces make its move. So a net that learned unit by unit meets players
that move whole teams.

Where visits choose, the player searches once, for the first unit, with the simulations of all units. All other choices
follow the first one, and the tree keeps what the search found about them. A new search for every unit plays worse
there. Where moves race, the losers take as many simulations as the best one, so every unit has a race of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import copy
from turnsmith.contract.game import Game
from turnsmith.contract.unitwise import boards_around, unitwise
from turnsmith.play.player import DEPTH, POLICY, VALUE, WORK
from turnsmith.search.puct import Settings


@dataclass(frozen=True)
class _Rules:
    """A game as compiled code sees it; its name says all that a digest needs to know."""

    name: str
    _numba_type_: Any

    def __getattr__(self, name: str) -> Any:
        """What interpreted code asks for."""
        if name.startswith("_") or name not in self._numba_type_.members:
            raise AttributeError(name)
        return self._numba_type_.members[name]


@cache
def split(game: Game) -> Game:
    """The same game unit by unit, made once."""
    return unitwise(game)


def split_boards(game: Game, boards: Array) -> Array:
    assert game.radix is not None
    return boards_around(split(game).Board, game.radix, False, boards)


def most_units(game: Game, boards: Array) -> int:
    """How many units a joint move is made for at most."""
    assert game.radix is not None
    board = boards[0]
    return max(1, round(math.log(int(board["actions"]), max(2, int(game.radix(board))))))


@cache
def deciding(game: Game, decide: Callable[..., Any]) -> Callable[..., Any]:
    """What decides on joint moves by a `decide` for units; params are those of ``puct``."""
    kind, units, radix = split(game)._numba_type_, game.units, game.radix
    rules = _Rules(kind.name, kind)
    assert units is not None
    assert radix is not None

    def decide_by_units(game, board, view, acts, data, memory, params, report, rng):
        boards, states, pieces = np.empty(1, rules.Board), np.empty(1, rules.State), np.empty(radix(board), np.int32)
        around, count, own = boards[0], units(board, view), params.copy()
        around.seats, around.actions, around.outcomes = board.seats, radix(board), board.outcomes
        around.low, around.high = board.low, board.high
        copy(around.joint, board)
        copy(states[0], view)
        settings = own.view(Settings)[0]
        together = settings.considered < 1.0 or settings.time > 0.0
        if together:
            settings.simulations = settings.simulations * count
        move, work, depth, value = np.int64(0), 0.0, 0.0, 0.0
        for unit in range(count):
            around, state = boards[0], states[0]  # here, as a record alone does not keep its array
            many = rules.legal(around, state, pieces)
            piece = np.int64(decide(rules, around, state, pieces[:many], data, memory, own, report[:POLICY], rng))
            if unit == 0:
                work, depth, value = report[WORK], report[DEPTH], report[VALUE]
            elif not together:
                work += report[WORK]
            if together:
                settings.simulations, settings.time, settings.considered = 1.0, 0.0, 0.0
            move = move * radix(board) + piece
            if unit + 1 < count:
                rules.apply(around, state, piece)
        report[WORK], report[DEPTH], report[VALUE] = work, depth, value
        return move

    return decide_by_units
