"""Learning the value by play and by looking ahead: games in mazes drawn at random, then sweeps over their positions.

Each side gets a net of its own, and they differ in patience: a dot eaten a turn later is worth less, by a factor that
is smaller for the pacmans (who else would leave dots for later, though later somebody catches them) than for the
ghosts. First a net is fitted to the dots that were eaten in the games. Then every sweep asks a search two plies deep,
which asks the newest net, what all the positions are worth, and fits the next net to that.

The games of a maze and every sweep are steps of a run, so one that was stopped goes on from there. Every fifth maze is
never trained on: its positions tell how good the nets are. None of the shipped maps is ever seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.arena.runners import ArenaPlan
from turnsmith.arena.runners import run as run_matches
from turnsmith.common.arrays import Array
from turnsmith.common.extras import extra, refuse_without
from turnsmith.common.files import write_text
from turnsmith.compile.digest import digest
from turnsmith.compile.kernel import compiled, copy, scratch, zero
from turnsmith.compile.rng import below, set_stream
from turnsmith.contract.game import Game
from turnsmith.contract.loading import load
from turnsmith.contract.trainings import TrainingContext, TrainingResult
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
from turnsmith.games.pacman.negamax import (
    FIRST_WEIGHT,
    Entry,
    Frame,
    JointBuffers,
    PacmanLearned,
    SearchState,
    search,
    set_up,
)
from turnsmith.games.pacman.net import EIGHTS, HIDDEN, INPUTS, SOON, describe, flat, halves, whole
from turnsmith.games.pacman.rules import PACMANS
from turnsmith.games.pacman.survey import Survey, survey
from turnsmith.learn.fit import FittingSettings, fit
from turnsmith.learn.report import numbers_scored
from turnsmith.learn.run import Run
from turnsmith.nets.dense import Layers, layers_of, module_of, read_onnx, write_onnx
from turnsmith.nets.files import read_json, write_json
from turnsmith.play.player import player
from turnsmith.search.limits import PLIES, start_work
from turnsmith.studies.pacman.trainings import PacmanValueSettings

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

SIDES, GUESSES = ("pacmans", "ghosts"), ("net", "line", "mean")


@dataclass(frozen=True)
class PacmanPositions:
    """Positions that games came through, or nearly."""

    inputs: Array
    """float32[rows, pacmans, INPUTS]; zeros for a pacman that is caught"""
    there: Array
    """float32[rows, pacmans]: 1 for those that are not caught"""
    maze: Array
    """int64[rows]"""

    def of(self, chosen: Array) -> PacmanPositions:
        return PacmanPositions(self.inputs[chosen], self.there[chosen], self.maze[chosen])


@dataclass(frozen=True)
class MazePositions:
    """A maze and the positions met in it."""

    number: int
    game: Game
    boards: Array
    map_tables: Array
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


def play(game: Game, number: int, workers: int) -> dict[str, Array]:
    """Games in one maze, and the positions taken from them."""
    random = np.random.default_rng(number)
    chances = np.array(list(ROSTER.values()))
    seats = np.stack([random.choice(len(ROSTER), GAMES_A_MAZE, p=side) for side in chances.T], axis=1)
    plan = ArenaPlan(game, [player(text, game) for text in ROSTER], seats.astype(np.int32), number)
    boards, parts = game.board(), {}
    acts = np.zeros(int(boards[0].actions), np.int32)
    for batch in run_matches(plan, np.arange(GAMES_A_MAZE, dtype=np.int64), workers):
        room = SIBLINGS * len(batch.log)
        positions, later = np.zeros(room, game.State), np.zeros((room, 2), np.float32)
        count = compiled(sample)(
            game, boards, batch.log, batch.offsets, batch.numbers, np.zeros(1, game.State), acts, positions, later,
            np.zeros(int(boards[0].cells), np.int64), np.uint64(number),
        )  # fmt: skip
        parts[int(batch.numbers[0])] = positions[:count], later[:count]
    in_order = [parts[first] for first in sorted(parts)]
    states, outcomes = (np.concatenate(columns) for columns in zip(*in_order, strict=True))
    return {"states": np.frombuffer(states.tobytes(), np.uint8).reshape(len(states), -1), "later": outcomes}


def played(run: Run, number: int, workers: int) -> MazePositions:
    """A maze and the positions met in it, both kept by the run."""
    file = run.file(f"mazes/maze-{number}.txt", lambda path: write_text(path, maze(number)))
    game = load(f"pacman:map={file},start=random")
    arrays, boards = run.arrays(f"positions-{number}.npz", lambda: play(game, number, workers)), game.board()
    states = np.frombuffer(arrays["states"].tobytes(), game.State)
    return MazePositions(number, game, boards, survey(boards).view(Survey), states.copy(), arrays["later"])


# ---------------------------------------------------------------- looking at positions


def describe_all(boards, tables, states, room, inputs):
    """inputs[position, pacman] for each of `states`; room is float64[UNITS, INPUTS]."""
    board, map_tables = boards[0], tables[0]
    row = scratch(COLUMNS, np.int64)
    for at in range(states.shape[0]):
        state = states[at]
        row[COUNT], row[EATEN], row[LEFT] = state.pacmans, state.eaten, state.left
        for unit in range(state.pacmans):
            row[PACMAN + unit] = state.pacman[unit]
            row[NEAREST + unit] = nearest_dot(map_tables, state.dots, row[PACMAN + unit])
        for unit in range(board.ghosts):
            row[GHOST + unit] = state.ghost[unit]
        ply = np.int64(state.ply)
        turns = (board.t_max - ply + 1) // 2 // EIGHTS * EIGHTS
        describe(board, map_tables, state.dots, row, ply & 1 != PACMANS, turns, room)
        for unit in range(state.pacmans):
            for index in range(INPUTS):
                inputs[at, unit, index] = room[unit, index]


def look_ahead(boards, tables, states, search_states, buffers, params, value):
    """value[position]: the dots that will be eaten from each of `states` on, by a search of LOOK plies."""
    board, map_tables, search_state = boards[0], tables[0], search_states[0]
    frames, moves, scores, table, _, rows, never = buffers
    for at in range(states.shape[0]):
        state = states[at]
        ply, found = np.int64(state.ply), np.int64(0)
        set_up(board, state, map_tables, search_state, params)
        own = JointBuffers(frames, moves, scores, table, start_work(params), rows, never)
        for depth in range(1, LOOK + 1):
            found = search(board, map_tables, search_state, own, ply, np.int64(depth), np.int64(0))
        value[at] = (found if ply & 1 == PACMANS else -found) / SCALE - state.eaten


def rows_of(mazes: Sequence[MazePositions]) -> PacmanPositions:
    parts = []
    for here in mazes:
        pacmans, count = int(here.boards[0].pacmans), len(here.states)
        inputs = np.zeros((count, pacmans, INPUTS), np.float32)
        compiled(describe_all)(here.boards, here.map_tables, here.states, np.zeros((pacmans, INPUTS)), inputs)
        there = (np.arange(pacmans) < here.states["pacmans"][:, None]).astype(np.float32)
        parts.append((inputs, there, np.full(count, here.number)))
    return PacmanPositions(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def ahead(mazes: Sequence[MazePositions], file: Path, side: int, workers: int) -> Array:
    """float32[positions]: what all positions are worth when a search asks the net of a side in a file."""
    net = flat(halves(read_onnx(file))[side], 1.0, False)
    searching = PacmanLearned(exact=True, table=TABLE, file=str(file))

    def of(here: MazePositions) -> Array:
        actions = int(here.boards[0].actions)
        ready = searching.prepare(here.game, here.boards)
        params = np.concatenate([ready.params[:FIRST_WEIGHT], net, net])
        value = np.zeros(len(here.states), np.float32)
        buffers = JointBuffers(
            np.zeros(PLIES, Frame), np.zeros((PLIES, actions), np.int32), np.zeros((PLIES, actions), np.int64),
            np.zeros(1 << TABLE, Entry), np.zeros(0, np.int64), np.zeros((0, 2)), np.zeros(1, np.int64),
        )  # fmt: skip
        search_states = np.zeros(1, SearchState)
        compiled(look_ahead)(here.boards, here.map_tables, here.states, search_states, buffers, params, value)
        return value

    with ThreadPoolExecutor(workers) as threads:
        return np.concatenate(list(threads.map(of, mazes)))


# ---------------------------------------------------------------- fitting


def least_squares(rows: PacmanPositions, target: Array) -> tuple[Array, float]:
    """Weights and bias of the best linear guess, the same for each pacman."""
    inputs = np.concatenate([rows.inputs.sum(axis=1), rows.there.sum(axis=1, keepdims=True)], axis=1, dtype=np.float64)
    solution = np.linalg.solve(inputs.T @ inputs + 1e-4 * len(inputs) * np.eye(INPUTS + 1), inputs.T @ (target / SOON))
    return solution[:-1], float(solution[-1])


def fresh(rows: PacmanPositions, target: Array, seed: int) -> Layers:
    """A net that begins as the best linear guess: its first hidden number is that, so far above 0 that it stays so."""
    random = np.random.default_rng(seed)
    first = random.normal(0.0, 0.5, (INPUTS, HIDDEN))
    last = np.zeros((HIDDEN, 1))
    linear, bias = least_squares(rows, target)
    first[:, 0], last[0, 0] = linear, 1.0
    biases = random.normal(0.0, 0.5, HIDDEN)
    biases[0] = bias + 2.0
    return [(first, biases), (last, np.array([-2.0]))]


def guess(layers: Layers, rows: PacmanPositions) -> Array:
    """float[rows]: the dots that will be eaten."""
    (first, first_bias), (last, last_bias) = layers
    values = np.maximum(rows.inputs @ first + first_bias, 0.0) @ last + last_bias
    return np.asarray(SOON * (values[:, :, 0] * rows.there).sum(axis=1))


def fitted(layers: Layers, rows: PacmanPositions, target: Array, epochs: int, rate: float, seed: int) -> Layers:
    """Train a net from `layers` on to the least squared error of what all pacmans of a position are worth together."""
    torch, module = extra("torch"), module_of(layers)
    goals = (target / SOON).astype(np.float32)
    inputs, there, goal = (torch.from_numpy(part) for part in (rows.inputs, rows.there, goals))

    def loss(chosen: Any) -> Any:
        guessed = (module(inputs[chosen]).squeeze(-1) * there[chosen]).sum(dim=1)
        return ((guessed - goal[chosen]) ** 2).mean()

    how = FittingSettings(epochs=epochs, batch=256, rate=rate, schedule="falling", seed=seed)
    return layers_of(fit(module, loss, np.arange(len(goals)), how).best)


def quality(
    layers: Layers, training: PacmanPositions, test: PacmanPositions, targets: tuple[Array, Array]
) -> dict[str, Any]:
    """How far guesses are off on mazes never trained on, in dots: the net, the best line, the mean."""
    linear, bias = least_squares(training, targets[0])
    guesses = {
        "net": guess(layers, test),
        "line": SOON * ((test.inputs @ linear + bias) * test.there).sum(axis=1),
        "mean": np.full(len(targets[1]), targets[0].mean()),
    }
    result: dict[str, Any] = {"rows": len(test.maze), "mazes": len(np.unique(test.maze))}
    for name, guessed in guesses.items():
        scored = numbers_scored(guessed, targets[1], test.maze)
        result[name] = {measure: round(number, 3) for measure, number in scored.items()}
    return result


# ---------------------------------------------------------------- the run


def net_name(sweep: int) -> str:
    return f"value-{sweep}.onnx"


def train(settings: PacmanValueSettings, work: TrainingContext) -> TrainingResult:
    """Play, fit to what was eaten, and sweep; what is done is left as it is."""
    refuse_without("torch")  # rather than after all games are played
    game = load("pacman:start=random")
    code = digest(game.digest, *(player(text, game).digest() for text in ROSTER), sample, describe_all, look_ahead)
    run = Run(work.folder, settings, free=("sweeps",), code=code)
    numbers = range(settings.seed * 1000, settings.seed * 1000 + max(5, settings.games // GAMES_A_MAZE))
    steps, mazes, rows = len(numbers) + settings.sweeps + 1, list[MazePositions](), list[dict[str, Any]]()
    for index, number in enumerate(numbers):
        work.progress(index, steps)
        mazes.append(played(run, number, work.workers))
    positions = cache(lambda: rows_of(mazes))
    for sweep in range(settings.sweeps + 1):
        work.progress(len(numbers) + sweep, steps)
        run.file(net_name(sweep), partial(swept, run, mazes, positions, sweep, settings.seed, work.workers))
        judged = read_json(run.path(f"judged-{sweep}.json"))
        run.note(sweep, **{f"{side}_{name}": judged[side][name]["squared_error"] for side in SIDES for name in GUESSES})
        for side in SIDES:
            rows.append({"sweep": sweep, "side": side, **judged[side]})
            work.tell(shown(sweep, side, judged[side]))
    work.progress(steps, steps)
    last = {f"squared error, {row['side']}": row["net"]["squared_error"] for row in rows[-2:]}
    run.finish("Pac-Man: the nets of `learned`", work.command, last)
    return TrainingResult(rows, str(run.path(net_name(settings.sweeps))))


def swept(
    run: Run,
    mazes: Sequence[MazePositions],
    positions: Callable[[], PacmanPositions],
    sweep: int,
    seed: int,
    workers: int,
    file: Path,
) -> None:
    """Fit the nets of a sweep: to what was eaten in the games, then to what a search says that asks the last nets."""
    later, last = np.concatenate([part.later for part in mazes]), run.path(net_name(sweep - 1))
    rows, nets, judged = positions(), [], {}
    for side, name in enumerate(SIDES):
        if sweep == 0:
            known = later[:, 0] >= 0
            seen, target = rows.of(known), later[known, side]
        else:
            seen, target = rows, PATIENCE[side] * ahead(mazes, last, side, workers)
        test = seen.maze % 5 == 0
        training, goal = seen.of(~test), target[~test]
        start = halves(read_onnx(last))[side] if sweep else fresh(training, goal, seed)
        nets.append(fitted(start, training, goal, 2 if sweep > 1 else 4, 2e-3 if sweep else 3e-3, seed + sweep))
        judged[name] = quality(nets[side], training, seen.of(test), (goal, target[test]))
    write_json(run.path(f"judged-{sweep}.json"), judged)
    about = "dots each pacman will eat soon, in 16ths: for the pacmans' search, for the ghosts' search"
    write_onnx(whole(*nets), file, about, last=None)


def shown(sweep: int, side: str, found: dict[str, Any]) -> str:
    rows = ((name, found[name]["squared_error"], found[name]["squared_error_reach"]) for name in GUESSES)
    errors = ", ".join(f"{name} {error:.3f} ± {reach:.3f}" for name, error, reach in rows)
    return f"sweep {sweep}, {side}: squared error on {found['mazes']} mazes never trained on: {errors}"
