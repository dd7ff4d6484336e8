"""`master`: plays on from its best ideas many times, and takes the one that turns out best."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from turnsmith.game import CHANCE, OVER
from turnsmith.games.tactics.cells import MOST_ACTIONS, SHIPPED, WIDTH, best_of, choose, read_weights, score_actions
from turnsmith.games.tactics.rules import DECIDE, State
from turnsmith.kernel import copy, is_set, scratch
from turnsmith.player import VALUE, WORK, CompiledPlayer, Prepared, filled, numbers
from turnsmith.rng import draw, mix
from turnsmith.search.limits import stop_flag
from turnsmith.texts import FileName, setting

Settings = numbers("playouts", "rounds", "width")
MOST = 64


def clock(board, state):
    """Activations that have begun, those of the dead included."""
    return np.int64(state.turn) * 2 * np.int64(board.team) + np.int64(state.unit)


def playout(game, board, state, me, until, weights, listed, rng):
    """Let `cells` play both sides until the clock says `until`; what that is worth to `me`."""
    out = scratch(2, np.float64)
    mover = game.to_move(board, state)
    while mover != OVER:
        if mover == CHANCE:
            action = np.int64(game.sample(board, state, rng))
        elif clock(board, state) >= until:
            game.evaluate(board, state, out)
            return out[me]
        else:
            action = choose(board, state, listed[: game.legal(board, state, listed)], weights)
        game.apply(board, state, action)
        mover = game.to_move(board, state)
    game.returns(board, state, out)
    return out[me]


def decide_by_playouts(game, board, view, acts, data, memory, params, report, rng):
    settings, weights = params.view(Settings)[0], data.view(np.float64)
    me, stop = np.int64(view.unit) & 1, stop_flag(memory)
    # 1. The ideas: the actions that `cells` likes best.
    scores, kinds = scratch(MOST_ACTIONS, np.float64), scratch(MOST_ACTIONS, np.int8)
    score_actions(board, view, acts, weights, scores, kinds, scratch(WIDTH, np.float64).reshape(1, WIDTH))
    ideas, totals, alive = scratch(MOST, np.int64), scratch(MOST, np.float64), min(np.int64(settings.width), acts.shape[0])
    for place in range(alive):
        best = best_of(board, view, acts, scores)
        ideas[place], totals[place] = acts[best], 0.0
        scores[best] = -np.inf
    # 2. Sequential halving
    listed, states, dice = np.empty(board.actions, np.int32), scratch(1, State), scratch(1, np.uint64)
    start, until = draw(rng), clock(board, view) + np.int64(settings.rounds * 2 * board.team)
    phases = 0
    while 1 << phases < alive:
        phases += 1
    done, work = 0, 0
    while alive > 1 and not is_set(stop):
        each = max(1, np.int64(settings.playouts) // (phases * alive))
        for place in range(alive):
            for number in range(done, done + each):
                copy(states[0], view)
                dice[0] = mix(start + np.uint64(number))
                game.apply(board, states[0], ideas[place])
                totals[place] += playout(game, board, states[0], me, until, weights, listed, dice)
        done += each
        work += each * alive
        alive = keep_better_half(ideas, totals, alive)
    report[VALUE] = totals[0] / max(1, done)
    report[WORK] = work
    return ideas[0]


def keep_better_half(ideas, totals, alive):
    half = (alive + 1) // 2
    for place in range(half):
        best = place
        for index in range(place + 1, alive):
            if totals[index] > totals[best]:
                best = index
        idea, total = ideas[best], totals[best]
        for index in range(best, place, -1):
            ideas[index], totals[index] = ideas[index - 1], totals[index - 1]
        ideas[place], totals[place] = idea, total
    return half


@dataclass(frozen=True, repr=False)
class Master(CompiledPlayer):
    name = "master"
    summary = "plays on from the best ideas of cells many times, and takes the one that turns out best"
    decide = decide_by_playouts
    board_independent = True
    playouts: int = setting(400, 1, 1_000_000)
    rounds: float = setting(2.0, 0.0, 1000.0)
    width: int = setting(8, 1, MOST)
    file: Annotated[str, FileName()] = setting("")

    def prepare(self, game, boards):
        return Prepared.of(
            data=read_weights(Path(self.file) if self.file else SHIPPED), params=filled(Settings, self)
        )
