"""How well maps are liked, by what is known of a taste.

Length scales are those of maps drawn near the game's own, not of the maps at hand, so that children of different
generations can be compared. Predictors that only tell which of some maps are better, as eliminations do, are asked
about elites and children together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.maps.making.describing import Describer
from turnsmith.maps.taste.predictors import Known, Liking, median_distance, predictor
from turnsmith.maps.taste.taste import Taste

POINTWISE = ("gp", "density")
"""Predictors that tell the same of a map whatever other maps they are asked about with it."""


class TasteJudge:
    """A taste at one moment."""

    def __init__(
        self, name: str, taste: Taste, rated: Sequence[int], genomes: Array,
        vectors: Callable[[Array], tuple[Array, ...]], describer: Describer,
    ) -> None:  # fmt: skip
        """rated: the numbers of the ratings whose maps have these genomes"""
        self.predict, self.is_pointwise = predictor(name), name in POINTWISE
        self.count, self.rated = len(rated), np.array(rated, np.int64)
        self._vectors = vectors
        self._ratings = np.array([float(taste.ratings[number].rating) for number in rated])
        self._units = tuple(median_distance(block) for block in vectors(describer.sample))
        self._known = Known(vectors(genomes), self._ratings, taste.weights[self.rated], self._units)

    def liking(self, genomes: Array) -> Liking:
        if not self.count or not len(genomes):
            return Liking(np.zeros(len(genomes)), np.ones(len(genomes)))
        return self.predict(self._known, self._vectors(genomes))

    def scores(self, genomes: Array) -> Array:
        """float64[maps]: the greater the better liked."""
        return self.liking(genomes).mean

    def why(self, genome: Array, count: int) -> tuple[tuple[int, float, float], ...]:
        """The rated maps that are nearest: number of the rating, nearness, rating."""
        if not self.count:
            return ()
        far = np.zeros(self.count)
        for known, one, unit in zip(self._known.vectors, self._vectors(genome), self._units, strict=True):
            far += ((known - one) ** 2).sum(axis=1) / unit**2 / len(self._units)
        order = np.argsort(far, kind="stable")[:count]
        return tuple((int(self.rated[n]), float(np.exp(-far[n] / 2)), float(self._ratings[n])) for n in order.tolist())
