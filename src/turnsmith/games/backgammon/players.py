"""The players of backgammon: `learned`, whose net has learned what positions are worth from games with itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import FileName, setting
from turnsmith.compile.kernel import copy, is_set
from turnsmith.contract.game import OVER, Game
from turnsmith.games.backgammon.net import (
    INPUTS,
    MOST_ENDS,
    OUTPUTS,
    PLACES,
    STEPS,
    list_ends,
    value_of,
)
from turnsmith.nets.dense import flat, read_net, sizes_of
from turnsmith.nets.files import until_changed
from turnsmith.play.player import HEADER, POLICY, STOP, VALUE, WORK, CompiledPlayer, Prepared, filled, numbers

SHIPPED = Path(__file__).with_name("value.onnx")
MOST_HIDDEN = 1024

Settings = numbers("turns", "width", "hidden")


def decide(game, board, view, acts, data, memory, params, report, rng):
    settings = params.view(Settings)[0]
    seat, hidden = game.to_move(board, view), np.empty(np.int64(settings.hidden), np.float32)
    weights = data.view(np.float32)
    inputs, out, returns = np.empty(INPUTS, np.float32), np.empty(OUTPUTS, np.float32), np.empty(2, np.float64)
    ways, ends, firsts = np.empty(STEPS, game.State), np.empty(MOST_ENDS, game.State), np.empty(MOST_ENDS, np.int64)
    met, moves = np.empty(PLACES, np.uint64), np.empty((STEPS, board.actions), np.int32)
    stop = memory[STOP:HEADER].view(np.int64)

    # 1. All ways to play the roll, and what the net thinks of where they lead.
    copy(ways[0], view)
    count = list_ends(game, board, ways, ends, firsts, met, moves)
    values = np.empty(count, np.float64)
    for index in range(count):
        values[index] = value_of(game, board, ends[index], seat, weights, inputs, hidden, out, returns)
    work, best = count, np.argmax(values)

    # 2. The best of them again, by the other's best answers to all rolls.
    if settings.turns >= 2.0 and count > 1:
        order = np.argsort(-values)
        replies, answers = np.empty(MOST_ENDS, game.State), np.empty(MOST_ENDS, np.int64)
        chances, rolls = np.empty(board.outcomes, np.float64), np.empty(board.outcomes, np.int32)
        best, highest = order[0], -np.inf
        for place in range(min(count, np.int64(settings.width))):
            end = ends[order[place]]
            if game.to_move(board, end) == OVER:  # the game is won
                best = order[place]
                break
            outcomes, value = game.legal(board, end, rolls), 0.0
            game.weights(board, end, chances)
            for roll in range(outcomes):
                copy(ways[0], end)
                game.apply(board, ways[0], np.int64(rolls[roll]))
                total = list_ends(game, board, ways, replies, answers, met, moves)
                reply = -np.inf
                for index in range(total):
                    reply = max(
                        reply, value_of(game, board, replies[index], 1 - seat, weights, inputs, hidden, out, returns)
                    )
                work += total
                value -= chances[roll] * reply
            values[order[place]] = value
            if value > highest:
                best, highest = order[place], value
            if is_set(stop):
                break
    report[VALUE], report[WORK] = values[best], work
    if report.shape[0] > POLICY:
        for index in range(acts.shape[0]):
            report[POLICY + index] = 1.0 if acts[index] == firsts[best] else 0.0
    return np.int64(firsts[best])


@dataclass(frozen=True, repr=False)
class Learned(CompiledPlayer):
    name = "learned"
    summary = "judges positions by a net that learned from games with itself"
    tells = "value"
    decide = decide

    turns: int = setting(1, 1, 2)
    """Turns to look ahead: its own, or also the other's answers to every roll."""
    width: int = setting(8, 1, 64)
    """Ways to play a roll that are looked at for two turns, the best by one."""
    net: Annotated[str, FileName()] = setting("")
    """A file of `turnsmith train backgammon value`, in place of the net that comes with the game."""

    def prepare(self, game: Game, boards: Array) -> Prepared:
        file = Path(self.net) if self.net else SHIPPED
        net = _read(file)
        sizes = sizes_of(net.layers)
        if net.about.get("kind") != "backgammon" or sizes[0] != INPUTS or sizes[-1] != OUTPUTS or len(sizes) != 3:
            raise BadInput(f"{file} is no net of backgammon; train one: turnsmith train backgammon value")
        if sizes[1] > MOST_HIDDEN:
            raise BadInput(f"{file} is too wide to play with: {MOST_HIDDEN} hidden numbers at most")
        params = filled(Settings, self, hidden=float(sizes[1]))
        return Prepared.of(data=flat(net.layers), params=params)


_read = until_changed(read_net)

PLAYERS = {"learned": Learned}
LEVELS = {"easy": "mcts:simulations=30", "medium": "expectimax:depth=1", "hard": "learned", "expert": "learned:turns=2"}
