"""Random openings: moves made before anybody decides, so that players who hardly vary meet in many different games.

An opening belongs to a start, so all rotations of the seats play it. It is never so long that it ends the game.
"""

from __future__ import annotations

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import compiled, zero
from turnsmith.compile.rng import set_stream
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.play import step
from turnsmith.play.step import draw_outcome, pick_action

OPENING = 4_000_000
"""Stream index of the moves of openings."""
MOST_MOVES = 1000
"""Of an opening."""
ROOM = 16
"""Actions there is room for, chance's included, a move of an opening."""


def draw_openings(game: Game, boards: Array, which: Array, seeds: Array, moves: int) -> Array:
    """int32[rows, length], ended by -1: the opening of each row, on boards[which] with the chance of its seed."""
    out = np.full((len(which), ROOM * moves), -1, np.int32)
    wide = max(range(len(boards)), key=lambda at: max(boards[at]["actions"], boards[at]["outcomes"]))
    states, buffers = np.zeros(1, game.State), step.buffers(boards[wide : wide + 1])
    compiled(_draw)(game, boards, which, seeds, moves, states, *buffers, np.zeros(1, np.uint64), out)
    return out


def _draw(game, boards, which, seeds, moves, states, acts, chances, rng, out):  # type: ignore[no-untyped-def]
    for row in range(which.shape[0]):
        board, state = boards[which[row]], states[0]
        zero(state)
        game.setup(board, state)
        ply, made, decided = 0, 0, 0
        mover = game.to_move(board, state)
        while mover != OVER and made < moves and ply < out.shape[1]:
            if mover == CHANCE:
                set_stream(rng, seeds[row], ply, 0)
                action = draw_outcome(game, board, state, acts, chances, rng)
            else:
                set_stream(rng, seeds[row], ply, OPENING)
                action = pick_action(game, board, state, acts, rng)
                made += 1
                decided = ply
            game.apply(board, state, action)
            out[row, ply] = action
            ply += 1
            mover = game.to_move(board, state)
        if mover == OVER:  # the last decision is left to whoever sits there
            for place in range(decided, ply):
                out[row, place] = -1
