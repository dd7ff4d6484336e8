"""``turnsmith train pacman …``: fair starts, what parts of the search bring, the net, the league, SARSA, the table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import Json, LearningSeed, Workers, folder_option, real, whole
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
    games: Annotated[int, whole("games a start")] = 20,
    seed: LearningSeed = 1,
    json: Json = False,
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
    json: Json = False,
) -> None:
    """How deep the search comes in so much time, with and without each of its parts."""
    from turnsmith.measure import depths
    from turnsmith.texts import BadInput

    try:
        limits = sorted(float(text) for text in seconds.split(","))
    except ValueError:
        limits = []
    if not limits or not all(0 < limit <= 3600 for limit in limits):
        raise BadInput(f"--seconds {seconds} must be numbers up to 3600 with commas between them, e.g. 0.3,3")
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


def value(
    folder: Annotated[Path, folder_option("where work is kept; the same folder goes on")] = Path("pacman-value"),
    games: Annotated[int, whole("games to learn from, 80 a maze")] = 2400,
    sweeps: Annotated[int, whole("times that all positions are looked at again", 0)] = 10,
    seed: LearningSeed = 1,
    workers: Workers = 0,
) -> None:
    """Learn the evaluation of `learned` by play in mazes drawn at random; prints the file of the newest nets."""
    from turnsmith.cli.arena import progress_bar
    from turnsmith.games.pacman import selfplay
    from turnsmith.texts import BadInput

    if sweeps < 0 or games < 1:
        raise BadInput(f"--games {games} must be at least 1 and --sweeps {sweeps} at least 0")

    def tell(sweep: int, side: str, found: dict[str, Any]) -> None:
        guesses = {name: found[name] for name in ("net", "line", "mean")}
        errors = ", ".join(f"{name} {f['squared_error']:.3f} ± {f['reach']:.3f}" for name, f in guesses.items())
        typer.echo(f"sweep {sweep}, {side}: squared error on {found['mazes']} mazes never trained on: {errors}")

    with progress_bar("mazes and sweeps") as report:
        newest = selfplay.learn(folder, games, sweeps, seed, workers or os.cpu_count() or 1, report, tell)
    typer.echo(f"{newest}")


def league(
    folder: Annotated[Path, folder_option("where the league is kept; the same folder goes on")] = Path("pacman-league"),
    evaluation: Annotated[str, typer.Option(help="features or voronoi")] = "features",
    iterations: Annotated[int, whole("new main players, each with an exploiter")] = 3,
    trials: Annotated[int, whole("weights tried for a main player")] = 100,
    exploiter_trials: Annotated[int, whole("weights tried for an exploiter")] = 20,
    games: Annotated[int, whole("games a trial for each opponent and side")] = 20,
    depth: Annotated[int, whole("plies everybody looks ahead")] = 2,
    seed: LearningSeed = 1,
    workers: Workers = 0,
) -> None:
    """Tune weights in a league of main players and exploiters; prints its curve and the file of the newest weights."""
    from turnsmith.cli.arena import progress_bar
    from turnsmith.games.pacman import league as room
    from turnsmith.texts import BadInput

    if min(iterations, trials, exploiter_trials, games, depth) < 1:
        raise BadInput("--iterations, --trials, --exploiter-trials, --games and --depth must be at least 1")
    settings = room.Settings(
        evaluation=evaluation, iterations=iterations, trials=trials, exploiter_trials=exploiter_trials, games=games,
        depth=depth, seed=seed,
    )  # fmt: skip

    def tell(found: dict[str, Any]) -> None:
        parts = ", ".join(f"{name} {score:.3f}" for name, score in found["against"].items())
        typer.echo(f"iteration {found['iteration']}: {found['score']:.3f} ({parts})")

    with progress_bar("trials") as report:
        newest = room.run(folder, settings, workers or os.cpu_count() or 1, report, tell)
    typer.echo(f"{newest}")


def sarsa(
    folder: Annotated[Path, folder_option("where the table is kept; the same folder goes on")] = Path("pacman-sarsa"),
    episodes: Annotated[int, whole("games, in mazes drawn at random, against the arcade's ghosts")] = 20_000,
    mazes: Annotated[int, whole("mazes they are played in")] = 100,
    rate: Annotated[float, real("how far a value moves towards a return at first", 0.0, 1.0)] = 0.05,
    exploration: Annotated[float, real("the chance of any move at first", 0.0, 1.0)] = 0.1,
    discount: Annotated[float, real("what a reward is worth a turn later", 0.0, 1.0)] = 0.98,
    trace: Annotated[float, real("lambda", 0.0, 1.0)] = 0.9,
    seed: LearningSeed = 1,
) -> None:
    """Learn the table of `sarsa`; prints how it does in mazes it never saw, and its file."""
    from turnsmith.cli.arena import progress_bar
    from turnsmith.games.pacman import episodes as room

    settings = room.Settings(
        episodes=episodes, mazes=mazes, rate=rate, exploration=exploration, discount=discount, trace=trace, seed=seed
    )

    def tell(found: dict[str, Any]) -> None:
        reach = found["high"] - found["eaten"]
        typer.echo(f"{found['episodes']} episodes: {found['eaten']:.3f} ± {reach:.3f} eaten in mazes never trained on")

    with progress_bar("episodes") as report:
        newest = room.learn(folder, settings, report, tell)
    typer.echo(f"{newest}")


def table(
    folder: Annotated[Path, folder_option("where cells are kept; the same folder goes on")] = Path("pacman-table"),
    pacmans: Annotated[str, typer.Option(help="comma list of players for the columns; empty for the usual")] = "",
    ghosts: Annotated[str, typer.Option(help="comma list of players for the rows; empty for the usual")] = "",
    games: Annotated[int, whole("games a cell, at least")] = 200,
    seed: LearningSeed = 1,
    workers: Workers = 0,
    plot: Annotated[str, typer.Option(help="write the scores by map to this SVG file")] = "",
    json: Json = False,
) -> None:
    """The seed's table: ghosts in rows, pacmans in columns, shares of dots eaten with 95 % intervals."""
    from turnsmith.cli.arena import progress_bar
    from turnsmith.games.pacman import table as room
    from turnsmith.learn.files import write_whole
    from turnsmith.texts import BadInput, split

    if games < 1:
        raise BadInput(f"--games {games} must be at least 1")
    columns = {text: text for text in split(pacmans)} if pacmans else room.PACMANS
    rows = {text: text for text in split(ghosts)} if ghosts else room.GHOSTS
    with progress_bar("cells", hidden=json) as report:
        cells = room.fill(folder, columns, rows, games, seed, workers or os.cpu_count() or 1, report)
    if plot:
        write_whole(Path(plot), lambda target: target.write(room.plot(cells).encode()))
    if json:
        print_json(cells)
    else:
        typer.echo(room.markdown(cells))


COMMANDS = (fairness, ingredients, value, league, sarsa, table)
