"""Stopping what does not come to an end."""

from __future__ import annotations

import ctypes
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

GRACE = 5.0
"""Seconds until an exception that is not heard counts as not heard."""


class TooLong(BaseException):
    """Raised in the midst of a function that does not come to an end."""


@dataclass
class Call:
    """A call that is under way in some thread, and how many CPU seconds it may take; asleep, ten times that."""

    name: str
    seconds: float
    thread: int = field(default_factory=threading.get_ident)
    cpu: float = field(default_factory=time.process_time)
    clock: float = field(default_factory=time.monotonic)
    stopped: float = math.inf

    @property
    def is_late(self) -> bool:
        asleep = time.monotonic() - self.clock > 10 * self.seconds
        return asleep or time.process_time() - self.cpu > self.seconds


class Watch:
    """Looks now and then, from a thread of its own, at the call that is under way.

    Python code is stopped by an exception. Compiled code does not hear of it: there `give_up`, if set, is called with
    a sentence, to end the process.
    """

    def __init__(self) -> None:
        self.give_up: Callable[[str], Any] | None = None
        self._call: Call | None = None
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    @contextmanager
    def over(self, name: str, seconds: float) -> Iterator[None]:
        """Raise TooLong in what happens in here if it takes longer."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._look, daemon=True)
            self._thread.start()
        self._call = Call(name, seconds)
        try:
            yield
        finally:
            with self._lock:  # an exception on its way arrives here, and not later
                pass
            self._call = None

    def _look(self) -> None:
        while True:
            time.sleep(0.2)
            with self._lock:
                call = self._call
                if call is None or not call.is_late:
                    continue
                if call.stopped == math.inf:
                    call.stopped = time.monotonic()
                    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
                    raise_in(ctypes.c_ulong(call.thread), ctypes.py_object(TooLong))
                elif self.give_up is not None and time.monotonic() - call.stopped > GRACE:
                    self.give_up(f"{call.name} does not come to an end when it is compiled")


watch = Watch()
