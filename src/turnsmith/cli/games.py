"""``turnsmith games`` and ``turnsmith players``: what there is."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import GameText, Json
from turnsmith.common.settings import settings as settings_of


def games(json: Json = False) -> None:
    """List the games."""
    from turnsmith.contract.registry import games as listing

    summaries = listing()
    if json:
        print_json([{"name": name, "summary": line} for name, line in summaries.items()])
        return
    wide = max(map(len, summaries))
    for name, line in summaries.items():
        typer.echo(f"{name:<{wide}}  {line}")
    has = "" if find_spec("pyspiel") else ", with pip install 'turnsmith[openspiel]'"
    typer.echo(f"\nopenspiel:NAME  any game of OpenSpiel, such as openspiel:chess, at the speed of Python{has}")


def players(
    game: GameText,
    json: Json = False,
) -> None:
    """List the players of a game, their settings, and who refuses it and why."""
    from rich.console import Console
    from rich.table import Table

    from turnsmith.contract.loading import load
    from turnsmith.play.player import players as listing

    loaded = load(game)
    board = loaded.board()[0]
    rows: list[dict[str, Any]] = []
    for name, kind in listing(loaded).items():
        settings = {setting.name: setting.default for setting in settings_of(kind)}
        refusal = kind().refuses(loaded, board)
        rows.append({"name": name, "summary": kind.summary, "settings": settings, "refuses": refusal})
    if json:
        print_json(rows)
        return
    table = Table(title=f"players of {loaded.text_name}", title_justify="left")
    for column in ("player", "how it plays", "settings"):
        table.add_column(column)
    for row in rows:
        defaults = ", ".join(f"{key}={value}" for key, value in row["settings"].items())
        if row["refuses"]:
            table.add_row(f"[dim]{row['name']}[/]", f"[dim]cannot play this: {row['refuses']}[/]", "")
        else:
            table.add_row(f"[bold]{row['name']}[/]", row["summary"], defaults)
    Console().print(table)


COMMANDS = (games, players)
