"""Choices: all seats choose at the same time, once.

With `rule=highest` the highest number wins, so the last choice is better than every other whatever the rest do. With
`rule=rock` two seats play rock (0), paper (1), scissors (2), where rock against scissors pays twice: best play is rock
and scissors a quarter of the time each, and paper half of it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
from turnsmith.rng import below

from turnsmith.game import OVER, board_record, record

SEATS = 3
HIDDEN = -1


@dataclass(frozen=True)
class Options:
    rule: Literal["highest", "rock"] = "highest"
    """What the choices bring."""
    seats: int = 2
    """How many choose, 2 or 3."""
    choices: int = 3
    """How many choices there are, 2 to 50."""

    def __post_init__(self) -> None:
        if not (2 <= self.seats <= SEATS and 2 <= self.choices <= 50):
            raise ValueError("seats must be 2 or 3, choices 2 to 50")
        if self.rule == "rock" and (self.seats, self.choices) != (2, 3):
            raise ValueError("rock is for two seats with three choices")


Board = board_record(rock=np.int64)
State = record(chosen=(np.int32, SEATS))
"""0, one more than the choice, or HIDDEN."""


def source(options, seed):
    return asdict(options)


def tables(source):
    options = Options(**source)
    boards = np.zeros(1, Board)
    board = boards[0]
    board.seats, board.actions, board.outcomes = options.seats, options.choices, 0
    board.rock = options.rule == "rock"
    board.low, board.high = (-2.0, 2.0) if board.rock else (0.0, 1.0)
    return boards


def setup(board, state):
    pass


def to_move(board, state):
    for seat in range(board.seats):
        if state.chosen[seat] == 0:
            return seat
    return OVER


def legal(board, state, out):
    if to_move(board, state) == OVER:
        return 0
    for action in range(board.actions):
        out[action] = action
    return int(board.actions)


def apply(board, state, action):
    state.chosen[to_move(board, state)] = action + 1


def returns(board, state, out):
    if board.rock:
        ahead = (int(state.chosen[0]) - int(state.chosen[1])) % 3  # 1: seat 0 beats seat 1
        stake = 2.0 if state.chosen[0] + state.chosen[1] == 4 and ahead != 0 else 1.0
        out[0] = 0.0 if ahead == 0 else stake if ahead == 1 else -stake
        out[1] = -out[0]
        return
    highest, winners = 0, 0
    for seat in range(board.seats):
        if state.chosen[seat] > highest:
            highest, winners = int(state.chosen[seat]), 0
        winners += state.chosen[seat] == highest
    for seat in range(board.seats):
        out[seat] = 1.0 / winners if state.chosen[seat] == highest else 0.0


def hide(board, state, viewer):
    if to_move(board, state) != OVER:
        for seat in range(board.seats):
            if seat != viewer and state.chosen[seat] != 0:
                state.chosen[seat] = HIDDEN


def resample(board, view, viewer, rng):
    for seat in range(board.seats):
        if view.chosen[seat] == HIDDEN:
            view.chosen[seat] = 1 + below(rng, board.actions)


def rewind(board, state):
    if to_move(board, state) != OVER:
        for seat in range(board.seats):
            state.chosen[seat] = 0


def words(board, state, action):
    return str(action)


def picture(board, state):
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" font-size="20">']
    if to_move(board, state) != OVER:
        for action in range(board.actions):
            x, y = 10 + 39 * (action % 10), 60 + 39 * (action // 10)
            out.append(f'<text x="{x}" y="{y}" data-word="{action}">{action}</text>')
    return "".join(out) + "</svg>"
