"""Trails for people: words, the board in a terminal, the picture."""

from __future__ import annotations

from turnsmith.contract import drawing
from turnsmith.games.trails.rules import STEPS, legal, lives
from turnsmith.languages import _, player_name

lesson = (
    ("Everybody has one head, and moves it one cell in turn.", ()),
    ("Where a head has been, a wall stays, for all.", ("b1", "g1", "e6", "c1", "h1", "e5")),
    ("Who has no free cell beside them is out.", ("b1", "g1", "e6", "a1", "h1", "e5", "a2", "h2")),
    ("The last one left wins: keep more room than the others.", ("c2", "f2", "e6", "d2", "e2", "e5")),
    ("Click a free cell beside your head.", ()),
)
seat_colors = ("#d1495b", "#30638e", "#edae49", "#3d7a4d")


def _at(place):
    return place & 7, place >> 3


def words(board, state, action):
    return drawing.cell_name(*_at(int(state.heads[state.seat]) + STEPS[action]))


def ending(board, state):
    return _("{} is the last that can move").format(player_name(state.won - 1))


def _walls(board, state):
    cells = [(x, y) for y in range(board.side) for x in range(board.side)]
    return [(x, y) for x, y in cells if int(state.walls) >> (8 * y + x) & 1]


def _heads(board, state):
    return {_at(int(state.heads[seat])): seat for seat in range(board.seats) if lives(state, seat)}


def text(board, state):
    colors = ("red", "blue", "yellow", "green")
    signs = dict.fromkeys(_walls(board, state), "[dim]#[/]")
    signs |= {at: f"[bold {colors[seat]}]{seat + 1}[/]" for at, seat in _heads(board, state).items()}
    return drawing.board_text(int(board.side), int(board.side), signs)


def picture(board, state):
    stones = {at: seat_colors[seat] for at, seat in _heads(board, state).items()}
    pieces = drawing.pieces(legal, words, board, state)
    return drawing.board_svg(int(board.side), int(board.side), stones, pieces, walls=_walls(board, state))
