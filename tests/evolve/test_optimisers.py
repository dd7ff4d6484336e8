"""Optimisers: each finds what it should, the same again after a stop, and the genetic one by the operators it names."""

import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from turnsmith.evolve.optimisers import ESCAPE, Cma, Genetic, GeneticSettings, Tpe, normalised, parents, roulette

GOAL = np.array([0.5, -1.0, 2.0, 0.0])


def near(candidates):
    """Fitness: how near to the goal, 0 being there."""
    return -((candidates - GOAL) ** 2).sum(axis=1)


def new_cma(seed=3):
    return Cma(np.zeros(4), 0.5, seed)


def new_tpe(seed=3):
    return Tpe(np.zeros(4), np.full(4, -3.0), np.full(4, 3.0), seed, random_trials=10, population=4)


def new_genetic(seed=3):
    return Genetic(GeneticSettings(population=40, size=0.3, mutation=0.2), np.zeros((2, 2)), seed)


@pytest.mark.parametrize(("new", "generations"), [(new_cma, 30), (new_tpe, 20), (new_genetic, 60)])
def test_an_optimiser_comes_near(new, generations):
    """It ends far nearer to the best there is than it began, and shapes are as promised."""
    optimiser, best = new(), []
    for _ in range(generations):
        asked = optimiser.ask()
        assert asked.ndim == 2
        assert asked.shape[1] == 4
        best.append(near(asked).max())
        optimiser.tell(near(asked))
    assert max(best) > -0.25
    assert max(best) > 0.05 * best[0]


@pytest.mark.parametrize("new", [new_cma, new_tpe, new_genetic])
def test_what_is_asked_follows_from_what_was_told(new):
    """Asked and told the same again, an optimiser asks the same; another seed, or another answer, leads elsewhere."""
    whole, again, other, misled = new(), new(), new(seed=4), new()
    for number in range(6):
        asked = whole.ask()
        assert (again.ask() == asked).all()
        differs, astray = other.ask(), misled.ask()
        for optimiser, fitness in ((whole, near(asked)), (again, near(asked)), (other, near(differs))):
            optimiser.tell(fitness)
        misled.tell(-near(astray) if number == 0 else near(astray))
    assert (whole.ask() == again.ask()).all()
    assert (whole.ask() != other.ask()).any()
    assert (new().ask() == new().ask()).all()
    if new is not new_tpe:  # which is still drawing at random
        assert (whole.ask() != misled.ask()).any()


def test_cma_knows_its_middle():
    """The middle of the next generation is nearer than most of its candidates."""
    optimiser = new_cma()
    for _ in range(12):
        asked = optimiser.ask()
        optimiser.tell(near(asked))
    assert near(optimiser.middle[None])[0] > np.median(near(optimiser.ask()))


def test_tpe_begins_where_it_is_told_and_stays_inside():
    """The first candidate is the start, and none is out of bounds."""
    optimiser = Tpe(np.array([5.0, 0.0]), np.zeros(2), np.ones(2), 1, random_trials=3)
    assert optimiser.ask().tolist() == [[1.0, 0.0]]
    for _ in range(8):
        asked = optimiser.ask()
        assert ((asked >= 0.0) & (asked <= 1.0)).all()
        optimiser.tell(asked.sum(axis=1))


def one_step(settings, candidates, fitness, seed=1, shape=None):
    """The next generation after one that is given."""
    genetic = Genetic(settings, np.zeros(shape or candidates.shape[1]), seed)
    genetic._asked = candidates
    genetic.tell(fitness)
    return genetic.ask()


PLAIN = GeneticSettings(population=1000, survivors=0.4, mutation=0.0, mutation_limit=0.0, swap=0.0)


def test_the_best_share_survives_unchanged():
    """Of 1000 the 400 fittest live on as they are, the fittest first."""
    candidates = np.arange(1000.0)[:, None] * np.ones(3)
    fitness = np.random.default_rng(1).permutation(1000).astype(float)
    following = one_step(PLAIN, candidates, fitness)
    assert (following[:400] == candidates[np.argsort(-fitness)[:400]]).all()
    assert len(following) == 1000


def test_children_are_mixed_gene_by_gene_of_two_parents():
    """Every gene comes from one of two parents, from either as often, and neighbours are not tied to each other."""
    candidates = np.arange(1000.0)[:, None] * np.ones(20)
    children = one_step(PLAIN, candidates, np.full(1000, 1.0))[400:]
    kinds = [np.unique(child) for child in children]
    assert all(len(kind) == 2 for kind in kinds)
    lesser = np.array([child == kind[0] for child, kind in zip(children, kinds, strict=True)])
    assert lesser.mean() == pytest.approx(0.5, abs=0.02)
    assert (lesser[:, 1:] == lesser[:, :-1]).mean() == pytest.approx(0.5, abs=0.02)


def test_the_roulette_goes_by_fitness():
    """Twice the fitness is chosen twice as often; squared four times; negative ones count from the least."""
    random = np.random.default_rng(1)
    assert roulette(np.array([2.0, 1.0, 1.0]), 2.0).tolist() == [4 / 6, 1 / 6, 1 / 6]
    assert roulette(np.array([1.0, 0.0, -1.0]), 1.0).round(6).tolist() == [0.666667, 0.333333, 0.0]
    assert roulette(np.zeros(4), 1.0).tolist() == [0.25] * 4
    first = [parents(np.array([0.5, 0.25, 0.25]), random)[0] for _ in range(4000)]
    assert np.bincount(first)[0] / 4000 == pytest.approx(0.5, abs=0.03)


def test_the_second_parent_is_another_one():
    """Parents differ; where the roulette knows only one, after ten repeats its better neighbour is taken."""
    random = np.random.default_rng(1)
    for _ in range(500):
        one, other = parents(np.array([0.9, 0.05, 0.05]), random)
        assert one != other
    assert parents(np.array([1.0, 0.0, 0.0]), random) == (0, 1)
    assert parents(np.array([0.0, 0.0, 1.0]), random) == (2, 1)
    nearly = np.array([0.1, 0.0, 0.9])  # the roulette fails ten times in a row in 0.9 ** 10 of all cases
    escaped = np.mean([parents(nearly, random)[1] == 1 for _ in range(4000)])
    assert escaped == pytest.approx(0.9 * 0.9**ESCAPE, abs=0.025)


def test_mutation_changes_few_genes_by_a_normal_amount():
    """A share p of the genes of children changes, by N(0, size); survivors do not change."""
    settings = dataclasses.replace(PLAIN, mutation=0.05, mutation_limit=0.05, size=2.0)
    following = one_step(settings, np.zeros((1000, 50)), np.ones(1000))
    changed = following[400:][following[400:] != 0.0]
    assert (following[:400] == 0.0).all()
    assert len(changed) / (600 * 50) == pytest.approx(0.05, abs=0.005)
    assert changed.mean() == pytest.approx(0.0, abs=0.15)
    assert changed.std() == pytest.approx(2.0, abs=0.15)


def test_the_chance_of_mutation_is_annealed_to_a_limit():
    """It falls by as much in every generation until it is at the limit; without annealing it stays."""
    cooling = Genetic(GeneticSettings(mutation=0.45, mutation_limit=0.05, annealing=4), np.zeros(3), 1)
    chances = []
    for _ in range(6):
        chances.append(round(cooling.mutation(), 4))
        cooling.tell(np.ones(25))
    assert chances == [0.45, 0.35, 0.25, 0.15, 0.05, 0.05]
    staying = Genetic(GeneticSettings(mutation=0.3), np.zeros(3), 1)
    staying.tell(np.ones(25))
    assert staying.mutation() == 0.3


def test_the_first_generation_may_be_uniform():
    """As far as it may reach, and all of it alike."""
    asked = Genetic(GeneticSettings(population=500, spread=10.0, first="uniform"), np.zeros((14, 7)), 1).ask()
    assert np.abs(asked).max() <= 10.0
    assert np.histogram(asked, 10, (-10, 10))[0].std() < 0.03 * asked.size / 10


@given(arrays(np.float64, (3, 4), elements=st.floats(-100, 100)), st.floats(-5, 5), st.floats(0.1, 10))
def test_matrices_that_choose_alike_become_alike(matrix, shift, scale):
    """Whatever is added to a whole row, and however all is scaled; nothing that they choose changes."""
    assume(np.ptp(matrix, axis=1).max() > 0.01)
    normal = normalised(matrix, 10.0)
    assert np.allclose(normal, normalised(scale * matrix + np.array([[shift], [0.0], [1.0]]), 10.0), atol=1e-6)
    assert np.abs(normal).max() == pytest.approx(10.0)
    inputs = np.random.default_rng(1).random((20, 3))
    scores = inputs @ matrix
    assert np.allclose((inputs @ normal).max(axis=1), (inputs @ normal)[np.arange(20), scores.argmax(axis=1)])


def test_children_of_matrices_that_choose_alike_are_no_mixture():
    """Normalised before they are mixed, the same matrix shifted and scaled has only itself for a child."""
    one = np.random.default_rng(1).normal(size=(14, 7))
    candidates = np.array([(scale * one + np.arange(14)[:, None]).reshape(-1) for scale in np.linspace(1, 3, 1000)])
    children = one_step(dataclasses.replace(PLAIN, normalise=10.0), candidates, np.ones(1000), shape=(14, 7))[400:]
    assert np.allclose(children, normalised(one, 10.0).reshape(-1))


def test_two_columns_swap_rarely():
    """With a chance of p a child's matrix has two columns in each other's place, and is otherwise its parents'."""
    settings = dataclasses.replace(PLAIN, swap=0.02, survivors=0.0)
    matrix = np.arange(14 * 7.0).reshape(14, 7)
    children = one_step(settings, np.tile(matrix.reshape(-1), (1000, 1)), np.ones(1000), shape=(14, 7))
    moved = [np.flatnonzero((child.reshape(14, 7) != matrix).any(axis=0)) for child in children]
    assert {len(columns) for columns in moved} == {0, 2}
    assert np.mean([len(columns) == 2 for columns in moved]) == pytest.approx(0.02, abs=0.012)
    for child, columns in zip(children, moved, strict=True):
        swapped = child.reshape(14, 7)
        swapped[:, columns] = swapped[:, columns[::-1]]
        assert (swapped == matrix).all()
