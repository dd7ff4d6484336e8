"""How many games of an arena differ: ten that went alike say no more than one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import numpy as np

from turnsmith.common.arrays import Array

FIRST = 1000
"""Games that are compared, the first: where these differ, so do others."""


def keys_of(numbers: Array, which: Array, sources: Callable[[], str], log: Array, offsets: Array) -> dict[int, bytes]:
    """What tells games apart, by their numbers, of those among the first: the board and all moves on it."""
    rows = np.flatnonzero(numbers < FIRST).tolist()
    boards = json.loads(sources()) if rows else []
    named = {board: json.dumps(boards[board]).encode() for board in np.unique(which[rows]).tolist()}
    keys = {}
    for row in rows:
        hasher = hashlib.blake2b(named[int(which[row])], digest_size=8)
        hasher.update(log[offsets[row] : offsets[row + 1]].astype("<i4").tobytes())
        keys[int(numbers[row])] = hasher.digest()
    return keys


def count_different(keys: dict[int, bytes], games: int) -> int | None:
    """How many of the first games are different; None where the moves of some were not kept."""
    compared = [keys.get(number) for number in range(min(games, FIRST))]
    return None if None in compared else len(set(compared))
