"""``turnsmith evaluate``: how well one player does in a one-seat game, exactly where that can be had."""

from __future__ import annotations

from typing import Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import Json, Seed
from turnsmith.texts import BadInput


def evaluate(
    game: Annotated[str, typer.Argument(metavar="GAME", help="a one-seat game, e.g. mastermind:colors=6,pegs=4")],
    player: Annotated[str, typer.Option(help="a player, e.g. knuth")],
    games: Annotated[str, typer.Option(help="a number, or all: every start, exactly")] = "all",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Measure a player of a one-seat game: mean, worst case and histogram."""
    from turnsmith.arena.evaluate import evaluate as run

    if games != "all" and not (games.isdecimal() and len(games) < 20 and int(games) > 0):
        raise BadInput(f"--games {games[:40]} must be a positive number or all")
    found = run(game, player, None if games == "all" else int(games), seed)
    if json:
        print_json(found.to_dict())
        return
    from rich.console import Console

    Console().print(found)


COMMANDS = (evaluate,)
