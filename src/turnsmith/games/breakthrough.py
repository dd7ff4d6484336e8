"""Breakthrough: run a pawn to the other end of the board.

Black (seat 0) has two rows of pawns at the top and moves down, white (seat 1) two at the bottom and moves up; black
begins. A pawn goes one row ahead, straight or diagonally, to an empty cell, and captures diagonally only. Whoever
reaches the last row, or captures the other's last pawn, wins. There is always a move. Cells are called a1 (bottom left)
to h8. A colour's pawns are bits of one number: column x, row y from the top, is bit 8·y + x.
"""

import functools
from dataclasses import dataclass

import numpy as np

from turnsmith.common.settings import setting
from turnsmith.compile.kernel import lowest_bit, nth_bit, popcount
from turnsmith.compile.rng import below
from turnsmith.contract import drawing, sources
from turnsmith.contract.bits import bits_where
from turnsmith.contract.game import OVER
from turnsmith.contract.records import board_record, new_board, record
from turnsmith.languages import _

ONE, SIDE, MOVES = np.uint64(1), 8, 3 * 64  # a move: 3 · bit of the pawn + turn, ahead to the left, straight, right


@dataclass(frozen=True)
class Options:
    width: int = setting(8, 2, SIDE)
    """Columns."""
    height: int = setting(8, 4, SIDE)
    """Rows."""


Board = board_record(width=np.int64, height=np.int64, cells=np.uint64, may_turn=(np.uint64, 3), goal=(np.uint64, 2),
                     start=(np.uint64, 2))  # fmt: skip
State = record(pawns=(np.uint64, 2), seat=np.int8, won=np.int8)
"""`may_turn`: the cells that have one on their left, before them, on their right; `goal`: the last row of each seat."""


def tables(source):
    options = sources.options(source, Options)
    width, height = options.width, options.height
    bits = functools.partial(bits_where, width, height, stride=8)
    cells = bits(lambda x, y: True)
    may_turn = [bits(lambda x, y: x > 0), cells, bits(lambda x, y: x < width - 1)]
    goal = [bits(lambda x, y: y == height - 1), bits(lambda x, y: y == 0)]
    start = [bits(lambda x, y: y < 2), bits(lambda x, y: y >= height - 2)]
    fields = {"width": width, "height": height, "cells": cells, "may_turn": may_turn, "goal": goal, "start": start}
    return new_board(Board, seats=2, actions=MOVES, **fields)


def setup(board, state):
    state.pawns[0], state.pawns[1] = board.start[0], board.start[1]


def to_move(board, state):
    return OVER if state.won else int(state.seat)


def ahead(bits, seat, turn):
    """These cells moved one row ahead and `turn` - 1 columns to the right."""
    return bits << np.uint64(7 + turn) if seat == 0 else bits >> np.uint64(9 - turn)


def movable(board, state, turn):
    """The pawns of the seat to move that may go that way."""
    seat = int(state.seat)
    stops = state.pawns[seat] if turn != 1 else state.pawns[0] | state.pawns[1]
    return state.pawns[seat] & board.may_turn[turn] & ahead(board.cells & ~stops, 1 - seat, 2 - turn)


def legal(board, state, out):
    if state.won:
        return 0
    left, straight, right = movable(board, state, 0), movable(board, state, 1), movable(board, state, 2)
    count, pawns = 0, left | straight | right
    while pawns:
        bit = lowest_bit(pawns)
        pawns &= pawns - ONE
        for turn, some in enumerate((left, straight, right)):
            out[count] = 3 * bit + turn  # which stays if it may go there: a branch that nobody foresees costs more
            count += np.int64((some >> np.uint64(bit)) & ONE)
    return count


def pick(board, state, rng):
    left, straight, right = movable(board, state, 0), movable(board, state, 1), movable(board, state, 2)
    first, second = np.int64(popcount(left)), np.int64(popcount(straight))
    chosen = np.int64(below(rng, first + second + np.int64(popcount(right))))
    if chosen < first:
        return 3 * nth_bit(left, chosen)
    if chosen < first + second:
        return 3 * nth_bit(straight, chosen - first) + 1
    return 3 * nth_bit(right, chosen - first - second) + 2


def win(board, state):
    """The least move to the last row, or onto the other's last pawn."""
    seat, theirs, found = int(state.seat), state.pawns[1 - int(state.seat)], MOVES
    aims = board.goal[seat] if theirs & (theirs - ONE) else board.goal[seat] | theirs
    for turn in range(3):
        pawns = movable(board, state, turn) & ahead(aims, 1 - seat, 2 - turn)
        found = min(found, 3 * lowest_bit(pawns) + turn)  # beyond all moves where there is none
    return found if found < MOVES else -1


def apply(board, state, action):
    seat, pawn = int(state.seat), ONE << np.uint64(action // 3)
    target = ahead(pawn, seat, action % 3)
    state.pawns[seat] = (state.pawns[seat] & ~pawn) | target
    state.pawns[1 - seat] &= ~target
    state.won = 1 if target & board.goal[seat] or not state.pawns[1 - seat] else 0
    state.seat = 1 - seat


def returns(board, state, out):
    out[0] = 1.0 if state.seat else -1.0  # whoever moved last
    out[1] = -out[0]


# ---------------------------------------------------------------- for people
lesson = (
    ("Pawns go one step forward, straight or diagonally.", ("c7 c6", "c2 c3")),
    ("They capture diagonally only.", ("c7 c6", "d2 d3", "c6 c5", "d3 d4", "c5 d4")),
    ("Straight ahead they need a free cell.", ("c7 c6", "c2 c3", "c6 c5", "c3 c4")),
    ("Whoever reaches the other end wins.", ("c7 c6", "h2 h3", "c6 c5")),
    ("Click a pawn, then where it goes.", ()),
)
seat_colors = drawing.BLACK_AND_WHITE


def ending(board, state):
    return _("a pawn broke through") if state.pawns[int(state.seat)] else _("the last pawn is captured")


def words(board, state, action):
    bit, rows = action // 3, int(board.height)
    x, y, down = bit % 8, bit // 8, 1 if state.seat == 0 else -1
    return f"{drawing.cell_name(x, y, rows)} {drawing.cell_name(x + action % 3 - 1, y + down, rows)}"


def text(board, state):
    pawns = drawing.stones(map(drawing.bits, state.pawns), drawing.DISCS, 8)
    return drawing.board_text(int(board.width), int(board.height), pawns, int(board.height))


def picture(board, state):
    height, pieces = int(board.height), drawing.pieces(legal, words, board, state)
    pawns = drawing.stones(map(drawing.bits, state.pawns), seat_colors, 8)
    return drawing.board_svg(int(board.width), height, pawns, pieces, height, grounds=("#e9d8b4", "#cdb488"))
