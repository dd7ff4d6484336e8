"""How many guesses players who draw lots need, their lots averaged out: every guess they may draw, all the way down.

`eliminate` draws from all codes that are still possible, `eliminate-frequency` from those whose colours occur in most.
"""

from __future__ import annotations

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import compiled, copy, scratch
from turnsmith.compile.rng import mix
from turnsmith.contract.records import record
from turnsmith.games.mastermind.codes import COLORS
from turnsmith.games.mastermind.optimal import Frame, split, spread
from turnsmith.games.mastermind.symmetry import Code, orbits
from turnsmith.games.mastermind.trees import described

LONG = 24
"""More guesses than they ever need on a board they are followed on."""
Known = record(mark=np.uint64, count=np.int64, ends=(np.float64, LONG))
"""A set that was followed before: ends[k] of its codes are expected to take k + 1 guesses."""
KNOWN = 1 << 17


def count_colours(board, sets, start, count, often):
    """often[colour] (int64[COLORS]): how many codes of sets[start : start + count] have it."""
    for colour in range(COLORS):
        often[colour] = 0
    for index in range(start, start + count):
        for colour in range(board.colors):
            often[colour] += (sets[index].palette >> colour) & 1


def frequency(board, code, often):
    """The sum of `often` over the different colours of a code."""
    total = np.int64(0)
    for colour in range(board.colors):
        if (code.palette >> colour) & 1:
            total += often[colour]
    return total


def most_frequent(board, sets, start, count, often):
    """The greatest frequency among sets[start : start + count], and how many have it; fills `often`."""
    count_colours(board, sets, start, count, often)
    most, ties = np.int64(-1), np.int64(0)
    for index in range(start, start + count):
        here = frequency(board, sets[index], often)
        if here > most:
            most, ties = here, np.int64(0)
        ties += 1 if here == most else 0
    return most, ties


def follow(board, codes, by_frequency, sets, start, count, level, alike, frames, known, ends):
    """Fill ends[level, k] with how many codes of sets[start : start + count] are expected to take k + 1 guesses.

    codes: Code[codes], described. alike: int64[3, codes], room for the sizes of orbits: of the first two guesses only
    one of each orbit is followed. Deeper levels of `sets` (codes a level), `frames` and `ends` are overwritten.
    """
    mine, theirs, frame = ends[level], ends[level + 1], frames[level]
    mine[:] = 0.0
    mine[0] = 1.0  # whichever is drawn breaks itself
    often = scratch(COLORS, np.int64)
    most, lots = np.int64(0), count
    if by_frequency:
        most, lots = most_frequent(board, sets, start, count, often)
    for index in range(start, start + count):
        guess = sets[index]
        if by_frequency and frequency(board, guess, often) < most:
            continue
        chance = 1.0 / lots
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
                begin = frame.ends[where] - size
                follow(board, codes, by_frequency, sets, begin, size, level + 1, alike, frames, known, ends)
                entry.mark, entry.count = mark, size
                for later in range(LONG):
                    entry.ends[later] = theirs[later]
            for later in range(LONG - 1):
                mine[1 + later] += chance * entry.ends[later]


def follow_all(boards, codes, by_frequency, sets, alike, frames, known, ends):
    """Fill ends[0] for the whole board: a kernel."""
    board = boards[0]
    for code in range(board.codes):
        copy(sets[code], codes[code])
    orbits(board, codes, np.zeros(1, np.int64), 0, alike[2], alike[0])
    first, count = np.int64(0), np.int64(board.codes)
    follow(board, codes, by_frequency, sets, first, count, first, alike, frames, known, ends)


def expected_ends(boards: Array, by_frequency: bool = False) -> tuple[dict[int, float], float]:
    """Guesses -> the expected number of secrets broken with so many, by `eliminate` or `eliminate-frequency`; the last
    try takes the rest, and how many of these are not broken is told, too."""
    count, tries = int(boards[0].codes), int(boards[0].tries)
    sets, alike, known = np.zeros(LONG * count, Code), np.zeros((3, count), np.int64), np.zeros(KNOWN, Known)
    frames, ends = np.zeros(LONG, Frame), np.zeros((LONG, LONG), np.float64)
    compiled(follow_all)(boards, described(boards), by_frequency, sets, alike, frames, known, ends)
    head, tail = ends[0, : tries - 1], ends[0, tries - 1 :]
    numbers = {guesses: float(number) for guesses, number in enumerate([*head, tail.sum()], start=1)}
    return numbers, float(tail[1:].sum())
