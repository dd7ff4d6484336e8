"""What is played on a map, as numbers, and how much of it genes tell: vectors that a taste is learned on.

A tree is counted: means and spreads of scores, of best reachable scores and of damage after every round, how scores of
different rounds go together, and how much actions tell of the end. Trees of one map differ by far more than maps do,
for portals and chance differ; so of a map the mean over its trees is wanted, and ten trees hardly tell it. But
thousands of trees on other maps tell how each gene moves each of these numbers, and that alone is worth as much as ten
trees. Where there are both, each number is weighed by how sure it is.

None of these numbers is a criterion of the people of ``people.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.maps.measures import measure_trees
from turnsmith.maps.tree import Trees
from turnsmith.nets.dense import Net

CHUNK = 250
"""Trees that are counted at once."""
STRENGTHS = 10.0 ** np.arange(1.0, 4.1, 0.5)
"""Of ridge regression, tried for every number apart."""
LEAST = 1e-6


def counted(trees: Trees) -> Array:
    """float64[trees, numbers]: what is played in each tree."""
    return np.concatenate([_counted(trees[start : start + CHUNK]) for start in range(0, len(trees), CHUNK)])


def _counted(trees: Trees) -> Array:
    there = trees.is_there
    shares = there / there.sum(axis=1, keepdims=True)

    def mean(values: Array) -> Array:
        return np.asarray(np.einsum("tb,tbr->tr", shares, values))

    def spread(values: Array) -> Array:
        return np.asarray(np.sqrt(np.maximum(mean(values**2) - mean(values) ** 2, 0.0)))

    def cleared(values: Array) -> Array:
        return np.where(there[:, :, None], values, 0).astype(np.float64)

    score, best = (cleared(trees.ends_of_rounds(part)) for part in (trees.scores, trees.best))
    parts = [mean(score), mean(best), spread(score), spread(best), mean(np.abs(score))]
    parts += [mean(np.abs(np.diff(score, axis=2, prepend=0.0))), _together(score, shares, spread(score))]
    names = ["information_print", "global_best"]
    if {"dealt", "taken"} <= set(trees.sides):
        for name in ("dealt", "taken"):
            damage = cleared(trees.sides[name][..., 0])
            parts += [mean(damage), spread(damage)]
        names += ["damage_uncertainty", "late_damage_uncertainty"]
    measured = measure_trees(trees, names)
    parts += [measured[name].reshape(len(trees), -1) for name in names]
    return np.concatenate(parts, axis=1)


def _together(score: Array, shares: Array, spread: Array) -> Array:
    """How the scores of two rounds are correlated over branches, for every pair of rounds."""
    away = score - np.einsum("tb,tbr->tr", shares, score)[:, None, :]
    both = np.einsum("tbr,tbq->trq", away * shares[:, :, None], away)
    one, other = np.triu_indices(score.shape[2], 1)
    scale = np.maximum(spread[:, one] * spread[:, other], 1.0)  # a score is whole: below one point there is no spread
    return np.asarray(both[:, one, other] / scale)


# ---------------------------------------------------------------- what genes tell of it


@dataclass(frozen=True)
class PlayPrediction:
    """What genes tell of numbers of play, each in units of its spread over maps, and how far to trust trees besides."""

    layer: Array
    """float64[values of genes, numbers]"""
    level: Array
    used: Array
    """bool: the numbers that vary at all."""
    middle: Array
    unit: Array
    noise: Array
    """float64[numbers]: the variance between trees of one map."""
    rest: Array
    """float64[numbers]: the variance between maps that genes do not tell."""

    def by_genes(self, one_hot: Array) -> Array:
        """float64[maps, numbers], without a tree."""
        return np.asarray(one_hot @ self.layer + self.level)

    def by_both(self, one_hot: Array, trees: Array) -> Array:
        """The same where float[maps, trees, all numbers] were counted: the more trees there are, the more they say."""
        guess = self.by_genes(one_hot)
        seen = (trees.mean(axis=1)[:, self.used] - self.middle) / self.unit
        return np.asarray(guess + self.rest / (self.rest + self.noise / trees.shape[1]) * (seen - guess))

    def write(self, path: Path, about: dict[str, int]) -> None:
        """What genes tell, as a net of one layer."""
        layers = [(self.layer.astype(np.float32), self.level.astype(np.float32))]
        Net(layers, "", about).write(path, "genes of a map to what is played on it")


def fit(one_hot: Array, trees: Array) -> PlayPrediction:
    """From the genes of maps, float[maps, values], and what was counted of their trees, float[maps, trees, numbers]."""
    means = trees.mean(axis=1)
    used = means.std(axis=0) > LEAST
    middle, unit = means[:, used].mean(axis=0), means[:, used].std(axis=0)
    wanted = (means[:, used] - middle) / unit
    noise = (trees[:, :, used] / unit).var(axis=1, ddof=1).mean(axis=0) if trees.shape[1] > 1 else np.ones(len(unit))
    layer, left_out = additive(one_hot, wanted)
    rest = np.maximum((left_out**2).mean(axis=0) - noise / trees.shape[1], LEAST)
    return PlayPrediction(layer, wanted.mean(axis=0) - one_hot.mean(axis=0) @ layer, used, middle, unit, noise, rest)


def additive(inputs: Array, wanted: Array) -> tuple[Array, Array]:
    """Ridge regression: float64[inputs, numbers] of weights, and by how much each row is missed if it is left out; how
    strongly weights are held back is chosen by that, for every number apart."""
    away, level = inputs - inputs.mean(axis=0), wanted.mean(axis=0)
    left, values, right = np.linalg.svd(away, full_matrices=False)
    seen = left.T @ (wanted - level)
    least, missed = np.full(wanted.shape[1], np.inf), wanted - level
    weights = np.zeros((inputs.shape[1], wanted.shape[1]))
    for strength in STRENGTHS:
        kept = values**2 / (values**2 + strength)
        own = np.einsum("ij,j,ij->i", left, kept, left) + 1.0 / len(inputs)
        off = (wanted - level - (left * kept) @ seen) / np.maximum(1.0 - own, LEAST)[:, None]
        better = (off**2).mean(axis=0) < least
        least = np.where(better, (off**2).mean(axis=0), least)
        weights = np.where(better, right.T @ ((values / (values**2 + strength))[:, None] * seen), weights)
        missed = np.where(better, off, missed)
    return weights, missed
