"""Evolution of matrices as in Halíř's thesis: all pairs of a generation meet, and points are their fitness.

The best of a generation meets `static`, in many games, to show how far it is; only the win rate that ends everything is
read off that. A generation is a step of a ``Run``; candidates follow from the seed and the fitness of those before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.arena.runners import KeptBoards
from turnsmith.arena.statistics import clustered_rate
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.digest import digest
from turnsmith.contract.game import Game
from turnsmith.contract.loading import load
from turnsmith.contract.trainings import TrainingContext, TrainingResult
from turnsmith.evolve.fitness import FitnessArena, every_pair, every_seat
from turnsmith.evolve.league import PROOF, seed_of
from turnsmith.evolve.optimisers import Genetic, GeneticSettings
from turnsmith.games.tactics.automata import Static
from turnsmith.games.tactics.matrix import WIDTH, Matrix, Size, decide_by_matrix, read_matrix, write_matrix
from turnsmith.learn.run import Run
from turnsmith.play.player import Player, Prepared, filled
from turnsmith.studies.tactics.trainings import ExperimentSettings

PAIRS, RATING = 0, 1
"""Which games of a generation a seed is for."""


@dataclass(frozen=True, repr=False)
class MatrixCandidate(Matrix):
    """`matrix` with a matrix that is in no file."""

    name = "candidate"
    genes: tuple[float, ...] = ()

    def prepare(self, game, boards):
        entries = np.array(self.genes).reshape(-1, WIDTH)
        return Prepared.of(data=entries, params=filled(Size, self, rows=len(entries)))


def candidate(genes: Array) -> MatrixCandidate:
    """The player of a matrix: float64[rows, 7], or the same in one row."""
    return MatrixCandidate(genes=tuple(np.ravel(genes).tolist()))


def game_of(maps: int, team: int, options: str) -> Game:
    """Tactics on so many maps; 0 for new ones with every start."""
    return load("tactics:" + ",".join(filter(None, (f"pool={maps}", f"team={team}", options))))


# ---------------------------------------------------------------- how good one is


@dataclass(frozen=True)
class MatchPoints:
    """Games against one opponent, in order, as the player sees them: 1.0 won, 0.5 drawn, 0.0 lost; two share a map."""

    points: Array

    @property
    def document(self) -> dict[str, Any]:
        """Counts; the share won with draws left out, and with draws for halves, each with its 95 % interval."""
        starts = np.arange(len(self.points)) // 2
        decided = self.points != 0.5
        document: dict[str, Any] = {"games": len(self.points)}
        for name, value in (("wins", 1.0), ("draws", 0.5), ("losses", 0.0)):
            document[name] = int((self.points == value).sum())
        document["without_draws"] = clustered_rate(self.points[decided], starts[decided]).rounded()
        document["draws_as_half"] = clustered_rate(self.points, starts).rounded()
        return document


def shown(record: dict[str, Any]) -> str:
    """A record for people."""
    rate = record["without_draws"]
    return f"{rate['rate']:.1%} ({rate['low']:.1%} to {rate['high']:.1%}) of {record['games']} games"


def against(ground: FitnessArena, player: Player, opponent: Player, games: int, seed: int) -> MatchPoints:
    """So many games, who begins in turns."""
    scores = ground.scores([player], [opponent], every_seat(1, 2, games)[:games], seed)
    return MatchPoints(scores[0])


# ---------------------------------------------------------------- an experiment


@dataclass
class Experiment:
    """One of the thesis's experiments."""

    settings: ExperimentSettings
    work: TrainingContext

    def __post_init__(self) -> None:
        chosen, workers = self.settings, self.work.workers
        games = {team: game_of(chosen.maps, team, chosen.options) for team in (chosen.team, chosen.static_team)}
        kept = {team: KeptBoards() if chosen.maps > 0 else None for team in games}
        grounds = {team: FitnessArena(game, workers=workers, kept=kept[team]) for team, game in games.items()}
        self.among, self.rating = grounds[chosen.team], grounds[chosen.static_team]
        self.unseen = FitnessArena(game_of(0, chosen.static_team, chosen.options), workers=workers)
        self.code = digest(*(game.digest for game in games.values()), decide_by_matrix, Static().digest())

    def genetic(self) -> Genetic:
        """The thesis's operators."""
        chosen = self.settings
        how = GeneticSettings(
            population=chosen.population,
            survivors=chosen.parents,
            power=2.0 if chosen.squared else 1.0,
            mutation=chosen.mutation,
            size=chosen.mutation_size,
            mutation_limit=chosen.mutation_limit,
            annealing=max(1, chosen.generations - 1) if chosen.annealing else 0,
            swap=chosen.swap,
            spread=chosen.spread,
            first="uniform",
            normalise=chosen.spread if chosen.normalise else 0.0,
        )
        return Genetic(how, np.zeros((chosen.inputs, WIDTH)), chosen.seed)

    def points(self, candidates: Array, number: int) -> tuple[Array, float]:
        """The points of each candidate of a generation, who all meet, and the share of games that were drawn."""
        chosen = self.settings
        seating = every_pair(len(candidates), chosen.games)
        players = [candidate(genes) for genes in candidates]
        returns, _ = self.among.play(players, seating, seed_of(chosen.seed, number, PAIRS))
        worth = np.select([returns > 0, returns == 0], [chosen.win, chosen.draw], chosen.loss)
        fitness = np.zeros(len(candidates))
        np.add.at(fitness, seating, worth)
        return fitness, float((returns[:, 0] == 0).mean())

    def generation(self, candidates: Array, number: int) -> dict[str, Any]:
        """A step: the points of all, and how the best of them does against `static`."""
        fitness, drawn = self.points(candidates, number)
        best = int(np.argmax(fitness))
        games, seed = self.settings.static_games, seed_of(self.settings.seed, number, RATING)
        record = against(self.rating, candidate(candidates[best]), Static(), games, seed).document
        numbers = {name: record[name] for name in ("wins", "draws", "losses")}
        return {"of": digest(candidates), "fitness": fitness.tolist(), "best": best, "drawn": drawn, **numbers}

    def proof(self, file: Path) -> dict[str, Any]:
        """How a matrix does against `static` on maps that nobody saw."""
        seed = seed_of(self.settings.seed, PROOF)
        return against(self.unseen, Matrix(file=str(file)), Static(), self.settings.proof, seed).document


def win_rate(step: dict[str, Any]) -> float:
    """Draws left out; 0 where all are."""
    return float(step["wins"] / max(1, step["wins"] + step["losses"]))


def replayed(experiment: Experiment, steps: Sequence[dict[str, Any]]) -> Array:
    """float64[candidates, genes]: the generation that comes after these."""
    genetic = experiment.genetic()
    for step in steps:
        genetic.tell(np.array(step["fitness"]))
    return genetic.ask()


def train(settings: ExperimentSettings, work: TrainingContext, title: str) -> TrainingResult:
    """Run an experiment, or go on with it. matrix.txt is the best of the last generation, bests/ has that of each."""
    experiment = Experiment(settings, work)
    free = ("win_rate",) if settings.annealing else ("win_rate", "generations")
    run = Run(work.folder, settings, free, experiment.code, smooth={"win_rate": settings.average})
    genetic, rates = experiment.genetic(), list[float]()
    for number in range(settings.generations):
        asked = genetic.ask()
        step = run.json(f"generations/{number}.json", partial(experiment.generation, asked, number))
        if step["of"] != digest(asked):
            raise BadInput(f"{run.path('generations')} was made by another version; begin anew in another folder")
        fitness, rate = np.array(step["fitness"]), win_rate(step)
        best = asked[step["best"]].reshape(-1, WIDTH)
        run.file(f"bests/{number}.txt", partial(write_matrix, entries=best, winrate=rate))
        genetic.tell(fitness)
        most = settings.win * settings.games * (settings.population - 1)
        share = float(fitness.max() / most) if most else 0.0
        run.note(number, win_rate=rate, best_points=share, drawn=step["drawn"])
        rates.append(rate)
        drawn = f"{step['drawn']:.0%} of its games among itself are draws"
        work.tell(f"generation {number}: its best wins {rate:.1%} against static, {drawn}")
        work.progress(number + 1, settings.generations)
        if rate >= settings.win_rate:
            break
    return finish(experiment, run, rates, title)


def finish(experiment: Experiment, run: Run, rates: list[float], title: str) -> TrainingResult:
    """What came of it: the best of the last generation, and the one that was rated highest, in new games."""
    last, highest = len(rates) - 1, int(np.argmax(rates))
    final = run.path(f"bests/{last}.txt")
    write_matrix(run.path("matrix.txt"), read_matrix(final).entries, rates[last])
    result: dict[str, Any] = {"generations": len(rates), "matrix": str(run.path("matrix.txt"))}
    for name, number in (("last", last), ("highest", highest)):
        record = run.json(f"proof-{number}.json", partial(experiment.proof, run.path(f"bests/{number}.txt")))
        result[name] = {"generation": number, "rated": round(rates[number], 4), "on_new_maps": record}
    results: dict[str, Any] = {"generations": len(rates)}
    for name in ("last", "highest"):
        results |= {f"{name}: {key}": value for key, value in results_of(result[name]).items()}
    run.finish(title, experiment.work.command, results)
    return TrainingResult(result, f"{told(result)}\n{result['matrix']}")


def results_of(found: dict[str, Any]) -> dict[str, Any]:
    """The rows of a card."""
    return {key: found[key] for key in ("generation", "rated")} | {"on new maps": shown(found["on_new_maps"])}


def told(found: dict[str, Any]) -> str:
    """For people."""
    lines = [f"{found['generations']} generations; win rates against static, draws left out:"]
    for name, what in (("last", "the last best"), ("highest", "the highest rated")):
        row = found[name]
        rated, proved = f"rated {row['rated']:.1%}", shown(row["on_new_maps"])
        lines.append(f"{what} (generation {row['generation']}): {rated}, on new maps {proved}")
    return "\n".join(lines)
