"""What of Tactics can be trained and studied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from turnsmith.common.settings import setting
from turnsmith.contract.trainings import Training, TrainingContext, TrainingResult

MANY, SEEDS = 1_000_000_000, 2**32 - 1
FIRST_INPUTS, INPUTS = 14, 18
"""Inputs of a matrix: what a soldier sees of itself and of the three moves it may make, and all there are. Halíř's
thesis does not list its own."""

# ---------------------------------------------------------------- evolution by the thesis's operators, numbers ours


@dataclass(frozen=True)
class ExperimentSettings:
    """The first experiment: fitness squared, no annealing."""

    generations: int = setting(200, 1, MANY)
    """How many there are at most; Halíř's had 1,180."""
    population: int = setting(25, 2, 10_000)
    """Matrices of a generation."""
    games: int = setting(4, 1, MANY)
    """Games of every pair of a generation; who begins alternates."""
    static_games: int = setting(1000, 1, MANY)
    """Games of the best of a generation against `static`; draws are left out of its win rate."""
    win_rate: float = setting(0.7, 0.0, 1.0)
    """The win rate against `static` that ends it; 1 for hardly ever."""
    parents: float = setting(0.4, 0.0, 1.0)
    """The share of a generation, the best, that lives on; the rest are children."""
    squared: bool = setting(True)
    """Whether the roulette goes by the square of the points."""
    annealing: bool = setting(False)
    """Whether the chance of a small mutation falls evenly, to its limit in the last generation."""
    mutation: float = setting(0.05, 0.0, 1.0)
    """The chance of every entry of a child to change."""
    mutation_limit: float = setting(0.01, 0.0, 1.0)
    """The chance that annealing leads to."""
    mutation_size: float = setting(2.0, 0.0, 1e6)
    """The standard deviation of such a change."""
    swap: float = setting(0.02, 0.0, 1.0)
    """The chance of a child that two columns change places."""
    normalise: bool = setting(False)
    """Whether matrices that choose alike are made alike before they are mixed."""
    inputs: int = setting(FIRST_INPUTS, 1, INPUTS)
    """Rows of a matrix: so many of the inputs, the first."""
    spread: float = setting(10.0, 0.0, 1e6)
    """Entries of the first generation are uniform from minus to plus this."""
    win: float = setting(2.0, -1000.0, 1000.0)
    """Points for a game won."""
    draw: float = setting(1.0, -1000.0, 1000.0)
    """Points for a draw."""
    loss: float = setting(0.0, -1000.0, 1000.0)
    """Points for a game lost."""
    team: int = setting(4, 1, 8)
    """Soldiers a side among themselves."""
    static_team: int = setting(4, 1, 8)
    """Soldiers a side against `static`."""
    maps: int = setting(64, 0, MANY)
    """Maps they play on; 0 for a new one with every start, which takes a good deal longer."""
    options: str = setting("")
    """Further options of the game, such as size=16,config=./my.toml."""
    average: int = setting(20, 1, MANY)
    """Generations of the moving average of the win rate."""
    proof: int = setting(2000, 2, MANY)
    """Games on new maps against `static` at the end, which decide nothing."""
    seed: int = setting(1, 0, SEEDS)
    """The same seed evolves the same matrices."""


@dataclass(frozen=True)
class SecondSettings(ExperimentSettings):
    """The second experiment: annealing, fitness as it is, more matrices."""

    population: int = setting(35, 2, 10_000)
    squared: bool = setting(False)
    annealing: bool = setting(True)


def first_experiment(settings: ExperimentSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.tactics import evolution

    return evolution.train(settings, work, "Tactics: Halíř's first experiment")


def second_experiment(settings: SecondSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.tactics import evolution

    return evolution.train(settings, work, "Tactics: Halíř's second experiment")


# ---------------------------------------------------------------- why it stalls


@dataclass(frozen=True)
class StudySettings:
    """What is asked of an experiment that is over."""

    from_: str
    """The folder of the experiment."""
    bests: int = setting(20, 2, 1000)
    """How many bests of generations are looked at, evenly spread."""
    games: int = setting(1000, 2, MANY)
    """Games of each against `static`, on the maps of the experiment and on new ones."""
    pair_games: int = setting(100, 2, MANY)
    """Games of every pair of bests, and of every pair of the last generation."""
    seed: int = setting(1, 0, SEEDS)
    """The same seed plays the same games."""


def study(settings: StudySettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.tactics import stalling as study

    return study.train(settings, work)


# ---------------------------------------------------------------- a league


@dataclass(frozen=True)
class AmongSettings:
    """Who is played against, and how that is measured."""

    static: bool = setting(True)
    """Whether `static` is in the league."""
    static_share: float = setting(0.5, 0.0, 1.0)
    """The share of games against it."""
    scripted_share: float = setting(0.2, 0.0, 1.0)
    """The share of games against `rusher`, `camper` and `sniper`; what is left is for the hall of fame."""
    margin: float = setting(0.3, 0.0, 100.0)
    """What the lead in hit points at the end, as a share of a side's, is worth; a win is worth 1 more than a loss."""
    static_games: int = setting(400, 2, MANY)
    """Games of each new matrix against `static`, for the curve; they decide nothing."""
    team: int = setting(4, 1, 8)
    """Soldiers a side."""
    options: str = setting("")
    """Further options of the game, such as size=16,config=./my.toml."""
    proof: int = setting(2000, 2, MANY)
    """Games on new maps against `static` at the end, which decide nothing."""
    seed: int = setting(1, 0, SEEDS)
    """The same seed finds the same matrices."""


@dataclass(frozen=True)
class HallSettings(AmongSettings):
    """How a league is run."""

    iterations: int = setting(20, 1, MANY)
    """New members of the hall of fame."""
    generations: int = setting(10, 1, MANY)
    """Generations of candidates for each of them."""
    population: int = setting(40, 4, 10_000)
    """Candidates of a generation."""
    method: Literal["cma", "genetic"] = setting("cma")
    """Who proposes candidates: CMA-ES, or the operators of Halíř's thesis."""
    step: float = setting(3.0, 0.0, 1e6)
    """How far entries of the first candidates lie around 0."""
    maps: int = setting(64, 1, MANY)
    """Maps of a generation, new in each; every candidate plays each from both corners."""
    hall: int = setting(20, 1, MANY)
    """Members of the hall of fame, the newest."""
    finalists: int = setting(4, 1, 1000)
    """Candidates that play once more, with the middle of CMA-ES, before one of them joins the hall."""
    final_maps: int = setting(200, 1, MANY)
    """New maps of such a final, and of the choice among the whole hall at the end."""


@dataclass(frozen=True)
class TacticsLeagueSettings(HallSettings):
    """A league of matrices."""

    inputs: int = setting(FIRST_INPUTS, 1, INPUTS)
    """Rows of a matrix: so many of the inputs, the first."""


def league(settings: TacticsLeagueSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.tactics import league

    return league.train(settings, work, league.matrices(settings.inputs))


# ---------------------------------------------------------------- what would have come of it


@dataclass(frozen=True)
class ImproveSettings(AmongSettings):
    """How a matrix is improved."""

    from_: str = setting("selfplay")
    """The matrix to begin with: a shipped one by name, or the path of a file."""
    iterations: int = setting(4, 1, MANY)
    """How often it is improved."""
    parts: int = setting(40, 1, MANY)
    """Parts of an iteration, each of 128 games on 64 new maps."""
    decisions: int = setting(8, 1, 1000)
    """Decisions of a game that are gone back to, each with every possible action."""
    inputs: int = setting(INPUTS, 1, INPUTS)
    """Rows of the matrix: so many of the inputs, the first; those it lacks begin with 0."""
    ridge: float = setting(30.0, 0.0, 1e9)
    """What holds back entries about which little is known: so many decisions that say 0."""
    hall: int = setting(4, 1, MANY)
    """Matrices of earlier iterations that stay in the league, the newest."""
    static_share: float = setting(0.6, 0.0, 1.0)
    final_maps: int = setting(400, 1, MANY)
    """New maps on which mixtures of the old and the new are compared, each from both corners."""


def improve(settings: ImproveSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.tactics import improve

    return improve.train(settings, work)


# ---------------------------------------------------------------- weights of all actions


@dataclass(frozen=True)
class CellsSettings(HallSettings):
    """How the weights of `cells` are found."""

    iterations: int = setting(16, 1, MANY)
    population: int = setting(32, 4, 10_000)
    step: float = setting(0.3, 0.0, 1e6)
    maps: int = setting(80, 1, MANY)
    hall: int = setting(8, 1, MANY)
    static_share: float = setting(0.2, 0.0, 1.0)
    scripted_share: float = setting(0.3, 0.0, 1.0)
    draw: float = setting(0.3, 0.0, 1.0)
    """What a draw is worth, a win being worth 1: below a half, candidates seek a decision."""


def cells(settings: CellsSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.tactics import league

    return league.train(settings, work, league.CELLS, settings.draw)


# ---------------------------------------------------------------- personalities


@dataclass(frozen=True)
class PersonalitySettings:
    """How an archive of personalities is filled."""

    generations: int = setting(130, 1, MANY)
    """Generations of candidates."""
    batch: int = setting(20, 2, 10_000)
    """Candidates of each of the three that propose them: two by CMA-ES, one by breeding."""
    games: int = setting(32, 2, MANY)
    """Games of a candidate against each of the four opponents, the same ones for all."""
    cells: int = setting(12, 2, 100)
    """Cells along either axis of the archive."""
    maps: int = setting(64, 1, 1_000_000)
    """Maps they are played on."""
    step: float = setting(2.0, 0.0, 1e6)
    """How far the entries of the first matrices lie around those of `hand`."""
    again: int = setting(100, 2, MANY)
    """Games of every elite against each opponent when the search is over: who is the best of a cell is decided anew."""
    proof: int = setting(250, 2, MANY)
    """Games against each opponent on new maps, which decide nothing."""
    seed: int = setting(1, 0, SEEDS)
    """The same seed finds the same archive."""


def personalities(settings: PersonalitySettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.tactics import personalities

    return personalities.train(settings, work)


TRAININGS = {
    "experiment-1": Training(
        "Evolve matrices as in Halíř's first experiment: all pairs, squared points, 25 of them.",
        ExperimentSettings, first_experiment, "tactics-experiment-1",
    ),
    "experiment-2": Training(
        "Evolve matrices as in Halíř's second experiment: all pairs, annealing, 35 of them.",
        SecondSettings, second_experiment, "tactics-experiment-2",
    ),
    "study": Training(
        "Why an experiment stalls: bests of its generations rated again, and against each other.",
        StudySettings, study,
    ),
    "league": Training(
        "Evolve a matrix against a hall of fame, scripted players and perhaps `static`; prints its file.",
        TacticsLeagueSettings, league, "tactics-league",
    ),
    "improve": Training(
        "Improve a matrix by trying out, in its own games, what it might have done; prints its file.",
        ImproveSettings, improve, "tactics-improve",
    ),
    "cells": Training(
        "Evolve the weights of `cells` in such a league; prints their file.",
        CellsSettings, cells, "tactics-cells",
    ),
    "personalities": Training(
        "An archive of matrices by aggression and use of cover: the strongest of each kind, by MAP-Elites.",
        PersonalitySettings, personalities, "tactics-personalities",
    ),
}  # fmt: skip
