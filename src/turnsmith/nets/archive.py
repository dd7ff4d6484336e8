"""An archive: the best candidate of every kind of behaviour. It is saved as JSON, drawn as a map, and asked for whoever
behaves most like this or that; ``map_elites`` fills it, and nothing is needed to read it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.common.files import write_text

MOST_BYTES, MOST_ELITES, MOST_GENES = 2**25, 100_000, 100_000
"""Of a file with an archive that is read."""


@dataclass(frozen=True)
class Axis:
    """One way in which behaviour differs, cut into cells; what lies beyond its ends is in the first or last of them."""

    name: str
    low: float
    high: float
    cells: int

    def cell(self, values: Array) -> Array:
        """int64: the cell of each value."""
        share = (np.asarray(values, np.float64) - self.low) / (self.high - self.low)
        return np.clip(np.floor(share * self.cells), 0, self.cells - 1).astype(np.int64)


@dataclass(frozen=True)
class Archive:
    """The best candidate of every cell that has one."""

    axes: tuple[Axis, ...]
    genes: Array
    """float64[elites, genes]"""
    fitness: Array
    """float64[elites], the greater the better"""
    measures: Array
    """float64[elites, axes]: how each behaves"""
    notes: tuple[dict[str, Any], ...] = ()
    """What else is known of each, as JSON holds it; none, or one an elite."""

    def __len__(self) -> int:
        return len(self.fitness)

    @property
    def places(self) -> Array:
        """int64[elites, axes]: the cell of each along every axis."""
        columns = [axis.cell(self.measures[:, number]) for number, axis in enumerate(self.axes)]
        return np.stack(columns, axis=1) if len(self) else np.zeros((0, len(self.axes)), np.int64)

    @property
    def coverage(self) -> float:
        """The share of all cells that have an elite."""
        return len(self) / math.prod(axis.cells for axis in self.axes)

    @property
    def quality(self) -> float:
        """The sum of all fitness: the QD score, for fitness that is never below 0."""
        return float(self.fitness.sum())

    def best_of_cells(self) -> Archive:
        """The fittest of each cell, in the order of cells; the first of equals."""
        flat = np.ravel_multi_index(tuple(self.places.T), [axis.cells for axis in self.axes]) if len(self) else []
        chosen: dict[int, int] = {}
        for place in np.argsort(-self.fitness, kind="stable").tolist():
            chosen.setdefault(int(flat[place]), place)
        return self.of([chosen[cell] for cell in sorted(chosen)])

    def of(self, chosen: Sequence[int]) -> Archive:
        """The same with these elites only."""
        rows = np.array(chosen, np.int64)
        notes = tuple(self.notes[place] for place in chosen) if self.notes else ()
        return Archive(self.axes, self.genes[rows], self.fitness[rows], self.measures[rows], notes)

    def nearest(self, wanted: Sequence[float]) -> int:
        """The elite whose behaviour is nearest to what is wanted, in shares of each axis; of equals the fittest."""
        spans = np.array([axis.high - axis.low for axis in self.axes])
        far = np.sqrt((((self.measures - np.asarray(wanted)) / spans) ** 2).sum(axis=1))
        return int(np.lexsort((-self.fitness, far.round(9)))[0])

    # ------------------------------------------------------------ files

    def to_dict(self) -> dict[str, Any]:
        rows = []
        for number in range(len(self)):
            note = self.notes[number] if self.notes else {}
            measures = dict(zip((axis.name for axis in self.axes), self.measures[number].tolist(), strict=True))
            genes = self.genes[number].tolist()
            rows.append({"measures": measures, "fitness": float(self.fitness[number]), **note, "genes": genes})
        return {"turnsmith": "archive", "axes": [dict(vars(axis)) for axis in self.axes], "elites": rows}

    def save(self, path: Path) -> None:
        """As JSON, an elite a line."""
        document = self.to_dict()
        rows = ",\n  ".join(json.dumps(row) for row in document["elites"])
        axes = json.dumps(document["axes"])
        write_text(path, f'{{"turnsmith": "archive",\n "axes": {axes},\n "elites": [\n  {rows}\n ]}}\n')


def load_archive(path: Path) -> Archive:
    """Read an archive; whatever is wrong with the file is told in one line."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadInput(f"{path} has more than {MOST_BYTES:,} bytes; an archive is smaller")
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise BadInput(f"there is no archive {path}; give the path of a .json file") from None
    except (ValueError, RecursionError):
        raise BadInput(f"{path} is not JSON; an archive is written by a training") from None
    try:
        return _read(document)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        why = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
        raise BadInput(f"{path} is no archive: {shown(why)}") from None


def _read(found: Any) -> Archive:
    if not isinstance(found, dict) or found.get("turnsmith") != "archive":
        raise ValueError("it does not begin with turnsmith: archive")
    axes = tuple(Axis(str(a["name"]), float(a["low"]), float(a["high"]), int(a["cells"])) for a in found["axes"])
    if not 1 <= len(axes) <= 8 or not all(0 < axis.cells <= 10_000 and axis.low < axis.high for axis in axes):
        raise ValueError("its axes must be 1 to 8, each with cells and low below high")
    rows = found["elites"]
    if not isinstance(rows, list) or not 1 <= len(rows) <= MOST_ELITES:
        raise ValueError(f"it must have 1 to {MOST_ELITES:,} elites")
    length = len(rows[0]["genes"])
    if not 1 <= length <= MOST_GENES or any(len(row["genes"]) != length for row in rows):
        raise ValueError("all elites must have the same number of genes")
    genes = np.array([row["genes"] for row in rows], np.float64)
    fitness = np.array([row["fitness"] for row in rows], np.float64)
    measures = np.array([[row["measures"][axis.name] for axis in axes] for row in rows], np.float64)
    if genes.ndim != 2 or not all(np.isfinite(part).all() for part in (genes, fitness, measures)):
        raise ValueError("all numbers must be finite")
    notes = tuple({k: v for k, v in row.items() if k not in ("genes", "fitness", "measures")} for row in rows)
    return Archive(axes, genes, fitness, measures, notes)


# ---------------------------------------------------------------- a picture

CELL, LEFT, TOP, FOOT = 42, 64, 46, 46
COLD, WARM = (0xE8, 0xEE, 0xF4), (0x1B, 0x5E, 0x3F)


def picture(archive: Archive, title: str, values: Sequence[float] | None = None) -> str:
    """A map of an archive with two axes as SVG: a cell is the darker the fitter its elite, with `values` (by default
    100 times the fitness) written in it; empty cells have none."""
    across, up = archive.axes
    numbers = [100 * value for value in archive.fitness] if values is None else list(values)
    low, high = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)
    wide, tall = LEFT + CELL * across.cells + 16, TOP + CELL * up.cells + FOOT
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" font-family="sans-serif" font-size="12" '
        f'text-anchor="middle"><rect width="{wide}" height="{tall}" fill="#ffffff"/>'
        f'<text x="{LEFT}" y="24" font-size="15" font-weight="bold" text-anchor="start">{escape(title)}</text>'
        f'<rect x="{LEFT}" y="{TOP}" width="{CELL * across.cells}" height="{CELL * up.cells}" fill="#f6f6f4"/>'
    ]
    for (column, row), number in zip(archive.places.tolist(), numbers, strict=True):
        x, y = LEFT + CELL * column, TOP + CELL * (up.cells - 1 - row)
        share = (number - low) / (high - low) if high > low else 1.0
        colour = "#" + "".join(f"{round(c + (w - c) * share):02x}" for c, w in zip(COLD, WARM, strict=True))
        ink = "#ffffff" if share > 0.55 else "#1d2430"
        out.append(f'<rect x="{x + 1}" y="{y + 1}" width="{CELL - 2}" height="{CELL - 2}" rx="4" fill="{colour}"/>')
        out.append(f'<text x="{x + CELL / 2:g}" y="{y + CELL / 2 + 4:g}" fill="{ink}">{number:.0f}</text>')
    for index in range(across.cells + 1):
        value = across.low + (across.high - across.low) * index / across.cells
        if index % 2 == 0:
            out.append(f'<text x="{LEFT + CELL * index}" y="{tall - FOOT + 16}">{value:.2g}</text>')
    for index in range(0, up.cells + 1, 2):
        value, y = up.low + (up.high - up.low) * index / up.cells, TOP + CELL * (up.cells - index) + 4
        out.append(f'<text x="{LEFT - 6}" y="{y}" text-anchor="end">{value:.2g}</text>')
    out.append(f'<text x="{LEFT + CELL * across.cells / 2:g}" y="{tall - 8}">{escape(across.name)} →</text>')
    middle = TOP + CELL * up.cells / 2
    out.append(f'<text transform="translate(16 {middle:g}) rotate(-90)">{escape(up.name)} →</text>')
    return "".join(out) + "</svg>\n"
