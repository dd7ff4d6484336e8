"""How Homeguard looks."""

from __future__ import annotations

import numpy as np

from turnsmith.games.homeguard.rules import MOVES, legal, words


def picture(board, state):
    out = np.zeros(MOVES, np.int32)
    pieces = {piece for action in out[: legal(board, state, out)] for piece in words(board, state, int(action)).split()}
    parts = "".join(f'<circle data-word="{piece}" r="1"/>' for piece in sorted(pieces))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{parts}</svg>'
