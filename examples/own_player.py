"""A player of one's own in a few lines: it compiles, sits in the arena, and meets the others.

It drops its stone as near to the middle as it can, and has one setting.
"""

from dataclasses import dataclass

import turnsmith as ts
from turnsmith.game import Prepared, below, unit


def decide(game, board, view, acts, data, memory, params, report, rng):
    if unit(rng) < params[0]:
        return acts[below(rng, acts.shape[0])]
    best = acts[0]
    for action in acts:
        if abs(2 * action + 1 - board.width) < abs(2 * best + 1 - board.width):
            best = action
    return best


@dataclass(frozen=True, repr=False)
class Middle(ts.CompiledPlayer):
    name = "middle"
    summary = "the column nearest to the middle, now and then any other"
    whims: float = 0.1
    decide = decide

    def prepare(self, game, boards):
        return Prepared.of(params=[self.whims])


print(ts.arena("connect_four", [Middle(), Middle(whims=0.5), "random"], games=3000))
