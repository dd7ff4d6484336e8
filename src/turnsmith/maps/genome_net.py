"""From genes to a vector without growing a tree: a small net that learned what trees of a map come to.

Whoever makes maps asks it for thousands of children, and grows trees only for the few that are left. What it is to say
of a map is the mean of the vectors of its trees.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.extras import extra
from turnsmith.learn import fit
from turnsmith.learn.split import split
from turnsmith.maps.embed import SHARES, Grove
from turnsmith.nets import dense as nets

HOW = fit.FittingSettings(hidden=(256,), dropout=0.2, epochs=60, batch=32, rate=0.002, schedule="falling", decay=0.01)


def one_hot(genes: Array, values: int) -> Array:
    """float32[maps, genes · values]."""
    return np.asarray((genes[:, :, None] == np.arange(values)).reshape(len(genes), genes.shape[1] * values), np.float32)


def train(grove: Grove, vectors: Array, path: Path, how: fit.FittingSettings = HOW) -> dict[str, float]:
    """Fit a net on the genes of most maps and write it; how near it comes on the others.

    `explained` is the share of the variance of vectors that it tells, 1 if all; `found first` how often the vector that
    it tells is nearest to that of the same map among all of those.
    """
    genes, values = grove.genes
    labels, first = np.unique(grove.labels, return_index=True)
    means = np.stack([vectors[grove.labels == label].mean(axis=0) for label in labels]).astype(np.float32)
    inputs = one_hot(genes[first], values)
    known, unseen = (np.flatnonzero(split(labels, "game", how.seed, SHARES) == part) for part in (0, 1))
    torch = extra("torch")
    torch.manual_seed(how.seed)
    layers = nets.fresh((inputs.shape[1], *how.hidden, means.shape[1]), how.seed)
    module, x, y = nets.module_of(layers, how.dropout), torch.from_numpy(inputs), torch.from_numpy(means)

    def loss(chosen: Any) -> Any:
        return ((module(x[chosen]) - y[chosen]) ** 2).mean()

    def judge() -> dict[str, float]:
        return {"error": float(((module(x[unseen]) - y[unseen]) ** 2).mean())}

    done = fit.fit(module, loss, known, how, judge)
    net = nets.Net(nets.layers_of(done.best), "", {"genes": genes.shape[1], "values": values})
    net.write(path, "genes of a map to the vector of its trees")
    guesses, wanted = net(inputs[unseen]), means[unseen]
    far = ((guesses[:, None] - wanted[None]) ** 2).sum(axis=2)
    explained = 1.0 - ((guesses - wanted) ** 2).sum() / ((wanted - means[known].mean(axis=0)) ** 2).sum()
    share = float((far.argmin(axis=1) == np.arange(len(unseen))).mean())
    return {"explained": float(explained), "found first": share, "maps never seen": float(len(unseen))}


def told(grove: Grove, path: Path) -> Array:
    """float32[trees, …]: what a net that ``train`` wrote tells of the map of every tree, from its genes alone."""
    genes, values = grove.genes
    net = nets.read_net(path)
    if net.about != {"genes": genes.shape[1], "values": values}:
        raise BadInput(f"{path} is of maps with other genes; train one on such maps")
    return net(one_hot(genes, values))
