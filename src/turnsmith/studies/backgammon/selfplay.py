"""A net for backgammon learns from games with itself, by temporal differences.

Both sides play the move after which the net expects most; the dice see to it that games differ. After a game every
position is taught what came of it: a mean of what the net said of the positions after it and of how the game ended, the
later ones counting less by `trace` (TD(λ)). All of it runs compiled, so no other library is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.digest import digest
from turnsmith.compile.kernel import compiled, copy, zero
from turnsmith.compile.rng import stream
from turnsmith.contract.game import OVER, Game
from turnsmith.contract.trainings import TrainingContext, TrainingResult
from turnsmith.games.backgammon.net import (
    BACKGAMMON,
    GAMMON,
    INPUTS,
    LOST_BACKGAMMON,
    LOST_GAMMON,
    MOST_ENDS,
    OUTPUTS,
    PLACES,
    STEPS,
    WIN,
    judge,
    list_ends,
    look,
    value_of,
)
from turnsmith.nets.dense import Net, flat, fresh
from turnsmith.play.step import draw_outcome

JUDGED = 400
"""Games between the net of a round and that of the first."""
LONGEST = 2048
"""Turns of a game that are learned from; longer games are ended, and nothing is learned of them."""


@dataclass(frozen=True)
class ValueSettings:
    games: int = setting(400_000, 1_000, 100_000_000)
    """Games with itself."""
    a_round: int = setting(20_000, 100, 1_000_000)
    """Games of a round, after which the net is kept and judged."""
    hidden: int = setting(80, 4, 1024)
    """Numbers in the hidden layer."""
    rate: float = setting(0.02, 1e-6, 1.0)
    """How far the net learns from a position, in the first round."""
    last_rate: float = setting(0.001, 1e-6, 1.0)
    """The same in the last round; it falls by the same factor from round to round."""
    trace: float = setting(0.7, 0.0, 1.0)
    """How much later positions count beyond the next one: λ."""
    seed: int = setting(1, 0, 2**31)
    """Of the first weights and the dice."""
    to: Path = Path("value.onnx")
    """The net."""


def play_and_learn(game, boards, weights, hidden_size, games, rate, trace, rng):
    """Play so many games with itself and learn from each; returns the turns played and the mean surprise."""
    board = boards[0]
    states, ways, ends = np.empty(1, game.State), np.empty(STEPS, game.State), np.empty(MOST_ENDS, game.State)
    firsts, met = np.empty(MOST_ENDS, np.int64), np.empty(PLACES, np.uint64)
    moves = np.empty((STEPS, max(board.actions, board.outcomes)), np.int32)
    chances, returns = np.empty(board.outcomes, np.float64), np.empty(2, np.float64)
    inputs, hidden, out = np.empty(INPUTS, np.float32), np.empty(hidden_size, np.float32), np.empty(OUTPUTS, np.float32)
    seen, said = np.empty((LONGEST, INPUTS), np.float32), np.empty((LONGEST, OUTPUTS), np.float32)
    target, slope = np.empty(OUTPUTS, np.float64), np.empty(OUTPUTS, np.float64)
    turns, surprise = 0, 0.0
    for _ in range(games):
        state, length = states[0], 0
        zero(state)
        game.setup(board, state)
        game.apply(board, state, draw_outcome(game, board, state, moves[0], chances, rng))
        mover = game.to_move(board, state)
        while mover != OVER and length < LONGEST:
            copy(ways[0], state)
            count, best, highest = list_ends(game, board, ways, ends, firsts, met, moves), 0, -np.inf
            for index in range(count):
                value = value_of(game, board, ends[index], mover, weights, inputs, hidden, out, returns)
                if value > highest:
                    best, highest = index, value
            copy(state, ends[best])
            if game.to_move(board, state) == OVER:
                break
            look(state, 1 - mover, seen[length])
            judge(weights, seen[length], hidden, said[length])
            length += 1
            game.apply(board, state, draw_outcome(game, board, state, moves[0], chances, rng))
            mover = game.to_move(board, state)
        if length == LONGEST:
            continue
        turns += length
        # The winner moved last; the last position that was judged is the winner's, who was about to roll.
        game.returns(board, state, returns)
        points = abs(returns[mover])
        target[WIN], target[GAMMON], target[BACKGAMMON] = (
            1.0,
            1.0 if points >= 2.0 else 0.0,
            1.0 if points >= 3.0 else 0.0,
        )
        target[LOST_GAMMON], target[LOST_BACKGAMMON] = 0.0, 0.0
        for turn in range(length - 1, -1, -1):
            surprise += learn(weights, seen[turn], hidden, out, target, slope, rate)
            for place in range(OUTPUTS):
                target[place] = trace * target[place] + (1.0 - trace) * said[turn, place]
            turn_round(target)
    return turns, surprise / max(1, turns)


def turn_round(target):
    """What one side is taught becomes what the other is taught about the position before."""
    target[WIN] = 1.0 - target[WIN]
    gammon, backgammon = target[GAMMON], target[BACKGAMMON]
    target[GAMMON], target[BACKGAMMON] = target[LOST_GAMMON], target[LOST_BACKGAMMON]
    target[LOST_GAMMON], target[LOST_BACKGAMMON] = gammon, backgammon


def learn(weights, inputs, hidden, out, target, slope, rate):
    """Go a step towards the target, of the cross entropy of all outputs; returns how far off the chance to win was."""
    size = hidden.shape[0]
    judge(weights, inputs, hidden, out)
    biases, second = INPUTS * size, (INPUTS + 1) * size
    last = second + size * OUTPUTS
    for place in range(OUTPUTS):
        slope[place] = rate * (target[place] - out[place])
        weights[last + place] += slope[place]
    for unit in range(size):
        value, back = hidden[unit], 0.0
        if value <= 0.0:
            hidden[unit] = 0.0
            continue
        for place in range(OUTPUTS):
            back += slope[place] * weights[second + unit * OUTPUTS + place]
            weights[second + unit * OUTPUTS + place] += slope[place] * value
        hidden[unit] = back
        weights[biases + unit] += back
    for place in range(INPUTS):
        if inputs[place] != 0.0:
            for unit in range(size):
                weights[place * size + unit] += hidden[unit] * inputs[place]
    return abs(target[WIN] - out[WIN])


def train(settings: ValueSettings, work: TrainingContext) -> TrainingResult:
    """Rounds of games; each is a step of the run, so that a killed one goes on with the round it was at."""
    from turnsmith.arena.tournament import arena
    from turnsmith.contract.loading import load
    from turnsmith.learn.run import Run

    game = load("backgammon:most=3")
    about = {name: value for name, value in vars(settings).items() if name != "to"}
    run = Run(work.folder, about, code=digest(game.digest, play_and_learn))
    rounds = -(-settings.games // settings.a_round)
    weights = flat(fresh((INPUTS, settings.hidden, OUTPUTS), settings.seed))
    for number in range(rounds):
        rate = settings.rate * (settings.last_rate / settings.rate) ** (number / max(1, rounds - 1))
        kept = run.arrays(f"round-{number}.npz", lambda: _round(game, settings, weights, number, rate))  # noqa: B023
        weights = kept["weights"]
        turns, surprise = kept["told"].tolist()
        latest, first = run.path("value.onnx"), run.path("first.onnx")
        for file in (latest, first) if number == 0 else (latest,):
            net_of(weights, settings).write(file, "backgammon")
        if number >= len(run.curve):
            table = arena(game, [f"learned:net={latest}", f"learned:net={first}"], JUDGED, seed=settings.seed)
            points = float(table.returns[table.seating == 0].mean())
            run.note(number, games=(number + 1) * settings.a_round, turns=turns / settings.a_round, surprise=surprise,
                     points_against_first=points)  # fmt: skip
            work.tell(
                f"{(number + 1) * settings.a_round:,} games: {points:+.2f} points a game against the first round's net"
            )
        work.progress(number + 1, rounds)
    net_of(weights, settings).write(settings.to, "backgammon")
    results = {"points a game against the net of the first round": run.curve[-1]["points_against_first"]}
    run.finish("A value of backgammon", work.command, results)
    return TrainingResult({"file": str(settings.to), "curve": run.curve}, str(settings.to))


def _round(game: Game, settings: ValueSettings, weights: Array, number: int, rate: float) -> dict[str, Array]:
    learned, rng = weights.copy(), stream(settings.seed, number, 7)
    games = min(settings.a_round, settings.games - number * settings.a_round)
    told = compiled(play_and_learn)(game, game.board(), learned, settings.hidden, games, rate, settings.trace, rng)
    return {"weights": learned, "told": np.array(told, np.float64)}


def net_of(weights: Array, settings: ValueSettings) -> Net:
    """The net of these numbers, as a file keeps it."""
    size = settings.hidden
    ends = np.cumsum([INPUTS * size, size, size * OUTPUTS, OUTPUTS])
    parts = np.split(weights, ends[:-1])
    layers = [(parts[0].reshape(INPUTS, size), parts[1]), (parts[2].reshape(size, OUTPUTS), parts[3])]
    about = {"kind": "backgammon", "game": "backgammon", **{k: str(v) for k, v in vars(settings).items() if k != "to"}}
    return Net(layers, "Sigmoid", about)
