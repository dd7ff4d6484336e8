"""Couriers: joint moves of two units, chosen by both seats at once.

Each seat sends its couriers to three doors, no two of its own to the same one; seat 0's choice stays hidden until seat
1 has chosen too. Then chance opens a door: a courier who waits there scores and goes home. After two rounds, or when a
seat has nobody left, the higher score wins.
"""

from __future__ import annotations

import numpy as np
from turnsmith.rng import below

from turnsmith import sources
from turnsmith.game import CHANCE, OVER, board_record, record

ROUNDS = 2

# `choice` is a joint move counted from 1; 0 is not there, or not to be seen.
Board = board_record(doors=np.int64)
State = record(choice=(np.int8, 2), committed=np.int8, couriers=(np.int8, 2), rounds=np.int8, scores=(np.int8, 2))


def source(options, seed):
    return {"doors": 3}


def tables(source):
    boards = np.zeros(1, Board)
    board = boards[0]
    board.seats, board.low, board.high, board.doors = 2, -1.0, 1.0, sources.whole(source, "doors", 2, 5)
    board.actions = board.outcomes = board.doors**2
    return boards


def setup(board, state):
    state.couriers[0] = state.couriers[1] = 2


def to_move(board, state):
    if state.rounds == ROUNDS or state.couriers[0] == 0 or state.couriers[1] == 0:
        return OVER
    return CHANCE if state.committed == 2 else int(state.committed)


def legal(board, state, out):
    mover = to_move(board, state)
    if mover == OVER:
        return 0
    doors = int(board.doors)
    if mover == CHANCE or state.couriers[mover] == 1:
        for door in range(doors):
            out[door] = door
        return doors
    count = 0
    for first in range(doors):
        for second in range(doors):
            if first != second:
                out[count] = first * doors + second
                count += 1
    return count


def units(board, state):
    return int(state.couriers[int(state.committed)]) if state.committed < 2 else 1


def radix(board):
    return int(board.doors)


def weights(board, state, out):
    for door in range(board.doors):
        out[door] = 1.0 / board.doors


def apply(board, state, action):
    if state.committed < 2:
        state.choice[int(state.committed)] = action + 1
        state.committed += 1
        return
    for seat in range(2):
        if is_at(board, int(state.choice[seat]) - 1, int(state.couriers[seat]), action):
            state.scores[seat] += 1
            state.couriers[seat] -= 1
        state.choice[seat] = 0
    state.committed = 0
    state.rounds += 1


def is_at(board, choice, couriers, door):
    """Whether one of a seat's couriers waits at a door."""
    return choice % board.doors == door or (couriers == 2 and choice // board.doors == door)


def returns(board, state, out):
    out[0] = np.sign(int(state.scores[0]) - int(state.scores[1]))
    out[1] = -out[0]


def evaluate(board, state, out):
    out[0] = (int(state.scores[0]) - int(state.scores[1])) / 2
    out[1] = -out[0]


# ---------------------------------------------------------------- hidden information


def hide(board, state, viewer):
    if viewer == 1 and state.committed == 1:
        state.choice[0] = 0


def fits(board, view, move):
    """Whether a number is a move of seat 0's couriers."""
    return view.couriers[0] == 1 or move // board.doors != move % board.doors


def believe(board, view, viewer, out):
    if viewer == 0 or view.committed != 1:
        out[0] = 0
        return 1
    count = 0
    for move in range(board.doors ** int(view.couriers[0])):
        if fits(board, view, move):
            out[count] = move
            count += 1
    return count


def reveal(board, view, viewer, world):
    if viewer == 1 and view.committed == 1:
        view.choice[0] = world + 1


def resample(board, view, viewer, rng):
    if viewer == 1 and view.committed == 1:
        move = below(rng, board.doors ** int(view.couriers[0]))
        while not fits(board, view, move):
            move = below(rng, board.doors ** int(view.couriers[0]))
        view.choice[0] = move + 1


def rewind(board, state):
    state.choice[0] = state.choice[1] = 0
    state.committed = 0


# ---------------------------------------------------------------- for people


def words(board, state, action):
    count = units(board, state)
    if to_move(board, state) < 0:
        return f"door{action}"
    return " ".join(
        "ab"[unit] + str(action // int(board.doors) ** (count - 1 - unit) % int(board.doors)) for unit in range(count)
    )


def picture(board, state):
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {40 * int(board.doors)} 80">']
    for unit in range(units(board, state) if to_move(board, state) >= 0 else 0):
        for door in range(board.doors):
            out.append(f'<circle data-word="{"ab"[unit]}{door}" cx="{40 * door + 20}" cy="{40 * unit + 20}" r="16"/>')
    return "".join(out) + "</svg>"
