"""Splitting what was recorded into training, validation and test rows: by game, or row by row to show why not."""

from __future__ import annotations

from typing import Literal

import numpy as np

from turnsmith.common.arrays import Array

By = Literal["game", "position"]
PARTS = ("training", "validation", "test")
SHARES = (0.7, 0.2, 0.1)


def split(games: Array, by: By, seed: int = 0, shares: tuple[float, ...] = SHARES) -> Array:
    """int8[rows]: which of the PARTS each row belongs to; games[row] is the game a row comes from.

    Positions of one game resemble each other and share their result. Only a split by game keeps them on one side, so
    only there does a score on the test rows say anything about games never seen.

    >>> parts = split(np.repeat(np.arange(100), 30), "game")
    >>> [float(round(share, 2)) for share in np.bincount(parts) / 3000]
    [0.7, 0.2, 0.1]
    """
    _, unit = np.unique(games, return_inverse=True) if by == "game" else (None, np.arange(len(games)))
    count = int(unit.max()) + 1 if len(unit) else 0
    order = np.random.default_rng(seed).permutation(count)
    part = np.zeros(count, np.int8)
    ends = np.round(np.cumsum(shares) * count).astype(int)
    for number in range(1, len(shares)):
        part[order[ends[number - 1] : ends[number]]] = number
    return part[unit]
