"""MAP-Elites: not one best candidate but the best of every kind of behaviour.

``MapElites`` is asked for candidates and told how good they are and how they behave (their measures, one for each axis
of the archive); the library `ribs` proposes them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.extras import extra
from turnsmith.common.settings import setting
from turnsmith.contract.trainings import hear_nothing
from turnsmith.learn.run import Run
from turnsmith.nets.archive import Archive, Axis


@dataclass(frozen=True)
class MapElitesSettings:
    """How an archive is filled."""

    generations: int = setting(300, 1, 1_000_000)
    """How often candidates are asked for."""
    batch: int = setting(20, 2, 10_000)
    """Candidates of each of the three that propose them, in every generation."""
    step: float = setting(2.0, 0.0, 1e6)
    """How far the first candidates of CMA-ES lie around where it begins."""
    line: float = setting(0.2, 0.0, 100.0)
    """How far children lie along the line between two elites, as a share of it."""
    blur: float = setting(0.3, 0.0, 1e6)
    """How far children lie off that line, gene by gene."""


class MapElites:
    """Two CMA-ES that are led by how much the archive improves, and one that breeds between elites."""

    def __init__(self, settings: MapElitesSettings, start: Array, axes: Sequence[Axis], seed: int):
        """start: float64[genes]"""
        archives, emitters = extra("ribs.archives"), extra("ribs.emitters")
        seeds = [int(each) for each in np.random.SeedSequence(seed).generate_state(4)]
        self.axes = tuple(axes)
        cells, spans = [axis.cells for axis in axes], [(axis.low, axis.high) for axis in axes]
        self._archive = archives.GridArchive(solution_dim=len(start), dims=cells, ranges=spans, seed=seeds[0])
        led = [
            emitters.EvolutionStrategyEmitter(
                self._archive, x0=start, sigma0=settings.step, ranker="2imp", batch_size=settings.batch, seed=each
            )
            for each in seeds[1:3]
        ]
        breeding = emitters.IsoLineEmitter(
            self._archive, iso_sigma=settings.blur, line_sigma=settings.line, x0=start,
            batch_size=settings.batch, seed=seeds[3],
        )  # fmt: skip
        self._scheduler = extra("ribs.schedulers").Scheduler(self._archive, [*led, breeding])

    def ask(self) -> Array:
        """float64[candidates, genes]: the next generation."""
        return np.array(self._scheduler.ask(), np.float64)

    def tell(self, fitness: Array, measures: Array) -> None:
        """How good each candidate of the last generation was, and how it behaved: float64[candidates, axes]."""
        self._scheduler.tell(fitness, measures)

    @property
    def archive(self) -> Archive:
        """What there is by now, in the order of cells."""
        data = self._archive.data()
        order = np.argsort(data["index"])
        return Archive(self.axes, *(data[name][order] for name in ("solution", "objective", "measures")))


Judge = Callable[[Array, int], tuple[Array, Array]]
"""(candidates, number of the generation) -> their fitness and their measures."""


def explore(
    run: Run, search: MapElites, judge: Judge, count: int, progress: Callable[[int, int], None] = hear_nothing
) -> Archive:
    """Ask, judge and tell `count` times, or go on with it; every generation is a step of the run and a point of its
    curve. Candidates of all generations are compared, so let them play the same games."""
    for number in range(count):
        progress(number, count)
        asked = search.ask()
        digest = hashlib.sha256(asked.tobytes()).hexdigest()[:16]

        def judged(asked: Array = asked, number: int = number, digest: str = digest) -> dict[str, Any]:
            fitness, measures = judge(asked, number)
            return {"candidates": digest, "fitness": fitness.tolist(), "measures": measures.tolist()}

        step = run.json(f"generations/{number}.json", judged)
        if step["candidates"] != digest:
            raise BadInput(f"{run.path('generations')} was made by another version; begin anew in another folder")
        search.tell(np.array(step["fitness"]), np.array(step["measures"]))
        archive = search.archive
        best = float(archive.fitness.max())
        run.note(number, coverage=archive.coverage, quality=archive.quality, best=best)
    progress(count, count)
    return search.archive
