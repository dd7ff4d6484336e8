"""``turnsmith serve``: play, watch and compare in a browser; a JSON API for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from turnsmith.cli.options import real
from turnsmith.texts import BadInput


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
    proxy: Annotated[
        list[str] | None, typer.Option(help="address of a proxy in front of it, whose X-Forwarded-For is believed")
    ] = None,
    runs: Annotated[
        Path | None,
        typer.Option(help="folder whose run folders of 'turnsmith train' are shown; else this one, to this machine"),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="do not open a browser")] = False,
) -> None:
    """Serve the web page and the JSON API until interrupted."""
    if runs is not None and not runs.is_dir():
        raise BadInput(f"--runs {runs} is no folder; name the one in which 'turnsmith train' leaves its folders")
    from turnsmith.web.server import serve as run

    if runs is None and host in HERE and not name and not proxy:  # others look at what somebody chose to show them
        runs = Path()
    run(
        host, port, store, think, names=name or [], proxies=proxy or [], files=files or [], values=value or [],
        runs=runs, open_browser=not no_open,
    )  # fmt: skip


HERE = ("127.0.0.1", "localhost", "::1")
"""Addresses that no other machine can ask for."""


COMMANDS = (serve,)
