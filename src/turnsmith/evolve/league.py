"""A league: main players are evolved against those who are in it, exploiters against the newest main player.

Every iteration evolves a main player, tries the best candidates once more in new games before one of them is called the
best (the fittest of many was partly lucky), and then, if wanted, an exploiter: whoever does best against that main
player alone. Both join. Anchors stay for ever; of the others, the hall of fame, only the newest.

Everything is kept by a ``learn.run.Run``: a generation is a step. Candidates follow from the seed and the steps before,
so a league that was killed asks and tells its optimisers again what is in the folder, and goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import setting
from turnsmith.contract.trainings import hear_nothing
from turnsmith.evolve.fitness import FitnessArena, every_seat
from turnsmith.evolve.optimisers import Cma, Optimiser
from turnsmith.learn.run import Run
from turnsmith.play.player import Player

Progress = Callable[[int, int], None]
Generation = tuple[Array, Array]
"""Candidates float64[candidates, genes] and their fitness float64[candidates]."""

FINAL, PROOF = 1_000_000_000, 1_000_000_001
"""Numbers that no generation has: games of the final, and games that judge what was found and never choose it."""


def seed_of(*numbers: int) -> int:
    """A seed for the games that these numbers name."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> np.uint64(1))


# ---------------------------------------------------------------- generations


def generations(
    run: Run,
    name: str,
    optimiser: Optimiser,
    fitness: Callable[[Array, int], Array],
    count: int,
    progress: Progress = hear_nothing,
) -> list[Generation]:
    """Ask, judge and tell `count` times. fitness(candidates, number) is a step of the run, called after `name`."""
    done: list[Generation] = []
    for number in range(count):
        progress(number, count)
        asked = optimiser.ask()

        def judge(asked: Array = asked, number: int = number) -> dict[str, Any]:
            return {"fitness": fitness(asked, number).tolist(), "candidates": asked.tolist()}

        step = run.json(f"{name}-{number}.json", judge)
        if step["candidates"] != asked.tolist():
            raise BadInput(f"{run.path(name)}-{number}.json was made by another version; begin anew in another folder")
        done.append((asked, np.array(step["fitness"])))
        optimiser.tell(done[-1][1])
    progress(count, count)
    return done


def fittest(done: Sequence[Generation], count: int) -> Array:
    """float64[count, genes]: the best of all candidates of some generations, each once."""
    candidates, fitness = (np.concatenate(parts) for parts in zip(*done, strict=True))
    chosen: dict[bytes, Array] = {}
    for place in np.argsort(-fitness, kind="stable"):
        if len(chosen) < count:
            chosen.setdefault(candidates[place].tobytes(), candidates[place])
    return np.array(list(chosen.values()))


# ---------------------------------------------------------------- the league


@dataclass(frozen=True)
class LeagueSettings:
    """How a league is run."""

    iterations: int = setting(10, 1, 1_000_000)
    """New main players."""
    generations: int = setting(20, 1, 1_000_000)
    """Generations of candidates for each of them."""
    exploiter_generations: int = setting(0, 0, 1_000_000)
    """Generations for an exploiter of it; 0 for none."""
    games: int = setting(20, 1, 1_000_000)
    """Games of a candidate against each opponent."""
    finalists: int = setting(4, 1, 1000)
    """The best candidates, who play once more in new games."""
    final_games: int = setting(80, 1, 1_000_000)
    """Games of each finalist against each opponent."""
    hall: int = setting(6, 0, 100_000)
    """How many of those that joined stay, the newest."""
    seed: int = setting(1, 0, 2**32 - 1)
    """The same seed evolves the same players."""
    middle: bool = setting(False)
    """Whether the middle of a generation, where the optimiser knows it, is among the finalists."""


@dataclass(frozen=True)
class Iteration:
    """What an iteration of a league found; genes are float64[genes]."""

    number: int
    main: Array
    fitness: float
    """Against whoever was in the league, in the games of the final."""
    exploiter: Array | None = None


@dataclass
class League:
    """Who is played against, where, and how everything is kept."""

    run: Run
    ground: FitnessArena
    make: Callable[[Array], Player]
    """What genes play like."""
    settings: LeagueSettings
    anchors: Sequence[Player] = ()
    """Opponents that stay."""
    hall: list[Player] = field(default_factory=list)
    """Those that joined, the oldest first."""
    tables: Callable[[Sequence[Player], int], Array] | None = None
    """(opponents, games) -> int32[rows, seats], who sits where; without it everybody sits everywhere."""
    progress: Progress = hear_nothing

    def iterations(self, optimiser: Callable[[str, int, Array | None], Optimiser]) -> Iterator[Iteration]:
        """Run the league, or go on with it, iteration by iteration.

        optimiser(role, number, best): who proposes the candidates for the "main" player or the "exploiter" of iteration
        `number`, `best` being the newest main player's genes; it may be the same object again and again.
        """
        best: Array | None = None
        for number in range(self.settings.iterations):
            opponents = [*self.anchors, *self.hall]
            proposing = optimiser("main", number, best)
            best, fitness = self.best(f"main-{number}", proposing, opponents, self.settings.generations, number)
            joining, exploiter = [self.make(best)], None
            if self.settings.exploiter_generations:
                proposing, count = optimiser("exploiter", number, best), self.settings.exploiter_generations
                exploiter, _ = self.best(f"exploiter-{number}", proposing, joining, count, number)
                joining.append(self.make(exploiter))
            yield Iteration(number, best, fitness, exploiter)
            self.hall = [*self.hall, *joining][-self.settings.hall :] if self.settings.hall else []

    def best(
        self, name: str, optimiser: Optimiser, opponents: Sequence[Player], count: int, iteration: int
    ) -> tuple[Array, float]:
        """The best candidate of some generations, and its fitness in new games. Where candidates of all generations are
        compared they play the same games; else every generation has its own, and the last one's go to the final."""

        def fitness(candidates: Array, number: int) -> Array:
            games = 0 if optimiser.compares_all else number
            scores = self.scores(candidates, opponents, self.settings.games, iteration, games)
            return np.asarray(scores.mean(axis=1))

        done = generations(self.run, f"{name}/generation", optimiser, fitness, count, self.progress)
        chosen = fittest(done if optimiser.compares_all else done[-1:], self.settings.finalists)
        if self.settings.middle and isinstance(optimiser, Cma):
            chosen = np.concatenate([chosen, optimiser.middle[None]])

        def final() -> list[float]:
            scores = self.scores(chosen, opponents, self.settings.final_games, iteration, FINAL)
            return [float(mean) for mean in scores.mean(axis=1)]

        means = self.run.json(f"{name}/final.json", final)
        place = int(np.argmax(means))
        return chosen[place], float(means[place])

    def scores(self, genes: Array, opponents: Sequence[Player], games: int, *numbers: int) -> Array:
        """float64[candidates, rows]: what each game was worth to each of them; `numbers` name the games."""
        candidates = [self.make(vector) for vector in genes]
        if self.tables is not None:
            tables = self.tables(opponents, games)
        else:
            tables = every_seat(len(opponents), int(self.ground.game.board()[0].seats), games)
        return self.ground.scores(candidates, opponents, tables, seed_of(self.settings.seed, *numbers))
