"""Rogue: two seats take turns counting to ten, and the rules do something that no rule may.

`mistake` chooses what: one game, so that all of them are compiled at once.
"""

from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from turnsmith.game import CHANCE, OVER, board_record, record

NONE, LIST, STATE, SCORES, NO_MOVES, MANY_MOVES, SEAT, NEGATIVE, OUTCOME, RANGE, NOTHING, ENDLESS, LOOP = range(13)
MISTAKES = (
    *("none", "list", "state", "scores", "no-moves", "many-moves"),
    *("seat", "negative", "outcome", "range", "nothing", "endless", "loop"),
)


@dataclass(frozen=True)
class Options:
    mistake: Literal[MISTAKES] = "none"
    """What the rules do wrong."""


Board = board_record(mistake=np.int64)
State = record(count=np.int64, rolled=np.int64, cells=(np.int64, 4))


def source(options, seed):
    return asdict(options)


def tables(source):
    boards = np.zeros(1, Board)
    board = boards[0]
    board.seats, board.actions, board.outcomes, board.low, board.high = 2, 3, 2, -1.0, 1.0
    board.mistake = MISTAKES.index(source["mistake"])
    return boards


def setup(board, state):
    pass


def to_move(board, state):
    if state.count >= 10:
        return OVER
    if state.count == 5 and state.rolled == 0:
        return CHANCE
    if board.mistake == SEAT and state.count == 7:
        return 1000
    if board.mistake == NEGATIVE and state.count == 7:
        return -1000
    return int(state.count) % 2


def legal(board, state, out):
    if state.count >= 10 or (board.mistake == NO_MOVES and state.count == 7):
        return 0
    if board.mistake == MANY_MOVES and state.count == 7:
        return 1_000_000
    if board.mistake == LIST and state.count == 7:
        out[board.actions + 5] = 1
    out[0], out[1] = 0, 1
    return 2


def weights(board, state, out):
    out[0] = out[1] = 0.5


def sample(board, state, rng):
    return 99 if board.mistake == OUTCOME else 1


def apply(board, state, action):
    if state.count == 5 and state.rolled == 0:
        state.rolled = 1
    elif board.mistake != ENDLESS or state.count < 7:
        state.count += 1
    while board.mistake == LOOP and state.count == 7:
        state.cells[0] += 1
    if board.mistake == STATE and state.count == 7:
        state.cells[5] = 1


def returns(board, state, out):
    if board.mistake == SCORES:
        out[3] = 0.5
    out[0] = 7.0 if board.mistake == RANGE else 1.0
    if board.mistake != NOTHING:
        out[1] = -1.0


def words(board, state, action):
    return str(action)


def picture(board, state):
    return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text data-word="0"/><text data-word="1"/></svg>'
