"""What the players know of a map beforehand: who is first where, ways out, cells by distance, keys for positions.

A survey is one record that travels as a compiled player's `data`; it has room for maps of up to 256 free cells,
numbered as on the board. p is a pacman's cell and g a ghost's.

For the thesis's features a pacman looks at no more than 64 cells around it, its outlook: bit k of a number stands for
cell outlook[p, k]. So whatever asks "does it get there before any ghost" is answered by one number a ghost.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.rng import GOLDEN, mix
from turnsmith.contract.records import record
from turnsmith.languages import _

MOST_CELLS, LOOK, MASK = 256, 64, 4
SAFE_DOTS, CLOSE_DANGER = 3, 5
"""Steps within which dots count as close; the distance at which a pacman wants a safe cell."""
CLOSE, ABOUT, MARGIN = 4, 8, 4
"""Steps around a pacman in which the net counts dots and room, and by how many it likes to be ahead of the ghosts."""

Survey = record(
    cells=np.int64,
    words=np.int64,
    dist=(np.uint8, (MOST_CELLS, MOST_CELLS)),
    order=(np.uint8, (MOST_CELLS, MOST_CELLS)),
    to_crossroad=(np.uint8, MOST_CELLS),
    pacman_key=(np.uint64, MOST_CELLS),
    ghost_key=(np.uint64, MOST_CELLS),
    dot_key=(np.uint64, MOST_CELLS),
    ring=(np.uint64, MOST_CELLS),
    crossroads=(np.uint64, MOST_CELLS),
    outlook=(np.int16, (MOST_CELLS, LOOK)),
    first=(np.uint64, (MOST_CELLS, MOST_CELLS)),
    beats=(np.uint64, (MOST_CELLS, MOST_CELLS, MASK)),
    follows=(np.uint64, (MOST_CELLS, MOST_CELLS, MASK)),
    close=(np.uint64, (MOST_CELLS, MASK)),
    about=(np.uint64, (MOST_CELLS, MASK)),
    space=(np.uint8, MOST_CELLS),
)
"""order[p]: all cells, nearest first; to_crossroad: steps to the nearest one; ring[p], crossroads[p]: bits of the
outlook at distance five, and of the crossroads where its alley ends; outlook[p]: the cells of the first bits, those
within three steps, then -1; first[p, g]: bits where the ghost is no later; beats[p, g]: cells where it is no later,
follows[p, g]: at most MARGIN steps later; close[p], about[p]: cells within some steps; space[p]: how many in about."""


def too_large(board: Any) -> str | None:
    """Why a map has no survey, as a sentence, or None."""
    if board.cells > MOST_CELLS:
        told = _("it knows maps of up to {most} free cells and this one has {cells}; take mcts")
        return told.format(most=MOST_CELLS, cells=int(board.cells))
    return None


def survey(boards: Array) -> Array:
    """An array of one Survey."""
    board = boards[0]
    count = int(board.cells)
    return _survey(board.dist[:count, :count].tobytes(), board.near[:count].tobytes(), count)


@lru_cache(maxsize=32)
def _survey(dist_bytes: bytes, near_bytes: bytes, n: int) -> Array:
    dist = np.frombuffer(dist_bytes, np.uint8).reshape(n, n)
    near = np.frombuffer(near_bytes, np.int16).reshape(n, 5)
    exits = (near[:, :4] >= 0).sum(axis=1)
    junctions = np.nonzero(exits >= 3)[0]
    made = np.zeros(1, Survey)
    one = made[0]
    one.cells, one.words = n, (n + 63) // 64
    one.dist[:n, :n] = dist
    one.order[:n, :n] = np.argsort(dist, axis=1, kind="stable")
    one.to_crossroad[:n] = dist[:, junctions].min(axis=1) if len(junctions) else 255
    with np.errstate(over="ignore"):
        keys = [mix(np.uint64(number) * GOLDEN) for number in range(1, 3 * n + 1)]
    one.pacman_key[:n], one.ghost_key[:n], one.dot_key[:n] = keys[:n], keys[n : 2 * n], keys[2 * n :]
    one.outlook[:] = -1
    beats = np.ones((n, n, MASK * 64), np.uint8)  # bits beyond the last cell are never the pacmans'
    follows = beats.copy()
    for cell in range(n):
        close = [int(c) for c in np.nonzero((dist[cell] <= SAFE_DOTS) & (dist[cell] > 0))[0]]
        around = [int(c) for c in np.nonzero(dist[cell] == CLOSE_DANGER)[0]]
        ends = ways_out(near, exits, cell)
        one.outlook[cell, : len(close)] = close
        bit = {c: np.uint64(1 << k) for k, c in enumerate(list(dict.fromkeys([*close, *around, *ends]))[:LOOK])}
        for c, only in bit.items():
            one.ring[cell] |= only if c in around else np.uint64(0)
            one.crossroads[cell] |= only if c in ends else np.uint64(0)
            one.first[cell, :n][dist[:, c] <= dist[cell, c]] |= only
        beats[cell, :, :n] = dist <= dist[cell]
        follows[cell, :, :n] = dist.astype(np.int64) <= dist[cell].astype(np.int64) + MARGIN
    one.beats[:n, :n], one.follows[:n, :n] = packed(beats), packed(follows)
    one.close[:n], one.about[:n] = packed(padded(dist <= CLOSE)), packed(padded(dist <= ABOUT))
    one.space[:n] = np.minimum((dist <= ABOUT).sum(axis=1), 255)
    return made


def padded(bits: Array) -> Array:
    """Rows of bits, filled up with zeros."""
    return np.pad(bits.astype(np.uint8), ((0, 0), (0, MASK * 64 - bits.shape[1])))


def packed(bits: Array) -> Array:
    """Rows of bits as words."""
    return np.packbits(bits, axis=-1, bitorder="little").view(np.uint64)


def ways_out(near: Array, exits: Array, cell: int) -> list[int]:
    """The crossroads at the ends of the alley a cell lies in; a crossroad is its own."""
    if exits[cell] >= 3:
        return [cell]
    found = []
    for way in range(4):
        before, here = cell, int(near[cell, way])
        while here >= 0 and here != cell and exits[here] == 2:
            before, here = here, next(int(c) for c in near[here, :4] if c >= 0 and c != before)
        if here >= 0 and exits[here] >= 3 and here not in found:
            found.append(here)
    return found
