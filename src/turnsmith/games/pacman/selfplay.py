"""Learning the value by play and by looking ahead: games in mazes drawn at random, then sweeps over their positions.

Each side gets a net of its own, and they differ in patience: a dot eaten a turn later is worth less, by a factor that
is smaller for the pacmans (who else would leave dots for later, though later somebody catches them) than for the
ghosts. First a net is fitted to the dots that were eaten in the games. Then every sweep asks a search two plies deep,
which asks the newest net, what all the positions are worth, and fits the next net to that.

Games and every sweep leave a file. A run that was stopped goes on from there. Every fifth maze is never trained on: its
positions tell how good the nets are. None of the shipped maps is ever seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.arena.runners import Plan, run
from turnsmith.game import Array, Game, load
from turnsmith.games.pacman.evaluation import (
    COLUMNS,
    COUNT,
    EATEN,
    GHOST,
    LEFT,
    NEAREST,
    PACMAN,
    SCALE,
    nearest_dot,
)
from turnsmith.games.pacman.mazes import maze
from turnsmith.games.pacman.negamax import FIRST_WEIGHT, Desk, Entry, Frame, Learned, search, set_up
from turnsmith.games.pacman.net import EIGHTS, HIDDEN, INPUTS, SOON, describe, flat, halves, whole
from turnsmith.games.pacman.rules import PACMANS
from turnsmith.games.pacman.survey import Survey, survey
from turnsmith.kernel import compiled, copy, scratch, zero
from turnsmith.learn.files import read_arrays, write_arrays, write_whole
from turnsmith.learn.nets import Layers, read_onnx, write_onnx
from turnsmith.learn.scores import reach
from turnsmith.player import player
from turnsmith.rng import below, set_stream
from turnsmith.search.limits import PLIES, start_work

GAMES_A_MAZE = 80
EVERY, SIBLINGS = 16, 3
"""One ply in so many is learned from, on average (neighbours hardly differ): the position after the move that was made
and after others drawn at random, which is what a search meets."""
PATIENCE = (0.95, 0.98)
"""What a dot a turn later is worth, to the pacmans' net and to the ghosts'."""
LOOK, TABLE = 2, 14
"""Plies that a sweep looks ahead, and the size of its table."""
LAST_PLIES = 8
"""So near the end of a game nothing is learned: a sweep would see the end and the net cannot."""
ROSTER = {
    "negamax:evaluation=voronoi,noise=0.02,depth=2": (0.4, 0.35),
    "negamax:evaluation=voronoi,noise=0.02,depth=3": (0.3, 0.25),
    "negamax:weights=main,noise=0.02,depth=2": (0.15, 0.15),
    "negamax:noise=0.02,depth=2": (0.15, 0.1),
    "original-ghosts": (0.0, 0.15),
}
"""Who plays, and the chances of each to be the pacmans and the ghosts."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Rows:
    """Positions that games came through, or nearly."""

    inputs: Array
    """float32[rows, pacmans, INPUTS]; zeros for a pacman that is caught"""
    there: Array
    """float32[rows, pacmans]: 1 for those that are not caught"""
    maze: Array
    """int64[rows]"""

    def of(self, chosen: Array) -> Rows:
        return Rows(self.inputs[chosen], self.there[chosen], self.maze[chosen])


@dataclass(frozen=True)
class Maze:
    """A maze and the positions met in it."""

    number: int
    game: Game
    boards: Array
    survey: Array
    states: Array
    """State[positions]"""
    later: Array
    """float32[positions, 2]: the dots eaten later, as the pacmans and as the ghosts count them; below 0 where the game
    went another way"""


# ---------------------------------------------------------------- playing


def sample(game, boards, log, offsets, numbers, states, acts, positions, later, events, seed):
    """Replay matches of one maze and copy some of their positions; returns how many. Which ones follows from the seed
    and a match's number alone: how matches come in batches is a matter of time."""
    rows, rng = 0, np.zeros(1, np.uint64)
    board, state = boards[0], states[0]
    for match in range(offsets.shape[0] - 1):
        set_stream(rng, seed, np.uint64(numbers[match]), 0)
        zero(state)
        game.setup(board, state)
        first, eaten = rows, 0
        for move in range(offsets[match], offsets[match + 1]):
            seat = game.to_move(board, state)
            if seat >= 0 and below(rng, EVERY) == 0 and state.ply + LAST_PLIES < board.t_max:
                count = game.legal(board, state, acts)
                for sibling in range(SIBLINGS):
                    copy(positions[rows], state)
                    game.apply(board, positions[rows], log[move] if sibling == 0 else acts[below(rng, count)])
                    if game.to_move(board, positions[rows]) >= 0:
                        later[rows, 0] = 0.0 if sibling == 0 else -1.0
                        rows += 1
            before = np.int64(state.eaten)
            game.apply(board, state, log[move])
            for _ in range(before, np.int64(state.eaten)):
                events[eaten] = state.ply - 1
                eaten += 1
        for at in range(first, rows):
            later[at, 1] = later[at, 0]
            for index in range(eaten):
                turns = (events[index] - np.int64(positions[at].ply)) // 2 + 1
                if later[at, 0] >= 0.0 and turns > 0:
                    for side in range(2):
                        later[at, side] += PATIENCE[side] ** turns
    return rows


def play(folder: Path, number: int, workers: int) -> None:
    """Games in one maze, and a file with their positions."""
    write_whole(maze_file(folder, number), lambda target: target.write(maze(number).encode()))
    game = maze_game(folder, number)
    random = np.random.default_rng(number)
    chances = np.array(list(ROSTER.values()))
    seats = np.stack([random.choice(len(ROSTER), GAMES_A_MAZE, p=side) for side in chances.T], axis=1)
    plan = Plan(game, [player(text, game) for text in ROSTER], seats.astype(np.int32), number)
    boards, parts = game.board(), {}
    acts = np.zeros(int(boards[0].actions), np.int32)
    for batch in run(plan, np.arange(GAMES_A_MAZE, dtype=np.int64), workers):
        room = SIBLINGS * len(batch.log)
        positions, later = np.zeros(room, game.State), np.zeros((room, 2), np.float32)
        count = compiled(sample)(
            game, boards, batch.log, batch.offsets, batch.numbers, np.zeros(1, game.State), acts, positions, later,
            np.zeros(int(boards[0].cells), np.int64), np.uint64(number),
        )  # fmt: skip
        parts[int(batch.numbers[0])] = positions[:count], later[:count]
    in_order = [parts[first] for first in sorted(parts)]
    states, outcomes = (np.concatenate(columns) for columns in zip(*in_order, strict=True))
    bytes_ = np.frombuffer(states.tobytes(), np.uint8).reshape(len(states), -1)
    write_arrays(positions_file(folder, number), {"states": bytes_, "later": outcomes})


def read_maze(folder: Path, number: int) -> Maze:
    game, found = maze_game(folder, number), read_arrays(positions_file(folder, number))
    boards = game.board()
    states = np.frombuffer(found["states"].tobytes(), game.State)
    return Maze(number, game, boards, survey(boards).view(Survey), states.copy(), found["later"])


# ---------------------------------------------------------------- looking at positions


def describe_all(boards, around, states, room, inputs):
    """inputs[position, pacman] for each of `states`; room is float64[UNITS, INPUTS]."""
    board, map_ = boards[0], around[0]
    row = scratch(COLUMNS, np.int64)
    for at in range(states.shape[0]):
        state = states[at]
        row[COUNT], row[EATEN], row[LEFT] = state.pacmans, state.eaten, state.left
        for unit in range(state.pacmans):
            row[PACMAN + unit] = state.pacman[unit]
            row[NEAREST + unit] = nearest_dot(map_, state.dots, row[PACMAN + unit])
        for unit in range(board.ghosts):
            row[GHOST + unit] = state.ghost[unit]
        ply = np.int64(state.ply)
        turns = (board.t_max - ply + 1) // 2 // EIGHTS * EIGHTS
        describe(board, map_, state.dots, row, ply & 1 != PACMANS, turns, room)
        for unit in range(state.pacmans):
            for index in range(INPUTS):
                inputs[at, unit, index] = room[unit, index]


def look_ahead(boards, around, states, desks, table, frames, moves, scores, params, value):
    """value[position]: the dots that will be eaten from each of `states` on, by a search of LOOK plies."""
    board, map_, desk, never = boards[0], around[0], desks[0], np.zeros(1, np.int64)
    for at in range(states.shape[0]):
        state = states[at]
        ply, found = np.int64(state.ply), np.int64(0)
        set_up(board, state, map_, desk, params)
        work = start_work(params)
        for depth in range(1, LOOK + 1):
            found = search(
                board, map_, desk, frames, moves, scores, table, work, never, ply, np.int64(depth), np.int64(0)
            )
        value[at] = (found if ply & 1 == PACMANS else -found) / SCALE - state.eaten


def rows_of(mazes: Sequence[Maze]) -> Rows:
    parts = []
    for each in mazes:
        pacmans, count = int(each.boards[0].pacmans), len(each.states)
        inputs = np.zeros((count, pacmans, INPUTS), np.float32)
        compiled(describe_all)(each.boards, each.survey, each.states, np.zeros((pacmans, INPUTS)), inputs)
        there = (np.arange(pacmans) < each.states["pacmans"][:, None]).astype(np.float32)
        parts.append((inputs, there, np.full(count, each.number)))
    return Rows(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def ahead(mazes: Sequence[Maze], file: Path, side: int, workers: int) -> Array:
    """float32[positions]: what all positions are worth when a search asks the net of a side in a file."""
    net = flat(halves(read_onnx(file))[side], 1.0, False)
    searching = Learned(exact=True, table=TABLE, file=str(file))

    def of(each: Maze) -> Array:
        actions = int(each.boards[0].actions)
        ready = searching.prepare(each.game, each.boards)
        params = np.concatenate([ready.params[:FIRST_WEIGHT], net, net])
        value = np.zeros(len(each.states), np.float32)
        desk, table, frames = np.zeros(1, Desk), np.zeros(1 << TABLE, Entry), np.zeros(PLIES, Frame)
        moves, scores = np.zeros((PLIES, actions), np.int32), np.zeros((PLIES, actions), np.int64)
        compiled(look_ahead)(
            each.boards, each.survey, each.states, desk, table, frames, moves, scores, params, value
        )  # fmt: skip
        return value

    with ThreadPoolExecutor(workers) as threads:
        return np.concatenate(list(threads.map(of, mazes)))


# ---------------------------------------------------------------- fitting


def least_squares(rows: Rows, target: Array) -> tuple[Array, float]:
    """Weights and bias of the best linear guess, the same for each pacman."""
    inputs = np.concatenate([rows.inputs.sum(axis=1), rows.there.sum(axis=1, keepdims=True)], axis=1, dtype=np.float64)
    found = np.linalg.solve(inputs.T @ inputs + 1e-4 * len(inputs) * np.eye(INPUTS + 1), inputs.T @ (target / SOON))
    return found[:-1], float(found[-1])


def fresh(rows: Rows, target: Array, seed: int) -> Layers:
    """A net that begins as the best linear guess: its first hidden number is that, so far above 0 that it stays so."""
    random = np.random.default_rng(seed)
    first = random.normal(0.0, 0.5, (INPUTS, HIDDEN))
    last = np.zeros((HIDDEN, 1))
    linear, bias = least_squares(rows, target)
    first[:, 0], last[0, 0] = linear, 1.0
    biases = random.normal(0.0, 0.5, HIDDEN)
    biases[0] = bias + 2.0
    return [(first, biases), (last, np.array([-2.0]))]


def guess(layers: Layers, rows: Rows) -> Array:
    """float[rows]: the dots that will be eaten."""
    (first, first_bias), (last, last_bias) = layers
    each = np.maximum(rows.inputs @ first + first_bias, 0.0) @ last + last_bias
    return np.asarray(SOON * (each[:, :, 0] * rows.there).sum(axis=1))


def fit(rows: Rows, target: Array, layers: Layers, epochs: int, rate: float, seed: int) -> Layers:
    """Train a net by Adam, from `layers` on, to the least squared error; the rate falls to nothing."""
    random = np.random.default_rng(seed)
    parts = [np.array(part, np.float32) for layer in layers for part in layer]
    means, squares = [np.zeros_like(p) for p in parts], [np.zeros_like(p) for p in parts]
    batch, step = 256, 0
    steps = epochs * -(-len(target) // batch)
    for _ in range(epochs):
        order = random.permutation(len(target))
        for begin in range(0, len(order), batch):
            chosen = order[begin : begin + batch]
            there = rows.there[chosen]
            inputs = rows.inputs[chosen].reshape(-1, INPUTS)
            before = inputs @ parts[0] + parts[1]
            hidden = np.maximum(before, 0.0)
            said = ((hidden @ parts[2] + parts[3]).reshape(there.shape) * there).sum(axis=1)
            error = (said - target[chosen] / SOON) * 2 / len(chosen)
            error = (error[:, None] * there).reshape(-1, 1)
            back = (error * parts[2].T) * (before > 0)
            slopes = [inputs.T @ back, back.sum(0), hidden.T @ error, error.sum(0)]
            step += 1
            pace = rate * (1 - step / (steps + 1))
            for place, slope in enumerate(slopes):
                means[place] += 0.1 * (slope - means[place])
                squares[place] += 0.001 * (slope**2 - squares[place])
                mean, square = means[place] / (1 - 0.9**step), squares[place] / (1 - 0.999**step)
                parts[place] -= pace * mean / (np.sqrt(square) + 1e-8)
    return [(parts[0], parts[1]), (parts[2], parts[3])]


def quality(layers: Layers, training: Rows, test: Rows, targets: tuple[Array, Array]) -> dict[str, Any]:
    """How far guesses are off on mazes never trained on, in dots: the net, the best line, the mean."""
    linear, bias = least_squares(training, targets[0])
    guesses = {
        "net": guess(layers, test),
        "line": SOON * ((test.inputs @ linear + bias) * test.there).sum(axis=1),
        "mean": np.full(len(targets[1]), targets[0].mean()),
    }
    found: dict[str, Any] = {"rows": len(test.maze), "mazes": len(np.unique(test.maze))}
    for name, said in guesses.items():
        error = (said - targets[1]) ** 2
        found[name] = {"squared_error": round(float(error.mean()), 3), "reach": round(reach(error, test.maze), 3)}
    return found


# ---------------------------------------------------------------- the run


def maze_file(folder: Path, number: int) -> Path:
    return folder / "mazes" / f"maze-{number}.txt"


def maze_game(folder: Path, number: int) -> Game:
    return load(f"pacman:map={maze_file(folder, number)},start=random")


def positions_file(folder: Path, number: int) -> Path:
    return folder / f"positions-{number}.npz"


def net_file(folder: Path, sweep: int) -> Path:
    return folder / f"value-{sweep}.onnx"


def learn(
    folder: Path, games: int, sweeps: int, seed: int, workers: int, progress: Progress,
    tell: Callable[[int, str, dict[str, Any]], None],
) -> Path:  # fmt: skip
    """Play, fit to what was eaten, and sweep; what is done is left as it is. Returns the newest nets."""
    numbers = range(seed * 1000, seed * 1000 + max(5, games // GAMES_A_MAZE))
    for index, number in enumerate(numbers):
        progress(index, len(numbers) + sweeps + 1)
        if not positions_file(folder, number).exists():
            play(folder, number, workers)
    todo = [sweep for sweep in range(sweeps + 1) if not net_file(folder, sweep).exists()]
    if not todo:
        return net_file(folder, sweeps)
    mazes = [read_maze(folder, number) for number in numbers]
    rows, later = rows_of(mazes), np.concatenate([each.later for each in mazes])
    known = later[:, 0] >= 0
    for sweep in todo:
        progress(len(numbers) + sweep, len(numbers) + sweeps + 1)
        nets = []
        for side, name in enumerate(("pacmans", "ghosts")):
            if sweep == 0:
                seen, target = rows.of(known), later[known, side]
            else:
                last = net_file(folder, sweep - 1)
                seen, target = rows, PATIENCE[side] * ahead(mazes, last, side, workers)
            test = seen.maze % 5 == 0
            training, goal = seen.of(~test), target[~test]
            start = halves(read_onnx(last))[side] if sweep else fresh(training, goal, seed)
            nets.append(fit(training, goal, start, 2 if sweep > 1 else 4, 2e-3 if sweep else 3e-3, seed + sweep))
            tell(sweep, name, quality(nets[side], training, seen.of(test), (goal, target[test])))
        about = "dots each pacman will eat soon, in 16ths: for the pacmans' search, for the ghosts' search"
        write_onnx(whole(*nets), net_file(folder, sweep), about, last=None)
    return net_file(folder, sweeps)
