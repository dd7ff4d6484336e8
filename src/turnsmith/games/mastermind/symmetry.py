"""Symmetry: which guesses need be considered, the others being the same up to places and colours.

Swapping places and renaming colours changes no answer. After some guesses, a symmetry is an order of the places and a
renaming of the colours that together leave each of those guesses as it is; colours not used yet may be renamed at
will. The codes still possible then form a symmetric set, so all guesses of an orbit do equally well and the lowest
speaks for them. Ties that go to the lowest code are therefore decided as if all guesses had been looked at.
"""

from __future__ import annotations

import numpy as np

from turnsmith.compile.kernel import popcount, scratch
from turnsmith.compile.rng import mix
from turnsmith.contract.records import record
from turnsmith.games.mastermind.codes import COUNT, FOUR, ONE, PEGS, one_of, peg, times

Code = record(
    places=np.uint64,  # one bit a place and colour: two codes share as many as they have pegs in common
    colours=np.uint64,  # for each colour as many bits as pegs have it, the last peg of a single-coloured code left out
    pegs=np.uint64,  # four bits a place: its colour
    mark=np.uint64,  # random; the sum of the marks names a set of codes
    palette=np.int64,  # one bit a colour that occurs
    code=np.int64,
)
NOWHERE = COUNT
NO_SYMMETRY = np.uint64(0)


def describe(boards, codes):
    """Fill one Code for each code of the board; up to 64 bits of places and colours."""
    board = boards[0]
    for code in range(board.codes):
        entry = codes[code]
        entry.places, entry.colours, entry.pegs, entry.palette = np.uint64(0), np.uint64(0), np.uint64(0), 0
        entry.code = code
        entry.mark = mix(np.uint64(code + 1))
        counts = np.uint64(0)
        for place in range(board.pegs):
            colour = peg(board, code, place)
            if times(counts, colour) < board.pegs - 1:
                entry.colours |= ONE << np.uint64(colour * (board.pegs - 1) + times(counts, colour))
            counts += one_of(colour)
            entry.places |= ONE << np.uint64(place * board.colors + colour)
            entry.pegs |= np.uint64(colour) << (FOUR * np.uint64(place))
            entry.palette |= np.int64(1) << colour


def slot(guess, code, width):
    """Where the answer of `code` to `guess` is counted: red · width + red and white together, width = pegs + 1."""
    return popcount(guess.places & code.places) * width + popcount(guess.colours & code.colours)


def unused_colours(board, codes, history, turns):
    """The colours that no guess so far has used, as bits."""
    unused = np.uint64((1 << board.colors) - 1)
    for turn in range(turns):
        unused &= ~np.uint64(codes[history[turn]].palette)
    return unused


def representatives(board, codes, history, turns, out):
    """List the guesses that are the lowest of their orbit, ascending; returns how many.

    history: int64, the first `turns` guesses must stay as they are. out: int32[codes].
    """
    count = int(board.codes)
    unused = unused_colours(board, codes, history, turns)
    for code in range(count):
        out[code] = code
    order = scratch(PEGS, np.int64)
    for place in range(PEGS):
        order[place] = place
    more = True
    while more:
        image = renaming(board, codes, history, turns, order)
        if image != NO_SYMMETRY:
            kept = 0
            for index in range(count):
                if moved(board, codes[out[index]].pegs, order, image, unused) >= out[index]:
                    out[kept] = out[index]
                    kept += 1
            count = kept
        more = next_order(order, board.pegs)
    return count


def orbits(board, codes, history, turns, lowest, sizes):
    """Fill sizes[code] with the size of its orbit for each code that is the lowest of one, with 0 for the others."""
    unused = unused_colours(board, codes, history, turns)
    for code in range(board.codes):
        lowest[code] = code
        sizes[code] = 0
    order = scratch(PEGS, np.int64)
    for place in range(PEGS):
        order[place] = place
    more = True
    while more:
        image = renaming(board, codes, history, turns, order)
        if image != NO_SYMMETRY:
            for code in range(board.codes):
                lowest[code] = min(lowest[code], moved(board, codes[code].pegs, order, image, unused))
        more = next_order(order, board.pegs)
    for code in range(board.codes):
        sizes[lowest[code]] += 1


def renaming(board, codes, history, turns, order):
    """The colours' new names, four bits each, that undo an order of the places on every guess of the history."""
    image = ~np.uint64(0)
    for turn in range(turns):
        pegs = codes[history[turn]].pegs
        for place in range(board.pegs):
            colour, name = times(pegs, order[place]), times(pegs, place)
            if times(image, colour) == NOWHERE:
                image ^= (NOWHERE ^ np.uint64(name)) << (FOUR * np.uint64(colour))
            elif times(image, colour) != name:
                return NO_SYMMETRY
    return image


def moved(board, pegs, order, image, unused):
    """The code a symmetry makes of one, unused colours being named as low as possible."""
    code = np.int64(0)
    for place in range(board.pegs):
        colour = times(pegs, order[place])
        name = times(image, colour)
        if name == NOWHERE:
            name = np.int64(popcount((unused & (~unused + ONE)) - ONE))  # the lowest bit that is set
            unused &= unused - ONE
            image ^= (NOWHERE ^ np.uint64(name)) << (FOUR * np.uint64(colour))
        code = code * board.colors + name
    return code


def next_order(order, count):
    """Step to the lexicographically next permutation; False after the last."""
    fall = count - 2
    while fall >= 0 and order[fall] > order[fall + 1]:
        fall -= 1
    if fall < 0:
        return False
    other = count - 1
    while order[other] < order[fall]:
        other -= 1
    order[fall], order[other] = order[other], order[fall]
    low, high = fall + 1, count - 1
    while low < high:
        order[low], order[high] = order[high], order[low]
        low += 1
        high -= 1
    return True


def worth_asking(board, sets, start, count):
    """The colours a guess may use, as bits: those of the set, and one absent colour to stand for all absent ones."""
    present = np.int64(0)
    for index in range(start, start + count):
        present |= sets[index].palette
    absent = ~present & ((np.int64(1) << board.colors) - 1)
    return present | (absent & -absent)
