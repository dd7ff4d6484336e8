"""One-step strategies and the trees they grow into: the whole plan of a player for a board.

A tree is int32[nodes, 1 + answers]: a row holds the guess and, for each answer, the row to go on with, or 0. Row 0
comes first. Rows are only pointed at by earlier ones, and all red points nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import bundle_type, copy, is_set, scratch
from turnsmith.contract.records import record
from turnsmith.games.mastermind.codes import PEGS
from turnsmith.games.mastermind.symmetry import representatives, slot, worth_asking

KNUTH, ENTROPY, EXPECTED_SIZE, MOST_PARTS = range(4)
SLOTS = (PEGS + 1) ** 2
DEEP = 64
"""More guesses than any line of a tree has."""
FAR = np.int64(1) << 62


def gains(criterion: int, most: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """What one code more costs a part that has 0, 1, … codes; a criterion is the sum over a guess's parts, to be least.

    expected-size: the sum of n² - n. most-parts: the sum of n - 1. entropy: the sum of n · log₂ n in units of 2⁻⁴²,
    each logarithm added up from those of its prime factors: so parts whose products of nⁿ are equal tie exactly,
    without rounding. A part of one code always costs nothing, so the least possible sum is 0. Knuth's criterion, the
    largest part, is no sum and needs no table.
    """
    sizes = np.arange(most + 1, dtype=np.int64)
    if criterion == EXPECTED_SIZE:
        cost = sizes * (sizes - 1)
    elif criterion == MOST_PARTS:
        cost = np.maximum(sizes - 1, 0)
    elif criterion == ENTROPY:
        logarithm = np.zeros(most + 1, np.int64)
        for prime in range(2, most + 1):
            if logarithm[prime] == 0:
                exponent_of = prime
                while exponent_of <= most:
                    logarithm[exponent_of::exponent_of] += round(np.log2(prime) * 2**42)
                    exponent_of *= prime
        cost = sizes * logarithm
    else:
        cost = np.zeros(most + 1, np.int64)
    return np.diff(cost)


def summed(guess, sets, start, count, width, gain, limit, parts):
    """The sum of a criterion over the parts a guess makes of a set, or something from `limit` on; fills `parts`."""
    for index in range(width * width):
        parts[index] = 0
    total = np.int64(0)
    for index in range(start, start + count):
        where = slot(guess, sets[index], width)
        total += gain[np.uint64(parts[where])]
        parts[where] += 1
        if total >= limit:
            break
    return total


def largest(guess, sets, start, count, width, limit, parts):
    """One less than the largest part, as `summed` gives sums."""
    for index in range(width * width):
        parts[index] = 0
    most = np.int64(0)
    for index in range(start, start + count):
        where = slot(guess, sets[index], width)
        most = max(most, parts[where])
        parts[where] += 1
        if most >= limit:
            break
    return most


class OneStepState(NamedTuple):
    """What choosing by one step works on."""

    criterion: int
    gain: Array  # int64: what a part gains by one more code
    listed: Array  # int32[codes]: guesses up to symmetry
    stop: Array  # the flag by which it is stopped


def choose(board, codes, sets, start, count, history, turns, search_state):
    """The best guess for the possible codes sets[start : start + count], ascending, after `turns` guesses."""
    criterion, gain, listed, stop = search_state
    if count <= 2:
        return sets[start].code
    width = np.uint64(board.pegs + 1)
    parts = scratch(SLOTS, np.int64)
    # 1. A possible code that tells all apart is best by every criterion.
    if count <= board.answers:
        for index in range(start, start + count):
            if largest(sets[index], sets, start, count, width, 1, parts) == 0:
                return sets[index].code
    # 2. Otherwise look at everything, up to symmetry. At equal value a possible code wins, then the lowest.
    last = board.pegs * (board.pegs + 1) + board.pegs
    palette = worth_asking(board, sets, start, count)
    best, best_value, limit = np.int64(0), FAR, FAR
    for index in range(representatives(board, codes, history, turns, listed)):
        guess = codes[listed[index]]
        if guess.palette & ~palette:
            continue
        if best_value < FAR and is_set(stop):
            break
        if criterion == KNUTH:
            value = largest(guess, sets, start, count, width, limit, parts)
        else:
            value = summed(guess, sets, start, count, width, gain, limit, parts)
        is_possible = parts[last] + parts[last - 1] > 0
        if value < best_value or (value < limit and is_possible):
            best, best_value = guess.code, value
            limit = value if is_possible else value + 1
            if value == 0:
                break
    return best


# ---------------------------------------------------------------- trees

Node = record(start=np.int64, count=np.int64, parent=np.int64, turns=np.int64)


@dataclass(frozen=True)
class GuessingMethod:
    """A way to choose guesses, as compiled code sees it."""

    name: str
    choose: Any

    @property
    def _numba_type_(self) -> Any:
        return bundle_type(f"mastermind {self.name}", {"choose": self.choose})


ONE_STEP = GuessingMethod("one step", choose)


def grow(method, boards, codes, sets, spare, nodes, tree, search_state, stop):
    """Fill `tree` with the strategy of a method for a board, breadth first; returns how many rows it has, and 0 once
    `stop` is set.

    codes: Code[codes], described. sets, spare: Code[codes]. nodes: Node, tree: int32 zeros, of 2 · codes rows.
    """
    board = boards[0]
    history = np.zeros(DEEP, np.int64)
    sizes = np.zeros(board.answers, np.int64)
    ends = np.zeros(board.answers, np.int64)
    width = np.uint64(board.pegs + 1)
    for code in range(board.codes):
        copy(sets[code], codes[code])
    nodes[0].start, nodes[0].count, nodes[0].parent, nodes[0].turns = 0, board.codes, -1, 0
    rows = 1
    row = 0
    while row < rows:
        node = nodes[row]
        above = node.parent
        for turn in range(node.turns - 1, -1, -1):
            history[turn] = tree[above, 0]
            above = nodes[above].parent
        chosen = method.choose(board, codes, sets, node.start, node.count, history, node.turns, search_state)
        if is_set(stop):
            return 0
        tree[row, 0] = chosen
        sizes[:] = 0
        for index in range(node.start, node.start + node.count):
            sizes[board.numbers[slot(codes[chosen], sets[index], width)]] += 1
        first = node.start
        for answer in range(board.answers):
            ends[answer] = first
            if sizes[answer] > 0 and answer < board.answers - 1:
                child = nodes[rows]
                child.start, child.count, child.parent, child.turns = first, sizes[answer], row, node.turns + 1
                tree[row, 1 + answer] = rows
                rows += 1
            first += sizes[answer]
        for index in range(node.start, node.start + node.count):
            answer = board.numbers[slot(codes[chosen], sets[index], width)]
            copy(spare[ends[answer]], sets[index])
            ends[answer] += 1
        for index in range(node.start, node.start + node.count):
            copy(sets[index], spare[index])
        row += 1
    return rows
