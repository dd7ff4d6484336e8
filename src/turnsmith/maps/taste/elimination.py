"""Elimination: the order in which a pool of maps is removed when some are known to be bad, the worst first.

1. `by_mean`: by the distance to the mean of the known bad.
2. `in_turns`: the known bad take turns, each removes the one nearest to it that is left.
3. `by_softmin`: the same, but whose turn it is is drawn, the likelier the nearer its nearest is.
4. `by_infection`: every infected one infects its nearest in every step and recovers some steps later, the known bad
   never do.

All are of the Homeguard thesis (P. Šindelář 2024, chapter 4.7). Where it is silent: equal distances go by the place in
the pool; turns go round from the first to the last of the known bad; in a step of 4 all infect at once, and those that
are infected in the same step go by their distance to who infected them.

Relative ratings are weights of the known bad, and serve both ways that the thesis names: one with weight w is used w
times where others are used once, one with weight 1/d only in every d-th round. In 1 the mean is weighted, in 3 the
chance of a turn is, in 4 one infects that many in a step. A rating of -2 has weight 2.

Vectors are float[known, numbers] and float[pool, numbers]; distances are Euclidean. The pool may hold the known bad.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import stream, unit

TEMPERATURE = 1.0
"""Of the softmin, in units of distance; the greater, the more evenly turns are drawn."""
RECOVERY = 3
"""Steps in which one that was infected infects others."""
AT_ONCE = 2**24
"""Distances that are held at once."""


def by_mean(bad: Array, pool: Array, weights: Array | None = None) -> Array:
    """Elimination 1: int64[pool], places in the pool from the first removed to the last."""
    bad, pool, weights = checked(bad, pool, weights)
    return np.argsort(squares(np.average(bad, axis=0, weights=weights)[None], pool)[0], kind="stable")


def in_turns(bad: Array, pool: Array, weights: Array | None = None) -> Array:
    """Elimination 2: int64[pool], places in the pool from the first removed to the last."""
    bad, pool, weights = checked(bad, pool, weights)
    return take_turns(nearest_first(squares(bad, pool)), turns(weights, len(pool)))


def by_softmin(
    bad: Array, pool: Array, weights: Array | None = None, temperature: float = TEMPERATURE, seed: int = 0
) -> Array:
    """Elimination 3: int64[pool], places in the pool from the first removed to the last."""
    bad, pool, weights = checked(bad, pool, weights)
    if not temperature > 0.0:
        raise BadInput(f"the temperature of elimination 3 is {temperature}; it must be above 0")
    apart = np.sqrt(squares(bad, pool))
    order = np.zeros(len(pool), np.int64)
    compiled(_drawn_turns)(nearest_first(apart), apart, weights, float(temperature), stream(seed), order)
    return order


def by_infection(bad: Array, pool: Array, weights: Array | None = None, recovery: int = RECOVERY) -> Array:
    """Elimination 4: int64[pool], places in the pool from the first removed to the last."""
    bad, pool, weights = checked(bad, pool, weights)
    if recovery < 1:
        raise BadInput(f"the recovery time of elimination 4 is {recovery}; it must be 1 or more")
    weights = weights / min(1.0, weights.max())  # so that somebody infects in every step
    left, parts, infected = np.arange(len(pool)), [np.zeros(0, np.int64)], [np.zeros(0, np.int64)] * recovery
    used = np.zeros(len(bad), np.int64)
    step = 0
    while len(left):
        step += 1
        uses = np.floor(step * weights + 1e-9).astype(np.int64) - used
        used += uses
        near = [_nearest(pool[np.concatenate(infected)], pool[left], 1)]
        near += [_nearest(bad[uses == count], pool[left], count) for count in np.unique(uses[uses > 0])]
        place, far = (np.concatenate(columns) for columns in zip(*near, strict=True))
        caught = place[np.lexsort((place, far))]
        caught = caught[np.sort(np.unique(caught, return_index=True)[1])]  # by whom it was reached first
        parts.append(left[caught])
        infected = [*infected[1:], left[caught]]
        left = np.delete(left, caught)
    return np.concatenate(parts)


ELIMINATIONS: dict[int, Callable[..., Array]] = {1: by_mean, 2: in_turns, 3: by_softmin, 4: by_infection}
"""By the number that the thesis gives them."""


def desirability(order: Array) -> Array:
    """float64[pool]: of each, the share of the others that are removed before it; 0 is the worst, 1 the best."""
    places = np.empty(len(order))
    places[order] = np.arange(len(order)) / max(1, len(order) - 1)
    return places


# ---------------------------------------------------------------- pieces, for those who eliminate often from one pool


def checked(bad: Array, pool: Array, weights: Array | None) -> tuple[Array, Array, Array]:
    """Both as float64[…, numbers], and float64[known] weights without those that are 0."""
    bad, pool = np.asarray(bad, np.float64), np.asarray(pool, np.float64)
    weights = np.ones(len(bad)) if weights is None else np.asarray(weights, np.float64)
    if bad.ndim != 2 or pool.ndim != 2 or bad.shape[1] != pool.shape[1] or weights.shape != bad.shape[:1]:
        raise BadInput(f"vectors {bad.shape}, a pool {pool.shape} and weights {weights.shape} do not fit together")
    if not (np.isfinite(bad).all() and np.isfinite(pool).all() and np.isfinite(weights).all() and (weights >= 0).all()):
        raise BadInput("vectors and weights must be finite numbers, and weights 0 or more")
    if not weights.any():
        raise BadInput("nothing is known to be bad, so nothing can be eliminated; rate a map below 0")
    return bad[weights > 0], pool, weights[weights > 0]


def squares(points: Array, pool: Array) -> Array:
    """float64[points, pool]: squared distances."""
    squared = (points**2).sum(axis=1)[:, None] + (pool**2).sum(axis=1)[None, :] - 2.0 * points @ pool.T
    return np.asarray(np.maximum(squared, 0.0))


def nearest_first(apart: Array) -> Array:
    """int32[points, pool]: the places of the pool by their distance to each point."""
    return np.argsort(apart, axis=1, kind="stable").astype(np.int32)


def turns(weights: Array, count: int) -> Array:
    """int32[count]: whose turn it is, so that in every round one has as many turns as its weight says.

    The k-th turn of one with weight w is due at k / w; who is due at the same time go by their place. So weights of 1
    go round and round, weight 2 has two turns a round, weight 1/3 one in every third.
    """
    weights = weights / weights.max()
    many = np.floor((count + len(weights)) / weights.sum() * weights).astype(np.int64)  # together count or more
    who = np.repeat(np.arange(len(weights)), many)
    turn = np.arange(len(who)) - np.repeat(np.cumsum(many) - many, many) + 1
    due = np.round(turn / weights[who], 9)
    return who[np.lexsort((who, due))][:count].astype(np.int32)


def take_turns(nearest: Array, turns: Array) -> Array:
    """int64[turns]: what is removed in each turn; nearest: int32[points, pool] of ``nearest_first``."""
    order = np.zeros(len(turns), np.int64)
    compiled(_removed)(nearest, turns, order)
    return order


def _removed(nearest: Array, turns: Array, order: Array) -> None:
    is_gone = np.zeros(nearest.shape[1], np.bool_)
    ahead = np.zeros(nearest.shape[0], np.int64)
    for turn in range(len(turns)):
        who = turns[turn]
        while is_gone[nearest[who, ahead[who]]]:
            ahead[who] += 1
        order[turn] = nearest[who, ahead[who]]
        is_gone[order[turn]] = True


def _drawn_turns(nearest: Array, apart: Array, weights: Array, temperature: float, rng: Array, order: Array) -> None:
    known, pool = nearest.shape
    is_gone = np.zeros(pool, np.bool_)
    ahead = np.zeros(known, np.int64)
    shares = np.zeros(known)
    for turn in range(pool):
        least = np.inf
        for who in range(known):
            while is_gone[nearest[who, ahead[who]]]:
                ahead[who] += 1
            shares[who] = apart[who, nearest[who, ahead[who]]]
            least = min(least, shares[who])
        total = 0.0
        for who in range(known):  # the least is taken off so that not all shares vanish
            total += weights[who] * np.exp((least - shares[who]) / temperature)
            shares[who] = total
        point = unit(rng) * total
        chosen = 0
        while chosen < known - 1 and shares[chosen] <= point:
            chosen += 1
        order[turn] = nearest[chosen, ahead[chosen]]
        is_gone[order[turn]] = True


def _nearest(points: Array, pool: Array, count: int) -> tuple[Array, Array]:
    """The `count` nearest places of the pool to each point, and their squared distances, one after another."""
    places, far = [np.zeros(0, np.int64)], [np.zeros(0)]
    turned, lengths = -2.0 * pool.T, (pool**2).sum(axis=1)
    many = max(1, AT_ONCE // len(pool))
    for start in range(0, len(points), many):
        some = points[start : start + many]
        apart = some @ turned  # in place, and without what is the same for a whole row, as this is where the time goes
        apart += lengths
        near = np.argmin(apart, axis=1)[:, None] if count == 1 else nearest_first(apart)[:, :count].astype(np.int64)
        places.append(near.ravel())
        far.append((np.take_along_axis(apart, near, axis=1) + (some**2).sum(axis=1)[:, None]).ravel())
    return np.concatenate(places), np.concatenate(far)
