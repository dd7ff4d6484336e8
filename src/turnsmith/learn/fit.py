"""The one training loop: a torch module, a loss on row numbers, Adam, a checkpoint after every epoch.

Every epoch draws its order and its dropout from a seed of its own. So a fit that was killed goes on from its checkpoint
and ends with the same numbers as one that was not.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.extras import extra
from turnsmith.nets.files import read_arrays, write_arrays

Progress = Callable[[int, int], None]
WARM = 100_000
"""Steps after which the moments of Adam are taken as they are."""


def silent(done: int, total: int) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class FittingSettings:
    """How a net is fitted. Whoever makes the module reads `hidden` and `dropout`."""

    hidden: tuple[int, ...] = (64, 32)
    """Sizes of the hidden layers."""
    dropout: float = 0.0
    """Share of the first hidden layer that is left out at random."""
    epochs: int = 15
    """How often every row is seen."""
    batch: int = 32
    """Rows a step."""
    rate: float = 0.01
    """Learning rate of Adam."""
    schedule: Literal["constant", "falling", "cycle", "decaying"] = "constant"
    """The rate over all steps: always the same, falling to nothing in a line, rising and falling once, or `half_epoch`
    times as large after each half epoch."""
    decay: float = 0.0
    """Share of every weight that a rate of 1 would take away at each step."""
    seed: int = 0
    """The same seed trains the same net."""
    half_epoch: float = 0.95
    """What a decaying rate is multiplied by."""


@dataclass
class Fit:
    """How a fit went: epochs done, what `judge` said after each, and what is kept of the module after the best."""

    epoch: int = 0
    history: list[dict[str, float]] = field(default_factory=list)
    best: list[Array] = field(default_factory=list)


def fit(
    module: Any,
    loss: Callable[[Any], Any],
    rows: Array,
    settings: FittingSettings,
    judge: Callable[[], dict[str, float]] | None = None,
    file: Path | None = None,
    about: str = "",
    progress: Progress = silent,
    after: Path | None = None,
) -> Fit:
    """Train a torch module in place on the row numbers `rows`; with `file`, go on where that checkpoint is, and with
    `after`, begin with the parameters and the moments of Adam of that one.

    loss(chosen) is the mean loss of rows (int64 tensor); judge() scores the module after an epoch, its first number
    being the one to be small; `about` names what is trained, and a checkpoint of something else is refused.
    """
    torch = extra("torch")
    torch.set_num_threads(1)  # the layers are too small to share
    kept = kept_of(module)
    parameters = [parameter for parameter in kept if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=settings.rate, weight_decay=settings.decay, fused=True)
    steps = -(-len(rows) // settings.batch)
    done = Fit(best=_numbers(kept))
    if file is not None and file.exists():
        done, newest, moments = read_checkpoint(file, about, settings)
        _put(file, newest, moments, kept, optimizer, done.epoch * steps)
    elif after is not None:
        _, newest, moments = read_checkpoint(after, about)
        _put(after, newest, moments, kept, optimizer, WARM)
    for epoch in range(done.epoch, settings.epochs):
        torch.manual_seed(settings.seed * 1000 + epoch)
        order = torch.from_numpy(np.random.default_rng([settings.seed, epoch]).permutation(rows))
        module.train()
        for step, chosen in enumerate(order.split(settings.batch)):
            for group in optimizer.param_groups:
                group["lr"] = settings.rate * pace(settings, epoch * steps + step, settings.epochs * steps)
            optimizer.zero_grad()
            loss(chosen).backward()
            optimizer.step()
            if step % 50 == 0:
                progress(epoch * steps + step, settings.epochs * steps)
        module.eval()
        done.epoch = epoch + 1
        if judge is not None:
            with torch.no_grad():
                measures = judge()
            first = next(iter(measures))
            if all(measures[first] < before[first] for before in done.history):
                done.best = _numbers(kept)
            done.history.append(measures)
        else:
            done.best = _numbers(kept)
        if file is not None:
            _save(file, settings, about, done, kept, optimizer)
    module.eval()
    progress(settings.epochs * steps, settings.epochs * steps)
    return done


def pace(settings: FittingSettings, step: int, steps: int) -> float:
    """The share of the learning rate at a step.

    >>> [pace(FittingSettings(schedule="cycle"), step, 10) for step in (0, 3, 9)]
    [0.25, 1.0, 0.14285714285714285]
    """
    if settings.schedule == "constant":
        return 1.0
    if settings.schedule == "decaying":
        return float(settings.half_epoch ** (2 * settings.epochs * step // steps))
    if settings.schedule == "falling":
        return 1.0 - step / (steps + 1)
    rise = max(1.0, 0.3 * steps)
    return min((step + 1) / (rise + 1), (steps - step) / max(1.0, steps - rise), 1.0)


# ---------------------------------------------------------------- checkpoints


def digest_of(*columns: Array) -> str:
    """A short name for exactly these numbers."""
    sha = hashlib.sha256()
    for column in columns:
        sha.update(np.ascontiguousarray(column).tobytes())
    return sha.hexdigest()[:16]


def kept_of(module: Any) -> list[Any]:
    """What training changes: the parameters that learn, then the averages of batch normalisation."""
    averaging = [layer for layer in module.modules() if getattr(layer, "track_running_stats", False)]
    averages = [buffer for layer in averaging for buffer in layer.buffers()]
    return [parameter for parameter in module.parameters() if parameter.requires_grad] + averages


def put_best(module: Any, done: Fit) -> None:
    """Leave a module as it was judged best, ready for use."""
    torch = extra("torch")
    with torch.no_grad():
        for kept, best in zip(kept_of(module), done.best, strict=True):
            kept.copy_(torch.from_numpy(best))
    module.eval()


def _numbers(kept: list[Any]) -> list[Array]:
    return [tensor.detach().numpy().copy() for tensor in kept]


def _save(file: Path, settings: FittingSettings, about: str, done: Fit, kept: list[Any], optimizer: Any) -> None:
    arrays = {"about": np.array(json.dumps([dataclasses.asdict(settings), about, done.epoch, done.history]))}
    for number, tensor in enumerate(kept):
        arrays |= {f"newest{number}": tensor.detach().numpy(), f"best{number}": done.best[number]}
        if tensor.requires_grad:
            state = optimizer.state[tensor]
            arrays |= {f"mean{number}": state["exp_avg"].numpy(), f"square{number}": state["exp_avg_sq"].numpy()}
    write_arrays(file, arrays)


def read_checkpoint(
    file: Path, about: str, settings: FittingSettings | None = None
) -> tuple[Fit, list[Array], list[Array]]:
    """A checkpoint's fit, newest numbers and moments of Adam; refused if of something else, or with `settings` if
    trained otherwise (epochs may grow where the rate stays the same)."""
    arrays = read_arrays(file)
    try:
        was, of, epoch, history = json.loads(str(arrays["about"]))
        count = sum(name.startswith("newest") for name in arrays)
        newest, best = ([arrays[f"{kind}{n}"] for n in range(count)] for kind in ("newest", "best"))
        learning = sum(name.startswith("mean") for name in arrays)
        moments = [arrays[f"{kind}{n}"] for n in range(learning) for kind in ("mean", "square")]
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{file} is not a checkpoint of ours; remove it and train again") from None
    if of != about:
        raise BadInput(f"{file} was trained on other rows or another split; remove it and train again")
    if settings is not None:
        wanted = json.loads(json.dumps(dataclasses.asdict(settings)))
        usual = dataclasses.asdict(FittingSettings())  # what was not yet a setting then
        free = "epochs" if settings.schedule == "constant" else ""  # else every rate knows how many there will be
        changed = [key for key in wanted if key != free and wanted[key] != was.get(key, usual[key])]
        if changed or epoch > settings.epochs:
            what = f"{changed[0]}={was.get(changed[0])}" if changed else f"{epoch} epochs"
            raise BadInput(f"{file} was trained with {what}; train with the same, or remove it first")
    return Fit(epoch, history, best), newest, moments


def _put(file: Path, newest: list[Array], moments: list[Array], kept: list[Any], optimizer: Any, steps: int) -> None:
    """Put module and optimiser where a checkpoint was, after so many steps."""
    torch = extra("torch")
    learning = [tensor for tensor in kept if tensor.requires_grad]
    if [part.shape for part in newest] != [tuple(tensor.shape) for tensor in kept] or len(moments) != 2 * len(learning):
        raise BadInput(f"{file} holds a net of another shape; remove it and train again")
    with torch.no_grad():
        for tensor, part in zip(kept, newest, strict=True):
            tensor.copy_(torch.from_numpy(part))
    for number, tensor in enumerate(learning):
        mean, square = (torch.from_numpy(part) for part in moments[2 * number : 2 * number + 2])
        optimizer.state[tensor] = {"step": torch.tensor(float(steps)), "exp_avg": mean, "exp_avg_sq": square}
