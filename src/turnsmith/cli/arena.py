"""``turnsmith arena``: let players meet, and say honestly who is better."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import Address, Csv, Database, GameText, Json, Runner, Seed, Workers, real, whole
from turnsmith.cli.progress import progress_bar
from turnsmith.texts import BadInput, split


def arena(
    game: GameText,
    players: Annotated[str, typer.Option(help="comma list, e.g. mcts:simulations=200,random")],
    games: Annotated[int, whole("how many games", 1, 1_000_000_000)] = 100,
    seats: Annotated[int, typer.Option(help="players a game, where the game leaves the choice", min=0, max=1000)] = 0,
    seed: Seed = 0,
    workers: Workers = 0,
    limit: Annotated[float, real("seconds a move, 0 for any; who takes longer forfeits", 0.0, 86_400.0)] = 0.0,
    opening: Annotated[int, whole("random moves every start begins with, the same in all rotations", 0, 1000)] = 0,
    store: Database = "sqlite:///turnsmith.db",
    keep: Annotated[str, typer.Option(help="all: the moves too; none: seeds and results only")] = "all",
    runner: Runner = "local",
    address: Address = "",
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Play a tournament: every start in all rotations of the seats, rates with 95 % intervals.

    A run that was stopped or killed continues when the same command is given again.
    """
    from turnsmith.arena import streamed
    from turnsmith.cluster import cluster
    from turnsmith.game import load

    if json and csv:
        raise BadInput("--json and --csv both want all of the output; give one of them")
    if keep not in ("all", "none"):
        raise BadInput(f"--keep {keep} must be all or none")
    loaded = load(with_seats(game, seats))
    with cluster(runner, address, workers), progress_bar(f"{loaded.text_name}", hidden=json or csv) as report:
        table = streamed(
            loaded,
            split(players),
            games,
            seed=seed,
            workers=workers or os.cpu_count() or 1,
            limit=limit,
            opening=opening,
            store=None if store == "none" else store,
            keep="none" if keep == "none" else "all",
            progress=report,
        )
    if json:
        print_json(table.to_dict())
    elif csv:
        sys.stdout.write(table.csv())
    else:
        from rich.console import Console

        console = Console()
        console.print(table) if console.is_terminal else print(table)  # a file has no width


def with_seats(game: str, seats: int) -> str:
    """The game's text with its `players` option set to the number of seats asked for."""
    from turnsmith.game import load

    if not seats or load(game).board()[0].seats == seats:
        return game
    text = f"{game}{',' if '=' in game else ':'}players={seats}"
    if load(text).board()[0].seats != seats:
        raise BadInput(f"{game} cannot seat {seats}; leave out --seats or set the game's own options")
    return text


COMMANDS = (arena,)
