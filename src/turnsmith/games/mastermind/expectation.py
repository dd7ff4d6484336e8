"""How many guesses `eliminate` needs, its lots averaged out: every guess it may draw, all the way down."""

from __future__ import annotations

import numpy as np

from turnsmith.game import Array, record
from turnsmith.games.mastermind.optimal import Frame, split, spread
from turnsmith.games.mastermind.symmetry import Code, orbits
from turnsmith.games.mastermind.trees import described
from turnsmith.kernel import compiled, copy
from turnsmith.rng import mix

LONG = 24
"""More guesses than `eliminate` ever needs on a board it is followed on."""
Known = record(mark=np.uint64, count=np.int64, ends=(np.float64, LONG))
"""A set that was followed before: ends[k] of its codes are expected to take k + 1 guesses."""
KNOWN = 1 << 17


def follow(board, codes, sets, start, count, level, alike, frames, known, ends):
    """Fill ends[level, k] with how many codes of sets[start : start + count] are expected to take k + 1 guesses.

    codes: Code[codes], described. alike: int64[3, codes], room for the sizes of orbits: of the first two guesses only
    one of each orbit is followed. Deeper levels of `sets` (codes a level), `frames` and `ends` are overwritten.
    """
    mine, theirs, frame = ends[level], ends[level + 1], frames[level]
    mine[:] = 0.0
    mine[0] = 1.0  # whichever is drawn breaks itself
    for index in range(start, start + count):
        guess = sets[index]
        chance = 1.0 / count
        if level < 2:
            chance *= alike[level, guess.code]
            if chance == 0.0:
                continue
        if level == 0:
            orbits(board, codes, np.full(1, guess.code), 1, alike[2], alike[1])
        split(board, guess, sets, start, count, frame)
        has_spread = False
        for rank in range(frame.parts):
            where = frame.order[rank]
            size, mark = frame.sizes[where], frame.marks[where]
            if size <= 2:
                for later in range(size):
                    mine[1 + later] += chance
                continue
            entry = known[mix(mark) & np.uint64(KNOWN - 1)]
            if entry.mark != mark or entry.count != size:
                if not has_spread:
                    spread(board, guess, sets, start, count, frame, (level + 1) * board.codes)
                    has_spread = True
                follow(board, codes, sets, frame.ends[where] - size, size, level + 1, alike, frames, known, ends)
                entry.mark, entry.count = mark, size
                for later in range(LONG):
                    entry.ends[later] = theirs[later]
            for later in range(LONG - 1):
                mine[1 + later] += chance * entry.ends[later]


def follow_all(boards, codes, sets, alike, frames, known, ends):
    """Fill ends[0] for the whole board: a kernel."""
    board = boards[0]
    for code in range(board.codes):
        copy(sets[code], codes[code])
    orbits(board, codes, np.zeros(1, np.int64), 0, alike[2], alike[0])
    follow(board, codes, sets, np.int64(0), np.int64(board.codes), np.int64(0), alike, frames, known, ends)


def expected_ends(boards: Array) -> dict[int, float]:
    """Guesses -> the expected number of secrets that `eliminate` breaks with so many; the last try takes the rest."""
    count, tries = int(boards[0].codes), int(boards[0].tries)
    sets, alike, known = np.zeros(LONG * count, Code), np.zeros((3, count), np.int64), np.zeros(KNOWN, Known)
    frames, ends = np.zeros(LONG, Frame), np.zeros((LONG, LONG), np.float64)
    compiled(follow_all)(boards, described(boards), sets, alike, frames, known, ends)
    head, tail = ends[0, : tries - 1], ends[0, tries - 1 :]
    return {guesses: float(number) for guesses, number in enumerate([*head, tail.sum()], start=1)}
