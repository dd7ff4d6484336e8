"""The opening table of `perfect`: what to play in the first moves, where solving takes minutes.

It holds every position that can come about with `plies` stones or fewer while `perfect` follows the table, on either
side, and the other plays anything. A position and its mirror image are one. The table is worked out layer by layer,
and a position's entry depends on nothing but the position: a run that is killed and goes on ends with the same bytes.

An entry is a number: the position's key (as ``solver.key_of`` has it), the column to play, and the value with it.
The file is a line of text, a SHA-256 of what follows, and the entries in order, compressed.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.files import write_whole
from turnsmith.compile.kernel import compiled
from turnsmith.games.connect_four import rules
from turnsmith.games.connect_four.solver import best_move, mirror, solver_for
from turnsmith.search.limits import start_work

FILE = Path(__file__).with_name("openings.bin")
MAGIC = b"turnsmith connect_four openings 1\n"
WIDTH, HEIGHT = 7, 6
TALL = HEIGHT + 1
PAUSE = 15.0
KEY, COLUMN = np.uint64(5), np.uint64(2)  # the place of the key, and of the column, in an entry; the value is first

# ---------------------------------------------------------------- the file


def write(path: Path, entries: Iterable[int]) -> None:
    body = zlib.compress(np.array(sorted(entries), "<u8").tobytes(), 9)
    write_whole(path, lambda target: target.write(MAGIC + hashlib.sha256(body).digest() + body))


def read(path: Path) -> Array:
    """The entries of a file, uint64, ascending; a file that is not as it was written is refused."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(
            f"{path} cannot be read ({error.strerror}); turnsmith train connect_four openings makes it"
        ) from None
    body = content[len(MAGIC) + 32 :]
    if content[: len(MAGIC)] != MAGIC or content[len(MAGIC) : len(MAGIC) + 32] != hashlib.sha256(body).digest():
        raise BadInput(f"{path} is damaged or no opening table; turnsmith train connect_four openings makes it anew")
    return np.frombuffer(zlib.decompress(body), "<u8").astype(np.uint64)


@lru_cache(maxsize=1)
def shipped() -> Array:
    """The table that comes with the game."""
    return read(FILE)


# ---------------------------------------------------------------- looking up, compiled


def look_up(entries, mine, filled):
    """The column to play and the value with it, or -1 and 0 if the position is not in the table."""
    key = mine + filled
    other = mirror(key, WIDTH, TALL)
    wanted = min(key, other)
    low, high = 0, entries.shape[0]
    while low < high:
        middle = (low + high) // 2
        if entries[middle] >> KEY < wanted:
            low = middle + 1
        else:
            high = middle
    if low == entries.shape[0] or entries[low] >> KEY != wanted:
        return -1, 0
    column = np.int64((entries[low] >> COLUMN) & np.uint64(7))
    return (column if key <= other else WIDTH - 1 - column), np.int64(entries[low] & np.uint64(3)) - 1


# ---------------------------------------------------------------- working it out


def solve_many(boards, mines, filleds, table, seconds, values, columns):
    """Find the best moves of positions, one after another, for so long; how many were found."""
    limits = np.zeros(3)
    limits[2] = seconds
    solver = solver_for(boards[0], table, start_work(limits), np.zeros(1, np.int64))
    for index in range(mines.shape[0]):
        values[index], columns[index] = best_move(solver, mines[index], filleds[index])
        if columns[index] < 0:
            return index
    return mines.shape[0]


def compute(
    path: Path,
    plies: int,
    log2: int = 24,
    most: int = 2000,
    tell: Callable[[int, int, int], None] | None = None,
    start: tuple[int, int] = (0, 0),
) -> None:
    """Work out the table for positions of up to `plies` more stones than `start` has, the mover's stones and all.

    What is in the file already is not done again; it is written every `most` positions or PAUSE seconds, and then
    `tell(stones, done, of)` hears how far it is.
    """
    known = {int(entry) >> int(KEY): int(entry) for entry in read(path)} if path.exists() else {}
    boards, table = rules.tables({"width": WIDTH, "height": HEIGHT, "connect": 4}), np.zeros(1 << log2, np.uint64)
    layer, following = turned(start), after_any_move(start)
    for stones in range(plies + 1):
        waiting = [key for key in sorted(layer) if key not in known]
        while waiting:
            todo = waiting[:most]
            mines, filleds = (np.array([layer[key][side] for key in todo], np.uint64) for side in range(2))
            values, columns = np.zeros((2, len(todo)), np.int64)
            done = compiled(solve_many)(boards, mines, filleds, table, PAUSE, values, columns)
            for index, key in enumerate(todo[:done]):
                known[key] = (key << int(KEY)) | (int(columns[index]) << int(COLUMN)) | (int(values[index]) + 1)
            write(path, known.values())
            waiting = waiting[done:]
            if tell is not None:
                tell(stones, len(layer) - len(waiting), len(layer))
        met: dict[int, tuple[int, int]] = {}
        for key, position in layer.items():
            made = play(position, (known[key] >> int(COLUMN)) & 7)
            met |= after_any_move(made) if not has_line(made[0] ^ made[1]) else {}
        layer, following = following, met


def play(position: tuple[int, int], column: int) -> tuple[int, int]:
    """The position after a move, seen by the other seat: its stones and all stones."""
    mine, filled = position
    stone = (filled + (1 << column * TALL)) & (((1 << HEIGHT) - 1) << column * TALL)
    return filled ^ mine, filled | stone


def after_any_move(position: tuple[int, int]) -> dict[int, tuple[int, int]]:
    """The unfinished positions after one more move, by key."""
    after: dict[int, tuple[int, int]] = {}
    for column in range(WIDTH):
        mine, filled = play(position, column)
        if filled == position[1] or has_line(mine ^ filled):
            continue
        after |= turned((mine, filled))
    return after


def turned(position: tuple[int, int]) -> dict[int, tuple[int, int]]:
    """A position by its key, turned to where its key is the lesser one."""
    mine, filled = position
    if flip(mine + filled) < mine + filled:
        mine, filled = flip(mine), flip(filled)
    return {mine + filled: (mine, filled)}


def flip(bits: int) -> int:
    column = (1 << TALL) - 1
    return sum(((bits >> x * TALL) & column) << (WIDTH - 1 - x) * TALL for x in range(WIDTH))


def has_line(stones: int) -> bool:
    return any((pair := stones & (stones >> step)) & (pair >> 2 * step) for step in (1, TALL - 1, TALL, TALL + 1))
