"""Threads for work that must not hold up the page: a bounded queue, and no client may take all of it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from turnsmith.languages import _, carried

T = TypeVar("T")


class Busy(Exception):
    """There is no room for more work; the message says whose queue is full."""


class Workers:
    """A pool of threads that serves its clients in turn. To be used from one event loop.

    threads: how many run at once; one client never holds the last free one. waiting: how many pieces of work may wait
    in all; one client may fill half of that. patience: how much they let others go first, 0 to 19.
    """

    def __init__(self, threads: int, waiting: int, name: str, patience: int = 0):
        self.threads, self.waiting = threads, waiting
        self._pool = concurrent.futures.ThreadPoolExecutor(threads, name, _give_way, (patience,))
        self._queues: dict[str, deque[tuple[Callable[[], Any], asyncio.Future[Any]]]] = {}
        self._running: Counter[str] = Counter()

    async def run(self, client: str, work: Callable[[], T], stop: Callable[[], None] | None = None) -> T:
        """The result of `work`, done in a thread when it is this client's turn; ``Busy`` when the queue is full.

        Whoever no longer waits for it (is cancelled) drops it if it has not begun, and else calls `stop`.
        """
        queue = self._queues.get(client, deque())
        if sum(map(len, self._queues.values())) >= self.waiting:
            raise Busy(_("the server is busy; try again in a few seconds"))
        if len(queue) >= max(1, self.waiting // 2):
            raise Busy(_("you have asked for much at once; wait for an answer before you ask for more"))
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        queue.append((carried(work), answer))
        self._queues[client] = queue
        self._start()
        try:
            return await answer
        except asyncio.CancelledError:
            if stop is not None:
                stop()
            raise

    @property
    def is_busy(self) -> bool:
        """Whether something runs."""
        return bool(self._running)

    def close(self) -> None:
        """Drop what waits; what runs cannot be stopped and ends by itself."""
        self._queues.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _start(self) -> None:
        share = max(1, self.threads - 1)
        while self._running.total() < self.threads:
            client = next((c for c, queue in self._queues.items() if queue and self._running[c] < share), None)
            if client is None:
                return
            queue = self._queues.pop(client)  # to the end of the line, so that everybody has a turn
            work, answer = queue.popleft()
            if queue:
                self._queues[client] = queue
            if not answer.cancelled():
                self._running[client] += 1
                future = asyncio.get_running_loop().run_in_executor(self._pool, work)
                future.add_done_callback(partial(self._finish, client, answer))

    def _finish(self, client: str, answer: asyncio.Future[Any], done: asyncio.Future[Any]) -> None:
        self._running[client] -= 1
        if not self._running[client]:
            del self._running[client]
        error = asyncio.CancelledError() if done.cancelled() else done.exception()
        if not answer.done():  # whoever asked may have left
            if error is None:
                answer.set_result(done.result())
            else:
                answer.set_exception(error)
        self._start()


def _give_way(patience: int) -> None:
    """Let the page's thread go first where the system has priorities for threads."""
    if sys.platform == "linux" and patience:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), patience)
