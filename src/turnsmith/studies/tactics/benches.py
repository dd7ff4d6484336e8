"""What ``turnsmith bench`` measures of Tactics."""

from __future__ import annotations

import time
from functools import partial

from turnsmith.studies.speed import Bench, board_time, games_by_cpu, playouts, thinking


def evolving(games: int, workers: int) -> float:
    """Seconds of a generation of the thesis's first experiment, so many games of a pair; the best of
    three, after one on whose way the maps were made."""
    from turnsmith.contract.trainings import TrainingContext
    from turnsmith.studies.tactics.evolution import Experiment
    from turnsmith.studies.tactics.trainings import ExperimentSettings

    experiment = Experiment(ExperimentSettings(games=games), TrainingContext(workers=workers))
    genetic, times = experiment.genetic(), []
    for number in range(4):
        begun = time.perf_counter()
        genetic.tell(experiment.points(genetic.ask(), number)[0])
        times.append(time.perf_counter() - begun)
    return min(times[1:])


MAPS = "tactics:pool=64"
BENCHES = {
    "playouts": Bench(partial(playouts, "tactics", 500), "moves/CPU s"),
    "static games": Bench(partial(games_by_cpu, MAPS, ["static", "static"], 150_000), "games/CPU s"),
    "matrix games": Bench(partial(games_by_cpu, MAPS, ["matrix:name=hand"] * 2, 50_000), "games/CPU s"),
    "matrix games, 18 inputs": Bench(partial(games_by_cpu, MAPS, ["matrix"] * 2, 30_000), "games/CPU s"),
    "cells games": Bench(partial(games_by_cpu, MAPS, ["cells", "cells"], 10_000), "games/CPU s"),
    "master": Bench(partial(thinking, MAPS, "master"), "CPU ms a decision"),
    "generation of 1,200 games, 2 workers": Bench(partial(evolving, 4, 2), "s"),
    "new map": Bench(partial(board_time, "tactics", 50), "CPU ms"),
    "new map, 48 x 48": Bench(partial(board_time, "tactics:size=48", 5), "CPU ms"),
}
