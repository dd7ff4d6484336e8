"""Thicket: a game made of random numbers, to compare searches with plain recursion.

From a place in a layer every way leads on to some place one or two layers deeper, so that many ways meet and at
different lengths; some places are ends, all in the last layer are. With cycles, some ways lead back to the start.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from turnsmith.rng import mix

from turnsmith import sources
from turnsmith.game import CHANCE, OVER, board_record, record


@dataclass(frozen=True)
class Options:
    thicket: int = 0
    """Which one of them."""
    seats: int = 2
    """Seats, 1 to 4."""
    opposed: bool = True
    """Whether the returns of two seats add up to 0."""
    chance: bool = False
    """Whether chance moves at a third of the places."""
    cycles: bool = False
    """Whether ways lead back to the start."""
    layers: int = 9
    places: int = 12
    branches: int = 4
    """The most ways from a place."""


Board = board_record(
    thicket=np.int64,
    opposed=np.int64,
    chance=np.int64,
    cycles=np.int64,
    layers=np.int64,
    places=np.int64,
    branches=np.int64,
)
State = record(layer=np.int64, place=np.int64)
MOVER, END, COUNT, WAY, RETURN, GUESS = range(6)


def source(options, seed):
    return asdict(options)


def tables(source):
    options = sources.options(source, Options)
    boards = np.zeros(1, Board)
    board = boards[0]
    board.seats, board.actions, board.low, board.high = options.seats, options.branches, -1.0, 1.0
    board.outcomes = options.branches if options.chance else 0
    board.thicket, board.layers, board.places, board.branches = (
        options.thicket, options.layers, options.places, options.branches,
    )  # fmt: skip
    board.opposed, board.chance, board.cycles = int(options.opposed), int(options.chance), int(options.cycles)
    return boards


def setup(board, state):
    pass


def number(board, state, what, below):
    """A random whole number that belongs to this place."""
    key = mix(np.uint64(board.thicket) * np.uint64(6) + np.uint64(what % 6))
    key = mix(key ^ mix(np.uint64(state.layer) * np.uint64(1000) + np.uint64(state.place)) ^ np.uint64(what // 6))
    return np.int64((key >> np.uint64(32)) % np.uint64(below))


def to_move(board, state):
    if state.layer >= board.layers or (state.layer > 1 and number(board, state, END, 8) == 0):
        return OVER
    if board.chance and state.layer > 0 and number(board, state, MOVER, 3) == 0:
        return CHANCE
    return number(board, state, MOVER, 1000) % int(board.seats)


def legal(board, state, out):
    if to_move(board, state) == OVER:
        return 0
    count = 1 + number(board, state, COUNT, board.branches)
    for way in range(count):
        out[way] = way
    return count


def weights(board, state, out):
    count = 1 + number(board, state, COUNT, board.branches)
    for way in range(count):
        out[way] = 2.0 * (way + 1) / (count * (count + 1))


def apply(board, state, action):
    way = number(board, state, WAY + 6 * (action + 1), 1 << 20)
    if board.cycles and way % 5 == 0:
        state.layer = 0
        state.place = 0
    else:
        state.layer += 1 + (way >> 4) % 2
        state.place = (way >> 8) % board.places


def returns(board, state, out):
    for seat in range(board.seats):
        out[seat] = number(board, state, RETURN + 6 * seat, 9) / 4.0 - 1.0
    if board.seats == 2 and board.opposed:
        out[1] = -out[0]


def evaluate(board, state, out):
    for seat in range(board.seats):
        out[seat] = number(board, state, GUESS + 6 * seat, 2001) / 1000.0 - 1.0
    if board.seats == 2 and board.opposed:
        out[1] = -out[0]


def words(board, state, action):
    return str(action)


def picture(board, state):
    ways = range(legal(board, state, np.zeros(board.branches, np.int32)))
    texts = [f'<text data-word="{way}" x="{20 * way}" y="20">{way}</text>' for way in ways]
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {20 * board.branches} 30">{"".join(texts)}</svg>'
