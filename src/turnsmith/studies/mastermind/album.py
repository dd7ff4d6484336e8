"""Pictures of boards after some random guesses, and what is on them: to learn from, and to try things with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import below, set_stream
from turnsmith.contract.loading import load
from turnsmith.games.mastermind.cameras import shoot
from turnsmith.games.mastermind.codes import peg
from turnsmith.games.mastermind.eye import ANSWERS, COLORS, HEIGHT, PEGS, TRIES, WIDTH
from turnsmith.games.mastermind.pixels import pixels
from turnsmith.games.mastermind.rules import HIDDEN, State


def draw_samples(boards, kinds, offsets, seeds, views, drawn, spare, pictures, corners, pegs, answers):
    """Fill pictures (uint8[n, HEIGHT, 3 · WIDTH]) with boards after some random guesses as random cameras see them, and
    what is on them: pegs int64[n, TRIES, PEGS], COLORS where there is none, answers int64[n, TRIES]."""
    rng = np.zeros(1, np.uint64)
    board, view = boards[0], views[0]
    for number in range(pictures.shape[0]):
        set_stream(rng, seeds[number], 0, 7)
        view.turns = below(rng, TRIES + 1)
        for turn in range(TRIES):
            view.guesses[turn], view.answers[turn] = below(rng, board.codes), below(rng, ANSWERS)
            is_there = turn < view.turns
            answers[number, turn] = view.answers[turn] if is_there else 0
            for place in range(PEGS):
                pegs[number, turn, place] = peg(board, view.guesses[turn], place) if is_there else COLORS
        pixels(board, view, drawn)
        which = below(rng, kinds.shape[0])
        shoot(drawn, kinds[which], offsets[which], spare, corners[number], pictures[number], rng)


@dataclass(frozen=True)
class PictureSamples:
    """Pictures, where the board is in each, and what stands on it, see ``draw_samples``."""

    pictures: Array
    corners: Array
    pegs: Array
    answers: Array


def samples(seeds: Array, cameras: tuple[tuple[int, int], ...]) -> PictureSamples:
    """One picture a seed (uint64)."""
    many = len(seeds)
    views = np.zeros(1, State)
    views["secret"] = HIDDEN
    out = PictureSamples(
        np.zeros((many, HEIGHT, 3 * WIDTH), np.uint8), np.zeros((many, 4, 2)),
        np.zeros((many, TRIES, PEGS), np.int64), np.zeros((many, TRIES), np.int64),
    )  # fmt: skip
    kinds, offsets = (np.array(column) for column in zip(*cameras, strict=True))
    rooms = np.zeros((2, HEIGHT, 3 * WIDTH), np.uint8)
    boards = load("mastermind").board(0)
    compiled(draw_samples)(boards, kinds, offsets, seeds, views, *rooms, *vars(out).values())
    return out
