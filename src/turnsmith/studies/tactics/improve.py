"""Improve a matrix by trying out: what would have come of every action it passed over?

An iteration lets the matrix play the league, goes back to some of its decisions, plays on from there with each possible
action, and fits a matrix to what they were worth. That one is mixed with the matrix there was, more and less; the
mixtures and the old matrix meet the league in new games, and the best of them is the matrix of the next iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.digest import digest
from turnsmith.compile.kernel import compiled, scratch
from turnsmith.contract.trainings import TrainingContext, TrainingResult
from turnsmith.evolve.fitness import FitnessArena
from turnsmith.evolve.league import FINAL, PROOF, seed_of
from turnsmith.evolve.optimisers import normalised
from turnsmith.evolve.rollouts import fit_choices, try_choices
from turnsmith.games.tactics.automata import Static
from turnsmith.games.tactics.matrix import (
    HEIGHT,
    SHIPPED,
    WIDTH,
    decide_by_matrix,
    fill_actions,
    fill_inputs,
    read_matrix,
    write_matrix,
)
from turnsmith.games.tactics.scan import PLACES, look, scan_moves
from turnsmith.learn.run import Run
from turnsmith.learn.samples import Samples
from turnsmith.play.player import Player
from turnsmith.studies.tactics.evolution import against, candidate, game_of, shown
from turnsmith.studies.tactics.league import LARGEST, Opponents, lead
from turnsmith.studies.tactics.trainings import ImproveSettings

MAPS = 64
"""Maps of a step: as many as are held together."""
OLD_SHARES = (0.25, 0.5, 1.0, 2.0)
"""How much of the old matrix there is in a mixture, for one of the new."""


def see_decisions(game, boards, which, states, acts, inputs, actions):
    """What matrices see in positions, and the action that each column stands for there."""
    scan = scratch(PLACES, np.int64)
    for row in range(which.shape[0]):
        board, state = boards[which[row]], states[row]
        possible = acts[: game.legal(board, state, acts)]
        look(board, state, possible, scan)
        scan_moves(board, state, possible, 1.0, scan)
        fill_inputs(board, state, scan, inputs[row])
        fill_actions(board, scan, actions[row])


def seen(decisions: Samples) -> tuple[Array, Array]:
    """float64[decisions, HEIGHT] and int64[decisions, 7]: the inputs of every decision, and its actions."""
    inputs, actions = np.zeros((len(decisions), HEIGHT)), np.zeros((len(decisions), WIDTH), np.int64)
    acts = np.zeros(int(decisions.boards["actions"].max()), np.int32)
    which = decisions.which.astype(np.int64)
    compiled(see_decisions)(decisions.game, decisions.boards, which, decisions.states, acts, inputs, actions)
    return inputs, actions


@dataclass
class Improver:
    """A matrix in its league."""

    settings: ImproveSettings
    work: TrainingContext

    def __post_init__(self) -> None:
        chosen = self.settings
        entries = read_matrix(SHIPPED.get(chosen.from_, Path(chosen.from_))).entries
        if len(entries) > chosen.inputs:
            raise BadInput(f"--inputs {chosen.inputs} is less than the {len(entries)} rows of the matrix; give as many")
        self.start = np.zeros((chosen.inputs, WIDTH))
        self.start[: len(entries)] = normalised(entries, LARGEST)
        self.game, self.among = game_of(0, chosen.team, chosen.options), Opponents(chosen)
        self.plain = FitnessArena(self.game, workers=self.work.workers)
        judge = (lambda ends: chosen.margin * lead(ends)) if chosen.margin else None
        self.ground = FitnessArena(self.game, workers=self.work.workers, judge=judge)
        players = (Static(), *self.among.anchors)
        self.code = digest(self.game.digest, decide_by_matrix, self.start, *(opponent.digest() for opponent in players))

    def tried(self, matrix: Array, hall: list[Player], number: int, part: int) -> dict[str, Array]:
        """A step: what each action was worth in some decisions, on maps of its own."""
        opponents = [*self.among.anchors, *hall]
        seating = self.among.tables(opponents, MAPS)
        players, seed = [candidate(matrix), *opponents], seed_of(self.settings.seed, number, part)
        tried = try_choices(
            self.ground, players, seating, seed, self.settings.decisions, lambda decisions: seen(decisions)[1]
        )
        return {"inputs": seen(tried.decisions)[0][:, : self.settings.inputs], "worth": tried.worth}

    def mixtures(self, matrix: Array, parts: list[dict[str, Array]]) -> Array:
        """float64[mixtures, inputs, 7]: the matrix as it is, then more and more of it beside what was fitted."""
        inputs, worth = (np.concatenate([part[name] for part in parts]) for name in ("inputs", "worth"))
        possible = ~np.isnan(worth)

        def alike(entries: Array) -> Array:
            """As far apart as any other: suitabilities have a deviation of 1."""
            return np.asarray(entries / max(1e-12, float((inputs @ entries)[possible].std())))

        old, new = alike(matrix), alike(fit_choices(inputs, worth, self.settings.ridge))
        mixed = [normalised(new + share * old, LARGEST) for share in OLD_SHARES]
        return np.array([matrix, *mixed])

    def final(self, mixtures: Array, hall: list[Player], number: int) -> list[float]:
        """A step: what each mixture is worth in new games against the league."""
        opponents = [*self.among.anchors, *hall]
        tables = self.among.tables(opponents, self.settings.final_maps)
        candidates = [candidate(matrix) for matrix in mixtures]
        scores = self.ground.scores(candidates, opponents, tables, seed_of(self.settings.seed, number, FINAL))
        return [float(mean) for mean in scores.mean(axis=1)]

    def rated(self, matrix: Array, games: int, *numbers: int) -> dict[str, Any]:
        """A step: games against `static` on new maps, which decide nothing."""
        seed = seed_of(self.settings.seed, PROOF, *numbers)
        return against(self.plain, candidate(matrix), Static(), games, seed).document


def train(settings: ImproveSettings, work: TrainingContext) -> TrainingResult:
    """Improve a matrix, or go on with it; matrix-N.txt are those of the iterations, matrix.txt is the last."""
    improver = Improver(settings, work)
    run = Run(work.folder, settings, free=("iterations", "proof"), code=improver.code)
    matrix = improver.start
    hall: list[Player] = [candidate(matrix)]
    for number in range(settings.iterations):
        parts = []
        for part in range(settings.parts):
            tried = partial(improver.tried, matrix, hall, number, part)
            parts.append(run.arrays(f"iteration-{number}/tried-{part}.npz", tried))
            work.progress(number * settings.parts + part + 1, settings.iterations * settings.parts)
        mixtures = improver.mixtures(matrix, parts)
        worth = run.json(f"iteration-{number}/final.json", partial(improver.final, mixtures, hall, number))
        best = int(np.argmax(worth))
        matrix = mixtures[best]
        hall = [*hall, candidate(matrix)][-settings.hall :] if best else hall
        record = run.json(f"curve-{number}.json", partial(improver.rated, matrix, settings.static_games, number))
        rate = record["without_draws"]["rate"]
        run.file(f"matrix-{number}.txt", partial(write_matrix, entries=matrix, winrate=rate))
        run.note(number, win_rate=rate, worth=worth[best], gain=worth[best] - worth[0])
        how = f"a mixture with {OLD_SHARES[best - 1]:g} of the old" if best else "no mixture is better"
        work.tell(f"iteration {number}: {how}; worth {worth[best]:.3f} in the league, wins {rate:.1%} against static")
    return finish(improver, run, matrix)


def finish(improver: Improver, run: Run, matrix: Array) -> TrainingResult:
    """The last matrix, and how it does against `static` on new maps."""
    settings = improver.settings
    name = f"proof-{settings.iterations}-{settings.proof}.json"
    record = run.json(name, partial(improver.rated, matrix, settings.proof))
    file = run.path("matrix.txt")
    write_matrix(file, matrix, record["without_draws"]["rate"])
    run.finish("Tactics: a matrix improved by trying out", improver.work.command, {"against static": shown(record)})
    result = {"iterations": settings.iterations, "matrix": str(file), "on_new_maps": record}
    return TrainingResult(result, f"it wins {shown(record)} against static on new maps\n{file}")
