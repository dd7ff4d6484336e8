"""Telling maps apart: what is measured of vectors, and the references that learned ones must beat."""

import numpy as np
import pytest

from turnsmith.common.errors import BadInput
from turnsmith.maps import embeddings, gameplay, identity, tree_runs
from turnsmith.maps.tree_runs import Nursery, TreeSettings, labels_of, read_grown
from turnsmith.studies.homeguard.sightings import pairs_in_range, sights

GROWN = TreeSettings("homeguard", maps=12, per_map=3, iterations=3, branches=24, kept=2, seed=1)
LABELS = np.repeat(np.arange(20), 5)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Trees to measure on, and trees of other maps to fit on."""
    found = [tmp_path_factory.mktemp("grown") / name for name in ("here", "there")]
    for seed, folder in enumerate(found, start=1):
        tree_runs.grow(TreeSettings(**{**vars(GROWN), "seed": seed}), folder)
    return found


def test_perfect():
    """Vectors that are the map's number find every other tree of it."""
    found = identity.identity(LABELS[:, None].astype(float), LABELS)
    assert [found[name].mean for name in identity.NAMES] == [1.0, 1.0, 1.0]
    assert (found["R@1"].low, found["R@1"].high) == (1.0, 1.0)


def test_no_better_than_chance():
    """Equal vectors, and random ones, find others as often as chance does."""
    chance = identity.chance(LABELS)
    assert chance == pytest.approx(4 / 99)
    equal = np.mean([identity.nearest_shares(np.zeros((100, 2)), LABELS, seed)["R@1"].mean() for seed in range(50)])
    assert equal == pytest.approx(chance, abs=0.03)
    drawn = np.random.default_rng(0).standard_normal((2000, 8))
    found = identity.identity(drawn, np.repeat(np.arange(200), 10))["R@1"]
    assert found.low < identity.chance(np.repeat(np.arange(200), 10)) < found.high


def test_by_hand():
    """Three measures of six vectors on a line, counted by hand."""
    vectors, labels = np.array([[0.0], [1.0], [10.0], [11.5], [12.0], [30.0]]), np.array([0, 0, 1, 2, 1, 2])
    shares = identity.nearest_shares(vectors, labels)
    assert shares["R@1"].tolist() == [1, 1, 0, 0, 0, 0]
    assert shares["R-precision"].tolist() == [1, 1, 0, 0, 0, 0]
    assert shares["hit@10"].tolist() == [1] * 6


@pytest.mark.parametrize(
    ("vectors", "labels"),
    [(np.zeros((3, 1)), [0, 0, 0]), (np.zeros((3, 1)), [0, 0, 1]), (np.full((4, 1), np.nan), [0, 0, 1, 1])],
)
def test_refusals(vectors, labels):
    """One map, a map with one tree, and vectors that are no numbers are refused."""
    with pytest.raises(BadInput):
        identity.nearest_shares(vectors, np.array(labels))


def test_sights_are_true():
    """Whatever a tree tells of a line of fire is so on its map."""
    nursery = Nursery(GROWN)
    numbers = np.arange(nursery.trees)
    trees, (boards, _) = nursery.grow(numbers), nursery.boards(numbers)
    found = sights(trees, nursery.sources(numbers[:1])[0])
    damage = boards["damage"][:, *np.nonzero(pairs_in_range(9) >= 0)]
    seen, known = np.split(found, 2, axis=1)
    assert (seen != 0).sum(axis=1).min() > 20
    assert (damage[seen > 0] > 0).all()
    assert (damage[seen < 0] == 0).all()
    assert (damage[known > 0] == 10).all()
    assert (damage[known < 0] == 5).all()


def test_sights_need_sides(folders):
    """Trees without sides tell nothing, and cells that are not on the board are refused."""
    maps, trees = read_grown(folders[0])
    with pytest.raises(BadInput, match="no positions"):
        sights(tree_runs.Trees(trees.actions, trees.scores, trees.best), maps[0].source)
    with pytest.raises(BadInput, match="no cells"):
        sights(trees, {"rows": ["." * 7] * 7})


def test_references(folders):
    """The table has every reference and those fitted on other maps; genomes and lines of fire tell maps apart."""
    table = identity.compare(folders[0], folders[1])
    assert set(table) == {*embeddings.REFERENCES, *embeddings.FITTED}
    assert table["genome"]["R@1"].mean == 1.0
    assert table["sights"]["R@1"].mean > 0.8 > table["random"]["R@1"].mean
    with pytest.raises(BadInput, match="36 of these maps"):
        identity.compare(folders[0], folders[0])


def test_quantiles(folders):
    """Quantiles of trees with fewer branches are those of the branches that are there."""
    _, trees = read_grown(folders[0])
    scores = trees.scores.copy()
    scores[:, 11:] = trees.best[:, 11:] = trees.actions[:, 11:] = tree_runs.PADDING
    few = tree_runs.Trees(trees.actions, scores, trees.best)
    found = embeddings.quantiles(few, few.scores).reshape(len(few), len(embeddings.QUANTILES), -1)
    assert np.array_equal(found[:, 0], scores[:, :11].min(axis=1))
    assert np.array_equal(found[:, -1], scores[:, :11].max(axis=1))


def test_classes(folders):
    """Trees whose maps have no class cannot be told apart."""
    maps, _ = read_grown(folders[0])
    with pytest.raises(BadInput, match="class"):
        labels_of([tree_runs.GameMap(each.game, each.source) for each in maps], "these")


def test_gameplay(folders):
    """What was counted in other trees tells something of what is played, numbers without meaning tell nothing, and with
    too few maps nothing is said."""
    settings = TreeSettings("homeguard", maps=120, per_map=6, iterations=3, branches=24, kept=2, seed=5)
    nursery = Nursery(settings)
    trees = nursery.grow(np.arange(nursery.trees))
    labels = np.arange(nursery.trees) // 6
    counted = gameplay.counted(trees)
    damage = trees.sides["dealt"][:, :, -1, 0] + trees.sides["taken"][:, :, -1, 0]
    assert np.allclose(counted["damage"], damage.mean(axis=1))
    known = gameplay.explained(np.stack(list(counted.values()), axis=1), labels, trees)
    drawn = gameplay.explained(np.random.default_rng(0).standard_normal((len(labels), 8)), labels, trees)
    assert known.low > 0.0
    assert drawn.mean < 0.02
    maps, few = read_grown(folders[0])
    assert gameplay.explained(np.zeros((len(few), 1)), labels_of(maps, ""), few) is None


def test_ridge():
    """Ridge regression finds a line, and tells the mean where nothing varies."""
    x = np.random.default_rng(1).standard_normal((50, 3))
    y = x @ [[1.0], [2.0], [0.0]] + 5.0
    assert np.allclose(gameplay.ridge(x[:40], y[:40], x[40:]), y[40:], atol=0.05)
    assert np.allclose(gameplay.ridge(np.ones((40, 2)), y[:40], np.ones((10, 2))), y[:40].mean())
