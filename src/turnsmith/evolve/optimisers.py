"""Optimisers with one interface: ``ask()`` for candidates, ``tell(fitness)`` how good they are, the greater the better.

A candidate is float64[genes]. What is asked follows from the settings, the seed and what was told before, and from
nothing else. So whoever kept what was told can ask and tell it again, and is where it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.extras import extra
from turnsmith.common.settings import setting


class Optimiser(Protocol):
    """Whatever proposes candidates and learns from their fitness."""

    compares_all: ClassVar[bool]
    """Whether candidates are compared with those of earlier generations, and so must play the same games."""

    def ask(self) -> Array:
        """float64[candidates, genes]: the next generation."""

    def tell(self, fitness: Array) -> None:
        """How good each candidate of the last generation was."""


# ---------------------------------------------------------------- CMA-ES


class Cma:
    """CMA-ES by the library `cma`: for tens to hundreds of genes whose fitness is noisy."""

    compares_all: ClassVar[bool] = False

    def __init__(self, start: Array, step: float, seed: int, population: int = 0):
        """step: how far the first generation lies around `start`; population: 0 for what suits the number of genes."""
        random = np.random.default_rng(seed)
        options = {"randn": lambda *shape: random.standard_normal(shape), "seed": np.nan, "verbose": -9}
        options |= {"popsize": population} if population else {}
        self._search = extra("cma").CMAEvolutionStrategy(start, step, options)
        self._asked: list[Array] = []

    def ask(self) -> Array:
        self._asked = self._search.ask()
        return np.array(self._asked)

    def tell(self, fitness: Array) -> None:
        self._search.tell(self._asked, [-float(value) for value in fitness])

    @property
    def middle(self) -> Array:
        """float64[genes]: the mean of the next generation, which noise has led astray least."""
        return np.array(self._search.result.xfavorite)


# ---------------------------------------------------------------- TPE


class Tpe:
    """Optuna's tree-structured Parzen estimator: for few genes, and as few trials as can be. Begins with `start`."""

    compares_all: ClassVar[bool] = True

    def __init__(self, start: Array, low: Array, high: Array, seed: int, random_trials: int = 20, population: int = 1):
        self._optuna = extra("optuna")
        self._optuna.logging.set_verbosity(self._optuna.logging.WARNING)
        bounds = enumerate(zip(low.tolist(), high.tolist(), strict=True))
        kind = self._optuna.distributions.FloatDistribution
        self._space = {f"gene{place}": kind(*ends) for place, ends in bounds}
        self._start, self._seed = np.clip(start, low, high), seed
        self._random_trials, self._population = random_trials, population
        self._done: list[tuple[Array, float]] = []
        self._asked = np.zeros((0, len(start)))

    def ask(self) -> Array:
        first = len(self._done)
        study = self._study(first)
        asked = [self._start] if first == 0 else []
        while len(asked) < self._population:
            params = study.ask(self._space).params
            asked.append(np.array([params[name] for name in self._space]))
        self._asked = np.array(asked)
        return self._asked

    def _study(self, number: int) -> Any:
        """A study made anew, so that nothing else has a say in what it proposes."""
        optuna = self._optuna
        sampler = optuna.samplers.TPESampler(
            seed=int(np.random.SeedSequence([self._seed, number]).generate_state(1)[0]),
            multivariate=True,
            n_startup_trials=self._random_trials,
        )
        study = optuna.create_study(sampler=sampler, direction="maximize")
        for genes, fitness in self._done:
            params = dict(zip(self._space, genes.tolist(), strict=True))
            study.add_trial(optuna.trial.create_trial(params=params, distributions=self._space, value=fitness))
        return study

    def tell(self, fitness: Array) -> None:
        self._done += zip(self._asked, map(float, fitness), strict=True)


# ---------------------------------------------------------------- a genetic algorithm


@dataclass(frozen=True)
class GeneticSettings:
    """A genetic algorithm for matrices of weights."""

    population: int = setting(25, 2, 100_000)
    """Candidates of a generation."""
    survivors: float = setting(0.4, 0.0, 1.0)
    """The share of them, the best, that lives on unchanged."""
    power: float = setting(1.0, 0.0, 10.0)
    """Chances in the roulette go by fitness to this power."""
    mutation: float = setting(0.05, 0.0, 1.0)
    """The chance of each gene of a child to change."""
    size: float = setting(2.0, 0.0, 1e6)
    """The standard deviation of such a change."""
    mutation_limit: float = setting(0.05, 0.0, 1.0)
    """The chance that annealing leads to."""
    annealing: int = setting(0, 0, 1_000_000_000)
    """Generations in which it falls there, by as much in each; 0 for a chance that stays."""
    swap: float = setting(0.02, 0.0, 1.0)
    """The chance of a child that two columns of its matrix change places."""
    spread: float = setting(2.0, 0.0, 1e6)
    """The standard deviation of the first generation around where it begins; of a uniform one how far it reaches."""
    first: Literal["normal", "uniform"] = setting("normal")
    """How the first generation lies around where it begins."""
    normalise: float = setting(0.0, 0.0, 1e6)
    """Before they are mixed, matrices that choose alike are made alike: the mean of every row is taken off, and the
    largest entry becomes this; 0 for as they are."""


ESCAPE = 10
"""So often the roulette may choose the first parent again; then the second one is its best neighbour."""


class Genetic:
    """The best survive, the rest are children of two parents: roulette, crossover gene by gene, mutation, swaps."""

    compares_all: ClassVar[bool] = False

    def __init__(self, settings: GeneticSettings, start: Array, seed: int):
        """start: float64[rows, columns], or float64[genes] of no matrix, whose columns never swap."""
        self.settings, self.generation = settings, 0
        self._shape = start.shape
        self._random = np.random.default_rng(seed)
        shape, spread = (settings.population, start.size), settings.spread
        if settings.first == "uniform":
            self._asked = start.reshape(-1) + self._random.uniform(-spread, spread, shape)
        else:
            self._asked = start.reshape(-1) + self._random.normal(0.0, spread, shape)

    def ask(self) -> Array:
        return self._asked.copy()

    def tell(self, fitness: Array) -> None:
        order = np.argsort(-fitness, kind="stable")
        ranked, fitness = self._asked[order], fitness[order]
        lives_on = round(self.settings.survivors * len(ranked))
        chances = roulette(fitness, self.settings.power)
        children = [self.child(ranked, chances) for _ in range(len(ranked) - lives_on)]
        self._asked = np.array([*ranked[:lives_on], *children])
        self.generation += 1

    def child(self, ranked: Array, chances: Array) -> Array:
        """A child of two of the ranked candidates (the best first)."""
        random = self._random
        one, other = (self.normal(ranked[place]) for place in parents(chances, random))
        made: Array = np.where(random.random(ranked.shape[1]) < 0.5, one, other)
        changes = random.random(len(made)) < self.mutation()
        made = made + changes * random.normal(0.0, self.settings.size, len(made))
        if random.random() < self.settings.swap and len(self._shape) == 2 and self._shape[1] > 1:
            left, right = random.choice(self._shape[1], 2, replace=False)
            matrix = made.reshape(self._shape)
            matrix[:, [left, right]] = matrix[:, [right, left]]
        return made

    def normal(self, genes: Array) -> Array:
        """Genes as they are mixed, see `normalise`."""
        if not self.settings.normalise:
            return genes
        return normalised(genes.reshape(self._shape), self.settings.normalise).reshape(-1)

    def mutation(self) -> float:
        """The chance of a gene to change in the children of this generation."""
        way = min(1.0, self.generation / self.settings.annealing) if self.settings.annealing else 0.0
        return self.settings.mutation + (self.settings.mutation_limit - self.settings.mutation) * way


def normalised(matrix: Array, largest: float) -> Array:
    """A matrix that chooses the same column for every row of inputs: rows of mean 0, the largest entry as given.

    >>> normalised(np.array([[1.0, 3.0], [2.0, 2.0]]), 10.0).tolist()
    [[-10.0, 10.0], [0.0, 0.0]]
    """
    centred = matrix - matrix.mean(axis=-1, keepdims=True)
    size = float(np.abs(centred).max())
    return np.asarray(centred * (largest / size) if size > 0 else centred)


def roulette(fitness: Array, power: float) -> Array:
    """float64[candidates]: the chance of each to become a parent, by its fitness; where some are negative, by how much
    more it is than the least.

    >>> roulette(np.array([6.0, 3.0, 0.0]), 1.0).round(2).tolist()
    [0.67, 0.33, 0.0]
    """
    slices = (fitness - min(0.0, float(fitness.min()))) ** power
    total = float(slices.sum())
    return np.asarray(slices / total if total > 0 else np.full(len(slices), 1 / len(slices)))


def parents(chances: Array, random: np.random.Generator) -> tuple[int, int]:
    """Two different candidates by roulette, ranked as `chances` are, the best first."""
    one = int(random.choice(len(chances), p=chances))
    for _ in range(ESCAPE):
        other = int(random.choice(len(chances), p=chances))
        if other != one:
            return one, other
    return one, one - 1 if one > 0 else 1  # of its two neighbours in the ranking the better
