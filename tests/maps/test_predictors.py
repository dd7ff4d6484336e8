"""What is told from a few ratings: methods against scikit-learn's, by hand, and what is shown next."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelSpreading

from turnsmith.common.errors import BadInput
from turnsmith.maps.taste import predictors
from turnsmith.maps.taste.choosing import CHOICES, choose
from turnsmith.maps.taste.predictors import PREDICTORS, Known, Liking, gp, median_distance


def drawn(seed=0, maps=120, rated=12, numbers=(5, 3)):
    """Views of a pool, and ratings of its first maps by the first number of the first block."""
    random = np.random.default_rng(seed)
    pool = tuple(random.standard_normal((maps, each)) for each in numbers)
    known = tuple(block[:rated] for block in pool)
    return pool, Known.of(known, np.clip(np.round(pool[0][:rated, 0] * 2), -2, 2)), pool[0][:, 0]


def by_scikit_learn(known, pool, weights):
    """Mean and spread by scikit-learn, averaged over noises by its marginal likelihoods."""
    rows = []
    for noise in predictors.NOISES:
        form = ConstantKernel(predictors.LEVEL, "fixed") + RBF(median_distance(pool[0]), "fixed")
        oracle = GaussianProcessRegressor(form, alpha=noise / weights, optimizer=None)
        oracle.fit(known.vectors[0], known.ratings)
        rows.append((oracle.log_marginal_likelihood_value_, *oracle.predict(pool[0], return_std=True)))
    evidence, means, spreads = (np.array(each) for each in zip(*rows, strict=True))
    chances = np.exp(evidence - evidence.max()) / np.exp(evidence - evidence.max()).sum()
    return chances @ means, np.sqrt(chances @ (spreads**2 + means**2) - (chances @ means) ** 2)


def test_gp_is_scikit_learns():
    """Mean and spread are those of scikit-learn with the same kernel, noise by weights too."""
    pool, known, _ = drawn(numbers=(5,))
    weights = np.linspace(0.3, 3.0, 12)
    mean, spread = by_scikit_learn(known, pool, weights)
    found = gp(Known.of(known.vectors, known.ratings, weights), pool)
    np.testing.assert_allclose(found.mean, mean, atol=1e-8)
    np.testing.assert_allclose(found.spread, spread, atol=1e-6)


def test_gp_of_two_blocks():
    """A second block that is the first again changes nothing; where one block explains the ratings, it leads."""
    pool, known, truth = drawn(numbers=(5,), rated=30)
    alone = gp(known, pool)
    twice = gp(Known.of(known.vectors * 2, known.ratings), pool * 2)
    np.testing.assert_allclose(alone.mean, twice.mean, atol=1e-9)
    pool = (pool[0][:, :1], np.random.default_rng(5).standard_normal((120, 30)))
    both = gp(Known.of(tuple(block[:30] for block in pool), known.ratings), pool).mean[30:]
    noise = gp(Known.of(pool[1][:30], known.ratings), pool[1]).mean[30:]
    assert np.corrcoef(both, truth[30:])[0, 1] > 0.8 > 0.5 > np.corrcoef(noise, truth[30:])[0, 1]


def test_drawn_tastes():
    """Tastes drawn jointly have the mean, the spread and the correlations of the processes they are drawn from."""
    pool, known, _ = drawn(maps=40)
    found = gp(known, pool)
    random = np.random.default_rng(1)
    tastes = np.concatenate([found.drawn(20, random) for _ in range(300)])  # other waves every time
    np.testing.assert_allclose(tastes.mean(axis=0), found.mean, atol=0.08)
    np.testing.assert_allclose(tastes.std(axis=0), found.spread, rtol=0.08)
    blocks = predictors.blocks_of(known, pool)
    near = [predictors.kernel(rated, rated, unit) for rated, _, unit in blocks]
    far = [predictors.kernel(rated, every, unit) for rated, every, unit in blocks]
    own = [predictors.kernel(every, every, unit) for _, every, unit in blocks]
    after = [predictors.process(known, near, shares, noise)
             for shares in predictors.mixes(2) for noise in predictors.NOISES]  # fmt: skip
    chances = np.exp([each.evidence for each in after])
    exact = -np.outer(found.mean, found.mean)
    for chance, each in zip(chances / chances.sum(), after, strict=True):
        seen, mean = each.seen(far), (each.back @ known.ratings) @ each.seen(far)
        before = predictors.LEVEL + each.shares[0] * own[0] + each.shares[1] * own[1]
        exact += chance * (before - seen.T @ seen + np.outer(mean, mean))
    np.testing.assert_allclose(np.cov(tastes.T), exact, atol=0.12)


def test_spreading_is_scikit_learns():
    """Shares of the labels that arrive are those of scikit-learn on the same graph."""
    pool, known, _ = drawn(numbers=(4,))
    ratings = np.where(known.ratings >= 0, 1.0, -1.0)
    points = np.concatenate(predictors.side_by_side(known, pool))
    rows, columns, weights = predictors.graph(points)
    matrix = np.zeros((len(points), len(points)))
    matrix[rows, columns] = weights
    oracle = LabelSpreading(kernel=lambda x, y: matrix, alpha=predictors.SPREAD, max_iter=1000, tol=1e-9)
    oracle.fit(points, np.concatenate([(ratings > 0).astype(int), np.full(len(pool[0]), -1)]))
    shares = oracle.label_distributions_[len(ratings) :]
    found = PREDICTORS["spreading"](Known.of(known.vectors, ratings), pool).mean
    np.testing.assert_allclose(found, shares[:, 1] - shares[:, 0], atol=5e-3)


def test_ranking_is_scikit_learns():
    """The linear score is that of logistic regression on differences of pairs."""
    pool, known, _ = drawn(numbers=(4,))
    rated, every = predictors.side_by_side(known, pool)
    better, worse = np.nonzero(known.ratings[:, None] > known.ratings[None, :])
    steps = rated[better] - rated[worse]
    counts = known.ratings[better] - known.ratings[worse]
    counts = counts / counts.sum() * len(rated) / 2  # every pair stands there both ways
    oracle = LogisticRegression(C=1.0 / predictors.HELD, fit_intercept=False, tol=1e-10, max_iter=10_000)
    oracle.fit(
        np.concatenate([steps, -steps]), np.repeat([1, 0], len(steps)), sample_weight=np.concatenate([counts, counts])
    )
    np.testing.assert_allclose(PREDICTORS["ranking"](known, pool).mean, every @ oracle.coef_[0], atol=1e-4)


def test_density_by_hand():
    """Between a liked and a disliked map nothing is said; nearer to one, its sign; twice the weight, more."""
    pool = np.array([[0.0], [1.0], [2.0]])
    found = PREDICTORS["density"](Known.of(pool[[0, 2]], [1.0, -1.0]), pool).mean
    assert found[1] == pytest.approx(0.0)
    assert found[0] == pytest.approx(-found[2])
    assert found[0] == pytest.approx(np.log(2.0) - np.log1p(np.exp(-0.5 * 4 / 0.25)))
    assert PREDICTORS["density"](Known.of(pool[[0, 2]], [1.0, -1.0], [2.0, 1.0]), pool).mean[1] > 0


@pytest.mark.parametrize("name", [name for name in PREDICTORS if not name.startswith("elimination")])
def test_all_learn(name):
    """From ratings that follow one number, every method that hears likes ranks unseen maps by it."""
    pool, known, truth = drawn(maps=200, rated=60, numbers=(3,))
    found = PREDICTORS[name](known, pool)
    assert np.corrcoef(found.mean[60:], truth[60:])[0, 1] > 0.6
    assert (found.spread > 0).all() == (name == "gp")


@pytest.mark.parametrize("name", PREDICTORS)
def test_little_is_known(name):
    """Nothing rated, one map rated, all rated the same, a pool of one and of equal maps: finite numbers."""
    pool, known, _ = drawn()
    some = [known.vectors[0][:0], known.vectors[1][:0]]
    for rated, every in (
        (Known.of(tuple(some), []), pool),
        (Known.of(tuple(b[:1] for b in pool), [-2.0]), pool),
        (Known.of(known.vectors, np.full(12, -1.0)), pool),
        (Known.of(known.vectors, np.zeros(12)), pool),
        (Known.of(known.vectors, known.ratings, np.zeros(12)), pool),
        (known, tuple(b[:1] for b in pool)),
        (known, tuple(np.ones_like(b) for b in pool)),
    ):
        found = PREDICTORS[name](rated, every)
        assert found.mean.shape == found.spread.shape == (len(every[0]),)
        assert np.isfinite(found.mean).all()
        assert np.isfinite(found.spread).all()
        assert np.isfinite(found.drawn(2, np.random.default_rng(0))).all()


def test_an_unknown_predictor():
    with pytest.raises(BadInput, match="there are gp, density"):
        predictors.predictor("gpp")
    with pytest.raises(ValueError, match="equally many"):
        Known.of(np.zeros((3, 2)), [1.0, 2.0])


# ---------------------------------------------------------------- choosing


@pytest.mark.parametrize("how", CHOICES)
def test_choices(how):
    """Different maps, as many as asked for or as there are, only allowed ones, the same by the same seed."""
    pool, known, _ = drawn()
    liking = gp(known, pool)
    allowed = np.arange(120) >= 12
    found = choose(how, liking, 8, np.random.default_rng(3), allowed=allowed)
    assert len(set(found.tolist())) == 8
    assert found.min() >= 12
    assert found.tolist() == choose(how, liking, 8, np.random.default_rng(3), allowed=allowed).tolist()
    assert len(choose(how, liking, 500, np.random.default_rng(3))) == 120


def test_what_choices_are_for():
    """Play shows what is liked best; Thompson likes it less but learns; calibrate shows what is least sure."""
    pool, known, _ = drawn(maps=300, rated=20)
    liking = gp(known, pool)
    mean = {how: np.mean([liking.mean[choose(how, liking, 6, np.random.default_rng(seed))].mean()
                          for seed in range(30)]) for how in CHOICES}  # fmt: skip
    assert mean["play"] > mean["thompson"] > mean["random"] + 0.2
    doubt = {how: np.mean([liking.spread[choose(how, liking, 6, np.random.default_rng(seed))].mean()
                           for seed in range(30)]) for how in CHOICES}  # fmt: skip
    assert doubt["calibrate"] > doubt["random"] + 0.05
    assert abs(mean["calibrate"]) < mean["play"] / 2
    best = choose("play", liking, 3, np.random.default_rng(0)).tolist()
    assert best == np.argsort(-liking.mean)[:3].tolist()
    assert best == choose("thompson", liking, 3, np.random.default_rng(0), exploration=0.0).tolist()


def test_thompson_chooses_by_chance_of_being_best():
    """Of two maps the shares with which each is shown first are the chances that it is the better one."""
    liking = Liking(np.array([0.5, 0.0]), np.array([0.3, 0.4]))
    first = [choose("thompson", liking, 1, np.random.default_rng(seed))[0] for seed in range(2000)]
    assert np.mean(np.array(first) == 0) == pytest.approx(0.8413, abs=0.03)  # Φ(0.5 / 0.5)


def test_calibrate_does_not_ask_twice():
    """Of twin maps one is asked about, then another one."""
    pool = np.array([[0.0], [0.01], [9.0], [9.01], [20.0]])
    found = choose("calibrate", gp(Known.of(pool[4:], [1.0]), pool), 2, np.random.default_rng(0))
    assert {each // 2 for each in found.tolist()} == {0, 1}


def test_choices_refuse():
    liking = Liking(np.zeros(3), np.zeros(3))
    with pytest.raises(BadInput, match="there are thompson"):
        choose("best", liking, 1, np.random.default_rng(0))
    with pytest.raises(BadInput, match="exploration"):
        choose("play", liking, 1, np.random.default_rng(0), exploration=float("nan"))
