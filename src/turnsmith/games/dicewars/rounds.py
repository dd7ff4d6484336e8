"""What the end of a turn leads to: the own dice are dealt, the others take their turns, and the value judges the rest.

The others are taken for `ste`, the best of the field that hardly thinks: a round is played in some ten microseconds.
"""

from __future__ import annotations

import numpy as np

from turnsmith.compile.kernel import copy, is_set, scratch
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.games.dicewars.field import decide_ste, end_of_turn
from turnsmith.games.dicewars.rules import State
from turnsmith.games.dicewars.value import worth

STE = (0.2, 1.0)


def play_round(game, board, state, me, acts, rng):
    """End the turn of `me` and play until it is its turn again, it has no areas left, or the game is over."""
    settings = scratch(2, np.float64)
    settings[0], settings[1] = STE
    game.apply(board, state, end_of_turn(board))
    mover = game.to_move(board, state)
    while mover != me and mover != OVER and state.owned[me]:
        if mover == CHANCE:
            action = np.int64(game.sample(board, state, rng))
        else:
            listed = acts[: game.legal(board, state, acts)]
            action = decide_ste(game, board, state, listed, acts, acts, settings, settings, rng)
        game.apply(board, state, action)
        mover = game.to_move(board, state)


def outlook(game, board, view, me, rounds, weights, inputs, chances, acts, stop, rng):
    """What ending the turn here is worth to `me`: the mean of so many rounds, each judged when its turn comes again, or
    of fewer once `stop` is set."""
    rooms = scratch(1, State)
    total, done = 0.0, 0
    while done < rounds and (done == 0 or not is_set(stop)):
        state = rooms[0]
        copy(state, view)
        play_round(game, board, state, me, acts, rng)
        if state.owned[me]:
            total += worth(board, state, me, weights, inputs, chances)
        done += 1
    return total / done
