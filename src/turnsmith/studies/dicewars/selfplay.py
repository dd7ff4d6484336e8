"""Learning the value by play: rounds of games with the newest net at tables of the field, then a fit to who won them.

A round leaves three files: its positions, the net fitted after it, and how good that is. A run that was stopped goes on
from there. Every tenth start of a round is never trained on: its games tell how good the net is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.arena.runners import ArenaPlan
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.extras import extra
from turnsmith.compile.digest import digest
from turnsmith.compile.kernel import scratch
from turnsmith.contract.loading import load
from turnsmith.contract.trainings import TrainingContext
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
    layers_in,
)
from turnsmith.learn import fit as training
from turnsmith.learn import report
from turnsmith.learn.run import Run
from turnsmith.learn.samples import described, sample
from turnsmith.learn.scores import softmax
from turnsmith.nets.dense import Layers, layers_of, module_of, write_onnx
from turnsmith.nets.files import read_arrays, read_json, write_json
from turnsmith.play.player import player

if TYPE_CHECKING:
    from turnsmith.studies.dicewars.trainings import DicewarsValueSettings

OPPONENTS = ("ste", "wpm_c", "sdc", "rand", "xlogin00", "wpm_s", "stei")
REMEMBERED = 6
"""Rounds whose positions are trained on."""
HERO = 0
"""The place of the learning player in the roster."""
SEATED = 4
APART = 10
"""One start in so many is never trained on."""


@dataclass(frozen=True)
class TurnEnds:
    """Positions in which the learning player (or anybody) ended its turn; inputs float32[rows, 4, FEATURES]."""

    inputs: Array
    living: Array
    """bool[rows, 4]"""
    winner: Array
    """int8[rows], in turn order from the mover"""
    start: Array
    """int64[rows]: the four games of one start share it"""
    quarter: Array
    """int8[rows]: the quarter of the game, by moves"""

    def of(self, chosen: Array) -> TurnEnds:
        return TurnEnds(*(column[chosen] for column in vars(self).values()))


def joined(parts: Sequence[TurnEnds]) -> TurnEnds:
    return TurnEnds(*(np.concatenate(columns) for columns in zip(*(vars(p).values() for p in parts), strict=True)))


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


def ends_turn(board, state, mover, action, ply, rng):
    return action == board.actions - 1


def describe_table(board, state, mover, out):
    """``describe`` of those at the table, float32[SEATED * FEATURES]."""
    seen = scratch(INPUTS, np.float64)
    describe(board, state, mover, seen)
    for place in range(SEATED * FEATURES):
        out[place] = seen[place]


def play_round(hero: str | None, games: int, seed: int, first: int, work: TrainingContext) -> TurnEnds:
    """The rows of a round, starts counted from `first`; without a hero the others play, and everybody teaches."""
    game = load("dicewars")
    players = [player(text, game) for text in (hero or "rand", *OPPONENTS)]
    plan = ArenaPlan(game, players, seating(games, seed, 1 if hero else 0), seed)
    teachers, todo = [HERO] if hero else [], np.arange(games, dtype=np.int64)
    samples = sample(plan, todo, ends_turn, teachers, workers=work.workers, progress=work.progress)
    samples = samples.of(samples.returns.max(axis=1) > 0)  # somebody won
    turned = (samples.mover[:, None] + np.arange(SEATED)) % SEATED
    return TurnEnds(
        described(samples, describe_table, SEATED * FEATURES).reshape(-1, SEATED, FEATURES),
        np.take_along_axis(samples.states["owned"], turned, axis=1) != 0,
        ((samples.returns.argmax(axis=1) - samples.mover) % SEATED).astype(np.int8),
        first + samples.start,
        samples.quarter.astype(np.int8),
    )


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


def fit(rows: TurnEnds, layers: Layers, seen: Array, epochs: int, seed: int) -> Layers:
    """Train a net on rows, from `layers` on; what is not `seen` (bool[FEATURES]) it ignores."""
    torch = extra("torch")
    module, eyes = module_of(layers), seen.astype(np.float32)
    inputs, winner = torch.from_numpy(rows.inputs * eyes), torch.from_numpy(rows.winner.astype(np.int64))
    gone = torch.from_numpy(~rows.living)

    def loss(chosen: Any) -> Any:
        scores = module(inputs[chosen]).squeeze(-1).masked_fill(gone[chosen], -1e9)
        return torch.nn.functional.cross_entropy(scores, winner[chosen])

    settings = training.FittingSettings(epochs=epochs, batch=1024, rate=3e-3, schedule="cycle", seed=seed)
    (first, biases), last = layers_of(training.fit(module, loss, np.arange(len(winner)), settings).best)
    return [(first * eyes[:, None], biases), last]


def chances(layers: Layers, rows: TurnEnds) -> Array:
    """float[rows, 4]: how likely each player wins."""
    (first, first_bias), (last, last_bias) = layers
    score = (np.maximum(rows.inputs @ first + first_bias, 0.0) @ last + last_bias)[..., 0]
    return softmax(np.where(rows.living, score, -1e9))


def quality(layers: Layers, known: TurnEnds, test: TurnEnds) -> dict[str, Any]:
    """The net, counting dice and largest regions (as sure as `known` rows let them be) on games never trained on."""
    predictions = {"net": chances(layers, test)}
    for name, feature in (("dice", DICE), ("largest region", LARGEST)):
        predictions[name] = report.counted(known.inputs[:, :, feature], known.winner, test.inputs[:, :, feature])
    return report.report(predictions, test.winner, test.start, test.quarter)


# ---------------------------------------------------------------- the run


def read_rows(path: Path) -> TurnEnds:
    columns = read_arrays(path)
    return TurnEnds(
        **{name: columns[name].astype(np.float32) if name == "inputs" else columns[name] for name in columns}
    )


def learn(settings: DicewarsValueSettings, work: TrainingContext) -> tuple[Path, list[dict[str, Any]]]:
    """Play and fit so many rounds, those that are done left as they are: the newest net, and how good each was."""
    extra("torch")
    without, game = [name for name in settings.without.split(",") if name], load("dicewars")
    strange = [name for name in without if name not in NAMES or name in COUNTS]
    if strange:
        known = ", ".join(name for name in NAMES if name not in COUNTS)
        raise BadInput(f"'{strange[0]}' cannot be left out; there are {known}")
    about = {name: value for name, value in vars(settings).items() if name != "to"}
    code = digest(game.digest, *(player(text, game).digest() for text in ("fast", *OPPONENTS)))
    run, reports = Run(work.folder, about, free=("rounds",), code=code), list[dict[str, Any]]()
    for number in range(settings.rounds):
        newest = run.file(f"value-{number}.onnx", partial(make_round, run, number, without, work))
        reports.append(read_json(quality_file(newest)))
        run.note(number, **{f"log-loss of {name}": loss_of(reports[-1][name]) for name in ("net", "dice")})
        losses = {name: [round(loss_of(q), 4) for q in reports[-1][name]["quarters"]] for name in ("net", "dice")}
        work.tell(f"round {number}: log-loss by quarter on {reports[-1]['starts']} new starts: {losses}")
    results = {name: loss_of(part) for name, part in reports[-1].items() if isinstance(part, dict)}
    run.finish("The value of Dice Wars: log-loss on starts never trained on", work.command, results)
    return newest, reports


def loss_of(scores: dict[str, Any]) -> float:
    """The log-loss, if there were rows to lose on: a quarter of very few games may have none."""
    return float(scores.get("log_loss", np.nan))


def quality_file(net: Path) -> Path:
    return net.with_suffix(".json")


def make_round(run: Run, number: int, without: Sequence[str], work: TrainingContext, path: Path) -> None:
    """Play a round, fit a net to the last ones, and write how good it is and then the net itself."""
    games, seed = run.settings["games"], run.settings["seed"] + number
    before = run.path(f"value-{number - 1}.onnx")
    hero = f"fast:noise={run.settings['noise']},file={before}" if number else None

    def played() -> dict[str, Array]:
        rows = play_round(hero, games, seed, number * games, work)
        return vars(rows) | {"inputs": rows.inputs.astype(np.float16)}

    run.arrays(f"rows-{number}.npz", played)
    recent = range(max(0, number - REMEMBERED + 1), number + 1)
    rows = joined([read_rows(run.path(f"rows-{old}.npz")) for old in recent])
    apart = rows.start % APART == 0
    start, seen = layers_in(before) if number else fresh(seed), np.array([name not in without for name in NAMES])
    layers = fit(rows.of(~apart), start, seen, 3 if number else 6, seed)
    newest = apart & (rows.start >= number * games)
    write_json(quality_file(path), quality(layers, rows.of(~apart), rows.of(newest)))
    write_onnx(layers, path, "value of Dice Wars", last=None)
