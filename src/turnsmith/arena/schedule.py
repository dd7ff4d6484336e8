"""Who sits where: starts in rotation, so that neither the board nor the seat favours anybody.

A group is one start (a board and the luck before the first decision) and one choice of players, played once in each
rotation of the seats. Match number n belongs to group n // seats and has rotation n % seats.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from turnsmith.game import Array
from turnsmith.rng import stream
from turnsmith.texts import BadInput


def seatings(players: int, seats: int, games: int, seed: int) -> Array:
    """int32[games, seats]: which player sits in which seat of each match.

    Every choice of players comes up equally often; the order around the table is drawn anew for every group.

    >>> seatings(3, 2, 6, seed=1).tolist()
    [[0, 1], [1, 0], [0, 2], [2, 0], [2, 1], [1, 2]]
    """
    if players < 1 or games < 1:
        raise BadInput("an arena needs at least one player and one game")
    if players >= seats:
        if math.comb(players, seats) > 1_000_000:
            raise BadInput(f"{players} players make too many tables of {seats}; name fewer players")
        choices = list(itertools.combinations(range(players), seats))
    else:  # fewer players than seats: everyone sits more than once
        choices = [tuple(seat % players for seat in range(seats))]
    groups = -(-games // seats)
    rows = np.zeros((groups * seats, seats), np.int32)
    for group in range(groups):
        shuffle = np.random.Generator(np.random.PCG64(int(stream(seed, group, 777)[0]))).permutation(seats)
        table = np.array(choices[group % len(choices)], np.int32)[shuffle]
        for turn in range(seats):
            rows[group * seats + turn] = np.roll(table, turn)
    return rows[:games]
