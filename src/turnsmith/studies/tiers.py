"""What the first tier of compiled code costs and saves (see ``play.tiers``), game by game."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

from turnsmith.compile.rng import stream
from turnsmith.contract.game import Game
from turnsmith.contract.loading import load
from turnsmith.play.erased import erased
from turnsmith.play.player import POLICY, CompiledPlayer, player
from turnsmith.play.tiers import FIRST, SECOND, code_for, within_tier

PAIRS = (
    *((game, "mcts:simulations=2000") for game in ("backgammon", "breakthrough", "connect_four", "dicewars", "go")),
    *((game, "mcts:simulations=2000") for game in ("goofspiel", "hex", "homeguard", "kuhn", "leduc", "othello")),
    *((game, "mcts:simulations=2000") for game in ("pig", "tic_tac_toe", "trails")),
    *(("pacman", "mcts:simulations=300"), ("tactics", "mcts:simulations=300"), ("mastermind", "mcts:simulations=300")),
    *(("connect_four", "negamax:depth=9"), ("othello", "negamax:depth=6"), ("pig", "expectimax:depth=6")),
    *(("trails", "maxn:depth=8"), ("connect_four", "zero:simulations=1000"), ("pig", "zero:simulations=400")),
    *(("connect_four", "softmax:player.simulations=400"),),
)
"""Games, and players of both tiers."""
ROUNDS, LEAST = 5, 0.2
"""How often the tiers take turns, and the least CPU seconds that each decides for in one turn."""


def compare(text: str, who: str) -> dict[str, float]:
    """How many times slower the first tier decides (`slower`), and the CPU seconds that compiling takes in an empty
    cache: of the game's rules, which is all that the first tier needs anew, and of the second tier."""
    game = load(text)
    chosen = player(who, game)
    assert isinstance(chosen, CompiledPlayer)
    best = {FIRST: np.inf, SECOND: np.inf}
    for _ in range(ROUNDS):
        for tier in best:
            best[tier] = min(best[tier], _decision(game, chosen, tier))
    return {
        "slower": best[FIRST] / best[SECOND],
        "rules": _compiling(text, who, FIRST),
        "second": _compiling(text, who, SECOND),
    }


def _decision(game: Game, who: CompiledPlayer, tier: int) -> float:
    """CPU seconds of a decision in the first position, with an empty memory."""
    position = game.start(1)
    ready, views = who.prepare(game, position.boards), position.view(position.mover)
    with within_tier(tier):
        code = code_for(game, who)
    spent, count = 0.0, 0
    while spent < LEAST:
        rest = (np.zeros(ready.memory, np.uint8), np.zeros(POLICY), stream(count))
        begun = time.process_time()
        code.decide(who, position.boards, views, position.actions, ready, *rest)
        spent += (time.process_time() - begun) if count else 0.0  # the first may load or compile
        count += 1
    return spent / (count - 1)


def _compiling(text: str, who: str, tier: int) -> float:
    """CPU seconds that the rules, or the player of the second tier, are compiled for, in a process of its own."""
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-c", f"from turnsmith.studies.tiers import tell; tell({text!r}, {who!r}, {tier})"]
        known: dict[str, Any] = {**os.environ, "TURNSMITH_CACHE": cache}
        ran = subprocess.run(command, env=known, capture_output=True, encoding="utf-8", check=True)
    return float(ran.stdout)


def tell(text: str, who: str, tier: int) -> None:
    """Compile, and say how many CPU seconds that took."""
    game = load(text)
    chosen = player(who, game)
    assert isinstance(chosen, CompiledPlayer)
    begun = time.process_time()
    if tier == FIRST:
        erased(game)
    else:
        for each in (chosen, *chosen.asks(game)):
            each.where(game)  # type: ignore[attr-defined]
    print(time.process_time() - begun)
