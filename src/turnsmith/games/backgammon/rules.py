"""The rules of backgammon: dice are chance, and a turn is a step for each of them."""

from dataclasses import dataclass

import numpy as np

from turnsmith.common.settings import setting
from turnsmith.compile.kernel import copy, scratch
from turnsmith.contract import sources
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.contract.records import board_record, new_board, record

CHECKERS, BAR, OFF, PASS = 15, 25, 0, 0
START = ((24, 2), (13, 5), (8, 3), (6, 5))
PAIRS = [(high, low) for low in range(1, 7) for high in range(low + 1, 7)]
ROLLS = np.array([*PAIRS, *((double, double) for double in range(1, 7))], np.int8)


@dataclass(frozen=True)
class Options:
    most: int = setting(1, 1, 3)
    """The most points of a win: 2 if the other has none off, 3 if one of theirs is also on the bar or in your home."""


Board = board_record(most=np.int64)
State = record(checkers=(np.int8, (2, 26)), dice=(np.int8, 2), again=np.int8, begun=np.int8, seat=np.int8)
"""`checkers`: of each seat, on its own points; 0 is off, 25 the bar. `dice`: the larger first, 0 when played; `again`:
the number of a double that is to be played a second time."""


def tables(source):
    most = sources.options(source, Options).most
    return new_board(Board, seats=2, actions=2 * BAR + 2, outcomes=30, low=-most, high=most, most=most)


def setup(board, state):
    for seat in range(2):
        for point, count in START:
            state.checkers[seat, point] = count


def to_move(board, state):
    if state.checkers[0, OFF] == CHECKERS or state.checkers[1, OFF] == CHECKERS:
        return OVER
    return int(state.seat) if state.dice[0] or state.dice[1] else CHANCE


def can_step(state, start, die):
    """Whether the seat to move may play a die from a point of its own."""
    own = state.checkers[int(state.seat)]
    if die == 0 or own[start] == 0 or (own[BAR] and start != BAR):
        return False
    if start > die:
        return state.checkers[1 - int(state.seat), BAR - (start - die)] < 2
    behind = 0
    for point in range(7 if start == die else start + 1, BAR):
        behind += own[point]
    return behind == 0


def step(state, start, which):
    """Play a die; whose turn it is stays."""
    seat = int(state.seat)
    end = max(start - int(state.dice[which]), OFF)
    state.checkers[seat, start] -= 1
    state.checkers[seat, end] += 1
    if end > OFF and state.checkers[1 - seat, BAR - end]:
        state.checkers[1 - seat, BAR - end] = 0
        state.checkers[1 - seat, BAR] += 1
    state.dice[which] = 0


def merit(state, start, which):
    """0 for what cannot be played; only steps of the highest merit may be: 3 if the other die can be played after it,
    else 2 for the larger die."""
    if not can_step(state, start, int(state.dice[which])):
        return 0
    if state.dice[1 - which] == 0:
        return 1
    if state.dice[0] == state.dice[1] and which == 1:
        return 0
    after = scratch(1, State)
    copy(after[0], state)
    step(after[0], start, which)
    for point in range(1, BAR + 1):
        if can_step(after[0], point, int(state.dice[1 - which])):
            return 3
    return 2 - which


def legal(board, state, out):
    """A step's number is 2 · point, and 1 more with the smaller die. Outcomes: pairs, then doubles; of the first roll,
    2 · pair + who begins."""
    count, best = 0, 1
    if to_move(board, state) == CHANCE:
        count = 21 if state.begun else 30
        for outcome in range(count):
            out[outcome] = outcome
        return count
    for action in range(2, 2 * BAR + 2):
        found = merit(state, action // 2, action % 2)
        if found > best:
            best, count = found, 0
        if found == best:
            out[count] = action
            count += 1
    out[count] = out[count] if count else PASS
    return 0 if to_move(board, state) == OVER else max(count, 1)


def weights(board, state, out):
    for index in range(21 if state.begun else 30):
        out[index] = (2 if index < 15 else 1) / 36 if state.begun else 1 / 30


def apply(board, state, action):
    if state.dice[0] == 0 and state.dice[1] == 0:
        roll = action if state.begun else action // 2
        state.seat = state.seat if state.begun else action % 2
        state.dice[0], state.dice[1], state.begun = ROLLS[roll, 0], ROLLS[roll, 1], 1
        state.again = state.dice[0] if state.dice[0] == state.dice[1] else 0
        return
    if action == PASS:
        state.dice[0] = state.dice[1] = state.again = 0
    else:
        step(state, action // 2, action % 2)
    if state.dice[0] == 0 and state.dice[1] == 0 and to_move(board, state) != OVER:
        state.dice[0] = state.dice[1] = state.again
        state.seat, state.again = state.seat if state.again else 1 - state.seat, 0


def returns(board, state, out):
    winner = 0 if state.checkers[0, OFF] == CHECKERS else 1
    behind, points = 0, 1
    for point in range(19, BAR + 1):
        behind += state.checkers[1 - winner, point]
    if state.checkers[1 - winner, OFF] == 0:
        points = 3 if behind else 2
    out[winner] = min(points, board.most)
    out[1 - winner] = -out[winner]


def evaluate(board, state, out):
    """By the race: how many points of dice the seats still need."""
    lead = 0
    for point in range(1, BAR + 1):
        lead += point * (int(state.checkers[1, point]) - int(state.checkers[0, point]))
    out[0] = lead / (60.0 + abs(lead))
    out[1] = -out[0]
