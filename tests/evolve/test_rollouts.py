"""Trying out what was passed over: every choice once, in the same games, and the matrix fitted to their worth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnsmith as ts
from turnsmith.evolve.fitness import FitnessArena, every_seat, points
from turnsmith.evolve.rollouts import chosen, fit_choices, try_choices


def all_actions(decisions):
    """Every action of Pig is a choice where it is legal: to hold and to roll."""
    found, acts = np.full((len(decisions), 2), -1), np.zeros(8, np.int32)
    for row, which in enumerate(decisions.which):
        legal = acts[: decisions.game.legal(decisions.boards[which], decisions.states[row], acts)]
        found[row, legal] = legal
    return found


@pytest.fixture(scope="module")
def tried():
    """Decisions of one player at Pig, with both choices, on one worker and on two."""
    game = ts.load("pig:target=30")
    players, seating = [ts.player("mcts:simulations=5", game), ts.player("random", game)], every_seat(1, 2, 20)
    return [try_choices(FitnessArena(game, points, workers), players, seating, 7, 3, all_actions) for workers in (1, 2)]


def test_every_choice_is_tried_in_some_decisions_of_every_game(tried):
    """So many decisions of the first player in each game, in order, worth what the game was worth in the end."""
    found = tried[0]
    assert np.bincount(found.decisions.match).max() == 3
    assert set(found.decisions.match.tolist()) == set(range(20))
    assert (found.decisions.mover == found.decisions.match % 2).all()
    assert np.array_equal(np.isnan(found.worth), all_actions(found.decisions) < 0)
    assert set(np.unique(found.worth[~np.isnan(found.worth)])) == {0.0, 1.0}


def test_the_choice_that_was_made_ends_as_the_game_did(tried):
    """Played on with the same chance, what was decided leads to the return there was, where nobody draws lots."""
    game = ts.load("pig:target=30")
    players = [ts.player("expectimax:depth=1", game), ts.player("expectimax:depth=2", game)]
    found = try_choices(FitnessArena(game, points), players, every_seat(1, 2, 10), 3, 4, all_actions)
    rows = np.arange(len(found.worth))
    made = found.worth[rows, found.decisions.action]
    own = found.decisions.returns[rows, found.decisions.mover]
    assert np.array_equal(made, (own > 0).astype(float))


def test_workers_change_nothing(tried):
    """The same decisions and the same worth."""
    one, two = tried
    assert np.array_equal(one.worth, two.worth, equal_nan=True)
    assert np.array_equal(one.decisions.ply, two.decisions.ply)


def test_few_decisions_of_a_game_are_chosen(tried):
    """At most so many, each once, the same for the same seed."""
    decisions = tried[0].decisions
    for count in (1, 2, 5):
        few = chosen(decisions, count, 4)
        assert np.bincount(few.match).max() == min(3, count)
        assert len(np.unique(few.match * 1000 + few.ply)) == len(few)
        assert np.array_equal(few.ply, chosen(decisions, count, 4).ply)


@given(st.integers(0, 1000))
def test_a_fit_finds_the_matrix_that_made_the_worth(seed):
    """Up to what is the same for all choices, whatever each decision was worth as a whole, and with choices missing."""
    random = np.random.default_rng(seed)
    matrix, inputs = random.normal(size=(3, 4)), random.random((200, 3))
    worth = inputs @ matrix + random.normal(size=(200, 1))
    worth[random.random((200, 4)) < 0.2] = np.nan
    worth[np.isnan(worth).all(axis=1), 0] = 0.0
    found = fit_choices(inputs, worth, 1e-6)
    assert np.allclose(found, matrix - matrix.mean(axis=1, keepdims=True), atol=1e-3)
    assert np.abs(fit_choices(inputs, worth, 1e9)).max() < 1e-3
