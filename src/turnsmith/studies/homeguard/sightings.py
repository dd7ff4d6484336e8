"""What a tree of Homeguard tells of lines of fire: who could hurt whom from where, and how much.

Covers are never seen in a tree, but what they do is: a soldier's exposure says how many enemies could have hurt it, and
hit points what those did who fired. Of every ordered pair of places in range, shooter first, a tree may show that the
shot was clear, that it was blocked, or nothing; and of clear ones the damage. Straight diagonals are left out: they
never meet a cover, so they are the same on all maps.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled
from turnsmith.games.homeguard.rules import TEAM, UNITS
from turnsmith.games.homeguard.tables import CLEAR, RANGE, SHIELDED
from turnsmith.maps.tree import PADDING, Trees

NEEDED = ("positions", "hp", "exposure")
PASSES = 2
"""What one round leaves open, another may have told."""


@lru_cache(maxsize=8)
def pairs_in_range(size: int) -> Array:
    """int32[places, places]: the number of an ordered pair, -1 for pairs out of range, -2 for straight diagonals."""
    cells = np.arange(0, size * size, 2)
    across, down = (np.abs(np.subtract.outer(part, part)) for part in (cells % size, cells // size))
    pairs = np.where(4 * (across**2 + down**2) > RANGE, -1, 0)
    pairs[(across == down) & (pairs == 0)] = -2
    pairs[pairs == 0] = np.arange((pairs == 0).sum())
    return pairs.astype(np.int32)


def fill_sights(positions, hp, exposure, numbers, passes, clear, blocked, damage, times):
    """Of one tree, for every pair: how often it was seen clear and blocked, and the sum and number of damages known."""
    for _ in range(passes):
        for branch in range(positions.shape[0]):
            if positions[branch, 0, 0] == PADDING:
                break
            for turn in range(1, hp.shape[1]):
                died = False
                for unit in range(UNITS):
                    died |= hp[branch, turn, unit] > hp[branch, turn - 1, unit]
                if not died:  # who came back does not stand where it was shot
                    for unit in range(UNITS):
                        tell(positions[branch, turn + 1], exposure[branch, turn], unit,
                             np.int64(hp[branch, turn - 1, unit]) - hp[branch, turn, unit], numbers,
                             clear, blocked, damage, times)  # fmt: skip


def tell(cells, exposure, unit, lost, numbers, clear, blocked, damage, times):
    """What a round tells of the shots at one soldier."""
    foe, target = 2 - (unit & 2), cells[unit] // 2
    open_pairs, sure, last = 0, 0, np.int64(-1)
    for enemy in range(foe, foe + TEAM):
        pair = np.int64(numbers[cells[enemy] // 2, target])
        if pair == -2 or (pair >= 0 and clear[pair] > 0):
            sure += 1
        elif pair >= 0 and blocked[pair] == 0:
            open_pairs += 1
    left = np.int64(exposure[unit]) - sure
    for enemy in range(foe, foe + TEAM):
        pair = np.int64(numbers[cells[enemy] // 2, target])
        if pair >= 0 and clear[pair] == 0 and blocked[pair] == 0 and (left == 0 or left == open_pairs):
            clear[pair] += 1 if left > 0 else 0
            blocked[pair] += 1 if left == 0 else 0
        if pair >= 0 and clear[pair] > 0:
            last = pair
    if exposure[unit] == 1 and last >= 0 and lost > 0:
        damage[last] += lost
        times[last] += 1


def fill_all(positions, hp, exposure, numbers, passes, clear, blocked, damage, times):
    for tree in range(positions.shape[0]):
        fill_sights(positions[tree], hp[tree], exposure[tree], numbers, passes, clear[tree], blocked[tree],
                    damage[tree], times[tree])  # fmt: skip


def sights(trees: Trees, source: dict[str, Any]) -> Array:
    """float32[trees, 2 · pairs]: of every pair 1 for clear, -1 for blocked, 0 for not seen; then of every pair 1 for
    full damage, -1 for shielded, 0 for not known."""
    for name in NEEDED:
        if name not in trees.sides:
            raise BadInput(f"these trees have no {name}; grow them with turnsmith maps trees homeguard")
    size = len(source["rows"])
    numbers = pairs_in_range(size)
    positions, hp, exposure = (np.ascontiguousarray(trees.sides[name]) for name in NEEDED)
    there = positions[positions != PADDING]
    if there.min() < 0 or there.max() >= size * size or (there % 2).any():
        raise BadInput(f"positions of these trees are no cells of a board of {size} × {size}")
    clear, blocked, damage, times = (np.zeros((len(trees), numbers.max() + 1), np.float32) for _ in range(4))
    compiled(fill_all)(positions, hp, exposure, numbers, PASSES, clear, blocked, damage, times)
    middle, far = (CLEAR + SHIELDED) / 2, (CLEAR - SHIELDED) / 2
    known = np.clip((damage / np.maximum(times, 1) - middle) / far, -1, 1) * (times > 0)
    return np.concatenate([np.sign(clear - blocked), known], axis=1).astype(np.float32)
