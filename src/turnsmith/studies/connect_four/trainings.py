"""What of Connect Four can be trained: the opening table of `perfect`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from turnsmith.common.settings import setting
from turnsmith.contract.trainings import Training, TrainingContext, TrainingResult


@dataclass(frozen=True)
class OpeningSettings:
    file: Path = Path("openings.bin")
    """The table; one that is there already is gone on with."""
    plies: int = setting(12, 0, 14)
    """The most stones of a position in it."""
    table: int = setting(24, 15, 28)
    """Size of the solver's table: 2 to this power entries of 8 bytes."""


def openings(settings: OpeningSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.games.connect_four.openings import compute

    def tell(stones: int, done: int, of: int) -> None:
        work.tell(f"{stones} stones: {done} of {of} positions")

    compute(settings.file, settings.plies, settings.table, tell=tell)
    return TrainingResult({"file": str(settings.file)}, str(settings.file))


TRAININGS = {
    "openings": Training(
        "Solve the first moves: every position that `perfect` can meet while it follows the table, on either side.",
        OpeningSettings, openings,
    ),
}  # fmt: skip
