"""A training run: a folder of steps that are made once and whole, a curve, and a card at the end.

A step is a file. Whoever asks for it gets what is there, or makes it and leaves it there, complete or not at all; so a
run that was killed goes on with the step it was at. Steps follow from the settings, the seed and the steps before them
alone, and then a killed run ends with the same bytes as one that was not.

Files of a folder besides the steps: settings.json, curve.jsonl (a line a point), curve.svg, tensorboard/ (the same
points as events) and card.md (what was trained, how, and what came of it).
"""

from __future__ import annotations

import importlib.metadata
import io
import json
import math
import time
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.extras import extra, refuse_without
from turnsmith.common.files import write_text, write_whole
from turnsmith.nets.files import keep_settings, read_arrays, read_json, write_arrays, write_json

EVENTS = "events.out.tfevents.turnsmith"
MOST_ROWS = 200
"""Points of a curve that a card lists; of more it lists every second, third, …, and the last."""
AVERAGE = ", moving average"
"""Behind the name of a number in the curve: the mean of it over the last points."""


class Run:
    """A folder in which a training keeps its steps.

    settings: a dataclass or a dict; the folder of a run with other settings is refused, but those named in `free` may
    change. code: a digest of what decides besides, such as the rules of the game. smooth: numbers of the curve that
    come with their moving average, each over how many points.
    """

    def __init__(
        self, folder: Path, settings: Any, free: Collection[str] = (), code: str = "",
        smooth: Mapping[str, int] = MappingProxyType({}),
    ):  # fmt: skip
        refuse_without("tensorboardX", "matplotlib")  # rather than after hours of work
        self.folder = folder
        self.settings: dict[str, Any] = dict(settings if isinstance(settings, dict) else vars(settings))
        self.code, self.smooth = code, smooth
        folder.mkdir(parents=True, exist_ok=True)
        keep_settings(folder, self.settings | ({"code": code} if code else {}), free)
        self.curve: list[dict[str, Any]] = self._read_curve()
        self.seconds_left = math.inf
        """Of all rounds, at the beginning of this one; no end where rounds are counted."""
        self._events: Any = None

    def path(self, name: str) -> Path:
        return self.folder / name

    def file(self, name: str, make: Callable[[Path], Any]) -> Path:
        """The step `name`; `make` writes it, whole."""
        path = self.path(name)
        if not path.exists():
            make(path)
        return path

    def json(self, name: str, make: Callable[[], Any]) -> Any:
        """The same for what JSON can hold, always as it is read back."""
        return read_json(self.file(name, lambda path: write_json(path, make())))

    def arrays(self, name: str, make: Callable[[], dict[str, Array]]) -> dict[str, Array]:
        """The same for arrays by name."""
        return read_arrays(self.file(name, lambda path: write_arrays(path, make())))

    def rounds(self, make: Callable[[int], None], count: int, minutes: float) -> int:
        """Make rounds, numbered from 0: `count` of them or, if that is 0, as many as the minutes allow; each counts by
        what it took when it was made. Returns how many there are."""
        if count:
            for number in range(count):
                make(number)
            return count
        number, spent = 0, 0.0
        while spent < 60.0 * minutes:
            begun, self.seconds_left = time.monotonic(), 60.0 * minutes - spent
            make(number)
            took = round(time.monotonic() - begun, 1)
            spent += float(read_json(self.file(f"seconds-{number}.json", partial(write_json, document=took))))
            number += 1
        return number

    # ---------------------------------------------------------------- the curve

    def note(self, point: int, **numbers: float) -> None:
        """Add a point to the curve, unless an earlier part of this run did: `point` counts from 0."""
        if point < len(self.curve):
            return
        if point > len(self.curve):
            raise ValueError(f"point {point} of a curve that has {len(self.curve)}")
        for name, many in self.smooth.items():
            before = [row[name] for row in self.curve[-(many - 1) :]] if many > 1 else []
            numbers[name + AVERAGE] = (sum(before) + numbers[name]) / (len(before) + 1)
        self.curve.append({"point": point, **{name: round(float(value), 6) for name, value in numbers.items()}})
        write_text(self.path("curve.jsonl"), "".join(json.dumps(row) + "\n" for row in self.curve))
        self._write_events(self.curve[-1:])

    def _read_curve(self) -> list[dict[str, Any]]:
        path = self.path("curve.jsonl")
        try:
            return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
        except (OSError, ValueError) as error:
            raise BadInput(f"{path} cannot be read ({type(error).__name__}); begin anew in another folder") from None

    def _write_events(self, points: list[dict[str, Any]]) -> None:
        """Points for TensorBoard. The file is written anew by every process, so a torn end of it never stays; a point's
        time is its number, so that the same training leaves the same file."""
        Event = extra("tensorboardX.proto.event_pb2").Event
        Summary = extra("tensorboardX.proto.summary_pb2").Summary
        if self._events is None:
            self.path("tensorboard").mkdir(exist_ok=True)
            self._events = extra("tensorboardX.record_writer").RecordWriter(str(self.path("tensorboard") / EVENTS))
            self._events.write(Event(wall_time=0.0, file_version="brain.Event:2").SerializeToString())
            points = self.curve
        for point in points:
            values = [Summary.Value(tag=name, simple_value=number) for name, number in point.items() if name != "point"]
            at = point["point"]
            self._events.write(Event(wall_time=float(at), step=at, summary=Summary(value=values)).SerializeToString())
        self._events.flush()

    # ---------------------------------------------------------------- the end

    def finish(self, title: str, command: str, results: Mapping[str, Any]) -> None:
        """Draw the curve and write the card: `command` trained it, `results` were measured at the end."""
        if self.curve:
            self._write_events([])
            write_whole(self.path("curve.svg"), lambda target: target.write(plot(title, self.curve)))
        write_text(self.path("card.md"), card(title, command, self.settings, self.code, self.curve, results))
        if self._events is not None:
            self._events.close()
            self._events = None


def card(
    title: str, command: str, settings: Mapping[str, Any], code: str, curve: list[dict[str, Any]],
    results: Mapping[str, Any],
) -> str:  # fmt: skip
    """What was trained, how, and what came of it, as Markdown."""
    lines = [f"# {title}", "", f"Trained by turnsmith {importlib.metadata.version('turnsmith')} with", ""]
    lines += ["```console", f"$ {command}", "```", ""]
    if code:
        lines += [f"on rules and players whose digest is `{code}`.", ""]
    lines += [
        "| setting | value |",
        "|---|---|",
        *(f"| {name} | {_shown(value)} |" for name, value in settings.items()),
    ]
    if results:
        lines += ["", "| result | |", "|---|---|", *(f"| {name} | {_shown(item)} |" for name, item in results.items())]
    if curve:
        names = [name for name in curve[-1] if name != "point"]
        lines += ["", f"| point | {' | '.join(names)} |", "|---" * (1 + len(names)) + "|"]
        rows = curve[:: -(-len(curve) // MOST_ROWS)]
        rows += [curve[-1]] if rows[-1] is not curve[-1] else []
        lines += [f"| {p['point']} | {' | '.join(_shown(p.get(name, '')) for name in names)} |" for p in rows]
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def plot(title: str, curve: list[dict[str, Any]]) -> bytes:
    """An SVG with one panel a number of the curve; a moving average is drawn over its number."""
    names = [name for name in curve[-1] if name != "point" and not name.endswith(AVERAGE)]
    points = [row["point"] for row in curve]

    def draw(figure: Any) -> None:
        panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
        for panel, name in zip(panels, names, strict=True):
            averaged = name + AVERAGE in curve[-1]
            panel.plot(points, [row.get(name) for row in curve], ".-", alpha=0.35 if averaged else 1.0)
            if averaged:
                panel.plot(points, [row.get(name + AVERAGE) for row in curve], "-", linewidth=2)
            panel.set_ylabel(name)
            panel.grid(alpha=0.3)
        panels[0].set_title(title)
        panels[-1].set_xlabel("point of the curve")

    return figure_svg(7.0, 1.0 + 1.8 * len(names), draw)


def figure_svg(wide: float, high: float, draw: Callable[[Any], None]) -> bytes:
    """An SVG of what `draw` puts on a figure of so many inches: the same drawing, the same bytes."""
    with extra("matplotlib").rc_context({"svg.hashsalt": "turnsmith"}):
        figure = extra("matplotlib.figure").Figure(figsize=(wide, high), layout="constrained")
        draw(figure)
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()
