"""Training a small net to tell classes apart: Adam, dropout behind the first layer, a checkpoint after every epoch.

Only this file needs torch. A run that was stopped goes on from its checkpoint and ends with the same numbers as one
that was not: every epoch draws its order and its dropout from a seed of its own.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from turnsmith.game import Array
from turnsmith.learn import extra
from turnsmith.learn.files import read_arrays, write_arrays
from turnsmith.learn.perceptron import Layers, predict
from turnsmith.learn.scores import hits, losses
from turnsmith.texts import BadInput


@dataclass(frozen=True)
class Settings:
    """How a net is trained."""

    hidden: tuple[int, ...] = (64, 32)
    """Sizes of the hidden layers."""
    dropout: float = 0.25
    """Share of the first hidden layer that is left out at random."""
    rate: float = 0.01
    """Learning rate of Adam."""
    batch: int = 32
    """Rows a step."""
    epochs: int = 15
    """How often every row is seen."""
    seed: int = 0
    """The same seed trains the same net."""


@dataclass
class Fit:
    """A net in training. `layers` are the newest, `best` those with the least log-loss on the validation rows."""

    epoch: int
    layers: Layers
    best: Layers
    moments: list[tuple[Array, Array]]
    history: list[dict[str, float]]


def begin(inputs: int, classes: int, settings: Settings) -> Fit:
    """Fresh layers: uniform weights that keep the variance of what passes through, no biases."""
    random = np.random.default_rng(settings.seed)
    sizes = (inputs, *settings.hidden, classes)
    layers: Layers = []
    for above, below in itertools.pairwise(sizes):
        reach = np.sqrt(6.0 / (above + below))
        weights = random.uniform(-reach, reach, (above, below)).astype(np.float32)
        layers.append((weights, np.zeros(below, np.float32)))
    moments = [(np.zeros_like(part), np.zeros_like(part)) for layer in layers for part in layer]
    return Fit(0, layers, layers, moments, [])


def save(fit: Fit, settings: Settings, rows: str, path: Path) -> None:
    """Write a checkpoint; `rows` names what was trained on, see ``digest_of``."""
    arrays = {"about": np.array(json.dumps([dataclasses.asdict(settings), rows, fit.epoch, fit.history]))}
    for number, (weights, biases) in enumerate(fit.layers):
        arrays |= {f"weights{number}": weights, f"biases{number}": biases}
        arrays |= {f"best_weights{number}": fit.best[number][0], f"best_biases{number}": fit.best[number][1]}
    for number, (mean, square) in enumerate(fit.moments):
        arrays |= {f"mean{number}": mean, f"square{number}": square}
    write_arrays(path, arrays)


def digest_of(*columns: Array) -> str:
    """A short name for exactly these numbers."""
    sha = hashlib.sha256()
    for column in columns:
        sha.update(np.ascontiguousarray(column).tobytes())
    return sha.hexdigest()[:16]


def resume(path: Path, rows: str, settings: Settings | None = None) -> Fit:
    """The training kept in a checkpoint, if on the same rows; with `settings`, only if so trained (epochs may grow)."""
    arrays = read_arrays(path)
    try:
        was, trained_on, epoch, history = json.loads(str(arrays["about"]))
        count = len(was["hidden"]) + 1
        layers = [(arrays[f"weights{n}"], arrays[f"biases{n}"]) for n in range(count)]
        best = [(arrays[f"best_weights{n}"], arrays[f"best_biases{n}"]) for n in range(count)]
        moments = [(arrays[f"mean{n}"], arrays[f"square{n}"]) for n in range(2 * count)]
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{path} is not a checkpoint of ours; remove it and train again") from None
    if trained_on != rows:
        raise BadInput(f"{path} was trained on other rows or another split; remove it and train again")
    if settings is not None:
        wanted = json.loads(json.dumps(dataclasses.asdict(settings)))
        changed = [key for key in wanted if key != "epochs" and wanted[key] != was[key]]
        if changed or epoch > settings.epochs:
            what = f"{changed[0]}={was[changed[0]]}" if changed else f"{epoch} epochs"
            raise BadInput(f"{path} was trained with {what}; train with the same, or remove it first")
    return Fit(epoch, layers, best, moments, history)


def fit(
    inputs: Callable[[Array], Array],
    truth: Array,
    classes: int,
    training: Array,
    validation: Array,
    settings: Settings,
    path: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Fit:
    """Train on the rows `training`, or go on where the checkpoint `path` is.

    inputs(rows) gives float32[rows, n]; truth[row] is the class, below `classes`; the history has one entry an epoch.
    """
    torch = extra("torch")
    torch.set_num_threads(1)  # the layers are too small to share
    width = inputs(training[:1]).shape[1]
    rows = digest_of(training, truth)
    run = resume(path, rows, settings) if path.exists() else begin(width, classes, settings)
    parameters = [torch.tensor(part, requires_grad=True) for layer in run.layers for part in layer]
    optimizer = torch.optim.Adam(parameters, lr=settings.rate, fused=True)
    steps = -(-len(training) // settings.batch)
    for parameter, (mean, square) in zip(parameters, run.moments, strict=True):
        moments = {"exp_avg": torch.tensor(mean), "exp_avg_sq": torch.tensor(square)}
        optimizer.state[parameter] = {"step": torch.tensor(float(run.epoch * steps)), **moments}
    function = torch.nn.functional
    for epoch in range(run.epoch, settings.epochs):
        torch.manual_seed(settings.seed * 1000 + epoch)
        order = np.random.default_rng([settings.seed, epoch]).permutation(training)
        for step in range(steps):
            chosen = order[step * settings.batch : (step + 1) * settings.batch]
            values = torch.from_numpy(inputs(chosen))
            for number in range(0, len(parameters), 2):
                values = torch.addmm(parameters[number + 1], values, parameters[number])
                if number + 2 < len(parameters):
                    values = function.relu(values)
                if number == 0 and len(parameters) > 2:
                    values = function.dropout(values, settings.dropout)
            loss = function.cross_entropy(values, torch.from_numpy(truth[chosen].astype(np.int64)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 0:
                progress(epoch * steps + step, settings.epochs * steps)
        parts = [parameter.detach().numpy().copy() for parameter in parameters]
        run.layers = list(zip(parts[::2], parts[1::2], strict=True))
        states = [optimizer.state[parameter] for parameter in parameters]
        run.moments = [(s["exp_avg"].numpy(), s["exp_avg_sq"].numpy()) for s in states]
        run.epoch = epoch + 1
        chances = in_blocks(run.layers, inputs, validation)
        known = truth[validation]
        entry = {"log_loss": float(losses(chances, known).mean()), "accuracy": float(hits(chances, known).mean())}
        if all(entry["log_loss"] < before["log_loss"] for before in run.history):
            run.best = run.layers
        run.history.append(entry)
        save(run, settings, rows, path)
    progress(settings.epochs * steps, settings.epochs * steps)
    return run


def in_blocks(layers: Layers, inputs: Callable[[Array], Array], rows: Array, block: int = 8192) -> Array:
    """float32[rows, classes]: predicted chances, a block at a time so that memory stays small."""
    found = [predict(layers, inputs(rows[begin : begin + block])) for begin in range(0, len(rows), block)]
    return np.concatenate(found)
