"""A game as kernels see it that are compiled once for all games: see ``compile.erasure``."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from turnsmith.common.arrays import Array
from turnsmith.compile.erasure import CAPACITY, Blob, erased_type, find_rules, is_table_kept, table_of
from turnsmith.compile.kernel import compiled
from turnsmith.compile.numba_private import BLOB_BYTES
from turnsmith.contract.game import Game
from turnsmith.contract.records import board_record

BOARD = board_record()
"""What every board begins with, and all that kernels for any game know of one."""
BLOB_HEADER = 8  # bytes of a blob before the state
LOOK_AGAIN = 0.5
"""Seconds after which it is looked again whether somebody has compiled the rules of a game meanwhile."""
_one_at_a_time = threading.Lock()


class ErasedGame:
    """A game whose type is that of all games: the table of its flags and rules, and its boards and states as kernels
    for any game take them. ``erased`` makes it, once in a process."""

    _numba_type_ = erased_type

    def __init__(self, game: Game):
        self.game = game
        self.table = table_of(game, game.Board, game.State)
        self.where = int(self.table.ctypes.data)

    def boards(self, boards: Array) -> Array:
        """The same memory, each board seen as its header. One board looks like two with a gap between them, of which
        nobody asks for the second: then numba compiles for arrays with gaps alone, however many there are."""
        headers = np.ndarray(1, BOARD, boards.data)
        strides = boards.strides if len(boards) > 1 else (2 * BOARD.itemsize,)
        return as_strided(headers, (max(2, len(boards)),), strides)

    def states(self, states: Array) -> Array:
        """Blobs with copies of some states."""
        blobs = np.zeros(len(states), Blob)
        blobs[BLOB_BYTES] = BLOB_HEADER + states.dtype.itemsize
        _bodies(blobs, states.dtype.itemsize)[:] = states.view(np.uint8).reshape(len(states), -1)
        return blobs

    def read_back(self, blobs: Array, states: Array) -> None:
        """Copy blobs back to where their states came from."""
        states.view(np.uint8).reshape(len(states), -1)[:] = _bodies(blobs, states.dtype.itemsize)

    def run(self, kernel: Callable[..., Any], boards: Array, *rest: Any) -> Any:
        """What a kernel of this game, called with boards and other arguments, does by the code for any game."""
        given = self._converted(rest)
        answer = compiled(kernel)(self, self.boards(boards), *given)
        for blobs, each in zip(given, rest, strict=True):
            if blobs is not each:
                self.read_back(blobs, each)
        return answer

    def is_kept(self, kernel: Callable[..., Any], boards: Array, *rest: Any) -> bool:
        """Whether the code that ``run`` takes need not be compiled."""
        if kernel not in _kept:
            arguments = (self, self.boards(boards), *self._converted(rest))
            if not compiled(kernel).is_kept(tuple(compiled(kernel).typeof_pyval(each) for each in arguments)):
                return False
            _kept.add(kernel)
        return True

    def _converted(self, arguments: Sequence[Any]) -> list[Any]:
        state = self.game.State
        return [self.states(a) if isinstance(a, np.ndarray) and a.dtype == state else a for a in arguments]


_kept: set[Callable[..., Any]] = set()


def _bodies(blobs: Array, size: int) -> Array:
    return blobs.view(np.uint8).reshape(len(blobs), -1)[:, BLOB_HEADER : BLOB_HEADER + size]


def can_erase(game: Game) -> bool:
    """Whether a game's states are small enough for blobs."""
    return game.State.itemsize <= CAPACITY


def is_erased_kept(game: Game) -> bool:
    """Whether the rules of a game need not be compiled for ``erased``; the disk is looked at now and then."""
    kind, now = game._numba_type_, time.monotonic()
    if hasattr(kind, "erased"):
        return True
    if now < kind.looked_for.get(find_rules, -LOOK_AGAIN) + LOOK_AGAIN:
        return False
    kind.looked_for[find_rules] = now
    return is_table_kept(game, game.Board, game.State)


def erased(game: Game) -> ErasedGame:
    """The game with its type erased; its rules are compiled unless they are kept."""
    kind = game._numba_type_
    with _one_at_a_time:
        if not hasattr(kind, "erased"):
            kind.erased = ErasedGame(game)
        return kind.erased  # type: ignore[no-any-return]


def by_table(kernel: Callable[..., Any], game: Game, *rest: Any, waits: bool) -> Callable[..., Any] | None:
    """What does the work of a light kernel by the code for any game (see ``kernel.light``); None where there is none,
    or none yet."""
    if not can_erase(game) or not (waits or is_erased_kept(game)):
        return None
    table = erased(game)
    return partial(_run, table, kernel) if waits or table.is_kept(kernel, *rest) else None


def _run(table: ErasedGame, kernel: Callable[..., Any], game: Game, *rest: Any) -> Any:
    return table.run(kernel, *rest)
