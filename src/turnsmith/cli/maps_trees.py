"""``turnsmith maps trees``: grow game trees on many maps."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import GameText, Json, Seed, Workers, real, whole
from turnsmith.files import refuse_unwritable_folder


def trees(
    game: GameText,
    to: Annotated[Path, typer.Option(help="folder for the trees; one that was begun goes on")],
    maps: Annotated[int, whole("how many maps", 1, 1_000_000)] = 2000,
    per_map: Annotated[int, whole("trees of each: other portals in Homeguard, elsewhere other chance", 1, 1000)] = 10,
    iterations: Annotated[int, whole("of two rounds each; then branches are drawn", 1, 50)] = 4,
    branches: Annotated[int, whole("kept after an iteration, drawn by their score", 1, 10_000)] = 128,
    kept: Annotated[int, whole("actions of a layer that are tried, drawn at random; 0: all", 0, 1000)] = 0,
    dropout: Annotated[float, real("share of actions left out in iterations that prune, never the first", 0, 0.99)] = 0,
    player: Annotated[str, typer.Option(help="who decides for the others: greedy in Homeguard, elsewhere random")] = "",
    seat: Annotated[int, whole("whose decisions are followed, from 0", 0, 63)] = 0,
    seed: Seed = 0,
    workers: Workers = 0,
    json: Json = False,
) -> None:
    """Grow game trees: sampled games of equal length on each map, as tensors with the maps they grew on."""
    refuse_unwritable_folder(to, "--to")
    from turnsmith.cli.arena import progress_bar
    from turnsmith.maps.grow import Settings, grow

    settings = Settings(game, maps, per_map, iterations, branches, kept, dropout, player, seat, seed)
    with progress_bar(f"trees of {game}", hidden=json) as report:
        files = grow(settings, to, workers or os.cpu_count() or 1, report)
    if json:
        print_json({"trees": maps * per_map, "files": [str(path) for path in files]})
    else:
        typer.echo(f"{maps * per_map:,} trees of {maps:,} map{'s' if maps > 1 else ''} in {to}")
