"""Othello: outflank the other's discs and turn them; most discs win.

Black (seat 0) and white (seat 1) take turns. A disc is put where it outflanks at least one straight run of the other's
discs, across, up or diagonally, between itself and an own disc; all discs outflanked are turned. Whoever has no such
cell must pass, and may not pass otherwise. When neither can move, more discs win. Cells are a1 (top left) to h8.
A colour's discs are bits of one number, column x, row y being bit size·y + x: runs are found by moving all at once.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from turnsmith.common.settings import setting
from turnsmith.compile.kernel import popcount
from turnsmith.contract import drawing, sources
from turnsmith.contract.bits import bits_where, list_bits, moved, pick_bit, run
from turnsmith.contract.game import OVER
from turnsmith.contract.records import board_record, new_board, record
from turnsmith.languages import _, marked


@dataclass(frozen=True)
class Options:
    size: Literal[4, 6, 8] = setting(8)
    """Cells along a side."""


Board = board_record(side=np.int64, cells=np.uint64, start=(np.uint64, 2), step=(np.uint64, 8), through=(np.uint64, 8))
State = record(discs=(np.uint64, 2), moves=np.uint64, seat=np.int8, over=np.int8)
"""`moves`: the cells where the seat to move may put a disc; none means that it must pass. Of the eight ways, `step`:
how far bits are moved; `through`: the cells that a run may go through, which are not at the edge."""


def tables(source):
    side = sources.options(source, Options).size
    across = bits_where(side, side, lambda x, y: 0 < x < side - 1)
    down = bits_where(side, side, lambda x, y: 0 < y < side - 1)
    black = bits_where(side, side, lambda x, y: {x, y} == {side // 2 - 1, side // 2})
    white = bits_where(side, side, lambda x, y: side // 2 - 1 <= x == y <= side // 2)
    boards = new_board(Board, seats=2, actions=side * side + 1, side=side, start=[black, white])
    boards[0].cells = bits_where(side, side, lambda x, y: True)
    boards[0].step = [1, side - 1, side, side + 1, 63, 65 - side, 64 - side, 63 - side]
    boards[0].through = 2 * [across, across & down, down, across & down]
    return boards


def setup(board, state):
    state.discs[0], state.discs[1] = board.start[0], board.start[1]
    state.moves = cells_to_move(board, state.discs[0], state.discs[1])


def to_move(board, state):
    return OVER if state.over else int(state.seat)


def legal(board, state, out):
    """A cell's number is its bit; the number after the last is the pass."""
    if not state.moves:
        out[0] = board.actions - 1
        return 0 if state.over else 1
    return list_bits(state.moves, out)


def pick(board, state, rng):
    return pick_bit(state.moves, rng) if state.moves else np.int64(board.actions - 1)


def apply(board, state, action):
    seat = int(state.seat)
    mine, theirs = state.discs[seat], state.discs[1 - seat]
    if action < board.actions - 1:
        put, turned = np.uint64(1) << np.uint64(action), np.uint64(0)
        for way in range(8):
            passed = run(put, theirs & board.through[way], board.step[way])
            turned |= passed if mine & moved(passed, board.step[way]) else np.uint64(0)
        mine, theirs = mine | turned | put, theirs & ~turned
    state.discs[seat], state.discs[1 - seat], state.seat = mine, theirs, 1 - seat
    state.moves = cells_to_move(board, theirs, mine)
    state.over = not state.moves and not cells_to_move(board, mine, theirs)


def cells_to_move(board, mine, theirs):
    """The empty cells from which a run of their discs leads to one of mine."""
    found = np.uint64(0)
    for way in range(8):
        found |= moved(run(mine, theirs & board.through[way], board.step[way]), board.step[way])
    return found & board.cells & ~(mine | theirs)


def lead(black, white):
    return float(np.int64(popcount(black)) - np.int64(popcount(white)))


def returns(board, state, out):
    out[0] = np.sign(lead(state.discs[0], state.discs[1]))
    out[1] = -out[0]


def beside(board, cells):
    """What is next to these cells, in a direction in which it can be outflanked."""
    found = np.uint64(0)
    for way in range(8):
        found |= board.through[way] & moved(cells, board.step[way])
    return found


def evaluate(board, state, out):
    """Corners are never turned again, and next to an empty one a disc helps the other to it. One wants moves, and few
    discs next to empty cells; how many discs one has misleads until the end."""
    black, white = state.discs[0], state.discs[1]
    empty, corners = board.cells & ~(black | white), board.cells & ~(board.through[0] | board.through[2])
    points = 8 * lead(cells_to_move(board, black, white), cells_to_move(board, white, black))
    for weight, cells in ((40, corners), (-12, beside(board, corners & empty)), (-3, beside(board, empty))):
        points += weight * lead(black & cells, white & cells)
    out[0] = points / (60.0 + abs(points))
    out[1] = -out[0]


# ---------------------------------------------------------------- for people
lesson = (
    ("Place a disc so that discs of the other colour stand between it and another of yours.", ()),
    ("All discs between them turn over and are yours.", ("d3",)),
    ("Every line counts, also the diagonal ones.", ("d3", "c3", "b3")),
    ("Who cannot turn any disc passes. Corners can never be turned back.", ("d3", "c5")),
    ("When nobody can move, more discs win. Click a marked cell.", ("d3", "c5", "f6")),
)
seat_colors = drawing.BLACK_AND_WHITE
LEVELS = {"easy": "mcts:simulations=30", "medium": "negamax:depth=3"}
LEVELS |= {"hard": "negamax:depth=7,time=1", "expert": "negamax:time=3,table=20"}


def ending(board, state):
    return _("black ● {}, white ○ {}").format(*(int(discs).bit_count() for discs in state.discs))


def words(board, state, action):
    is_pass = action == board.actions - 1
    return marked("pass") if is_pass else drawing.cell_name(action % board.side, action // board.side)


def text(board, state):
    discs = drawing.stones(map(drawing.bits, state.discs), drawing.DISCS, board.side)
    return drawing.board_text(board.side, board.side, discs)


def picture(board, state):
    discs = drawing.stones(map(drawing.bits, state.discs), seat_colors, board.side)
    look = {"grounds": ["#2f7d57"], "hint": seat_colors[state.seat], "said": ending(board, state)}
    return drawing.board_svg(board.side, board.side, discs, drawing.pieces(legal, words, board, state), **look)
