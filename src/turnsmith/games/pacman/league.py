"""Tuning the weights of an evaluation in a league, as the seed does: main players, and exploiters of them.

Every iteration looks for weights with the best mean score against the whole league, then for an exploiter: weights
against which that new main player does worst. Both join, the oldest leave. A player's score in a game is the share of
dots it ate, or kept from being eaten. Optuna proposes weights; its journal in the folder knows every trial, so a run
that was stopped goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.game import Array
from turnsmith.games.pacman.cells import eaten
from turnsmith.games.pacman.evaluation import KINDS, NAMES, WEIGHTS
from turnsmith.learn import extra
from turnsmith.learn.files import keep_settings, read_json, write_json
from turnsmith.texts import BadInput

ARCADE = "original-ghosts"
FIXED = "score"
"""The weight of a dot eaten is the unit of the others."""
PROOF = 1_000_000
"""Seeds from here on are for judging what was found, never for finding it."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Settings:
    """How a league is run."""

    evaluation: str = "features"
    """features or voronoi."""
    iterations: int = 3
    """New main players, each with an exploiter."""
    trials: int = 100
    """Weights tried for a main player."""
    exploiter_trials: int = 20
    """Weights tried for an exploiter."""
    size: int = 3
    """Players in the league; the oldest leave."""
    games: int = 20
    """Games a trial for each opponent and side."""
    depth: int = 2
    """Plies everybody looks ahead."""
    map: str = "ten,start=random,t_max=300"
    """Where they play."""
    seed: int = 1
    """The same seed tries the same weights."""


def run(
    folder: Path, settings: Settings, workers: int, progress: Progress, tell: Callable[[dict[str, Any]], None]
) -> Path:
    """Run the league, or go on with it; returns the file with the newest main player's weights."""
    optuna = extra("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    if settings.evaluation not in KINDS:
        raise BadInput(f"evaluation={settings.evaluation} must be one of {', '.join(KINDS)}")
    folder.mkdir(parents=True, exist_ok=True)
    keep_settings(folder, vars(settings), free="iterations")
    backend = optuna.storages.journal.JournalFileBackend(str(folder / "journal.log"))
    proposals = Proposals(optuna, optuna.storages.JournalStorage(backend), folder, settings, workers, progress)
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
    """Optuna, where it keeps its trials, and how they are judged."""

    optuna: Any
    storage: Any
    folder: Path
    settings: Settings
    workers: int
    progress: Progress

    def best(
        self, name: str, opponents: list[str], start: dict[str, float], trials: int, seed: int
    ) -> dict[str, float]:
        """The weights with the best mean score against opponents, `start` among those tried."""
        settings = self.settings
        sampler = self.optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=min(20, trials // 3))
        study = self.optuna.create_study(
            storage=self.storage, study_name=name, sampler=sampler, direction="maximize", load_if_exists=True
        )
        if not study.trials:
            study.enqueue_trial({key: value for key, value in start.items() if key != FIXED})
        default = dict(zip(names(settings), WEIGHTS[settings.evaluation], strict=True))

        def score(trial: Any) -> float:
            chosen = {key: reachable(trial, key, default[key]) for key in default if key != FIXED}
            file = self.folder / f"{name}-trial.json"
            write_json(file, {**chosen, FIXED: 1.0})
            parts = judged(named(settings, str(file)), opponents, settings, settings.games, seed, self.workers)
            return float(np.mean([part.mean() for part in parts.values()]))

        done = [trial for trial in study.trials if trial.state.is_finished()]
        for number in range(len(done), trials):
            self.progress(number, trials)
            study.optimize(score, n_trials=1)
        return {**study.best_params, FIXED: 1.0}


def reachable(trial: Any, name: str, default: float) -> float:
    """A weight around its default: as far again, and two dots besides."""
    reach = abs(default) + 2.0
    return float(trial.suggest_float(name, default - reach, default + reach))


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
