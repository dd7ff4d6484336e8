"""``turnsmith serve``: play, watch and compare in a browser; a JSON API for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from turnsmith.cli.options import language_named, real
from turnsmith.texts import BadInput, shown


def serve(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="games of your own for the page, e.g. ./my_game.py:players=3"),
    ] = None,
    value: Annotated[
        list[str] | None, typer.Option(help="a file of 'turnsmith train value', to play against on the page")
    ] = None,
    host: Annotated[str, typer.Option(help="address to serve; others than 127.0.0.1 let other machines in")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="0 for any that is free", min=0, max=65535)] = 8080,
    store: Annotated[str, typer.Option(help="file or URL of the database that keeps matches and arenas")] = (
        "sqlite:///turnsmith.db"
    ),
    think: Annotated[float, real("seconds a player may think about a move", 0.1, 3600.0)] = 10.0,
    name: Annotated[
        list[str] | None, typer.Option(help="a name by which browsers may ask for this server, beside localhost")
    ] = None,
    allow_origin: Annotated[
        list[str] | None, typer.Option(help="a site whose pages may use the JSON API, e.g. https://games.example")
    ] = None,
    proxy: Annotated[
        list[str] | None, typer.Option(help="address of a proxy in front of it, whose X-Forwarded-For is believed")
    ] = None,
    runs: Annotated[
        Path | None,
        typer.Option(help="folder whose run folders of 'turnsmith train' are shown; else this one, to this machine"),
    ] = None,
    lang: Annotated[str, typer.Option(help="of pages whose visitors ask for no language there is")] = "en",
    no_warm: Annotated[
        bool, typer.Option("--no-warm", help="compile nothing ahead: each thing when it is first wanted")
    ] = False,
    no_open: Annotated[bool, typer.Option("--no-open", help="do not open a browser")] = False,
) -> None:
    """Serve the web page and the JSON API until interrupted."""
    if runs is not None and not runs.is_dir():
        raise BadInput(f"--runs {runs} is no folder; name the one in which 'turnsmith train' leaves its folders")
    language = language_named(lang)
    origins = [origin_of(text) for text in allow_origin or []]
    from turnsmith.web.server import serve as run

    if runs is None and host in HERE and not name and not proxy:  # others look at what somebody chose to show them
        runs = Path()
    run(
        host, port, store, think, names=name or [], origins=origins, proxies=proxy or [], files=files or [],
        values=value or [], runs=runs, open_browser=not no_open, language=language, warm=not no_warm,
    )  # fmt: skip


HERE = ("127.0.0.1", "localhost", "::1")
"""Addresses that no other machine can ask for."""


def origin_of(text: str) -> str:
    """An origin as browsers send it.

    >>> origin_of("https://Games.Example:443/")
    'https://games.example'
    """
    try:
        found = urlsplit(text.strip())
        port = "" if found.port in (None, {"http": 80, "https": 443}.get(found.scheme)) else f":{found.port}"
    except ValueError:
        found, port = urlsplit(""), ""
    is_plain = found.path in ("", "/") and not found.query and not found.fragment and "@" not in found.netloc
    if found.scheme not in ("http", "https") or not found.hostname or not is_plain or "*" in found.netloc:
        raise BadInput(
            f"--allow-origin {shown(text)} is no origin; write scheme, name and port of one site, such as "
            "https://games.example or http://127.0.0.1:3000"
        )
    name = f"[{found.hostname}]" if ":" in found.hostname else found.hostname
    return f"{found.scheme}://{name}{port}"


COMMANDS = (serve,)
