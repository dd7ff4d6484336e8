"""What of backgammon can be trained: the net of `learned`."""

from __future__ import annotations

from turnsmith.contract.trainings import Training, TrainingContext, TrainingResult
from turnsmith.studies.backgammon.selfplay import ValueSettings


def value(settings: ValueSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.backgammon.selfplay import train

    return train(settings, work)


TRAININGS = {
    "value": Training(
        "Learn what positions are worth from games with itself, by temporal differences.",
        ValueSettings, value, "runs/{game}-value",
    ),
}  # fmt: skip
"""Trainings by name."""
