"""``turnsmith train pacman …``: are the starts fair, and what does each part of the search bring?"""

from __future__ import annotations

from typing import Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.games.pacman.rules import TEN

INGREDIENTS = {
    "exact": "exact=true",
    "without null windows": "exact=true,pvs=false",
    "without killers": "exact=true,killers=false",
    "without history": "exact=true,history=false",
    "without a table": "exact=true,table=4",
    "with reductions": "exact=false",
    "with reductions, top 24": "top=24",
}
FAIR = (0.2, 0.6)
"""A start is fair when self-play at depth 2 eats a share of the dots in here."""


def fairness(
    player: Annotated[str, typer.Option(help="who plays both sides")] = "negamax:depth=2,evaluation=voronoi",
    games: Annotated[int, typer.Option(help="games a start")] = 20,
    seed: Annotated[int, typer.Option(help="the same seed plays the same games")] = 1,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Let a player meet itself on each of the ten starts: a fair one leaves the pacmans 0.2 to 0.6 of the dots."""
    from turnsmith.arena import arena
    from turnsmith.arena.statistics import mean_interval

    rows = []
    for name in TEN:
        table = arena(f"pacman:map={name}", [player, player], games, seed=seed)
        mean, low, high = mean_interval(table.returns[:, 0])
        rows.append(
            {"map": name, "games": games, "eaten": round(mean, 4), "low": round(low, 4), "high": round(high, 4)}
        )
        if not json:
            verdict = "fair" if FAIR[0] <= mean <= FAIR[1] else "not fair"
            typer.echo(f"{name:<22} {mean:.3f} ± {high - mean:.3f}  {verdict}")
    if json:
        print_json(rows)


def ingredients(
    map: Annotated[str, typer.Option(help="a map, by name or path")] = "classic-middle",
    evaluation: Annotated[str, typer.Option(help="features or voronoi")] = "features",
    seconds: Annotated[str, typer.Option(help="comma list of CPU seconds")] = "0.1,0.3,1,3",
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """How deep the search comes in so much time, with and without each of its parts."""
    from turnsmith.measure import depths
    from turnsmith.texts import BadInput

    try:
        limits = sorted(float(text) for text in seconds.split(","))
    except ValueError:
        raise BadInput(f"--seconds {seconds} must be numbers with commas between them, e.g. 0.3,3") from None
    rows = []
    if not json:
        typer.echo(f"{map:<26}" + "".join(f"{limit:>7g} s" for limit in limits))
    for name, settings in INGREDIENTS.items():
        size = "" if "table" in settings else ",table=22"
        reached = depths(f"pacman:map={map}", f"negamax:evaluation={evaluation},{settings}{size}", limits)
        rows.append(
            {"search": name, "depth": {f"{limit:g} s": depth for limit, depth in zip(limits, reached, strict=True)}}
        )
        if not json:
            typer.echo(f"{name:<26}" + "".join(f"{depth:>9}" for depth in reached))
    if json:
        print_json(rows)


COMMANDS = (fairness, ingredients)
