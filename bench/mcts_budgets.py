"""`mcts` against itself with fewer simulations: strength must not fall with the budget.

    python bench/mcts_budgets.py connect_four --budgets 100,1000,10000,100000 --pairs 100,50,20

Every random opening is played twice, with the seats exchanged. Points are returns scaled to 0..1: in a game with a
winner that is the rate of wins, a draw counting half. Intervals are of 95 %, by openings.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import pairwise

import numpy as np

import turnsmith as ts
from turnsmith.arena.statistics import RateWithInterval, clustered_rate
from turnsmith.contract.game import OVER, Game
from turnsmith.play.position import Position
from turnsmith.play.seat import Seat

Chooser = Callable[[Position], int]


def opening(game: Game, plies: int, seed: int) -> Position:
    """A position after so many random moves, in which somebody decides."""
    random = np.random.default_rng(seed)
    while True:
        position = game.start(seed)
        for _ in range(plies):
            if position.mover != OVER:
                position.push(int(random.choice(position.actions)))
        if position.mover != OVER:
            return position


def points_of_pair(start: Position, make: Callable[[Position, int], tuple[Chooser, Chooser]]) -> list[float]:
    """What the first of two players gets, 0..1, from one opening in each seat; `make` gives them for a position."""
    points = []
    for seat in range(2):
        position = ts.position(start.game, start.seed, start.history)
        choosers = make(position, seat)
        while position.mover != OVER:
            position.push(choosers[0 if position.mover == seat else 1](position))
        board = position.board
        points.append(float((position.outcome.returns[seat] - board.low) / (board.high - board.low)))
    return points


def rate_of(points: list[list[float]]) -> RateWithInterval:
    return clustered_rate(np.array(points).reshape(-1), np.repeat(np.arange(len(points)), 2))


def duel(game: Game, texts: tuple[str, str], pairs: int, plies: int, seed: int) -> RateWithInterval:
    """The first player's points against the second."""

    def make(position: Position, seat: int) -> tuple[Chooser, Chooser]:
        one, other = (Seat(ts.player(text, game), game, position.boards) for text in texts)
        return one.choose, other.choose

    starts = (opening(game, plies, 1000 * seed + pair) for pair in range(pairs))
    return rate_of([points_of_pair(start, make) for start in starts])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--budgets", default="100,1000,10000")
    parser.add_argument("--pairs", default="100,50", help="openings for each two neighbouring budgets")
    parser.add_argument("--plies", type=int, default=4, help="random moves of an opening")
    parser.add_argument("--settings", default="", help="of both players, such as ,exploration=1")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    budgets = [int(number) for number in given.budgets.split(",")]
    for (low, high), pairs in zip(pairwise(budgets), map(int, given.pairs.split(",")), strict=True):
        texts = (f"mcts:simulations={high}{given.settings}", f"mcts:simulations={low}{given.settings}")
        found = duel(ts.load(given.game), texts, pairs, given.plies, given.seed)
        rate = f"{100 * found.rate:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]"
        print(f"{given.game}: {high:,} against {low:,} simulations: {rate}, {found.games} games", flush=True)
