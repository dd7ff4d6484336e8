"""What a player's decisions cost it against perfect play, in games that `solve` can list (two seats, chance welcome).

    python bench/regret.py pig zero:simulations=200 --games 1000
    python bench/regret.py connect_four:width=4,height=4,connect=3 mcts:simulations=50

Games with `solve` in the other seat, each start from both. A decision costs what the best move is worth more than the
one made, as a share of a win, and what a player loses against perfect play is the sum of that over a game. Dice are not
in it, so that far fewer games tell as much as counting wins would. Intervals are of 95 %, by pairs of games.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import turnsmith as ts
from turnsmith.arena.statistics import wilson
from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import borrow, compiled, copy, zero
from turnsmith.compile.rng import stream
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.contract.records import record
from turnsmith.play.player import HEADER, POLICY, VALUE, at
from turnsmith.play.roster import PreparedPlayer, ask_player
from turnsmith.play.step import buffers, resolve_chance
from turnsmith.search.solve import Answer, solution, spread

LONGEST = 4096
Decision = record(action=np.int64, best=np.int64, cost=np.float64, worth=np.float64, said=np.float64)
"""The move made, the best one, what it cost, what the position was worth to the mover, and what the player thought."""


def value_of(game, board, state, answers, out):
    """What a position is worth to seat 0."""
    if game.to_move(board, state) == OVER:
        game.returns(board, state, out)
        return out[0]
    key = game.hash(board, state)
    place = spread(key, answers.shape[0])
    while answers[place].key != key or answers[place].action < 0:
        place = (place + 1) % answers.shape[0]
    return answers[place].value


def worth_of(game, board, state, action, after, acts, chances, answers, out):
    """What a move is worth to seat 0; chance may move once after it."""
    copy(after[0], state)
    game.apply(board, after[0], action)
    if game.to_move(board, after[0]) != CHANCE:
        return value_of(game, board, after[0], answers, out)
    count, total = game.legal(board, after[0], acts), 0.0
    game.weights(board, after[0], chances)
    for index in range(count):
        copy(after[1], after[0])
        game.apply(board, after[1], np.int64(acts[index]))
        total += chances[index] * value_of(game, board, after[1], answers, out)
    return total


def play(game, boards, states, views, noted, seat, player, memory, report, answers, spare, out, rng):
    """One game of the player in `seat` with perfect play; returns how many decisions were noted."""
    board, state, after, count = boards[0], states[0], states[1:], 0
    acts, moves, chances = borrow(spare[0]), borrow(spare[1]), spare[2]
    zero(state)
    game.setup(board, state)
    for place in range(HEADER):
        memory[place] = 0
    while game.to_move(board, state) != OVER and count < noted.shape[0]:
        mover = game.to_move(board, state)
        if mover == CHANCE:
            resolve_chance(game, board, state, acts, chances, rng)
            continue
        legal, sign, best, worth = game.legal(board, state, acts), 1.0 - 2.0 * mover, np.int64(0), -np.inf
        for index in range(legal):
            value = sign * worth_of(game, board, state, np.int64(acts[index]), after, moves, chances, answers, out)
            if value > worth:
                best, worth = np.int64(acts[index]), value
        action = best
        if mover == seat and legal > 1:
            action = ask_player(game, board, state, acts[:legal], player, memory, report[: POLICY + legal], rng)
            value = sign * worth_of(game, board, state, action, after, moves, chances, answers, out)
            copy(views[count], state)
            scale = 1.0 / (board.high - board.low)
            noted[count].action, noted[count].best, noted[count].worth = action, best, (worth - board.low) * scale
            noted[count].cost, noted[count].said = (worth - value) * scale, (report[VALUE] - board.low) * scale
            count += 1
        game.apply(board, state, action)
    return count


def decisions(game: Game, text: str, games: int, seed: int) -> tuple[Array, Array, Array, float]:
    """All decisions of a player: what it saw, what it did, the number of the pair of games, and CPU seconds each."""
    boards, player = game.board(), ts.player(text, game)
    answers = solution(game, boards.tobytes(), 4_000_000).view(Answer)
    ready = player.prepare(game, boards)
    asked = PreparedPlayer(player.where(game), ready.data, ready.linked(at(game)))
    states, views, noted = np.zeros(3, game.State), np.zeros(LONGEST, game.State), np.zeros(LONGEST, Decision)
    memory, report, (acts, chances) = np.zeros(ready.memory, np.uint8), np.zeros(POLICY + 1024), buffers(boards)
    spare, out, found, spent = (acts, acts.copy(), chances), np.zeros(2), [], 0.0
    for number in range(-1, games):  # the first is for the compiler
        begun = time.process_time()
        count = compiled(play)(
            game, boards, states, views, noted, number % 2, asked, memory, report, answers, spare, out,
            stream(seed, max(number, 0), 0),
        )  # fmt: skip
        if number >= 0:
            spent += time.process_time() - begun
            found.append((views[:count].copy(), noted[:count].copy(), np.full(count, number // 2)))
    seen, made, pair = (np.concatenate(column) for column in zip(*found, strict=True))
    return seen, made, pair, spent / max(1, len(made))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("players", nargs="+")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    game = ts.load(given.game)
    for text in given.players:
        _, made, pair, spent = decisions(game, text, given.games + given.games % 2, given.seed)
        right = made["cost"] < 1e-9
        low, high = wilson(right.mean(), len(right))
        cost = np.bincount(pair, made["cost"]) / 2.0
        half = 1.96 * cost.std(ddof=1) / np.sqrt(len(cost))
        off = made["said"] - made["worth"]
        print(
            f"{text}: {right.mean():.1%} ({low:.1%} to {high:.1%}) of {len(made):,} decisions are perfect;\n"
            f"  a game loses {cost.mean():.2%} (± {half:.2%}) of a win and so wins {0.5 - cost.mean():.1%};\n"
            f"  what it expects is off by {off.std():.3f} around {off.mean():+.3f}; {1000 * spent:.3f} ms a decision",
            flush=True,
        )


if __name__ == "__main__":
    main()
