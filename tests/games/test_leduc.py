"""Leduc poker: the whole game against OpenSpiel's, and what each seat may know."""

import numpy as np
import pyspiel
import pytest

import turnsmith as ts
from turnsmith.contract.game import CHANCE, OVER


@pytest.fixture(scope="module")
def positions():
    """All positions of the game: our state, with OpenSpiel's."""
    game = ts.load("leduc")
    board, states = game.board()[0], np.zeros(1, game.State)
    game.setup(board, states[0])
    found = [(states, pyspiel.load_game("leduc_poker").new_initial_state())]
    for states, theirs in found:  # which grows meanwhile
        for action in theirs.legal_actions():
            after = states.copy()
            game.apply(board, after[0], action)
            found.append((after, theirs.child(action)))
    return found


def test_open_spiel_plays_the_same_game(positions):
    """Mover, legal actions, chances and returns are OpenSpiel's in every position there is."""
    game = ts.load("leduc")
    board, acts, chances, returns = game.board()[0], np.zeros(6, np.int32), np.zeros(6), np.zeros(2)
    for states, theirs in positions:
        mover, count = game.to_move(board, states[0]), game.legal(board, states[0], acts)
        assert mover == (
            OVER if theirs.is_terminal() else CHANCE if theirs.is_chance_node() else theirs.current_player()
        )
        assert acts[:count].tolist() == theirs.legal_actions()
        if mover == CHANCE:
            game.weights(board, states[0], chances)
            assert list(zip(acts[:count].tolist(), chances[:count], strict=True)) == theirs.chance_outcomes()
        elif mover == OVER:
            game.returns(board, states[0], returns)
            assert returns.tolist() == theirs.returns()
    assert len(positions) == 9457


def test_views_are_open_spiels_information_states(positions):
    """Two positions look the same to the seat to move just where they are one information state."""
    game, board = ts.load("leduc"), ts.load("leduc").board()[0]
    pairs = set()
    for states, theirs in positions:
        if game.to_move(board, states[0]) >= 0:
            mover, view = theirs.current_player(), states.copy()
            game.hide(board, view[0], mover)
            pairs.add((view.tobytes(), theirs.information_state_string(mover)))
    views, information = (set(side) for side in zip(*pairs, strict=True))
    assert len(pairs) == len(views) == len(information) == 936


def test_a_folded_card_is_never_shown(positions):
    """After a fold neither seat sees the other's card, and returns are known all the same; a showdown shows both."""
    game, board, returns, seen = ts.load("leduc"), ts.load("leduc").board()[0], np.zeros(2), {0: 0, 1: 0}
    for states, theirs in positions:
        if not theirs.is_terminal():
            continue
        for viewer in range(2):
            view = states.copy()
            game.hide(board, view[0], viewer)
            folded = int(states[0].folded > 0)
            assert bool(view[0].cards[1 - viewer]) is not bool(folded)
            game.returns(board, view[0], returns)
            assert returns.tolist() == theirs.returns()
            seen[folded] += 1
    assert min(seen.values()) > 1000
