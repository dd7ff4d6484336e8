"""``turnsmith evaluate``: how well one player does in a one-seat game, exactly where that can be had."""

from __future__ import annotations

from typing import Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.texts import BadInput


def evaluate(
    game: Annotated[str, typer.Argument(help="a one-seat game, e.g. mastermind:colors=6,pegs=4")],
    player: Annotated[str, typer.Option(help="a player, e.g. knuth")],
    games: Annotated[str, typer.Option(help="a number, or all: every start, exactly")] = "all",
    seed: Annotated[int, typer.Option(help="for a number of games: the same seed plays the same games")] = 0,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Measure a player of a one-seat game: mean, worst case and histogram."""
    from turnsmith.arena.evaluate import evaluate as run

    if games != "all" and not (games.isdigit() and int(games) > 0):
        raise BadInput(f"--games {games} must be a positive number or all")
    found = run(game, player, None if games == "all" else int(games), seed)
    if json:
        print_json(found.to_dict())
        return
    from rich.console import Console

    Console().print(found)


COMMANDS = (evaluate,)
