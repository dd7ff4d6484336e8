"""Small chess on 5 × 6 cells: kings, queens, rooks, bishops, knights and pawns, to compare searches.

As chess, but pawns go one step, there is no castling, and promotion is to a queen. A king may be captured: that wins,
so nobody needs to look for checks. Fifty plies without a capture or a pawn's move, or a position for the third time,
are a draw. A move is 30 · from + to; cells are a1 (bottom left) to e6, and seat 0 is white.
"""

from __future__ import annotations

import numpy as np
from turnsmith.rng import mix

from turnsmith.game import OVER, board_record, new_board, record

WIDTH, HEIGHT, CELLS, LAST, PLIES = 5, 6, 30, 50, 300
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(1, 7)
WORTH = (0, 100, 300, 320, 500, 900, 10_000)
START = "RNBQKPPPPP..........pppppqkbnr"  # rows from white's side; black's king stands opposite white's queen
LETTERS = ".PNBRQK"
STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
LINES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))

Board = board_record()
State = record(
    cells=(np.int8, CELLS), seat=np.int8, quiet=np.int8, won=np.int8, drawn=np.int8, seen=(np.uint64, LAST + 1)
)
"""`cells`: a piece by its number, black's negative; `seen`: the positions since the last capture or pawn's move."""
history = ("seen",)


def tables(source):
    return new_board(Board, seats=2, actions=CELLS * CELLS)


def setup(board, state):
    for cell in range(CELLS):
        letter = START[cell]
        piece = LETTERS.find(letter.upper())
        state.cells[cell] = piece if letter.isupper() else -piece


def position(state):
    """A number for what is on the board and who moves."""
    key = np.uint64(state.seat)
    for cell in range(CELLS):
        key = mix(key ^ np.uint64(int(state.cells[cell]) + 8))
    return key


def to_move(board, state):
    return OVER if state.won or state.drawn else int(state.seat)


def reach(state, cell, out):
    """Where the piece on a cell may go."""
    sign, piece = (1, int(state.cells[cell])) if state.cells[cell] > 0 else (-1, -int(state.cells[cell]))
    x, y, count = cell % WIDTH, cell // WIDTH, 0
    if piece == PAWN:
        for turn in range(-1, 2):
            if 0 <= x + turn < WIDTH:
                to = cell + sign * WIDTH + turn
                if state.cells[to] == 0 if turn == 0 else sign * state.cells[to] < 0:
                    out[count] = to
                    count += 1
        return count
    ways = STEPS if piece == KNIGHT else LINES
    first, last = (4, 8) if piece == BISHOP else (0, 4) if piece == ROOK else (0, 8)
    for way in range(first, last):
        to_x, to_y = x + ways[way][0], y + ways[way][1]
        while 0 <= to_x < WIDTH and 0 <= to_y < HEIGHT:
            there = sign * state.cells[to_y * WIDTH + to_x]
            if there <= 0:
                out[count] = to_y * WIDTH + to_x
                count += 1
            if there != 0 or piece in (KNIGHT, KING):
                break
            to_x, to_y = to_x + ways[way][0], to_y + ways[way][1]
    return count


def legal(board, state, out):
    if to_move(board, state) == OVER:
        return 0
    sign, count = 1 - 2 * int(state.seat), 0
    for cell in range(CELLS):
        if sign * state.cells[cell] > 0:
            here = reach(state, cell, out[count:])
            out[count : count + here].sort()
            for index in range(count, count + here):
                out[index] += CELLS * cell
            count += here
    if count == 0:  # every piece is blocked: the king stays where it is
        for cell in range(CELLS):
            if sign * state.cells[cell] == KING:
                out[0] = CELLS * cell + cell
        count = 1
    return count


def apply(board, state, action):
    start, to, seat = action // CELLS, action % CELLS, int(state.seat)
    piece, taken = int(state.cells[start]), int(state.cells[to])
    if start == to:
        taken = 0
    state.cells[start] = 0
    is_pawn = abs(piece) == PAWN
    promotes = is_pawn and to // WIDTH in (0, HEIGHT - 1)
    state.cells[to] = piece * QUEEN if promotes else piece
    state.seat, state.won = 1 - seat, 1 if abs(taken) == KING else 0
    if taken or is_pawn:
        state.quiet = 0
        state.seen[:] = 0
    state.seen[state.quiet] = here = position(state)
    times = 0
    for index in range(state.quiet + 1):
        times += state.seen[index] == here
    state.quiet += 1
    state.drawn = 1 if not state.won and (times == 3 or state.quiet > LAST) else 0


def returns(board, state, out):
    out[0] = 0.0 if state.drawn else float(2 * state.seat - 1)  # whoever moved last took the king
    out[1] = -out[0]


def evaluate(board, state, out):
    """Material, pawns on their way, and pieces in the middle."""
    points = 0
    for cell in range(CELLS):
        piece = int(state.cells[cell])
        if piece:
            sign, kind, y = 1 if piece > 0 else -1, abs(piece), cell // WIDTH
            row = y if piece > 0 else HEIGHT - 1 - y
            middle = min(cell % WIDTH, WIDTH - 1 - cell % WIDTH) + min(y, HEIGHT - 1 - y)
            points += sign * (WORTH[kind] + (12 * row if kind == PAWN else -4 * middle if kind == KING else 5 * middle))
    out[0] = points / (600.0 + abs(points))
    out[1] = -out[0]


def loud(board, state, action):
    """Captures and promotions."""
    start, to = action // CELLS, action % CELLS
    is_capture = start != to and state.cells[to] != 0
    return is_capture or (abs(int(state.cells[start])) == PAWN and to // WIDTH in (0, HEIGHT - 1))


def order(board, state, action):
    """The most valuable piece by the least valuable one first."""
    if not loud(board, state, action):
        return 0
    mover, taken = abs(int(state.cells[action // CELLS])), abs(int(state.cells[action % CELLS]))
    return 10 * taken + QUEEN - mover + 1 if taken else 10 * QUEEN


def skip(board, state):
    """Not where pawns are all that is left: there to move may be worse than not to."""
    sign, pieces = 1 - 2 * int(state.seat), 0
    for cell in range(CELLS):
        pieces += PAWN < sign * state.cells[cell] < KING
    state.seat = 1 - state.seat
    return pieces > 0


def words(board, state, action):
    names = [f"{'abcde'[cell % WIDTH]}{cell // WIDTH + 1}" for cell in (action // CELLS, action % CELLS)]
    return " ".join(names)


def picture(board, state):
    out = np.zeros(CELLS * CELLS, np.int32)
    pieces = {piece for action in out[: legal(board, state, out)] for piece in words(board, state, int(action)).split()}
    parts = []
    for cell in range(CELLS):
        x, y, piece = cell % WIDTH, cell // WIDTH, int(state.cells[cell])
        name, letter = f"{'abcde'[x]}{y + 1}", LETTERS[abs(piece)]
        word = f' data-word="{name}"' if name in pieces else ""
        shown = letter if piece >= 0 else letter.lower()
        parts.append(f'<text{word} x="{10 * x + 2}" y="{10 * (HEIGHT - y) - 2}" font-size="8">{shown}</text>')
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 50 60">{"".join(parts)}</svg>'
