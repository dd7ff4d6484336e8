"""The rules of Connect Four."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from turnsmith.common.settings import setting
from turnsmith.compile.kernel import lowest_bit, popcount
from turnsmith.compile.rng import below
from turnsmith.contract import sources
from turnsmith.contract.game import OVER
from turnsmith.contract.records import board_record, record
from turnsmith.languages import _

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
            told = _("a board of {width} x {height} does not fit; width * (height + 1) must be at most 63")
            raise ValueError(told.format(width=self.width, height=self.height))


Board = board_record(
    width=np.int64,
    height=np.int64,
    connect=np.int64,
    bottom=(np.uint64, 10),
    top=(np.uint64, 10),
    column=(np.uint64, 10),
    steps=(np.uint64, 4),
    cells=(np.uint64, 63),
    inside=np.uint64,
    floor=np.uint64,
    odd=np.uint64,
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
    board.cells[: options.width * options.height] = [  # as they are read: the top row first
        1 << (x * tall + y) for y in reversed(range(options.height)) for x in range(options.width)
    ]
    for x in range(options.width):
        board.bottom[x] = 1 << (x * tall)
        board.top[x] = 1 << (x * tall + options.height - 1)
        board.column[x] = ((1 << options.height) - 1) << (x * tall)
    board.inside, board.floor = np.bitwise_or.reduce(board.column), np.bitwise_or.reduce(board.bottom)
    for y in range(0, options.height, 2):
        board.odd |= board.floor << np.uint64(y)
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


def win(board, state):
    """The least column that completes a line."""
    mine, filled = state.stones[int(state.ply) & 1], state.stones[0] | state.stones[1]
    at_hand = (filled + board.floor) & board.inside
    if board.connect == 4:
        fours = winning_cells(mine, at_hand, board.height + 1)
        return np.int64(np.uint64(lowest_bit(fours)) // board.steps[1]) if fours else np.int64(-1)
    for x in range(board.width):
        cell = at_hand & board.column[x]
        if cell and has_line(board, mine | cell):
            return np.int64(x)
    return np.int64(-1)


def has_line(board, mine):
    found = np.uint64(0)
    if board.connect == 4:  # two shifts instead of three
        for step in board.steps:
            pairs = mine & (mine >> step)
            found |= pairs & (pairs >> (step + step))
    else:
        for step in board.steps:
            line = mine
            for _ in range(board.connect - 1):
                line &= line >> step  # after k rounds a bit says: k + 1 stones in a row start here
            found |= line
    return 1 if found else 0


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


def winning_cells(mine, free, tall):
    """The cells of `free` where one more stone completes a line of four."""
    found = (mine << np.uint64(1)) & (mine << np.uint64(2)) & (mine << np.uint64(3))
    for step in (tall - 1, tall, tall + 1):
        one, two, three = np.uint64(step), np.uint64(2 * step), np.uint64(3 * step)
        pair = (mine << one) & (mine << two)
        found |= pair & ((mine << three) | (mine >> one))
        pair = (mine >> one) & (mine >> two)
        found |= pair & ((mine >> three) | (mine << one))
    return found & free


# ---------------------------------------------------------------- evaluation

OPEN, RIGHT, WRONG = 0.03, 0.35, 0.2
SURE, DOUBLE = 0.95, 0.9


def evaluate(board, state, out):
    """Threats, as players count them: empty cells where a seat's stone would complete four.

    One that can be filled at once wins for the seat to move; two of the other's cannot both be parried. Any other
    threat counts RIGHT if it is in a row that falls to its owner when the board fills up from below, odd rows to seat
    0, even rows to seat 1, else WRONG; and nothing above a threat of the other, where it will never be filled. Each
    line of four in which the other has no stone yet counts OPEN. The weights fit the exact values of random positions.
    """
    out[0] = 0.0
    if board.connect == 4:
        tall, mover = board.height + 1, state.ply & 1
        filled = state.stones[0] | state.stones[1]
        first = winning_cells(state.stones[0], board.inside ^ filled, tall)
        second = winning_cells(state.stones[1], board.inside ^ filled, tall)
        at_hand = (filled + board.floor) & board.inside
        own, other = (second, first) if mover else (first, second)
        parries = other & at_hand
        if own & at_hand:
            out[0] = SURE - 2.0 * SURE * mover
        elif parries & (parries - ONE):
            out[0] = 2.0 * DOUBLE * mover - DOUBLE
        else:
            lines = open_lines(board, state.stones[1]) - open_lines(board, state.stones[0])
            threats = worth(board, first, second, board.odd) - worth(board, second, first, ~board.odd)
            out[0] = min(max(OPEN * lines + threats, -DOUBLE), DOUBLE)
    out[1] = -out[0]


def open_lines(board, theirs):
    """How many lines of four have none of their stones."""
    count, cells = 0, board.inside & ~theirs
    for step in board.steps:
        pairs = cells & (cells >> step)
        count += np.int64(popcount(pairs & (pairs >> (step + step))))
    return count


def worth(board, mine, theirs, right):
    """What my threats count, without those above one of theirs; `right`: the rows that fall to me."""
    for x in range(board.width):
        lowest = theirs & board.column[x]
        lowest &= ~lowest + ONE
        if lowest:
            mine &= lowest - ONE | ~board.column[x]
    return RIGHT * np.float64(popcount(mine & right)) + WRONG * np.float64(popcount(mine & ~right))


def ending(board, state):
    return _("{} in a row").format(int(board.connect)) if state.won else _("the board is full")


# ---------------------------------------------------------------- for learners


def feature_names(board):
    cells = [f"{'abcdefghij'[x]}{y + 1}" for y in reversed(range(board.height)) for x in range(board.width)]
    what = ("own {}", "other {}", "own four at {}", "other four at {}")
    return [*(each.format(cell) for each in what for cell in cells), "began", "four at once", "fork"]


def features(board, view, viewer, out):
    """The viewer's stones, then the other's; the empty cells where each would complete four; whether the viewer began,
    as rows fall to the seats by turns; whether it can complete four at once, and the other at two cells."""
    count = board.width * board.height
    own, other = view.stones[viewer & 1], view.stones[(viewer + 1) & 1]
    free, tall = board.inside ^ (own | other), board.height + 1
    write_cells(board, own, out[:count])
    write_cells(board, other, out[count : 2 * count])
    mine, theirs = np.uint64(0), np.uint64(0)
    if board.connect == 4:
        mine, theirs = winning_cells(own, free, tall), winning_cells(other, free, tall)
    write_cells(board, mine, out[2 * count : 3 * count])
    write_cells(board, theirs, out[3 * count : 4 * count])
    at_hand = ((own | other) + board.floor) & board.inside
    forks = theirs & at_hand
    out[4 * count] = np.float32(1.0) if viewer == 0 else np.float32(0.0)
    out[4 * count + 1] = np.float32(1.0) if mine & at_hand else np.float32(0.0)
    out[4 * count + 2] = np.float32(1.0) if forks & (forks - ONE) else np.float32(0.0)


def write_cells(board, cells, out):
    """1 for each cell of a set, the top row first."""
    for cell in range(out.shape[0]):
        out[cell] = 1 if cells & board.cells[cell] else 0


def plane_names(board):
    return ["own", "other"]


def plane_shape(board):
    return int(board.height), int(board.width)


def planes(board, view, viewer, out):
    """The viewer's stones, then the other's, the top row first."""
    own, other = view.stones[viewer & 1], view.stones[(viewer + 1) & 1]
    for y in range(board.height):
        cells, mine, theirs = board.cells[y * board.width :], out[0, y], out[1, y]
        for x in range(board.width):
            mine[x] = 1 if own & cells[x] else 0
            theirs[x] = 1 if other & cells[x] else 0


def symmetries(board):
    return 2


def reflect(board, state, symmetry, out):
    """The mirror image: left is right."""
    out.ply, out.won = state.ply, state.won
    for seat in range(2):
        out.stones[seat] = mirrored(board, state.stones[seat])


def mirrored(board, stones):
    tall, turned = np.uint64(board.height + 1), np.uint64(0)
    low = (ONE << tall) - ONE
    for _column in range(board.width):
        turned = (turned << tall) | (stones & low)
        stones >>= tall
    return turned


def reflect_action(board, state, symmetry, action):
    return board.width - 1 - action
