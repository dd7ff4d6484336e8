"""``turnsmith serve``: play, watch and compare in a browser; a JSON API for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from turnsmith.cli.command import command
from turnsmith.cli.options import language_named
from turnsmith.common.errors import BadInput, shown
from turnsmith.common.settings import setting


@dataclass(frozen=True)
class ServeOptions:
    """What ``turnsmith serve`` is asked for."""

    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="games of your own for the page, e.g. ./my_game.py:players=3"),
    ] = None
    value: list[str] | None = None
    """a file of 'turnsmith train value', to play against on the page"""
    host: str = "127.0.0.1"
    """address to serve; others than 127.0.0.1 let other machines in"""
    port: int = setting(8080, 0, 65535)
    """0 for any that is free"""
    store: str = "sqlite:///turnsmith.db"
    """file or URL of the database that keeps matches and arenas"""
    think: float = setting(10.0, 0.1, 3600.0)
    """seconds a player may think about a move"""
    name: list[str] | None = None
    """a name by which browsers may ask for this server, beside localhost"""
    allow_origin: list[str] | None = None
    """a site whose pages may use the JSON API, e.g. https://games.example"""
    proxy: list[str] | None = None
    """address of a proxy in front of it, whose X-Forwarded-For is believed"""
    runs: Path | None = None
    """folder whose run folders of 'turnsmith train' are shown; else this one, to this machine"""
    lang: str = "en"
    """of pages whose visitors ask for no language there is"""
    no_warm: Annotated[
        bool, typer.Option("--no-warm", help="compile nothing ahead: each thing when it is first wanted")
    ] = False
    no_open: Annotated[bool, typer.Option("--no-open", help="do not open a browser")] = False


@command(ServeOptions)
def serve(options: ServeOptions) -> None:
    """Serve the web page and the JSON API until interrupted."""
    runs, names, proxies = options.runs, options.name or [], options.proxy or []
    if runs is not None and not runs.is_dir():
        raise BadInput(f"--runs {runs} is no folder; name the one in which 'turnsmith train' leaves its folders")
    language = language_named(options.lang)
    origins = [origin_of(text) for text in options.allow_origin or []]
    from turnsmith.web.app import ServerSettings
    from turnsmith.web.app import serve as run

    if runs is None and options.host in HERE and not names and not proxies:
        runs = Path()  # others look at what somebody chose to show them
    run(
        ServerSettings(
            options.host,
            options.port,
            options.store,
            options.think,
            names=names,
            origins=origins,
            proxies=proxies,
            files=options.files or [],
            values=options.value or [],
            runs=runs,
            opens_browser=not options.no_open,
            language=language,
            is_warmed=not options.no_warm,
        )
    )


HERE = ("127.0.0.1", "localhost", "::1")
"""Addresses that no other machine can ask for."""


def origin_of(text: str) -> str:
    """An origin as browsers send it.

    >>> origin_of("https://Games.Example:443/")
    'https://games.example'
    """
    try:
        address = urlsplit(text.strip())
        port = "" if address.port in (None, {"http": 80, "https": 443}.get(address.scheme)) else f":{address.port}"
    except ValueError:
        address, port = urlsplit(""), ""
    is_plain = address.path in ("", "/") and not address.query and not address.fragment and "@" not in address.netloc
    if address.scheme not in ("http", "https") or not address.hostname or not is_plain or "*" in address.netloc:
        raise BadInput(
            f"--allow-origin {shown(text)} is no origin; write scheme, name and port of one site, such as "
            "https://games.example or http://127.0.0.1:3000"
        )
    name = f"[{address.hostname}]" if ":" in address.hostname else address.hostname
    return f"{address.scheme}://{name}{port}"


COMMANDS = (serve,)
