"""Cells of a table: one player's pacmans against another's ghosts, so many games, the share of dots eaten in each."""

from __future__ import annotations

import numpy as np

from turnsmith.arena.runners import Plan, run
from turnsmith.game import Array, load
from turnsmith.player import player
from turnsmith.texts import BadInput


def eaten(game: str, pacmans: str, ghosts: str, games: int, seed: int, workers: int) -> Array:
    """float64[games]: the share of dots in each game; the same seed starts the same games, whoever plays."""
    loaded = load(game)
    seated = [player(pacmans, loaded), player(ghosts, loaded)]
    for each in seated:
        each.check(loaded, loaded.board())
    plan = Plan(loaded, seated, np.tile(np.array([[0, 1]], np.int32), (games, 1)), seed)
    found = np.zeros(games, np.float64)
    for batch in run(plan, np.arange(games, dtype=np.int64), workers):
        if batch.reasons:
            raise BadInput(f"{pacmans} against {ghosts}: somebody {next(iter(batch.reasons.values()))}")
        found[batch.numbers] = batch.returns[:, 0]
    return found
