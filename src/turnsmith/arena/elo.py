"""Elo ratings of players who met in pairs: the likeliest ones, and how far they may be off."""

from __future__ import annotations

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.play.levels import SCALE


def fit(points: Array, games: Array) -> tuple[Array, Array]:
    """Ratings with a mean of 0, float64[n], and their covariance; points[i, j] of games[i, j] are i's against j.

    Half a point for each side of every pair that met keeps who never lost from being infinitely strong.

    >>> ratings, spread = fit(np.array([[0.0, 76.0], [24.0, 0.0]]), np.array([[0.0, 100.0], [100.0, 0.0]]))
    >>> round(float(ratings[0] - ratings[1])), round(float(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1]) ** 0.5)
    (198, 40)
    """
    met = games > 0
    games, points = games + met, points + 0.5 * met
    ratings = np.zeros(len(games))
    for _ in range(200):
        chance = 1.0 / (1.0 + np.exp(-(ratings[:, None] - ratings[None, :]) / SCALE))
        weight = games * chance * (1.0 - chance)
        curve = (np.diag(weight.sum(axis=1)) - weight) / SCALE**2
        step = np.linalg.pinv(curve) @ ((points - games * chance).sum(axis=1) / SCALE)
        ratings += np.clip(step, -400.0, 400.0)
        if np.abs(step).max(initial=0.0) < 1e-6:
            break
    return ratings - ratings.mean(), np.linalg.pinv(curve)


def difference(covariance: Array, one: int, other: int) -> float:
    """The standard error of how far one is above another."""
    apart = covariance[one, one] + covariance[other, other] - 2.0 * covariance[one, other]
    return float(np.sqrt(max(0.0, apart)))
