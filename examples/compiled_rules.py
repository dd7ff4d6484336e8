"""Your own loop over a game's rules, compiled with them: how long random games from a position take."""

import numpy as np

import turnsmith as ts
from turnsmith.game import OVER, buffers, compiled, copy, pick_action, stream


def lengths(game, boards, states, spare, acts, rng, out):
    """Fill `out` with the lengths of random games from states[0]; `game.apply`, `game.legal` … are the rules."""
    board, state = boards[0], spare[0]
    for number in range(out.shape[0]):
        copy(state, states[0])
        out[number] = 0
        while game.to_move(board, state) != OVER:
            game.apply(board, state, pick_action(game, board, state, acts, rng))
            out[number] += 1


if __name__ == "__main__":
    game = ts.load("connect_four")
    position = game.start().push("d")
    states, spare = np.array([position.state]), np.zeros(1, game.State)
    acts, _chances = buffers(position.boards)
    out = np.zeros(100_000, np.int64)
    compiled(lengths)(game, position.boards, states, spare, acts, stream(1), out)
    print(f"{out.mean():.2f} moves in the mean, {out.min()} to {out.max()}")
