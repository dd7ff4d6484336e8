"""Maps that are shown, and which of many to take that are not all the same."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.maps.making.playing import is_unbalanced
from turnsmith.maps.record import GameMap


@dataclass(frozen=True)
class Proposal:
    """A map that is shown."""

    number: int
    map: GameMap
    genes: tuple[int, ...]
    liking: float
    """About the rating that is expected; 0 before anything is rated."""
    spread: float
    """How unsure that is."""
    measures: dict[str, float] = field(default_factory=dict)
    why: tuple[tuple[int, float, float], ...] = ()
    """The nearest rated maps: number of the rating, nearness from 0 to 1, and the rating."""

    @property
    def is_unbalanced(self) -> bool:
        """Whether games on it showed that one seat is better off; False where none were played."""
        return is_unbalanced(self.measures)

    def said_liking(self, digits: int = 1) -> str:
        """The rating that is expected, with how unsure that is, where the predictor tells it."""
        return f"{self.liking:+.{digits}f}" + (f" ± {self.spread:.{digits}f}" if self.spread else "")


def unlike(genomes: Array, order: Array, count: int) -> list[int]:
    """All places of an order, the first `count` of them being the first that are unlike each other: by half of what two
    genomes usually differ in, and where there are not so many, by less."""
    half = len(order) // 2
    differing = (genomes[order[:half]] != genomes[order[half : 2 * half]]).sum(axis=1)
    usual = float(np.median(differing)) if half else 0.0
    far = np.full(len(genomes), np.inf)
    chosen: list[int] = []
    for share in (0.5, 0.35, 0.2, 0.1):
        for place in order.tolist():
            if len(chosen) < count and far[place] >= max(1.0, share * usual):
                chosen.append(place)
                far = np.minimum(far, (genomes != genomes[place]).sum(axis=1))
    rest = np.isin(order, chosen, invert=True)
    return chosen + [int(place) for place in order[rest]]
