"""Measuring files: runs of trees and files of maps, as tables, JSON and histograms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.contract.grids import form_of
from turnsmith.contract.loading import load
from turnsmith.maps import files
from turnsmith.maps.files import iwonformat
from turnsmith.maps.measures import known, measure_maps, measure_trees, of_kind, seat_advantage
from turnsmith.maps.record import GameMap
from turnsmith.maps.tree import Trees

if TYPE_CHECKING:
    from rich.table import Table

OF_TREES = ("tree", "depth")
"""Kinds of measures that need trees."""
BINS = 40
DIGITS = 6
WIDE, HIGH, PANELS = 3.2, 2.2, 3
"""Inches of a histogram, and how many stand beside each other."""


@dataclass(frozen=True)
class Asked:
    """What is to be measured of files."""

    game: str = ""
    names: tuple[str, ...] = ()
    """Measures; none for all that a file has."""
    important: bool = False
    layers_a_round: int = 2
    players: tuple[str, ...] = ()
    """Who plays for the balance of a map; nobody without them."""
    games: int = 64
    seed: int = 0


@dataclass(frozen=True)
class MeasuredFile:
    """What was found of one file. values: float64[maps or trees] by measure; by_depth: float64[trees, layers]."""

    file: str
    what: str
    """maps or trees"""
    count: int
    values: dict[str, Array]
    by_depth: dict[str, Array] = field(default_factory=dict)
    ends: dict[str, Array] = field(default_factory=dict)
    """float64[maps, 2]: the 95 % interval of every value, of measures that are estimates."""

    def to_dict(self) -> dict[str, Any]:
        """One JSON document (docs/reference/maps.md)."""
        numbers: dict[str, dict[str, Any]] = {
            name: {**summary(values), "values": _rounded(values)} for name, values in self.values.items()
        }
        for name, ends in self.ends.items():
            numbers[name] |= {"low": _rounded(ends[:, 0]), "high": _rounded(ends[:, 1])}
        depths = {name: {"mean": _rounded(layers.mean(axis=0))} for name, layers in self.by_depth.items()}
        return {"file": self.file, "what": self.what, "count": self.count, "measures": numbers, "by_depth": depths}


def summary(values: Array) -> dict[str, float]:
    """Mean, spread and quantiles of a measure."""
    ends = np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    numbers = {"mean": values.mean(), "deviation": spread}
    numbers |= dict(zip(("least", "quarter", "median", "three_quarters", "most"), ends, strict=True))
    return {name: round(float(value), DIGITS) for name, value in numbers.items()}


def _rounded(values: Array) -> list[float | None]:
    """Numbers for JSON, which has none that is not finite."""
    return [round(float(value), DIGITS) if np.isfinite(value) else None for value in values]


def measured(path: Path, asked: Asked) -> MeasuredFile:
    """All that was asked of a run of trees with its maps, of its tensors alone, or of a file of maps."""
    run = iwonformat.run_of(path)
    trees: Trees | None = None
    maps: list[GameMap] = []
    if run is None:
        maps = files.load(path, asked.game)
    elif run == path:
        maps, trees = iwonformat.read_run(run, asked.layers_a_round)
    else:
        trees = iwonformat.read_trees(run, asked.layers_a_round)
    names = asked.names or _all_names(trees, maps, asked)
    for name in names:
        of_trees = known(name).kind in OF_TREES
        if (of_trees and trees is None) or not (of_trees or maps):
            raise BadInput(f"{path} has no {'trees' if of_trees else 'maps'}, so {name} cannot be measured of it")
    by_name: dict[str, Array] = {}
    if trees is not None and any(known(name).kind in OF_TREES for name in names):
        chosen = [name for name in names if known(name).kind in OF_TREES]
        by_name = measure_trees(trees, chosen, asked.important)
    by_name |= _of_grids(maps, [name for name in names if known(name).kind == "map"])
    flat, deep = ({name: values for name, values in by_name.items() if values.ndim == depth} for depth in (1, 2))
    ends = {}
    if "seat_advantage" in names:
        played = _played(maps, asked)
        flat["seat_advantage"], ends["seat_advantage"] = played[:, 0], played[:, 1:]
    return MeasuredFile(str(path), "maps" if trees is None else "trees", len(maps or trees or ()), flat, deep, ends)


def _all_names(trees: Trees | None, maps: list[GameMap], asked: Asked) -> list[str]:
    """What can be measured of a file; balance only where somebody plays for it."""
    of_trees = [name for kind in OF_TREES for name in of_kind(kind, trees.sides)] if trees is not None else []
    return of_trees + (of_kind("map") if maps else []) + (of_kind("game") if maps and asked.players else [])


def _of_grids(maps: Sequence[GameMap], names: list[str]) -> dict[str, Array]:
    if not names:
        return {}
    forms = [form_of(game_map.game) for game_map in maps]
    return measure_maps(
        [(form.grid_of(game_map.source), form) for game_map, form in zip(maps, forms, strict=True)], names
    )


def _played(maps: Sequence[GameMap], asked: Asked) -> Array:
    """float64[maps, 3]: the advantage of the first seat, and its interval."""
    if not asked.players:
        raise BadInput("seat_advantage needs somebody to play; say who (--players random)")
    games = {game_map.game: load(game_map.game) for game_map in maps}
    advantages = [
        seat_advantage(games[game_map.game], game_map.source, asked.players, asked.games, asked.seed)
        for game_map in maps
    ]
    return np.array(advantages)


# ---------------------------------------------------------------- for people


def table(found: MeasuredFile) -> Table:
    """A row a measure; of several maps or trees how it is spread among them."""
    from rich.table import Table

    drawn = Table(title=f"{found.file}: {found.count:,} {found.what}", title_justify="left")
    columns = ("mean", "deviation", "least", "median", "most") if found.count > 1 else ("mean",)
    drawn.add_column("measure", no_wrap=True)
    for column in columns:
        drawn.add_column(column if found.count > 1 else "value", justify="right", no_wrap=True)
    for name, values in found.values.items():
        row = summary(values)
        numbers = [f"{row[column]:.4g}" for column in columns]
        if name in found.ends and found.count == 1:
            numbers[0] += f" ({found.ends[name][0, 0]:.4g} to {found.ends[name][0, 1]:.4g})"
        drawn.add_row(name, *numbers)
    return drawn


def depths(found: MeasuredFile) -> list[str]:
    """A line for every measure that has a value after each layer: the means."""
    means = {name: values.mean(axis=0) for name, values in found.by_depth.items()}
    return [f"{name} by layer: {' '.join(f'{mean:.3g}' for mean in layers)}" for name, layers in means.items()]


def histograms(found: Sequence[MeasuredFile]) -> bytes:
    """An SVG with a histogram for every measure, files in colours of their own."""
    from turnsmith.learn.run import figure_svg

    names = list(dict.fromkeys(name for result in found for name in result.values))
    rows = -(-len(names) // PANELS)

    def draw(figure: Any) -> None:
        panels = figure.subplots(rows, PANELS, squeeze=False).reshape(-1)
        for panel, name in zip(panels, names, strict=False):
            having = [result for result in found if name in result.values]
            ends = np.histogram_bin_edges(np.concatenate([result.values[name] for result in having]), BINS)
            for result in having:
                panel.hist(result.values[name], ends, alpha=0.6, label=result.file, density=len(having) > 1)
            panel.set_title(name.replace("_", " "), fontsize=9)
            panel.set_yticks([])
        for panel in panels[len(names) :]:
            panel.set_axis_off()
        if len(found) > 1:
            panels[0].legend(fontsize=6)

    return figure_svg(WIDE * PANELS, HIGH * rows, draw)
