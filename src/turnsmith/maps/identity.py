"""How well vectors of trees tell maps apart: does the nearest tree of another come from the same map?

Trees of one map grew with other portals, or other chance. R@1 is how often the nearest other tree is of the same map;
R-precision the share of such among as many nearest as there are (nine of ten trees); hit@10 how often one is among the
ten nearest. Nearest is by the Euclidean distance; ties count as chance would have them. Intervals are of a bootstrap
over maps, for trees of one map are no independent witnesses.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.maps import embeddings
from turnsmith.maps.record import GameMap
from turnsmith.maps.tree_runs import growth_of, labels_of, read_grown

NAMES = ("R@1", "R-precision", "hit@10")
NEAREST = 10
DRAWS = 1000
"""Of the bootstrap."""


@dataclass(frozen=True)
class Interval:
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def nearest_shares(vectors: Array, labels: Array, seed: int = 0) -> dict[str, Array]:
    """Of every tree, each of the three measures; trees without another of their map are refused."""
    counts = np.unique(labels, return_counts=True)[1]
    if len(counts) < 2 or counts.min() < 2:
        raise BadInput("to tell maps apart takes two maps or more, with two trees or more of each")
    if not np.isfinite(vectors).all():
        raise BadInput("these vectors hold numbers that are not finite")
    values = vectors.astype(np.float64)
    shuffled = np.random.default_rng(seed).permutation(len(values))  # so that ties fall as chance would have them
    values, names = values[shuffled], labels[shuffled]
    squares = (values**2).sum(axis=1)
    shares: dict[str, Array] = {name: np.zeros(len(values)) for name in NAMES}
    others = np.array([(names == name).sum() - 1 for name in names])
    for start in range(0, len(values), 1024):
        rows = np.arange(start, min(start + 1024, len(values)))
        far = squares[None, :] - 2.0 * values[rows] @ values.T
        far[np.arange(len(rows)), rows] = np.inf
        order = np.argsort(far, axis=1, kind="stable")[:, : max(NEAREST, int(others.max()))]
        same = names[order] == names[rows][:, None]
        shares["R@1"][rows] = same[:, 0]
        shares["hit@10"][rows] = same[:, :NEAREST].any(axis=1)
        within = np.arange(same.shape[1])[None, :] < others[rows][:, None]
        shares["R-precision"][rows] = (same & within).sum(axis=1) / others[rows]
    back = np.argsort(shuffled)
    return {name: column[back] for name, column in shares.items()}


def identity(vectors: Array, labels: Array, seed: int = 0) -> dict[str, Interval]:
    """The three measures with intervals."""
    return {name: bootstrap(shares, labels, seed) for name, shares in nearest_shares(vectors, labels, seed).items()}


def bootstrap(values: Array, labels: Array, seed: int = 0) -> Interval:
    """The mean of values and the interval of means when maps are drawn anew, with all their trees."""
    _, which = np.unique(labels, return_inverse=True)
    sums, counts = np.bincount(which, values), np.bincount(which)
    drawn = np.random.default_rng(seed).integers(len(sums), size=(DRAWS, len(sums)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), (0.025, 0.975))
    return Interval(float(values.mean()), float(low), float(high))


def chance(labels: Array) -> float:
    """R@1 of somebody who knows nothing."""
    counts = np.unique(labels, return_counts=True)[1]
    return float((counts * (counts - 1)).sum() / (len(labels) * (len(labels) - 1)))


# ---------------------------------------------------------------- a table


def compare(folder: Path, fit_on: Path | None = None, nets: Sequence[Path] = ()) -> dict[str, dict[str, Any]]:
    """Every reference that these trees allow, those fitted on the trees of another folder, nets, and what the genome
    nets beside these tell without the trees: by name, how many numbers a vector has, the three measures, and how much
    it tells of what is played (None where that is not known)."""
    maps, trees = read_grown(folder)
    labels = labels_of(maps, folder)
    vectors_of: dict[str, Array] = {}
    for name, reference in embeddings.REFERENCES.items():
        with suppress(BadInput):  # maps without genes, trees without sides
            vectors_of[name] = reference(maps, trees, 0)
    if fit_on is not None:
        others, grown = read_grown(fit_on)
        refuse_known_maps(maps, others, fit_on)
        for name, raw in embeddings.FITTED.items():
            with suppress(BadInput):
                vectors_of[name] = embeddings.lda(raw, others, grown)(maps, trees, 0)
    from turnsmith.maps.embed import SHIPPED, embed  # all of them measure with what is above
    from turnsmith.maps.gameplay import explained
    from turnsmith.maps.genome_net import told

    for net in nets:
        called = "/".join(net.parts[-2:])
        grove, vectors_of[f"net {called}"] = embed(net, folder)
        beside = growth_of(maps[0].game).genome_net if str(net) == SHIPPED else net.with_name("genome.onnx")
        if beside is not None and beside.is_file():
            vectors_of[f"genes by {called}"] = told(grove, beside)
    return {
        name: {
            "numbers": vectors.shape[1],
            **identity(vectors, labels),
            "gameplay": explained(vectors, labels, trees),
        }
        for name, vectors in vectors_of.items()
    }


def refuse_known_maps(maps: list[GameMap], others: list[GameMap], said: Path) -> None:
    """Refuse to measure on maps that something was fitted on."""
    known = {what_stays(game_map) for game_map in others}
    same = sum(what_stays(game_map) in known for game_map in maps)
    if same:
        raise BadInput(f"{same} of these maps are in {said} too; measure on maps that nothing was fitted on")


def what_stays(found: GameMap) -> str:
    """A map without its portals, as a text."""
    return json.dumps({key: value for key, value in found.source.items() if key != "portals"}, sort_keys=True)
