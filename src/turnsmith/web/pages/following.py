"""A page that follows something: it is shown when it changes, for as long as its visitor is there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from nicegui import app, background_tasks, ui

from turnsmith.web.match.changes import GAP, Listener, Listeners
from turnsmith.web.server.workers import Busy

AGAIN = 0.2
"""Seconds after which a look is repeated that a busy server has refused."""


class Following:
    """Calls `show` on the page at hand when its visitor comes, after changes, and when `pause` says so.

    It listens only while the visitor's browser is connected. A browser that comes again sees all that it missed.
    """

    def __init__(
        self,
        show: Callable[[], Awaitable[None] | None],
        *sources: Listeners,
        gap: float = GAP,
        pause: Callable[[], float | None] = lambda: None,
    ):
        """gap: seconds at least between two looks. pause: seconds until the next look without a change, None for no
        such look."""
        self.show, self.sources, self.pause = show, sources, pause
        self.client, self.slot = ui.context.client, ui.context.slot
        self.listener = Listener(gap)
        self.task: asyncio.Task[None] | None = None
        self.client.on_connect(self._come)
        self.client.on_disconnect(self._go)
        self.client.on_delete(self._end)
        if self.client.has_socket_connection:
            self._come()

    def wake(self) -> None:
        """Look again soon: something of the page itself has changed."""
        self.listener.wake()

    def wake_later(self) -> None:
        """Look again when a busy server has more time."""
        self.listener.wake_later(AGAIN)

    def _come(self) -> None:
        for source in self.sources:
            source.add(self.listener)
        if self.task is None:
            self.task = background_tasks.create(self._follow(), name=f"follow {self.show}")
        self.wake()

    def _go(self) -> None:
        if not self.client.has_socket_connection:  # it may have come again before it went
            for source in self.sources:
                source.drop(self.listener)

    def _end(self) -> None:
        for source in self.sources:
            source.drop(self.listener)
        if self.task is not None:
            self.task.cancel()

    async def _follow(self) -> None:
        with self.slot:
            pause: float | None = None
            while True:
                await self.listener.changed(pause if self.client.has_socket_connection else None)
                try:
                    shown = self.show()
                    if shown is not None:
                        await shown
                    pause = self.pause()
                except Busy:
                    self.wake_later()
                except Exception as error:
                    app.handle_exception(error)
