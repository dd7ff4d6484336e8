"""Fitness by play, and the league: the same games for all, on any number of workers, and the same after every kill."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.runners import ArenaPlan, run
from turnsmith.common.errors import BadInput
from turnsmith.evolve.fitness import (
    CANDIDATE,
    FitnessArena,
    every_seat,
    interval,
    margin,
    own_return,
    points,
    points_and_margin,
)
from turnsmith.evolve.league import League, LeagueSettings, fittest, generations
from turnsmith.evolve.optimisers import Cma, Genetic, GeneticSettings, Tpe
from turnsmith.learn.run import Run


def example():
    """The module of the example, whose player has two genes."""
    file = Path(__file__).parents[2] / "examples" / "evolve_player.py"
    spec = importlib.util.spec_from_file_location("evolve_player", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Holder = example().Holder
CANDIDATES = [Holder(5.0), Holder(12.0), Holder(12.0), Holder(25.0)]
OPPONENTS = [Holder(20.0), Holder(8.0)]


@pytest.fixture(scope="module")
def pig():
    return ts.load("pig:target=40")


def test_the_candidate_sits_everywhere():
    """Every opponent is met from every seat in turn, in whole rounds."""
    assert every_seat(2, 2, 3).tolist() == [[0, 1], [1, 0]] * 2 + [[0, 2], [2, 0]] * 2
    assert every_seat(1, 3, 1).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


def test_scores_are_functions_of_returns():
    """Wins, draws and losses are points, and a margin may be added."""
    returns, seat = np.array([[1.0, 0.5], [0.2, 0.2], [0.0, 0.9]]), np.array([0, 1, 0])
    assert own_return(returns, seat).tolist() == [1.0, 0.2, 0.0]
    assert margin(returns, seat).tolist() == [0.5, 0.0, -0.9]
    assert points(returns, seat).tolist() == [1.0, 0.5, 0.0]
    assert points_and_margin(0.1)(returns, seat).round(6).tolist() == [1.05, 0.5, -0.09]


def test_scores_are_the_same_on_any_number_of_workers(pig):
    """One worker or three, and one candidate alone or with others: each game ends the same."""
    tables = every_seat(2, 2, 40)
    one = FitnessArena(pig).scores(CANDIDATES, OPPONENTS, tables, seed=5)
    assert one.shape == (4, 80)
    assert (FitnessArena(pig, workers=3).scores(CANDIDATES, OPPONENTS, tables, seed=5) == one).all()
    assert (FitnessArena(pig).scores(CANDIDATES[3:], OPPONENTS, tables, seed=5)[0] == one[3]).all()
    assert (FitnessArena(pig).scores(CANDIDATES, OPPONENTS, tables, seed=6) != one).any()


def test_all_candidates_play_the_same_games(pig):
    """Equal candidates score equally game by game, and so does whoever plays them in an arena of its own."""
    tables = every_seat(2, 2, 40)
    scores = FitnessArena(pig, own_return).scores(CANDIDATES, OPPONENTS, tables, seed=5)
    assert (scores[1] == scores[2]).all()
    assert (scores[0] != scores[1]).any()
    plan = ArenaPlan(pig, [CANDIDATES[0], *OPPONENTS], tables, 5)
    (batch,) = run(plan, np.arange(1, dtype=np.int64))
    assert batch.returns[0, 0] == scores[0, 0]
    mean, low, high = interval(scores[1] - scores[0], seats=2)
    assert low <= mean <= high
    assert interval(scores[1] - scores[2], seats=2) == (0.0, 0.0, 0.0)


def test_tables_of_three_and_bad_tables(pig):
    """Games of three seats are judged as well; a table without the candidate, or with it twice, is refused."""
    three = FitnessArena(ts.load("pig:target=20,players=3"))
    scores = three.scores([Holder(6.0)], [ts.player("random")], every_seat(1, 3, 30), seed=1)
    assert scores.shape == (1, 30)
    assert scores.mean() > 1 / 3
    for row in ([1, 1], [CANDIDATE, CANDIDATE]):
        with pytest.raises(ValueError, match="exactly one candidate"):
            FitnessArena(pig).scores(CANDIDATES, OPPONENTS, np.array([row]), seed=1)


def always_seven(game, board, view, acts, data, memory, params, report, rng):
    return 7


@dataclass(frozen=True, repr=False)
class Cheat(ts.CompiledPlayer):
    name = "cheat"
    decide = always_seven


def test_who_forfeits_is_named(pig):
    """A candidate that makes an illegal move is a mistake, and no matter of fitness."""
    with pytest.raises(BadInput, match=r"pig:target=40 with cheat, holder.*: somebody made an illegal move"):
        FitnessArena(pig).scores([Cheat()], [Holder()], every_seat(1, 2, 2), seed=1)


def test_the_fittest_of_several_generations():
    """The best of all come first, and each of them once."""
    first = (np.array([[1.0], [2.0]]), np.array([0.3, 0.9]))
    second = (np.array([[2.0], [3.0]]), np.array([0.8, 0.5]))
    assert fittest([first, second], 2).tolist() == [[2.0], [3.0]]


OPTIMISERS = {
    "cma": lambda role, number, best: Cma(np.array([8.0, 0.0]) if best is None else best, 2.0, number, population=4),
    "tpe": lambda role, number, best: Tpe(
        np.array([8.0, 0.0]) if best is None else best, np.array([1.0, -1.0]), np.array([30.0, 1.0]), number, 2
    ),
    "genetic": lambda role, number, best: Genetic(GeneticSettings(population=4), np.array([[8.0, 0.0]]), number),
}


def evolve(folder, game, optimiser, stop=10**9):
    """A small league with exploiters; after `stop` steps that are made it is interrupted."""
    settings = LeagueSettings(
        iterations=3, generations=3, exploiter_generations=2, games=6, finalists=2, final_games=8, hall=3
    )
    run, made = Run(folder, settings), []
    ordinary = run.json

    def step(name, make):
        if not run.path(name).exists():
            made.append(name)
            if len(made) > stop:
                raise KeyboardInterrupt
        return ordinary(name, make)

    run.json = step
    league = League(run, FitnessArena(game, workers=2), lambda genes: Holder(*genes), settings, anchors=[Holder(15.0)])
    found = []
    for each in league.iterations(optimiser):
        found.append(each)
        run.note(each.number, fitness=each.fitness)
    run.finish("a league", "", {})
    return found, league


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", OPTIMISERS)
def test_a_league_that_was_stopped_ends_the_same(name, pig, tmp_path):
    """Interrupted every few steps, it loses nothing, repeats nothing, and ends with the same files."""
    found, league = evolve(tmp_path / "whole", pig, OPTIMISERS[name])
    for _ in range(20):
        try:
            again, _ = evolve(tmp_path / "stopped", pig, OPTIMISERS[name], stop=3)
            break
        except KeyboardInterrupt:
            continue
    assert files(tmp_path / "stopped") == files(tmp_path / "whole")
    assert [each.main.tolist() for each in again] == [each.main.tolist() for each in found]
    assert [each.number for each in found] == [0, 1, 2]
    assert len(league.hall) == 3
    assert league.hall[-1] == Holder(*found[-1].exploiter)
    assert league.hall[-2] == Holder(*found[-1].main)


def test_steps_of_another_version_are_refused(tmp_path):
    """Results of other candidates than those asked are not taken for theirs."""
    run = Run(tmp_path, {})
    far = lambda candidates, number: -(candidates**2).sum(axis=1)  # noqa: E731
    generations(run, "step", Cma(np.ones(2), 1.0, 1), far, 2)
    with pytest.raises(BadInput, match=r"step-0\.json was made by another version"):
        generations(run, "step", Cma(np.ones(2), 1.0, 2), far, 2)
