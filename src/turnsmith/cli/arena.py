"""``turnsmith arena``: let players meet, and say honestly who is better."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from turnsmith.cli import print_json
from turnsmith.cli.command import command
from turnsmith.cli.options import Address, Csv, Database, GameText, Json, Opening, Runner, Seed, Workers
from turnsmith.cli.progress import progress_bar
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import setting, split


@dataclass(frozen=True)
class ArenaOptions:
    """What ``turnsmith arena`` is asked for."""

    game: GameText
    players: str
    """comma list, e.g. mcts:simulations=200,random"""
    games: int = setting(100, 1, 1_000_000_000)
    """how many games"""
    seats: int = setting(0, 0, 1000)
    """players a game, where the game leaves the choice"""
    seed: Seed = 0
    workers: Workers = 0
    limit: float = setting(0.0, 0.0, 86_400.0)
    """seconds a move, 0 for any; who takes longer forfeits"""
    opening: Opening = 0
    store: Database = "sqlite:///turnsmith.db"
    keep: str = "all"
    """all: the moves too; none: seeds and results only"""
    runner: Runner = "local"
    address: Address = ""
    json: Json = False
    csv: Csv = False


@command(ArenaOptions)
def arena(options: ArenaOptions) -> None:
    """Play a tournament: every start in all rotations of the seats, rates with 95 % intervals.

    A run that was stopped or killed continues when the same command is given again.
    """
    from turnsmith.arena.tournament import streamed
    from turnsmith.cluster import cluster
    from turnsmith.contract.loading import load

    if options.json and options.csv:
        raise BadInput("--json and --csv both want all of the output; give one of them")
    if options.keep not in ("all", "none"):
        raise BadInput(f"--keep {options.keep} must be all or none")
    loaded, workers = load(with_seats(options.game, options.seats)), options.workers
    is_silent = options.json or options.csv
    with (
        cluster(options.runner, options.address, workers),
        progress_bar(f"{loaded.text_name}", hidden=is_silent) as report,
    ):
        table = streamed(
            loaded,
            split(options.players),
            options.games,
            seed=options.seed,
            workers=workers or os.cpu_count() or 1,
            limit=options.limit,
            opening=options.opening,
            store=None if options.store == "none" else options.store,
            keep="none" if options.keep == "none" else "all",
            progress=report,
        )
    if options.json:
        print_json(table.to_dict())
    elif options.csv:
        sys.stdout.write(table.csv())
    else:
        from rich.console import Console

        console = Console()
        console.print(table) if console.is_terminal else print(table)  # a file has no width


def with_seats(game: str, seats: int) -> str:
    """The game's text with its `players` option set to the number of seats asked for."""
    from turnsmith.contract.loading import load

    if not seats or load(game).board()[0].seats == seats:
        return game
    text = f"{game}{',' if '=' in game else ':'}players={seats}"
    if load(text).board()[0].seats != seats:
        raise BadInput(f"{game} cannot seat {seats}; leave out --seats or set the game's own options")
    return text


COMMANDS = (arena,)
