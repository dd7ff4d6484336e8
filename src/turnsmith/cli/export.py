"""``turnsmith export``: a player as a file for another engine, as its game declares it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import GameText, Json, Workers, whole
from turnsmith.common.files import refuse_unwritable


def export(
    game: GameText,
    player: Annotated[str, typer.Option(help="a player that the game exports, e.g. matrix:file=./my.txt")],
    to: Annotated[
        Path,
        typer.Option(
            help="the file to write; its ending says as what: .cs, .gd, .json, .onnx, or one of the game's own"
        ),
    ],
    vectors: Annotated[int, whole("golden vectors beside it, of real games", 1, 10_000)] = 240,
    against: Annotated[str, typer.Option(help="tell the win rate against this player, with its interval")] = "",
    games: Annotated[int, whole("games to play for that")] = 1000,
    seed: Annotated[int, typer.Option(help="the same seed writes the same files", min=0, max=2**62)] = 1,
    workers: Workers = 0,
    json: Json = False,
) -> None:
    """Write a player as C#, GDScript, ONNX, JSON or a file of its game's own, with vectors that prove a port."""
    from turnsmith.adapters.export import WinRateMeasure
    from turnsmith.adapters.export import export as run
    from turnsmith.contract.loading import load
    from turnsmith.play.player import player as find

    refuse_unwritable(to, "--to")
    loaded = load(game)
    measure = WinRateMeasure(against, games, workers or os.cpu_count() or 1)
    done = run(loaded, find(player, loaded), to, vectors, seed, measure)
    if json:
        print_json(done.document())
        return
    others = ", ".join(str(file) for file in done.files[1:])
    typer.echo(f"wrote {done.files[0]}" + (f", beside it {others} ({done.vectors} golden vectors)" if others else ""))
    if done.policy.origin.winrate:
        typer.echo(f"wins {done.policy.origin.winrate}")


COMMANDS = (export,)
