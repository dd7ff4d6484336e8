"""The net of the original study: who wins, from 499 numbers of a position of four players on at most 30 areas.

The numbers are, in order: 435 bits, one a pair of areas (0, 1), (0, 2) … (28, 29), set where they touch; the 30 owners,
1 to 4 and 0 where there is no area; the 30 counts of dice; the four largest regions. A hidden layer of 64, one of 32,
and the chances of the four seats.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import scratch
from turnsmith.nets.dense import add_rows, dense, flat, read_onnx, relu, softmax_into
from turnsmith.nets.files import until_changed

AREAS, SEATS = 30, 4
PAIRS = AREAS * (AREAS - 1) // 2
CHANGING = 2 * AREAS + SEATS
INPUTS = PAIRS + CHANGING
WIDTH, SECOND = 64, 32
SIZES = (INPUTS, WIDTH, SECOND, SEATS)
SHIPPED = Path(__file__).parent / "net.onnx"


def pair(one, other):
    """The place of the bit for areas one < other."""
    return one * (2 * AREAS - one - 1) // 2 + other - one - 1


def describe_board(board, bits):
    """Set the bits (PAIRS of any type) of the areas that touch."""
    for place in range(PAIRS):
        bits[place] = 0
    for edge in range(board.edges):
        one, other = np.int64(board.source[edge]), np.int64(board.target[edge])
        if one < other:
            bits[pair(one, other)] = 1


def describe_state(board, state, numbers):
    """Owners, dice and largest regions: numbers[:CHANGING], of any type."""
    for area in range(AREAS):
        is_there = area < board.areas
        numbers[area] = state.owner[area] + 1 if is_there else 0
        numbers[AREAS + area] = state.dice[area] if is_there else 0
    for seat in range(SEATS):
        numbers[2 * AREAS + seat] = state.score[seat]


# ---------------------------------------------------------------- while playing, compiled


def begin(board, weights, board_part):
    """What the board alone adds to the first layer, float32[WIDTH]: the same all through a match."""
    bits = scratch(PAIRS, np.float32)
    describe_board(board, bits)
    for column in range(WIDTH):
        board_part[column] = weights[INPUTS * WIDTH + column]
    add_rows(weights, 0, bits, board_part)


def chances(board, state, weights, board_part, out):
    """The chance of every seat to win, float64[SEATS]."""
    numbers, first = scratch(CHANGING, np.float32), scratch(WIDTH, np.float32)
    second, last = scratch(SECOND, np.float32), scratch(SEATS, np.float32)
    describe_state(board, state, numbers)
    for column in range(WIDTH):
        first[column] = board_part[column]
    add_rows(weights, PAIRS * WIDTH, numbers, first)
    relu(first)
    begin_of_last = dense(weights, (INPUTS + 1) * WIDTH, first, second)
    relu(second)
    dense(weights, begin_of_last, second, last)
    softmax_into(last, out)


def numbers(file: str = "") -> Array:
    """All numbers of a net, the shipped one if no file is named, as bytes for compiled code."""
    return _numbers_in(Path(file) if file else SHIPPED)


@until_changed
def _numbers_in(file: Path) -> Array:
    layers = read_onnx(file)
    sizes = (len(layers[0][0]), *(len(biases) for _, biases in layers))
    if sizes != SIZES:
        raise BadInput(f"{file} has layers of {sizes}, but maxn-net plays with {SIZES}; train one with --inputs all")
    return flat(layers).view(np.uint8)
