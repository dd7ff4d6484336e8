"""The board of Go for people, the words of its moves, and the board for learners."""

import numpy as np

from turnsmith import drawing
from turnsmith.games.go.rules import area, legal

seat_colors = drawing.BLACK_AND_WHITE


def ending(board, state):
    points = area(board, state)
    return "a position came again" if state.repeated else f"{'black' if points > 0 else 'white'} by {abs(points):g}"


def words(board, state, action):
    return "pass" if action == board.cells else drawing.cell_name(action % board.side, action // board.side)


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
