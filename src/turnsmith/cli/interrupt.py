"""Ctrl-C ends a command, whatever it does just now.

Python hears of it between two of its own instructions, and compiled code may run for long, or for ever. So a thread
listens too: what has not ended a little later, or at a second Ctrl-C, is ended at once. Nothing that is kept suffers:
files are written whole or not at all, and stores survive a kill.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from socket import socket

STOPPED = 130
GRACE = 2.0
"""Seconds a command has to end by itself."""

_said = threading.Event()


def say_stopped() -> int:
    """Say it, once, and return the exit code."""
    if not _said.is_set():
        _said.set()
        with contextlib.suppress(OSError):  # nobody to tell it to
            os.write(2, b"stopped\n")
    return STOPPED


@contextlib.contextmanager
def listening() -> Iterator[None]:
    """End the process soon after a Ctrl-C in here, in whatever code it is."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    from socket import socketpair

    ear, mouth = socketpair()
    mouth.setblocking(False)
    before = signal.set_wakeup_fd(mouth.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, _interrupt)
    threading.Thread(target=_listen, args=(ear,), daemon=True).start()
    try:
        yield
    except KeyboardInterrupt:
        raise  # and listen on: what is under way may not end, and somebody may press it again
    except BaseException:
        _stop_listening(before, mouth)
        raise
    else:
        _stop_listening(before, mouth)


def _interrupt(*_: Any) -> None:
    """Interrupt Python once; who is on the way out is not interrupted again, for that would only leave a traceback."""
    signal.signal(signal.SIGINT, lambda *_: None)
    raise KeyboardInterrupt


def _stop_listening(before: int, mouth: socket) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.set_wakeup_fd(before)
    mouth.close()


def _listen(ear: socket) -> None:
    """Wait for the number of a signal that is SIGINT, then for another or the end of the grace."""
    with ear:
        if not _hears_interrupt(ear):
            return
        end = time.monotonic() + GRACE
        with contextlib.suppress(TimeoutError):
            while (left := end - time.monotonic()) > 0:
                ear.settimeout(left)
                if _hears_interrupt(ear):
                    break
    if "multiprocessing" in sys.modules:
        for child in sys.modules["multiprocessing"].active_children():
            child.kill()
    os._exit(say_stopped())


def _hears_interrupt(ear: socket) -> bool:
    """Whether a SIGINT came, and not the end of all."""
    while number := ear.recv(1):
        if number[0] == signal.SIGINT:
            return True
    return False
