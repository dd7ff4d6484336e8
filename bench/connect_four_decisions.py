"""How many decisions keep the value that the exact solver gives: players of Connect Four on 2,000 positions.

    python bench/connect_four_decisions.py alphazero mcts:simulations=2000

Half of the positions are from random games, half from games of a strong player after random openings, one a game, with
eight stones at least. What every move is worth was worked out by the exact solver and is kept beside this file; --make
works it out anew (minutes). A decision is right if its move is worth as much as the best.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

import turnsmith as ts
from turnsmith.arena.statistics import wilson
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import stream
from turnsmith.contract.game import OVER
from turnsmith.games.connect_four.solver import score_moves
from turnsmith.play import step
from turnsmith.play.player import HEADER, POLICY

FILE = Path(__file__).with_name("connect_four_positions.json")
COUNT, LEAST = 2000, 8
STRONG = "mcts:simulations=2000"


def make() -> None:
    """Draw the positions and solve them."""
    game, random = ts.load("connect_four"), np.random.default_rng(4)
    table, found = np.zeros(1 << 24, np.uint64), []
    acts, out = np.zeros(7, np.int32), np.zeros(7, np.int64)
    seen = set()
    while len(found) < COUNT:
        strong = len(found) % 2 == 1
        moves = drawn(game, random, strong)
        if len(moves) <= LEAST:
            continue
        moves = moves[: random.integers(LEAST, len(moves))]
        position = ts.position(game, 0, moves)
        key = position.view(0).tobytes()
        if key in seen:
            continue
        seen.add(key)
        count = compiled(score_moves)(position.boards, position.view(0), acts, -1, 1, table, out)
        worth = {int(acts[index]): int(out[index]) for index in range(count)}
        found.append({"moves": "".join(map(str, moves)), "worth": worth, "strong": strong})
        if len(found) % 100 == 0:
            print(len(found), flush=True)
    FILE.write_text("[\n" + ",\n".join(json.dumps(each) for each in found) + "\n]\n", "utf-8")


def drawn(game: ts.Game, random: np.random.Generator, strong: bool) -> list[int]:
    """The moves of a random game, or of a strong one after some random moves."""
    opening, position = int(random.integers(2, 9)), game.start()
    decide = Decider(game, STRONG, int(random.integers(1 << 30))) if strong else None
    while position.mover != OVER:
        random_move = decide is None or len(position.history) < opening
        position.push(int(random.choice(position.actions)) if random_move else decide(position))
    return list(position.history)


class Decider:
    """A compiled player with a fresh memory for every game."""

    def __init__(self, game: ts.Game, text: str, seed: int):
        self.game, self.player, self.boards = game, ts.player(text, game), game.board()
        self.ready = self.player.prepare(game, self.boards)
        self.memory = np.zeros(self.ready.memory, np.uint8)
        self.rng = stream(seed, 0, 1)

    def __call__(self, position: ts.Position) -> int:
        report = np.zeros(POLICY + len(position.actions))
        rest = (self.ready.data, self.memory, self.ready.params, report, self.rng)
        asked = (self.game, self.boards, position.view(position.mover), position.actions, self.player.where(self.game))
        return int(compiled(step.ask)(*asked, *rest))


def judge(text: str, positions: list[dict]) -> str:
    game, right, spent = ts.load("connect_four"), [], 0.0
    decide = Decider(game, text, 0)
    decide(ts.position(game, 0, (3,)))  # compiled now
    for each in positions:
        position = ts.position(game, 0, tuple(map(int, each["moves"])))
        decide.memory[:HEADER] = 0
        begun = time.process_time()
        action = decide(position)
        spent += time.process_time() - begun
        right.append(each["worth"][str(action)] == max(each["worth"].values()))
    cells = []
    for wanted in (None, False, True):
        chosen = [kept for kept, each in zip(right, positions, strict=True) if wanted in (None, each["strong"])]
        low, high = wilson(sum(chosen) / len(chosen), len(chosen))
        cells.append(f"{sum(chosen) / len(chosen):6.1%} ({low:.1%} to {high:.1%})")
    return f"{text:50} {'  '.join(cells)}  {1000 * spent / len(positions):8.2f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs="*")
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--count", type=int, default=COUNT, help="how many of the positions")
    options = parser.parse_args()
    if options.make:
        make()
    positions = json.loads(FILE.read_text("utf-8"))[: options.count]
    print(f"{'value kept on ' + str(len(positions)) + ' positions':50} {'all':26}  {'random games':26}  strong games")
    for text in options.players:
        print(judge(text, positions), flush=True)


if __name__ == "__main__":
    main()
