"""Before there is a request: how long a connection may take to say what it wants, in how many bytes, and how many there
may be.

The server's own parser has no bounds there: it gathers a header as long as it comes, and waits for one for ever.
"""

from __future__ import annotations

import asyncio
import itertools
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from turnsmith.web.server.request_guard import MOST_BYTES

MOST_HEAD = 32_768
"""Bytes of the line and the headers of a request."""
MOST_SENT = 8 * MOST_BYTES
"""Bytes of a request as it is sent: in pieces, and with what may follow them, it is longer than what it says."""
HEAD_SECONDS = 10.0
"""How long a connection may be silent at first, and take to send line and headers."""
MOST_OF_ONE = 256
"""Connections of one address, sockets of pages included; a proxy that is trusted speaks for many."""
MOST_OF_ALL = 2000
_arrivals = itertools.count()


class Connection(HttpToolsProtocol):
    """A connection that is closed when it is slow to say what it wants, or says too much; where there are too many, the
    one that has been silent longest makes room for who comes."""

    def __init__(self, *args: Any, **known: Any):
        super().__init__(*args, **known)
        self.arrival = next(_arrivals)
        self.is_silent = True
        """Whether no request of it is being answered."""
        self._sent = self._piece = 0
        """Bytes of the request at hand, and of the piece that is being read, as far as they may be of the next one."""
        self._patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if not self._finds_room():
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "there are too many connections; close some, or try later")
            return
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._sent += len(data)
        self._piece = len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self.is_silent and self._sent > MOST_HEAD:
            self._refuse_head()
        elif self._sent > MOST_SENT:
            self.transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._sent, self.is_silent = self._piece, True
        self._wait()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._piece = 0

    def on_headers_complete(self) -> None:
        if len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers) > MOST_HEAD:
            raise ValueError("headers too large")  # all of them came in one piece; the parser stops here
        self._wait_no_more()
        self.is_silent = False
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        self.is_silent = not self.pipeline
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """What the parser cannot read; or could, if it were not so long."""
        if self.is_silent and self._sent > MOST_HEAD:
            self._refuse_head()
        else:
            super().send_400_response(msg)

    def _refuse_head(self) -> None:
        message = f"the headers of a request may have {MOST_HEAD:,} bytes; send less"
        self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, message)

    def _wait(self) -> None:
        """Give it a while for line and headers, from when it came or their first byte did."""
        self._wait_no_more()
        self._patience = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _wait_no_more(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        message = f"the headers of a request must be here after {HEAD_SECONDS:g} seconds; send them faster"
        self._refuse(HTTPStatus.REQUEST_TIMEOUT, message)

    def _refuse(self, status: HTTPStatus, said: str) -> None:
        """Answer in the form of all refusals, and hang up."""
        body = f'{{"error":"{said}"}}'
        head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json\r\nConnection: close\r\n"
        self.transport.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode("ascii"))
        self.transport.close()

    def _finds_room(self) -> bool:
        """Whether there are few enough connections, or a silent one could be closed."""
        mine = self.client[0] if self.client else ""
        proxies = self.config.forwarded_allow_ips or ()
        of_mine = [other for other in self.connections if (getattr(other, "client", None) or ("",))[0] == mine]
        if mine not in proxies and len(of_mine) > MOST_OF_ONE:
            return self._closes_one(of_mine)
        return len(self.connections) <= MOST_OF_ALL or self._closes_one(list(self.connections))

    def _closes_one(self, among: list[Any]) -> bool:
        silent = [other for other in among if isinstance(other, Connection) and other.is_silent and other is not self]
        if not silent:
            return False
        oldest = min(silent, key=lambda other: other.arrival)
        oldest.connections.discard(oldest)
        oldest.transport.abort()
        return True
