"""Shells: find the pea before the other does.

A small game with everything a game can have. Chance hides a pea under one of the shells. In each of two rounds both
seats choose a shell at once: seat 0's choice stays hidden until seat 1 has chosen too, then both shells are lifted.
Whoever finds the pea alone wins. After a round in vain the host goes home one time in four, and nobody wins.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from turnsmith.rng import below
from turnsmith.texts import setting

from turnsmith import sources
from turnsmith.game import CHANCE, OVER, board_record, record

ROUNDS = 2


@dataclass(frozen=True)
class Options:
    shells: int = setting(5, 4, 8)
    """Shells on the table."""


# `pea` and `choice` are shells counted from 1; 0 is not there, or not to be seen.
Board = board_record(shells=np.int64)
State = record(pea=np.int8, placed=np.int8, choice=np.int8, chosen=np.int8, lifted=np.int64, rounds=np.int8,
               parting=np.int8, over=np.int8, found=(np.int8, 2))  # fmt: skip


def source(options, seed):
    return asdict(options)


def tables(source):
    shells = sources.options(source, Options).shells
    boards = np.zeros(1, Board)
    board = boards[0]
    board.seats, board.low, board.high, board.shells = 2, -1.0, 1.0, shells
    board.actions, board.outcomes = shells, shells**2  # room for all pairs of pea and choice
    return boards


def setup(board, state):
    pass


def to_move(board, state):
    if state.over:
        return OVER
    if not state.placed or state.parting:
        return CHANCE
    return int(state.chosen)


def legal(board, state, out):
    if state.over:
        return 0
    if state.parting:
        out[0], out[1] = 0, 1
        return 2
    count = 0
    for shell in range(board.shells):
        if not (int(state.lifted) >> shell) & 1:
            out[count] = shell
            count += 1
    return count


def weights(board, state, out):
    if state.parting:
        out[0], out[1] = 0.75, 0.25
        return
    for shell in range(board.shells):
        out[shell] = 1.0 / board.shells


def sample(board, state, rng):
    if state.parting:
        return 1 if below(rng, 4) == 0 else 0
    return below(rng, board.shells)


def apply(board, state, action):
    if state.parting:
        state.parting = 0
        state.over = action
    elif not state.placed:
        state.pea = action + 1
        state.placed = 1
    elif not state.chosen:
        state.choice = action + 1
        state.chosen = 1
    else:
        state.found[0] = state.choice == state.pea
        state.found[1] = action + 1 == state.pea
        state.lifted |= (1 << (int(state.choice) - 1)) | (1 << action)
        state.choice = 0
        state.chosen = 0
        state.rounds += 1
        if state.found[0] or state.found[1] or state.rounds == ROUNDS:
            state.over = 1
        else:
            state.parting = 1


def returns(board, state, out):
    out[0] = float(state.found[0]) - float(state.found[1])
    out[1] = -out[0]


def hide(board, state, viewer):
    if not state.over:
        state.pea = 0
    if viewer == 1:
        state.choice = 0


def believe(board, view, viewer, out):
    """World pea · shells + choice: the pea under a shell not lifted, and seat 0's open choice among the same."""
    count = 0
    for pea in range(board.shells):
        for choice in range(board.shells if viewer == 1 else 1):
            if not ((int(view.lifted) >> pea) | (int(view.lifted) >> choice if viewer == 1 else 0)) & 1:
                out[count] = pea * board.shells + choice
                count += 1
    return count


def reveal(board, view, viewer, world):
    view.pea = world // board.shells + 1
    if viewer == 1:
        view.choice = world % board.shells + 1


def covered(board, view, rng):
    """A random shell not yet lifted."""
    shell = below(rng, board.shells)
    while (int(view.lifted) >> shell) & 1:
        shell = below(rng, board.shells)
    return shell


def resample(board, view, viewer, rng):
    view.pea = covered(board, view, rng) + 1
    if viewer == 1:
        view.choice = covered(board, view, rng) + 1


def rewind(board, state):
    state.choice = 0
    state.chosen = 0


def evaluate(board, state, out):
    out[0] = 0.0
    out[1] = 0.0


def ending(board, state):
    if state.found[0] or state.found[1]:
        return "the pea was found"
    return "the last round was in vain" if state.rounds == ROUNDS else "the host went home"


# ---------------------------------------------------------------- for people


def words(board, state, action):
    return ("stays", "goes")[action] if state.parting else "abcdefgh"[action]


def text(board, state):
    shells = ["_" if (int(state.lifted) >> shell) & 1 else "abcdefgh"[shell] for shell in range(board.shells)]
    return " ".join(shells) + ("" if not state.pea else f"  pea under {'abcdefgh'[int(state.pea) - 1]}")


def picture(board, state):
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {40 * int(board.shells)} 40">']
    for shell in range(board.shells):
        if to_move(board, state) >= 0 and not (int(state.lifted) >> shell) & 1:
            out.append(f'<circle data-word="{"abcdefgh"[shell]}" cx="{40 * shell + 20}" cy="20" r="16"/>')
    if state.pea:
        out.append(f'<circle cx="{40 * int(state.pea) - 20}" cy="32" r="4" fill="#3d5a3d"/>')
    return "".join(out) + "</svg>"


# ---------------------------------------------------------------- for learners


def plane_names(board):
    return ["lifted", "own choice"]


def plane_shape(board):
    return 1, board.shells


def planes(board, view, viewer, out):
    for shell in range(board.shells):
        out[0, 0, shell] = (int(view.lifted) >> shell) & 1
        out[1, 0, shell] = 1 if view.choice == shell + 1 else 0


def feature_names(board):
    return ["round", "whether one's choice is made"]


def features(board, view, viewer, out):
    out[0] = view.rounds
    out[1] = view.chosen
