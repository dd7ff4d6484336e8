"""Learning the value by play: games in mazes drawn by luck, then a fit to how many dots were eaten in the end.

A round leaves two files, its positions and the net fitted after it. A run that was stopped goes on from the last whole
round. Every fifth maze is never trained on: its games tell how good the net is. None of the shipped maps is ever seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.arena.runners import Plan, run
from turnsmith.game import Array, Game, load
from turnsmith.games.pacman.evaluation import COLUMNS, COUNT, EATEN, GHOST, LEFT, NEAREST, PACMAN, nearest_dot
from turnsmith.games.pacman.mazes import maze
from turnsmith.games.pacman.net import EIGHTS, HIDDEN, INPUTS, describe
from turnsmith.games.pacman.survey import Survey, survey
from turnsmith.kernel import compiled, scratch, zero
from turnsmith.learn.files import read_arrays, write_arrays, write_whole
from turnsmith.learn.perceptron import Layers, read_onnx, write_onnx
from turnsmith.learn.scores import reach
from turnsmith.player import player
from turnsmith.rng import below, stream

MAZES = 25
"""Mazes a round."""
REMEMBERED = 4
"""Rounds whose positions are trained on."""
EVERY = 2
"""One position in so many plies is learned from, on average; neighbours hardly differ."""
RIVAL = "negamax:evaluation=voronoi,noise=0.02,depth="
DEPTHS = (2, 3)

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Rows:
    """Positions that games came through."""

    inputs: Array
    """float32[rows, INPUTS]"""
    share: Array
    """float32[rows]: of the dots that were left, those that were eaten in the end"""
    left: Array
    """float32[rows]: the dots that were left, of all"""
    maze: Array
    """int32[rows]"""

    def of(self, chosen: Array) -> Rows:
        return Rows(*(column[chosen] for column in vars(self).values()))


def joined(parts: Sequence[Rows]) -> Rows:
    return Rows(*(np.concatenate(columns) for columns in zip(*(vars(p).values() for p in parts), strict=True)))


# ---------------------------------------------------------------- playing


def record(game, boards, around, log, offsets, states, inputs, share, left, rng):
    """Replay matches of one map and write a row for some of their positions; returns how many."""
    rows = 0
    board, state, map_ = boards[0], states[0], around[0]
    row = scratch(COLUMNS, np.int64)
    room = scratch(INPUTS, np.float64)
    for match in range(offsets.shape[0] - 1):
        zero(state)
        game.setup(board, state)
        first = rows
        for move in range(offsets[match], offsets[match + 1]):
            if game.to_move(board, state) >= 0 and below(rng, EVERY) == 0:
                row[COUNT], row[EATEN], row[LEFT] = state.pacmans, state.eaten, state.left
                for unit in range(state.pacmans):
                    row[PACMAN + unit] = state.pacman[unit]
                    row[NEAREST + unit] = nearest_dot(map_, state.dots, row[PACMAN + unit])
                for unit in range(board.ghosts):
                    row[GHOST + unit] = state.ghost[unit]
                ply = np.int64(state.ply)
                turns = (board.t_max - ply + 1) // 2 // EIGHTS * EIGHTS
                describe(board, map_, state.dots, row, ply & 1 == 1, turns, room)
                for index in range(INPUTS):
                    inputs[rows, index] = room[index]
                share[rows], left[rows] = state.eaten, state.left
                rows += 1
            game.apply(board, state, log[move])
        for at in range(first, rows):
            share[at] = (state.eaten - share[at]) / left[at]
            left[at] /= state.eaten + state.left
    return rows


def play_round(folder: Path, hero: str, games: int, seed: int, workers: int, progress: Progress) -> Rows:
    """Games in MAZES mazes; `hero` is a player's text that wants a depth behind it, empty before there is a net."""
    parts: list[Rows] = []
    each = max(2, games // MAZES)
    for number in range(MAZES):
        name = seed * MAZES + number
        file = folder / "mazes" / f"maze-{name}.txt"
        text = maze(name)
        write_whole(file, lambda target, text=text: target.write(text.encode()))  # type: ignore[misc]
        game = load(f"pacman:map={file},start=random")
        parts.append(play_maze(game, hero, each, name, workers))
        progress(number + 1, MAZES)
    return joined(parts)


def play_maze(game: Game, hero: str, games: int, number: int, workers: int) -> Rows:
    """Learning players meet each other in three games of five, and the rival on either side in the others."""
    roster = [f"{who}{depth}" for who in (hero or RIVAL, RIVAL) for depth in DEPTHS]
    random = np.random.default_rng(number)
    heroes, rivals = random.integers(0, 2, (2, games)), random.integers(2, 4, (2, games))
    kind = random.random(games)
    pacmans = np.where(kind < 0.2, rivals[0], heroes[0])
    ghosts = np.where((kind >= 0.2) & (kind < 0.4), rivals[1], heroes[1])
    plan = Plan(game, [player(text, game) for text in roster], np.stack([pacmans, ghosts], 1).astype(np.int32), number)
    boards = game.board()
    around = survey(boards)
    parts = []
    for batch in run(plan, np.arange(games, dtype=np.int64), workers):
        room = len(batch.log)
        columns = np.zeros((room, INPUTS), np.float32), np.zeros(room, np.float32), np.zeros(room, np.float32)
        states, rng = np.zeros(1, game.State), stream(number, int(batch.numbers[0]))
        count = compiled(record)(game, boards, around.view(Survey), batch.log, batch.offsets, states, *columns, rng)
        inputs, share, left = (column[:count] for column in columns)
        parts.append(Rows(inputs, share, left, np.full(count, number, np.int32)))
    return joined(parts)


# ---------------------------------------------------------------- fitting


def least_squares(rows: Rows) -> tuple[Array, float]:
    """Weights and bias of the best linear guess, errors counted in dots."""
    inputs = np.concatenate([rows.inputs.astype(np.float64), np.ones((len(rows.share), 1))], axis=1)
    weighed = inputs * (rows.left.astype(np.float64) ** 2)[:, None]
    ridge = 1e-4 * len(inputs) * np.eye(INPUTS + 1)
    found = np.linalg.solve(weighed.T @ inputs + ridge, weighed.T @ rows.share.astype(np.float64))
    return found[:-1], float(found[-1])


def fresh(rows: Rows, seed: int) -> Layers:
    """A net that begins as the best linear guess: its first hidden number is that, so far above 0 that it stays so."""
    random = np.random.default_rng(seed)
    first = random.normal(0.0, 0.5, (INPUTS, HIDDEN))
    last = np.zeros((HIDDEN, 1))
    linear, bias = least_squares(rows)
    first[:, 0], last[0, 0] = linear, 1.0
    biases = random.normal(0.0, 0.5, HIDDEN)
    biases[0] = bias + 2.0
    return [(first, biases), (last, np.array([-2.0]))]


def guess(layers: Layers, inputs: Array) -> Array:
    (first, first_bias), (last, last_bias) = layers
    return np.asarray((np.maximum(inputs @ first + first_bias, 0.0) @ last + last_bias)[:, 0])


def fit(rows: Rows, layers: Layers, epochs: int, seed: int) -> Layers:
    """Train a net by Adam, from `layers` on, to the least squared error in dots; the rate falls to nothing."""
    random = np.random.default_rng(seed)
    parts = [np.array(part, np.float32) for layer in layers for part in layer]
    means, squares = [np.zeros_like(p) for p in parts], [np.zeros_like(p) for p in parts]
    batch, rate, step = 512, 3e-3, 0
    steps = epochs * -(-len(rows.share) // batch)
    for _ in range(epochs):
        order = random.permutation(len(rows.share))
        for begin in range(0, len(order), batch):
            chosen = order[begin : begin + batch]
            inputs, weight = rows.inputs[chosen], rows.left[chosen] ** 2
            before = inputs @ parts[0] + parts[1]
            hidden = np.maximum(before, 0.0)
            error = ((hidden @ parts[2] + parts[3])[:, 0] - rows.share[chosen]) * weight * 2 / len(chosen)
            back = (error[:, None] * parts[2].T) * (before > 0)
            slopes = [inputs.T @ back, back.sum(0), hidden.T @ error[:, None], error.sum(keepdims=True)]
            step += 1
            pace = rate * (1 - step / (steps + 1))
            for place, slope in enumerate(slopes):
                means[place] += 0.1 * (slope - means[place])
                squares[place] += 0.001 * (slope**2 - squares[place])
                mean, square = means[place] / (1 - 0.9**step), squares[place] / (1 - 0.999**step)
                parts[place] -= pace * mean / (np.sqrt(square) + 1e-8)
    return [(parts[0], parts[1]), (parts[2], parts[3])]


def quality(layers: Layers, training: Rows, test: Rows) -> dict[str, Any]:
    """How far guesses are off on mazes never trained on, in shares of all dots: the net, the best line, the mean."""
    linear, bias = least_squares(training)
    usual = np.average(training.share, weights=training.left**2)
    guesses = {
        "net": guess(layers, test.inputs),
        "line": test.inputs @ linear + bias,
        "mean": np.full(len(test.share), usual),
    }
    found: dict[str, Any] = {"rows": len(test.share), "mazes": len(np.unique(test.maze))}
    for name, said in guesses.items():
        error = ((said - test.share) * test.left) ** 2
        found[name] = {"squared_error": round(float(error.mean()), 5), "reach": round(reach(error, test.maze), 5)}
    return found


# ---------------------------------------------------------------- the run


def net_file(folder: Path, number: int) -> Path:
    return folder / f"value-{number}.onnx"


def rows_file(folder: Path, number: int) -> Path:
    return folder / f"rows-{number}.npz"


def learn(
    folder: Path, rounds: int, games: int, seed: int, workers: int, progress: Progress,
    tell: Callable[[int, dict[str, Any]], None],
) -> Path:  # fmt: skip
    """Play and fit `rounds` rounds, those that are done left as they are; returns the newest net."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(rounds):
        if net_file(folder, number).exists():
            continue
        if not rows_file(folder, number).exists():
            hero = f"learned:noise=0.02,file={net_file(folder, number - 1)},depth=" if number else ""
            write_arrays(
                rows_file(folder, number),
                vars(play_round(folder, hero, games, seed * 1000 + number, workers, progress)),
            )
        kept = range(max(0, number - REMEMBERED + 1), number + 1)
        rows = joined([Rows(**read_arrays(rows_file(folder, old))) for old in kept])
        test = rows.maze % 5 == 0
        start = read_onnx(net_file(folder, number - 1)) if number else fresh(rows.of(~test), seed)
        layers = fit(rows.of(~test), start, 6 if number == 0 else 3, seed + number)
        tell(number, quality(layers, rows.of(~test), rows.of(test)))
        write_onnx(layers, net_file(folder, number), "share of the dots left that will be eaten", last=None)
    return net_file(folder, rounds - 1)
