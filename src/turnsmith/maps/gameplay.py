"""How much vectors tell of what is played on a map: is growing trees worth it, or would the genes have told as much?

Of every map, the first half of its trees gives the vector, and what is to be told is counted in the other half, which
grew with other portals or other chance. Ridge regression learns it from as many maps as somebody may have the patience
to rate, and is judged on all others, many times over; how strongly it is held back is chosen on what it learns from.
"""

from __future__ import annotations

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.maps.identity import Interval
from turnsmith.maps.tree import Trees

RATED, TIMES = 40, 20
"""Maps that are learned from, and how often others are drawn for it."""
DRAWS = 1000
STRENGTHS = 10.0 ** np.arange(-3, 5)
"""Of ridge regression, in shares of the mean variance."""


def counted(trees: Trees) -> dict[str, Array]:
    """Of every tree, what was played in it, a number by name."""
    there = trees.is_there
    final = np.where(there, trees.scores[:, :, -1], 0).astype(np.float64)
    count = there.sum(axis=1)
    mean = final.sum(axis=1) / count
    spread = np.sqrt((np.where(there, final - mean[:, None], 0.0) ** 2).sum(axis=1) / count)
    means = {"mean score": mean, "spread of scores": spread}
    if {"dealt", "taken", "exposure", "used_portal"} <= set(trees.sides):
        damage = (trees.sides["dealt"].astype(np.int64) + trees.sides["taken"])[..., 0]
        waits = np.where((damage > 0).any(axis=2), (damage > 0).argmax(axis=2), damage.shape[2])
        for name, numbers in (
            ("damage", damage[:, :, -1]),
            ("rounds to the first damage", waits),
            ("exposure", trees.sides["exposure"].mean(axis=(2, 3))),
            ("use of portals", trees.sides["used_portal"].mean(axis=(2, 3))),
        ):
            means[name] = np.where(there, numbers, 0.0).sum(axis=1) / count
    return means


def explained(vectors: Array, labels: Array, trees: Trees, seed: int = 0) -> Interval | None:
    """The share of the variance of what is played that vectors tell, the mean over all that is counted; None where
    maps have one tree or there are too few maps."""
    order = np.argsort(labels, kind="stable")
    names, starts, counts = np.unique(labels[order], return_index=True, return_counts=True)
    if counts.min() < 2 or len(names) < 2 * RATED:
        return None
    halves = [(order[a : a + n // 2], order[a + n // 2 : a + n]) for a, n in zip(starts, counts, strict=True)]
    inputs = np.stack([vectors[first].mean(axis=0) for first, _ in halves]).astype(np.float64)
    played = np.stack(list(counted(trees).values()), axis=1)
    wanted = np.stack([played[second].mean(axis=0) for _, second in halves])
    wanted = wanted[:, wanted.std(axis=0) > 1e-9]
    wrong, plain = np.zeros(wanted.shape), np.zeros(wanted.shape)
    random = np.random.default_rng(seed)
    for _ in range(TIMES):
        order = random.permutation(len(names))
        known, others = order[:RATED], order[RATED:]
        wrong[others] += (ridge(inputs[known], wanted[known], inputs[others]) - wanted[others]) ** 2
        plain[others] += (wanted[known].mean(axis=0) - wanted[others]) ** 2
    drawn = np.random.default_rng(seed).integers(len(names), size=(DRAWS, len(names)))
    shares = [1.0 - (wrong[draw].sum(axis=0) / plain[draw].sum(axis=0)).mean() for draw in drawn]
    low, high = np.quantile(shares, (0.025, 0.975))
    return Interval(float(1.0 - (wrong.sum(axis=0) / plain.sum(axis=0)).mean()), float(low), float(high))


def ridge(inputs: Array, wanted: Array, others: Array) -> Array:
    """What ridge regression on some rows tells of others; of STRENGTHS that which does best on rows left out one by
    one."""
    middle, spread = inputs.mean(axis=0), inputs.std(axis=0)
    used = spread > 1e-9
    x, y = ((rows[:, used] - middle[used]) / spread[used] for rows in (inputs, others))
    if not used.any():
        return np.broadcast_to(wanted.mean(axis=0), (len(others), wanted.shape[1]))
    level = wanted.mean(axis=0)
    near = x @ x.T / x.shape[1]
    values, turns = np.linalg.eigh(near)
    best, chosen = np.full(wanted.shape[1], np.inf), np.zeros((len(x), wanted.shape[1]))
    for strength in STRENGTHS:
        weights = (turns / (values + strength)) @ turns.T @ (wanted - level)
        hat = (turns * (values / (values + strength))) @ turns.T
        own = np.diag(hat) + 1.0 / len(x)  # how much a row has to say on itself, by the line and by its level
        left_out = (wanted - level - hat @ (wanted - level)) / np.maximum(1.0 - own, 1e-6)[:, None]
        error = (left_out**2).mean(axis=0)
        better = error < best
        best, chosen = np.where(better, error, best), np.where(better, weights, chosen)
    return np.asarray(level + y @ x.T @ chosen / x.shape[1])
