"""Decisions of a compiled player, measured in CPU time: other programs on the machine do not count."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import stream
from turnsmith.contract.game import OVER
from turnsmith.contract.loading import load
from turnsmith.play import step
from turnsmith.play.player import DEPTH, POLICY, WORK, CompiledPlayer, at, player


@dataclass(frozen=True)
class DecisionCost:
    """What a decision took: positions or simulations, the depth it reached, CPU seconds."""

    work: int
    depth: int
    seconds: float


def decide_once(game_text: str, player_text: str) -> DecisionCost:
    """Let a player decide in the first position of a game, with an empty memory; everything is compiled before."""
    game = load(game_text)
    position = game.start(seed=1)
    chosen = player(player_text, game)
    assert isinstance(chosen, CompiledPlayer)
    ready = chosen.prepare(game, position.boards)
    report, memory = np.zeros(POLICY, np.float64), np.zeros(ready.memory, np.uint8)
    asked = (position.actions, chosen.where(game), ready.data, memory, ready.linked(at(game)), report)
    begun = time.process_time()
    compiled(step.ask)(game, position.boards, position.view(0), *asked, stream(1))
    return DecisionCost(int(report[WORK]), int(report[DEPTH]), time.process_time() - begun)


def decide_often(game_text: str, player_text: str, decisions: int) -> float:
    """CPU seconds a decision, in the mean over the first decisions of matches among such players."""
    game = load(game_text)
    chosen = player(player_text, game)
    assert isinstance(chosen, CompiledPlayer)
    spent, seed, rng, report = 0.0, 0, stream(1), np.zeros(POLICY, np.float64)
    position = game.start(seed)
    for turn in range(decisions + 1):
        if position.mover == OVER:
            seed += 1
            position = game.start(seed)
        ready = chosen.prepare(game, position.boards)
        memory = np.zeros(ready.memory, np.uint8)
        arguments = (position.view(position.mover), position.actions, chosen.where(game), ready.data, memory)
        begun = time.process_time()
        action = compiled(step.ask)(game, position.boards, *arguments, ready.linked(at(game)), report, rng)
        spent += time.process_time() - begun if turn else 0.0  # the first may compile
        position.push(int(action))
    return spent / decisions


def depths(game_text: str, player_text: str, limits: Sequence[float]) -> list[int]:
    """How deep a search comes within each of the ascending limits of CPU seconds."""
    reached = [0] * len(limits)
    separator = "," if ":" in player_text else ":"
    decide_once(game_text, f"{player_text}{separator}depth=1")
    depth, spent = 0, 0.0
    while spent <= limits[-1]:
        reached = [depth if spent <= limit else before for limit, before in zip(limits, reached, strict=True)]
        depth += 1
        run = decide_once(game_text, f"{player_text}{separator}depth={depth},time={10 * limits[-1]}")
        if run.depth < depth:
            break
        spent = run.seconds
    return reached
