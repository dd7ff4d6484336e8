"""The rules of Trails. Cells are bits of one number: column x, row y from the top, is bit 8·y + x."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from turnsmith.common.settings import setting
from turnsmith.compile.kernel import popcount
from turnsmith.compile.rng import mix
from turnsmith.contract import sources
from turnsmith.contract.game import OVER
from turnsmith.contract.records import board_record, new_board, record

ONE = np.uint64(1)
SIDE, SEATS = 8, 4
UP, RIGHT, DOWN, LEFT = range(4)
STEPS = (-8, 1, 8, -1)


@dataclass(frozen=True)
class Options:
    players: int = setting(3, 2, SEATS)
    """Seats."""
    size: int = setting(8, 5, SIDE)
    """Rows and columns."""


Board = board_record(side=np.int64, cells=np.uint64, left=np.uint64, right=np.uint64, heads=(np.int8, SEATS))
State = record(walls=np.uint64, heads=(np.int8, SEATS), living=np.int8, seat=np.int8, won=np.int8)
"""`left`, `right`: the cells that have one on that side; `living`: a bit a seat; `won`: 1 + the seat that did, or 0."""


def source(options, seed):
    return asdict(options)


def tables(source):
    options = sources.options(source, Options)
    size, far = options.size, options.size - 2
    corners = {2: [(1, 1), (far, far)], 3: [(1, 1), (far, 1), (size // 2, far)]}
    places = corners.get(options.players, [(1, 1), (far, 1), (far, far), (1, far)])
    heads = [8 * y + x for x, y in places] + [0] * (SEATS - options.players)

    def bits(first, last):
        return sum(1 << (8 * y + x) for y in range(size) for x in range(first, last))

    return new_board(
        Board, seats=options.players, actions=4, low=-1.0 / (options.players - 1), side=size, cells=bits(0, size),
        left=bits(1, size), right=bits(0, size - 1), heads=heads,
    )  # fmt: skip


def setup(board, state):
    for seat in range(board.seats):
        state.heads[seat] = board.heads[seat]
        state.walls |= ONE << np.uint64(board.heads[seat])
        state.living |= 1 << seat


def to_move(board, state):
    return OVER if state.won else int(state.seat)


def around(board, bits):
    """The cells beside these."""
    sideways = ((bits & board.right) << ONE) | ((bits & board.left) >> ONE)
    return (sideways | (bits << np.uint64(8)) | (bits >> np.uint64(8))) & board.cells


def head_of(state, seat):
    return ONE << np.uint64(state.heads[seat])


def lives(state, seat):
    return (int(state.living) >> seat) & 1 == 1


def legal(board, state, out):
    if state.won:
        return 0
    free = around(board, head_of(state, state.seat)) & ~state.walls
    count = 0
    for action in range(4):
        if (free >> np.uint64((int(state.heads[state.seat]) + STEPS[action]) & 63)) & ONE:
            out[count] = action
            count += 1
    return count


def apply(board, state, action):
    state.heads[state.seat] += STEPS[action]
    state.walls |= head_of(state, state.seat)
    while True:  # until somebody can move, or has won
        state.seat = (state.seat + 1) % board.seats
        if lives(state, int(state.seat)):
            if popcount(np.uint64(state.living)) == 1:
                state.won = state.seat + 1
                break
            if around(board, head_of(state, state.seat)) & ~state.walls:
                break
            state.living &= ~(1 << int(state.seat))


def returns(board, state, out):
    for seat in range(board.seats):
        out[seat] = 1.0 if state.won == seat + 1 else board.low


def hash(board, state):
    """Where those who are out stopped does not matter."""
    key = mix(state.walls) ^ np.uint64(int(state.living) * 64 + int(state.seat) * 8 + int(state.won))
    for seat in range(board.seats):
        key = mix(key) ^ np.uint64(int(state.heads[seat]) if lives(state, seat) else 64)
    return mix(key)


# ---------------------------------------------------------------- who is nearest


def nearest(board, state, near):
    """Fill near[seat], bits, with the cells that each seat can be the first to come to."""
    free, grows = board.cells & ~state.walls, True
    for seat in range(board.seats):
        near[seat] = head_of(state, seat) if lives(state, seat) else np.uint64(0)
    while grows:
        grows = False
        for turn in range(board.seats):
            seat = (int(state.seat) + turn) % board.seats
            more = around(board, near[seat]) & free
            free &= ~more
            near[seat] |= more
            grows = grows or more != np.uint64(0)


def evaluate(board, state, out):
    near, total = np.zeros(SEATS, np.uint64), 0.0
    nearest(board, state, near)
    for seat in range(board.seats):
        out[seat] = float(popcount(near[seat]))
        total += out[seat]
    for seat in range(board.seats):
        out[seat] = board.low + 0.98 * (1.0 - board.low) * out[seat] / total


# ---------------------------------------------------------------- for learners


def feature_names(board):
    cells = [f"{'abcdefgh'[x]}{y + 1}" for y in range(board.side) for x in range(board.side)]
    seats = ["own", *(f"{number}. next" for number in range(1, int(board.seats)))]
    what = ["wall at {}", *(f"{who} head at {{}}" for who in seats), *(f"{who} first at {{}}" for who in seats)]
    return [each.format(cell) for each in what for cell in cells] + [f"{who} lives" for who in seats]


def features(board, view, viewer, out):
    """Walls; from the viewer's seat on, the head of each, the cells it is nearest to, and whether it lives."""
    near, size, seats = np.zeros(SEATS, np.uint64), int(board.side), int(board.seats)
    nearest(board, view, near)
    count = size * size
    write_cells(board, view.walls, out[:count])
    for turn in range(seats):
        seat = (viewer + turn) % seats
        here = lives(view, seat)
        write_cells(board, head_of(view, seat) if here else np.uint64(0), out[(1 + turn) * count : (2 + turn) * count])
        write_cells(board, near[seat], out[(1 + seats + turn) * count : (2 + seats + turn) * count])
        out[(1 + 2 * seats) * count + turn] = 1.0 if here else 0.0


def write_cells(board, bits, out):
    place = 0
    for y in range(board.side):
        for x in range(board.side):
            out[place] = np.float32((bits >> np.uint64(8 * y + x)) & ONE)
            place += 1


def symmetries(board):
    return 8


def turned(board, symmetry, x, y):
    """Where a cell lies after mirroring left and right, up and down, and along the diagonal."""
    last = int(board.side) - 1
    x, y = (last - x if symmetry & 1 else x), (last - y if symmetry & 2 else y)
    return (y, x) if symmetry & 4 else (x, y)


def reflect(board, state, symmetry, out):
    out.living, out.seat, out.won, walls = state.living, state.seat, state.won, np.uint64(0)
    for y in range(board.side):
        for x in range(board.side):
            if (state.walls >> np.uint64(8 * y + x)) & ONE:
                there = turned(board, symmetry, x, y)
                walls |= ONE << np.uint64(8 * there[1] + there[0])
    out.walls = walls
    for seat in range(board.seats):
        there = turned(board, symmetry, int(state.heads[seat]) & 7, int(state.heads[seat]) >> 3)
        out.heads[seat] = 8 * there[1] + there[0]


def reflect_action(board, state, symmetry, action):
    if symmetry & 1 and action in (RIGHT, LEFT):
        action = RIGHT + LEFT - action
    if symmetry & 2 and action in (UP, DOWN):
        action = UP + DOWN - action
    return 3 - action if symmetry & 4 else action
