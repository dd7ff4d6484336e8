"""The rules of Pig."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from turnsmith.common.settings import setting
from turnsmith.compile.rng import below, mix
from turnsmith.contract import sources
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.contract.records import board_record, record
from turnsmith.languages import counted, player_name

SEATS = 10


@dataclass(frozen=True)
class Options:
    target: int = setting(100, 2, 1000)
    """Points that win."""
    sides: int = setting(6, 2, 20)
    """Sides of the die; a 1 always loses the turn."""
    players: int = setting(2, 2, SEATS)
    """Players."""


Board = board_record(target=np.int64, sides=np.int64)
State = record(scores=(np.int16, SEATS), seat=np.int16, turn_total=np.int16, rolling=np.int8, won=np.int8)
seat_fields, seat_values = ("scores",), ("seat",)  # learners see the game from their own seat
ROLL, HOLD = 0, 1


def source(options, seed):
    return asdict(options)


def tables(source):
    options = sources.options(source, Options)
    boards = np.zeros(1, Board)
    board = boards[0]
    board.seats, board.actions, board.outcomes, board.low, board.high = options.players, 2, options.sides, -1.0, 1.0
    board.target, board.sides = options.target, options.sides
    return boards


def setup(board, state):
    pass


def to_move(board, state):
    if state.won:
        return OVER
    return CHANCE if state.rolling else int(state.seat)


def legal(board, state, out):
    """Outcome k is the face k + 1. Holding nothing is not a move: one always rolls first."""
    if state.won:
        return 0
    if state.rolling:
        for face in range(board.sides):
            out[face] = face
        return int(board.sides)
    out[0] = ROLL
    out[1] = HOLD
    return 2 if state.turn_total > 0 else 1


def weights(board, state, out):
    for face in range(board.sides):
        out[face] = 1.0 / board.sides


def sample(board, state, rng):
    return below(rng, board.sides)


def apply(board, state, action):
    if state.rolling:
        state.rolling = 0
        if action == 0:
            pass_on(board, state)
        else:
            state.turn_total += action + 1
    elif action == ROLL:
        state.rolling = 1
    else:
        state.scores[state.seat] += state.turn_total
        if state.scores[state.seat] >= board.target:
            state.won = 1
        else:
            pass_on(board, state)


def pass_on(board, state):
    state.turn_total = 0
    state.seat = (state.seat + 1) % board.seats


def returns(board, state, out):
    for seat in range(board.seats):
        out[seat] = -1.0 / (board.seats - 1)
    if state.won:
        out[state.seat] = 1.0


def hash(board, state):
    """States that differ only in points beyond the target are one, which keeps their number finite."""
    missing = max(int(board.target) - int(state.scores[state.seat]), 0)
    total = min(int(state.turn_total), missing)
    key = np.uint64(total * 64 + int(state.seat) * 4 + int(state.rolling) * 2 + int(state.won))
    for seat in range(board.seats):
        key = mix(key) ^ np.uint64(min(int(state.scores[seat]), int(board.target)))
    return mix(key)


def evaluate(board, state, out):
    """Progress towards the target, a turn's total counting half; the leader's share of the difference."""
    total = 0.0
    for seat in range(board.seats):
        points = float(state.scores[seat]) + (0.5 * state.turn_total if seat == state.seat else 0.0)
        out[seat] = min(1.0, points / board.target)
        total += out[seat]
    for seat in range(board.seats):
        others = (total - out[seat]) / (board.seats - 1)
        out[seat] = 0.9 * (out[seat] - others) if out[seat] > others else 0.9 * (out[seat] - others) / (board.seats - 1)


def ending(board, state):
    points = int(state.scores[state.seat])
    said = counted("{who} reached {points} point", "{who} reached {points} points", points)
    return said.format(who=player_name(state.seat), points=points)
