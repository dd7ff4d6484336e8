"""How many guesses `eliminate` needs, its lots averaged out: every guess it may draw, all the way down."""

from __future__ import annotations

from collections import Counter

import numpy as np

from turnsmith.game import Array
from turnsmith.games.mastermind.codes import TRIES, color_counts, times
from turnsmith.games.mastermind.optimal import Frame, split, spread
from turnsmith.games.mastermind.symmetry import Code
from turnsmith.games.mastermind.trees import described
from turnsmith.kernel import compiled, copy


def follow(board, sets, frames, start, count, index, turn, weight, ends):
    """Add to `ends`[k] how many codes of sets[start : start + count] are expected to be broken by guess k.

    index: the code drawn as guess number `turn` (1 is the first). weight: how likely a secret of the set is to get
    here, and this code to be drawn.
    """
    ends[turn] += weight
    if turn == board.tries:
        ends[turn] += weight * (count - 1)
        return
    frame = frames[turn]
    split(board, sets[index], sets, start, count, frame)
    spread(board, sets[index], sets, start, count, frame, turn * board.codes)
    for rank in range(frame.parts):
        size = frame.sizes[frame.order[rank]]
        first = frame.ends[frame.order[rank]] - size
        if turn + 1 == board.tries:
            ends[turn + 1] += weight * size
        elif size <= 2:
            for later in range(size):
                ends[turn + 1 + later] += weight
        else:
            for other in range(first, first + size):
                follow(board, sets, frames, first, size, other, turn + 1, weight / size, ends)


def follow_first(boards, codes, sets, frames, guess, weight, ends):
    """`follow` from an opening guess: a kernel."""
    for code in range(boards[0].codes):
        copy(sets[code], codes[code])
    follow(boards[0], sets, frames, 0, boards[0].codes, guess, 1, weight, ends)


def expected_ends(boards: Array) -> dict[int, float]:
    """Guesses -> the expected number of secrets that `eliminate` breaks with so many.

    Openings with the same numbers of equal pegs are the same up to places and colours: one of each kind is followed.
    """
    board, count = boards[0], int(boards[0].codes)
    kinds: Counter[tuple[int, ...]] = Counter()
    opening: dict[tuple[int, ...], int] = {}
    for code in range(count):
        counts = color_counts(board, code)
        kind = tuple(sorted(int(times(counts, colour)) for colour in range(board.colors)))
        kinds[kind] += 1
        opening.setdefault(kind, code)
    codes, sets = described(boards), np.zeros((TRIES + 1) * count, Code)
    frames, ends = np.zeros(TRIES + 1, Frame), np.zeros(TRIES + 1, np.float64)
    for kind, alike in kinds.items():
        compiled(follow_first)(boards, codes, sets, frames, opening[kind], alike / count, ends)
    return {guesses: float(number) for guesses, number in enumerate(ends) if number}
