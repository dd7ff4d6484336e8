"""An end for Python code that takes too long, on every system and in every thread."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in Python code that is still within after so many seconds (0: never).

    A main thread that has signals is woken from whatever it waits for; any other is interrupted as soon as it is in
    Python code again, so that lateness outside of Python shows only afterwards.
    """
    if not seconds:
        yield
    elif hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread():
        with _signal_after(seconds):
            yield
    else:
        with _raised_after(seconds):
            yield


@contextmanager
def _signal_after(seconds: float) -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _raised_after(seconds: float) -> Iterator[None]:
    thread, is_over, changing = ctypes.c_ulong(threading.get_ident()), False, threading.Lock()

    def ring() -> None:
        with changing:
            if not is_over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(TimeoutError))

    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with changing:
            is_over = True
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, None)  # rung, but not heard in time
