"""The proven least expected number of guesses: branch and bound over all guesses, up to symmetry.

The cost of a set of possible codes is the sum of the guesses they need: its size (everyone takes this guess) plus the
costs of the parts the best guess makes of it, the guessed code itself costing nothing more. Bounds come from sizes
alone: with `answers` different answers a guess breaks at most one code at once, one in each other part at the next
turn, and so on, so a set of n codes costs at least `floors`[n].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import borrow, copy, is_set
from turnsmith.compile.rng import mix
from turnsmith.contract.records import record
from turnsmith.games.mastermind.strategy import DEEP, FAR, SLOTS, GuessingMethod, largest, summed
from turnsmith.games.mastermind.symmetry import Code, representatives, slot, worth_asking

Memo = record(mark=np.uint64, count=np.int32, guess=np.int32, cost=np.int64)
"""What is known of a set: its cost with the guess that reaches it, or minus a lower bound of its cost."""
MEMO = 1 << 18
"""Sets remembered; a later one takes the place of an earlier one that falls together with it."""

Frame = record(
    guess=np.int64,
    parts=np.int64,
    row=np.int64,  # where the guesses worth trying are listed, or UNLISTED
    listed=np.int64,
    sizes=(np.int64, SLOTS),
    ends=(np.int64, SLOTS),
    marks=(np.uint64, SLOTS),
    order=(np.int64, SLOTS),  # the slots of the parts, small ones first
    costs=(np.int64, SLOTS),  # what each part costs at least
)
"""The scratch paper of one level of the search: the parts of the guess being tried, in slots of answers."""
UNLISTED = -1
BITS = 24
"""A candidate is one number: its lower bound, then its code in this many bits."""


class SearchState(NamedTuple):
    """What a search works on; one row a level."""

    floor: Array  # int64[codes + 1]: the least cost of a set by its size
    steps: Array  # int64[codes + 1]: by how much the floor grows with one more code
    sets: Array  # Code[levels * codes]
    frames: Array  # Frame[levels]
    lists: Array  # int32[levels, codes]: guesses up to symmetry
    candidates: Array  # int64[levels, codes]: guesses with their lower bounds
    seen: Array  # uint64[levels, codes]: marks of the partitions tried
    memo: Array  # Memo[MEMO]
    stop: Array  # the flag by which the search is stopped


def new_search_state(board, stop):
    floor = np.zeros(board.codes + 1, np.int64)
    steps = np.zeros(board.codes + 1, np.int64)
    turn, wide, room = np.int64(1), np.int64(1), np.int64(1)
    for count in range(board.codes):
        if room == 0:
            turn += 1
            wide *= board.answers - 1
            room = wide
        steps[count] = turn
        floor[count + 1] = floor[count] + turn
        room -= 1
    sets = np.empty(DEEP * board.codes, Code)
    frames = np.zeros(DEEP, Frame)
    lists = np.empty((DEEP, board.codes), np.int32)
    candidates = np.empty((DEEP, board.codes), np.int64)
    seen = np.empty((DEEP, board.codes), np.uint64)
    return SearchState(floor, steps, sets, frames, lists, candidates, seen, np.zeros(MEMO, Memo), stop)


def lent(state):
    """The same without counting references; for arguments alone."""
    return SearchState(
        borrow(state.floor), borrow(state.steps), borrow(state.sets), borrow(state.frames), borrow(state.lists),
        borrow(state.candidates), borrow(state.seen), borrow(state.memo), borrow(state.stop),
    )  # fmt: skip


def remember(memo, mark, count, guess, cost):
    entry = memo[mix(mark) & np.uint64(MEMO - 1)]
    entry.mark, entry.count, entry.guess, entry.cost = mark, count, guess, cost


def recall(memo, mark, count):
    """The known cost of a set, minus a lower bound of it, or 0."""
    entry = memo[mix(mark) & np.uint64(MEMO - 1)]
    return entry.cost if entry.mark == mark and entry.count == count else np.int64(0)


def sum_of_marks(sets, start, count):
    mark = np.uint64(0)
    for index in range(start, start + count):
        mark += sets[index].mark
    return mark


def solve(board, codes, history, turns, start, count, bound, search_state):
    """The cost of the set sets[start : start + count] if it is below `bound`, otherwise a lower bound from there on.

    history: int64, its first `turns` guesses led here; deeper places are overwritten. `turns` is also the level.
    """
    floor, _, sets, frames, lists, candidates, seen, memo, stop = search_state
    if count <= 2:
        return 2 * count - 1
    if floor[count] >= bound:
        return floor[count]

    # 1. The set may be known from another line of play.
    mark = sum_of_marks(sets, start, count)
    known = recall(memo, mark, count)
    if known > 0:
        return known
    if -known >= bound:
        return -known

    # 2. A possible code that tells all apart costs 2 · count - 1, the least there is; any other guess one more.
    frame = frames[turns]
    if count <= board.answers:
        code = telling_apart(board, sets, start, count, frame)
        if code >= 0:
            remember(memo, mark, count, code, 2 * count - 1)
            return 2 * count - 1
        if bound <= 2 * count:
            return 2 * count

    # 3. Bound every guess by the sizes of its parts.
    if frame.row == UNLISTED:
        list_guesses(board, codes, history, turns, frames, lists)
    tries, code = rank_guesses(board, codes, turns, start, count, bound, search_state)
    if code >= 0:
        remember(memo, mark, count, code, 2 * count)
        return 2 * count

    # 4. Try them in this order until no bound is below the best cost found. Many guesses make the same parts.
    ranked = candidates[turns]
    best, best_guess = bound, np.int64(-1)
    for index in range(tries):
        if is_set(stop):
            return best  # which nobody may keep
        bring_least(ranked, index, tries)
        lower, code = ranked[index] >> BITS, ranked[index] & ((1 << BITS) - 1)
        if lower >= best:
            break
        seen[turns, index] = split(board, codes[code], sets, start, count, frame)
        if is_repeated(seen[turns], index):
            continue
        lower += raise_by_memo(frame, floor, memo)
        if lower >= best:
            continue
        # 5. Solve the parts, the small and cheap ones first, until the sum of costs and bounds is too high.
        spread(board, codes[code], sets, start, count, frame, (turns + 1) * board.codes)
        history[turns] = code
        frames[turns + 1].row = UNLISTED
        for rank in range(frame.parts):
            where = frame.order[rank]
            size = frame.sizes[where]
            first = frame.ends[where] - size
            allowed = best - lower + frame.costs[where]
            cost = solve(board, codes, history, turns + 1, first, size, allowed, search_state)
            lower += cost - frame.costs[where]
            if lower >= best:
                break
        if lower < best:
            best, best_guess = lower, code
    remember(memo, mark, count, best_guess, best if best_guess >= 0 else -best)
    return best


def telling_apart(board, sets, start, count, frame):
    """A code of a set that gets another answer from each of them, or -1."""
    width = np.uint64(board.pegs + 1)
    for index in range(start, start + count):
        if largest(sets[index], sets, start, count, width, 1, frame.sizes) == 0:
            return np.int64(sets[index].code)
    return np.int64(-1)


def rank_guesses(board, codes, turns, start, count, bound, search_state):
    """Fill candidates[turns] with the guesses whose lower bounds are below `bound`; how many, and -1.

    In place of -1, a guess that is not possible and tells all codes apart: it costs 2 · count, and nothing costs less.
    A guess that makes a single part is of no use.
    """
    sets, frame, ranked = search_state.sets, search_state.frames[turns], search_state.candidates[turns]
    listed, width = search_state.lists[frame.row], np.uint64(board.pegs + 1)
    palette = worth_asking(board, sets, start, count)
    last = board.pegs * (board.pegs + 1) + board.pegs
    limit = min(search_state.floor[count], bound - count + 1)
    tries = 0
    for index in range(frame.listed):
        guess = codes[listed[index]]
        if guess.palette & ~palette:
            continue
        total = summed(guess, sets, start, count, width, search_state.steps, limit, frame.sizes)
        if total >= limit:
            continue
        is_possible = frame.sizes[last] + frame.sizes[last - 1] > 0
        lower = count + total - 1 if is_possible else count + total
        if lower == 2 * count and not is_possible:
            return tries, np.int64(guess.code)
        if lower < bound:
            ranked[tries] = (lower << BITS) | guess.code
            tries += 1
    return tries, np.int64(-1)


def list_guesses(board, codes, history, turns, frames, lists):
    """List the guesses up to symmetry for a level; without symmetry one level up there is none here either."""
    frame = frames[turns]
    if turns > 0 and frames[turns - 1].listed == board.codes:
        frame.row, frame.listed = frames[turns - 1].row, board.codes
    else:
        frame.row, frame.listed = turns, representatives(board, codes, history, turns, lists[turns])


def split(board, guess, sets, start, count, frame):
    """Put the parts a guess makes into the frame, by size, all red left out; returns a mark of the partition."""
    width = np.uint64(board.pegs + 1)
    slots = (board.pegs + 1) ** 2
    for where in range(slots):
        frame.sizes[where] = 0
        frame.marks[where] = np.uint64(0)
    for index in range(start, start + count):
        where = slot(guess, sets[index], width)
        frame.sizes[where] += 1
        frame.marks[where] += sets[index].mark
    frame.parts = 0
    mark = np.uint64(0)
    for where in range(slots - 2):
        size = frame.sizes[where]
        if size > 0:
            mark += mix(frame.marks[where])
            rank = frame.parts
            while rank > 0 and frame.sizes[frame.order[rank - 1]] > size:
                frame.order[rank] = frame.order[rank - 1]
                rank -= 1
            frame.order[rank] = where
            frame.parts += 1
    return mark


def bring_least(numbers, index, end):
    """Swap the least of numbers[index:end] to the front: most are never asked for, so sorting would cost more."""
    least = index
    for other in range(index + 1, end):
        if numbers[other] < numbers[least]:
            least = other
    numbers[index], numbers[least] = numbers[least], numbers[index]


def is_repeated(marks, index):
    """Whether the last of some marks has occurred before."""
    earlier = 0
    while marks[earlier] != marks[index]:
        earlier += 1
    return earlier < index


def raise_by_memo(frame, floor, memo):
    """Note the best known lower bound of each part's cost; returns by how much they exceed their floors."""
    more = np.int64(0)
    for rank in range(frame.parts):
        where = frame.order[rank]
        size = frame.sizes[where]
        frame.costs[where] = floor[size]
        if size > 2:
            frame.costs[where] = max(floor[size], abs(recall(memo, frame.marks[where], size)))
            more += frame.costs[where] - floor[size]
    return more


def spread(board, guess, sets, start, count, frame, first):
    """Copy the codes of a set to sets[first:], part by part; frame.ends says where each part ends."""
    width = np.uint64(board.pegs + 1)
    for rank in range(frame.parts):
        where = frame.order[rank]
        frame.ends[where] = first
        first += frame.sizes[where]
    for index in range(start, start + count):
        where = slot(guess, sets[index], width)
        if sets[index].code != guess.code:
            copy(sets[frame.ends[where]], sets[index])
            frame.ends[where] += 1


def choose(board, codes, sets, start, count, history, turns, search_state):
    """The guess of least cost for the possible codes sets[start : start + count] after `turns` guesses."""
    if count <= 2:
        return sets[start].code
    own, frames = search_state.sets, search_state.frames
    first = turns * board.codes
    for index in range(count):
        copy(own[first + index], sets[start + index])
    for turn in range(turns):
        frames[turn].listed = 0  # what an earlier search listed there is of no use
    frames[turns].row = UNLISTED
    solve(board, codes, history, turns, first, count, FAR, lent(search_state))
    if is_set(search_state.stop):
        return sets[start].code
    return np.int64(search_state.memo[mix(sum_of_marks(own, first, count)) & np.uint64(MEMO - 1)].guess)


OPTIMAL = GuessingMethod("optimal", choose)


def search_state_for(boards, stop):
    """A kernel that makes the state of a search for Python to keep."""
    return new_search_state(boards[0], stop)
