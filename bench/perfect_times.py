"""Connect Four: the CPU time of `perfect` for a decision, in games against another and after random stones.

python bench/perfect_times.py [opponent [games]]
"""

import sys
import time

import numpy as np

import turnsmith as ts
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import stream
from turnsmith.contract.game import OVER
from turnsmith.play import step
from turnsmith.play.player import POLICY

GAME = ts.load("connect_four")
PERFECT, RANDOM = ts.player("perfect", GAME), ts.player("random")


def play(seat, opponent, number, stones=0):
    """Seconds of each decision of `perfect`, which takes over after so many random stones, and its return."""
    position, boards = ts.position(GAME, number), GAME.board()
    ready, seconds = PERFECT.prepare(GAME, boards), []
    memory, where = np.zeros(ready.memory, np.uint8), PERFECT.where(GAME)
    while position.mover != OVER:
        if len(position.history) < stones:
            action = RANDOM.act(position).action
        elif position.mover == seat:
            rest = (ready.data, memory, ready.params, np.zeros(POLICY), stream(number))
            begun = time.process_time()
            action = int(compiled(step.ask)(GAME, boards, position.view(0), position.actions, where, *rest))
            seconds.append(time.process_time() - begun)
        else:
            action = opponent.act(position).action
        position.push(action)
    return seconds, position.outcome.returns[seat]


def tell(what, seconds):
    print(f"{what}: {1000 * np.mean(seconds):.2f} ms a decision, at worst {max(seconds):.3f} s of {len(seconds)}")


def main(opponent, games):
    play(0, RANDOM, 0)  # compile
    for seat in range(2):
        played = [play(seat, opponent, number) for number in range(games)]
        wins = sum(result == 1.0 for _, result in played)
        tell(f"seat {seat} against {opponent!r}, {wins} of {games} won", [s for one, _ in played for s in one])
    for stones in (14, 12, 10):
        first = [play(stones % 2, RANDOM, number, stones)[0][:1] for number in range(60)]
        tell(f"the first decision after {stones} random stones", [s for one in first for s in one])


if __name__ == "__main__":
    main(ts.player(sys.argv[1] if len(sys.argv) > 1 else "random"), int(sys.argv[2]) if len(sys.argv) > 2 else 150)
