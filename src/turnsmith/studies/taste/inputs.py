"""The inputs of the benchmark of taste: maps, their vectors by many methods, and measurements on other trees.

The maps are split before anything is fitted.
Three parts with maps of their own: the others, which everything is fitted on; validation, on which choices are made;
and test. Of a map of the last two, some trees give its vectors, and what people go by is measured on many further ones,
which grew with other portals. No number of a vector is a criterion: of rich statistics, what is counted of cells,
exposure, portals and standing still is left out, of map features the shares over the whole map.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.contract.loading import load
from turnsmith.games.homeguard.tables import WAYS
from turnsmith.learn.fit import Progress
from turnsmith.learn.run import Run
from turnsmith.maps import embeddings, reading, tree_runs
from turnsmith.maps.embed import Grove, form_in, shipped
from turnsmith.maps.genome_net import told
from turnsmith.maps.making.describing import Describer
from turnsmith.maps.record import GameMap
from turnsmith.maps.taste.predictors import Views
from turnsmith.maps.tree import Trees
from turnsmith.nets.dense import evaluator
from turnsmith.studies.taste import people, play

SEEDS = {"others": 1, "validation": 5, "test": 6}
"""Of the maps of each part; the shipped net was trained on maps of seed 1."""
CHUNK = 20
"""Maps of a step."""
LDA_MAPS = 300
"""Of the others, on whose trees linear discriminants are fitted."""
KEPT = 2
"""Actions of a layer that trees try."""
NOT_CRITERIA = ("hp", "dealt", "taken")
"""Sides that no criterion is counted from."""
GROWN = ("global best", "depth best", "score quantiles", "sights")
PICTURED = ("map features", "genome")


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    others: int = 2000
    """Maps that vectors are fitted on."""
    validation: int = 200
    test: int = 600
    trees: int = 10
    """Of a map, for its vectors."""
    judged: int = 200
    """Further trees of a map, on which what people go by is measured."""
    branches: int = 128
    seed: int = 0


@dataclass(eq=False)
class EvaluationInputs:
    """Maps of validation or test: float32 arrays by name, [maps, trees, numbers] of trees and [maps, numbers] else."""

    vectors: dict[str, Array]
    criteria: people.Words
    fitted: Fitted

    def __len__(self) -> int:
        return len(self.vectors["genome"])

    @cached_property
    def ranks(self) -> people.Words:
        return people.ranks_of(self.criteria, self.criteria)

    def of_trees(self, name: str) -> Array | None:
        """float64[maps, trees, numbers]: a vector a tree, where the method has such."""
        fitted = self.fitted
        if name == "random":
            shape = (*self.vectors["depth best"].shape[:2], embeddings.RANDOM)
            return np.random.default_rng(0).standard_normal(shape)
        if name == "rich":
            return (self.vectors["rich"] - fitted.middle["rich"]) / fitted.spread["rich"]
        if name == "rich + LDA":
            rich = self.vectors["rich"]
            return fitted.lda(rich.reshape(-1, rich.shape[2])).reshape(*rich.shape[:2], -1)
        if name == "play by trees":
            used = self.vectors["play"][:, :, fitted.told.used]
            return np.asarray((used - fitted.told.middle) / fitted.told.unit)
        return self.vectors[name].astype(np.float64) if name in (*GROWN, "net shipped") else None

    def views(self, name: str) -> Views:
        """The blocks of float64[maps, numbers] that a name stands for; several are joined by " + "."""
        if name in JOINED:
            return tuple(block for part in JOINED[name] for block in self.views(part))
        grown = self.of_trees(name)
        if grown is not None:
            return (grown.mean(axis=1),)
        if name == CEILING:
            return (np.stack(list(self.ranks.values()), axis=1),)
        fitted, genome = self.fitted, self.vectors["genome"].astype(np.float64)
        if name == "play by genes":
            return (fitted.told.by_genes(genome),)
        if name == "play":
            return (fitted.told.by_both(genome, self.vectors["play"].astype(np.float64)),)
        if name in fitted.middle:
            return ((self.vectors[name] - fitted.middle[name]) / fitted.spread[name],)
        return (self.vectors[name].astype(np.float64),)


JOINED = {
    "net shipped + genome": ("net shipped", "genome"),
    "play + genome": ("play", "genome"),
    "play + rings": ("play", "rings"),
    "play by genes + rings": ("play by genes", "rings"),
}
CEILING = "the criteria themselves"
"""What nobody can know: how well a taste could be learned by who knew all that people go by."""
VIEWS = (
    "random", "global best", "depth best", "score quantiles", "rich", "rich + LDA", "sights", "net shipped",
    "genes by shipped", "genome", "map features", "rings", "play by trees", "play by genes", "play", *JOINED,
    CEILING,
)  # fmt: skip
"""Names of vectors."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """What was fitted on the other maps."""

    told: play.PlayPrediction
    middle: dict[str, Array]
    spread: dict[str, Array]
    lda: Callable[[Array], Array]


# ---------------------------------------------------------------- growing and counting


class Field:
    """The maps of a part, grown a chunk at a time."""

    def __init__(self, part: str, size: Size, game: str = "homeguard"):
        maps = int(getattr(size, part))
        self.size, self.judged = size, 0 if part == "others" else size.judged
        seed = SEEDS[part] + 1000 * size.seed
        per_map = size.trees + self.judged
        self.nursery = tree_runs.Nursery(
            tree_runs.TreeSettings(game, maps, per_map, branches=size.branches, kept=KEPT, seed=seed)
        )
        self.maps, self.per_map = maps, per_map
        self.describer = Describer(self.nursery.game, self.nursery.sources(np.arange(1))[0])

    def grown(self, first: int, last: int) -> dict[str, Array]:
        """The arrays of maps `first` to `last`."""
        trees = self.size.trees
        numbers = np.arange(first, last)[:, None] * self.per_map + np.arange(self.per_map)[None, :]
        arrays, maps = self._of_trees(numbers[:, :trees].reshape(-1))
        shaped = {name: array.reshape(last - first, trees, -1).astype(np.float32) for name, array in arrays.items()}
        for name in (*PICTURED, "rings", "genes by shipped"):
            if name in shaped:  # the same for all trees of a map
                shaped[name] = shaped[name][:, 0]
        if self.judged:
            judged = people.of_trees(self.nursery.grow(numbers[:, trees:].reshape(-1)))
            means = {name: values.reshape(last - first, -1).mean(axis=1) for name, values in judged.items()}
            means |= people.of_covers(maps[::trees], openness)
            shaped |= {f"criterion {name}": values for name, values in means.items()}
        return shaped

    def _of_trees(self, numbers: Array) -> tuple[dict[str, Array], list[GameMap]]:
        trees, sources = self.nursery.grow(numbers), self.nursery.sources(numbers)
        text = self.nursery.game.text_name
        maps = [GameMap(text, source, label=int(n) // self.per_map) for source, n in zip(sources, numbers, strict=True)]
        arrays = {"play": play.counted(trees), "rich": rich(maps, trees)}
        arrays |= {name: embeddings.REFERENCES[name](maps, trees, 0) for name in PICTURED}
        arrays["map features"] = raw_features(maps)
        arrays["rings"] = self.describer.rings(np.array([self.describer.genes_of(item.source) for item in maps]))
        if self.judged:
            arrays |= {name: embeddings.REFERENCES[name](maps, trees, 0) for name in GROWN}
            net = shipped(text)
            form = form_in(net)
            labels = numbers // self.per_map
            grove = Grove(maps, trees, form, reading.sights_of(maps, trees, form), labels)
            arrays["net shipped"] = grove.embedded(evaluator(net), np.arange(len(numbers)))
            genome_net = tree_runs.growth_of(text).genome_net
            if genome_net is not None:
                arrays["genes by shipped"] = told(grove, genome_net)
        return arrays, maps


def rich(maps: list[GameMap], trees: Trees) -> Array:
    """Rich statistics without those that criteria are counted from."""
    sides = {name: trees.sides[name] for name in NOT_CRITERIA}
    counts = embeddings.rich_counts(
        maps, Trees(trees.actions, trees.scores, trees.best, sides, trees.layers_a_round), 0
    )
    layers, start = trees.actions.shape[2], 2 * trees.rounds * len(embeddings.QUANTILES)
    stays, portals = start + np.arange(layers), start + (WAYS - 1) * layers + np.arange(layers)
    return np.delete(counts, np.concatenate([stays, portals]), axis=1)


def raw_features(maps: list[GameMap]) -> Array:
    """Map features as they are counted, without the shares of each kind over the whole map."""
    game = load(maps[0].game)
    assert game.genes is not None
    assert game.gene_values is not None
    genes, values = np.array([game.genes(item.source) for item in maps]), int(np.max(game.gene_values(maps[0].source)))
    parts = [(part == kind).mean(axis=1) for part in np.array_split(genes, 9, axis=1) for kind in range(1, values)]
    parts += [(genes[:, 1:] == genes[:, :-1]).mean(axis=1), (genes == genes[:, ::-1]).mean(axis=1)]
    return np.stack(parts, axis=1)


def openness(found: GameMap) -> float:
    """The mean damage of shots between places in range that covers can decide on."""
    from turnsmith.studies.homeguard.sightings import pairs_in_range

    board = load(found.game).rebuild(found.source)[0]
    pairs = pairs_in_range(len(found.source["rows"]))
    damage = board["damage"][: len(pairs), : len(pairs)]
    return float(damage[pairs >= 0].mean())


# ---------------------------------------------------------------- the parts


def parts(size: Size, run: Run, progress: Progress) -> dict[str, EvaluationInputs]:
    """Validation and test with all that was fitted on the others; every chunk is a step of the run."""
    fields = {name: Field(name, size) for name in SEEDS}
    steps = [(name, first) for name, field in fields.items() for first in range(0, field.maps, CHUNK)]
    grown: dict[str, list[dict[str, Array]]] = {name: [] for name in fields}
    for done, (name, first) in enumerate(steps, start=1):
        field = fields[name]
        last = min(first + CHUNK, field.maps)

        def make(field: Field = field, first: int = first, last: int = last) -> dict[str, Array]:
            return field.grown(first, last)

        grown[name].append(run.arrays(f"maps/{name}-{first:05d}.npz", make))
        progress(done, len(steps))
    joined = {
        name: {key: np.concatenate([chunk[key] for chunk in chunks]) for key in chunks[0]}
        for name, chunks in grown.items()
    }
    fitted = fit(joined["others"])
    result = {}
    for name in ("validation", "test"):
        criteria = {key.removeprefix("criterion "): array for key, array in joined[name].items() if "criterion" in key}
        vectors = {key: array for key, array in joined[name].items() if "criterion" not in key}
        result[name] = EvaluationInputs(vectors, criteria, fitted)
    return result


def fit(others: dict[str, Array]) -> Fitted:
    """All that needs maps to be fitted on."""
    told_by = play.fit(others["genome"].astype(np.float64), others["play"].astype(np.float64))
    middle, spread = {}, {}
    for name in ("rich", "map features", "rings"):
        rows = others[name].reshape(-1, others[name].shape[-1]).astype(np.float64)
        middle[name], deviation = rows.mean(axis=0), rows.std(axis=0)
        spread[name] = np.where(deviation > 1e-9, deviation, 1.0)
    few = others["rich"][:LDA_MAPS].astype(np.float64)
    labelled = [GameMap("", {}, label=number) for number in range(len(few)) for _ in range(few.shape[1])]
    given = cast(Any, lambda maps, numbers, seed: numbers)  # what is counted already
    by_lda = embeddings.lda(given, labelled, cast(Any, few.reshape(-1, few.shape[2])))
    return Fitted(told_by, middle, spread, lambda numbers: by_lda([], cast(Any, numbers), 0))
