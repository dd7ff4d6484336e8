"""Codes: their pegs, what an answer says, and which codes a history leaves possible.

A code is a number whose base-`colors` digits are its pegs, the first peg most significant. Answers are numbered by
red, then white; the last one is all red. The functions take a board (see ``rules``) and are compiled with the rules.
"""

from __future__ import annotations

import numpy as np

from turnsmith.compile.kernel import scratch
from turnsmith.compile.rng import below

PEGS, COLORS, TRIES, ANSWERS = 8, 12, 20, 44
"""The most of each that a board may have."""

LEVELS, MATCHES = PEGS + 1, (PEGS + 1) * TRIES

ONE, FOUR, COUNT = np.uint64(1), np.uint64(4), np.uint64(15)
"""Colours are counted in one number, four bits a colour."""


def answer_table(pegs: int) -> list[tuple[int, int]]:
    """(red, white) of every possible answer in the order of their numbers; with one peg misplaced another must be.

    >>> answer_table(2)
    [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]
    """
    pairs = [(red, white) for red in range(pegs + 1) for white in range(pegs + 1 - red)]
    return [pair for pair in pairs if pair != (pegs - 1, 1)]


def peg(board, code, place):
    """The colour at a place, 0 being the first."""
    return np.int64(code) // board.power[place] % board.colors


def times(counts, colour):
    """How often a colour stands in packed counts."""
    return np.int64((counts >> (FOUR * np.uint64(colour))) & COUNT)


def one_of(colour):
    """Packed counts of a single peg."""
    return ONE << (FOUR * np.uint64(colour))


def color_counts(board, code):
    """How often each colour stands in a code, packed."""
    counts = np.uint64(0)
    for place in range(board.pegs):
        counts += one_of(peg(board, code, place))
    return counts


def feedback(board, guess, secret):
    """The number of the answer that `secret` gives to `guess`."""
    unmatched = color_counts(board, guess)
    red = 0
    total = 0
    for place in range(board.pegs):
        colour = peg(board, secret, place)
        if colour == peg(board, guess, place):
            red += 1
        if times(unmatched, colour) > 0:
            unmatched -= one_of(colour)
            total += 1
    return np.int64(board.numbers[red * (board.pegs + 1) + total])


def possible(board, guesses, answers, turns, out, most):
    """List the codes that would have answered as they did, ascending; returns how many were found, at most `most`.

    guesses, answers: the first `turns` of each count. out: int32; when it is full its last place keeps the latest
    code, so an `out` of one place ends with the last code found.

    Pegs are set one after another, and a beginning is dropped when some answer can no longer come out of it.
    """
    guessed = scratch(TRIES, np.uint64)
    red = scratch(MATCHES, np.int64)  # matches of the pegs set so far, for each turn
    total = scratch(MATCHES, np.int64)
    colour = scratch(PEGS, np.int64)
    code = scratch(LEVELS, np.int64)
    counts = scratch(LEVELS, np.uint64)
    for turn in range(turns):
        guessed[turn] = color_counts(board, guesses[turn])
        red[turn] = 0
        total[turn] = 0
    code[0] = 0
    counts[0] = np.uint64(0)
    colour[0] = -1
    found = 0
    place = 0
    while place >= 0:
        colour[place] += 1
        if colour[place] == board.colors:
            place -= 1
            continue
        left = board.pegs - place - 1
        mine = times(counts[place], colour[place])
        before, after = place * TRIES, (place + 1) * TRIES
        fits = True
        for turn in range(turns):
            reds, all_in = board.red[answers[turn]], board.red[answers[turn]] + board.white[answers[turn]]
            red[after + turn] = red[before + turn] + (1 if peg(board, guesses[turn], place) == colour[place] else 0)
            more = 1 if mine < times(guessed[turn], colour[place]) else 0
            total[after + turn] = total[before + turn] + more
            fits = red[after + turn] <= reds <= red[after + turn] + left
            fits = fits and total[after + turn] <= all_in <= total[after + turn] + left
            if not fits:
                break
        if not fits:
            continue
        code[place + 1] = code[place] * board.colors + colour[place]
        if left > 0:
            counts[place + 1] = counts[place] + one_of(colour[place])
            place += 1
            colour[place] = -1
        else:
            out[min(found, out.shape[0] - 1)] = code[place + 1]
            found += 1
            if found == most:
                break
    return found


def pick_possible(board, guesses, answers, turns, rng):
    """One of the codes that fit, each as likely."""
    if turns == 0:
        return below(rng, board.codes)
    one = scratch(1, np.int32)
    count = possible(board, guesses, answers, turns, one, board.codes)
    possible(board, guesses, answers, turns, one, 1 + below(rng, count))
    return np.int64(one[0])
