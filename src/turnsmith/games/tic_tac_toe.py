"""Tic-tac-toe: three in a row, on nine cells.

Crosses (seat 0) and noughts (seat 1) take turns to fill an empty cell. Whoever has three in a row, across, down or
diagonally, wins; a full board without is a draw. Cells are called a1 (top left) to c3.
"""

import numpy as np

from turnsmith.compile.kernel import lowest_bit, nth_bit
from turnsmith.compile.rng import below
from turnsmith.contract import drawing, sources
from turnsmith.contract.bits import list_bits
from turnsmith.contract.game import OVER
from turnsmith.contract.records import board_record, new_board, record
from turnsmith.languages import _

CELLS, ALL = 9, 0b111_111_111
LINES = (0b111, 0b111_000, 0b111_000_000, 0b001_001_001, 0b010_010_010, 0b100_100_100, 0b100_010_001, 0b001_010_100)

Board = board_record()
State = record(marks=(np.int16, 2), ply=np.int8, won=np.int8)
"""`marks`: of each seat the cells it has, bit 3·row + column; `won`: whether the last mark made a line."""


def tables(source):
    sources.fields(source)
    return new_board(Board, seats=2, actions=CELLS)


def to_move(board, state):
    return OVER if state.won or state.ply == CELLS else int(state.ply) & 1


def empty(state):
    return np.uint64(ALL & ~(int(state.marks[0]) | int(state.marks[1])))


def legal(board, state, out):
    """A cell's number is 3·row + column."""
    return 0 if state.won else list_bits(empty(state), out)


def pick(board, state, rng):
    return nth_bit(empty(state), below(rng, CELLS - int(state.ply)))


def win(board, state):
    """The least empty cell that completes a line."""
    mine, free, found = int(state.marks[int(state.ply) & 1]), int(empty(state)), 0
    for line in LINES:
        gap = line & ~mine
        if gap & (gap - 1) == 0:
            found |= gap & free
    return lowest_bit(np.uint64(found)) if found else -1


def apply(board, state, action):
    seat = int(state.ply) & 1
    state.marks[seat] |= 1 << action
    state.ply += 1
    for line in LINES:
        if int(state.marks[seat]) & line == line:
            state.won = 1


def returns(board, state, out):
    out[0] = 0.0 if not state.won else 1.0 if state.ply & 1 else -1.0
    out[1] = -out[0]


# ---------------------------------------------------------------- for people

lesson = (
    ("Two players mark cells, in turn.", ("b2", "a1")),
    ("Three of yours in a row win.", ("a1", "a2", "b1", "b2", "c1")),
    ("Across, down or diagonally.", ("a1", "b1", "b2", "c1", "c3")),
    ("If all cells are full it is a draw.", ("b2", "a1", "c1", "a3", "a2", "c2", "b1", "b3", "c3")),
    ("Click a cell.", ()),
)
seat_colors = ("#30638e", "#d1495b")


def ending(board, state):
    return _("three in a row") if state.won else _("the board is full")


def words(board, state, action):
    return drawing.cell_name(action % 3, action // 3)


def _marks(state, signs):
    return drawing.stones(map(drawing.bits, state.marks), signs, 3)


def text(board, state):
    return drawing.board_text(3, 3, _marks(state, ("[bold blue]X[/]", "[bold red]O[/]")))


def picture(board, state):
    return drawing.board_svg(3, 3, _marks(state, seat_colors), drawing.pieces(legal, words, board, state))
