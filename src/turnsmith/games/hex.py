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
from turnsmith.compile.rng import below
from turnsmith.contract import drawing, sources
from turnsmith.contract.bits import neighbours
from turnsmith.contract.game import OVER
from turnsmith.contract.records import board_record, new_board, record
from turnsmith.languages import _

SIZE = 19
CELLS = SIZE * SIZE
AROUND = ((0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1))
STONE, FIRST_SIDE, SECOND_SIDE = 1, 2, 4  # parts of what stands on a cell
BOTH = STONE | FIRST_SIDE | SECOND_SIDE


@dataclass(frozen=True)
class Options:
    size: int = setting(11, 2, SIZE)
    """Cells along a side."""


Board = board_record(side=np.int64, cells=np.int64, near=(np.int16, (CELLS, 6)), sides=(np.int8, (2, CELLS)))
State = record(stones=(np.int8, (2, CELLS)), ply=np.int16, won=np.int8)
"""`stones`: a plane a seat; of a stone, which of its owner's two sides its chain touches is part of the number: so the
last stone of a winning chain is known when it is put. `near`: neighbours of a cell, then -1."""


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
    return state.stones[0, cell] == 0 and state.stones[1, cell] == 0


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


def apply(board, state, action):
    seat = int(state.ply) & 1
    stones = state.stones[seat]
    touched = STONE | int(board.sides[seat, action])
    for index in range(6):
        if board.near[action, index] >= 0:
            touched |= int(stones[board.near[action, index]])
    spread(board, stones, action, touched)
    state.won = 1 if touched == BOTH else 0
    state.ply += 1


def spread(board, stones, start, touched):
    """Tell all stones of a chain what it touches now; those who know already need not be asked for others."""
    stack = scratch(CELLS, np.int16)
    stack[0], left = start, 1
    stones[start] = touched
    while left:
        left -= 1
        cell = stack[left]
        for index in range(6):
            near = board.near[cell, index]
            if near >= 0 and stones[near] and stones[near] != touched:
                stones[near] = touched
                stack[left] = near
                left += 1


def returns(board, state, out):
    out[0] = 1.0 if state.ply & 1 else -1.0  # whoever moved last
    out[1] = -out[0]


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
    return drawing.stones(map(np.flatnonzero, state.stones), signs, int(board.side))


def text(board, state):
    side = int(board.side)
    return drawing.board_text(side, side, _stones(board, state, drawing.DISCS), slant=1)


def picture(board, state):
    side, pieces = int(board.side), drawing.pieces(legal, words, board, state)
    said = _("black ● from top to bottom, white ○ from left to right")
    return drawing.board_svg(side, side, _stones(board, state, seat_colors), pieces, kind="hexes", said=said)
