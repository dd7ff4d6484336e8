"""A move that a person has begun, and what a player would go on with: one unit's part of a joint move at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from turnsmith.common.errors import BadInput
from turnsmith.contract.game import Game
from turnsmith.contract.unitwise import unitwise
from turnsmith.languages import _
from turnsmith.play.player import CompiledPlayer, Decision, Player
from turnsmith.play.position import PositionView

AskPlayer = Callable[[Player, PositionView], Decision]
"""How a player is asked: in so many seconds, and stopped when nobody waits."""


def go_on(who: Player, position: PositionView, source: Any, begun: str, ask: AskPlayer) -> Decision:
    """What a player would do where the first pieces of a move are chosen already.

    One that plays unit by unit is asked for the next unit alone; another for a whole move, among those that begin so.
    """
    if not begun:
        return ask(who, position)
    fitting = [action for action in position.actions.tolist() if f"{position.words(action)} ".startswith(f"{begun} ")]
    if not fitting:
        raise BadInput(_("no move begins with '{begun}'; take some of it back").format(begun=begun))
    if len(fitting) == 1:
        return Decision(fitting[0], position.words(fitting[0]))
    game = position.game
    if game.units is not None:
        split = unitwise(game)
        boards = split.build(source)
        if who.refuses(split, boards[0]) is None:
            opened = PositionView(split, boards, _opened(position, split, fitting[0], begun), position.seed)
            return _with_next(position, fitting, begun, ask(who, opened))
    decision = ask(who, position)
    if decision.action not in fitting and who.name in game.players() and isinstance(who, CompiledPlayer):
        decision = ask(who, position.narrowed(fitting))
    if decision.action not in fitting:
        raise BadInput(
            _("{who} would have begun otherwise, with {words}; let it make the whole move").format(
                who=repr(who), words=decision.words
            )
        )
    return decision


def _opened(position: PositionView, split: Game, action: int, begun: str) -> Any:
    """The state of the game unit by unit in which the units of these pieces have decided."""
    states, joint = np.zeros(1, split.State), position.state
    for name in position.game.State.names or ():
        states[name] = joint[name]
    assert split.joint is not None
    assert split.joint.units is not None
    assert split.joint.radix is not None
    decided, base = len(begun.split()), int(split.joint.radix(position.board))
    states["decided"] = decided
    states["chosen"] = action // base ** (int(split.joint.units(position.board, joint)) - decided)
    return states


def _with_next(position: PositionView, fitting: list[int], begun: str, answer: Decision) -> Decision:
    """A move that begins as chosen, and then as the player says for the next unit."""
    words = f"{begun} {answer.words}"
    action = next(action for action in fitting if f"{position.words(action)} ".startswith(f"{words} "))
    return Decision(action, position.words(action), answer.value, None, answer.note)
