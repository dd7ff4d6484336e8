"""How good predicted chances are: hits, log-loss and calibration, with intervals that know which rows share a game.

Everywhere `chances` is float[rows, classes] and sums to 1 in a row, `truth` int[rows].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsmith.common.arrays import Array

Z95 = 1.959963984540054
BINS = 10
LEAST = 1e-7


def hits(values: Array, truth: Array) -> Array:
    """float64[rows]: 1 where the greatest of `values` (chances or any counts) is the truth's; k equal ones share it.

    >>> hits(np.array([[0.5, 0.5], [0.9, 0.1]]), np.array([0, 0])).tolist()
    [0.5, 1.0]
    """
    best = values == values.max(axis=1, keepdims=True)
    return np.asarray(best[np.arange(len(truth)), truth] / best.sum(axis=1))


def losses(chances: Array, truth: Array) -> Array:
    """float64[rows]: -ln of the chance given to what happened; none counts as less than 1e-7.

    >>> losses(np.full((1, 4), 0.25), np.array([2])).round(4).tolist()  # knowing nothing of four
    [1.3863]
    """
    return np.asarray(-np.log(np.maximum(chances[np.arange(len(truth)), truth], LEAST), dtype=np.float64))


@dataclass(frozen=True)
class Bin:
    """Predictions of about the same confidence, from `low` on: how many, how sure they were, how often right."""

    low: float
    rows: int
    confidence: float
    accuracy: float


def reliability(chances: Array, truth: Array, bins: int = BINS) -> list[Bin]:
    """The first choices by confidence, in `bins` equal parts of 0..1; empty parts are left out."""
    confidence = chances.max(axis=1)
    hit = chances.argmax(axis=1) == truth
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    filled = []
    for number in range(bins):
        inside = place == number
        if inside.any():
            means = float(confidence[inside].mean()), float(hit[inside].mean())
            filled.append(Bin(number / bins, int(inside.sum()), *means))
    return filled


def calibration_error(chances: Array, truth: Array, bins: int = BINS) -> float:
    """Expected calibration error: by how much confidence misses accuracy, in the mean over all rows.

    >>> round(calibration_error(np.array([[0.8, 0.2]] * 5), np.array([0, 0, 0, 1, 1])), 6)  # 80 % sure, 60 % right
    0.2
    """
    table = reliability(chances, truth, bins)
    return sum(b.rows * abs(b.confidence - b.accuracy) for b in table) / sum(b.rows for b in table)


def reach(values: Array, games: Array) -> float:
    """Half of the 95 % interval of the mean of `values`, where rows of one game are not independent of each other.

    >>> one = reach(np.array([0.0, 1.0] * 50), np.arange(100))
    >>> four = reach(np.repeat([0.0, 1.0] * 50, 4), np.repeat(np.arange(100), 4))  # four times the rows, no news
    >>> round(one, 3), round(four, 3)
    (0.098, 0.098)
    """
    _, member = np.unique(games, return_inverse=True)
    sums = np.bincount(member, values - values.mean())
    return float(Z95 * np.sqrt((sums**2).sum() * len(sums) / max(1, len(sums) - 1)) / len(values))


def softmax(values: Array) -> Array:
    raised = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def fit_sharpness(values: Array, truth: Array) -> float:
    """The s for which softmax(s · values) has the least log-loss: what makes any count a predicted chance.

    The loss is convex in s, so Newton's method, kept between halving and doubling the range, finds it.
    """
    rows = np.arange(len(truth))
    low, high, sharpness = -100.0, 100.0, 0.0
    for _ in range(100):
        chances = softmax(sharpness * values)
        mean = (chances * values).sum(axis=1)
        slope = float((mean - values[rows, truth]).mean())
        curve = float(((chances * values**2).sum(axis=1) - mean**2).mean())
        low, high = (sharpness, high) if slope < 0 else (low, sharpness)
        step = sharpness - slope / curve if curve > 1e-12 else np.nan
        new = step if low < step < high else (low + high) / 2
        if abs(new - sharpness) < 1e-9:
            break
        sharpness = float(new)
    return sharpness
