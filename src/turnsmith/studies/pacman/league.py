"""Tuning the weights of an evaluation in a league, as the seed does: main players, and exploiters of them.

Every iteration looks for weights with the best mean score against the whole league, then for an exploiter: weights
against which that new main player does worst. Both join, the oldest leave. A player's score in a game is the share of
dots it ate, or kept from being eaten. TPE proposes weights, the newest main player's first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.digest import digest
from turnsmith.contract.loading import load
from turnsmith.contract.trainings import TrainingContext, TrainingResult
from turnsmith.evolve.fitness import CANDIDATE, FitnessArena, own_return
from turnsmith.evolve.league import PROOF, Iteration, League, LeagueSettings, seed_of
from turnsmith.evolve.optimisers import Tpe
from turnsmith.games.pacman.evaluation import KINDS, NAMES, WEIGHTS
from turnsmith.games.pacman.ghosts import OriginalGhosts
from turnsmith.games.pacman.negamax import PacmanNegamax
from turnsmith.games.pacman.rules import PACMANS
from turnsmith.learn.run import Run
from turnsmith.play.player import Player
from turnsmith.studies.pacman import trainings as declares

FIXED = "score"
"""The weight of a dot eaten is the unit of the others, and no gene."""
FINALISTS, PROOF_GAMES = 4, 100


@dataclass(frozen=True, repr=False)
class WeightedNegamax(PacmanNegamax):
    """`negamax` with weights that are in no file."""

    chosen: tuple[float, ...] = ()

    name = "weighted"

    def judge(self) -> tuple[int, float, tuple[float, ...]]:
        return KINDS.index(self.evaluation), 1.0, self.chosen


def share(returns: Array, seat: Array) -> Array:
    """The share of dots that the pacmans ate, or that the ghosts kept from being eaten."""
    return np.asarray(own_return(returns, seat) + (seat != PACMANS))


def both_sides(opponents: Sequence[Player], games: int) -> Array:
    """int32[rows, 2]: so many games for each opponent and side; the arcade's ghosts are only ghosts."""
    rows = []
    for number, other in enumerate(opponents, start=1):
        sides = [[CANDIDATE, number], [number, CANDIDATE]]
        rows += [sides[0]] * (games + games % 2) if isinstance(other, OriginalGhosts) else sides * games
    return np.array(rows, np.int32)


@dataclass(frozen=True)
class Weights:
    """Weights as genes: all but the fixed one."""

    settings: declares.PacmanLeagueSettings

    @property
    def default(self) -> dict[str, float]:
        kind = self.settings.evaluation
        return dict(zip(NAMES[KINDS.index(kind)], WEIGHTS[kind], strict=True))

    @property
    def start(self) -> Array:
        return np.array([weight for name, weight in self.default.items() if name != FIXED])

    def named(self, genes: Array) -> dict[str, float]:
        names = [name for name in self.default if name != FIXED]
        return dict(zip(names, genes.tolist(), strict=True)) | {FIXED: 1.0}

    def player(self, genes: Array) -> WeightedNegamax:
        named = self.named(genes)
        chosen = tuple(named[name] for name in self.default)
        return WeightedNegamax(evaluation=self.settings.evaluation, depth=self.settings.depth, chosen=chosen)

    def proposed(self, role: str, number: int, best: Array | None) -> Tpe:
        """Weights as far again from the default, and two dots."""
        reach = np.abs(self.start) + 2.0
        trials = self.settings.trials if role == "main" else self.settings.exploiter_trials
        start = self.start if best is None else best
        return Tpe(start, self.start - reach, self.start + reach, self.settings.seed + number, min(20, trials // 3))


def train(settings: declares.PacmanLeagueSettings, work: TrainingContext) -> TrainingResult:
    """Run the league, or go on with it; main-N.json are the weights of its main players."""
    game, weights, arcade = load(f"pacman:map={settings.map}"), Weights(settings), OriginalGhosts()
    default = weights.player(weights.start)
    code = digest(game.digest, default.digest(), arcade.digest())
    run = Run(work.folder, settings, free=("iterations",), code=code)
    how = LeagueSettings(
        settings.iterations, settings.trials, settings.exploiter_trials, settings.games, FINALISTS, 2 * settings.games,
        settings.size, settings.seed,
    )  # fmt: skip
    ground = FitnessArena(game, share, work.workers)
    league = League(run, ground, weights.player, how, hall=[arcade, default], tables=both_sides, progress=work.progress)
    curve: list[dict[str, Any]] = []
    for iteration in league.iterations(weights.proposed):
        run.json(f"main-{iteration.number}.json", partial(weights.named, iteration.main))
        curve.append(run.json(f"curve-{iteration.number}.json", partial(judged, iteration, weights, ground)))
        parts = curve[-1]["against"]
        run.note(iteration.number, score=curve[-1]["score"], **parts)
        work.tell(
            f"iteration {iteration.number}: {curve[-1]['score']:.3f} "
            f"({', '.join(f'{name} {score:.3f}' for name, score in parts.items())})"
        )
    run.finish("Pac-Man: weights by a league", work.command, {"score": curve[-1]["score"], **curve[-1]["against"]})
    return TrainingResult(curve, str(run.path(f"main-{settings.iterations - 1}.json")))


def judged(found: Iteration, weights: Weights, ground: FitnessArena) -> dict[str, Any]:
    """How the main player does in new games against the default weights, the arcade's ghosts and its exploiter."""
    assert found.exploiter is not None
    opponents = {
        "default": weights.player(weights.start),
        "original-ghosts": OriginalGhosts(),
        "exploiter": weights.player(found.exploiter),
    }
    tables = both_sides(list(opponents.values()), PROOF_GAMES)
    seed = seed_of(weights.settings.seed, PROOF)
    scores = ground.scores([weights.player(found.main)], list(opponents.values()), tables, seed)[0]
    parts = {}
    for number, name in enumerate(opponents, start=1):
        for side, mine in (("pacmans", 0), ("ghosts", 1)):
            rows = (tables[:, mine] == CANDIDATE) & (tables[:, 1 - mine] == number)
            if rows.any():
                parts[f"{side} against {name}"] = round(float(scores[rows].mean()), 4)
    return {"iteration": found.number, "score": round(float(np.mean(list(parts.values()))), 4), "against": parts}
