"""Who waits for the compiler is told what it compiles, once in a process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

AFTER = 1.0
"""Seconds of compiling after which somebody is told."""
listener: Callable[[str], None] | None = None
"""Is told, in one line; None: nobody is."""


@contextmanager
def announced(name: Callable[[], str]) -> Iterator[None]:
    """Tell what is compiled within the block, if it takes longer; `name` says what it is."""
    if listener is None:
        yield
        return
    timer = threading.Timer(AFTER, lambda: _tell(name()))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _tell(what: str) -> None:
    global listener
    told, listener = listener, None
    if told is not None:
        told(f"compiling {what}, once on this machine")
