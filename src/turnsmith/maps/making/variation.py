"""How maps come from maps, compiled: first ones near the game's own, and children of two parents.

Every child draws from a stream of its own, named by the seed and its number, so it does not matter how many are bred at
once. Genomes are int32[maps, genes].
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.rng import below, set_stream, unit

CHILD_STREAM = 4_000_001


class VariationRules(NamedTuple):
    """What every child keeps to, whoever its parents are."""

    values: Array
    """int64[genes]: how many values each gene has."""
    chances: Array
    """float64[all values of all genes]: the share of each value among the game's own maps, summed up gene by gene."""
    starts: Array
    """int64[genes]: where the values of each gene begin in `chances`."""
    locked: Array
    """int32[genes]: the value that a gene must have, -1 where it is free."""
    copied: Array
    """int64[genes]: the gene that each is a copy of, itself where it is of its own: symmetry."""
    crossover: float
    """The chance that a child has two parents."""
    mutations: float
    """How many genes of a child change in the mean."""


def sow(rules: Any, own: Any, seed: Any, first: int, children: Any, lots: Any) -> None:
    """First maps: one of the game's `own`, of which a share is drawn anew, none of it in some and all of it in others;
    children[row] is the child number first + row. lots: float64[rows], a number from 0 to 1 drawn for each."""
    rng = np.zeros(1, np.uint64)
    for row in range(children.shape[0]):
        set_stream(rng, seed, first + row, CHILD_STREAM)
        lots[row] = unit(rng)
        child, start = children[row], own[below(rng, own.shape[0])]
        share = unit(rng)
        for gene in range(child.shape[0]):
            child[gene] = start[gene]
            if unit(rng) < share:
                child[gene] = drawn(rules, gene, rng)
        keep_to(rules, child)


def drawn(rules: Any, gene: int, rng: Any) -> Any:
    """A value of a gene, as often as the game's own maps have it."""
    point, value, begin = unit(rng), 0, rules.starts[gene]
    while value + 1 < rules.values[gene] and rules.chances[begin + value] <= point:
        value += 1
    return value


def breed(rules: Any, parents: Any, seed: Any, first: int, children: Any, lots: Any) -> None:
    """Children of uniformly drawn parents: one-point crossover, then every mutated gene gets another value."""
    rng = np.zeros(1, np.uint64)
    genes = children.shape[1]
    chance = min(1.0, rules.mutations / max(1, genes))
    for row in range(children.shape[0]):
        set_stream(rng, seed, first + row, CHILD_STREAM)
        lots[row] = unit(rng)
        child, one, other = children[row], parents[below(rng, len(parents))], parents[below(rng, len(parents))]
        cut = genes
        if genes > 1 and unit(rng) < rules.crossover:
            cut = 1 + below(rng, genes - 1)
        for gene in range(genes):
            child[gene] = one[gene] if gene < cut else other[gene]
            if unit(rng) < chance and rules.values[gene] > 1:
                child[gene] = (child[gene] + 1 + below(rng, rules.values[gene] - 1)) % rules.values[gene]
        keep_to(rules, child)


def keep_to(rules: Any, genome: Any) -> None:
    """What is locked is as it must be; then copies follow what they are copies of."""
    for gene in range(genome.shape[0]):
        if rules.locked[gene] >= 0:
            genome[gene] = rules.locked[gene]
    for gene in range(genome.shape[0]):
        if rules.locked[gene] < 0:
            genome[gene] = genome[rules.copied[gene]]


def keep_all_to(rules: Any, genomes: Any) -> None:
    for row in range(genomes.shape[0]):
        keep_to(rules, genomes[row])
