"""The players of Connect Four: `perfect`, by an opening table and the exact solver, `zero`, which taught itself, and
the levels of difficulty."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import copy
from turnsmith.contract.game import Game
from turnsmith.games.connect_four import openings
from turnsmith.games.connect_four.solver import best_move, refusal_of, score_after, solver_for
from turnsmith.languages import _
from turnsmith.play.player import DEPTH, HEADER, POLICY, VALUE, WORK, CompiledPlayer, Prepared
from turnsmith.play.position import PositionView
from turnsmith.search.alphazero import ShippedAlphaZero
from turnsmith.search.limits import MOST, NODES, STOPPED, start_work, stop_flag
from turnsmith.search.table import fitting

SMALL = 30  # cells of a board that can be solved from the start in about a second
LEAST = 15  # the smallest table, as a power of 2
PATIENCE = 200_000  # positions to look at for a quicker win, or a slower loss, among moves that keep the value


def decide(game, board, view, acts, data, memory, params, report, rng):
    mine, filled = view.stones[view.ply & 1], view.stones[0] | view.stones[1]
    # 1. The opening table knows.
    action, value = openings.look_up(data.view(np.uint64), mine, filled)
    work = start_work(params)
    if action < 0:
        # 2. Else the solver does, with all that it found earlier in the match.
        head, table = memory[:HEADER].view(np.int64), memory[HEADER:].view(np.uint64)
        if head[0] == 0:
            table[:] = 0
            head[0] = 1
        solver = solver_for(board, table, work, stop_flag(memory))
        value, action = best_move(solver, mine, filled)
        if action < 0:
            # 3. If it had to stop, the column nearest to the middle will do.
            action = nearest_to_middle(board, acts)
        else:
            action = play_on(game, board, view, acts, solver, value, action)
    report[VALUE], report[WORK], report[DEPTH] = value, max(work[NODES], 1), solver_depth(board, view, work)
    if report.shape[0] > POLICY:
        for index in range(acts.shape[0]):
            report[POLICY + index] = 1.0 if acts[index] == action else 0.0
    return action


def solver_depth(board, view, work):
    """How far the answer reaches: to the end of the game, unless it had to stop."""
    return 0 if work[STOPPED] else board.width * board.height - view.ply


def nearest_to_middle(board, acts):
    best = np.int64(acts[0])
    for action in acts:
        if abs(2 * action - board.width + 1) < abs(2 * best - board.width + 1):
            best = np.int64(action)
    return best


def play_on(game, board, view, acts, solver, value, action):
    """Of the moves that keep a won or lost value, the one that wins soonest or loses latest, if it is soon found."""
    if value == 0:
        return action
    after, best, chosen = np.empty(1, game.State), 0 if value > 0 else -solver.cells, action
    solver.work[MOST] = solver.work[NODES] + PATIENCE
    for index in range(acts.shape[0]):
        copy(after[0], view)
        game.apply(board, after[0], np.int64(acts[index]))
        score = -score_after(solver, after[0], -solver.cells, -best)
        if solver.work[STOPPED]:
            chosen = action
            break
        if score > best:
            best, chosen = score, np.int64(acts[index])
    solver.work[STOPPED] = 0
    return chosen


def is_standard(board: Any) -> bool:
    return (int(board.width), int(board.height)) == (openings.WIDTH, openings.HEIGHT)


@dataclass(frozen=True, repr=False)
class Perfect(CompiledPlayer):
    time: float = setting(0.0, 0.0, 86_400.0)
    """Seconds for one decision, after which it gives up solving; 0 is no limit."""
    table: int = setting(20, LEAST, 26)
    """Size of the solver's table: 2 to this power entries of 8 bytes."""

    name = "perfect"
    summary = "never lets a won or drawn game slip: an opening table, then the exact solver"
    tells = "value"
    decide = decide

    def refuses(self, game: Game, board: Any) -> str | None:
        reason: str | None = refusal_of(board)
        if reason is None and not is_standard(board) and board.width * board.height > SMALL:
            reason = _("it solves the board of 7 x 6, and others of at most {} cells").format(SMALL)
        return reason

    def prepare(self, game: Game, boards: Array) -> Prepared:
        data = openings.shipped() if is_standard(boards[0]) else None
        return Prepared.of(data=data, memory=8 << fitting(self.table, LEAST, 8), params=[0.0, 0.0, self.time])

    def within(self, seconds: float) -> Perfect:
        return replace(self, time=min(self.time or seconds, seconds))

    def note(self, position: PositionView, action: int, report: Array, memory: Array) -> str:
        if not report[DEPTH]:
            return _("no time to solve it: the middle")
        if report[VALUE] < 0:
            return _("lost, if the other plays perfectly")
        return _("won, whatever the other does") if report[VALUE] > 0 else _("drawn, whatever the other does")


@dataclass(frozen=True, repr=False)
class ConnectFourZero(ShippedAlphaZero):
    exploration: float = setting(0.4, 0.0, 100.0)
    """How much a move gains from being likely and visited little: less than in training, where games should differ."""

    nets: ClassVar[dict[int, Path]] = {2: Path(__file__).with_name("zero.onnx")}


PLAYERS = {"zero": ConnectFourZero, "perfect": Perfect}
LEVELS = {
    "easy": "mcts:simulations=30",
    "medium": "mcts:simulations=1000",
    "self-taught": "zero:simulations=1000",
    "hard": "negamax:time=1",
    "expert": "perfect",
}
