"""A map as cells that can be painted: what is painted stays as it is when maps are made."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from turnsmith.contract.grids import Form, Grid, Tile
from turnsmith.maps.raster import BACKGROUND, PAIRS

SIDE = 20
"""Of a cell in the picture."""
MOST_CELLS = 20_000
"""Of one stroke: more than any map has."""


class Paint(Element, component="paint.js"):
    """A picture of cells; `on_stroke` gets the cells that were painted, as (column, row), and whether to lock them."""

    def __init__(self, label: str, on_stroke: Callable[[list[tuple[int, int]], bool], Any]):
        super().__init__()
        self._props.update(svg="", locked=[], label=label)
        self.on("painted", lambda event: on_stroke(*_stroke(event)))

    def show(self, svg: str, locked: Sequence[tuple[int, int]]) -> None:
        self._props.update(svg=svg, locked=[name_of(*cell) for cell in locked])
        self.update()


def name_of(column: int, row: int) -> str:
    return f"{column},{row}"


def _stroke(event: GenericEventArguments) -> tuple[list[tuple[int, int]], bool]:
    """What a browser says was painted; whatever else it says is left out."""
    message = event.args if isinstance(event.args, dict) else {}
    given = message.get("cells")
    cells = []
    for name in given[:MOST_CELLS] if isinstance(given, list) else ():
        column, _, row = str(name)[:20].partition(",")
        if column.isdecimal() and row.isdecimal():
            cells.append((int(column), int(row)))
    return cells, bool(message.get("locking"))


# ---------------------------------------------------------------- the picture


def plan_of(grid: Grid, form: Form, open_cells: Sequence[tuple[int, int]]) -> str:
    """The map from above as SVG, a square a cell; the cells (column, row) that are open can be painted."""
    rows, columns = grid.shape
    wide, high = columns * SIDE + (SIDE // 2 if form.hexes else 0), rows * SIDE
    parts = [f'<rect width="{wide}" height="{high}" fill="{BACKGROUND}"/>']
    for name, tiles in form.layers.items():
        for row, values in enumerate(grid.layers[name].tolist()):
            parts += [_tile(tiles[value], column, row, form) for column, value in enumerate(values)]
    pairs = 0
    colours: dict[int, str] = {}
    for number, thing in enumerate(grid.things):
        kind = form.kind(thing.kind)
        if thing.target is not None and number < thing.target:
            colours[number] = colours[thing.target] = PAIRS[pairs % len(PAIRS)]
            pairs += 1
        colour = colours.get(number, kind.colour)
        parts.append(_shape(kind.shape, colour, thing.column, thing.row, form))
    for column, row in open_cells:
        x, y = _corner(column, row, form)
        place = f'x="{x}" y="{y}" width="{SIDE}" height="{SIDE}"'
        parts.append(f'<rect {place} class="paint-cell" data-cell="{name_of(column, row)}"/>')
    body = "".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}">{body}</svg>'


def _corner(column: int, row: int, form: Form) -> tuple[float, int]:
    return column * SIDE + (SIDE / 2 if form.hexes and row % 2 else 0), row * SIDE


def _tile(tile: Tile, column: int, row: int, form: Form) -> str:
    return _shape(tile.shape, tile.colour, column, row, form) if tile.colour else ""


def _shape(shape: str, colour: str, column: int, row: int, form: Form) -> str:
    """As ``maps.raster`` has them."""
    x, y = _corner(column, row, form)
    fill, half = html.escape(colour), SIDE / 2
    if shape == "disc":
        return f'<circle cx="{x + half:g}" cy="{y + half:g}" r="{0.36 * SIDE:g}" fill="{fill}"/>'
    if shape == "ring":
        drawn = f'r="{0.33 * SIDE:g}" fill="none" stroke="{fill}" stroke-width="{0.18 * SIDE:g}"'
        return f'<circle cx="{x + half:g}" cy="{y + half:g}" {drawn}/>'
    inset = 0.1 * SIDE if shape == "block" else 0.0
    size = SIDE - 2 * inset
    return f'<rect x="{x + inset:g}" y="{y + inset:g}" width="{size:g}" height="{size:g}" fill="{fill}"/>'
