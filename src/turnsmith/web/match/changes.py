"""Telling those who wait that something has changed: a match, a job, a studio.

Threads of players and jobs tell; pages and streams wait on the event loop. A listener learns only that it must look
again, so many changes at once cost one look, and a look shows the newest state. A new listener looks once at once:
nothing is lost between rendering and listening.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

GAP = 0.05
"""Seconds at least between two looks of one listener: moves in quick succession are shown together."""
SETTLE = 0.01
"""Seconds that a listener waits for the rest of a change: a move and its quick answer are one look."""


class Listener:
    """Waits on its event loop until somebody wakes it."""

    def __init__(self, gap: float = GAP):
        """gap: seconds at least between two looks."""
        self.gap = gap
        self._loop, self._woken = asyncio.get_running_loop(), asyncio.Event()
        self._is_due, self._looked = False, 0.0

    def wake(self) -> None:
        """Ask for a look, from any thread."""
        if not self._is_due:
            self._is_due = True
            with suppress(RuntimeError):  # its loop has ended
                self._loop.call_soon_threadsafe(self._woken.set)

    def wake_later(self, seconds: float) -> None:
        """Ask for a look after a while, from the event loop."""
        self._loop.call_later(seconds, self.wake)

    async def changed(self, seconds: float | None = None) -> bool:
        """Wait for a change, at most for so many seconds; whether there was one."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), seconds)
            await asyncio.sleep(max(SETTLE, self._looked + self.gap - time.monotonic()))
        was_woken = self._woken.is_set()
        self._woken.clear()
        self._is_due = False  # before the look: a change during the look asks for another
        self._looked = time.monotonic()
        return was_woken


class Listeners:
    """The listeners of something that changes."""

    def __init__(self) -> None:
        self._listeners: frozenset[Listener] = frozenset()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._listeners)

    def tell(self) -> None:
        """Wake all listeners, from any thread."""
        for listener in self._listeners:
            listener.wake()

    def add(self, listener: Listener) -> None:
        """Let a listener hear of changes from now on; it looks once for those before."""
        with self._lock:
            self._listeners |= {listener}
        listener.wake()

    def drop(self, listener: Listener) -> None:
        with self._lock:
            self._listeners -= {listener}


@contextmanager
def listening(*sources: Listeners, gap: float = GAP) -> Iterator[Listener]:
    """A listener to some sources, for as long as it is used."""
    listener = Listener(gap)
    for source in sources:
        source.add(listener)
    try:
        yield listener
    finally:
        for source in sources:
            source.drop(listener)
