"""CVT-MAP-Elites over whole numbers: the same elites as ribs, children that keep to the rules, niches in the middle of
what lives there."""

import numpy as np
import pytest

from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.maps.making.elites import Elites, centroids_of, nearest
from turnsmith.maps.making.variation import VariationRules, breed, keep_all_to, sow

GENES = 12
SEED = np.uint64(5)


def rules(mutations=0.0, crossover=1.0, locked=None, copied=None):
    values = np.full(GENES, 3)
    chances = np.tile([0.5, 0.75, 1.0], GENES)
    free = np.full(GENES, -1, np.int32) if locked is None else np.array(locked, np.int32)
    alone = np.arange(GENES) if copied is None else np.array(copied)
    return VariationRules(values, chances, np.arange(GENES) * 3, free, alone, crossover, mutations)


def bred(chosen, parents, count=400, first=0, kernel=breed):
    children, lots = np.zeros((count, GENES), np.int32), np.zeros(count)
    run = compiled(kernel) if kernel is breed or kernel is sow else kernel
    run(chosen, np.array(parents, np.int32), SEED, first, children, lots)
    return children, lots


def test_the_same_additions_give_the_same_elites_as_ribs():
    """The same centroids, genomes and fitness, one after another and in batches."""
    archives = pytest.importorskip("ribs.archives")
    dice = np.random.default_rng(3)
    centroids = dice.uniform(0, 2, (40, GENES)).astype(np.float32)
    genomes = dice.integers(0, 3, (3000, GENES)).astype(np.int32)
    fitness = dice.normal(size=3000)
    theirs = archives.CVTArchive(
        solution_dim=GENES, centroids=centroids.astype(np.float64), ranges=[(0, 2)] * GENES,
        nearest_neighbors="brute_force",
    )  # fmt: skip
    ours = Elites(centroids, GENES, 1, 100)
    for start in range(0, 3000, 500):
        part = slice(start, start + 500)
        theirs.add(genomes[part], fitness[part], genomes[part].astype(np.float64))
        ours.add(genomes[part], ours.niches(genomes[part].astype(np.float32)), fitness[part])
    found = theirs.data()
    order = np.argsort(found["index"])
    assert found["index"][order].tolist() == ours.filled.tolist()
    assert (found["solution"][order] == ours.genomes[ours.filled]).all()
    assert (found["objective"][order] == ours.liking[ours.filled]).all()


def test_children_are_crossed_at_one_point_and_drawn_uniformly():
    """Without mutation a child is the beginning of one parent and the end of another; all parents are as likely."""
    parents = np.repeat(np.arange(3)[:, None], GENES, axis=1)
    children, _ = bred(rules(), parents, 6000)
    changes = (children[:, 1:] != children[:, :-1]).sum(axis=1)
    assert changes.max() == 1
    assert np.abs(np.bincount(children[:, 0], minlength=3) / 6000 - 1 / 3).max() < 0.03
    whole, _ = bred(rules(crossover=0.0), parents)
    assert (whole == whole[:, :1]).all()


def test_a_mutated_gene_always_changes():
    """Where every gene mutates, none is as it was, and both other values come up."""
    children, _ = bred(rules(mutations=GENES, crossover=0.0), np.ones((2, GENES)))
    assert set(np.unique(children)) == {0, 2}
    few, _ = bred(rules(mutations=1.5, crossover=0.0), np.ones((2, GENES)), 4000)
    assert (few != 1).sum(axis=1).mean() == pytest.approx(1.5, abs=0.1)


def test_locks_and_symmetry_hold_in_every_child():
    """Locked genes have their value, copies follow what they are copies of, even that of a lock."""
    locked = [-1] * GENES
    locked[2] = 2
    copied = [*range(6), 5, 4, 3, 2, 1, 0]
    for kernel in (breed, sow):
        children, _ = bred(rules(3.0, locked=locked, copied=copied), np.ones((3, GENES)), kernel=kernel)
        assert (children[:, 2] == 2).all()
        assert (children == children[:, ::-1]).all()
    others = np.zeros((5, GENES), np.int32)
    compiled(keep_all_to)(rules(locked=locked, copied=copied), others)
    assert (others[:, [2, 9]] == 2).all()
    assert others.sum() == 20


def test_children_follow_from_their_number_alone():
    """In batches of any size, and interpreted as compiled."""
    parents = np.random.default_rng(1).integers(0, 3, (7, GENES))
    whole, lots = bred(rules(1.5), parents, 40)
    parts = [bred(rules(1.5), parents, 20, first) for first in (0, 20)]
    assert (np.concatenate([part[0] for part in parts]) == whole).all()
    assert (np.concatenate([part[1] for part in parts]) == lots).all()
    slow, _ = bred(rules(1.5), parents, 40, kernel=interpreted(breed))
    assert (slow == whole).all()


def test_first_maps_range_from_the_games_own_to_any():
    """Values are as often as the weights say where they are drawn anew."""
    own = np.full((1, GENES), 2)
    children, _ = bred(rules(), own, 4000, kernel=sow)
    same = (children == 2).mean(axis=1)
    assert same.max() == 1.0
    assert same.min() <= 0.25
    drawn_anew = children[same < 0.3]
    others = drawn_anew[drawn_anew != 2]
    assert (others == 0).mean() == pytest.approx(2 / 3, abs=0.05)


def test_near_duplicates_are_skipped_with_a_chance():
    """The elite itself always is, one that differs in a gene as often as wanted, none in an empty niche."""
    archive = Elites(np.array([[0.0] * GENES, [2.0] * GENES], np.float32), GENES, 1, 10)
    zero = np.zeros((1, GENES), np.int32)
    archive.add(zero, np.array([0]), np.array([1.0]))
    near, far = zero.copy(), zero.copy()
    near[0, 3], far[0, :4] = 1, 1
    lots = np.linspace(0, 1, 100, endpoint=False)
    for genome, expected in ((zero, 0), (near, 70), (far, 100)):
        many = np.repeat(genome, 100, axis=0)
        assert archive.are_new(many, np.zeros(100, np.int64), 2, lots, 0.3).sum() == expected
    assert archive.are_new(zero, np.array([1]), 2, np.zeros(1), 1.0).all()


def test_what_was_seen_comes_back_when_taste_changes():
    """A map that lost its niche is judged again with the elites, and wins where it is liked better now."""
    archive = Elites(np.zeros((1, GENES), np.float32), GENES, 1, 10)
    genomes = np.array([[0] * GENES, [1] * GENES, [2] * GENES], np.int32)
    archive.remember(genomes)
    archive.add(genomes, np.zeros(3, np.int64), np.array([3.0, 2.0, 1.0]))
    assert archive.genomes[0].tolist() == [0] * GENES
    archive.rescore(lambda many: many.sum(axis=1).astype(np.float64), lambda many: many.astype(np.float32))
    assert archive.genomes[0].tolist() == [2] * GENES
    assert archive.liking[0] == 24


def test_memory_is_a_uniform_sample_of_all_that_was_seen():
    """However many there were, early ones are as likely to be kept as late ones."""
    kept = []
    for seed in range(40):
        archive = Elites(np.zeros((1, 1), np.float32), 1, seed, 50)
        for start in range(0, 1000, 100):
            archive.remember(np.arange(start, start + 100, dtype=np.int32)[:, None])
        kept += archive.seen[:, 0].tolist()
    assert len(set(kept)) > 800
    assert np.mean(kept) == pytest.approx(499.5, abs=25)


def test_niches_lie_amid_the_samples():
    """Every centroid is about the mean of its cell, and samples are nearer to it than to centroids drawn at random."""
    dice = np.random.default_rng(2)
    samples = dice.normal(size=(1000, 3)).astype(np.float32)
    centroids = centroids_of(samples, 30, 1)
    niche = nearest(centroids, samples)
    exact = ((samples[:, None] - centroids[None]) ** 2).sum(axis=2)
    assert (exact[np.arange(1000), niche] <= exact.min(axis=1) + 1e-5).all()
    drawn = samples[dice.choice(1000, 30, replace=False)]
    random = ((samples[:, None] - drawn[None]) ** 2).sum(axis=2).min(axis=1).mean()
    assert exact.min(axis=1).mean() < 0.85 * random
    assert len(centroids_of(np.zeros((10, 3), np.float32), 5, 1)) == 1  # no more niches than different samples
