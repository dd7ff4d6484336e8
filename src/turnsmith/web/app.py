"""The server: the JSON API and the pages in one process, on one port."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nicegui
import uvicorn
from fastapi import FastAPI
from nicegui import ui

from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import keep_gil
from turnsmith.play import step
from turnsmith.web.api.routes import api
from turnsmith.web.host import Host
from turnsmith.web.pages import arena, balance, friends, home, photo, play, setup, studio, training, watch
from turnsmith.web.server import problems
from turnsmith.web.server.connections import MOST_OF_ALL, Connection
from turnsmith.web.server.offered import offer, offer_values
from turnsmith.web.server.reach import Reach
from turnsmith.web.server.request_guard import MOST_BYTES
from turnsmith.web.server.visitors import welcome

SPARE_FILES = 200
"""Files that are open besides connections: the store's, the log's, those that are read."""


def assemble(host: Host, names: Sequence[str] = (), origins: Sequence[str] = (), language: str = "en") -> FastAPI:
    """The app with everything in it. Pages are registered once a process."""
    app = api(host, names, origins)
    problems.handle_in(nicegui.app)
    welcome(language)
    for page in (home, setup, play, watch, arena, balance, friends, studio, training, photo):
        page.add(host)
    ui.run_with(
        app,
        title="turnsmith",
        favicon="🎲",
        reconnect_timeout=20,
        show_welcome_message=False,
        language="en-US",
        tailwind=False,
    )
    return app


@dataclass(frozen=True)
class ServerSettings:
    """Where a server is, what it offers and to whom."""

    address: str
    port: int
    """0 takes any free one."""
    store: str
    """URL of the database that keeps matches and arenas."""
    think: float
    """Seconds a player may think about a move."""
    names: Sequence[str] = ()
    """What the server is called besides its address, see ``Gate``."""
    origins: Sequence[str] = ()
    """The sites whose pages may use its JSON."""
    proxies: Sequence[str] = ()
    """The addresses that may say for whom they ask."""
    files: Sequence[str] = ()
    """The texts of games in files, which are on the page too."""
    values: Sequence[str] = ()
    """Trained files to play against."""
    runs: Path | None = None
    """The folder whose trainings are shown."""
    opens_browser: bool = True
    language: str = "en"
    """Of pages whose visitors ask for none that there is."""
    is_warmed: bool = False
    """Whether another process compiles ahead."""

    def url(self, port: int) -> str:
        """The page, for a browser on this machine."""
        name = f"[{self.address}]" if ":" in self.address else self.address
        return f"http://{'127.0.0.1' if self.address == '0.0.0.0' else name}:{port}"


def serve(settings: ServerSettings) -> None:
    """Serve until interrupted. The address is printed when it answers."""
    offer(settings.files)
    offer_values(settings.values)
    keep_gil(*step.SHORT)
    sys.setswitchinterval(0.0005)  # the event loop waits for busy threads this long at each step, not the usual 5 ms
    host = Host(settings.store, settings.think, settings.runs)
    allow_files(MOST_OF_ALL + SPARE_FILES)
    listening = listen(settings.address, settings.port)
    port = listening.getsockname()[1]
    host.reach = Reach(settings.address, port)
    config = uvicorn.Config(
        assemble(host, [settings.address, *settings.names], settings.origins, settings.language),
        log_level="warning",
        timeout_graceful_shutdown=2,
        http=Connection,
        ws_max_size=MOST_BYTES,
        proxy_headers=bool(settings.proxies),  # by itself uvicorn believes X-Forwarded-For of anybody on this machine
        forwarded_allow_ips=list(settings.proxies),
    )
    server = Announced(config, host, settings.url(port), settings.opens_browser)
    if settings.is_warmed:
        host.preparing.start()
    try:
        server.run(sockets=[listening])
    finally:
        host.close()
        listening.close()
    if host.is_busy:  # what still thinks or compiles would hold up the end, and nobody waits for its answer
        sys.stdout.flush()
        os._exit(0)


def allow_files(count: int) -> None:
    """Let this process have so many files and connections open, where the system says how many and lets us."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def listen(address: str, port: int) -> socket.socket:
    """A socket that is ours alone, or a sentence saying why not."""
    try:
        listening = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address, port))
    except (OSError, OverflowError) as error:
        raise BadInput(f"{address}:{port} cannot be served ({error}); choose another with --port, 0 for any") from None
    return listening


class Announced(uvicorn.Server):
    """Says where it is once it answers, and opens a browser there if there is one."""

    def __init__(self, config: uvicorn.Config, host: Host, address: str, open_browser: bool):
        super().__init__(config)
        self.host, self.address, self.open_browser = host, address, open_browser

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ctrl-C and a polite kill are how a server is meant to end, so they are no failure."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.handle_exit)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        sys.stdout.write(f"turnsmith is at {self.address} (Ctrl-C stops it)\n")
        if self.host.preparing.warming is not None and not self.host.preparing.warming.is_over:
            sys.stdout.write(
                "opponents are compiled in the background, once on every machine ('turnsmith warm': ahead)\n"
            )
        if self.host.reach.shared:
            sys.stdout.write(f"for others in your network: {self.host.reach.shared}\n")
        sys.stdout.flush()
        if self.open_browser:
            threading.Thread(target=webbrowser.open, args=(self.address,), daemon=True).start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.host.end_streams()
        await super().shutdown(sockets)
