"""Tuning the value by play: CMA-ES turns the weights of the net's last layer towards those that win more games.

The fit in ``selfplay.py`` asks for true chances, and every position counts alike; play asks only for the better move.
Every generation all candidates play the same games at tables of the field, the next generation new ones. A generation
leaves a file with its results. Candidates follow from the seed and the results before, so a run that was stopped goes
on from the last whole generation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.arena.runners import Plan, run
from turnsmith.arena.statistics import mean_interval
from turnsmith.game import Array, load
from turnsmith.games.dicewars.master import Fast, Settings
from turnsmith.games.dicewars.selfplay import HERO, OPPONENTS, SEATED, seating
from turnsmith.learn import extra
from turnsmith.learn.fit import digest_of
from turnsmith.learn.nets import Layers, flat, read_onnx, write_onnx
from turnsmith.learn.run import Run
from turnsmith.learn.training import Work
from turnsmith.player import Prepared, filled, player

if TYPE_CHECKING:
    from turnsmith.games.dicewars.declares import TuneSettings

STEP = 0.1
"""The first step, in parts of a weight (and of the mean weight, so that small ones move too)."""
PROOF = 1_000_000
"""Seeds from here on are for judging what was found, never for finding it."""


@dataclass(frozen=True, repr=False, eq=False)
class Candidate(Fast):
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


def won(layers: Layers, games: int, seed: int, workers: int) -> Array:
    """float64[games]: 1.0 where the net's player won at a table of the field; the same seed starts the same games."""
    game = load("dicewars")
    players = [Candidate(layers=layers), *(player(text, game) for text in OPPONENTS)]
    plan = Plan(game, players, seating(games, seed, 1), seed)
    found = np.zeros(games, np.float64)
    for batch in run(plan, np.arange(games, dtype=np.int64), workers):
        mine = plan.seating[batch.numbers] == HERO
        found[batch.numbers] = batch.returns[mine] > 0.0
    return found


def tune(settings: TuneSettings, work: Work) -> Path:
    """Run the generations that are not done yet; returns the file with the net in the middle of the last."""
    layers = read_onnx(settings.from_)
    random = np.random.default_rng(settings.seed)
    size = len(layers[-1][0])
    search = extra("cma").CMAEvolutionStrategy(
        np.zeros(size), STEP, {"randn": lambda *shape: random.standard_normal(shape), "seed": np.nan, "verbose": -9}
    )
    about = {"net": digest_of(flat(layers)), "games": settings.games, "seed": settings.seed}
    run = Run(work.folder, about, code=load("dicewars").digest)
    for number in range(settings.generations):
        candidates = search.ask()

        def rates(candidates: list[Array] = candidates, seed: int = settings.seed + 1 + number) -> dict[str, Any]:
            found = []
            for index, change in enumerate(candidates):
                work.progress(index, len(candidates))
                found.append(float(won(turned(layers, change), settings.games, seed, work.workers).mean()))
            return {"rates": found}

        found = run.json(f"generation-{number}.json", rates)["rates"]
        search.tell(candidates, [-rate for rate in found])
        run.note(number, mean=np.mean(found), best=max(found))
        work.tell(f"generation {number}: its candidates won {np.mean(found):.1%}")
    tuned = run.path(f"tuned-{settings.generations}.onnx")
    write_onnx(turned(layers, search.result.xfavorite), tuned, "value of Dice Wars, tuned by play", last=None)
    run.finish("The value of Dice Wars, tuned by play", work.command, {"net": tuned.name})
    return tuned


def compare(before: Path, after: Path, games: int, seed: int, workers: int) -> dict[str, Any]:
    """How often `fast` wins by each of two nets in the same new games, and by how much more by the second."""
    rates = {name: won(read_onnx(path), games, PROOF + seed, workers) for name, path in
             (("before", before), ("after", after))}  # fmt: skip
    rates["gain"] = rates["after"] - rates["before"]
    found: dict[str, Any] = {"games": games}
    for name, each in rates.items():
        mean, low, high = mean_interval(each.reshape(-1, SEATED).mean(1))  # the rotations of a start are kin
        found[name] = {"rate": round(mean, 4), "low": round(low, 4), "high": round(high, 4)}
    return found
