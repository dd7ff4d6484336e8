"""From a few ratings to how well every other map would be liked: one small interface, several methods.

A predictor is (known, pool) -> Liking. A map is given by its vectors: one array, or several blocks of numbers (what its
trees say, its genes), each with a length scale of its own, the median distance of maps in it. The methods are

- gp: Gaussian process regression on the ratings, in closed form; the kernel is a mean of one Gaussian kernel a block.
  Which block counts, and how noisy ratings are, is averaged over by how well each fits the ratings.
- density: how much kernel density there is of liked maps, against that of disliked ones.
- spreading: labels spread over a graph of nearest neighbours with local scales.
- ranking: a linear score under which liked maps rank above disliked ones, by logistic loss on pairs.
- elimination-1 to elimination-4: those of the thesis that Homeguard is from, which learn from disliked maps alone.

Only gp knows how unsure it is. The others have a spread of 0, and all blocks side by side in one space.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, suggestion
from turnsmith.maps.taste.elimination import ELIMINATIONS, desirability

Draws = Callable[[int, np.random.Generator], Array]
Views = tuple[Array, ...]
"""Blocks of numbers, float64[maps, numbers] each."""

NOISES = (0.3, 1.0, 3.0)
"""Variances of a rating around what is really thought, where the whole taste has variance 1: one of these."""
LEADING = 0.85
"""The share of the one block that counts most, if one does."""
LEVEL = 0.5
"""Variance of how much is liked on the whole: whether somebody is hard to please is learned too."""
GREATEST = 2.0
"""A rating is from -GREATEST to GREATEST."""
SAMPLED = 256
"""Maps of the pool that a median distance is taken over."""
FEATURES = 512
"""Random waves of which a drawn taste is made, a block."""
NEIGHBOURS, SPREAD, STEPS = 10, 0.9, 60
"""Of label spreading: neighbours of a map, how much comes from them at every step, and the steps."""
HELD = 1.0
"""How strongly the linear score of ranking is held back to 0."""
MOST_PAIRS = 20_000
"""That ranking learns from; of more, evenly many of all."""


@dataclass(frozen=True)
class Known:
    """What has been rated."""

    vectors: Array | Views
    ratings: Array
    """float64[known], -2 to 2; 0 is neither liked nor disliked."""
    weights: Array
    """float64[known], how much each counts; those of 0 do not count at all."""
    units: tuple[float, ...] = ()
    """The length scale of every block, where pools at different times must be judged alike; without it, the median
    distance in the pool."""

    def __post_init__(self) -> None:
        rows = {len(view) for view in views(self.vectors)} | {len(self.ratings), len(self.weights)}
        if len(rows) != 1:
            raise ValueError(f"vectors, ratings and weights must be equally many, not {sorted(rows)}")

    @staticmethod
    def of(vectors: Array | Views, ratings: Array, weights: Array | None = None) -> Known:
        """Ratings that all count the same, unless weights are given."""
        numbers = np.asarray(ratings, np.float64)
        return Known(vectors, numbers, np.ones(len(numbers)) if weights is None else np.asarray(weights, np.float64))

    @property
    def counting(self) -> Known:
        """Without those that do not count."""
        kept = self.weights > 0
        if kept.all():
            return self
        vectors = tuple(view[kept] for view in views(self.vectors))
        return Known(vectors, self.ratings[kept], self.weights[kept], self.units)


class Liking:
    """How well the maps of a pool are liked.

    mean: float64[pool], the greater the better. spread: float64[pool], how unsure that is, a standard deviation; 0
    where a method cannot tell. Where it takes time it may be given as a function, and is worked out when asked for.
    """

    def __init__(self, mean: Array, spread: Array | Callable[[], Array], draws: Draws | None = None):
        self.mean, self._spread, self._draws = mean, spread, draws

    @property
    def spread(self) -> Array:
        if callable(self._spread):
            self._spread = self._spread()
        return self._spread

    def drawn(self, count: int, random: np.random.Generator) -> Array:
        """float64[count, pool]: tastes that fit the ratings, drawn jointly for all maps where the method can."""
        if self._draws is not None:
            return self._draws(count, random)
        return np.asarray(self.mean + self.spread * random.standard_normal((count, len(self.mean))))


Predictor = Callable[[Known, Array | Views], Liking]


def views(vectors: Array | Views) -> Views:
    """The blocks of vectors; one array is one block."""
    return vectors if isinstance(vectors, tuple) else (vectors,)


def predictor(name: str) -> Predictor:
    """The predictor of a name; another is refused."""
    if name not in PREDICTORS:
        raise BadInput(
            f"there is no predictor '{name}'{suggestion(name, PREDICTORS)}; there are {', '.join(PREDICTORS)}"
        )
    return PREDICTORS[name]


# ---------------------------------------------------------------- distances


def median_distance(block: Array) -> float:
    """The median distance between different maps, over SAMPLED of them; 1 where all are the same."""
    some = block[np.linspace(0, len(block) - 1, min(len(block), SAMPLED)).astype(np.int64)]
    squares = squared_distances(some, some)[np.triu_indices(len(some), 1)]
    squares = squares[squares > 1e-12]
    return float(np.sqrt(np.median(squares))) if len(squares) else 1.0


def squared_distances(one: Array, other: Array) -> Array:
    """float64[one, other]"""
    squares = one @ (-2.0 * other.T)
    squares += np.einsum("ij,ij->i", one, one)[:, None]
    squares += np.einsum("ij,ij->i", other, other)[None, :]
    return np.asarray(np.maximum(squares, 0.0, out=squares))


def blocks_of(known: Known, pool: Array | Views) -> list[tuple[Array, Array, float]]:
    """Of every block the known maps, the pool, and the median distance."""
    blocks = []
    for number, (rated, every) in enumerate(zip(views(known.vectors), views(pool), strict=True)):
        unit = known.units[number] if known.units else median_distance(every if len(every) > 1 else rated)
        blocks.append((np.asarray(rated, np.float64), np.asarray(every, np.float64), unit))
    return blocks


def side_by_side(known: Known, pool: Array | Views) -> tuple[Array, Array]:
    """Known maps and the pool in one space, in which every block weighs the same, the median distance is about 1, and
    the middle of the pool is 0."""
    blocks = blocks_of(known, pool)
    units = [unit * np.sqrt(len(blocks)) for _, _, unit in blocks]
    middles = [every.mean(axis=0) for _, every, _ in blocks]
    sides = []
    for side in (0, 1):
        parts = [(block[side] - middle) / unit for block, middle, unit in zip(blocks, middles, units, strict=True)]
        sides.append(np.concatenate(parts, axis=1))
    return sides[0], sides[1]


# ---------------------------------------------------------------- Gaussian process


def kernel(one: Array, other: Array, unit: float) -> Array:
    """float64[one, other]: the Gaussian kernel of a block, of such a length scale."""
    near: Array = squared_distances(one, other)
    near *= -0.5 / unit**2
    return np.asarray(np.exp(near, out=near))


@dataclass(frozen=True)
class Process:
    """A Gaussian process after the ratings."""

    shares: Array
    """float64[blocks], of the kernel; they sum to 1."""
    noise: Array
    """float64[known]"""
    back: Array
    """float64[known, known]: the inverse of the Cholesky root of what ratings should vary together by."""
    pull: Array
    """float64[known]: how strongly a map is moved by what it has in common with each known one."""
    evidence: float
    """The logarithm of how likely the ratings were, up to a constant."""

    def seen(self, far: Sequence[Array]) -> Array:
        """float64[known, pool]: `back` times how known maps and the pool vary together."""
        together = LEVEL + sum(share * block for share, block in zip(self.shares, far, strict=True))
        return np.asarray(self.back @ together)


def process(known: Known, near: Sequence[Array], shares: Array, noise: float) -> Process:
    """The process of some shares of blocks, whose kernels are given, and noise; a rating of weight w has noise / w."""
    noises = noise / known.weights
    together = LEVEL + sum(share * block for share, block in zip(shares, near, strict=True))
    back = np.linalg.inv(np.linalg.cholesky(together + np.diag(noises)))
    off = back @ known.ratings
    return Process(shares, noises, back, back.T @ off, float(np.log(np.diag(back)).sum() - 0.5 * off @ off))


def mixes(blocks: int) -> list[Array]:
    """float64[blocks] each: all blocks count the same, or one of them leads."""
    if blocks == 1:
        return [np.ones(1)]
    led = np.full((blocks, blocks), (1.0 - LEADING) / (blocks - 1))
    np.fill_diagonal(led, LEADING)
    return [np.full(blocks, 1.0 / blocks), *led]


def gp(known: Known, pool: Array | Views) -> Liking:
    """Gaussian process regression: a rating is what is thought, with noise. Thoughts have variance 1, of which a rating
    of 1 is one deviation, plus a level that all maps share."""
    known = known.counting
    blocks = blocks_of(known, pool)
    near = [kernel(rated, rated, unit) for rated, _, unit in blocks]
    far = [kernel(rated, every, unit) for rated, every, unit in blocks]
    candidates = [process(known, near, shares, noise) for shares in mixes(len(blocks)) for noise in NOISES]
    chances = np.exp(
        np.array([candidate.evidence for candidate in candidates]) - max(candidate.evidence for candidate in candidates)
    )
    chances /= chances.sum()
    pulls = np.stack([chance * candidate.pull for chance, candidate in zip(chances, candidates, strict=True)])
    shares = np.stack([candidate.shares for candidate in candidates])
    mean = np.asarray(
        LEVEL * pulls.sum() + sum(pull @ block for pull, block in zip(shares.T @ pulls, far, strict=True))
    )

    def spread() -> Array:
        squares = np.zeros(len(mean))
        for chance, candidate in zip(chances, candidates, strict=True):
            seen = candidate.seen(far)
            own = (candidate.back @ known.ratings) @ seen
            squares += chance * (1.0 + LEVEL - np.einsum("ij,ij->j", seen, seen) + own**2)
        return np.asarray(np.sqrt(np.maximum(squares - mean**2, 1e-12)))

    def draws(count: int, random: np.random.Generator) -> Array:
        """By Matheron's rule: a taste drawn before any rating, moved by what ratings, drawn of it, are off."""
        which = random.choice(len(candidates), count, p=chances)
        waves = [_waves(*block, count, random) for block in blocks]
        level = np.sqrt(LEVEL) * random.standard_normal((count, 1))
        roots = np.sqrt(shares[which])
        at_rated, at_every = (level + sum(roots[:, [block]] * wave[side] for block, wave in enumerate(waves))
                              for side in (0, 1))  # fmt: skip
        errors = np.stack([candidates[place].noise for place in which]) ** 0.5 * random.standard_normal(at_rated.shape)
        for place in np.unique(which):
            rows = which == place
            off = known.ratings - at_rated[rows] - errors[rows]
            at_every[rows] += off @ candidates[place].back.T @ candidates[place].seen(far)
        return np.asarray(at_every)

    return Liking(mean, spread, draws)


def _waves(rated: Array, every: Array, unit: float, count: int, random: np.random.Generator) -> tuple[Array, Array]:
    """Functions drawn from a Gaussian kernel's prior, at known maps and at the pool: sums of random waves."""
    ways = (random.standard_normal((every.shape[1], FEATURES)) / unit).astype(np.float32)
    phases = random.uniform(0.0, 2.0 * np.pi, FEATURES).astype(np.float32)
    heights = (random.standard_normal((FEATURES, count)) * np.sqrt(2.0 / FEATURES)).astype(np.float32)
    middle = every.mean(axis=0)

    def at(block: Array) -> Array:
        turns = (block - middle).astype(np.float32) @ ways
        turns += phases
        return np.asarray((np.cos(turns, out=turns) @ heights).T, np.float64)

    return at(rated), at(every)


# ---------------------------------------------------------------- density, spreading, ranking


def density(known: Known, pool: Array | Views) -> Liking:
    """The ratio of the kernel densities of liked and of disliked maps, half the median distance wide; as a logarithm,
    with one map's worth added to each, so that it is 0 where nothing is near."""
    rated, every = side_by_side(known, pool)
    near = np.exp(-0.5 * squared_distances(every, rated) / 0.25)
    strength = known.weights * known.ratings
    liked, disliked = near @ np.maximum(strength, 0.0), near @ np.maximum(-strength, 0.0)
    return _without_spread(np.log(liked + 1.0) - np.log(disliked + 1.0))


def spreading(known: Known, pool: Array | Views) -> Liking:
    """Label spreading (Zhou et al.) over the graph of nearest neighbours, with the local scales of self-tuning spectral
    clustering (Zelnik-Manor and Perona): the share of liking in what reaches a map, less that of disliking."""
    rated, every = side_by_side(known, pool)
    strength = known.weights * known.ratings
    labels = np.zeros((len(rated) + len(every), 2))
    labels[: len(rated), 0], labels[: len(rated), 1] = np.maximum(strength, 0.0), np.maximum(-strength, 0.0)
    rows, columns, weights = graph(np.concatenate([rated, every]))
    degrees = np.maximum(np.bincount(rows, weights, len(labels)), 1e-12)
    weights = weights / np.sqrt(degrees[rows] * degrees[columns])
    labelled = labels.copy()
    for _ in range(STEPS):
        moved = [np.bincount(rows, weights * side[columns], len(labels)) for side in labelled.T]
        labelled = SPREAD * np.stack(moved, axis=1) + (1.0 - SPREAD) * labels
    liked, disliked = labelled[len(rated) :].T
    return _without_spread((liked - disliked) / np.maximum(liked + disliked, 1e-300))


def graph(points: Array) -> tuple[Array, Array, Array]:
    """Edges of the graph of nearest neighbours, both ways: from, to, weight exp(-d² / (s · s')), where s is a point's
    distance to the last of its neighbours."""
    count = min(NEIGHBOURS, len(points) - 1)
    if count < 1:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    points = points.astype(np.float32)  # which of them are nearest takes all pairs
    near, far = [], []
    for start in range(0, len(points), 1024):
        rows = np.arange(start, min(start + 1024, len(points)))
        squares = squared_distances(points[rows], points)
        squares[np.arange(len(rows)), rows] = np.inf
        nearest = np.argpartition(squares, count - 1, axis=1)[:, :count]
        near.append(nearest)
        far.append(np.take_along_axis(squares, nearest, axis=1))
    to, squares = np.concatenate(near), np.concatenate(far)
    scale = np.sqrt(np.maximum(squares.max(axis=1), 1e-12))
    here = np.repeat(np.arange(len(points)), count)
    weights = np.exp(-squares / (scale[:, None] * scale[to])).reshape(-1)
    both = np.concatenate([here * len(points) + to.reshape(-1), to.reshape(-1) * len(points) + here])
    edges, first = np.unique(both, return_index=True)  # an edge that both ends want is there once
    return edges // len(points), edges % len(points), np.concatenate([weights, weights])[first]


def ranking(known: Known, pool: Array | Views) -> Liking:
    """A linear score with the least logistic loss over pairs of which one is liked better, by how much better (after
    rank-based interactive evolution, Liapis et al.); by Newton's method, in the space that the known maps span."""
    rated, every = side_by_side(known, pool)
    better, worse = np.nonzero(known.ratings[:, None] > known.ratings[None, :])
    if not len(better):
        return _without_spread(np.zeros(len(every)))
    spread = np.linspace(0, len(better) - 1, min(len(better), MOST_PAIRS)).astype(np.int64)
    better, worse = better[spread], worse[spread]
    basis = np.linalg.qr(rated.T)[0]
    steps = (rated[better] - rated[worse]) @ basis
    counts = known.weights[better] * known.weights[worse] * (known.ratings[better] - known.ratings[worse])
    counts = counts / max(float(counts.sum()), 1e-12) * len(rated)
    score = np.zeros(basis.shape[1])
    for _ in range(20):
        chance = 1.0 / (1.0 + np.exp(np.clip(steps @ score, -30.0, 30.0)))  # that the worse one is preferred
        slope = HELD * score - steps.T @ (counts * chance)
        curve = HELD * np.eye(len(score)) + (steps.T * (counts * chance * (1.0 - chance))) @ steps
        score = score - np.linalg.solve(curve, slope)
    return _without_spread(every @ (basis @ score))


def _without_spread(mean: Array) -> Liking:
    return Liking(np.asarray(mean, np.float64), np.zeros(len(mean)))


def elimination(number: int) -> Predictor:
    """An elimination of the thesis as a predictor: liked the better the later a map is removed. Ratings above 0 teach
    it nothing; those below count by their size. Without any, all maps are the same to it."""

    def eliminated(known: Known, pool: Array | Views) -> Liking:
        bad = np.maximum(-known.ratings * known.weights, 0.0)
        rated, every = side_by_side(known, pool)
        if not bad.any():
            return _without_spread(np.zeros(len(every)))
        return _without_spread(desirability(ELIMINATIONS[number](rated[bad > 0], every, bad[bad > 0])))

    return eliminated


PREDICTORS: dict[str, Predictor] = {
    "gp": gp,
    "density": density,
    "spreading": spreading,
    "ranking": ranking,
    **{f"elimination-{number}": elimination(number) for number in ELIMINATIONS},
}
"""By name; the first is the usual one."""
