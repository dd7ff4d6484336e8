"""Othello: the published counts of move sequences, OpenSpiel's rules, and boards whose value is known."""

import numpy as np
import pyspiel
import pytest

import turnsmith as ts
from turnsmith.compile.kernel import compiled
from turnsmith.contract.game import OVER
from turnsmith.play import step

PASS = 64


def test_perft_is_the_published_one():
    """The numbers of move sequences from the start are those that Othello programs agree on."""
    game = ts.load("othello")
    boards, states, acts = game.board(), np.zeros(9, game.State), np.zeros((9, PASS + 1), np.int32)
    compiled(step.begin)(game, boards, states)
    counts = [compiled(step.perft)(game, boards, states, depth, acts) for depth in range(1, 9)]
    assert counts == [4, 12, 56, 244, 1396, 8200, 55092, 390216]


def test_open_spiel_plays_the_same_game():
    """In random games OpenSpiel has the same mover, the same legal moves and the same returns at every position."""
    game, other, random, passes = ts.load("othello"), pyspiel.load_game("othello"), np.random.default_rng(11), 0
    for number in range(60):
        position, theirs = game.start(number), other.new_initial_state()
        while not theirs.is_terminal():
            assert position.mover == theirs.current_player()
            assert position.actions.tolist() == theirs.legal_actions()
            action = int(random.choice(position.actions))
            passes += action == PASS
            assert position.words(action) == theirs.action_to_string(action)
            position.push(action)
            theirs.apply_action(action)
        assert position.mover == OVER
        assert list(position.outcome.returns) == theirs.returns()
    assert passes > 10


def test_the_second_wins_on_four_by_four():
    """The board of four by four is known to be lost for whoever begins, and both exact searches find that."""
    game = ts.load("othello:size=4")
    for text in ("solve", "negamax:depth=30"):
        assert ts.player(text, game).act(game.start()).value == -1.0


def test_evaluate_wins_games():
    """The evaluation is worth something: with it, looking one move ahead beats random play nearly always."""
    rows = ts.arena("othello", ["negamax:depth=1", "random"], games=200, seed=5).to_dict()["players"]
    assert next(row for row in rows if row["name"] == "negamax:depth=1")["rate"] > 0.85


def test_sizes_are_refused_by_naming_the_right_ones():
    """A board of another size is refused in one line, as text and as a stored description."""
    with pytest.raises(ts.BadInput, match="size=5 is not one of 4, 6, 8"):
        ts.load("othello:size=5")
    with pytest.raises(ValueError, match="size=5 is not one of 4, 6, 8"):
        ts.load("othello").build({"size": 5})
