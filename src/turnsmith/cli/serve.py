"""``turnsmith serve``: play, watch and compare in a browser; a JSON API for other programs."""

from __future__ import annotations

from typing import Annotated

import typer

from turnsmith.cli.options import real


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
    store: Annotated[str, typer.Option(help="database that keeps matches and arenas")] = "sqlite:///turnsmith.db",
    think: Annotated[float, real("seconds a player may think about a move", 0.1, 3600.0)] = 10.0,
    name: Annotated[
        list[str] | None, typer.Option(help="a name by which browsers may ask for this server, beside localhost")
    ] = None,
    proxy: Annotated[
        list[str] | None, typer.Option(help="address of a proxy in front of it, whose X-Forwarded-For is believed")
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="do not open a browser")] = False,
) -> None:
    """Serve the web page and the JSON API until interrupted."""
    from turnsmith.web.server import serve as run

    run(
        host, port, store, think,
        names=name or [], proxies=proxy or [], files=files or [], values=value or [], open_browser=not no_open,
    )  # fmt: skip


COMMANDS = (serve,)
