"""The study of the original net, step by step in one folder: positions, splits, nets, report, export, speed.

Files of a folder: positions.json and positions/*.npz, splits.npz, a run <inputs>-by-<split> for each net with its
checkpoint, curve and card, report.json.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.extras import extra
from turnsmith.compile.kernel import compiled
from turnsmith.contract.loading import load
from turnsmith.contract.trainings import TrainingContext
from turnsmith.games.dicewars import net
from turnsmith.learn import fit as training
from turnsmith.learn import report as reports
from turnsmith.learn.run import Run
from turnsmith.learn.scores import hits, losses
from turnsmith.learn.split import PARTS, By
from turnsmith.learn.split import split as split_rows
from turnsmith.nets.dense import Layers, fresh, layers_of, module_of, predict, write_onnx
from turnsmith.nets.files import read_arrays, write_arrays, write_json
from turnsmith.studies.dicewars import positions
from turnsmith.studies.dicewars.positions import Inputs, Positions

if TYPE_CHECKING:
    from turnsmith.studies.dicewars.trainings import FitSettings

Keep = Literal["last", "best"]
SPLITS: tuple[By, ...] = ("game", "position")
SEEN: tuple[Inputs, ...] = ("all", "changing", "counts")
KEPT: tuple[Keep, ...] = ("last", "best")
FEWEST_GAMES = 20
TRAINING, VALIDATION, TEST = range(len(PARTS))


def split(folder: Path, seed: int) -> dict[str, Any]:
    """Write both splits; how many rows and games each part has."""
    played = positions.read(folder)
    games = len(np.unique(played.game))
    if games < FEWEST_GAMES:
        raise BadInput(f"{folder} has {games} games, too few to split; generate more positions")
    parts: dict[str, Array] = {by: split_rows(played.game, by, seed) for by in SPLITS}
    write_arrays(folder / "splits.npz", parts)
    shown: dict[str, Any] = {}
    for by, part in parts.items():
        rows = {name: int((part == number).sum()) for number, name in enumerate(PARTS)}
        both = np.intersect1d(played.game[part == TRAINING], played.game[part == TEST])
        shown[by] = {**rows, "test games also trained on": len(both), "test games": len(set(played.game[part == TEST]))}
    return shown


@dataclass(frozen=True)
class SplitPositions:
    """The positions of a folder as one of its splits deals them."""

    folder: Path
    by: By
    all: Positions
    part: Array

    def of(self, part: int) -> Array:
        """The row numbers of TRAINING, VALIDATION or TEST."""
        return np.flatnonzero(self.part == part)

    def run_folder(self, inputs: Inputs) -> Path:
        return self.folder / f"{inputs}-by-{self.by}"

    def net_file(self, inputs: Inputs) -> Path:
        return self.run_folder(inputs) / "net.npz"

    def digest(self, inputs: Inputs) -> str:
        """What a net trained on these rows is known by."""
        return training.digest_of(self.of(TRAINING), positions.view(self.all, inputs).truth)

    def nets(self, inputs: Inputs) -> dict[Keep, Layers]:
        """The net trained on these rows, as it was after the last epoch and after the best."""
        file = self.net_file(inputs)
        if not file.exists():
            how = f"turnsmith train dicewars fit --folder {self.folder} --by {self.by} --inputs {inputs}"
            raise BadInput(f"there is no {file}; train it: {how}")
        done, newest, _ = training.read_checkpoint(file, self.digest(inputs))
        return {"last": layers_of(newest), "best": layers_of(done.best)}


def read(folder: Path, by: By) -> SplitPositions:
    played, file = positions.read(folder), folder / "splits.npz"
    if not file.exists():
        raise BadInput(f"{folder} is not split yet: turnsmith train dicewars split --folder {folder}")
    part = read_arrays(file)[by]
    if len(part) != len(played):
        raise BadInput(f"{file} splits {len(part)} rows, but there are {len(played)}; split again")
    return SplitPositions(folder, by, played, part)


def fit(chosen: FitSettings, work: TrainingContext) -> training.Fit:
    """Train one net on the training rows of a split, or go on where it was."""
    torch = extra("torch")
    inputs, rows = chosen.inputs, read(work.folder, chosen.by)
    settings = training.FittingSettings(
        dropout=chosen.dropout, rate=chosen.rate, batch=chosen.batch, epochs=chosen.epochs, seed=chosen.seed
    )
    seen, trained, tested = positions.view(rows.all, inputs), rows.of(TRAINING), rows.of(VALIDATION)
    sizes = (seen.inputs(trained[:1]).shape[1], *settings.hidden, net.SEATS)
    module, truth = module_of(fresh(sizes, settings.seed), settings.dropout), torch.from_numpy(seen.truth)
    if not rows.net_file(inputs).exists():
        shutil.rmtree(rows.run_folder(inputs), ignore_errors=True)  # whoever removed the net begins anew, curve and all
    run = Run(rows.run_folder(inputs), chosen, free=("epochs",))

    def loss(chosen: Any) -> Any:
        return torch.nn.functional.cross_entropy(module(torch.from_numpy(seen.inputs(chosen.numpy()))), truth[chosen])

    def judge() -> dict[str, float]:
        chances = in_blocks(layers_of([part.numpy() for part in module.parameters()]), seen.inputs, tested)
        known = seen.truth[tested]
        return {"log_loss": float(losses(chances, known).mean()), "accuracy": float(hits(chances, known).mean())}

    file, about = rows.net_file(inputs), rows.digest(inputs)
    done = training.fit(module, loss, trained, settings, judge, file, about, work.progress)
    for epoch, measures in enumerate(done.history):
        run.note(epoch, **measures)
    best = min(done.history, key=lambda measures: measures["log_loss"])
    run.finish(f"Who wins Dice Wars, from {inputs}, split by {chosen.by}", work.command, best)
    return done


def in_blocks(layers: Layers, inputs: Callable[[Array], Array], rows: Array, block: int = 8192) -> Array:
    """float32[rows, classes]: predicted chances, a block at a time so that memory stays small."""
    return np.concatenate([predict(layers, inputs(rows[at : at + block])) for at in range(0, len(rows), block)])


# ---------------------------------------------------------------- the report


def report(folder: Path) -> dict[str, Any]:
    """Score every net of the folder, and counting dice and largest regions, on the test rows of its split."""
    document: dict[str, Any] = {}
    for by in SPLITS:
        rows = read(folder, by)
        played, trained, test = rows.all, rows.of(TRAINING), rows.of(TEST)
        document |= {"positions": len(played), "games": len(np.unique(played.game))}
        predictions = {
            name: reports.counted(counts[trained], played.winner[trained], counts[test])
            for name, counts in (("dice", played.dice()), ("largest region", played.largest()))
        }
        for inputs in (inputs for inputs in SEEN if rows.net_file(inputs).exists()):
            seen = positions.view(played, inputs)
            for keep, layers in rows.nets(inputs).items():
                predictions[f"net {inputs}, {keep} epoch"] = seen.seats(in_blocks(layers, seen.inputs, test), test)
        truth, games = played.winner[test].astype(np.int64), played.game[test]
        document[f"by {by}"] = reports.report(predictions, truth, games, played.quarter()[test])
    write_json(folder / "report.json", document)
    return document


def shown(document: dict[str, Any]) -> str:
    """The report as Markdown tables, those of the split by game first."""
    head = f"{document['positions']:,} positions of {document['games']:,} games"
    return "\n\n".join([head, *(reports.shown(document[f"by {by}"], f"by {by}: ") for by in SPLITS)])


# ---------------------------------------------------------------- export and speed


def export(folder: Path, by: By, keep: Keep, to: Path) -> None:
    """Write the net that sees everything as ONNX."""
    write_onnx(read(folder, by).nets("all")[keep], to, f"Dice Wars, 4 players: who wins. Split by {by}, {keep} epoch.")


def speed(path: Path, seconds: float = 0.5) -> dict[str, float]:
    """Microseconds of CPU time a position: ONNX Runtime in batches of 1 and 256, and compiled inside a search."""
    import onnxruntime

    weights = net.numbers(str(path)).view(np.float32)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    inputs = np.random.default_rng(0).integers(0, 5, (256, net.INPUTS)).astype(np.float32)
    speeds = {}
    for batch in (1, 256):
        work = partial(session.run, None, {"position": inputs[:batch]})
        speeds[f"onnxruntime, batch of {batch}"] = measured(work, batch, seconds)
    game = load("dicewars")
    boards, states = game.board(), np.zeros(1, game.State)
    out = np.zeros(net.SEATS, np.float64)
    work = partial(compiled(many_chances), game, boards, states, weights, out, 256)
    speeds["compiled, as maxn-net plays"] = measured(work, 256, seconds)
    return speeds


def measured(work: Callable[[], Any], positions: int, seconds: float) -> float:
    """Microseconds of CPU time a position, in the mean of so many seconds after one warm run."""
    work()
    begun, count = time.process_time(), 0
    while time.process_time() - begun < seconds:
        work()
        count += positions
    return 1e6 * (time.process_time() - begun) / count


def many_chances(game, boards, states, weights, out, count):
    """Ask the net for the first position `count` times, each time with other dice."""
    board, state = boards[0], states[0]
    game.setup(board, state)
    board_part = np.empty(net.WIDTH, np.float32)
    net.begin(board, weights, board_part)
    for number in range(count):
        state.dice[number % board.areas] = 1 + number % 8
        net.chances(board, state, weights, board_part, out)
