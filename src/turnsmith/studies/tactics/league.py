"""Minds by a league: candidates meet a hall of fame, scripted players and, if wanted, `static`.

All candidates of a generation play the same games, on maps that were never played before; the next generation plays
others. A lead in hit points counts, so that games tell candidates apart in which nobody wins. Who joins the hall of
fame, and who is the best of it in the end, is decided in new games again: the fittest of many was partly lucky.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.arena.review import Ends
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.digest import digest
from turnsmith.contract.trainings import TrainingContext, TrainingResult
from turnsmith.evolve import league as leagues
from turnsmith.evolve.fitness import FitnessArena, Score, every_seat, points
from turnsmith.evolve.league import PROOF, Iteration, League, seed_of
from turnsmith.evolve.optimisers import Cma, Genetic, GeneticSettings, Optimiser, normalised
from turnsmith.games.tactics.automata import Camper, Rusher, Sniper, Static
from turnsmith.games.tactics.cells import START, CellsPlayer, WeightedCells, genes_of, weights_of, write_weights
from turnsmith.games.tactics.matrix import WIDTH, Matrix, write_matrix
from turnsmith.learn.run import Run
from turnsmith.play.player import Player
from turnsmith.studies.tactics.evolution import against, candidate, game_of, shown
from turnsmith.studies.tactics.trainings import AmongSettings, HallSettings

CURVE, CHOICE = PROOF + 1, PROOF + 2
"""Games of the curve, and of the choice of the best among the hall of fame."""
LARGEST = 10.0
"""The largest entry of a matrix that is written."""


@dataclass(frozen=True)
class Mind:
    """A kind of player that numbers make."""

    title: str
    start: Array
    """float64[rows, columns] or float64[genes]: where evolution begins."""
    player: Callable[[Array], Player]
    """What genes play like."""
    first: Callable[[int], Array]
    """(seed) -> genes of the first of the hall of fame."""
    file: str
    """The name of its files."""
    write: Callable[[Path, Array, float], None]
    """(path, genes, win rate against `static`)"""
    load: Callable[[str], Player]
    """The player of such a file."""


def matrices(rows: int) -> Mind:
    """Minds of one matrix with so many rows."""

    def first(seed: int) -> Array:
        return np.random.default_rng(seed).uniform(-LARGEST, LARGEST, rows * WIDTH)

    def write(path: Path, genes: Array, rate: float) -> None:
        write_matrix(path, normalised(genes.reshape(rows, WIDTH), LARGEST), rate)

    start = np.zeros((rows, WIDTH))
    return Mind("a matrix", start, candidate, first, "matrix.txt", write, lambda file: Matrix(file=file))


CELLS = Mind(
    "weights of all actions", genes_of(START), lambda genes: WeightedCells(weights=tuple(weights_of(genes).tolist())),
    lambda seed: genes_of(START),
    "cells.json", write_weights, lambda file: CellsPlayer(file=file),
)  # fmt: skip


def lead(ends: Ends) -> Array:
    """float64[games, 2]: the hit points a side has left, as a share of those it began with, less the other's."""
    full, left = ends.boards["hp"][ends.which], ends.states["hp"]
    share = np.stack([left[:, side::2].sum(axis=1) / full[:, side::2].sum(axis=1) for side in (0, 1)], axis=1)
    return np.asarray(share - share[:, ::-1])


@dataclass
class Opponents:
    """Who is played against, and how often."""

    settings: AmongSettings

    def __post_init__(self) -> None:
        chosen = self.settings
        scripted = [Rusher(), Camper(), Sniper()] if chosen.scripted_share > 0 else []
        self.anchors: list[Player] = [*([Static()] if chosen.static else []), *scripted]
        share = chosen.static_share if chosen.static else 0.0
        self.shares = ([share] if chosen.static else []) + [chosen.scripted_share / 3] * len(scripted)
        if sum(self.shares) > 1.0 + 1e-9:
            given = f"--static-share {share} and --scripted-share {chosen.scripted_share}"
            raise BadInput(f"{given} are more than 1 together; lower one of them")

    def games_of(self, opponents: Sequence[Player], starts: int) -> Array:
        """int64[opponents]: how many of the starts are against each; those in the hall share evenly."""
        hall = len(opponents) - len(self.shares)
        rest = max(0.0, 1.0 - sum(self.shares))
        wanted = np.array([*self.shares, *([rest / hall] * hall if hall else [])])
        wanted = wanted * (starts / wanted.sum())
        counts = np.floor(wanted).astype(np.int64)
        behind = np.argsort(counts - wanted, kind="stable")[: starts - counts.sum()]
        counts[behind] += 1
        return np.asarray(counts)

    def tables(self, opponents: Sequence[Player], starts: int) -> Array:
        """int32[rows, 2]: who sits where; every start is played from both sides."""
        counts = self.games_of(opponents, starts)
        sides = every_seat(len(opponents), 2, 2).reshape(-1, 2, 2)
        return np.repeat(sides, counts, axis=0).reshape(-1, 2)


def optimiser_of(settings: HallSettings, start: Array) -> Optimiser:
    """Who proposes candidates."""
    if settings.method == "cma":
        return Cma(start.reshape(-1), settings.step, settings.seed, settings.population)
    normalise = LARGEST if start.ndim == 2 else 0.0
    how = GeneticSettings(population=settings.population, spread=settings.step, normalise=normalise)
    return Genetic(how, start, settings.seed)


def points_with_draws(worth: float) -> Score:
    """1 for a win, `worth` for a draw, 0 for a loss."""

    def score(returns: Array, seat: Array) -> Array:
        scored = points(returns, seat)
        return np.asarray(np.where(scored == 0.5, worth, scored))

    return score


def train(settings: HallSettings, work: TrainingContext, mind: Mind, draw: float = 0.5) -> TrainingResult:
    """Run the league, or go on with it; main-N are those who joined the hall, `mind.file` is the best of them."""
    game, among = game_of(0, settings.team, settings.options), Opponents(settings)
    newcomer = mind.player(mind.first(settings.seed))
    code = digest(game.digest, *(who.digest() for who in (Static(), *among.anchors, newcomer)))
    run = Run(work.folder, settings, free=("iterations", "proof"), code=code)
    judge = (lambda ends: settings.margin * lead(ends)) if settings.margin else None
    score = points_with_draws(draw)
    ground, plain = FitnessArena(game, score, work.workers, judge), FitnessArena(game, workers=work.workers)
    how = leagues.LeagueSettings(
        settings.iterations, settings.generations, 0, settings.maps, settings.finalists, settings.final_maps,
        settings.hall, settings.seed, settings.method == "cma",
    )  # fmt: skip
    league = League(run, ground, mind.player, how, among.anchors, [newcomer], among.tables, work.progress)
    proposing, mains = optimiser_of(settings, mind.start), list[Array]()
    for iteration in league.iterations(lambda role, number, best: proposing):
        mains.append(iteration.main)
        note(iteration, run, plain, mind, settings, work)
    return finish(league, plain, mind, mains, settings, work)


def member(mind: Mind, number: int) -> str:
    """The file of who joined the hall in an iteration."""
    return f"main-{number}{Path(mind.file).suffix}"


def note(
    found: Iteration, run: Run, plain: FitnessArena, mind: Mind, settings: HallSettings, work: TrainingContext
) -> None:
    """A point of the curve: what the new member is worth in the league, and how often it wins against `static`."""

    def rated() -> dict[str, Any]:
        seed = seed_of(settings.seed, CURVE, found.number)
        return against(plain, mind.player(found.main), Static(), settings.static_games, seed).document

    record = run.json(f"curve-{found.number}.json", rated)
    rate = record["without_draws"]["rate"]
    run.file(member(mind, found.number), lambda path: mind.write(path, found.main, rate))
    run.note(found.number, win_rate=rate, worth=found.fitness, drawn=record["draws"] / record["games"])
    work.tell(f"iteration {found.number}: worth {found.fitness:.3f} in the league, wins {rate:.1%} against static")


def finish(
    league: League, plain: FitnessArena, mind: Mind, mains: list[Array], settings: HallSettings, work: TrainingContext
) -> TrainingResult:  # fmt: skip
    """Let all that joined the hall meet the whole league once more, and the best of them `static` on new maps."""

    def choose() -> list[float]:
        opponents = [*league.anchors, *league.hall]
        scores = league.scores(np.array(mains), opponents, settings.final_maps, CHOICE)
        return [float(mean) for mean in scores.mean(axis=1)]

    run = league.run
    worth = run.json(f"choice-{len(mains)}.json", choose)
    best = int(np.argmax(worth))
    file = run.path(mind.file)

    def proof() -> dict[str, Any]:
        player = mind.load(str(run.path(member(mind, best))))
        return against(plain, player, Static(), settings.proof, seed_of(settings.seed, PROOF)).document

    record = run.json(f"proof-{best}-{settings.proof}.json", proof)
    mind.write(file, mains[best], record["without_draws"]["rate"])
    result = {"best": best, "worth": worth[best], "file": str(file), "on_new_maps": record}
    results = {"iteration of the best": best, "worth in the league": worth[best], "against static": shown(record)}
    run.finish(f"Tactics: {mind.title} by a league", work.command, results)
    return TrainingResult(
        result, f"the best is of iteration {best}; it wins {shown(record)} against static on new maps\n{file}"
    )
