"""The board of Go for people, the words of its moves, and the board for learners."""

import numpy as np

from turnsmith.contract import drawing
from turnsmith.games.go.rules import area, legal
from turnsmith.languages import _, marked

lesson = (
    ("Black and white place stones on crossings, in turn.", ("e5", "c3", "g3")),
    ("Stones without a free crossing beside them are captured.", ("e5", "d5", "d4", "e4", "f5")),
    ("You may not bring back a position that has been.", ("e5", "c3")),
    ("Who surrounds more wins; white gets points for moving second.", ("c3", "g7", "c7", "g3")),
    ("Click a crossing; pass when there is nothing left to win.", ()),
)
seat_colors = drawing.BLACK_AND_WHITE


def ending(board, state):
    points = area(board, state)
    if state.repeated:
        return _("a position came again")
    return (_("black by {:g}") if points > 0 else _("white by {:g}")).format(abs(points))


def words(board, state, action):
    return marked("pass") if action == board.cells else drawing.cell_name(action % board.side, action // board.side)


def _stones(board, state, signs):
    rows = state.stones[: board.cells].reshape(board.side, board.side)[::-1]  # the first row is the lowest
    return drawing.stones([np.flatnonzero(rows == seat + 1) for seat in range(2)], signs, board.side)


def text(board, state):
    return drawing.board_text(board.side, board.side, _stones(board, state, drawing.DISCS), board.side)


def picture(board, state):
    stones, pieces = _stones(board, state, seat_colors), drawing.pieces(legal, words, board, state)
    return drawing.board_svg(board.side, board.side, stones, pieces, board.side, "lines")


# ---------------------------------------------------------------- for learners


def planes(board, view, viewer, out):
    for cell in range(board.cells):
        for seat in range(2):
            out[seat ^ viewer, cell // board.side, cell % board.side] = view.stones[cell] == seat + 1


def plane_names(board):
    return ["own stones", "other stones"]


def plane_shape(board):
    return int(board.side), int(board.side)
