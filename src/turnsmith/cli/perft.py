"""``turnsmith perft``: how many ways a game can go, to be compared with what others have counted."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import GameText, Json, whole


def perft(
    game: GameText,
    depth: Annotated[int, whole("moves of a sequence", 1, 100)] = 5,
    after: Annotated[
        str, typer.Option(help="the moves before, in words with ; between them; outcomes of chance are moves too")
    ] = "",
    seed: Annotated[int, typer.Option(help="of the board", min=0, max=2**63 - 1)] = 0,
    divide: Annotated[bool, typer.Option("--divide", help="also by the first move")] = False,
    json: Json = False,
) -> None:
    """Count the sequences of so many moves, outcomes of chance among them; games that end sooner do not count."""
    from turnsmith.cli.explain import played
    from turnsmith.cli.progress import progress_bar
    from turnsmith.contract.loading import load
    from turnsmith.play.perft import perft as count
    from turnsmith.play.position import Position

    loaded = load(game)
    position = played(Position(loaded, seed, draws_chance=False), after)
    rows = []
    count(position, min(2, depth))  # compiled now
    for length in range(1, depth + 1):
        with progress_bar(f"{loaded.text_name}: {length} moves", hidden=json) as progress:
            begun = time.perf_counter()
            by_move = count(position, length, progress)
        rows.append({"depth": length, "sequences": sum(by_move.values()), "seconds": time.perf_counter() - begun})
        if not json:
            row = rows[-1]
            typer.echo(f"{length:>3} {row['sequences']:>22,} {row['seconds']:>12.3f} s")
    if json:
        print_json({"game": loaded.text_name, "seed": seed, "after": after, "counts": rows, "divide": by_move})
        return
    for words, sequences in by_move.items() if divide else ():
        typer.echo(f"{words:<20} {sequences:>22,}")


COMMANDS = (perft,)
