"""SARSA(lambda): episodes of Pac-Man in mazes drawn at random against the arcade's ghosts, and the table they leave.

Every pacman decides for itself and all learn one table. An episode is played to its end with some exploration; then
each pacman's way is gone back, and every value on it moves towards its lambda-return: the reward, and of what came
after it partly what the table said of the next decision and partly the return of that.

A run is cut into rounds, each a step that is kept, so one that was stopped goes on there and ends in the same table.
"""

from __future__ import annotations

import numpy as np

from turnsmith.arena.statistics import mean_interval
from turnsmith.common.arrays import Array
from turnsmith.compile.digest import digest
from turnsmith.compile.kernel import compiled, scratch, zero
from turnsmith.compile.rng import below, set_stream
from turnsmith.compile.rng import unit as random_unit
from turnsmith.contract.game import OVER
from turnsmith.contract.loading import load
from turnsmith.contract.trainings import TrainingContext, TrainingResult
from turnsmith.games.pacman.ghosts import chase
from turnsmith.games.pacman.maps import UNITS, read
from turnsmith.games.pacman.mazes import maze
from turnsmith.games.pacman.rules import WAYS, has_dot, share_eaten, tables
from turnsmith.games.pacman.sarsa import SITUATIONS, turned, wish_for
from turnsmith.games.pacman.teams import WISHES, joint, settle
from turnsmith.learn.run import Run
from turnsmith.nets.files import write_json
from turnsmith.play.player import HEADER
from turnsmith.play.step import resolve_chance
from turnsmith.studies.pacman.trainings import SarsaSettings

RATE, EXPLORATION, DISCOUNT, LAMBDA, DOT, STEP, CAUGHT = range(7)
NOTES = HEADER // 8
"""Numbers the arcade's ghosts remember."""
FIRST_MAZE, FIRST_TEST_MAZE = 500_000, 600_000
"""The numbers of the mazes that are learned from, and of those that only judge."""
TEST_MAZES, TESTS, TEST_SEED = 50, 500, 99
"""Mazes and games without exploration that judge a table."""
ROUND = 1000
"""Episodes between two files."""


def play(game, boards, states, acts, chances, values, settings, seed, first, shares, way, reward):
    """Play episodes from number `first` on, learn from them, and note the share of dots each of them ate in `shares`.

    values: float64[SITUATIONS * WAYS]; way: int64[UNITS, turns], the entries of the table each pacman came through;
    reward: float64[UNITS, turns], what it got there.
    """
    rng, notes = np.zeros(1, np.uint64), np.zeros(NOTES, np.int64)
    wish, chosen = scratch(WISHES, np.float64), scratch(UNITS, np.int64)
    number, ahead = scratch(UNITS, np.int64), scratch(UNITS, np.int64)
    lived, ate = scratch(UNITS, np.int64), scratch(UNITS, np.int64)
    for index in range(shares.shape[0]):
        # 1. A maze, and units placed by chance.
        set_stream(rng, seed, first + index, 0)
        board, state = boards[below(rng, boards.shape[0])], states[0]
        zero(state)
        game.setup(board, state)
        resolve_chance(game, board, state, acts, chances, rng)
        for place in range(NOTES):
            notes[place] = 0
        for name in range(UNITS):
            lived[name] = 0

        # 2. Play to the end; who explores wishes anything.
        turn = 0
        while game.to_move(board, state) != OVER:
            count = np.int64(state.pacmans)
            for unit in range(count):
                number[unit], ahead[unit] = wish_for(board, state, unit, values, wish)
                if random_unit(rng) < settings[EXPLORATION]:
                    for step in range(WAYS):
                        wish[unit * WAYS + step] = random_unit(rng)
            settle(board, state.pacman, count, wish, chosen)
            for unit in range(count):
                name = np.int64(state.pacman_name[unit])
                way[name, turn] = number[unit] * WAYS + turned(chosen[unit], ahead[unit])
                reward[name, turn] = settings[CAUGHT]
                lived[name] = turn + 1
                ate[name] = has_dot(state, np.int64(board.near[state.pacman[unit], chosen[unit]]))
            game.apply(board, state, joint(chosen, count))
            if game.to_move(board, state) != OVER:
                game.apply(board, state, chase(board, state, notes, False))
            for unit in range(state.pacmans):
                name = np.int64(state.pacman_name[unit])
                reward[name, turn] = settings[DOT] if ate[name] else settings[STEP]
            turn += 1
        shares[index] = share_eaten(state)

        # 3. Go back over what each pacman did. Who is cut off by the clock expects what the table says.
        for name in range(board.pacmans):
            after = 0.0
            for unit in range(state.pacmans):
                if state.pacman_name[unit] == name and state.left > 0:
                    after = values[way[name, lived[name] - 1]]
            for past in range(lived[name] - 1, -1, -1):
                entry = way[name, past]
                gain = reward[name, past] + settings[DISCOUNT] * after
                after = settings[LAMBDA] * gain + (1.0 - settings[LAMBDA]) * values[entry]
                values[entry] += settings[RATE] * (gain - values[entry])


def now(settings: SarsaSettings, episode: int) -> Array:
    """What the kernel asks for, from an episode on."""
    left = 1.0 - episode / settings.episodes
    now = [settings.rate * left, settings.exploration * left]
    return np.array([*now, settings.discount, settings.trace, settings.dot, settings.step, settings.caught])


GREEDY = np.zeros(7)
"""Settings that neither explore nor learn."""


def draw(first: int, count: int) -> Array:
    """The boards of mazes from a number on, where chance places the units."""
    boards = []
    for number in range(first, first + count):
        drawn = read(maze(number), f"maze-{number}")
        flags = {"random": True, "unitwise": False}
        boards.append(tables({"map": drawn.name, "rows": list(drawn.rows), "t_max": drawn.t_max, **flags}))
    return np.concatenate(boards)


def shares(boards: Array, values: Array, settings: Array, seed: int, first: int, count: int) -> Array:
    """float64[count]: the shares eaten in episodes from number `first` on; `values` learns from them."""
    game = load("pacman:start=random")
    eaten, turns = np.zeros(count, np.float64), int(boards["t_max"].max()) // 2 + 1
    wide = int(max(boards["actions"].max(), boards["outcomes"].max()))
    compiled(play)(
        game, boards, np.zeros(1, game.State), np.zeros(wide, np.int32), np.zeros(wide, np.float64), values.reshape(-1),
        settings, np.uint64(seed), first, eaten, np.zeros((UNITS, turns), np.int64), np.zeros((UNITS, turns)),
    )  # fmt: skip
    return eaten


def train(settings: SarsaSettings, work: TrainingContext) -> TrainingResult:
    """Learn a table, or go on with it, round by round: each is a step of the run, judged in mazes never trained on."""
    run = Run(work.folder, settings, code=digest(load("pacman:start=random").digest, play))
    values, curve = np.zeros((SITUATIONS, WAYS)), []
    training, judging = draw(FIRST_MAZE, settings.mazes), draw(FIRST_TEST_MAZE, TEST_MAZES)
    for number, done in enumerate(range(0, settings.episodes, ROUND)):
        work.progress(done, settings.episodes)
        count = min(ROUND, settings.episodes - done)

        def learn(values: Array = values, done: int = done, count: int = count) -> dict[str, Array]:
            shares(training, values, now(settings, done), settings.seed, done, count)
            eaten = mean_interval(shares(judging, values, GREEDY, TEST_SEED, 0, TESTS))
            return {"values": values, "eaten": np.array(eaten)}

        step = run.arrays(f"round-{number}.npz", learn)
        values = step["values"]
        mean, low, high = (round(float(end), 4) for end in step["eaten"])
        curve.append({"episodes": done + count, "eaten": mean, "low": low, "high": high})
        run.note(number, **curve[-1])
        work.tell(f"{done + count} episodes: {mean:.3f} ± {high - mean:.3f} eaten in mazes never trained on")
    work.progress(settings.episodes, settings.episodes)
    file = run.path("sarsa.json")
    write_json(file, {"settings": vars(settings), "curve": curve, "values": values.tolist()})
    run.finish("Pac-Man: SARSA", work.command, {name: curve[-1][name] for name in ("eaten", "low", "high")})
    return TrainingResult(curve, str(file))
