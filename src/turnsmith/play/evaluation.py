"""An exact result over every start: the total of a score, how often each score comes, mean and worst."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Evaluation:
    """What a player scores over all starts, its own randomness averaged out. Lower scores are better.

    >>> result = Evaluation.of({1: 1, 2: 3})
    >>> result.games, result.mean, result.max
    (4, Fraction(7, 4), 2)
    """

    games: int
    """How many starts there are."""
    total: Fraction | float
    """The sum of the scores: exact as a fraction, or to the last digits as a float."""
    histogram: Mapping[Any, float]
    """Score -> how many starts end with it (expected numbers where the player draws lots)."""
    endings: Mapping[str, float] = field(default_factory=dict)
    """How many of the starts with the worst score end in which way, in the game's words."""

    @staticmethod
    def of(histogram: Mapping[int, Any], endings: Mapping[str, Any] | None = None) -> Evaluation:
        """From how often each score comes; whole numbers and fractions stay exact in the total."""
        games = round(sum(histogram.values()))
        total = sum(score * count for score, count in histogram.items())
        counts = {
            score: float(count) if isinstance(count, Fraction) else count
            for score, count in sorted(histogram.items())
            if count
        }
        ends = {
            words: float(count) if isinstance(count, Fraction) else count for words, count in (endings or {}).items()
        }
        return Evaluation(games, total if isinstance(total, float) else Fraction(total), counts, ends)

    @property
    def mean(self) -> Fraction | float:
        return self.total / self.games

    @property
    def max(self) -> float:
        """The worst score that can come."""
        worst: float = max(self.histogram)
        return worst

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        histogram = {str(score): count for score, count in self.histogram.items()}
        document = {"games": self.games, "mean": float(self.mean), "max": self.max, "histogram": histogram}
        return {**document, "endings": dict(self.endings)}
