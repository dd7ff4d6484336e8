"""A player of backgammon against gnubg: ``python bench/backgammon_gnubg.py learned``; needs ``pip install gnubg``.

No cube; games are worth up to three points. gnubg judges every position that a roll can lead to, without looking
further (0-ply), and plays the best: so it needs no words for its moves, and rules are ours alone. Each start is played
from both seats with the same dice as far as these go. `--noise` makes gnubg weaker, as its own levels are.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import gnubg
import numpy as np

import turnsmith as ts
from turnsmith.arena.statistics import clustered_mean
from turnsmith.contract.game import OVER
from turnsmith.play.position import PositionView
from turnsmith.play.seat import Seat

BAR = 25
FIRST_LOOK = gnubg.evalcontext(0, 0, 1, 0, 0.0)
MONEY = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)


def equity(look: PositionView, seat: int, context: tuple[Any, ...]) -> float:
    """What `seat` expects by gnubg where its turn is over and the other is about to roll."""
    if look.mover == OVER:
        return float(look.returns[seat])
    checkers = look.state["checkers"]
    board = [[int(checkers[side][point]) for point in (*range(1, 25), BAR)] for side in (seat, 1 - seat)]
    return -float(gnubg.evaluate(board, MONEY, context)[5])


def best_way(look: PositionView, context: tuple[Any, ...]) -> list[int]:
    """The steps by which gnubg plays the roll at hand."""
    seat, met, ends = look.mover, {look.state.tobytes()}, list[tuple[float, list[int]]]()
    waiting = [(look, list[int]())]
    while waiting:
        here, steps = waiting.pop()
        for action in here.actions.tolist():
            after = here.after([action])
            key = after.state.tobytes()
            if key in met:
                continue
            met.add(key)
            if after.mover == seat:
                waiting.append((after, [*steps, action]))
            else:
                ends.append((equity(after, seat, context), [*steps, action]))
    return max(ends)[1]


def play(text: str, seed: int, seat: int, context: tuple[Any, ...], taken: list[float]) -> float:
    """The points of one game for the player of this text, which has a seat."""
    game = ts.load("backgammon:most=3")
    position, plan = game.start(seed), list[int]()
    own = Seat(ts.player(text, game), game, position.boards)
    while position.mover != OVER:
        if position.mover == seat:
            begun = time.process_time()
            action = own.choose(position)
            taken.append(time.process_time() - begun)
        else:
            plan = plan or best_way(position.seen_by(position.mover), context)
            action = plan.pop(0)
        position.push(action)
    return float(position.outcome.returns[seat])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("player")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--noise", type=float, default=0.0, help="how far gnubg's judgements are off, at random")
    options = parser.parse_args()
    context = gnubg.evalcontext(0, 0, 0, 0, options.noise) if options.noise else FIRST_LOOK
    points, taken = list[float](), list[float]()
    for number in range(options.games):
        points.append(play(options.player, options.seed + number // 2, number % 2, context, taken))
        if number % 20 == 19 or number + 1 == options.games:
            starts = np.arange(len(points)) // 2
            mean = clustered_mean(np.array(points), starts, np.zeros(len(points)))
            wins = sum(point > 0 for point in points) / len(points)
            print(
                f"{len(points)} games: {mean.mean:+.3f} points a game [{mean.low:+.3f}, {mean.high:+.3f}], "
                f"{wins:.1%} won, {1000 * float(np.mean(taken)):.2f} ms a decision",
                flush=True,
            )


if __name__ == "__main__":
    main()
