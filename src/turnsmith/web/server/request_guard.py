"""Before a request is answered: whether it is meant for this server, how large it is, and whether its sender waits."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Collection, Sequence
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from turnsmith.web.server.problems import problem

MOST_BYTES = 1_000_000
"""Of one request."""
PATIENCE = 30.0
"""Seconds in which a request must be here as a whole."""
FOR_PROGRAMS = ("/api/", "/openapi.json")
"""What pages of other origins may ask for, where they may ask at all."""


class Gate:
    """Answers only what is addressed to this server and comes from its own pages, sockets included.

    A page elsewhere can let its own name lead to this machine, but then the browser sends that name as Host; and it
    can send requests here, but then the browser sends that page's address as Origin. `names`: what this server is
    called beyond localhost and addresses of numbers, which nobody can make lead elsewhere. `origins`: other sites whose
    pages may use the JSON API, and nothing else.
    """

    def __init__(self, app: ASGIApp, names: Sequence[str] = (), origins: Sequence[str] = ()):
        self.app, self.names, self.origins = app, {"localhost", *(name.lower() for name in names)}, set(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = None
        if scope["type"] in ("http", "websocket"):
            for_programs = scope["type"] == "http" and scope["path"].startswith(FOR_PROGRAMS)
            refused = self.refusal(scope["headers"], self.origins if for_programs else ())
        if refused is None:
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await problem(scope["path"], *refused)(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": refused[1][:120]})

    def refusal(self, headers: list[tuple[bytes, bytes]], welcome: Collection[str] = ()) -> tuple[int, str] | None:
        """The status and the reason with which a request is turned away, or None; `welcome` are other origins."""
        hosts, origins = ([value.decode("latin-1") for key, value in headers if key == name]
                          for name in (b"host", b"origin"))  # fmt: skip
        host = hosts[0] if len(hosts) == 1 else ""
        if not self.is_ours(host):
            return 421, f"'{host[:80]}' is no name of this server; if it should be one, serve with --name {host[:80]}"
        for origin in origins:
            if origin.partition("://")[2].lower() != host.lower() and origin not in welcome:
                cure = "use this server's own page, or serve with --allow-origin"
                return 403, f"requests from pages of '{origin[:80]}' are not answered; {cure}"
        return None

    def is_ours(self, host: str) -> bool:
        """Whether a Host header has a name of this server, or an address of numbers."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
            return name in self.names or bool(ipaddress.ip_address(name))
        except ValueError:
            return False


class Bounded:
    """Refuses requests of more than MOST_BYTES before anything reads them, and drops the work for one whose sender has
    left: its handler is cancelled, so what waits is not done and what runs is told to stop."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            body = await asyncio.wait_for(self.body(receive), PATIENCE)
        except TimeoutError:
            late = f"the request was not complete after {PATIENCE:g} seconds; send it faster, or less"
            await problem(scope["path"], 408, late, {"Connection": "close"})(scope, receive, send)
            return
        if body is None:
            return
        if len(body) > MOST_BYTES:
            refusal = problem(scope["path"], 413, f"a request may have {MOST_BYTES:,} bytes; send less")
            await refusal(scope, receive, send)
            return
        await self.while_present(scope, body, receive, send)

    async def body(self, receive: Receive) -> bytes | None:
        """The body of a request, no more of it than shows that it is too large; None if its sender has left."""
        body, more = b"", True
        while more and len(body) <= MOST_BYTES:
            message = await receive()
            if message["type"] != "http.request":
                return None
            body += message.get("body", b"")
            more = message.get("more_body", False)
        return body

    async def while_present(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Answer, unless the sender leaves first."""
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def leaves() -> Message:
            while (message := await receive())["type"] != "http.disconnect":
                pass
            return message

        async def again() -> Message:
            return whole.pop() if whole else await asyncio.shield(gone)

        gone = asyncio.ensure_future(leaves())
        answering = asyncio.ensure_future(self.app(scope, again, send))
        try:
            await asyncio.wait([gone, answering], return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                answering.result()
        finally:
            gone.cancel()
            answering.cancel()
