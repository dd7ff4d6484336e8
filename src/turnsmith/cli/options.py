"""Options that several commands share: each says its range in the help and refuses what is outside."""

from __future__ import annotations

from typing import Annotated

import typer


def a_number(value: float) -> float:
    """NaN is neither below nor above any limit, so limits let it through."""
    if value != value:
        raise typer.BadParameter("nan is not a number")
    return value


GameText = Annotated[str, typer.Argument(metavar="GAME", help="a game, e.g. connect_four, pig:players=3, ./my_game.py")]
Json = Annotated[bool, typer.Option("--json", help="print JSON")]
Seed = Annotated[int, typer.Option(help="the same seed plays the same games", min=0, max=2**63 - 1)]
Workers = Annotated[int, typer.Option(help="threads or processes; 0: one a core", min=0, max=1024)]
Delay = Annotated[
    float, typer.Option(help="seconds between moves on the screen", min=0.0, max=3600.0, callback=a_number)
]
