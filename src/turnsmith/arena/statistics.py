"""Honest numbers: rates with intervals that know which matches shared a start, pairs, seats and ratings."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from turnsmith.common.arrays import Array

Z95 = 1.959963984540054


ALIKE = 1e-9
"""An interval so small, relative to its mean, comes of values that are all the same."""


def wilson(rate: float, games: float) -> tuple[float, float]:
    """The 95 % Wilson interval of a rate seen in `games` games.

    >>> [round(end, 4) for end in wilson(0.5, 100)]
    [0.4038, 0.5962]
    """
    if games <= 0:
        return 0.0, 1.0
    square = Z95 * Z95
    centre = (rate + square / (2 * games)) / (1 + square / games)
    reach = Z95 / (1 + square / games) * math.sqrt(rate * (1 - rate) / games + square / (4 * games * games))
    return max(0.0, centre - reach), min(1.0, centre + reach)


@dataclass(frozen=True)
class RateWithInterval:
    """A share of won games and its 95 % interval."""

    games: int
    rate: float
    low: float
    high: float

    def rounded(self) -> dict[str, float]:
        return {"rate": round(self.rate, 6), "low": round(self.low, 6), "high": round(self.high, 6)}


def clustered_rate(points: Array, groups: Array, tables: Array | None = None) -> RateWithInterval:
    """The mean of `points` (0..1 a game), where games of one group are not independent of each other.

    The variance is that of a ratio of group sums; it shrinks or grows the number of games the Wilson interval is
    made from. It never counts more games than were played, so that groups that happen to balance cannot feign
    certainty. `tables` says who met in each game: how often each table meets is planned, not random, so only what
    varies within one counts.
    """
    games = len(points)
    if games == 0:
        return RateWithInterval(0, 0.0, 0.0, 1.0)
    rate = float(points.mean())
    _, member = np.unique(groups, return_inverse=True)
    _, table = np.unique(np.zeros(games) if tables is None else tables, return_inverse=True)
    count, kinds = int(member.max()) + 1, int(table.max()) + 1
    expected = (np.bincount(table, points) / np.bincount(table))[table]
    squares = float((np.bincount(member, points - expected, count) ** 2).sum())
    return rate_of(games, rate, squares, count, kinds)


def rate_of(games: int, rate: float, squares: float, groups: int, tables: int) -> RateWithInterval:
    """The same from sums: `squares` are those of how far the points of each group are from what its table has."""
    variance = squares / games**2 * (groups / (groups - tables) if groups > tables else 1.0)
    worth = float(games)
    if groups > tables and variance > 0 and 0 < rate < 1:
        worth = min(worth, rate * (1 - rate) / variance)
    low, high = wilson(rate, worth)
    return RateWithInterval(games, rate, low, high)


@dataclass(frozen=True)
class Mean:
    """A mean return and its 95 % interval, infinite where too few games, or games that are all alike, do not say how
    far it may be off."""

    games: int
    mean: float
    low: float
    high: float

    def rounded(self) -> dict[str, float | None]:
        ends = {"mean_return": self.mean, "mean_low": self.low, "mean_high": self.high}
        return {name: round(end, 6) if math.isfinite(end) else None for name, end in ends.items()}


def clustered_mean(values: Array, groups: Array, strata: Array) -> Mean:
    """The mean of `values`, where games of one group are not independent of each other.

    The variance is that of a ratio of group sums, and never less than that of as many independent games. `strata` says
    what was planned of each value, such as who met and in which role: only what varies within one counts.
    """
    games = len(values)
    if games == 0:
        return Mean(0, math.nan, -math.inf, math.inf)
    mean = float(values.mean())
    _, member = np.unique(groups, return_inverse=True)
    _, kind = np.unique(strata, return_inverse=True)
    count = int(member.max()) + 1
    if count <= kind.max() + 1:
        kind = np.zeros(games, np.int64)
    off = values - (np.bincount(kind, values) / np.bincount(kind))[kind]
    squares = float((np.bincount(member, off) ** 2).sum()), float((off**2).sum())
    return mean_of(games, mean, *squares, count, int(kind.max()) + 1)


def mean_of(games: int, mean: float, squares: float, alone: float, groups: int, strata: int) -> Mean:
    """The same from sums: `squares` are those of how far each group is from what its strata have, `alone` those of how
    far each value is."""
    if groups <= strata:
        return Mean(games, mean, -math.inf, math.inf)
    clustered = squares / games**2 * groups / (groups - strata)
    reach = Z95 * math.sqrt(max(clustered, alone / games / (games - strata), 0.0))
    if reach <= ALIKE * max(1.0, abs(mean)):
        reach = math.inf
    return Mean(games, mean, mean - reach, mean + reach)


def clustered_ratio(parts: Array, wholes: Array, groups: Array) -> RateWithInterval:
    """The share of all `wholes` (a number a game) that the `parts` are, where games of one group are not independent.

    >>> [round(end, 3) for end in vars(clustered_ratio(np.array([1, 2, 3]), np.full(3, 4), np.arange(3))).values()]
    [12, 0.5, 0.254, 0.746]
    """
    total = float(wholes.sum())
    if total <= 0:
        return RateWithInterval(0, 0.0, 0.0, 1.0)
    rate = float(parts.sum()) / total
    _, member = np.unique(groups, return_inverse=True)
    count = int(member.max()) + 1
    sums = np.bincount(member, parts - rate * wholes, count)
    variance = float((sums**2).sum()) / total**2 * (count / (count - 1) if count > 1 else 1.0)
    worth = min(total, rate * (1 - rate) / variance) if count > 1 and variance > 0 and 0 < rate < 1 else total
    return RateWithInterval(int(total), rate, *wilson(rate, worth))


@dataclass(frozen=True)
class Quantile:
    """A value that a share of all games does not exceed, and its 95 % interval."""

    value: float
    low: float
    high: float


def clustered_quantile(values: Array, share: float, groups: Array, tables: Array) -> Quantile:
    """By Woodruff's method: the interval of the share that lies at or below the quantile, read off the values again."""
    value = float(np.quantile(values, share, method="inverted_cdf"))
    below = clustered_rate((values <= value).astype(np.float64), groups, tables)
    ends = max(0.0, share - (below.rate - below.low)), min(1.0, share + (below.high - below.rate))
    low, high = (float(np.quantile(values, end, method="inverted_cdf")) for end in ends)
    return Quantile(value, min(low, value), max(high, value))


@dataclass(frozen=True)
class Spread:
    """A standard deviation between groups and its 95 % interval."""

    value: float
    low: float
    high: float

    def rounded(self) -> dict[str, float]:
        return {name: round(end, 6) for name, end in vars(self).items()}


def spread_between(values: Array, groups: Array, strata: Array) -> Spread | None:
    """How much groups differ in what is to be expected of their values, chance within them left out; None if no group
    has two values.

    The variance between groups of a one-way analysis of variance, and a jackknife over groups for how far it may be
    off. `strata` says what was planned of each value, as in ``clustered_mean``.

    >>> found = spread_between(np.array([0.0, 0.0, 1.0, 1.0, 0.0, 1.0]), np.array([0, 0, 1, 1, 2, 2]), np.zeros(6))
    >>> [round(end, 3) for end in vars(found).values()]
    [0.408, 0.0, 0.906]
    """
    _, kind = np.unique(strata, return_inverse=True)
    _, member = np.unique(groups, return_inverse=True)
    off = values - (np.bincount(kind, values) / np.bincount(kind))[kind]
    sizes, sums, squares = (np.bincount(member, weights) for weights in (None, off, off**2))
    if len(sizes) < 2 or sizes.max(initial=0) < 2:
        return None

    def variance(left_out: Array | int) -> Array:
        """Between groups, without these."""
        count = len(sizes) - (0 if isinstance(left_out, int) else 1)
        parts = (sizes, sums, squares, sums**2 / sizes, sizes**2)
        games, total, square, between, crowd = (
            part.sum() - (0 if isinstance(left_out, int) else part[left_out]) for part in parts
        )
        within = (square - between) / np.maximum(games - count, 1)
        usual = (games - crowd / games) / max(count - 1, 1)
        return np.asarray(((between - total**2 / games) / max(count - 1, 1) - within) / usual)

    whole, others = float(variance(0)), variance(np.arange(len(sizes)))
    count = len(sizes)
    reach = Z95 * math.sqrt((count - 1) / count * float(((others - others.mean()) ** 2).sum()))
    return Spread(*(math.sqrt(max(0.0, end)) for end in (whole, whole - reach, whole + reach)))


def mean_interval(values: Array) -> tuple[float, float, float]:
    """The mean of independent values and its 95 % interval; one value alone says nothing of how far it may be off.

    >>> [round(end, 3) for end in mean_interval(np.array([0.2, 0.4, 0.3, 0.5]))]
    [0.35, 0.223, 0.477]
    """
    mean = float(values.mean())
    reach = Z95 * float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return mean, mean - reach, mean + reach


def ratings(seating: Array, finish: Array, players: int, most: int = 2000) -> list[tuple[float, float]]:
    """Plackett–Luce skill (mu, sigma) of each player, from at most the first `most` matches in order.

    `finish` (matches × seats) says who ended above whom, the higher the better. Whoever sits more than once enters as
    often, and takes the mean of what its copies learn: what they did to each other cancels out.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    skill = [model.rating() for _ in range(players)]
    for seats, values in zip(seating[:most].tolist(), finish[:most].tolist(), strict=True):
        if len(set(seats)) == 1:
            continue  # nobody to compare with
        entries = [[model.rating(mu=skill[p].mu, sigma=skill[p].sigma)] for p in seats]
        rated = [team[0] for team in model.rate(entries, scores=values)]
        for player in set(seats):
            copies = [rating for p, rating in zip(seats, rated, strict=True) if p == player]
            mu, sigma = (sum(getattr(c, name) for c in copies) / len(copies) for name in ("mu", "sigma"))
            skill[player] = model.rating(mu=mu, sigma=sigma)
    return [(float(s.mu), float(s.sigma)) for s in skill]


def above(finish: Array, mine: Array, theirs: Array) -> Array:
    """For each match, how often one player ended above another, ties counting half: the share of all comparisons
    between a seat of `mine` and a seat of `theirs` (bool, as `finish`: matches × seats)."""
    score, count = np.zeros(len(finish)), np.zeros(len(finish))
    for seat in range(finish.shape[1]):
        for other in range(finish.shape[1]):
            both = mine[:, seat] & theirs[:, other]
            better = finish[:, seat] > finish[:, other]
            score += both * (better + 0.5 * (finish[:, seat] == finish[:, other]))
            count += both
    return score / count
