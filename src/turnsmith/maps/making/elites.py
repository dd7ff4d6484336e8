"""CVT-MAP-Elites: the best liked map of every niche, niches being the cells around centroids of a behaviour space.

Behaviour is float32[maps, axes]: the genome itself, or measures. As liking changes with every rating, a sample of all
maps that were ever seen is kept beside the elites: after a rating all of them are scored anew and compete again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import below, set_stream

SEEN_STREAM = 4_000_002
ROUNDS = 8
"""Of k-means."""
EMPTY = -np.inf
"""The liking of a niche that nobody lives in."""


# ---------------------------------------------------------------- compiled


def find_niches(centroids: Any, lengths: Any, behaviour: Any, room: Any, out: Any) -> None:
    """out[row] = the first centroid that is nearest. centroids: float32[axes, niches], the sum of squares of each in
    `lengths`; column by column, as processors add rows fast."""
    niches = centroids.shape[1]
    for row in range(behaviour.shape[0]):
        for niche in range(niches):
            room[niche] = lengths[niche]
        for axis in range(centroids.shape[0]):
            value = np.float32(-2.0) * behaviour[row, axis]
            if value != 0.0:
                for niche in range(niches):
                    room[niche] += value * centroids[axis, niche]
        best = 0
        for niche in range(1, niches):
            if room[niche] < room[best]:
                best = niche
        out[row] = best


def add_up(samples: Any, niches: Any, sums: Any) -> None:
    """sums[niche] += every sample of the niche."""
    for row in range(samples.shape[0]):
        for axis in range(samples.shape[1]):
            sums[niches[row], axis] += samples[row, axis]


def is_near(genome: Any, other: Any, most: int) -> bool:
    """Whether at most so many genes differ."""
    differing = 0
    for gene in range(genome.shape[0]):
        if genome[gene] != other[gene]:
            differing += 1
            if differing > most:
                return False
    return True


def mark_new(
    genomes: Any, niches: Any, elites: Any, liking: Any, near: int, lots: Any, skipped: float, out: Any
) -> None:
    """out[row] = whether a child is worth being judged: not if it is the elite of its niche again, and with the chance
    `skipped` not if it differs from it in at most `near` genes. lots: float64[rows], drawn before."""
    for row in range(genomes.shape[0]):
        niche = niches[row]
        out[row] = True
        if liking[niche] > EMPTY:
            most = near if lots[row] < skipped else 0
            out[row] = not is_near(genomes[row], elites[niche], most)


def enter(genomes: Any, niches: Any, found: Any, elites: Any, liking: Any, out: Any) -> None:
    """Put each map into its niche if it is liked more than who lives there; out[row] = whether it was."""
    for row in range(genomes.shape[0]):
        niche = niches[row]
        out[row] = found[row] > liking[niche]
        if out[row]:
            liking[niche] = found[row]
            elites[niche] = genomes[row]


def remember(genomes: Any, seed: Any, count: int, seen: Any) -> None:
    """Keep a uniform sample of all that was ever seen, `count` maps before these."""
    rng = np.zeros(1, np.uint64)
    for row in range(genomes.shape[0]):
        place = count + row
        if place >= len(seen):
            set_stream(rng, seed, place, SEEN_STREAM)
            place = below(rng, place + 1)
        if place < len(seen):
            seen[place] = genomes[row]


# ---------------------------------------------------------------- in Python


def nearest(centroids: Array, behaviour: Array) -> Array:
    """int64[rows]: the first centroid of float32[niches, axes] nearest to each row of behaviour."""
    out = np.zeros(len(behaviour), np.int64)
    columns = np.ascontiguousarray(centroids.T)
    lengths = (centroids**2).sum(axis=1)
    compiled(find_niches)(columns, lengths, np.ascontiguousarray(behaviour), np.zeros_like(lengths), out)
    return out


def centroids_of(samples: Array, niches: int, seed: int) -> Array:
    """float32[niches, axes]: the centroids of samples by k-means, begun at samples that differ; fewer niches where
    there are not so many different samples."""
    different = np.unique(samples, axis=0)
    random = np.random.default_rng((seed, SEEN_STREAM))
    chosen = random.choice(len(different), min(niches, len(different)), replace=False)
    centroids = different[np.sort(chosen)].astype(np.float32)
    for _ in range(ROUNDS):
        niche = nearest(centroids, samples)
        sums = np.zeros(centroids.shape)
        compiled(add_up)(samples, niche, sums)
        counts = np.bincount(niche, minlength=len(centroids))
        lived = counts > 0
        centroids[lived] = (sums[lived] / counts[lived, None]).astype(np.float32)
    return centroids


class Elites:
    """The archive: who lives in each niche, and a sample of all that was seen."""

    def __init__(self, centroids: Array, genes: int, seed: int, memory: int):
        """centroids: float32[niches, axes]; memory: maps that the sample holds"""
        self.centroids, self.seed = centroids, np.uint64(seed)
        self.genomes = np.zeros((len(centroids), genes), np.int32)
        self.liking = np.full(len(centroids), EMPTY)
        self.seen = np.zeros((memory, genes), np.int32)
        self.count = 0
        """Maps ever seen."""
        self._columns = np.ascontiguousarray(centroids.T)
        self._lengths = np.asarray((centroids**2).sum(axis=1), np.float32)
        self._room = np.zeros(len(centroids), np.float32)

    @property
    def filled(self) -> Array:
        """int64: the niches somebody lives in."""
        return np.flatnonzero(self.liking > EMPTY)

    @property
    def remembered(self) -> int:
        return min(self.count, len(self.seen))

    def niches(self, behaviour: Array) -> Array:
        out = np.zeros(len(behaviour), np.int64)
        compiled(find_niches)(self._columns, self._lengths, behaviour, self._room, out)
        return out

    def are_new(self, genomes: Array, niches: Array, near: int, lots: Array, skipped: float) -> Array:
        """bool[rows]: those worth being judged, see ``mark_new``."""
        out = np.zeros(len(genomes), np.bool_)
        compiled(mark_new)(genomes, niches, self.genomes, self.liking, near, lots, skipped, out)
        return out

    def would_enter(self, niches: Array, liking: Array) -> Array:
        """bool[rows]: those liked more than who lives in their niche now."""
        return np.asarray(liking > self.liking[niches])

    def add(self, genomes: Array, niches: Array, liking: Array) -> Array:
        """Let maps compete for their niches, one after another; bool[rows]: whether each entered."""
        out = np.zeros(len(genomes), np.bool_)
        compiled(enter)(genomes, niches, liking, self.genomes, self.liking, out)
        return out

    def remember(self, genomes: Array) -> None:
        """Note maps that were judged, whether they entered or not."""
        compiled(remember)(genomes, self.seed, self.count, self.seen)
        self.count += len(genomes)

    def rescore(self, judge: Callable[[Array], Array], behaviour: Callable[[Array], Array]) -> None:
        """Judge everything anew, as after a rating; those seen before may come back."""
        filled, kept = self.filled, self.seen[: self.remembered]
        genomes = np.concatenate([self.genomes[filled], kept])
        liking = judge(genomes)
        self.liking[:] = EMPTY
        self.add(genomes, self.niches(behaviour(genomes)), liking)
