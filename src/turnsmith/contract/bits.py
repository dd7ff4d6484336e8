"""What the rules of many games need: cells as bits, tables of neighbours, lists of bits, cards, equal chances.

The first two make tables for a board; the others are compiled together with the rules that call them.

>>> bin(bits_where(3, 2, lambda x, y: x == y))
'0b10001'
>>> neighbours(2, 2, [(1, 0), (0, 1)]).tolist()
[[1, 2], [3, -1], [3, -1], [-1, -1]]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from turnsmith.compile.kernel import lowest_bit, nth_bit, popcount
from turnsmith.compile.rng import below


def bits_where(width: int, height: int, chosen: Callable[[int, int], bool], stride: int = 0) -> int:
    """The cells (x, y) that are chosen, as bits: each is `stride` · y + x, or `width` · y + x."""
    stride = stride or width
    return sum(1 << stride * y + x for y in range(height) for x in range(width) if chosen(x, y))


def neighbours(width: int, height: int, steps: Iterable[tuple[int, int]]) -> Any:
    """int16[cells, steps]: the cells that these steps (dx, dy) lead to, then -1; cell (x, y) is `width` · y + x."""
    steps = list(steps)
    found = np.full((width * height, len(steps)), -1, np.int16)
    for cell in range(width * height):
        x, y = cell % width, cell // width
        near = [(x + dx, y + dy) for dx, dy in steps if 0 <= x + dx < width and 0 <= y + dy < height]
        found[cell, : len(near)] = [width * b + a for a, b in near]
    return found


def list_bits(bits: Any, out: Any) -> int:
    """Write the places of the set bits of a uint64, ascending; how many there are."""
    count = 0
    while bits:
        out[count] = lowest_bit(bits)
        bits &= bits - np.uint64(1)
        count += 1
    return count


def pick_bit(bits: Any, rng: Any) -> Any:
    """The place of one of the set bits of a uint64, each as likely."""
    return nth_bit(bits, below(rng, np.int64(popcount(bits))))  # type: ignore[arg-type]


def moved(bits: Any, step: Any) -> Any:
    """Bits of a uint64 moved `step` places up, those beyond the end to the beginning; 64 - n moves n places down."""
    return (bits << step) | (bits >> (np.uint64(64) - step))


def run(start: Any, through: Any, step: Any) -> Any:
    """The bits of `through` that come one after another from a bit of `start`, at most six: all that a row of eight has
    between its ends. With the ends of rows left out of `through`, a run does not wrap around them."""
    found = through & moved(start, step)
    found |= through & moved(found, step)
    pairs, twice = through & moved(through, step), (step + step) & np.uint64(63)
    found |= pairs & moved(found, twice)
    return found | (pairs & moved(found, twice))


def unseen(cards: Any, deck: int) -> Any:
    """Which of the cards 0 to `deck` - 1 are not among `cards`, an array of card + 1 with 0 for blanks: bits."""
    seen = 0
    for place in range(len(cards)):
        seen |= 1 << int(cards[place])
    return np.uint64((1 << deck) - 1 & ~(seen >> 1))


def even_chances(count: int, out: Any) -> None:
    """The same probability for so many outcomes."""
    for index in range(count):
        out[index] = 1.0 / count
