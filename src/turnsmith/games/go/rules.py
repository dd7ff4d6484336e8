"""The rules of Go: area scoring, ko, and no position of the board that has been.

Chains are kept from move to move: `chain` names the stones that hang together by one of them, `next_stone` leads round
them, and `borders` counts the places where the chain named so touches empty crossings: no such place is no liberty.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from turnsmith.common.settings import setting
from turnsmith.compile.kernel import scratch
from turnsmith.compile.rng import below, draw, mix
from turnsmith.contract import sources
from turnsmith.contract.game import OVER
from turnsmith.contract.records import board_record, new_board, record
from turnsmith.games.go.shapes import AROUND, CODES, shape_bits

CELLS = 13 * 13
with np.errstate(over="ignore"):
    MARKS = np.array([mix(np.uint64(number)) for number in range(2 * CELLS + 1)], np.uint64)
"""What a stone adds to the key of a position: that of colour c on a crossing is at 2 · crossing + c. Pictures ask which
moves are legal without compiling, where numbers that wrap around would warn."""
SIEVE = 32  # words of 64 bits


@dataclass(frozen=True)
class Options:
    size: int = setting(9, 2, 13)
    """Crossings along a side."""
    komi: float = setting(7.5, -100.0, 100.0)
    """Points that white gets for moving second."""
    repetition: Literal["superko", "draw"] = setting("superko")
    """What a position that has been means: no move may bring it back, or it ends the game without a winner."""


Board = board_record(side=np.int64, cells=np.int64, komi=np.float64, superko=np.int64, near=(np.int16, (CELLS, 8)),
                     shapes=(np.uint64, CODES // 64))  # fmt: skip
State = record(stones=(np.int8, CELLS), chain=(np.uint8, CELLS), next_stone=(np.uint8, CELLS),
               borders=(np.int16, CELLS), passes=np.int8, repeated=np.int8, ko=np.int16, ply=np.int16, last=np.int16,
               key=np.uint64, past=np.uint64, sieve=(np.uint64, SIEVE),
               seen=(np.uint64, 2 * CELLS))  # fmt: skip
"""`stones`: 0, or seat + 1; `ko`: the crossing that may not be filled now, plus 1; `last`: the one filled last, plus 1;
`key`: a hash of the stones; `seen`: that of every position so far; `past`: all of these in one; `sieve`: a bit for some
bits of each. `near`: the four neighbours of a crossing, then those across its corners, -1 beyond the edge; `shapes`:
see there."""


def tables(source):
    options = sources.options(source, Options)
    side, cells, superko = options.size, options.size * options.size, options.repetition == "superko"
    boards = new_board(
        Board, seats=2, actions=cells + 1, side=side, cells=cells, komi=options.komi, superko=int(superko)
    )
    boards[0].near[:cells] = _around(side)
    boards[0].shapes[:] = shape_bits()
    return boards


@lru_cache(maxsize=16)
def _around(side):
    near = np.full((side * side, 8), -1, np.int16)
    for cell in range(side * side):
        for index, (right, up) in enumerate(AROUND):
            column, row = cell % side + right, cell // side + up
            if 0 <= column < side and 0 <= row < side:
                near[cell, index] = row * side + column
    return near


def to_move(board, state):
    return OVER if state.passes == 2 or state.repeated or state.ply >= 2 * board.cells else int(state.ply) & 1


# ---------------------------------------------------------------- what may be put


def touches(board, state, cell, chain):
    """At how many of its sides a crossing has stones of a chain."""
    count = 0
    for index in range(4):
        near = board.near[cell, index]
        if near >= 0 and state.stones[near] and int(state.chain[near]) == chain:
            count += 1
    return count


def has_room(board, state, cell):
    """Whether a stone on an empty crossing has a liberty: there, by an own chain, or by taking a chain."""
    own = (int(state.ply) & 1) + 1
    for index in range(4):
        near = board.near[cell, index]
        if near >= 0 and not state.stones[near]:
            return True
    for index in range(4):
        near = board.near[cell, index]
        if near >= 0:
            chain = int(state.chain[near])
            is_free = int(state.borders[chain]) > touches(board, state, cell, chain)
            if (state.stones[near] == own) == is_free:
                return True
    return False


def key_after(board, state, cell):
    """The hash of the stones after a move."""
    own, key = (int(state.ply) & 1) + 1, state.key
    key ^= MARKS[2 * cell + own]
    for index in range(4):
        near = board.near[cell, index]
        if near < 0 or state.stones[near] != 3 - own:
            continue
        chain, is_first = int(state.chain[near]), True
        for before in range(index):
            other = board.near[cell, before]
            if other >= 0 and state.stones[other] == 3 - own and int(state.chain[other]) == chain:
                is_first = False
        if is_first and int(state.borders[chain]) == touches(board, state, cell, chain):
            stone = chain
            while True:
                key ^= MARKS[2 * stone + 3 - own]
                stone = int(state.next_stone[stone])
                if stone == chain:
                    break
    return key


def has_been(state, key):
    """Whether this was the position of the board after an earlier move."""
    place = np.int64(key >> np.uint64(53))
    if not (state.sieve[place >> 6] >> np.uint64(place & 63)) & np.uint64(1):
        return False
    is_there = False
    for ply in range(state.ply):
        is_there = is_there or state.seen[ply] == key
    return is_there


def may_put(board, state, cell):
    if state.stones[cell] or state.ko == cell + 1 or not has_room(board, state, cell):
        return False
    return not board.superko or not has_been(state, key_after(board, state, cell))


def legal(board, state, out):
    """A crossing's number is row · size + column, from the bottom left; the number after the last is the pass."""
    count = 0
    for cell in range(board.cells):
        if may_put(board, state, cell):
            out[count] = cell
            count += 1
    out[count] = board.cells
    return 0 if to_move(board, state) == OVER else count + 1


def pick(board, state, rng):
    action = np.int64(below(rng, board.actions))
    while action < board.cells and not may_put(board, state, action):
        action = np.int64(below(rng, board.actions))
    return action


# ---------------------------------------------------------------- the move


def apply(board, state, action):
    own, taken, is_alone = (int(state.ply) & 1) + 1, 0, True
    state.ply, state.ko, state.last = state.ply + 1, 0, 0
    state.passes = state.passes + 1 if action == board.cells else 0
    if state.passes:
        return
    put(board, state, action, own)
    for index in range(4):
        near = board.near[action, index]
        if near < 0:
            continue
        if state.stones[near] == 3 - own:
            if not state.borders[int(state.chain[near])]:
                taken += take(board, state, np.int64(near))
                state.ko = near + 1
        else:
            is_alone = is_alone and near + 1 == state.ko  # which was taken just now
    state.ko = state.ko if taken == 1 and is_alone else 0
    state.last = action + 1
    state.repeated = 1 if not board.superko and has_been(state, state.key) else 0
    state.seen[state.ply - 1] = state.key
    state.past ^= mix(state.key)
    place = np.int64(state.key >> np.uint64(53))
    state.sieve[place >> 6] |= np.uint64(1) << np.uint64(place & 63)


def put(board, state, cell, own):
    """A stone, joined with the own chains beside it."""
    state.key ^= MARKS[2 * cell + own]
    state.stones[cell], state.chain[cell], state.next_stone[cell], state.borders[cell] = own, cell, cell, 0
    for index in range(4):
        near = board.near[cell, index]
        if near >= 0:
            if state.stones[near]:
                state.borders[int(state.chain[near])] -= 1
            else:
                state.borders[cell] += 1
    for index in range(4):
        near = board.near[cell, index]
        if near >= 0 and state.stones[near] == own:
            join(state, int(state.chain[near]), int(state.chain[cell]))


def join(state, chain, other):
    """Make one chain of two."""
    if chain == other:
        return
    stone = other
    while True:
        state.chain[stone] = chain
        stone = int(state.next_stone[stone])
        if stone == other:
            break
    after = state.next_stone[chain]
    state.next_stone[chain] = state.next_stone[other]
    state.next_stone[other] = after
    state.borders[chain] += state.borders[other]


def take(board, state, start):
    """Take a chain off the board; returns how many stones that were."""
    colour, stone, count = int(state.stones[start]), int(start), 0
    while True:
        after = int(state.next_stone[stone])
        state.key ^= MARKS[2 * stone + colour]
        state.stones[stone] = 0
        count += 1
        for index in range(4):
            near = board.near[stone, index]
            if near >= 0 and state.stones[near] == 3 - colour:
                state.borders[int(state.chain[near])] += 1
        stone = after
        if stone == start:
            return count


# ---------------------------------------------------------------- the end


def area(board, state):
    """Points of black less those of white: stones, and empty crossings from which one reaches one colour only."""
    points, stack, marks = -float(board.komi), scratch(CELLS, np.int16), scratch(CELLS, np.int8)
    for cell in range(board.cells):
        marks[cell] = 0
        points += 1 if state.stones[cell] == 1 else -1 if state.stones[cell] == 2 else 0
    for start in range(board.cells):
        if state.stones[start] or marks[start]:
            continue
        stack[0], marks[start], count, done, colours = start, 1, 1, 0, 0
        while done < count:
            for index in range(4):
                near = board.near[stack[done], index]
                if near < 0:
                    continue
                if state.stones[near]:
                    colours |= int(state.stones[near])
                elif not marks[near]:
                    marks[near], stack[count] = 1, near
                    count += 1
            done += 1
        points += count if colours == 1 else -count if colours == 2 else 0
    return points


def returns(board, state, out):
    out[0] = 0.0 if state.repeated else np.sign(area(board, state))
    out[1] = -out[0]


def hash(board, state):
    """Of the board and what is next, and of the positions so far where none may come again: they say what is legal.
    Where one ends the game, they matter only to that, and are left out."""
    rest = (int(state.ply) * 4 + int(state.passes) * 2 + int(state.repeated)) * 256 + int(state.ko)
    return mix(state.key ^ mix(np.uint64(rest)) ^ (state.past if board.superko else np.uint64(0)))


# ---------------------------------------------------------------- playouts


def rollout(board, state, rng):
    """An answer to the last stone (take it, save a chain from it, fight beside it), else any stone but one in an own
    eye, else a pass."""
    own = (int(state.ply) & 1) + 1
    if state.last:
        bits, last = draw(rng), np.int64(state.last - 1)
        if bits & np.uint64(15) != np.uint64(0):
            action = urgent(board, state, last, own)
            if action >= 0:
                return action
        if (bits >> np.uint64(4)) & np.uint64(15) != np.uint64(0):
            action = shape_near(board, state, last, own, rng)
            if action >= 0:
                return action
    cell = np.int64(below(rng, board.cells))
    for _ in range(16):
        if is_sensible(board, state, cell, own):
            return cell
        cell = np.int64(below(rng, board.cells))
    for _ in range(board.cells):
        if is_sensible(board, state, cell, own):
            return cell
        cell = cell + 1 if cell + 1 < board.cells else np.int64(0)
    return np.int64(board.cells)


def is_sensible(board, state, cell, own):
    """Whether a stone may be put, and not into an own eye."""
    return not state.stones[cell] and not is_eye(board, state, cell, own) and may_put(board, state, cell)


def is_eye(board, state, cell, own):
    """Whether an empty crossing has own stones at all sides, and few enough others across its corners."""
    others, beyond = 0, 0
    for index in range(8):
        near = board.near[cell, index]
        if index < 4:
            if near >= 0 and state.stones[near] != own:
                return False
        elif near < 0:
            beyond = 1
        elif state.stones[near] == 3 - own:
            others += 1
    return others + beyond < 2


def last_liberty(board, state, chain):
    """The only liberty of a chain, or -1 if it has more."""
    if state.borders[chain] > 4:
        return np.int64(-1)
    liberty, stone = np.int64(-1), chain
    while True:
        for index in range(4):
            near = np.int64(board.near[stone, index])
            if near >= 0 and not state.stones[near] and near != liberty:
                if liberty >= 0:
                    return np.int64(-1)
                liberty = near
        stone = int(state.next_stone[stone])
        if stone == chain:
            return liberty


def urgent(board, state, last, own):
    """What takes the chain that the last stone left in danger, or saves an own chain beside it; -1 if nothing does."""
    liberty = last_liberty(board, state, int(state.chain[last]))
    if liberty >= 0 and may_put(board, state, liberty):
        return liberty
    for index in range(4):
        near = board.near[last, index]
        if near >= 0 and state.stones[near] == own:
            liberty = last_liberty(board, state, int(state.chain[near]))
            if liberty >= 0 and saves(board, state, liberty, own) and may_put(board, state, liberty):
                return liberty
    return np.int64(-1)


def saves(board, state, cell, own):
    """Whether a stone on the last liberty of a chain leaves it two: empty crossings, or another chain with some."""
    free = 0
    for index in range(4):
        near = board.near[cell, index]
        if near < 0:
            continue
        if not state.stones[near]:
            free += 1
        elif state.stones[near] == own:
            free += 2 if last_liberty(board, state, int(state.chain[near])) < 0 else 0
        elif last_liberty(board, state, int(state.chain[near])) >= 0:
            free += 2
    return free >= 2


def shape_near(board, state, last, own, rng):
    """A crossing beside the last stone where a good shape is to be made, -1 if there is none."""
    start = np.int64(below(rng, 8))
    for turn in range(8):
        cell = np.int64(board.near[last, (start + turn) & 7])
        if cell >= 0 and not state.stones[cell]:
            code = shape_at(board, state, cell)
            is_shape = (board.shapes[code >> 6] >> np.uint64(code & 63)) & np.uint64(1) == np.uint64(1)
            if is_shape and leaves_liberties(board, state, cell, own) and may_put(board, state, cell):
                return cell
    return np.int64(-1)


def shape_at(board, state, cell):
    """The number of what surrounds a crossing, two bits each."""
    code = 0
    for index in range(8):
        near = board.near[cell, index]
        code |= (int(state.stones[near]) if near >= 0 else 3) << (2 * index)
    return code


def leaves_liberties(board, state, cell, own):
    """Whether a stone would not be taken at once: it has two empty crossings, or joins a chain with a spare liberty."""
    free = 0
    for index in range(4):
        near = board.near[cell, index]
        if near < 0:
            continue
        if not state.stones[near]:
            free += 1
        elif state.stones[near] == own:
            chain = int(state.chain[near])
            free += 1 if int(state.borders[chain]) > touches(board, state, cell, chain) else 0
    return free >= 2
