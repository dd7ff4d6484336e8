"""A map of any game as layers of cells and things on them: what files of editors, pictures and drawings are made of.

A game whose maps are grids says in the file ``grid.py`` of its folder, or in its one file, how its board's description
becomes a grid and back: ``GRID = Form(layers, kinds, to_grid, from_grid)``.
"""

from __future__ import annotations

import importlib
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown, suggestion
from turnsmith.common.settings import parse
from turnsmith.contract.homes import names_file, part_of
from turnsmith.contract.registry import GAMES

T = TypeVar("T", bool, int, str)

MOST_CELLS = 512
"""Of a row or a column: what is larger is refused before anything is made of it."""
MOST_THINGS = 4096


@dataclass(frozen=True)
class Tile:
    """A value that a cell may have."""

    name: str
    sign: str
    """One character, in drawings."""
    colour: str = ""
    """As in CSS, #rrggbb; "" where nothing is there and what lies below is seen."""
    shape: str = "fill"
    """fill, block, disc or ring: how it looks in pictures."""


@dataclass(frozen=True)
class Kind:
    """A kind of things that stand on cells."""

    name: str
    group: str
    """The list it stands in in files: spawns, portals."""
    sign: str
    """One character in drawings; "" for things that are joined in pairs: each pair has a capital letter."""
    colour: str
    shape: str = "disc"
    under: int = 0
    """What the cell under it is in a drawing, where the thing hides it."""

    @property
    def joined(self) -> bool:
        return not self.sign


@dataclass(frozen=True)
class Thing:
    """Something on a cell. Rows and columns count from 0."""

    kind: str
    row: int
    column: int
    target: int | None = None
    """The number, in the list of things, of the one it is joined with."""


@dataclass(frozen=True, eq=False)
class Grid:
    """A map. layers: int16[rows, columns] by name, all of one shape, each number that of a tile of its layer."""

    layers: Mapping[str, Array]
    things: tuple[Thing, ...] = ()
    properties: Mapping[str, bool | int | str] = field(default_factory=dict)
    """What neither cells nor things say."""

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = next(iter(self.layers.values())).shape
        return int(rows), int(columns)


@dataclass(frozen=True)
class Form:
    """How the maps of a game look as grids."""

    layers: Mapping[str, tuple[Tile, ...]]
    """The tiles of each layer, the lowest layer first; the last one is what drawings show. Only it must be in a file:
    the others follow from it."""
    kinds: tuple[Kind, ...]
    to_grid: Callable[[dict[str, Any]], Grid]
    """(source) -> grid, of the description of a board that the game has taken."""
    from_grid: Callable[[Grid], dict[str, Any]]
    """(grid) -> source; refuses what no board can be, by row and column."""
    hexes: bool = False
    """Whether odd rows are shifted right by half a cell."""
    may_fill: Callable[[int, int], Array] | None = None
    """(rows, columns) -> bool[rows, columns]: the cells whose tile may be another than the first; without it all."""
    options: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    """(source) -> the options of the game that a board of this description needs."""
    genes: Callable[[dict[str, Any]], Array] | None = None
    """(source) -> int64[rows, columns]: the gene that says what a cell holds, -1 where none does. Maps are made
    symmetric, and cells locked, by it; without it, it is found out by trying."""
    drawn_apart: tuple[str, ...] = ()
    """What of a description is drawn anew for every map, whatever its genes are."""
    to_text: Callable[[dict[str, Any]], str] | None = None
    """(source) -> the game's own map file, where it reads one; then text files are such."""
    from_text: Callable[[str, str], dict[str, Any]] | None = None
    """(text, what to call it) -> source."""

    @property
    def drawn(self) -> str:
        """The layer that drawings show."""
        return list(self.layers)[-1]

    def kind(self, name: str) -> Kind:
        chosen = next((kind for kind in self.kinds if kind.name == name), None)
        if chosen is None:
            known = [kind.name for kind in self.kinds]
            has = f"there are {', '.join(known)}" if known else "there are none"
            raise BadInput(f"'{shown(name)}' is no kind of things here{suggestion(name, known)}; {has}")
        return chosen

    @property
    def letters(self) -> str:
        """The signs of pairs in drawings: capital letters that nothing else has."""
        taken = {tile.sign for tile in self.layers[self.drawn]} | {kind.sign for kind in self.kinds}
        return "".join(letter for letter in string.ascii_uppercase if letter not in taken)

    def grid_of(self, source: dict[str, Any]) -> Grid:
        return self.to_grid(source)

    def source_of(self, grid: Grid) -> dict[str, Any]:
        """The description of a grid that came from outside: first checked in itself, then by the game."""
        check(grid, self)
        return self.from_grid(grid)


def form_of(game: str) -> Form:
    """How maps of the game that a text names look as grids."""
    home = game.partition(".py")[0] + ".py" if names_file(game) else parse(game)[0]
    ours = GAMES / home / "grid.py"
    if home.isidentifier() and ours.exists():
        module = importlib.import_module(f"turnsmith.games.{home}.grid")  # without the rules: they take long to import
    else:
        module = part_of(home, "grid")
    form = getattr(module, "GRID", None)
    if not isinstance(form, Form):
        raise BadInput(
            f"{home} does not say how its maps look as grids (GRID, docs/reference/maps.md); .json keeps any map"
        )
    return form


# ---------------------------------------------------------------- checking


def check(grid: Grid, form: Form) -> None:
    """Refuse a grid that is none of this form, by layer, row and column."""
    if form.drawn not in grid.layers:
        raise BadInput(f"the layer '{form.drawn}' is missing; a map has {', '.join(form.layers)}")
    rows, columns = grid.layers[form.drawn].shape
    for name, cells in grid.layers.items():
        if name not in form.layers:
            raise BadInput(f"there is no layer '{shown(name)}'; a map has {', '.join(form.layers)}")
        if cells.shape != (rows, columns):
            raise BadInput(f"the layer '{name}' has {cells.shape} cells where '{form.drawn}' has {(rows, columns)}")
        wrong = np.argwhere((cells < 0) | (cells >= len(form.layers[name])))
        if len(wrong):
            row, column = wrong[0].tolist()
            raise refused(name, row, column, f"{cells[row, column]} is no tile; there are {len(form.layers[name])}")
    if len(grid.things) > MOST_THINGS:
        raise BadInput(f"there are {len(grid.things):,} things on the map; at most {MOST_THINGS:,} are read")
    for number, thing in enumerate(grid.things):
        kind = form.kind(thing.kind)
        if not (0 <= thing.row < rows and 0 <= thing.column < columns):
            raise refused(kind.group, thing.row, thing.column, f"this {thing.kind} is not on the map")
        if kind.joined and not _is_pair(grid.things, number):
            why = f"this {thing.kind} must have a target, another {thing.kind} whose target it is"
            raise refused(kind.group, thing.row, thing.column, why)


def _is_pair(things: tuple[Thing, ...], number: int) -> bool:
    target = things[number].target
    if target is None or target == number or not 0 <= target < len(things):
        return False
    return things[target].target == number and things[target].kind == things[number].kind


def refused(layer: str, row: int, column: int, reason: str) -> BadInput:
    """A place of a map and what is wrong there; for people rows and columns count from 1."""
    return BadInput(f"{layer}, row {row + 1}, column {column + 1}: {reason}")


def setting_of(grid: Grid, name: str, usual: T) -> T:
    """A property of a map, `usual` where it does not say; of the same type."""
    value = grid.properties.get(name, usual)
    if type(value) is not type(usual):
        kinds = {bool: "true or false", int: "a whole number", str: "a text"}
        raise BadInput(f"the property '{name}' must be {kinds[type(usual)]}, not {shown(value)}")
    return value


def refuse_other_properties(grid: Grid, *names: str) -> None:
    """Refuse properties that a game does not know: one misspelt would count for nothing."""
    for name in grid.properties:
        if name not in names:
            has = ", ".join(names)
            raise BadInput(f"a map has no property '{shown(name)}'{suggestion(name, names)}; it may have {has}")


# ---------------------------------------------------------------- drawing


def drawing(grid: Grid, form: Form) -> list[str]:
    """The map as rows of signs: the last layer, and what stands on it."""
    signs = [tile.sign for tile in form.layers[form.drawn]]
    rows = [[signs[value] for value in row] for row in grid.layers[form.drawn].tolist()]
    if len({(thing.row, thing.column) for thing in grid.things}) < len(grid.things):
        raise BadInput("two things stand on one cell, for which a drawing has one sign; write .json")
    for thing, sign in zip(grid.things, thing_signs(grid, form), strict=True):
        rows[thing.row][thing.column] = sign
    return ["".join(row) for row in rows]


def thing_signs(grid: Grid, form: Form) -> list[str]:
    """The sign of every thing in a drawing; two that are joined share a letter."""
    pairs = [number for number, thing in enumerate(grid.things) if thing.target is not None and number < thing.target]
    letters = form.letters
    if len(pairs) > len(letters):
        raise BadInput(f"a drawing has letters for {len(letters)} pairs, this map has {len(pairs)}; write .json")
    lettered = dict(zip(pairs, letters, strict=False))
    signs = []
    for number, thing in enumerate(grid.things):
        target = thing.target
        joined = "" if target is None else lettered[min(number, target)]
        signs.append(joined or form.kind(thing.kind).sign)
    return signs


def read_drawing(rows: list[str], form: Form, said: Callable[[int], str]) -> tuple[Array, tuple[Thing, ...]]:
    """The last layer and the things that a drawing shows. said(row): what to call a row of it in a refusal."""
    tiles = {tile.sign: value for value, tile in enumerate(form.layers[form.drawn])}
    kinds = {kind.sign: kind for kind in form.kinds if not kind.joined}
    joined = next((kind for kind in form.kinds if kind.joined), None)
    pairs: dict[str, list[tuple[int, int]]] = {}
    single: list[tuple[str, Thing]] = []
    if not rows or not 1 <= len(rows) <= MOST_CELLS or not 1 <= len(rows[0]) <= MOST_CELLS:
        raise BadInput(f"{said(0)}: a map has 1 to {MOST_CELLS} rows and columns")
    cells = np.zeros((len(rows), len(rows[0])), np.int16)
    for row, signs in enumerate(rows):
        if len(signs) != len(rows[0]):
            raise BadInput(f"{said(row)} has {len(signs)} signs where the first row has {len(rows[0])}")
        for column, sign in enumerate(signs):
            if sign in tiles:
                cells[row, column] = tiles[sign]
            elif sign in kinds:
                cells[row, column] = kinds[sign].under
                single.append((sign, Thing(kinds[sign].name, row, column)))
            elif joined is not None and sign in form.letters:
                cells[row, column] = joined.under
                pairs.setdefault(sign, []).append((row, column))
            else:
                raise BadInput(f"{said(row)}, column {column + 1}: '{shown(sign)}' is no sign of a map")
    order = list(kinds)
    things = [thing for _, thing in sorted(single, key=lambda pair: order.index(pair[0]))]
    for letter, ends in sorted(pairs.items()):
        if len(ends) != 2:
            row, column = ends[-1]
            times = "once" if len(ends) == 1 else f"{len(ends)} times"
            raise BadInput(f"{said(row)}, column {column + 1}: '{letter}' stands {times}; a pair has two ends")
        assert joined is not None
        things += pair_of(joined.name, ends[0], ends[1], len(things))
    return cells, tuple(things)


def pair_of(kind: str, one: tuple[int, int], other: tuple[int, int], start: int) -> list[Thing]:
    """Two things that are joined, the first of which has the number `start` in the list."""
    return [Thing(kind, *one, start + 1), Thing(kind, *other, start)]
