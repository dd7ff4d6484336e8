"""Connect Four: negamax with the game's evaluation against OpenSpiel's C++ MCTS, with the CPU time that each took.

python bench/negamax_and_open_spiel.py [games]
"""

import sys
import time

import numpy as np
import pyspiel

import turnsmith as ts
from turnsmith.arena.statistics import wilson
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import stream
from turnsmith.contract.game import OVER
from turnsmith.play import step
from turnsmith.play.player import POLICY

PLAYER, SIMULATIONS, EXPLORATION = "negamax:depth=10,table=18", 2000, 2.0


def main(games):
    game, theirs = ts.load("connect_four"), pyspiel.load_game("connect_four")
    player, boards = ts.player(PLAYER, game), game.board()
    ready, where = player.prepare(game, boards), player.where(game)
    points, spent, moves = 0.0, np.zeros(2), np.zeros(2)
    for number in range(games):
        evaluator = pyspiel.RandomRolloutEvaluator(1, number)
        policy = pyspiel.ChildSelectionPolicy.UCT
        bot = pyspiel.MCTSBot(theirs, evaluator, EXPLORATION, SIMULATIONS, 1000, True, number, False, policy)
        position, state, memory = game.start(), theirs.new_initial_state(), np.zeros(ready.memory, np.uint8)
        while position.mover != OVER:
            who, begun = (position.mover + number) % 2, time.process_time()
            if who == 0:
                rest = (ready.data, memory, ready.params, np.zeros(POLICY), stream(number, len(position.history)))
                action = int(compiled(step.ask)(game, boards, position.view(0), position.actions, where, *rest))
            else:
                action = bot.step(state)
            spent[who] += time.process_time() - begun
            moves[who] += 1
            position.push(action)
            state.apply_action(action)
        points += (position.outcome.returns[number % 2] + 1) / 2
    low, high = wilson(points / games, games)
    each = 1000 * spent / moves
    print(f"{PLAYER} scores {points / games:.1%} ({low:.1%}–{high:.1%}) of {games} games")
    print(f"CPU time a move: {each[0]:.1f} ms, OpenSpiel's MCTS with {SIMULATIONS} simulations {each[1]:.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
