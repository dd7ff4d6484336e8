"""The study of the original net, step by step in one folder: positions, splits, nets, report, export, speed.

Files of a folder: positions.json and positions/*.npz, splits.npz, one <inputs>-by-<split>.npz a net, report.json.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from turnsmith.game import Array, load
from turnsmith.games.dicewars import net, positions
from turnsmith.games.dicewars.positions import Inputs, Positions
from turnsmith.kernel import compiled
from turnsmith.learn import extra
from turnsmith.learn import fit as training
from turnsmith.learn.files import read_arrays, write_arrays, write_json
from turnsmith.learn.nets import Layers, fresh, layers_of, module_of, predict, write_onnx
from turnsmith.learn.scores import calibration_error, fit_sharpness, hits, losses, reach, reliability, softmax
from turnsmith.learn.split import PARTS, By
from turnsmith.learn.split import split as split_rows
from turnsmith.texts import BadInput

Keep = Literal["last", "best"]
SPLITS: tuple[By, ...] = ("game", "position")
SEEN: tuple[Inputs, ...] = ("all", "changing", "counts")
KEPT: tuple[Keep, ...] = ("last", "best")
FEWEST_GAMES = 20
TRAINING, VALIDATION, TEST = range(len(PARTS))


def split(folder: Path, seed: int) -> dict[str, Any]:
    """Write both splits; how many rows and games each part has."""
    found = positions.read(folder)
    games = len(np.unique(found.game))
    if games < FEWEST_GAMES:
        raise BadInput(f"{folder} has {games} games, too few to split; generate more positions")
    parts: dict[str, Array] = {by: split_rows(found.game, by, seed) for by in SPLITS}
    write_arrays(folder / "splits.npz", parts)
    shown: dict[str, Any] = {}
    for by, part in parts.items():
        rows = {name: int((part == number).sum()) for number, name in enumerate(PARTS)}
        both = np.intersect1d(found.game[part == TRAINING], found.game[part == TEST])
        shown[by] = {**rows, "test games also trained on": len(both), "test games": len(set(found.game[part == TEST]))}
    return shown


@dataclass(frozen=True)
class Rows:
    """The positions of a folder as one of its splits deals them."""

    folder: Path
    by: By
    all: Positions
    part: Array

    def of(self, part: int) -> Array:
        """The row numbers of TRAINING, VALIDATION or TEST."""
        return np.flatnonzero(self.part == part)

    def net_file(self, inputs: Inputs) -> Path:
        return self.folder / f"{inputs}-by-{self.by}.npz"

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


def read(folder: Path, by: By) -> Rows:
    found, file = positions.read(folder), folder / "splits.npz"
    if not file.exists():
        raise BadInput(f"{folder} is not split yet: turnsmith train dicewars split --folder {folder}")
    part = read_arrays(file)[by]
    if len(part) != len(found):
        raise BadInput(f"{file} splits {len(part)} rows, but there are {len(found)}; split again")
    return Rows(folder, by, found, part)


def fit(
    folder: Path, by: By, inputs: Inputs, settings: training.Settings, progress: Callable[[int, int], None]
) -> training.Fit:
    """Train one net on the training rows of a split, or go on where it was."""
    torch = extra("torch")
    rows = read(folder, by)
    seen, trained, tested = positions.view(rows.all, inputs), rows.of(TRAINING), rows.of(VALIDATION)
    sizes = (seen.inputs(trained[:1]).shape[1], *settings.hidden, net.SEATS)
    module, truth = module_of(fresh(sizes, settings.seed), settings.dropout), torch.from_numpy(seen.truth)

    def loss(chosen: Any) -> Any:
        return torch.nn.functional.cross_entropy(module(torch.from_numpy(seen.inputs(chosen.numpy()))), truth[chosen])

    def judge() -> dict[str, float]:
        chances = in_blocks(layers_of([part.numpy() for part in module.parameters()]), seen.inputs, tested)
        known = seen.truth[tested]
        return {"log_loss": float(losses(chances, known).mean()), "accuracy": float(hits(chances, known).mean())}

    return training.fit(module, loss, trained, settings, judge, rows.net_file(inputs), rows.digest(inputs), progress)


def in_blocks(layers: Layers, inputs: Callable[[Array], Array], rows: Array, block: int = 8192) -> Array:
    """float32[rows, classes]: predicted chances, a block at a time so that memory stays small."""
    return np.concatenate([predict(layers, inputs(rows[at : at + block])) for at in range(0, len(rows), block)])


# ---------------------------------------------------------------- the report


def scores(chances: Array, truth: Array, quarter: Array, games: Array) -> dict[str, Any]:
    """Accuracy, log-loss and calibration of all rows and of every quarter of the game."""
    right, lost = hits(chances, truth), losses(chances, truth)

    def some(rows: Array) -> dict[str, float]:
        return {
            "accuracy": float(right[rows].mean()),
            "log_loss": float(lost[rows].mean()),
            "calibration_error": calibration_error(chances[rows], truth[rows]),
            "accuracy_reach": reach(right[rows], games[rows]),
            "log_loss_reach": reach(lost[rows], games[rows]),
        }

    table = [vars(each) for each in reliability(chances, truth)]
    quarters = [some(quarter == number) for number in range(4)]
    return {"rows": len(truth), **some(quarter >= 0), "quarters": quarters, "reliability": table}


def report(folder: Path) -> dict[str, Any]:
    """Score every net of the folder, and counting dice and largest regions, on the test rows of its split."""
    document: dict[str, Any] = {}
    for by in SPLITS:
        rows = read(folder, by)
        found, trained, test = rows.all, rows.of(TRAINING), rows.of(TEST)
        document |= {"positions": len(found), "games": len(np.unique(found.game))}
        rest = (found.winner[test].astype(np.int64), found.quarter()[test], found.game[test])
        predictors: dict[str, Any] = {}
        for name, counts in (("dice", found.dice()), ("largest region", found.largest())):
            sharpness = fit_sharpness(counts[trained].astype(np.float64), found.winner[trained])
            predictors[name] = {"sharpness": sharpness, **scores(softmax(sharpness * counts[test]), *rest)}
        for inputs in SEEN:
            if rows.net_file(inputs).exists():
                seen = positions.view(found, inputs)
                for keep, layers in rows.nets(inputs).items():
                    chances = seen.seats(in_blocks(layers, seen.inputs, test), test)
                    predictors[f"net {inputs}, {keep} epoch"] = scores(chances, *rest)
        document[f"by {by}"] = predictors
    write_json(folder / "report.json", document)
    return document


def shown(document: dict[str, Any]) -> str:
    """The report as Markdown tables: one row a predictor, then how far the nets' confidence can be trusted."""
    lines = [f"{document['positions']:,} positions of {document['games']:,} games"]
    measures = {"accuracy": "accuracy, %", "log_loss": "log-loss", "calibration_error": "calibration error, %"}
    for by in SPLITS:
        rows = document[f"by {by}"]
        for measure, title in measures.items():
            scale, digits = (1, 3) if measure == "log_loss" else (100, 1)
            columns = ("all", "1st quarter", "2nd", "3rd", "4th")
            lines += ["", f"| by {by}: {title} | {' | '.join(columns)} |", "|---" * (1 + len(columns)) + "|"]
            for name, row in rows.items():
                cells = [f"{scale * each[measure]:.{digits}f}" for each in (row, *row["quarters"])]
                if f"{measure}_reach" in row:
                    cells[0] += f" ± {scale * row[f'{measure}_reach']:.{digits}f}"
                lines.append(f"| {name} | {' | '.join(cells)} |")
        tens = range(2, 10)  # the first of four choices has a quarter at least
        ranges = " | ".join(f"{10 * ten}–{10 * ten + 10}" for ten in tens)
        lines += ["", f"| by {by}: % right (of positions) when so sure | {ranges} |", "|---" * (1 + len(tens)) + "|"]
        for name, row in rows.items():
            bins = {round(10 * each["low"]): each for each in row["reliability"]}
            cells = [f"{100 * bins[t]['accuracy']:.0f} ({bins[t]['rows']})" if t in bins else "" for t in tens]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


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
    found = {}
    for batch in (1, 256):
        work = partial(session.run, None, {"position": inputs[:batch]})
        found[f"onnxruntime, batch of {batch}"] = measured(work, batch, seconds)
    game = load("dicewars")
    boards, states = game.board(), np.zeros(1, game.State)
    out = np.zeros(net.SEATS, np.float64)
    work = partial(compiled(many_chances), game, boards, states, weights, out, 256)
    found["compiled, as maxn-net plays"] = measured(work, 256, seconds)
    return found


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
