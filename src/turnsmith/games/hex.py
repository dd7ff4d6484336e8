"""Hex: connect your two sides of the board before the other connects theirs.

Cells are hexes on a rhombus of `size` rows, each row half a cell further right. Black (seat 0) begins and wants a chain
from the top row to the bottom row, white (seat 1) one from the left column to the right column. A turn fills any empty
cell; there are no captures, and no draws: a full board always has exactly one of the two chains. Without the swap rule
whoever begins can win. Cells are called a1 (top left) and so on, columns by letters.
"""

from dataclasses import dataclass

import numpy as np

from turnsmith.common.settings import setting
from turnsmith.compile.kernel import scratch
from turnsmith.compile.rng import below, mix
from turnsmith.contract import drawing, sources
from turnsmith.contract.bits import neighbours
from turnsmith.contract.game import OVER
from turnsmith.contract.records import board_record, new_board, record
from turnsmith.languages import _

SIZE = 19
CELLS = SIZE * SIZE
AROUND = ((0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1))
STONE, FIRST_SIDE, SECOND_SIDE = 1, 2, 4  # parts of a mark
BOTH = STONE | FIRST_SIDE | SECOND_SIDE


@dataclass(frozen=True)
class Options:
    size: int = setting(11, 2, SIZE)
    """Cells along a side."""


Board = board_record(side=np.int64, cells=np.int64, near=(np.int16, (CELLS, 6)), sides=(np.int8, (2, CELLS)))
State = record(marks=(np.int8, (2, CELLS)), ply=np.int16, won=np.int8, open_wins=(np.int16, 2), key=np.uint64)
"""`marks`: a plane a seat. Of a stone: STONE, and the own sides that its chain touches. Of another cell: the sides that
a stone there would touch by its neighbours. So moves that win are known beforehand. `open_wins`: how many empty cells
win at once, a number a seat; `key`: a hash of the stones. `near`: neighbours of a cell, then -1; `sides`: those that a
cell lies at."""


def tables(source):
    side = sources.options(source, Options).size
    boards = new_board(Board, seats=2, actions=side * side, side=side, cells=side * side)
    boards[0].near[: side * side] = neighbours(side, side, AROUND)
    for cell in range(side * side):
        for seat, along in enumerate((cell // side, cell % side)):
            boards[0].sides[seat, cell] = FIRST_SIDE * (along == 0) + SECOND_SIDE * (along == side - 1)
    return boards


def to_move(board, state):
    return OVER if state.won else int(state.ply) & 1


def is_empty(state, cell):
    return (state.marks[0, cell] | state.marks[1, cell]) & STONE == 0


def legal(board, state, out):
    """A cell's number is row · size + column."""
    count = 0
    if not state.won:
        for cell in range(board.cells):
            if is_empty(state, cell):
                out[count] = cell
                count += 1
    return count


def pick(board, state, rng):
    cell = below(rng, board.cells)
    while not is_empty(state, cell):
        cell = below(rng, board.cells)
    return np.int64(cell)


def touched(board, state, seat, cell):
    """What a stone of a seat on an empty cell would touch, itself included."""
    return STONE | int(state.marks[seat, cell]) | int(board.sides[seat, cell])


def win(board, state):
    seat = int(state.ply) & 1
    if state.open_wins[seat]:
        for cell in range(board.cells):
            if is_empty(state, cell) and touched(board, state, seat, cell) == BOTH:
                return np.int64(cell)
    return np.int64(-1)


def apply(board, state, action):
    seat = int(state.ply) & 1
    reach = touched(board, state, seat, action)
    state.won = 1 if reach == BOTH else 0
    if touched(board, state, 1 - seat, action) == BOTH:
        state.open_wins[1 - seat] -= 1
    state.key ^= mix(np.uint64(2 * action + seat + 1))
    state.ply += 1
    if not state.won:  # else nobody asks for what chains touch
        spread(board, state, seat, action, reach)
    else:
        state.marks[seat, action] = reach


def spread(board, state, seat, start, reach):
    """Tell all stones of a chain, and the empty cells beside it, what it touches now; those who know already need not
    be asked for others."""
    stack, marks = scratch(CELLS, np.int16), state.marks[seat]
    stack[0], left, others = start, 1, state.marks[1 - seat]
    marks[start] = reach
    while left:
        left -= 1
        cell = stack[left]
        for index in range(6):
            near = board.near[cell, index]
            if near < 0 or int(marks[near]) & reach & ~STONE == reach & ~STONE:
                continue
            if marks[near] & STONE:
                marks[near] = reach
                stack[left] = near
                left += 1
            elif not others[near] & STONE:
                was = touched(board, state, seat, near)
                marks[near] |= reach & ~STONE
                if was != BOTH and touched(board, state, seat, near) == BOTH:
                    state.open_wins[seat] += 1


def returns(board, state, out):
    out[0] = 1.0 if state.ply & 1 else -1.0  # whoever moved last
    out[1] = -out[0]


def hash(board, state):
    """Of the stones, which tell who moves and whether it is over."""
    return mix(state.key)


# ---------------------------------------------------------------- for people

lesson = (
    ("Two players place stones on any free cell, in turn.", ("f6", "e7")),
    ("Black connects the top with the bottom, white left with right.", ()),
    ("Neighbouring stones of one colour hang together.", ("f5", "a1", "f6", "a2", "f7")),
    ("Somebody always succeeds: there is no draw.", ("f6", "f5", "g5", "g4", "h4")),
    ("Click a cell.", ()),
)
seat_colors = drawing.BLACK_AND_WHITE


def ending(board, state):
    return _("the top and the bottom are connected") if state.ply & 1 else _("left and right are connected")


def words(board, state, action):
    return drawing.cell_name(action % board.side, action // board.side)


def _stones(board, state, signs):
    return drawing.stones(map(np.flatnonzero, state.marks & STONE), signs, int(board.side))


def text(board, state):
    side = int(board.side)
    return drawing.board_text(side, side, _stones(board, state, drawing.DISCS), slant=1)


def picture(board, state):
    side, pieces = int(board.side), drawing.pieces(legal, words, board, state)
    said = _("black ● from top to bottom, white ○ from left to right")
    return drawing.board_svg(side, side, _stones(board, state, seat_colors), pieces, kind="hexes", said=said)
