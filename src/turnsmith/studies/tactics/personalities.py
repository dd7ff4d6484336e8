"""Personalities: an archive of matrices by how aggressive they are and how much they use cover, by MAP-Elites.

Both are measured in the games that a candidate plays. Aggression is the share of its turns that a soldier ends nearer
to an enemy, on foot, than it began. Cover is the share of its turns that a soldier ends on a cell which has cover from
the side of the nearest enemy, or taking cover. Fitness is the share of games won against four scripted players: a draw
is worth nothing, so nobody lives by hiding.

The search lets all candidates play the same games. What it found is partly lucky, so every elite plays new games; by
those it finds its cell, and the best of each cell stays. At last all of them play on new maps: how strong they are, and
whether they behave as the archive says, is told by those games alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from turnsmith.arena.runners import ArenaPlan, MatchBatch
from turnsmith.arena.statistics import clustered_rate
from turnsmith.common.arrays import Array
from turnsmith.common.files import write_text
from turnsmith.compile.digest import digest
from turnsmith.contract.loading import load
from turnsmith.contract.trainings import TrainingContext, TrainingResult
from turnsmith.evolve.fitness import FitnessArena, every_seat, points
from turnsmith.evolve.league import FINAL, PROOF, seed_of
from turnsmith.evolve.map_elites import MapElites, MapElitesSettings, explore
from turnsmith.games.tactics.automata import Camper, Rusher, Sniper, Static
from turnsmith.games.tactics.matrix import SHIPPED, read_matrix
from turnsmith.games.tactics.personality import AXES
from turnsmith.games.tactics.tables import EAST, NORTH, SOUTH, WEST
from turnsmith.learn.run import Run
from turnsmith.learn.samples import Samples, every_decision, sample_batch
from turnsmith.nets.archive import Archive, Axis, picture
from turnsmith.play.player import Player
from turnsmith.studies.tactics.evolution import candidate
from turnsmith.studies.tactics.trainings import PersonalitySettings

OPPOSITION: tuple[Player, ...] = (Static(), Camper(), Rusher(), Sniper())
DIGITS = 3
"""Of the entries of matrices that are kept."""
ASKED = np.linspace(0.05, 0.95, 19)
"""Of either axis: what people may ask for."""
MAPS = 96
"""New maps that are held in memory at once."""


# ---------------------------------------------------------------- behaviour


class Behaviour(NamedTuple):
    """Of every turn in some games: float64[turns] each."""

    match: Array
    advanced: Array
    """Whether the soldier ended it nearer to an enemy than it began."""
    covered: Array
    """Whether it ended it behind cover from the nearest enemy, or taking cover."""


def behaviour(samples: Samples) -> Behaviour:
    """What soldiers did in each of their turns. The rows are all decisions of one side, in order."""
    states, boards, which, rows = samples.states, samples.boards, samples.which, np.arange(len(samples))
    unit, first_board = states["unit"].astype(np.int64), boards[0]
    cells, side, team = int(first_board.cells), int(first_board.side), int(first_board.team)
    here = states["cell"][rows, unit].astype(np.int64)
    there = np.where(samples.action < cells, samples.action, here)
    enemies = 2 * np.arange(team)[None] + (1 - (unit & 1))[:, None]
    alive = states["hp"][rows[:, None], enemies] > 0
    targets = states["cell"][rows[:, None], enemies].astype(np.int64)

    def nearest(cell: Array) -> Array:
        """Steps to the nearest enemy."""
        return np.asarray(np.where(alive, boards["steps"][which[:, None], cell[:, None], targets], 255).min(axis=1))

    same = (samples.match[1:] == samples.match[:-1]) & (unit[1:] == unit[:-1])
    same &= states["turn"][1:] == states["turn"][:-1]
    begins, ends = np.append(True, ~same), np.append(~same, True)
    taking = samples.action == cells + team + 1
    away = np.stack([targets % side - (there % side)[:, None], targets // side - (there // side)[:, None]])
    closest = np.where(alive, (away**2).sum(axis=0), 2 * side * side).argmin(axis=1)
    level = cover_of(boards["cover"][which, there], *away[:, rows, closest])
    advanced = nearest(there)[ends] < nearest(here)[begins]
    return Behaviour(samples.match[ends], advanced, (taking | (level > 0))[ends])


def cover_of(cover: Array, dx: Array, dy: Array) -> Array:
    """The level of cover of cells, whose sides are cover[:, way], from somebody (dx, dy) away; as ``cover_from`` says.

    >>> cover_of(np.array([[1, 0, 2, 0]] * 3), np.array([3, -3, 1]), np.array([0, 1, 9])).tolist()
    [1, 2, 0]
    """
    rows = np.arange(len(cover))
    across = np.where((2 * abs(dx) >= abs(dy)) & (dx != 0), cover[rows, np.where(dx > 0, EAST, WEST)], 0)
    along = np.where((2 * abs(dy) >= abs(dx)) & (dy != 0), cover[rows, np.where(dy > 0, SOUTH, NORTH)], 0)
    return np.maximum(across, along)


# ---------------------------------------------------------------- judging


def wins(returns: Array, seat: Array) -> Array:
    """1 for a win, nothing for a draw."""
    return np.floor(points(returns, seat))


class Judged(NamedTuple):
    """What candidates did in the same games."""

    won: Array
    """float64[candidates, games]"""
    measures: Array
    """float64[candidates, 2]: aggression and cover"""


def minds(genes: Array) -> list[Player]:
    """The players of some matrices."""
    return [candidate(matrix) for matrix in genes]


def judge(ground: FitnessArena, players: Sequence[Player], games: int, seed: int) -> Judged:
    """Let players play so many games against each of the opposition, and watch them."""
    tables = every_seat(len(OPPOSITION), 2, games)
    counted = np.zeros((3, len(players)))

    def watch(plan: ArenaPlan, batch: MatchBatch) -> None:
        seen = behaviour(sample_batch(plan, batch, every_decision, range(len(players))))
        who = seen.match // len(tables)
        for row, weights in enumerate((None, seen.advanced, seen.covered)):
            counted[row] += np.bincount(who, weights, len(players))

    won = ground.scores(players, OPPOSITION, tables, seed, watch)
    return Judged(won, (counted[1:] / np.maximum(1, counted[0])).T)


def proven(ground: FitnessArena, players: Sequence[Player], games: int, seed: int) -> Judged:
    """The same on new maps, some at a time."""
    at_once = max(2, 2 * (MAPS // len(OPPOSITION)))
    parts = [judge(ground, players, min(at_once, games - done), seed + done) for done in range(0, games, at_once)]
    weights = np.array([part.won.shape[1] for part in parts], np.float64)
    measures = np.average([part.measures for part in parts], axis=0, weights=weights)
    return Judged(np.concatenate([part.won for part in parts], axis=1), measures)


# ---------------------------------------------------------------- the training


def train(settings: PersonalitySettings, work: TrainingContext) -> TrainingResult:
    """Fill the archive, or go on with it; archive.json, archive.svg and the card are what comes of it."""
    known, unseen = load(f"tactics:pool={settings.maps}"), load("tactics")
    hand = read_matrix(SHIPPED["hand"]).entries.reshape(-1)
    rules = digest(known.digest, candidate(hand).digest(), *(opponent.digest() for opponent in OPPOSITION))
    run = Run(work.folder, settings, free=("generations", "again", "proof"), code=rules)
    ground, fresh = FitnessArena(known, wins, work.workers), FitnessArena(unseen, wins, work.workers)
    axes = [Axis(name, 0.0, 1.0, settings.cells) for name in AXES]

    def judged(genes: Array, number: int) -> tuple[Array, Array]:
        outcome = judge(ground, minds(genes), settings.games, seed_of(settings.seed))
        return outcome.won.mean(axis=1), outcome.measures

    how = MapElitesSettings(settings.generations, settings.batch, settings.step)
    search = MapElites(how, hand, axes, settings.seed)
    archive = explore(run, search, judged, settings.generations, work.progress)
    work.tell(f"{len(archive)} cells of {settings.cells**2} have an elite; they play once more")

    def settled() -> dict[str, Array]:
        genes = archive.genes.round(DIGITS)
        again = judge(ground, minds(genes), settings.again, seed_of(settings.seed, FINAL))
        best = Archive(tuple(axes), genes, again.won.mean(axis=1), again.measures).best_of_cells()
        return {"genes": best.genes, "fitness": best.fitness, "measures": best.measures}

    ending = f"{settings.generations}-{settings.again}"
    kept = run.arrays(f"settled-{ending}.npz", settled)
    named: dict[str, Sequence[Player]] = {f"proof-{ending}": minds(kept["genes"]), "scripted": OPPOSITION}
    proof, scripted = (
        Judged(**run.arrays(f"{name}-{settings.proof}.npz", partial(_proven, fresh, players, settings)))
        for name, players in named.items()
    )
    return finish(run, work, Archive(tuple(axes), kept["genes"], kept["fitness"], kept["measures"]), proof, scripted)


def _proven(ground: FitnessArena, players: Sequence[Player], settings: PersonalitySettings) -> dict[str, Array]:
    return proven(ground, players, settings.proof, seed_of(settings.seed, PROOF))._asdict()


def finish(run: Run, work: TrainingContext, archive: Archive, proof: Judged, scripted: Judged) -> TrainingResult:
    """Write what was found and how it did on new maps, and how the scripted players did there."""
    games = proof.won.shape[1]
    rates = [clustered_rate(won, np.arange(games) // 2) for won in proof.won]
    notes = tuple(
        {"games": games, "won": rate.rounded(), "shown": dict(zip(AXES, shown.round(4).tolist(), strict=True))}
        for rate, shown in zip(rates, proof.measures, strict=True)
    )
    archive = Archive(archive.axes, archive.genes, archive.fitness.round(4), archive.measures.round(4), notes)
    archive.save(run.path("archive.json"))
    title = f"Win rate in %, {games:,} games on new maps each"
    write_text(run.path("archive.svg"), picture(archive, title, [100 * rate.rate for rate in rates]))
    results = summary(archive, proof, [rate.rate for rate in rates])
    for player, shown in zip(OPPOSITION, scripted.measures.round(3).tolist(), strict=True):
        results[player.name] = dict(zip(AXES, shown, strict=True))
    run.finish("Tactics: personalities", work.command, results)
    return TrainingResult({"archive": str(run.path("archive.json")), **results}, "\n".join(_lines(run, results)))


def summary(archive: Archive, proof: Judged, rates: list[float]) -> dict[str, Any]:
    """How many there are, how strong, and how well they keep what the archive says of them and what one asks for.

    The strongest is the fittest of the games before: the one that did best on the new maps was partly lucky there.
    """
    best = int(np.argmax(archive.fitness))
    asked = np.array([(a, c) for a in ASKED for c in ASKED])
    got = proof.measures[[archive.nearest(point) for point in asked]]
    result: dict[str, Any] = {"elites": len(archive), "coverage": round(archive.coverage, 4)}
    result |= {"median_win_rate": round(float(np.median(rates)), 4), "best_win_rate": archive.notes[best]["won"]}
    for number, name in enumerate(AXES):
        stored, shown = archive.measures[:, number], proof.measures[:, number]
        result[name] = {
            "least": round(float(shown.min()), 4),
            "most": round(float(shown.max()), 4),
            "mean_error": round(float(np.abs(stored - shown).mean()), 4),
            "correlation": correlation(stored, shown),
            "asked_mean_error": round(float(np.abs(asked - got)[:, number].mean()), 4),
            "asked_correlation": correlation(asked[:, number], got[:, number]),
        }
    return result


def correlation(one: Array, other: Array) -> float | None:
    """None where one of them never differs."""
    return round(float(np.corrcoef(one, other)[0, 1]), 4) if np.ptp(one) > 0 and np.ptp(other) > 0 else None


def _lines(run: Run, results: dict[str, Any]) -> list[str]:
    rate, low, high = (f"{100 * results['best_win_rate'][name]:.1f}" for name in ("rate", "low", "high"))
    usual, share = (f"{100 * results[name]:.0f} %" for name in ("median_win_rate", "coverage"))
    lines = [
        f"{results['elites']} personalities, {share} of all cells, in {run.path('archive.json')}",
        f"on new maps the strongest wins {rate} % ({low} to {high}), the median one {usual}",
    ]
    for name in AXES:
        row = results[name]
        lines.append(
            f"{name} on new maps: {row['least']:.2f} to {row['most']:.2f}, off by {row['mean_error']:.3f} on "
            f"average, correlation {row['correlation']}, with what is asked {row['asked_correlation']}"
        )
    return lines
