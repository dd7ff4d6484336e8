"""A quick adviser for the time until a better one is compiled: it needs no compiled code at all."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import interpreted
from turnsmith.compile.rng import below, stream
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.languages import _
from turnsmith.play.player import Decision, Player
from turnsmith.play.position import PositionView


@dataclass(frozen=True, repr=False)
class Glance(Player):
    """Looks one move ahead, and plays random games from there while there is time."""

    seconds: float = 1.5

    name = "glance"
    summary = "looks one move ahead: for the time until others are compiled"

    def refuses(self, game: object, board: object) -> str | None:
        return "something is hidden" if getattr(game, "hides", False) else None

    def act(self, position: PositionView) -> Decision:
        mover, until = position.mover, time.monotonic() + self.seconds
        nexts = [(action, position.after([action])) for action in position.actions.tolist()]
        order = np.argsort(
            [int(stream(position.seed, action)[0]) for action, _ in nexts]
        )  # there may not be time for all
        total, count = np.zeros(len(nexts)), np.zeros(len(nexts))
        certain = position.game.evaluates or all(look.mover == OVER for _, look in nexts)
        turn = 0
        while turn == 0 or (time.monotonic() < until and not (certain and turn >= len(nexts))):
            place = order[turn % len(nexts)]
            look = nexts[place][1]
            total[place] += (_guess(look) if look.game.evaluates else _returns(look, turn))[mover]
            count[place] += 1
            turn += 1
        means = np.where(count > 0, total / np.maximum(count, 1), -np.inf)
        best = int(np.argmax(means))
        action = nexts[best][0]
        sentence = _("a quick look at {seen} of {moves} moves")
        note = sentence.format(seen=int((count > 0).sum()), moves=len(nexts))
        return Decision(action, position.words(action), float(means[best]), note=note)


def _guess(look: PositionView) -> Array:
    """What each seat may expect by the game's own estimate; where chance is to move, after one of its outcomes."""
    look = look.after([])
    look.resolve_chance(1)
    return np.array(look.forecast())


def _returns(look: PositionView, number: int) -> Array:
    """What each seat has at the end of a random game."""
    look = look.after([])
    while look.mover != OVER:
        if look.mover == CHANCE:
            look.advance(look.draw_chance(number))
        else:
            acts = look.actions
            look.advance(int(acts[interpreted(below)(stream(number, len(look.history), 1), len(acts))]))
    return look.returns
