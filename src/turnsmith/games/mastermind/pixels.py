"""The board as a small picture, a camera's view of it: what players get that see nothing else. Compiled.

It is the page's picture at a quarter of its size, letters and numbers left out. Pegs and pins are pasted from sprites
that were drawn once, smooth at their edges, so a picture takes microseconds. What a bad camera makes of it is
``cameras``.
"""

from __future__ import annotations

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.games.mastermind.codes import COLORS, peg
from turnsmith.games.mastermind.picture import FILLS, HOLE, RED, WHITE, WOOD
from turnsmith.games.mastermind.rules import HIDDEN

PITCH, ROW = 11, 12
"""From peg to peg, and from row to row."""
LEFT, TOP, FOOT, HEADER = 15, 22, 6, 8
"""Where the first peg of the first row is, what is below the last row, and where the secret's pegs are."""
PIN_PITCH, PIN_ROW = 5, 6
PEG_SIDE, PIN_SIDE = 11, 5
"""Sides of sprites."""


def shape_of(pegs: int, tries: int) -> tuple[int, int]:
    """Height and width of a picture."""
    return TOP + ROW * (tries - 1) + ROW // 2 + FOOT, LEFT + PITCH * pegs + PIN_PITCH * -(-pegs // 2) + 2


def rgb(colour: str) -> Array:
    """float64[3]: the numbers of a colour, #rrggbb."""
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], np.float64)


def _disc(side: int, radius: float) -> Array:
    """float64[side, side, 1]: how much of each pixel a disc in the middle covers."""
    fine = (np.arange(16 * side) + 0.5) / 16 - side / 2
    inside = (fine[:, None] ** 2 + fine[None, :] ** 2 <= radius**2).astype(np.float64)
    return np.asarray(inside.reshape(side, 16, side, 16).mean(axis=(1, 3)))[:, :, None]


def _sprite(side: int, fill: str, radius: float, edge: float, ground: str = WOOD) -> Array:
    """uint8[side, 3 · side]: a disc with a dark edge on plain ground."""
    outer, inner = _disc(side, radius + edge), _disc(side, radius)
    drawn = rgb(ground) * (1 - outer) + rgb("#222222") * (outer - inner) + rgb(fill) * inner
    return np.asarray(drawn.round().astype(np.uint8).reshape(side, 3 * side))


PEG_SPRITES = np.stack([*(_sprite(PEG_SIDE, fill, 4.25, 0.25) for fill in FILLS), _sprite(PEG_SIDE, HOLE, 1.5, 0.0)])
"""A peg of every colour, and an empty place."""
SECRET_SPRITES = np.stack(
    [*(_sprite(PEG_SIDE, fill, 4.25, 0.25, HOLE) for fill in FILLS), _sprite(PEG_SIDE, HOLE, 0, 0)]
)
PIN_SPRITES = np.stack([_sprite(PIN_SIDE, fill, 1.6, 0.4) for fill in (HOLE, WHITE, RED)])
GROUND, BAR = rgb(WOOD).astype(np.uint8), rgb(HOLE).astype(np.uint8)


def paste(sprite, out, y, x):
    """Draw a sprite, rows of bytes, around a pixel of a picture of such rows."""
    side = np.uint64(sprite.shape[0])  # unsigned: an index that cannot be negative
    above, left = np.uint64(y) - side // np.uint64(2), np.uint64(3) * (np.uint64(x) - side // np.uint64(2))
    for row in range(side):
        for byte in range(np.uint64(3) * side):
            out[above + row, left + byte] = sprite[row, byte]


def pixels(board, view, out):
    """uint8[height, 3 · width]: what is known of a game, row by row, three bytes a pixel; see ``shape_of``."""
    height, width, pegs = out.shape[0], out.shape[1] // 3, np.int64(board.pegs)
    first, bar = out[0], out[2]
    for byte in range(3 * width):
        first[byte] = GROUND[byte % 3]
        bar[byte] = BAR[byte % 3] if 6 <= byte < 3 * width - 6 else GROUND[byte % 3]
    for y in range(1, height):
        row, ground = out[y], bar if 2 < y < 14 else first
        if y != 2:
            for byte in range(np.uint64(3 * width)):
                row[byte] = ground[byte]
    if view.secret != HIDDEN:
        for place in range(pegs):
            paste(SECRET_SPRITES[peg(board, view.secret, place)], out, HEADER, LEFT + PITCH * place)
    guessed = view.turns + view.asked
    columns = (pegs + 1) // 2
    for turn in range(board.tries):
        y, red, white = TOP + ROW * turn, 0, 0
        for place in range(pegs):
            colour = peg(board, view.guesses[turn], place) if turn < guessed else COLORS
            paste(PEG_SPRITES[colour], out, y, LEFT + PITCH * place)
        if turn < view.turns:
            red, white = board.red[view.answers[turn]], board.white[view.answers[turn]]
        for pin in range(pegs):
            kind = 2 if pin < red else 1 if pin < red + white else 0
            above, column = (-3, pin) if pin < columns else (3, pin - columns)
            paste(PIN_SPRITES[kind], out, y + above, LEFT + PITCH * pegs - 2 + PIN_PITCH * column)


def draw_all(boards, views, out):
    """The kernel for many positions of one board: uint8[views, height, 3 · width]."""
    for number in range(views.shape[0]):
        pixels(boards[0], views[number], out[number])
