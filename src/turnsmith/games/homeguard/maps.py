"""Boards of Homeguard as descriptions: covers of two generators, portals drawn apart from them, and covers as genes.

A cell is row * size + column. As sizes are odd, even cells are those with an even sum of column and row: there soldiers
walk. Odd cells may hold cover. A description is

    {"rows": ["..o.T…", …], "portals": [[12, 40], …], "generator": "checkers", "starts": "corners", "strict": false}

with a row's signs "." for nothing, "o" for a stone (short cover) and "T" for a tree (long cover).

A genome is the covers alone. Of `checkers` every odd cell is a gene, left to right and top to bottom. Of `lines` only
cells on a lattice of squares hold cover, and a gene is a segment between two crossings: all its odd cells hold the
same; first the horizontal segments, then the vertical ones, each left to right and top to bottom.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.compile.rng import below, set_stream
from turnsmith.contract import sources
from turnsmith.contract.genes import checked_genes

SMALLEST, LARGEST = 7, 15
CELLS = LARGEST * LARGEST
SIGNS = ".oT"
NONE, SHORT, LONG = range(3)
CHECKERS, LINES = "checkers", "lines"
LATTICE = {7: 3, 9: 4, 11: 5, 13: 4, 15: 7}
"""Cells from one line of the lattice to the next, by size."""
CORNERS, TOGETHER = "corners", "together"
MOST_PORTALS = 26
"""Pairs of a description: files name them by a capital letter each."""
MOST_DRAWN = 4
TRIES = 100
COVER_STREAM, PORTAL_STREAM = 1, 2


# ---------------------------------------------------------------- genes


@lru_cache(maxsize=16)
def gene_of_cell(size: int, generator: str) -> Array:
    """int64[size * size]: the gene that says what a cell holds, -1 for cells that hold nothing."""
    of_cell = np.full(size * size, -1)
    if generator == CHECKERS:
        of_cell[1::2] = np.arange(size * size // 2)
        return of_cell
    step, cells = LATTICE[size], np.arange(size * size).reshape(size, size)
    lines = [*cells[::step], *cells.T[::step]]
    segments = [line[first + 1 : first + step] for line in lines for first in range(0, size - 1, step)]
    for gene, segment in enumerate(segments):
        of_cell[segment[segment % 2 == 1]] = gene
    return of_cell


def gene_values(source: dict[str, Any]) -> Array:
    return np.full(gene_of_cell(len(source["rows"]), source["generator"]).max() + 1, len(SIGNS))


def genes(source: dict[str, Any]) -> Array:
    covers = np.array([SIGNS.index(sign) for sign in "".join(source["rows"])])
    return _genes_of(covers, gene_of_cell(len(source["rows"]), source["generator"]))


def with_genes(source: dict[str, Any], genes: Any) -> dict[str, Any]:
    """Other covers; portals and all else stay. Soldiers walk where no cover can be, so nothing needs repair."""
    size = len(source["rows"])
    chosen = checked_genes(genes, gene_values(source))
    return {**source, "rows": rows_of(_covers_of(chosen, gene_of_cell(size, source["generator"])), size)}


def _genes_of(covers: Array, of_cell: Array) -> Array:
    values = np.zeros(of_cell.max() + 1, np.int64)
    inside = of_cell >= 0
    values[of_cell[inside]] = covers[inside]
    return values


def _covers_of(genes: Array, of_cell: Array) -> Array:
    return np.where(of_cell >= 0, np.append(genes, NONE)[of_cell], NONE)


def rows_of(covers: Array, size: int) -> list[str]:
    """The rows of a description, from what each cell holds."""
    signs = "".join(SIGNS[cover] for cover in covers[: size * size])
    return [signs[first : first + size] for first in range(0, size * size, size)]


# ---------------------------------------------------------------- drawing, compiled


def draw_covers(cover, of_cell, rng):
    """Fill cover[:cells]: of every gene, nothing for a half, a stone or a tree for a quarter each."""
    kinds = np.zeros(of_cell.max() + 1, np.int8)
    for gene in range(len(kinds)):
        kinds[gene] = max(0, below(rng, 4) - 1)
    for cell in range(len(of_cell)):
        cover[cell] = kinds[of_cell[cell]] if of_cell[cell] >= 0 else 0


def draw_portals(portal, pairs, size, taken, rng):
    """Fill portal[:pairs] with cells to walk on: none of those that are `taken`, and no two that touch."""
    drawn, tries = 0, 0
    while drawn < 2 * pairs:
        cell = 2 * below(rng, (size * size + 1) // 2)
        tries += 1
        if tries > TRIES:  # what was drawn may leave no room
            drawn, tries = 0, 0
        elif not taken[cell] and is_apart(portal, drawn, size, cell):
            portal[drawn >> 1, drawn & 1] = cell
            drawn, tries = drawn + 1, 0


def is_apart(portal, drawn, size, cell):
    """Whether a cell touches none of the first `drawn`."""
    for index in range(drawn):
        other = np.int64(portal[index >> 1, index & 1])
        if abs(other // size - cell // size) <= 1 and abs(other % size - cell % size) <= 1:
            return False
    return True


def draw_maps(boards, of_cell, taken, pairs, cover_seeds, portal_seeds):
    """The covers of one seed and the portals of another, for each board."""
    rng = np.zeros(1, np.uint64)
    for index in range(len(boards)):
        board = boards[index]
        set_stream(rng, cover_seeds[index], 0, COVER_STREAM)
        draw_covers(board.cover, of_cell, rng)
        set_stream(rng, portal_seeds[index], 0, PORTAL_STREAM)
        draw_portals(board.portal, pairs, np.int64(board.side), taken, rng)
        board.pairs = pairs


# ---------------------------------------------------------------- descriptions from outside


def start_cells(size: int, starts: str) -> list[int]:
    """Where the player's two soldiers start, then the enemy's: on the corners of the first and the second diagonal, or
    together, the player around the first corner and the enemy around the last."""
    last = size * size - 1
    if starts == CORNERS:
        return [0, last, size - 1, last - size + 1]
    return [2, 2 * size, last - 2, last - 2 * size]


def corner_cells(size: int) -> list[int]:
    return start_cells(size, CORNERS)


def read_covers(source: dict[str, Any]) -> tuple[int, Array]:
    """The size and int64[size * size]: what each cell holds; refused if no board has such covers."""
    rows = sources.rows(source, "rows", LARGEST, LARGEST)
    size = len(rows)
    if size < SMALLEST or size % 2 == 0:
        raise BadInput(f"rows has {size} rows; a board has an odd number of them, {SMALLEST} to {LARGEST}")
    covers = np.zeros(size * size, np.int64)
    for y, row in enumerate(rows):
        if len(row) != size:
            raise BadInput(f"row {y + 1} of rows has {len(row)} characters; there are {size} rows, so it needs {size}")
        for x, sign in enumerate(row):
            if sign not in SIGNS:
                raise BadInput(f"row {y + 1} of rows holds '{shown(sign)}'; it may hold {SIGNS}")
            if sign != SIGNS[NONE] and (x + y) % 2 == 0:
                raise BadInput(f"row {y + 1}, column {x + 1} holds cover where soldiers walk; put it beside")
            covers[y * size + x] = SIGNS.index(sign)
    generator = read_choice(source, "generator", (CHECKERS, LINES))
    of_cell = gene_of_cell(size, generator)
    wrong = np.flatnonzero(_covers_of(_genes_of(covers, of_cell), of_cell) != covers)
    if len(wrong):
        y, x = divmod(int(wrong[0]), size)
        raise BadInput(
            f"row {y + 1}, column {x + 1}: no map of generator=lines has this cover; cover is only on its lattice, the "
            "same along a segment (say generator=checkers for maps drawn freely)"
        )
    return size, covers


def read_portals(source: dict[str, Any], size: int) -> list[tuple[int, int]]:
    """Pairs of cells, refused where a soldier cannot stand, on corners, and if a cell has two partners."""
    portals = source["portals"]
    if not isinstance(portals, list) or len(portals) > MOST_PORTALS:
        raise BadInput(f"portals must be a list of at most {MOST_PORTALS} pairs of cells, not {shown(portals)}")
    seen = set(corner_cells(size))
    for pair in portals:
        if not isinstance(pair, list) or len(pair) != 2 or not all(type(cell) is int for cell in pair):
            raise BadInput(f"portals holds {shown(pair)}; each is a pair of cells, such as [12, 40]")
        for cell in pair:
            if not 0 <= cell < size * size or cell % 2:
                raise BadInput(f"portals holds {shown(cell)}; a portal is on an even cell from 0 to {size * size - 1}")
            if cell in seen:
                raise BadInput(f"portals holds {cell}, which is a corner or has a partner already; choose another cell")
            seen.add(cell)
    return [(first, second) for first, second in portals]


def read_choice(source: dict[str, Any], name: str, choices: tuple[str, ...]) -> str:
    value = sources.text(source, name, 20)
    if value not in choices:
        raise BadInput(f"{name}={shown(value)} must be one of {', '.join(choices)}")
    return value
