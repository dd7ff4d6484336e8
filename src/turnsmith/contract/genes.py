"""Maps as whole numbers: what the games share whose maps can be bred. The games say what a gene means."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown


def checked_genes(given: Any, values: Array) -> Array:
    """The genes as int64[n], refused if they are not one whole number a gene, each below its number of `values`.

    >>> checked_genes([0, 3], np.array([2, 3]))
    Traceback (most recent call last):
    turnsmith.common.errors.BadInput: gene 1 is 3; it must be 0 to 2
    """
    try:
        genes = np.asarray(given)
    except ValueError:  # lists of different lengths
        genes = np.zeros(0, np.object_)
    if genes.dtype.kind not in "iu" or genes.ndim != 1:
        raise BadInput(f"genes are a list of whole numbers, not {shown(given)}")
    if len(genes) != len(values):
        raise BadInput(f"there are {len(genes):,} genes; this map has {len(values):,}")
    wrong = np.flatnonzero((genes < 0) | (genes >= values))
    if len(wrong):
        raise BadInput(f"gene {wrong[0]} is {genes[wrong[0]]}; it must be 0 to {values[wrong[0]] - 1}")
    return genes.astype(np.int64)


def joined(is_free: Sequence[bool] | Array, near: Sequence[Sequence[int]], start: int) -> list[int]:
    """The cells to be freed so that every free cell can be reached from the free cell `start`: as few as possible on
    the way to each. `near[c]`: the cells beside c that may be walked on, or freed."""
    came_from, opened = {start: start}, set()
    queue = deque([start])
    done: set[int] = set()
    while queue:  # free cells are nearer than others, so they go first
        cell = queue.popleft()
        if cell in done:
            continue
        done.add(cell)
        if is_free[cell]:
            back = came_from[cell]
            while not is_free[back] and back not in opened:
                opened.add(back)
                back = came_from[back]
        for beside in near[cell]:
            if beside in done:
                continue
            if is_free[beside]:
                came_from[beside] = cell
                queue.appendleft(beside)
            elif beside not in came_from:
                came_from[beside] = cell
                queue.append(beside)
    return sorted(opened)
