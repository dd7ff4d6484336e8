"""How an experiment is judged: who dislikes what, what is known of it, and how much of it elimination finds.

A simulated person dislikes a tree that is among the p per cent with the least of one of five measures. Some of the
disliked trees are known, elimination orders all that are held out, and recall is the share of the disliked ones among
the first 1, 2, … 99 per cent. Four types of experiments differ in what is disliked:

- basic: those trees, whatever their map;
- map-distinguishing: all trees of p per cent of the maps, drawn at random;
- 0.1-consistent, 0.2-consistent: all trees of the maps of whose trees that share or more is disliked, no others.

The thesis lets known trees count as found. That is kept, and beside it stands recall of the trees that nobody rated.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.maps.measures import measure_trees
from turnsmith.maps.taste import elimination
from turnsmith.maps.tree import Trees

MEASURES = ("lead_change", "lead_possibility_change", "drama", "uncertainty", "late_uncertainty")
BY_MAP = "map-distinguishing"
TYPES = ("basic", BY_MAP, "0.1-consistent", "0.2-consistent")
SHARES = {"0.1-consistent": 0.1, "0.2-consistent": 0.2}
CUTS = np.arange(1, 100)
"""Per cent of the trees that are removed."""


@dataclass(frozen=True)
class EliminationExperiment:
    """One experiment: what is disliked, and what is known of it."""

    type: str
    percent: float
    known: int
    measures: tuple[int, ...] = tuple(range(len(MEASURES)))
    """From the trees disliked for these the known ones are drawn."""


@dataclass(eq=False)
class HeldOut:
    """The trees that are judged, in an order that tells nothing."""

    labels: Array
    """int64[trees]: the map of each, 0 to maps - 1"""
    least: Array
    """int64[trees, measures]: of each, how many trees have less of the measure"""

    @staticmethod
    def of(trees: Trees, labels: Array, seed: int) -> HeldOut:
        """Trees that have equally much stand in an order drawn at random, so that p per cent are p per cent."""
        measured = np.stack(list(measure_trees(trees, MEASURES).values()), axis=1)
        random = np.random.default_rng([seed, 1])
        order = [np.lexsort((random.random(len(measured)), column)) for column in measured.T]
        return HeldOut(np.unique(labels, return_inverse=True)[1], np.argsort(np.stack(order, axis=1), axis=0))

    def __len__(self) -> int:
        return len(self.labels)

    def disliked(self, percent: float, measures: tuple[int, ...]) -> Array:
        """bool[trees]: whether a tree has the least of one of these measures."""
        return np.asarray((self.least[:, list(measures)] < round(percent / 100.0 * len(self))).any(axis=1))

    def answers(self, asked: EliminationExperiment, random: np.random.Generator) -> tuple[Array, Array]:
        """bool[trees] twice: what is disliked, and what of it may be known."""
        if asked.type == BY_MAP:
            maps = int(self.labels.max()) + 1
            drawn = random.choice(maps, max(1, round(asked.percent / 100.0 * maps)), replace=False)
            is_bad = np.isin(self.labels, drawn)
            return is_bad, is_bad
        is_bad = self.disliked(asked.percent, tuple(range(len(MEASURES))))
        may_be_known = self.disliked(asked.percent, asked.measures)
        if asked.type in SHARES:
            return self.agreed(is_bad, SHARES[asked.type]), self.agreed(may_be_known, SHARES[asked.type])
        return is_bad, may_be_known

    def agreed(self, is_bad: Array, share: float) -> Array:
        """bool[trees]: whether of the trees of its map that share or more is bad."""
        shares = np.bincount(self.labels, is_bad) / np.bincount(self.labels)
        return np.asarray(shares[self.labels] >= share - 1e-9)

    def refuse_unanswerable(self, asked: EliminationExperiment) -> float:
        """The share that is disliked; to know more than there is, or all of it, is refused."""
        is_bad, may_be_known = self.answers(asked, np.random.default_rng(0))
        there = min(int(may_be_known.sum()), int(is_bad.sum()) - 1)
        if asked.known > there:
            raise BadInput(
                f"eliminator_known {asked.known} with perc_bad {asked.percent:g}: of {len(self):,} trees held out,"
                f" {there:,} can be known in the {asked.type} type; know fewer, or grow more trees"
            )
        return float(is_bad.mean())


def orders(vectors: Array, chosen: dict[str, Any]) -> Callable[[Array, int], Array]:
    """(known, seed) -> the order in which these trees are removed when some of them are known to be bad."""
    number = chosen["elimination"]
    if number == 2:  # the usual one is asked thousands of times, so the nearest are found once
        apart, pool = elimination.squares(vectors, vectors), len(vectors)
        np.fill_diagonal(apart, -1.0)  # a known one removes itself first, even where others have the same vector
        nearest = elimination.nearest_first(apart)
        turns = functools.cache(lambda count: elimination.turns(np.ones(count), pool))
        return lambda known, seed: elimination.take_turns(nearest[known], turns(len(known)))
    if number == 3:
        heat = chosen["temperature"]
        return lambda known, seed: elimination.by_softmin(vectors[known], vectors, temperature=heat, seed=seed)
    if number == 4:
        return lambda known, seed: elimination.by_infection(vectors[known], vectors, recovery=chosen["recovery"])
    return lambda known, seed: elimination.by_mean(vectors[known], vectors)


def recalls(order: Array, is_bad: Array, known: Array) -> Array:
    """float64[2, CUTS]: recall at every cut, of all trees, and of those that are not known among themselves."""
    is_known = np.zeros(len(order), np.bool_)
    is_known[known] = True
    unrated = order[~is_known[order]]
    return np.stack([_recall(is_bad[part]) for part in (order, unrated)])


def _recall(found: Array) -> Array:
    removed = np.round(CUTS / 100.0 * len(found)).astype(np.int64)
    return np.asarray(np.concatenate([[0], np.cumsum(found)])[removed] / found.sum())


def asked_of(
    held: HeldOut,
    asked: EliminationExperiment,
    order_of: Callable[[Array, int], Array],
    draws: int,
    seed: tuple[int, ...],
) -> Array:
    """float64[2, CUTS]: the mean of recalls over draws of what is known; the same draws for the same seed."""
    total = np.zeros((2, len(CUTS)))
    same = None if asked.type == BY_MAP else held.answers(asked, np.random.default_rng(0))
    for draw in range(draws):
        name = [*seed, TYPES.index(asked.type), round(asked.percent * 100), asked.known, *asked.measures, draw]
        random = np.random.default_rng(name)
        is_bad, may_be_known = same or held.answers(asked, random)
        known = random.choice(np.flatnonzero(may_be_known & is_bad), asked.known, replace=False)
        total += recalls(order_of(known, draw), is_bad, known)
    return total / draws
