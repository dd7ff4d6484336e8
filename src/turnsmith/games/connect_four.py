"""Connect Four: drop stones into columns, four in a row wins.

Two seats take turns; a stone falls to the lowest free cell of its column. Whoever first has `connect` own stones in
a line, across, up or diagonally, wins; a full board is a draw. Columns are called a, b, c, ….

A seat's stones are bits of one number: column x, row y (from the bottom) is bit x·(height + 1) + y, and the spare bit
above each column keeps lines from wrapping around.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from turnsmith import sources
from turnsmith.game import OVER, board_record, record
from turnsmith.rng import below
from turnsmith.texts import setting

ONE = np.uint64(1)


@dataclass(frozen=True)
class Options:
    width: int = setting(7, 2, 10)
    """Columns."""
    height: int = setting(6, 2, 10)
    """Rows; the board needs width · (height + 1) at most 63 bits."""
    connect: int = setting(4, 3, 6)
    """Stones in a line that win."""

    def __post_init__(self) -> None:
        if self.width * (self.height + 1) > 63:
            raise ValueError(
                f"a board of {self.width} x {self.height} does not fit; width * (height + 1) must be at most 63"
            )


Board = board_record(
    width=np.int64,
    height=np.int64,
    connect=np.int64,
    bottom=(np.uint64, 10),
    top=(np.uint64, 10),
    column=(np.uint64, 10),
    steps=(np.uint64, 4),
    cells=(np.uint64, 63),
)
State = record(stones=(np.uint64, 2), ply=np.int64, won=np.int64)
WON = 1


def source(options, seed):
    return asdict(options)


def tables(source):
    options = sources.options(source, Options)
    boards = np.zeros(1, Board)
    board = boards[0]
    board.seats, board.actions, board.outcomes, board.low, board.high = 2, options.width, 0, -1.0, 1.0
    board.width, board.height, board.connect = options.width, options.height, options.connect
    tall = options.height + 1
    board.cells[: options.width * options.height] = [
        1 << (x * tall + y) for x in range(options.width) for y in range(options.height)
    ]
    for x in range(options.width):
        board.bottom[x] = 1 << (x * tall)
        board.top[x] = 1 << (x * tall + options.height - 1)
        board.column[x] = ((1 << options.height) - 1) << (x * tall)
    board.steps[:] = (1, tall, tall - 1, tall + 1)  # up, across, down-right, up-right
    return boards


def setup(board, state):
    pass


def to_move(board, state):
    if state.won or state.ply == board.width * board.height:
        return OVER
    return int(state.ply) & 1


def legal(board, state, out):
    if state.won:
        return 0
    filled = state.stones[0] | state.stones[1]
    count = 0
    for x in range(board.width):
        if not filled & board.top[x]:
            out[count] = x
            count += 1
    return count


def pick(board, state, rng):
    filled = state.stones[0] | state.stones[1]
    x = below(rng, board.width)
    while filled & board.top[x]:
        x = below(rng, board.width)
    return x


def apply(board, state, action):
    seat = int(state.ply) & 1
    filled = state.stones[0] | state.stones[1]
    mine = state.stones[seat] | ((filled + board.bottom[action]) & board.column[action])
    state.stones[seat] = mine
    state.ply += 1
    state.won = has_line(board, mine)


def has_line(board, mine):
    for step in board.steps:
        line = mine
        if board.connect == 4:  # two shifts instead of three
            line &= line >> step
            line &= line >> (step + step)
        else:
            for _ in range(board.connect - 1):
                line &= line >> step  # after k rounds a bit says: k + 1 stones in a row start here
        if line:
            return 1
    return 0


def returns(board, state, out):
    out[0] = 0.0
    out[1] = 0.0
    if state.won:
        last = (int(state.ply) - 1) & 1
        out[last] = 1.0
        out[1 - last] = -1.0


def hash(board, state):
    """Both seats' stones in one number: the own ones, and a bit on top of every column (won and ply follow)."""
    filled = state.stones[0] | state.stones[1]
    base = np.uint64(0)
    for x in range(board.width):
        base |= board.bottom[x]
    return (state.stones[int(state.ply) & 1] + filled + base) * np.uint64(0x9E3779B97F4A7C15)


def ending(board, state):
    return f"{board.connect} in a row" if state.won else "the board is full"


# ---------------------------------------------------------------- for people


def words(board, state, action):
    return "abcdefghij"[action]


def _cell(board, state, x, y):
    bit = np.uint64(1) << np.uint64(x * (int(board.height) + 1) + y)
    return 0 if state.stones[0] & bit else 1 if state.stones[1] & bit else None


def _winning_cells(board, state):
    """The cells of the lines that won."""
    if not state.won:
        return set()
    last = (int(state.ply) - 1) & 1
    size, lines = int(board.connect), set()
    for x in range(board.width):
        for y in range(board.height):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                line = [(x + dx * i, y + dy * i) for i in range(size)]
                inside = all(0 <= a < board.width and 0 <= b < board.height for a, b in line)
                if inside and all(_cell(board, state, a, b) == last for a, b in line):
                    lines.update(line)
    return lines


def text(board, state):
    signs = {None: "[dim]·[/]", 0: "[bold red]●[/]", 1: "[bold yellow]○[/]"}
    rows = [
        " ".join(signs[_cell(board, state, x, y)] for x in range(board.width)) for y in reversed(range(board.height))
    ]
    return "\n".join([*rows, " ".join("abcdefghij"[: board.width])])


seat_colors = ("#d1495b", "#edae49")


def picture(board, state):
    size, width, height = 50, int(board.width), int(board.height)
    won = _winning_cells(board, state)
    playing = to_move(board, state) != OVER
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width * size} {height * size + 24}" '
        f'font-family="sans-serif" font-size="15" text-anchor="middle">',
        f'<rect width="{width * size}" height="{height * size}" rx="10" fill="#ffffff"/>',
    ]
    holes, rings = [], []
    for x in range(width):
        for y in range(height):
            cx, cy, owner = x * size + size // 2, (height - 1 - y) * size + size // 2, _cell(board, state, x, y)
            holes.append(f"M{cx - 20} {cy}a20 20 0 1 0 40 0a20 20 0 1 0-40 0z")
            if owner is not None:  # a new one falls in from above, behind the board
                out.append(
                    f'<circle data-key="stone {x} {y}" data-from="0 {-cy - size // 2}" cx="{cx}" cy="{cy}" r="22" '
                    f'fill="{seat_colors[owner]}"/>'
                )
            if (x, y) in won:
                rings.append(f'<circle cx="{cx}" cy="{cy}" r="20" fill="none" stroke="#ffffff" stroke-width="5"/>')
    frame = f"M10 0h{width * size - 20}a10 10 0 0 1 10 10v{height * size - 20}a10 10 0 0 1-10 10h{20 - width * size}"
    frame += f"a10 10 0 0 1-10-10v{20 - height * size}a10 10 0 0 1 10-10z"
    out.append(f'<path d="{frame}{"".join(holes)}" fill="#30638e" fill-rule="evenodd"/>')
    out += rings
    for x in range(width):
        name = "abcdefghij"[x]
        out.append(f'<text x="{x * size + size // 2}" y="{height * size + 18}" fill="#555555">{name}</text>')
        if playing and _cell(board, state, x, height - 1) is None:
            landing = next(y for y in range(height) if _cell(board, state, x, y) is None)
            cx, cy = x * size + size // 2, (height - 1 - landing) * size + size // 2
            out.append(
                f'<rect data-word="{name}" data-at="{cx} {cy}" '
                f'x="{x * size}" y="0" width="{size}" height="{height * size}" '
                'fill="#ffffff" fill-opacity="0" style="cursor:pointer"/>'
            )
    return "".join(out) + "</svg>"


# ---------------------------------------------------------------- for learners


def feature_names(board):
    cells = [f"{'abcdefghij'[x]}{y + 1}" for x in range(board.width) for y in range(board.height)]
    return [f"{whose} {cell}" for whose in ("own", "other") for cell in cells]


def features(board, view, viewer, out):
    """The viewer's stones, then the other's, column by column."""
    count = board.width * board.height
    for index in range(2):
        stones = view.stones[(viewer + index) & 1]
        for cell in range(count):
            out[index * count + cell] = np.float32(1.0) if stones & board.cells[cell] else np.float32(0.0)
