"""What of Tactics can be trained: ``turnsmith train tactics …``."""

from __future__ import annotations

from dataclasses import dataclass

from turnsmith.learn.training import Done, Training, Work
from turnsmith.texts import setting

MANY, SEEDS = 1_000_000_000, 2**32 - 1


@dataclass(frozen=True)
class PersonalitySettings:
    """How an archive of personalities is filled."""

    generations: int = setting(130, 1, MANY)
    """Generations of candidates."""
    batch: int = setting(20, 2, 10_000)
    """Candidates of each of the three that propose them: two by CMA-ES, one by breeding."""
    games: int = setting(32, 2, MANY)
    """Games of a candidate against each of the four opponents, the same ones for all."""
    cells: int = setting(12, 2, 100)
    """Cells along either axis of the archive."""
    maps: int = setting(64, 1, 1_000_000)
    """Maps they are played on."""
    step: float = setting(2.0, 0.0, 1e6)
    """How far the entries of the first matrices lie around those of `hand`."""
    again: int = setting(100, 2, MANY)
    """Games of every elite against each opponent when the search is over: who is the best of a cell is decided anew."""
    proof: int = setting(250, 2, MANY)
    """Games against each opponent on new maps, which decide nothing."""
    seed: int = setting(1, 0, SEEDS)
    """The same seed finds the same archive."""


def personalities(settings: PersonalitySettings, work: Work) -> Done:
    from turnsmith.games.tactics import personalities

    return personalities.train(settings, work)


TRAININGS = {
    "personalities": Training(
        "An archive of matrices by aggression and use of cover: the strongest of each kind, by MAP-Elites.",
        PersonalitySettings, personalities, "tactics-personalities",
    ),
}  # fmt: skip
