"""Learning the value by play: rounds of games with the newest net at tables of the field, then a fit to who won them.

A round leaves two files, its positions and the net fitted after it. A run that was stopped goes on from the last whole
round. Every tenth start of a round is never trained on: its games tell how good the net is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.arena.runners import Batch, Plan, run
from turnsmith.game import OVER, Array, load
from turnsmith.games.dicewars.value import (
    COUNTS,
    DICE,
    DICE_IN_DUEL,
    DICE_SHARE,
    FEATURES,
    HIDDEN,
    INPUTS,
    LARGEST,
    NAMES,
    describe,
)
from turnsmith.kernel import compiled, scratch, zero
from turnsmith.learn import extra
from turnsmith.learn.files import read_arrays, write_arrays
from turnsmith.learn.nets import Layers, read_onnx, write_onnx
from turnsmith.learn.scores import fit_sharpness, losses, reach, softmax
from turnsmith.player import player
from turnsmith.texts import BadInput

OPPONENTS = ("ste", "wpm_c", "sdc", "rand", "xlogin00", "wpm_s", "stei")
REMEMBERED = 6
"""Rounds whose positions are trained on."""
HERO = 0
"""The place of the learning player in the roster."""
SEATED = 4

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Rows:
    """Positions in which the learning player (or anybody) ended its turn; inputs float32[rows, 4, FEATURES]."""

    inputs: Array
    living: Array
    """bool[rows, 4]"""
    winner: Array
    """int8[rows], in turn order from the mover"""
    start: Array
    """int32[rows]: the four games of one start share it"""
    quarter: Array
    """int8[rows]: the quarter of the game, by moves"""

    def of(self, chosen: Array) -> Rows:
        return Rows(*(column[chosen] for column in vars(self).values()))


def joined(parts: Sequence[Rows]) -> Rows:
    return Rows(*(np.concatenate(columns) for columns in zip(*(vars(p).values() for p in parts), strict=True)))


# ---------------------------------------------------------------- playing


def seating(games: int, seed: int, heroes: int) -> Array:
    """int32[games, 4]: the learning player (or none) and random others at a table, every table in all rotations."""
    random = np.random.default_rng(seed)
    tables = []
    for _ in range(-(-games // SEATED)):
        others = 1 + random.permutation(len(OPPONENTS))[: SEATED - heroes]
        table = random.permutation(np.concatenate([np.full(heroes, HERO), others]))
        tables += [np.roll(table, turn) for turn in range(SEATED)]
    return np.array(tables, np.int32)


def record(game, boards, which, kept, log, offsets, states, inputs, living, winner, quarter, match):
    """Replay matches and write a row for every turn that a seat with kept[match, seat] ended; returns how many."""
    rows = 0
    room = scratch(INPUTS, np.float64)
    for index in range(which.shape[0]):
        board, state = boards[which[index]], states[0]
        zero(state)
        game.setup(board, state)
        first, length = rows, offsets[index + 1] - offsets[index]
        for move in range(offsets[index], offsets[index + 1]):
            mover = game.to_move(board, state)
            if mover >= 0 and log[move] == board.actions - 1 and kept[index, mover]:
                describe(board, state, mover, room)
                for place in range(SEATED * FEATURES):
                    inputs[rows, place] = room[place]
                for place in range(SEATED):
                    living[rows, place] = 1 if state.owned[(mover + place) % SEATED] else 0
                winner[rows] = mover
                quarter[rows] = 4 * (move - offsets[index]) // length
                match[rows] = index
                rows += 1
            game.apply(board, state, log[move])
        if game.to_move(board, state) != OVER or state.winner < 0:
            rows = first  # nobody won
        for row in range(first, rows):
            winner[row] = (np.int64(state.winner) - winner[row] + SEATED) % SEATED
    return rows


def rows_of(plan: Plan, batch: Batch, first: int) -> Rows:
    """The rows of a batch; starts are counted from `first`."""
    starts, which = np.unique(batch.numbers // SEATED, return_inverse=True)
    boards = plan.boards(plan.sites(starts))
    room = int((batch.log == batch.log.max()).sum()) + len(batch.log) // 4
    inputs, living = np.zeros((room, SEATED * FEATURES), np.float32), np.zeros((room, SEATED), np.int8)
    winner, quarter, match = np.zeros(room, np.int8), np.zeros(room, np.int8), np.zeros(room, np.int32)
    table, states = plan.seating[batch.numbers], np.zeros(1, plan.game.State)
    kept = (table == HERO) | (table != HERO).all(axis=1, keepdims=True)  # without a learner, everybody teaches
    columns = (inputs, living, winner, quarter, match)
    count = compiled(record)(plan.game, boards, which, kept, batch.log, batch.offsets, states, *columns)
    start = first + (batch.numbers[match[:count]] // SEATED)
    shape = (count, SEATED, FEATURES)
    return Rows(inputs[:count].reshape(shape), living[:count] > 0, winner[:count], start, quarter[:count])


def play_round(hero: str | None, games: int, seed: int, first: int, workers: int, progress: Progress) -> Rows:
    """The rows of a round; without a hero the others play among themselves."""
    game = load("dicewars")
    players = [player(text, game) for text in (hero or "rand", *OPPONENTS)]
    plan = Plan(game, players, seating(games, seed, 1 if hero else 0), seed)
    parts, done = {}, 0
    for batch in run(plan, np.arange(games, dtype=np.int64), workers):
        parts[int(batch.numbers[0])] = rows_of(plan, batch, first)
        done += len(batch.numbers)
        progress(done, games)
    return joined([parts[number] for number in sorted(parts)])  # batches end in any order


# ---------------------------------------------------------------- fitting


def fresh(seed: int) -> Layers:
    """A net that begins by counting dice, more surely where only two are left."""
    random = np.random.default_rng(seed)
    first = random.normal(0.0, 0.3, (FEATURES, HIDDEN)).astype(np.float32)
    last = random.normal(0.0, 0.1, (HIDDEN, 1)).astype(np.float32)
    first[:, :2] = 0.0
    first[DICE_SHARE, 0], last[0, 0] = 1.0, 12.0
    first[DICE_IN_DUEL, 1], last[1, 0] = 1.0, 12.0
    return [(first, np.zeros(HIDDEN, np.float32)), (last, np.zeros(1, np.float32))]


def fit(rows: Rows, layers: Layers, seen: Array, epochs: int, seed: int) -> Layers:
    """Train a net on rows, from `layers` on; what is not `seen` (bool[FEATURES]) it ignores."""
    torch = extra("torch")
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    inputs, winner = torch.from_numpy(rows.inputs * seen.astype(np.float32)), torch.from_numpy(rows.winner.astype(int))
    gone = torch.from_numpy(~rows.living)
    parameters = [torch.tensor(part, requires_grad=True) for layer in layers for part in layer]
    batch, rate = 1024, 3e-3
    optimizer = torch.optim.Adam(parameters, lr=rate)
    steps = epochs * -(-len(winner) // batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    for _ in range(epochs):
        for chosen in torch.randperm(len(winner)).split(batch):
            hidden = torch.relu(inputs[chosen] @ parameters[0] + parameters[1])
            score = (hidden @ parameters[2] + parameters[3]).squeeze(-1).masked_fill(gone[chosen], -1e9)
            loss = torch.nn.functional.cross_entropy(score, winner[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    parts = [parameter.detach().numpy() for parameter in parameters]
    parts[0] = parts[0] * seen[:, None].astype(np.float32)
    return list(zip(parts[::2], parts[1::2], strict=True))


def chances(layers: Layers, rows: Rows) -> Array:
    """float[rows, 4]: how likely each player wins."""
    (first, first_bias), (last, last_bias) = layers
    score = (np.maximum(rows.inputs @ first + first_bias, 0.0) @ last + last_bias)[..., 0]
    return softmax(np.where(rows.living, score, -1e9))


def quality(layers: Layers, training: Rows, test: Rows) -> dict[str, Any]:
    """Log-loss of the net, of counting dice and of largest regions on games never trained on, by quarter."""
    guesses = {"net": chances(layers, test)}
    for name, feature in (("dice", DICE), ("largest region", LARGEST)):
        sharpness = fit_sharpness(training.inputs[:, :, feature], training.winner)
        guesses[name] = softmax(sharpness * test.inputs[:, :, feature])
    found: dict[str, Any] = {"rows": len(test.winner), "starts": len(np.unique(test.start))}
    for name, guess in guesses.items():
        loss = losses(guess, test.winner)
        quarters = [round(float(loss[test.quarter == q].mean()), 4) for q in range(4)]
        half = round(reach(loss, test.start), 4)
        hits = float((guess.argmax(1) == test.winner).mean())
        found[name] = {
            "log_loss": round(float(loss.mean()), 4),
            "reach": half,
            "quarters": quarters,
            "accuracy": round(hits, 4),
        }
    return found


# ---------------------------------------------------------------- the run


def net_file(folder: Path, number: int) -> Path:
    return folder / f"value-{number}.onnx"


def rows_file(folder: Path, number: int) -> Path:
    return folder / f"rows-{number}.npz"


def read_rows(folder: Path, number: int) -> Rows:
    columns = read_arrays(rows_file(folder, number))
    return Rows(**{name: columns[name].astype(np.float32) if name == "inputs" else columns[name] for name in columns})


def learn(
    folder: Path, rounds: int, games: int, without: Sequence[str], noise: float, seed: int, workers: int,
    progress: Progress, tell: Callable[[int, dict[str, Any]], None],
) -> Path:  # fmt: skip
    """Play and fit `rounds` rounds, those that are done left as they are; returns the newest net."""
    extra("torch")
    strange = [name for name in without if name not in NAMES or name in COUNTS]
    if strange:
        known = ", ".join(name for name in NAMES if name not in COUNTS)
        raise BadInput(f"'{strange[0]}' cannot be left out; there are {known}")
    seen = np.array([name not in without for name in NAMES])
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(rounds):
        if net_file(folder, number).exists():
            continue
        if not rows_file(folder, number).exists():
            hero = f"fast:noise={noise},file={net_file(folder, number - 1)}" if number else None
            new = play_round(hero, games, seed + number, number * games, workers, progress)
            columns = vars(new) | {"inputs": new.inputs.astype(np.float16)}
            write_arrays(rows_file(folder, number), columns)
        rows = joined([read_rows(folder, old) for old in range(max(0, number - REMEMBERED + 1), number + 1)])
        test = rows.start % 10 == 0
        start = read_onnx(net_file(folder, number - 1)) if number else fresh(seed)
        layers = fit(rows.of(~test), start, seen, 6 if number == 0 else 3, seed + number)
        newest = test & (rows.start >= number * games)
        tell(number, quality(layers, rows.of(~test), rows.of(newest)))
        write_onnx(layers, net_file(folder, number), "value of Dice Wars", last=None)
    return net_file(folder, rounds - 1)
