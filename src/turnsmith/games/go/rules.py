"""The rules of Go, as OpenSpiel has them: area scoring, ko, and no winner where a position comes again."""

from dataclasses import dataclass

import numpy as np

from turnsmith.common.settings import setting
from turnsmith.compile.kernel import scratch
from turnsmith.compile.rng import below, mix
from turnsmith.contract import sources
from turnsmith.contract.bits import neighbours
from turnsmith.contract.game import OVER
from turnsmith.contract.records import board_record, new_board, record

CELLS = 13 * 13


@dataclass(frozen=True)
class Options:
    size: int = setting(9, 2, 13)
    """Crossings along a side."""
    komi: float = setting(7.5, -100.0, 100.0)
    """Points that white gets for moving second."""


Board = board_record(side=np.int64, cells=np.int64, komi=np.float64, near=(np.int16, (CELLS, 4)))
State = record(stones=(np.int8, CELLS), passes=np.int8, repeated=np.int8, ko=np.int16, ply=np.int16, key=np.uint64,
               seen=(np.uint64, 2 * CELLS))  # fmt: skip
"""`stones`: 0, or seat + 1; `ko`: the crossing that may not be filled now, plus 1; `key`: a hash of the stones;
`seen`: that of every position so far. `near`: the neighbours of a crossing, then -1."""


def tables(source):
    options = sources.options(source, Options)
    side, cells = options.size, options.size * options.size
    boards = new_board(Board, seats=2, actions=cells + 1, side=side, cells=cells, komi=options.komi)
    boards[0].near[:cells] = neighbours(side, side, [(0, -1), (-1, 0), (1, 0), (0, 1)])
    return boards


def to_move(board, state):
    return OVER if state.passes == 2 or state.repeated or state.ply >= 2 * board.cells else int(state.ply) & 1


def region(board, state, start, filled, found):
    """List in `found` all crossings connected with `start` that hold the same: how many they are, and which colours are
    beside them, 1 for black and 2 for white. Of a chain with an empty crossing beside it, other than `filled`: 0."""
    marks, count, done, colours = scratch(CELLS, np.int8), 1, 0, 0
    for cell in range(board.cells):
        marks[cell] = 0
    found[0], marks[start] = start, 1
    while done < count:
        for index in range(4):
            near = board.near[found[done], index]
            if near >= 0 and not marks[near]:
                if state.stones[near] == state.stones[start]:
                    marks[near], found[count] = 1, near
                    count += 1
                elif state.stones[near]:
                    colours |= int(state.stones[near])
                elif near != filled:
                    return 0, 0
        done += 1
    return count, colours


def may_put(board, state, cell):
    if state.stones[cell] or state.ko == cell + 1:
        return False
    own, found = (int(state.ply) & 1) + 1, scratch(CELLS, np.int16)
    for index in range(4):
        near = board.near[cell, index]
        if near >= 0 and not state.stones[near]:
            return True
    for index in range(4):  # an own chain that is free elsewhere, or one of the other's that is not
        near = board.near[cell, index]
        if near >= 0 and (state.stones[near] == own) == (region(board, state, near, cell, found)[0] == 0):
            return True
    return False


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


def put(state, cell, stone):
    state.key ^= mix(np.uint64(2 * cell + max(stone, int(state.stones[cell]))))
    state.stones[cell] = stone


def apply(board, state, action):
    own, taken, is_alone, found = (int(state.ply) & 1) + 1, 0, True, scratch(CELLS, np.int16)
    state.ply, state.ko = state.ply + 1, 0
    state.passes = state.passes + 1 if action == board.cells else 0
    if state.passes:
        return
    put(state, action, own)
    for index in range(4):
        near = board.near[action, index]
        if near >= 0 and state.stones[near] == 3 - own:
            count = region(board, state, near, action, found)[0]
            for stone in range(count):
                put(state, np.int64(found[stone]), 0)
            taken, state.ko = taken + count, near + 1 if count else state.ko
        elif near >= 0:
            is_alone = False
    state.ko = state.ko if taken == 1 and is_alone else 0
    for ply in range(state.ply - 1):
        if state.seen[ply] == state.key:
            state.repeated = 1
    state.seen[state.ply - 1] = state.key


def area(board, state):
    """Points of black less those of white: stones, and empty crossings from which one reaches one colour only."""
    points, found, owner = -float(board.komi), scratch(CELLS, np.int16), scratch(CELLS, np.int8)
    for cell in range(board.cells):
        owner[cell] = state.stones[cell]
    for start in range(board.cells):
        if not owner[start]:
            count, colours = region(board, state, start, -1, found)
            for index in range(count):
                owner[found[index]] = colours or 3
        points += 1 if owner[start] == 1 else -1 if owner[start] == 2 else 0
    return points


def returns(board, state, out):
    out[0] = 0.0 if state.repeated else np.sign(area(board, state))
    out[1] = -out[0]


def hash(board, state):
    """Of the board and what is next. Which positions came before matters only to repetitions, and is left out."""
    rest = (int(state.ply) * 4 + int(state.passes) * 2 + int(state.repeated)) * 256 + int(state.ko)
    return mix(state.key ^ mix(np.uint64(rest)))
