"""Running experiments: trees split by map, vectors of the held-out ones after every training set, a folder of steps.

A step is what one embedding came to after one training set, a file that is there whole or not at all; so an experiment
that was stopped goes on with the step it was at, and ends with the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.extras import extra, refuse_without
from turnsmith.learn import fit
from turnsmith.learn.fit import Progress, silent
from turnsmith.learn.run import Run
from turnsmith.maps import embed, embeddings, nets, reading
from turnsmith.maps.record import GameMap
from turnsmith.maps.tree import Trees
from turnsmith.maps.tree_runs import labels_of, read_grown
from turnsmith.studies.map_elimination import config
from turnsmith.studies.map_elimination.protocol import MEASURES, TYPES, EliminationExperiment, HeldOut, asked_of, orders

RANDOM = "random"
"""The embedding that the others are compared with."""


@dataclass(frozen=True)
class EliminationSettings:
    """Which trees are held out and which are trained on; the names in the thesis: num_splits, max_val, seed."""

    splits: int = 20
    """Training sets, that share what is not held out."""
    held_out: int = 2000
    """Trees at most; half of them if there are fewer than twice as many."""
    seed: int = 0


@dataclass(eq=False)
class SplitTrees:
    """Trees, and which of them are for what: all trees of a map are on the same side."""

    maps: list[GameMap]
    trees: Trees
    labels: Array
    judged: Array
    """int64: the trees held out, in an order that tells nothing of their maps"""
    sets: list[Array]
    """int64 each: the trees of a training set"""
    same: dict[str, Array] = field(default_factory=dict)
    """Vectors of the held-out trees that no training set changes, by embedding, once they are known."""

    @staticmethod
    def of(folder: Path, settings: EliminationSettings) -> SplitTrees:
        maps, trees = read_grown(folder)
        labels = labels_of(maps, folder)
        random = np.random.default_rng([settings.seed, 0])
        order = random.permutation(np.unique(labels))
        count = max(2, round(min(settings.held_out, len(labels) // 2) * len(order) / len(labels)))
        size = (len(order) - count) // settings.splits
        if size < 2:
            raise BadInput(
                f"{folder} has trees of {len(order)} maps; {settings.splits} training sets need"
                f" {count + 2 * settings.splits} or more: grow more, or take fewer --splits"
            )
        parts = [order[count + at * size : count + (at + 1) * size] for at in range(settings.splits)]
        rows = [np.flatnonzero(np.isin(labels, part)) for part in (order[:count], *parts)]
        return SplitTrees(maps, trees, labels, random.permutation(rows[0]), rows[1:])

    def some(self, rows: Array) -> tuple[list[GameMap], Trees]:
        return [self.maps[row] for row in rows], self.trees[rows]

    def grove(self, rows: Array, form: reading.RowForm) -> embed.Grove:
        maps, trees = self.some(rows)
        return embed.Grove(maps, trees, form, reading.sights_of(maps, trees, form), self.labels[rows])

    @property
    def digest(self) -> str:
        return fit.digest_of(self.labels, self.trees.scores[:, :1])


# ---------------------------------------------------------------- vectors


def vectors_of(name: str, ground: SplitTrees, number: int, chosen: dict[str, Any], folder: Path, seed: int) -> Array:
    """float[held-out trees, …]: an embedding after training set `number`; a net leaves its checkpoint in the folder."""
    if name in ground.same:
        return ground.same[name]
    maps, trees = ground.some(ground.judged)
    if name == RANDOM:
        return embeddings.random(maps, trees, seed * 1000 + number)
    if name in embeddings.FITTED:
        return embeddings.lda(embeddings.FITTED[name], *ground.some(ground.sets[number]))(maps, trees, 0)
    return trained_vectors(name, ground, number, chosen, folder / name, seed)


def prepare(ground: SplitTrees, names: set[str]) -> None:
    """Make the vectors that no training set changes, and refuse embeddings that these trees do not allow."""
    maps, trees = ground.some(ground.judged)
    for name in sorted(names - {RANDOM}):
        if name in embeddings.REFERENCES:
            ground.same[name] = embeddings.REFERENCES[name](maps, trees, 0)
        elif name in embeddings.FITTED:
            embeddings.FITTED[name](maps[:1], trees[:1], 0)
        elif name == embed.SHIPPED:
            ground.same[name] = embed.embed_trees(Path(name), maps, trees, ground.labels[ground.judged])[1]


def trained_vectors(
    kind: str, ground: SplitTrees, number: int, chosen: dict[str, Any], folder: Path, seed: int
) -> Array:
    """The same by a net of one of the KINDS, trained as the configuration says."""
    usual = embed.EmbeddingSettings.usual(kind)
    settings = replace(
        usual, epochs=chosen["max_epochs"], batch=chosen["batch_size"], rate=float(chosen["learning_rate"]),
        channels=chosen["hidden_sizes"][0], branches=chosen["branches"], seed=seed * 1000 + number,
        normalised_over=usual.normalised_over and chosen["normalised_over"],
    )  # fmt: skip
    shape = nets.Shape(chosen["embedding_dim"], tuple(chosen["dropouts_enc"]), tuple(chosen["dropouts_dec"]))
    rows = ground.sets[number]
    form = reading.form_of(ground.maps, ground.trees, usual.sights)
    grove = ground.grove(rows, form)
    learner = embed.begun(grove, settings, shape)
    units = np.unique(grove.labels) if kind == embed.PAIRS else np.arange(len(rows))
    embed.fitted(
        learner, units, settings, folder / "checkpoint.npz", fit.digest_of(rows, grove.trees.scores[:, :1]),
        half_epoch=chosen["learning_rate_decay"],
    )  # fmt: skip
    torch = extra("torch")
    with torch.no_grad():
        judged = ground.grove(ground.judged, form)
        vectors = judged.embedded(
            lambda given: np.asarray(learner.net(torch.from_numpy(given)).numpy()), np.arange(len(ground.judged))
        )
    if chosen["experiment_name"]:
        embed.write_net(learner.net, folder / "net.onnx", form, settings)
    return vectors


# ---------------------------------------------------------------- experiments


def questions(chosen: dict[str, Any], seed: int) -> list[EliminationExperiment]:
    """All that is asked of an embedding: by what is disliked, how much is known, which measures it is known for."""
    every = tuple(range(len(MEASURES)))
    random = np.random.default_rng([seed, 2])
    masks = random.permutation(np.arange(1, 2 ** len(MEASURES) - 1))[: chosen["eliminator_combinations"] - 1]
    subsets = [every, *(tuple(at for at in every if mask >> at & 1) for mask in masks.tolist())]
    percents = [100.0 * value if value < 1 else float(value) for value in chosen["perc_bad"]]  # 0.15 is 15 per cent
    return [
        EliminationExperiment(kind, percent, known, subset)
        for percent in percents
        for known in chosen["eliminator_known"]
        for subset in subsets
        for kind in TYPES
    ]


@dataclass(frozen=True, eq=False)
class CombinationResult:
    """What a combination came to."""

    asked: list[EliminationExperiment]
    disliked: list[float]
    """Of every question, the share of the trees held out."""
    recall: dict[str, Array]
    """By embedding, float64[sets, questions, 2, CUTS]: recall of all trees, and of those not known."""


def run(
    folder: Path,
    to: Path,
    settings: EliminationSettings,
    combinations: list[dict[str, Any]],
    first: int = 0,
    progress: Progress = silent,
) -> list[CombinationResult]:
    """Run every combination on the trees of a folder. first: only that many training sets, 0 for all."""
    names = {name for chosen in combinations for name in config.names_of(chosen)}
    if names & set(nets.KINDS):
        refuse_without("torch")
    if names & set(embeddings.FITTED):
        refuse_without("sklearn")
    ground = SplitTrees.of(folder, settings)
    held = HeldOut.of(ground.trees[ground.judged], ground.labels[ground.judged], settings.seed)
    prepare(ground, names)
    outcomes = []
    for chosen in combinations:
        asked = questions(chosen, settings.seed)
        outcomes.append(CombinationResult(asked, [held.refuse_unanswerable(question) for question in asked], {}))
    steps = Run(to, vars(settings) | {"combinations": combinations, "trees": ground.digest})
    count = first or settings.splits
    for place, (chosen, outcome) in enumerate(zip(combinations, outcomes, strict=True)):
        parts: dict[str, list[Array]] = {}
        for number in range(count):
            progress(place * count + number, len(combinations) * count)
            for name, recall in one_set(steps, place, number, ground, held, chosen, settings.seed):
                parts.setdefault(name, []).append(recall)
        outcome.recall.update({name: np.stack(recalls) for name, recalls in parts.items()})
    progress(1, 1)
    return outcomes


def one_set(
    steps: Run, place: int, number: int, ground: SplitTrees, held: HeldOut, chosen: dict[str, Any], seed: int
) -> Iterator[tuple[str, Array]]:
    """What every embedding comes to after a training set: its name and float64[questions, 2, CUTS]."""
    folder = f"combination-{place + 1}/set-{number + 1:02d}"
    for name in dict.fromkeys([RANDOM, *config.names_of(chosen)]):

        def make(name: str = name) -> dict[str, Array]:
            vectors = vectors_of(name, ground, number, chosen, steps.path(folder), seed)
            order_of = orders(np.asarray(vectors, np.float64), chosen)
            draws = chosen["eliminator_iters"]
            asked = questions(chosen, seed)
            return {"recall": np.stack([asked_of(held, item, order_of, draws, (seed, number)) for item in asked])}

        yield name, steps.arrays(f"{folder}/{name}.npz", make)["recall"]
