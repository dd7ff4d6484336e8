"""Maps as pixels, and pixels as PNG: a few shapes in cells, smooth at their edges, without a library for pictures."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.contract.grids import Form, Grid, Tile

FINE = 4
"""Points that a pixel is the mean of, in each direction."""
LARGEST, CELL, LEAST = 1024, 32, 4
"""Pixels of a picture's longer side, more or less, and of a cell at most and at least."""
BACKGROUND = "#a9c3d6"
PAIRS = ("#8e44ad", "#16a085", "#e67e22", "#d81b60", "#1f3a93", "#7f8c1d", "#00838f", "#6d4c41")
"""Colours of pairs, again from the first."""
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def picture_of(grid: Grid, form: Form) -> Array:
    """uint8[height, width, 3]: the map, all layers and things."""
    rows, columns = grid.shape
    side = min(CELL, max(LEAST, LARGEST // max(rows, columns)))
    shift = side // 2 if form.hexes else 0
    pixels = np.tile(np.array(_rgb(BACKGROUND), np.uint8), (rows * side, columns * side + shift, 1))
    for name, tiles in form.layers.items():
        for value, tile in enumerate(tiles):
            if tile.colour:
                for row, column in np.argwhere(grid.layers[name] == value).tolist():
                    _stamp(pixels, row * side, column * side + shift * (row % 2), side, tile.shape, tile.colour)
    pair = 0
    colours: dict[int, str] = {}
    for number, thing in enumerate(grid.things):
        kind = form.kind(thing.kind)
        if thing.target is not None and number < thing.target:
            colours[number] = colours[thing.target] = PAIRS[pair % len(PAIRS)]
            pair += 1
        colour = colours.get(number, kind.colour)
        _stamp(pixels, thing.row * side, thing.column * side + shift * (thing.row % 2), side, kind.shape, colour)
    return pixels


def tileset_picture(tiles: Sequence[Tile], side: int, columns: int) -> tuple[bytes, tuple[int, int]]:
    """A PNG with a square for every tile, `columns` in a row; its width and height."""
    rows = max(1, -(-len(tiles) // columns))
    pixels = np.full((rows * side, columns * side, 3), 255, np.uint8)
    for number, tile in enumerate(tiles):
        row, column = divmod(number, columns)
        _stamp(pixels, row * side, column * side, side, tile.shape, tile.colour)
    return encode(pixels), (columns * side, rows * side)


def _stamp(pixels: Array, top: int, left: int, side: int, shape: str, colour: str) -> None:
    """Paint a shape into a cell."""
    share = _covered(shape, side)[:, :, None]
    cell = pixels[top : top + side, left : left + side]
    cell[:] = np.rint(cell * (1 - share) + np.array(_rgb(colour)) * share).astype(np.uint8)


def _covered(shape: str, side: int) -> Array:
    """float[side, side]: how much of each pixel a shape covers."""
    steps = (np.arange(side * FINE) + 0.5) / (side * FINE) - 0.5
    away = np.hypot(steps[:, None], steps[None, :])
    square = np.maximum(abs(steps[:, None]), abs(steps[None, :]))
    ring = (away < 0.42) & (away > 0.24)
    inside = {"fill": square < 1, "block": square < 0.4, "disc": away < 0.36, "ring": ring}[shape]
    return np.asarray(inside.reshape(side, FINE, side, FINE).mean(axis=(1, 3)))


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


# ---------------------------------------------------------------- PNG


def encode(pixels: Array, texts: Mapping[str, str] | None = None) -> bytes:
    """A PNG of uint8[height, width, 3], with texts by keyword."""
    high, wide, _ = pixels.shape
    lines = np.zeros((high, 1 + 3 * wide), np.uint8)  # each begins with 0: it is not filtered
    lines[:, 1:] = pixels.reshape(high, -1)
    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    chunks = [chunk(b"IHDR", head)]
    for keyword, text in (texts or {}).items():
        chunks.append(chunk(b"iTXt", keyword.encode("latin-1") + b"\0\0\0\0\0" + text.encode()))
    chunks += [chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)), chunk(b"IEND", b"")]
    return SIGNATURE + b"".join(chunks)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
