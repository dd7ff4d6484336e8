"""Counting how many ways a game can go: the test of rules that others have counted too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled
from turnsmith.contract.game import OVER, Game
from turnsmith.contract.loading import load
from turnsmith.play import step
from turnsmith.play.position import Position, PositionView

MOST_DEPTH = 100
MOST_BYTES = 1 << 30
"""Of the lists of moves, one a ply."""


def perft(
    start: str | Game | PositionView, depth: int, progress: Callable[[int, int], None] | None = None
) -> dict[str, int]:
    """How many sequences of just `depth` moves there are from a position, or from a game's very first, by first move.

    Outcomes of chance are moves too. A sequence that ends the game sooner does not count.

    >>> perft("tic_tac_toe", 2)["a1"], sum(perft("tic_tac_toe", 5).values())
    (8, 15120)
    """
    if not 1 <= depth <= MOST_DEPTH:
        raise BadInput(f"depth={depth} must be 1 to {MOST_DEPTH}")
    game = load(start) if isinstance(start, str) else start
    look = Position(game, draws_chance=False) if isinstance(game, Game) else game
    most = len(step.buffers(look.boards)[0])
    if 4 * depth * most > MOST_BYTES:
        raise BadInput(f"{depth} lists of {most:,} moves each are too long to keep; count fewer moves")
    states, acts = np.zeros(depth, look.game.State), np.zeros((depth, most), np.int32)
    counts: dict[str, int] = {}
    actions = look.actions.tolist() if look.mover != OVER else []
    for done, action in enumerate(actions):
        counts[look.words(action)] = _count(look.after([action]), depth - 1, states, acts)
        if progress is not None:
            progress(done + 1, len(actions))
    return counts


def _count(look: PositionView, depth: int, states: Array, acts: Array) -> int:
    if depth == 0:
        return 1
    states[0] = look.state
    count = int(compiled(step.perft)(look.game, look.boards, states, depth, acts))
    if count < 0:
        raise step.broken_rules(look.game, "legal lists no move, or more than there can be")
    return count
