"""`mcts` against OpenSpiel's C++ MCTSBot with its solver, at equal CPU time, and against the exact solver.

    python bench/mcts_open_spiel.py connect_four --pairs 30
    python bench/mcts_open_spiel.py connect_four --positions 1000 --seconds 0.1

Both bots get as many simulations as they make in the CPU time of a move at an empty board, measured first, so that a
busy machine does not decide games. Every random opening is played twice, with the seats exchanged.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pyspiel
from mcts_budgets import Chooser, opening, points_of_pair, rate_of

import turnsmith as ts
from turnsmith.arena.statistics import RateWithInterval, wilson
from turnsmith.contract.game import Game
from turnsmith.games.connect_four.solver import solve_exact
from turnsmith.play.position import Position
from turnsmith.play.seat import Seat
from turnsmith.play.timing import decide_once


def open_spiel_bot(name: str, simulations: int, exploration: float, seed: int):
    game, policy = pyspiel.load_game(name), pyspiel.ChildSelectionPolicy.UCT
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.MCTSBot(game, evaluator, exploration, simulations, 1000, True, seed, False, policy)


def speeds(name: str) -> tuple[float, float]:
    """Simulations a CPU second of ours and of OpenSpiel's, by turns, the best of three."""
    ours, theirs, state = 0.0, 0.0, pyspiel.load_game(name).new_initial_state()
    decide_once(name, "mcts:simulations=100")
    for turn in range(3):
        run = decide_once(name, "mcts:simulations=20000")
        ours = max(ours, run.work / run.seconds)
        begun = time.process_time()
        open_spiel_bot(name, 5000, 2.0, turn).step(state)
        theirs = max(theirs, 5000 / (time.process_time() - begun))
    return ours, theirs


def against_open_spiel(
    name: str, budgets: tuple[int, int], exploration: float, pairs: int, plies: int, seed: int
) -> RateWithInterval:
    """Our points against OpenSpiel's bot, with so many simulations each."""
    game = ts.load(name)

    def make(position: Position, seat: int) -> tuple[Chooser, Chooser]:
        bot = open_spiel_bot(name, budgets[1], exploration, position.seed)

        def theirs(position: Position) -> int:
            state = pyspiel.load_game(name).new_initial_state()
            for action in position.history:
                state.apply_action(action)
            return int(bot.step(state))

        return Seat(ts.player(f"mcts:simulations={budgets[0]}"), game, position.boards).choose, theirs

    points = []
    for pair in range(pairs):
        points.append(points_of_pair(opening(game, plies, 1000 * seed + pair), make))
        if pair % 5 == 4:
            print(f"  {pair + 1} openings: {said(rate_of(points))}", flush=True)
    return rate_of(points)


def agreement(game: Game, simulations: int, count: int, seed: int) -> tuple[int, int, int]:
    """In how many of `count` random positions of 8 to 30 stones the move keeps the exact value; and the same of those
    positions alone in which some move does not."""
    random, kept, hard, hard_kept = np.random.default_rng(seed), 0, 0, 0
    for number in range(count):
        position = opening(game, int(random.integers(8, 31)), 1_000_000 * seed + number)
        values = solve_exact(position)
        best, chosen = max(values.values()), Seat(ts.player(f"mcts:simulations={simulations}"), game, position.boards)
        agrees = values[position.words(chosen.choose(position))] == best
        kept += agrees
        hard += min(values.values()) < best
        hard_kept += agrees and min(values.values()) < best
    return kept, hard, hard_kept


def said(rate: RateWithInterval) -> str:
    return f"{100 * rate.rate:.1f} % [{100 * rate.low:.1f}, {100 * rate.high:.1f}], {rate.games} games"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=["connect_four", "othello"])
    parser.add_argument("--seconds", type=float, default=0.2, help="of CPU time for a move")
    parser.add_argument("--pairs", type=int, default=0, help="openings to play against OpenSpiel")
    parser.add_argument("--positions", type=int, default=0, help="positions to compare with the exact solver")
    parser.add_argument("--exploration", type=float, default=2.0, help="OpenSpiel's uct_c")
    parser.add_argument("--plies", type=int, default=4, help="random moves of an opening")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    ours, theirs = (int(given.seconds * speed) for speed in speeds(given.game))
    print(
        f"{given.game}: {given.seconds:g} CPU s are {ours:,} simulations of ours, {theirs:,} of OpenSpiel's", flush=True
    )
    if given.pairs:
        budgets = (ours, theirs)
        print(said(against_open_spiel(given.game, budgets, given.exploration, given.pairs, given.plies, given.seed)))
    if given.positions:
        kept, hard, hard_kept = agreement(ts.load(given.game), ours, given.positions, given.seed)
        low, high = wilson(kept / given.positions, given.positions)
        print(f"{kept} of {given.positions} positions: the value is kept [{100 * low:.1f}, {100 * high:.1f}]")
        print(f"{hard_kept} of the {hard} in which it can be lost")
