"""Trainings as they run: what is read of the folders in which ``turnsmith train`` keeps them. Nothing is written.

A folder is one of a training if it holds settings.json and curve.jsonl, as ``learn.run.Run`` leaves them. Only folders
directly within the one that was named are looked at, only three files of each are read, and of those only so much.
"""

from __future__ import annotations

import json
import math
import os
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import shown
from turnsmith.languages import _
from turnsmith.learn.run import AVERAGE
from turnsmith.web.server.bounds import NotFound

MOST_FOLDERS = 500
"""Trainings that are listed, the latest."""
MOST_BYTES = 2**24
"""Of a curve that are read, the last ones."""
MOST_TEXT = 2**18
"""Of settings and of a card."""
MOST_NUMBERS = 40
"""Numbers of a curve that have a panel."""
MOST_SHOWN = 600
"""Points of a panel; of more every second, third, … is drawn, and the last."""


@dataclass(frozen=True)
class Panel:
    """One number of a curve, at most MOST_SHOWN points of it."""

    name: str
    points: list[float]
    values: list[float]
    average: list[float]
    """Of the last points before each."""


@dataclass(frozen=True)
class Trained:
    """What is known of a training."""

    name: str
    changed: float
    """When the last point came, in seconds since 1970."""
    settings: dict[str, str]
    count: int
    """Points of the curve."""
    panels: list[Panel]
    damaged: int
    """Lines of the curve that could not be read, and were left out."""
    card: str
    """What was written at the end; "" while it runs."""

    @property
    def latest(self) -> dict[str, float]:
        return {panel.name: panel.values[-1] for panel in self.panels}


class Trainings:
    """The trainings within a folder; of none if that is None. May be asked from several threads."""

    def __init__(self, folder: Path | None):
        self.folder = folder
        self._read: dict[str, tuple[Any, Trained]] = {}
        self._lock = threading.Lock()

    def all(self) -> list[Trained]:
        """Those that run or were changed last first."""
        names = sorted(self._names(), key=lambda pair: -pair[1])[:MOST_FOLDERS]
        trainings = [self._look(name) for name, _time in names]
        with self._lock:
            self._read = {name: held for name, held in self._read.items() if name in {known for known, _time in names}}
        return [training for training in trainings if training is not None]

    def get(self, name: str) -> Trained:
        """The training of that name: one of those that are there, never a path."""
        training = self._look(name) if any(name == known for known, _time in self._names()) else None
        if training is None:
            raise NotFound(
                _("there is no training '{name}' here; see the list of those there are").format(name=shown(name))
            )
        return training

    def _names(self) -> Iterator[tuple[str, float]]:
        """The folders of trainings, and when their curves changed."""
        try:
            entries = list(os.scandir(self.folder)) if self.folder is not None else []
        except OSError:
            return
        for entry in entries:
            if entry.name.startswith(".") or not entry.is_dir(follow_symlinks=False):
                continue
            curve, settings = (_plain(Path(entry.path) / name) for name in ("curve.jsonl", "settings.json"))
            if curve is not None and settings is not None:
                yield entry.name, curve.st_mtime

    def _look(self, name: str) -> Trained | None:
        """A training, read anew if its files have changed; None if it has gone."""
        assert self.folder is not None
        files = [self.folder / name / file for file in ("curve.jsonl", "settings.json", "card.md")]
        states = [_plain(file) for file in files]
        if states[0] is None or states[1] is None:
            return None
        stamp = [state and (state.st_mtime_ns, state.st_size, state.st_ino) for state in states]
        with self._lock:
            held = self._read.get(name)
        if held is not None and held[0] == stamp:
            return held[1]
        curve, settings, card = (_tail(file, most) for file, most in zip(files, LIMITS, strict=True))
        count, panels, damaged = read_curve(curve)
        training = Trained(name, states[0].st_mtime, read_settings(settings), count, panels, damaged, card)
        with self._lock:
            self._read[name] = (stamp, training)
        return training


LIMITS = (MOST_BYTES, MOST_TEXT, MOST_TEXT)


def _plain(path: Path) -> os.stat_result | None:
    """What is known of a file, if it is one and no link."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _tail(path: Path, most: int) -> str:
    """The text of a file, of a long one the end; "" if there is none."""
    if _plain(path) is None:
        return ""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - most))
            raw = file.read(most)
    except OSError:
        return ""
    if size > most:  # begins in the middle of a line
        raw = raw.partition(b"\n")[2]
    return raw.decode("utf-8", "replace")


# ---------------------------------------------------------------- reading


def read_curve(text: str) -> tuple[int, list[Panel], int]:
    """How many points a curve has, its panels, and how many lines were left out because they are no points.

    >>> count, panels, damaged = read_curve('{"point": 0, "loss": 2.5}\\n{"point": 1, "loss": NaN}\\n{"poi')
    >>> count, panels[0].name, panels[0].values, damaged
    (2, 'loss', [2.5], 1)
    """
    numbers: dict[str, tuple[list[float], list[float]]] = {}
    count = damaged = 0
    for line in filter(None, text.split("\n")):
        point = _point(line)
        if point is None:
            damaged += 1
            continue
        count += 1
        at = point.pop("point")
        for name, value in point.items():
            if math.isfinite(value) and (name in numbers or len(numbers) < MOST_NUMBERS):
                points, values = numbers.setdefault(name, ([], []))
                points.append(at)
                values.append(value)
    own = {name for name in numbers if name.endswith(AVERAGE) and name.removesuffix(AVERAGE) in numbers}
    return count, [_panel(name, numbers) for name in numbers if name not in own], damaged


def _point(line: str) -> dict[str, float] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or not isinstance(row.get("point"), int) or abs(row["point"]) > 2**53:
        return None
    numbers: dict[str, float] = {}
    for name, value in row.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool) and len(name) <= 80:
            numbers[name] = float(value) if abs(value) < 1e300 or value != value else math.inf
    return numbers


def _panel(name: str, numbers: dict[str, tuple[list[float], list[float]]]) -> Panel:
    points, values = numbers[name]
    average = numbers[name + AVERAGE][1] if name + AVERAGE in numbers else []
    if len(average) != len(values):
        average = moving_average(np.array(values), window(len(values))).tolist()
    kept = [*range(0, len(values) - 1, -(-len(values) // MOST_SHOWN)), len(values) - 1]
    return Panel(name, *([series[place] for place in kept] for series in (points, values, average)))


def window(count: int) -> int:
    """Over how many points a curve of so many is averaged."""
    return min(50, max(3, count // 10))


def moving_average(values: Array, over: int) -> Array:
    """The mean of each value and those before it, `over` of them or as many as there are.

    >>> moving_average(np.array([1.0, 3.0, 5.0, 7.0]), 2).tolist()
    [1.0, 2.0, 4.0, 6.0]
    """
    sums = np.concatenate([[0.0], np.cumsum(values)])
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(0, ends - over)
    return np.asarray((sums[ends] - sums[starts]) / (ends - starts))


def read_settings(text: str) -> dict[str, str]:
    """The settings of a training as texts; none if the file says something else."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(document, dict):
        return {}
    return {name[:80]: shown(value) for name, value in list(document.items())[:200]}
