"""What a learned embedding must beat: vectors of trees and maps that need no net, from random ones to all that a
statistician would count.

A reference is (maps, trees, seed) -> float[trees, …]; ``lda`` makes one that is fitted on trees of other maps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.extras import extra
from turnsmith.contract.loading import load
from turnsmith.maps.record import GameMap
from turnsmith.maps.tree import Trees
from turnsmith.maps.tree_runs import growth_for, labels_of

Reference = Callable[[list[GameMap], Trees, int], Array]
QUANTILES = np.linspace(0.0, 1.0, 9)
RANDOM = 64
"""Numbers of a random vector."""
AXES = 20
"""Of the space that LDA finds."""
SHRINKAGE = 0.1


def random(maps: list[GameMap], trees: Trees, seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal((len(trees), RANDOM))


def genome(maps: list[GameMap], trees: Trees, seed: int) -> Array:
    """Every gene as one-hot numbers: the distance of two is how many genes differ. Nothing is simulated."""
    game = load(maps[0].game)
    if game.genes is None or game.gene_values is None:
        raise BadInput(f"maps of {game.name} have no genes; leave out this reference")
    genes = np.array([game.genes(game_map.source) for game_map in maps])
    values = int(np.max(game.gene_values(maps[0].source)))
    return np.asarray((genes[:, :, None] == np.arange(values)).reshape(len(maps), -1), np.float64)


def map_features(maps: list[GameMap], trees: Trees, seed: int) -> Array:
    """By hand: the shares of what genes may be, over all, over every ninth of them in order, and how often two
    neighbours and two that mirror each other are the same."""
    game = load(maps[0].game)
    if game.genes is None or game.gene_values is None:
        raise BadInput(f"maps of {game.name} have no genes; leave out this reference")
    values = int(np.max(game.gene_values(maps[0].source)))
    genes = np.array([game.genes(game_map.source) for game_map in maps])
    shares = [(genes == value).mean(axis=1) for value in range(values)]
    for part in np.array_split(genes, 9, axis=1):
        shares += [(part == value).mean(axis=1) for value in range(1, values)]
    shares += [(genes[:, 1:] == genes[:, :-1]).mean(axis=1), (genes == genes[:, ::-1]).mean(axis=1)]
    return standard(np.stack(shares, axis=1))


def global_best(maps: list[GameMap], trees: Trees, seed: int) -> Array:
    """The best score that can be reached: the thesis's first reference, one number."""
    return np.asarray(there(trees, trees.best[:, :, :1]).max(axis=1).filled(0.0))


def depth_best(maps: list[GameMap], trees: Trees, seed: int) -> Array:
    """The mean over branches of the best reachable score, at every depth: the thesis's second reference."""
    return np.asarray(there(trees, trees.best).mean(axis=1).filled(0.0))


def score_quantiles(maps: list[GameMap], trees: Trees, seed: int) -> Array:
    """Quantiles over branches of the score after every round."""
    return quantiles(trees, trees.ends_of_rounds(trees.scores))


def rich_counts(maps: list[GameMap], trees: Trees, seed: int) -> Array:
    """Quantiles of scores and of best reachable scores, how often each action is taken at each depth, means and
    deviations of all that stands beside, and how often every cell is entered."""
    parts = [score_quantiles(maps, trees, seed), quantiles(trees, trees.ends_of_rounds(trees.best))]
    actions = growth_for(maps, trees).radix or int(trees.actions[trees.is_there].max()) + 1
    parts += [there(trees, trees.actions == action).mean(axis=1) for action in range(min(actions, 64))]
    for name, side in trees.sides.items():
        flat = there(trees, side.reshape(*side.shape[:2], -1))
        if name == "positions":
            cells = np.where(np.ma.getmaskarray(flat), -1, flat.filled(-1)).reshape(len(trees), -1)
            parts.append(np.stack([(cells == cell).mean(axis=1) for cell in range(int(cells.max()) + 1)], axis=1))
        else:
            parts += [flat.mean(axis=1), flat.std(axis=1)]
    return np.concatenate([np.ma.filled(part, 0.0) for part in parts], axis=1)


def rich(maps: list[GameMap], trees: Trees, seed: int) -> Array:
    return standard(rich_counts(maps, trees, seed))


def sights(maps: list[GameMap], trees: Trees, seed: int) -> Array:
    """What the game tells from whole trees: in Homeguard, which lines of fire were seen clear and which blocked."""
    growth = growth_for(maps, trees)
    if growth.sights is None:
        raise BadInput(f"{maps[0].game} tells nothing from whole trees; leave out this reference")
    vectors = growth.sights(trees, maps[0].source)
    return np.asarray(vectors / np.maximum(1e-9, np.linalg.norm(vectors, axis=1, keepdims=True)))


REFERENCES: dict[str, Reference] = {
    "random": random,
    "global best": global_best,
    "depth best": depth_best,
    "score quantiles": score_quantiles,
    "rich": rich,
    "sights": sights,
    "map features": map_features,
    "genome": genome,
}
"""By name; the last two are of the map itself, nothing is simulated for them."""


# ---------------------------------------------------------------- those that are fitted


def lda(raw: Reference, maps: list[GameMap], trees: Trees, axes: int = AXES) -> Reference:
    """A reference turned and scaled so that the maps it is fitted on are told apart best (linear discriminants)."""
    vectors, labels = raw(maps, trees, 0), labels_of(maps, "the trees that LDA is fitted on")
    method = extra("sklearn.discriminant_analysis").LinearDiscriminantAnalysis
    count = min(axes, len(set(labels.tolist())) - 1, vectors.shape[1])
    middle, spread = vectors.mean(axis=0), np.maximum(vectors.std(axis=0), 1e-9)
    fitted = method(solver="eigen", shrinkage=SHRINKAGE, n_components=count)
    fitted.fit((vectors - middle) / spread, labels)
    return lambda maps, trees, seed: np.asarray(fitted.transform((raw(maps, trees, seed) - middle) / spread))


FITTED: dict[str, Reference] = {"rich + LDA": rich_counts, "sights + LDA": sights}
"""What is fitted, by the name of what comes of it."""


# ---------------------------------------------------------------- pieces


def there(trees: Trees, numbers: Array) -> np.ma.MaskedArray:
    """[trees, branches, …] without the branches that are not there."""
    missing = np.broadcast_to(~trees.is_there[:, :, None], numbers.shape)
    return np.ma.masked_array(numbers.astype(np.float64), missing)


def quantiles(trees: Trees, numbers: Array) -> Array:
    """Over branches, of [trees, branches, …]: those that are there come first in the order of a sorted column."""
    count = trees.is_there.sum(axis=1)
    ordered = np.sort(np.where(trees.is_there[:, :, None], numbers, np.iinfo(np.int16).max), axis=1)
    at = np.floor(QUANTILES[None, :] * (count[:, None] - 1) + 0.5).astype(np.int64)
    picked = ordered[np.arange(len(trees))[:, None], at]
    return np.asarray(picked.reshape(len(trees), -1), np.float64)


def standard(numbers: Array) -> Array:
    """Every column with mean 0 and deviation 1 over the rows at hand, where it varies at all."""
    spread = numbers.std(axis=0)
    return np.asarray((numbers - numbers.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0))
