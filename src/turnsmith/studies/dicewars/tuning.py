"""Tuning the value by play: CMA-ES turns the weights of the net's last layer towards those that win more games.

The fit in ``selfplay.py`` asks for true chances, and every position counts alike; play asks only for the better move.
Every generation all candidates play the same games at tables of the field, the next generation new ones. Candidates
follow from the seed and the results before, so a run that was stopped goes on from the last whole generation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.contract.loading import load
from turnsmith.contract.trainings import TrainingContext
from turnsmith.evolve.fitness import FitnessArena, interval, own_return
from turnsmith.evolve.optimisers import Cma
from turnsmith.games.dicewars.master import Fast, Settings
from turnsmith.games.dicewars.value import layers_in
from turnsmith.learn.fit import digest_of
from turnsmith.learn.run import Run
from turnsmith.nets.dense import Layers, flat, write_onnx
from turnsmith.play.player import Prepared, filled, player
from turnsmith.studies.dicewars.selfplay import OPPONENTS, SEATED, seating

if TYPE_CHECKING:
    from turnsmith.studies.dicewars.trainings import TuneSettings

STEP = 0.1
"""The first step, in parts of a weight (and of the mean weight, so that small ones move too)."""
PROOF = 1_000_000
"""Seeds from here on are for judging what was found, never for finding it."""


@dataclass(frozen=True, repr=False, eq=False)
class FastCandidate(Fast):
    """`fast` with a net that is in no file."""

    layers: Layers = field(default_factory=list)

    name = "candidate"

    def prepare(self, game, boards):
        data = flat(self.layers).astype(np.float64)
        return Prepared.of(data=data, params=filled(Settings, self))


def turned(layers: Layers, change: Array) -> Layers:
    """The net with the weights of its last layer changed by `change` (float64[hidden]), in units of their size."""
    *before, (last, bias) = layers
    size = np.abs(last) + np.abs(last).mean()
    return [*before, ((last + size * change[:, None]).astype(np.float32), bias)]


def wins(returns: Array, seat: Array) -> Array:
    return own_return(returns, seat) > 0.0


def won(nets: list[Layers], games: int, seed: int, workers: int) -> Array:
    """float64[nets, games]: 1.0 where a net's player won at a table of the field; all play the games of the seed."""
    game = load("dicewars")
    opponents = [player(text, game) for text in OPPONENTS]
    candidates = [FastCandidate(layers=layers) for layers in nets]
    return FitnessArena(game, wins, workers).scores(candidates, opponents, seating(games, seed, 1), seed)


def tune(settings: TuneSettings, work: TrainingContext) -> Path:
    """Run the generations that are not done yet; returns the file with the net in the middle of the last."""
    layers = layers_in(settings.from_)
    search = Cma(np.zeros(len(layers[-1][0])), STEP, settings.seed)
    about = {"net": digest_of(flat(layers)), "games": settings.games, "seed": settings.seed}
    run = Run(work.folder, about, code=load("dicewars").digest)
    for number in range(settings.generations):
        nets = [turned(layers, change) for change in search.ask()]

        def play(nets: list[Layers] = nets, seed: int = settings.seed + 1 + number) -> dict[str, Any]:
            return {"rates": won(nets, settings.games, seed, work.workers).mean(axis=1).tolist()}

        rates = np.array(run.json(f"generation-{number}.json", play)["rates"])
        search.tell(rates)
        run.note(number, mean=rates.mean(), best=rates.max())
        work.tell(f"generation {number}: its candidates won {rates.mean():.1%}")
        work.progress(number + 1, settings.generations)
    tuned = run.path(f"tuned-{settings.generations}.onnx")
    write_onnx(turned(layers, search.middle), tuned, "value of Dice Wars, tuned by play", last=None)
    run.finish("The value of Dice Wars, tuned by play", work.command, {"net": tuned.name})
    return tuned


def compare(before: Path, after: Path, games: int, seed: int, workers: int) -> dict[str, Any]:
    """How often `fast` wins by each of two nets in the same new games, and by how much more by the second."""
    old, new = won([layers_in(before), layers_in(after)], games, PROOF + seed, workers)
    result: dict[str, Any] = {"games": games}
    for name, won_by in (("before", old), ("after", new), ("gain", new - old)):
        mean, low, high = interval(won_by, SEATED)
        result[name] = {"rate": round(mean, 4), "low": round(low, 4), "high": round(high, 4)}
    return result
