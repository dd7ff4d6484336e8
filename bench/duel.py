"""One player against another, and the CPU time that each of them took in these very games.

    python bench/duel.py connect_four zero:simulations=200 mcts:simulations=5000 --opening 4

The first player has one seat and the second all others; every start, random opening included, is played once from each
seat. Wins are shared by those who won, a draw by all, so that equal players come to one in so many as there are seats.
Intervals are of 95 %, by starts.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field

import numpy as np

import turnsmith as ts
from turnsmith.arena.openings import draw_openings
from turnsmith.arena.statistics import clustered_rate
from turnsmith.common.arrays import Array
from turnsmith.contract.game import OVER, Game
from turnsmith.play.seat import Seat


@dataclass
class Clock:
    """Decisions, and the CPU seconds that they took."""

    taken: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return sum(self.taken) / max(1, len(self.taken))

    def told(self) -> str:
        return f"{1000 * self.mean:.3f} ms a decision"


def share_of(returns: Array, seat: int) -> float:
    """The part of a win that a seat has: those with the most share it."""
    best = returns >= returns.max() - 1e-9
    return float(best[seat] / best.sum())


def play(game: Game, texts: tuple[str, str], seed: int, opening: list[int], seat: int, clocks: list[Clock]) -> float:
    """One game with the first player in a seat; what part of it that one won."""
    position = ts.position(game, seed, opening)
    seats = [
        Seat(ts.player(texts[other != seat], game), game, position.boards) for other in range(int(position.board.seats))
    ]
    for each in seats:
        each.prepare()
    while position.mover != OVER:
        mover = position.mover
        begun = time.process_time()
        action = seats[mover].choose(position)
        clocks[mover != seat].taken.append(time.process_time() - begun)
        position.push(action)
    return share_of(np.array(position.outcome.returns), seat)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("players", nargs=2)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--opening", type=int, default=0, help="random moves at the start")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    game, texts = ts.load(given.game), tuple(given.players)
    seats = int(game.board()[0]["seats"])
    play(game, texts, 0, [], 0, [Clock(), Clock()])  # compiled now
    points, groups, clocks = [], [], [Clock(), Clock()]
    for start in range(-(-given.games // seats)):
        seed = 1_000_000 * given.seed + start
        boards = game.board(seed)
        drawn = draw_openings(game, boards, np.zeros(1, np.int64), np.array([seed], np.uint64), given.opening)
        for seat in range(seats):
            points.append(play(game, texts, seed, drawn[0][drawn[0] >= 0].tolist(), seat, clocks))
            groups.append(start)
    found = clustered_rate(np.array(points), np.array(groups))
    print(
        f"{given.game}: {texts[0]} wins {found.rate:.1%} ({found.low:.1%} to {found.high:.1%}) of {found.games} games"
    )
    print(f"against {texts[1]}, where equals would win {1 / seats:.1%}")
    print(
        f"{clocks[0].told()} against {clocks[1].told()}: {clocks[1].mean / clocks[0].mean:.2f} times as much",
        flush=True,
    )


if __name__ == "__main__":
    main()
