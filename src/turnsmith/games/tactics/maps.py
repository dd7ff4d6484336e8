"""Maps: heights that grow in waves from a corner, cover pieces upon them, the other half by reflection; and map files.

A cell is y * side + x. A map is its own image under m(x, y) = (side - 1 - y, side - 1 - x), so neither team has the
better ground. A map file has one line a row and one sign a cell: its height, 0 to 9, then a to z for 10 to 35.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.compile.kernel import compiled, scratch
from turnsmith.compile.rng import below, set_stream
from turnsmith.games.tactics.config import SHAPES, TALLEST, MapSettings

SMALLEST, LARGEST = 8, 48
CELLS = LARGEST * LARGEST
SIGNS = "0123456789abcdefghijklmnopqrstuvwxyz"
DRAWS = 1000
"""Maps to draw until one can be walked all over."""


def mirrored(side, cell):
    """The image of a cell under the reflection."""
    return (side - 1 - cell % side) * side + side - 1 - cell // side


def grow_ground(heights, side, lowest, highest, rng):
    """Waves by the distance from (0, 0); a new cell is within 1 of its neighbours of the wave before.

    These have a neighbour in common, so they differ by 2 at most and there is always a height to choose.
    """
    for wave in range(side):
        for y in range(wave + 1):
            x = wave - y
            low, high = lowest, highest
            if x > 0:
                low, high = max(low, heights[y * side + x - 1] - 1), min(high, heights[y * side + x - 1] + 1)
            if y > 0:
                low, high = max(low, heights[(y - 1) * side + x] - 1), min(high, heights[(y - 1) * side + x] + 1)
            heights[y * side + x] = low + below(rng, high - low + 1)
    for cell in range(side * side):
        if cell % side + cell // side >= side:
            heights[cell] = heights[mirrored(side, cell)]


def fits(pieces, side, shape, x, y):
    """Whether a shape may stand there: off the border and the corners, apart from others and its own reflection."""
    for index in range(shape.shape[0]):
        if shape[index, 0] < 0:
            break
        cx, cy = x + shape[index, 0], y + shape[index, 1]
        if min(cx, cy) < 1 or max(cx, cy) > side - 2 or cx + cy > side - 1:
            return False
        if min(cx, side - 1 - cx) + min(cy, side - 1 - cy) <= 2:
            return False
        for ny in range(cy - 1, cy + 2):
            for nx in range(cx - 1, cx + 2):
                if pieces[ny * side + nx]:
                    return False
        for other in range(shape.shape[0]):
            if shape[other, 0] < 0:
                break
            image = mirrored(side, (y + shape[other, 1]) * side + x + shape[other, 0])
            if max(abs(image % side - cx), abs(image // side - cy)) < 2:
                return False
    return True


def put_pieces(heights, pieces, side, wanted, tries, shapes, raises, rng):
    """Put up to so many cover pieces into the half that was grown, and their images; they are numbered from 1."""
    count = 0
    for _ in range(tries):
        if count == wanted:
            break
        shape = shapes[below(rng, shapes.shape[0])]
        x, y = below(rng, side), below(rng, side)
        higher = raises[below(rng, raises.shape[0])]
        if not fits(pieces, side, shape, x, y):
            continue
        count += 1
        for index in range(shape.shape[0]):
            if shape[index, 0] >= 0:
                cell = (y + shape[index, 1]) * side + x + shape[index, 0]
                image = mirrored(side, cell)
                heights[cell] += higher
                heights[image] += higher
                pieces[cell], pieces[image] = 2 * count - 1, 2 * count


def flood(heights, side, start, backwards, queue, seen):
    """Mark in `seen` all cells that can be reached from `start`, or (backwards) from which it can be reached."""
    for cell in range(side * side):
        seen[cell] = 0
    seen[start], queue[0] = 1, start
    first, last = 0, 1
    while first < last:
        cell = queue[first]
        first += 1
        for way in range(4):
            x, y = cell % side + (way == 0) - (way == 2), cell // side + (way == 1) - (way == 3)
            if min(x, y) < 0 or max(x, y) >= side or seen[y * side + x]:
                continue
            other = y * side + x
            climb = heights[cell] - heights[other] if backwards else heights[other] - heights[cell]
            if climb <= 1:
                seen[other], queue[last] = 1, other
                last += 1


def is_open(heights, pieces, side):
    """Whether every cell without cover can be reached from every cell."""
    queue, seen = scratch(CELLS, np.int32), scratch(CELLS, np.int8)
    for turn in range(2):
        flood(heights, side, 0, turn == 1, queue, seen)
        for cell in range(side * side):
            if not seen[cell] and (turn == 1 or pieces[cell] == 0):
                return False
    return True


def draw(heights, pieces, side, lowest, highest, wanted, tries, shapes, raises, seed):
    """Draw maps until one can be walked all over; False if none was found. See ``generate``."""
    rng = np.zeros(1, np.uint64)
    for attempt in range(DRAWS):
        set_stream(rng, seed, attempt, 1)
        for cell in range(side * side):
            pieces[cell] = 0
        grow_ground(heights, side, lowest, highest, rng)
        put_pieces(heights, pieces, side, wanted, tries, shapes, raises, rng)
        if is_open(heights, pieces, side):
            return True
    return False


def generate(side: int, settings: MapSettings, seed: int) -> tuple[Array, Array]:
    """The heights (int64, a cell each) of a random map, and which piece of cover stands where, 0 for none."""
    heights, pieces = np.zeros(side * side, np.int64), np.zeros(side * side, np.int64)
    shapes = np.full((len(settings.shapes), 4, 2), -1, np.int64)
    for index, name in enumerate(settings.shapes):
        shapes[index, : len(SHAPES[name])] = SHAPES[name]
    wanted = round(settings.pieces * side * side / 576)
    chosen = (settings.lowest, settings.highest, wanted, settings.tries, shapes, np.array(settings.raises, np.int64))
    if not compiled(draw)(heights, pieces, side, *chosen, np.uint64(seed % 2**64)):
        raise BadInput("no map was found that can be walked all over; ask for fewer pieces, or lower ones")
    return heights, pieces


# ---------------------------------------------------------------- as text


def write_rows(heights: Array, side: int) -> list[str]:
    """The heights of a map as a text a row."""
    signs = "".join(SIGNS[height] for height in heights.tolist())
    return [signs[start : start + side] for start in range(0, len(signs), side)]


def read_rows(rows: list[str], what: str) -> Array:
    """The heights that rows of text stand for; damage is named by row and column."""
    side = len(rows)
    if side % 2 or not SMALLEST <= side <= LARGEST:
        raise BadInput(f"{what} has {side} rows; a map has an even number of them, {SMALLEST} to {LARGEST}")
    for number, row in enumerate(rows, start=1):
        if len(row) != side:
            raise BadInput(f"{what}: row {number} has {len(row)} signs; the map is square, so it needs {side}")
        for column, sign in enumerate(row, start=1):
            if sign not in SIGNS:
                raise BadInput(f"{what}: row {number}, column {column}: '{shown(sign)}' is no height; use 0-9 and a-z")
    return np.array([SIGNS.index(sign) for row in rows for sign in row], np.int64)


def read_file(name: str) -> list[str]:
    """The rows of a map file, checked."""
    path = Path(name)
    if not name.endswith(".txt"):
        raise BadInput(f"map={shown(name)} must be random, or the path of a map file, which ends with .txt")
    if not path.is_file():
        raise BadInput(f"there is no map file {name}; give the path of one that ends with .txt, or map=random")
    try:
        rows = path.read_text(encoding="utf-8").split()
    except UnicodeDecodeError:
        raise BadInput(f"map file {name} is not a text; a map has a sign a cell, its height: 0-9 and a-z") from None
    read_rows(rows, f"map file {name}")
    return rows


assert len(SIGNS) == TALLEST + 1
