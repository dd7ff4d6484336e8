"""Bounds on work, set by whoever waits for it: a flag that stops compiled code from outside, a time, and a memory.

A flag is int64[1]; ``kernel.is_set(flag)`` reads it inside a loop. A seat's decision has its flag at the end of the
header of its memory (``player.STOP``). Whatever is prepared for a seat asks ``flag`` for the one of whoever waits.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

import numpy as np

from turnsmith.common.errors import BadInput

if TYPE_CHECKING:
    from turnsmith.common.arrays import Array

_nobody = np.zeros(1, np.int64)
_waiting: ContextVar[tuple[Array, str]] = ContextVar("waiting")
_due: ContextVar[float] = ContextVar("due", default=float("inf"))
_room: ContextVar[int | None] = ContextVar("room", default=None)


class Stopped(BadInput):
    """Work was given up because it was stopped, or its time was over."""


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Let all that is done within be over after so many seconds, or sooner if what it is part of must be."""
    token = _due.set(min(_due.get(), float("inf") if seconds is None else time.monotonic() + seconds))
    try:
        yield
    finally:
        _due.reset(token)


@contextmanager
def within_memory(size: int) -> Iterator[None]:
    """Let what is prepared within take about so many bytes of memory, where it can do with less than it would like."""
    token = _room.set(size)
    try:
        yield
    finally:
        _room.reset(token)


def affordable(wanted: int, least: int, unit: int = 1) -> int:
    """How many units of so many bytes to take: as many as are wanted, or what there is room for, but at the least so
    many as the work needs to be done at all."""
    room = _room.get()
    return wanted if room is None else min(wanted, max(room // unit, least))


@contextmanager
def stopping(flag: Array, refusal: str = "stopped") -> Iterator[None]:
    """Let what runs within look at `flag`, which is set when its time is over; `refusal` says it in words."""
    token = _waiting.set((flag, refusal))
    ticket = _clock.wind(flag, _due.get()) if _due.get() < float("inf") else None
    try:
        yield
    finally:
        if ticket is not None:
            _clock.unwind(ticket)
        _waiting.reset(token)


def flag() -> Array:
    """The flag of whoever waits for the work at hand; never set where nobody does."""
    return _waiting.get((_nobody, ""))[0]


def refuse_if_stopped() -> None:
    """Give up if the work at hand was stopped: half a table must neither be used nor kept."""
    stop, refusal = _waiting.get((_nobody, ""))
    if stop[0]:
        raise Stopped(refusal)


class _Clock:
    """One thread that sets flags when their time has come."""

    def __init__(self) -> None:
        self.pending: dict[int, tuple[float, Array]] = {}
        self.changed = threading.Condition()
        self.tickets = itertools.count()
        self.wakes = float("inf")
        self.thread: threading.Thread | None = None

    def wind(self, flag: Array, due: float) -> int:
        with self.changed:
            if self.thread is None or not self.thread.is_alive():  # none yet, or this is a forked process
                self.thread = threading.Thread(target=self._run, name="stop", daemon=True)
                self.thread.start()
            ticket = next(self.tickets)
            self.pending[ticket] = (due, flag)
            if due < self.wakes:
                self.changed.notify()
        return ticket

    def unwind(self, ticket: int) -> None:
        with self.changed:
            self.pending.pop(ticket, None)

    def _run(self) -> None:
        with self.changed:
            while True:
                moment = time.monotonic()
                for ticket, (due, flag) in list(self.pending.items()):
                    if due <= moment:
                        flag[0] = 1
                        del self.pending[ticket]
                self.wakes = min((due for due, _ in self.pending.values()), default=float("inf"))
                self.changed.wait(min(self.wakes - moment, threading.TIMEOUT_MAX) if self.pending else None)


_clock = _Clock()
