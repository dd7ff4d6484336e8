"""Hidden information at its smallest: OpenSpiel's Kuhn poker in every position and information state."""

import numpy as np
import pyspiel

import turnsmith as ts
from turnsmith.contract.game import CHANCE, OVER

KUHN = "kuhn"


def test_open_spiel_plays_the_same_game():
    """Mover, legal actions, chances, returns, and what the mover cannot tell apart, are OpenSpiel's everywhere."""
    game = ts.load(KUHN)
    board, acts, chances, returns, pairs = game.board()[0], np.zeros(3, np.int32), np.zeros(3), np.zeros(2), set()
    found = [(np.zeros(1, game.State), pyspiel.load_game("kuhn_poker").new_initial_state())]
    for states, theirs in found:  # which grows meanwhile
        mover, count = game.to_move(board, states[0]), game.legal(board, states[0], acts)
        assert acts[:count].tolist() == theirs.legal_actions()
        if mover == OVER:
            game.returns(board, states[0], returns)
            assert theirs.is_terminal()
            assert returns.tolist() == theirs.returns()
        elif mover == CHANCE:
            game.weights(board, states[0], chances)
            assert list(zip(acts[:count].tolist(), chances[:count], strict=True)) == theirs.chance_outcomes()
        else:
            view = states.copy()
            game.hide(board, view[0], mover)
            assert mover == theirs.current_player()
            pairs.add((view.tobytes(), theirs.information_state_string(mover)))
        for action in theirs.legal_actions():
            after = states.copy()
            game.apply(board, after[0], action)
            found.append((after, theirs.child(action)))
    assert len(found) == 58
    assert len(pairs) == len({view for view, _ in pairs}) == len({known for _, known in pairs}) == 12
