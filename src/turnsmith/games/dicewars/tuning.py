"""Tuning the value by play: CMA-ES turns the weights of the net's last layer towards those that win more games.

The fit in ``selfplay.py`` asks for true chances, and every position counts alike; play asks only for the better move.
Every generation all candidates play the same games at tables of the field, the next generation new ones. A generation
leaves a file with its results. Candidates follow from the seed and the results before, so a run that was stopped goes
on from the last whole generation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.arena.runners import Plan, run
from turnsmith.arena.statistics import mean_interval
from turnsmith.game import Array, load
from turnsmith.games.dicewars.master import Fast, Settings
from turnsmith.games.dicewars.selfplay import HERO, OPPONENTS, SEATED, Progress, seating
from turnsmith.learn import extra
from turnsmith.learn.files import keep_settings, read_json, write_json
from turnsmith.learn.nets import Layers, flat, read_onnx, write_onnx
from turnsmith.player import Prepared, filled, player

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


def tune(
    start: Path, folder: Path, generations: int, games: int, seed: int, workers: int, progress: Progress,
    tell: Callable[[int, float], None],
) -> Path:  # fmt: skip
    """Run the generations that are not done yet; returns the file with the net in the middle of the last."""
    layers = read_onnx(start)
    random = np.random.default_rng(seed)
    size = len(layers[-1][0])
    search = extra("cma").CMAEvolutionStrategy(
        np.zeros(size), STEP, {"randn": lambda *shape: random.standard_normal(shape), "seed": np.nan, "verbose": -9}
    )
    folder.mkdir(parents=True, exist_ok=True)
    net = hashlib.sha256(flat(layers).tobytes()).hexdigest()[:16]
    keep_settings(folder, {"net": net, "games": games, "seed": seed})
    for number in range(generations):
        file, candidates = folder / f"generation-{number}.json", search.ask()
        if not file.exists():
            rates = []
            for index, change in enumerate(candidates):
                progress(index, len(candidates))
                rates.append(float(won(turned(layers, change), games, seed + 1 + number, workers).mean()))
            write_json(file, {"rates": rates})
        rates = read_json(file)["rates"]
        search.tell(candidates, [-rate for rate in rates])
        tell(number, float(np.mean(rates)))
    tuned = folder / f"tuned-{generations}.onnx"
    write_onnx(turned(layers, search.result.xfavorite), tuned, "value of Dice Wars, tuned by play", last=None)
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
