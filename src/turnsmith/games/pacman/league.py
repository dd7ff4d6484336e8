"""Tuning the weights of an evaluation in a league, as the seed does: main players, and exploiters of them.

Every iteration looks for weights with the best mean score against the whole league, then for an exploiter: weights
against which that new main player does worst. Both join, the oldest leave. A player's score in a game is the share of
dots it ate, or kept from being eaten. Optuna proposes weights: every proposal follows from the seed, its number and the
trials before it, which the folder keeps, so a run that was stopped goes on where it was and ends the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.game import Array
from turnsmith.games.pacman.cells import eaten
from turnsmith.games.pacman.declares import LeagueSettings as Settings
from turnsmith.games.pacman.evaluation import KINDS, NAMES, WEIGHTS
from turnsmith.learn import extra
from turnsmith.learn.files import keep_settings, read_json, write_json

ARCADE = "original-ghosts"
FIXED = "score"
"""The weight of a dot eaten is the unit of the others."""
PROOF = 1_000_000
"""Seeds from here on are for judging what was found, never for finding it."""

Progress = Callable[[int, int], None]


def run(
    folder: Path, settings: Settings, workers: int, progress: Progress, tell: Callable[[dict[str, Any]], None]
) -> Path:
    """Run the league, or go on with it; returns the file with the newest main player's weights."""
    optuna = extra("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    folder.mkdir(parents=True, exist_ok=True)
    keep_settings(folder, vars(settings), free=("iterations",))
    proposals = Proposals(optuna, folder, settings, workers, progress)
    default = named(settings, "")
    league, best = [ARCADE, default], dict(zip(names(settings), WEIGHTS[settings.evaluation], strict=True))
    curve: list[dict[str, Any]] = []
    for number in range(settings.iterations):
        main_file, exploiter_file = folder / f"main-{number}.json", folder / f"exploiter-{number}.json"
        curve_file = folder / f"curve-{number}.json"
        seed = settings.seed + number
        if not main_file.exists():
            write_json(main_file, proposals.best(f"main-{number}", league, best, settings.trials, seed))
        best, main = read_json(main_file), named(settings, str(main_file))
        if not exploiter_file.exists():
            found = proposals.best(f"exploiter-{number}", [main], best, settings.exploiter_trials, seed)
            write_json(exploiter_file, found)
        exploiter = named(settings, str(exploiter_file))
        if not curve_file.exists():
            scores = judged(main, [default, ARCADE, exploiter], settings, 100, PROOF, workers)
            mean = float(np.mean([part.mean() for part in scores.values()]))
            parts = {name: round(float(part.mean()), 4) for name, part in scores.items()}
            write_json(curve_file, {"iteration": number, "score": round(mean, 4), "against": parts})
        curve.append(read_json(curve_file))
        tell(curve[-1])
        league = [*league, main, exploiter][-settings.size :]
    return folder / f"main-{settings.iterations - 1}.json"


def names(settings: Settings) -> tuple[str, ...]:
    return NAMES[KINDS.index(settings.evaluation)]


def named(settings: Settings, file: str) -> str:
    """The player with the weights of a file."""
    weights = f",weights={file}" if file else ""
    return f"negamax:evaluation={settings.evaluation},depth={settings.depth}{weights}"


@dataclass(frozen=True)
class Proposals:
    """Optuna, where trials are kept, and how they are judged."""

    optuna: Any
    folder: Path
    settings: Settings
    workers: int
    progress: Progress

    def best(
        self, name: str, opponents: list[str], start: dict[str, float], trials: int, seed: int
    ) -> dict[str, float]:
        """The weights with the best mean score against opponents, `start` among those tried."""
        settings, file = self.settings, self.folder / f"{name}-trials.json"
        weights = {key: value for key, value in start.items() if key != FIXED}
        done: list[dict[str, Any]] = read_json(file) if file.exists() else []
        for number in range(len(done), trials):
            self.progress(number, trials)
            chosen = self.proposal(done, trials, [seed, number]) if number else weights
            trial_file = self.folder / f"{name}-trial.json"
            write_json(trial_file, {**chosen, FIXED: 1.0})
            parts = judged(named(settings, str(trial_file)), opponents, settings, settings.games, seed, self.workers)
            done.append({"weights": chosen, "score": float(np.mean([part.mean() for part in parts.values()]))})
            write_json(file, done)
        best = max(done, key=lambda trial: float(trial["score"]))
        return {**best["weights"], FIXED: 1.0}

    def proposal(self, done: list[dict[str, Any]], trials: int, seed: list[int]) -> dict[str, float]:
        """Weights worth a trial after those that are done: a study made anew, so that nothing else has a say in it."""
        optuna = self.optuna
        default = dict(zip(names(self.settings), WEIGHTS[self.settings.evaluation], strict=True))
        reach = {key: abs(value) + 2.0 for key, value in default.items() if key != FIXED}  # as far again, and two dots
        space = {
            key: optuna.distributions.FloatDistribution(default[key] - far, default[key] + far)
            for key, far in reach.items()
        }
        sampler = optuna.samplers.TPESampler(
            seed=int(np.random.SeedSequence(seed).generate_state(1)[0]),
            multivariate=True,
            n_startup_trials=min(20, trials // 3),
        )
        study = optuna.create_study(sampler=sampler, direction="maximize")
        for trial in done:
            params = {key: min(max(trial["weights"][key], space[key].low), space[key].high) for key in space}
            study.add_trial(optuna.trial.create_trial(params=params, distributions=space, value=trial["score"]))
        return dict(study.ask(space).params)


def judged(who: str, opponents: list[str], settings: Settings, games: int, seed: int, workers: int) -> dict[str, Array]:
    """Scores of a player against each opponent on each side, float64[games]; the arcade's ghosts are only ghosts."""
    found = {}
    game = f"pacman:map={settings.map}"
    for other in opponents:
        short = ARCADE if other == ARCADE else Path(other.partition("weights=")[2] or "default").stem
        found[f"pacmans against {short}"] = eaten(game, who, other, games, seed, workers)
        if other != ARCADE:
            found[f"ghosts against {short}"] = 1.0 - eaten(game, other, who, games, seed, workers)
    return found
