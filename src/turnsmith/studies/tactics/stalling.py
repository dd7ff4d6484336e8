"""Why evolution as in the thesis stalls: the bests of its generations, rated again, and against each other.

Three things are told apart. What a rating says and what is true: bests are rated again in many games, on the maps of
the experiment and on new ones. What a generation chooses and what is best in it: its last population plays many more
games. And what is chosen and what is wanted: points among peers beside win rates against `static`, and whether later
bests beat earlier ones or go round in circles.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.contract.trainings import TrainingContext, TrainingResult
from turnsmith.evolve.fitness import FitnessArena, every_pair, every_seat, own_return
from turnsmith.evolve.league import seed_of
from turnsmith.games.tactics.automata import Static
from turnsmith.games.tactics.matrix import Matrix
from turnsmith.nets.files import read_json
from turnsmith.play.player import Player
from turnsmith.studies.tactics.evolution import Experiment, MatchPoints, candidate, replayed, win_rate
from turnsmith.studies.tactics.trainings import ExperimentSettings, StudySettings

STUDY = 2_000_000_000
"""Games that no experiment plays."""


@dataclass
class Study:
    """An experiment that is over, and what is asked of it."""

    settings: StudySettings
    work: TrainingContext

    def __post_init__(self) -> None:
        folder = Path(self.settings.from_)
        if not (folder / "settings.json").is_file() or not (folder / "generations" / "0.json").is_file():
            raise BadInput(f"{folder} is no folder of an experiment; give that of turnsmith train tactics experiment-1")
        stored = read_json(folder / "settings.json")
        known = {field.name: stored[field.name] for field in fields(ExperimentSettings) if field.name in stored}
        self.folder, self.experiment = folder, Experiment(ExperimentSettings(**known), self.work)
        count = len(list((folder / "generations").glob("*.json")))
        self.steps = [read_json(folder / "generations" / f"{number}.json") for number in range(count)]

    def seed(self, *numbers: int) -> int:
        return seed_of(self.settings.seed, STUDY, *numbers)

    @property
    def chosen(self) -> list[int]:
        """Generations, evenly spread, the last one among them."""
        many = min(self.settings.bests, len(self.steps))
        return sorted({int(number) for number in np.linspace(0, len(self.steps) - 1, many + 1).round()[1:]})

    def best(self, number: int) -> Player:
        return Matrix(file=str(self.folder / "bests" / f"{number}.txt"))

    # ---------------------------------------------------------------- ratings

    def ratings(self) -> list[dict[str, Any]]:
        """What bests were rated, and what they win in many games on the same maps and on new ones, all in the same."""
        players, tables = [self.best(number) for number in self.chosen], every_seat(1, 2, self.settings.games)
        grounds = {"same_maps": self.experiment.rating, "new_maps": self.experiment.unseen}
        rates = {}
        for place, (name, ground) in enumerate(grounds.items()):
            scores = ground.scores(players, [Static()], tables, self.seed(place))
            rates[name] = [MatchPoints(points).document["without_draws"]["rate"] for points in scores]
            self.work.progress(place + 1, 4)
        rated = [round(win_rate(self.steps[number]), 4) for number in self.chosen]
        rows = zip(self.chosen, rated, *rates.values(), strict=True)
        return [dict(zip(("generation", "rated", *rates), row, strict=True)) for row in rows]

    def swings(self) -> dict[str, float]:
        """How ratings vary in the second half of the experiment, and how much of that is dice."""
        later = self.steps[len(self.steps) // 2 :]
        rates = np.array([win_rate(step) for step in later])
        games = np.array([step["wins"] + step["losses"] for step in later])
        dice = float(np.sqrt(np.mean(rates * (1 - rates) / np.maximum(games, 1))))
        return {
            "mean": float(rates.mean()),
            "lowest": float(rates.min()),
            "highest": float(rates.max()),
            "deviation": float(rates.std()),
            "by_dice": dice,
            "by_dice_of_100_games": float(np.sqrt(rates.mean() * (1 - rates.mean()) / 100)),
        }

    # ---------------------------------------------------------------- among each other

    def crossed(self) -> Array:
        """float64[bests, bests]: the share of points of the row against the column; NaN against itself."""
        players, games = [self.best(number) for number in self.chosen], self.settings.pair_games
        return shares(self.experiment.unseen, players, games, self.seed(2))

    def population(self) -> dict[str, float]:
        """The last generation again: points as they were told, points in many more games, win rates against static."""
        candidates = replayed(self.experiment, self.steps[:-1])
        players = [candidate(genes) for genes in candidates]
        fitness = np.array(self.steps[-1]["fitness"])
        true = np.nanmean(shares(self.experiment.unseen, players, self.settings.pair_games, self.seed(3)), axis=1)
        ground, tables = self.experiment.unseen, every_seat(1, 2, self.settings.games)
        rates = ground.scores(players, [Static()], tables, self.seed(4)).mean(axis=1)
        return {
            "told_and_true_points": correlation(fitness, true),
            "true_points_and_win_rate": correlation(true, rates),
            "true_place_of_the_chosen": int((true > true[int(np.argmax(fitness))]).sum()) + 1,
            "win_rate_of_the_chosen": float(rates[int(np.argmax(fitness))]),
            "highest_win_rate": float(rates.max()),
            "mean_win_rate": float(rates.mean()),
        }


def shares(ground: FitnessArena, players: Sequence[Player], games: int, seed: int) -> Array:
    """float64[players, players]: points of the row against the column, draws for halves; all pairs on the same maps."""
    seating = every_pair(len(players), games)
    returns, _ = ground.play(players, seating, seed, repeat=games)
    points = (own_return(returns, (seating[:, 0] > seating[:, 1]).astype(np.int64)) + 1.0) / 2.0
    one, other = np.triu_indices(len(players), 1)
    won = np.full((len(players), len(players)), np.nan)
    won[one, other] = points.reshape(-1, games).mean(axis=1)
    won[other, one] = 1.0 - won[one, other]
    return won


def correlation(one: Array, other: Array) -> float:
    """Pearson's; 0 where one of them does not vary."""
    return float(np.corrcoef(one, other)[0, 1]) if np.ptp(one) > 0 and np.ptp(other) > 0 else 0.0


def circles(crossed: Array, clear: float) -> tuple[int, int]:
    """Triples of whom each beats the next by a clear share, and triples in which all three meetings were clear."""
    round_, counted = 0, 0
    beats = crossed > 0.5 + clear
    for a, b, c in itertools.combinations(range(len(crossed)), 3):
        if all(beats[x, y] or beats[y, x] for x, y in ((a, b), (b, c), (c, a))):
            counted += 1
            round_ += (beats[a, b] and beats[b, c] and beats[c, a]) or (beats[b, a] and beats[c, b] and beats[a, c])
    return int(round_), counted


def train(settings: StudySettings, work: TrainingContext) -> TrainingResult:
    """Ask everything, and say it."""
    study = Study(settings, work)
    rows, crossed, swings, population = study.ratings(), study.crossed(), study.swings(), study.population()
    later = crossed[np.tril_indices(len(crossed), -1)]
    half = [value for (row, column), value in np.ndenumerate(crossed) if row >= len(crossed) // 2 > column]
    round_, counted = circles(crossed, 1.0 / np.sqrt(settings.pair_games))
    peers = np.nanmean(crossed, axis=1)
    among = {
        "later_against_earlier": float(np.mean(later)) if len(later) else 0.5,
        "second_half_against_first": float(np.mean(half)) if half else 0.5,
        "circles": round_,
        "clear_triples": counted,
        "peers_and_win_rate": correlation(peers, np.array([row["new_maps"] for row in rows])),
    }
    result = {
        "generations": len(study.steps),
        "bests": rows,
        "swings": swings,
        "among_bests": among,
        "crossed": [[None if np.isnan(share) else round(float(share), 4) for share in row] for row in crossed],
        "last_generation": population,
    }
    return TrainingResult(result, told(result))


def told(found: dict[str, Any]) -> str:
    """For people."""
    lines = ["generation   rated   again   new maps"]
    for row in found["bests"]:
        rates = f"{row['rated']:>8.1%}{row['same_maps']:>8.1%}{row['new_maps']:>11.1%}"
        lines.append(f"{row['generation']:>10}{rates}")
    for title, name in (
        ("ratings in the second half", "swings"),
        ("bests against each other", "among_bests"),
        ("the last generation", "last_generation"),
    ):
        lines += ["", title]
        lines += [f"  {key.replace('_', ' ')}: {round(value, 3)}" for key, value in found[name].items()]
    return "\n".join(lines)
