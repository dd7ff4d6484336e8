"""Cells of a table: one player's pacmans against another's ghosts, so many games, the share of dots eaten in each."""

from __future__ import annotations

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.contract.loading import load
from turnsmith.evolve.fitness import CANDIDATE, FitnessArena, own_return
from turnsmith.play.player import player


def eaten(game: str, pacmans: str, ghosts: str, games: int, seed: int, workers: int) -> Array:
    """float64[games]: the share of dots in each game; the same seed starts the same games, whoever plays."""
    loaded = load(game)
    tables = np.tile(np.array([[CANDIDATE, 1]], np.int32), (games, 1))
    ground = FitnessArena(loaded, own_return, workers)
    return np.asarray(ground.scores([player(pacmans, loaded)], [player(ghosts, loaded)], tables, seed)[0])
