"""What of Homeguard can be measured: how long its games are on boards of every size."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Literal

from turnsmith.common.errors import BadInput
from turnsmith.common.settings import setting
from turnsmith.contract.trainings import Training, TrainingContext, TrainingResult


@dataclass(frozen=True)
class LengthSettings:
    games: int = setting(1000, 1, 100_000)
    """New maps of each size."""
    player: Literal["random", "greedy", "maximin"] = setting("greedy")
    """Who moves the player's soldiers."""
    enemy: Literal["random", "greedy", "maximin"] = setting("greedy")
    """Who moves the enemy's."""


def measure_lengths(settings: LengthSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.games.homeguard.maps import LARGEST, SMALLEST
    from turnsmith.studies.homeguard.lengths import lengths

    if work.game.name != "homeguard":
        raise BadInput(f"these are lengths of homeguard, not of {work.game.name}")
    sizes = range(SMALLEST, LARGEST + 1, 2)
    options = [replace(work.game.options, size=size) for size in sizes]
    rows = [lengths(option, settings.games, settings.player, settings.enemy) for option in options]
    lines = [" | ".join(rows[0])] + [" | ".join(f"{value:g}" for value in row.values()) for row in rows]
    return TrainingResult({**asdict(settings), "sizes": rows}, "\n".join(lines))


TRAININGS = {
    "lengths": Training(
        "Rounds until the first hit, the first kill and the end, in the median, on boards of every size.",
        LengthSettings,
        measure_lengths,
    ),
}
