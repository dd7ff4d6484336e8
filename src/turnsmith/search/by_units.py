"""A player of the unit-by-unit game at the table of the joint one: it decides for each unit in turn, and the pieces
make its move. So what was learned unit by unit meets players that move whole teams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from turnsmith.game import Array, Game
from turnsmith.kernel import copy
from turnsmith.player import POLICY, WORK
from turnsmith.search.puct import Settings
from turnsmith.unitwise import boards_around, unitwise


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
        settings.time = settings.time / count
        move, work = np.int64(0), 0.0
        for unit in range(count):
            around, state = boards[0], states[0]  # here, as a record alone does not keep its array
            many = rules.legal(around, state, pieces)
            piece = np.int64(decide(rules, around, state, pieces[:many], data, memory, own, report[:POLICY], rng))
            work += report[WORK]
            move = move * radix(board) + piece
            if unit + 1 < count:
                rules.apply(around, state, piece)
        report[WORK] = work
        return move

    return decide_by_units
