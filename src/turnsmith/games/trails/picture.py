"""Trails for people: words, the board in a terminal, the picture."""

from __future__ import annotations

import numpy as np

from turnsmith import drawing
from turnsmith.game import OVER
from turnsmith.games.trails.rules import STEPS, legal, lives, to_move

seat_colors = ("#d1495b", "#30638e", "#edae49", "#3d7a4d")
WALL = "#8a8378"


def _at(place):
    return place & 7, place >> 3


def words(board, state, action):
    return drawing.cell_name(*_at(int(state.heads[state.seat]) + STEPS[action]))


def ending(board, state):
    return f"seat {int(state.won) - 1} is the last that can move"


def _walls(board, state):
    cells = [(x, y) for y in range(board.side) for x in range(board.side)]
    return [(x, y) for x, y in cells if int(state.walls) >> (8 * y + x) & 1]


def _heads(board, state):
    return {_at(int(state.heads[seat])): seat for seat in range(board.seats) if lives(state, seat)}


def text(board, state):
    colors = ("red", "blue", "yellow", "green")
    signs = dict.fromkeys(_walls(board, state), "[dim]#[/]")
    signs |= {at: f"[bold {colors[seat]}]{seat}[/]" for at, seat in _heads(board, state).items()}
    return drawing.board_text(int(board.side), int(board.side), signs)


def picture(board, state):
    free, size = {}, int(board.side)
    if to_move(board, state) != OVER:
        out = np.zeros(4, np.int32)
        names = [words(board, state, int(action)) for action in out[: legal(board, state, out)]]
        places = {drawing.cell_name(x, y): (x, y) for x in range(size) for y in range(size)}
        free = {places[name]: name for name in names}
    stones = {at: seat_colors[seat] for at, seat in _heads(board, state).items()}
    return drawing.board_svg(size, size, stones, free, grounds=dict.fromkeys(_walls(board, state), WALL))
