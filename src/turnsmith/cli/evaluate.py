"""``turnsmith evaluate``: how well one player does in a one-seat game, exactly where that can be had."""

from __future__ import annotations

from typing import Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import Json, Seed
from turnsmith.common.errors import BadInput

OPENINGS = 5


def evaluate(
    game: Annotated[str, typer.Argument(metavar="GAME", help="a one-seat game, e.g. mastermind:colors=6,pegs=4")],
    player: Annotated[str, typer.Option(help="a player, e.g. knuth")],
    games: Annotated[str, typer.Option(help="a number, or all: every start, exactly")] = "all",
    opening: Annotated[str, typer.Option(help="random: force first moves on the player, each in every start")] = "",
    openings: Annotated[int | None, typer.Option(help="how many different ones, 5 by default")] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Measure a player of a one-seat game: mean, worst case and histogram."""
    from turnsmith.arena.evaluate import evaluate as run

    if games != "all" and not (games.isdecimal() and len(games) < 20 and int(games) > 0):
        raise BadInput(f"--games {games[:40]} must be a positive number or all")
    if opening not in ("", "random"):
        raise BadInput(f"--opening {opening[:40]} must be random, or left out")
    if openings is not None and not opening:
        raise BadInput(f"--openings {openings} needs --opening random")
    if openings is not None and openings < 1:
        raise BadInput(f"--openings {openings} must be at least 1")
    forced = (OPENINGS if openings is None else openings) if opening else 0
    evaluation = run(game, player, None if games == "all" else int(games), seed, forced)
    if json:
        print_json(evaluation.to_dict())
        return
    from rich.console import Console

    Console().print(evaluation)


COMMANDS = (evaluate,)
