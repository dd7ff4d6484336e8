"""Which maps to show next, by how well they are liked and how unsure that is.

- thompson: each is the best of a taste drawn among those that fit the ratings; good maps, and still something new.
- calibrate: those that are hardest to call liked or disliked: learns fastest, shows more that is disliked.
- play: those that should be liked best.
- random: any; the control group.
"""

from __future__ import annotations

import typing
from typing import Literal

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, suggestion
from turnsmith.maps.taste.predictors import Liking

Choice = Literal["thompson", "calibrate", "play", "random"]
CHOICES: tuple[Choice, ...] = typing.get_args(Choice)
MOST_EXPLORATION = 10.0
TASTES = 64
"""Drawn to see which maps are liked or disliked together."""


def choose(
    how: Choice, liking: Liking, count: int, random: np.random.Generator, exploration: float = 1.0,
    allowed: Array | None = None,
) -> Array:  # fmt: skip
    """int64[count or as many as there are]: different maps of the pool, the first the one to be shown first.

    exploration: how much being unsure counts; 0 is as `play`, 1 the usual. allowed: bool[pool], those to choose from.
    """
    if how not in CHOICES:
        raise BadInput(f"there is no choice '{how}'{suggestion(how, CHOICES)}; there are {', '.join(CHOICES)}")
    if not 0.0 <= exploration <= MOST_EXPLORATION:
        raise BadInput(f"exploration {exploration:g} must be 0 to {MOST_EXPLORATION:g}")
    open_ = np.ones(len(liking.mean), np.bool_) if allowed is None else np.array(allowed, np.bool_)
    count = min(count, int(open_.sum()))
    if how == "random":
        return np.asarray(random.choice(np.flatnonzero(open_), count, replace=False), np.int64)
    if how == "calibrate":
        return _hardest(liking, count, random, exploration, open_)
    if how == "play" or exploration == 0.0:
        scores = np.broadcast_to(liking.mean, (count, len(liking.mean)))
    else:
        scores = liking.mean + exploration * (liking.drawn(count, random) - liking.mean)
    chosen = np.zeros(count, np.int64)
    for number in range(count):
        chosen[number] = np.argmax(np.where(open_, scores[number], -np.inf))
        open_[chosen[number]] = False
    return chosen


def _hardest(liking: Liking, count: int, random: np.random.Generator, exploration: float, open_: Array) -> Array:
    """One after another, those for which twice the spread less the distance from neither liked nor disliked is
    greatest; what a rating of one would tell of the others is taken off before the next."""
    tastes = liking.drawn(TASTES, random) - liking.mean
    chosen = np.zeros(count, np.int64)
    for number in range(count):
        spread = np.sqrt((tastes**2).mean(axis=0))
        score = 2.0 * exploration * spread - np.abs(liking.mean)
        chosen[number] = np.argmax(np.where(open_, score, -np.inf))
        open_[chosen[number]] = False
        column = tastes[:, chosen[number]]
        tastes = tastes - np.outer(column, column @ tastes) / max(float(column @ column), 1e-12)
    return chosen
