"""``turnsmith maps``: files of maps, what is measured of maps and of trees grown on them. One command a function.

A further command is a function here, or in a file of its own, named in COMMANDS.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from turnsmith.cli import print_json
from turnsmith.cli.maps_benchmark import benchmark
from turnsmith.cli.maps_experiment import experiment
from turnsmith.cli.maps_make import make
from turnsmith.cli.maps_rate import rate
from turnsmith.cli.maps_trees import embed, identity, trees
from turnsmith.cli.options import GameText, Json, Seed, whole
from turnsmith.common.errors import BadInput
from turnsmith.common.files import refuse_unwritable

if TYPE_CHECKING:
    from turnsmith.maps.record import GameMap

MapFile = Annotated[Path, typer.Argument(metavar="FILE", help="a file of maps")]
Game = Annotated[str, typer.Option(help="of which game the maps are, where the file does not say it")]
To = Annotated[Path, typer.Option(help="file to write; its ending says the format")]
Which = Annotated[int, whole("which map of a file with several, from 1; 0 for all", 0)]
As = Annotated[str, typer.Option("--as", help="the format to write, where the ending does not say it")]


def export(
    game: GameText,
    to: To,
    seed: Seed = 0,
    maps: Annotated[int, whole("how many, of this seed and the next ones", 1, 100_000)] = 1,
    as_: As = "",
    json: Json = False,
) -> None:
    """Write maps that a game draws, for other programs: .json .tmx .tmj .ldtk .txt .png .svg .iwonmapformat."""
    refuse_unwritable(to, "--to")
    from turnsmith.contract.loading import load
    from turnsmith.maps.files import format_of
    from turnsmith.maps.record import map_of

    format_of(to, as_)  # rather than after the maps are drawn
    loaded = load(game)
    write(to, [map_of(loaded, number) for number in range(seed, seed + maps)], as_, json)


def convert(file: MapFile, to: To, game: Game = "", map: Which = 0, as_: As = "", json: Json = False) -> None:
    """Write the maps of a file in another format."""
    refuse_unwritable(to, "--to")
    from turnsmith.maps.files import format_of

    format_of(to, as_)
    write(to, read(file, game, map), as_, json)


def show(file: MapFile, game: Game = "", map: Which = 0, json: Json = False) -> None:
    """Draw the maps of a file in the terminal, and say what is known of them."""
    from turnsmith.contract.grids import drawing, form_of
    from turnsmith.maps.files.own_json import described

    maps = read(file, game, map)
    if json:
        print_json([described(game_map) for game_map in maps])
        return
    for number, game_map in enumerate(maps):
        known = {"seed": game_map.seed, "rating": game_map.rating, "class": game_map.label, **game_map.provenance}
        facts = ", ".join(f"{key} {value}" for key, value in known.items() if value is not None)
        typer.echo(("\n" if number else "") + game_map.game + (f": {facts}" if facts else ""))
        form = form_of(game_map.game)
        for row, line in enumerate(drawing(form.grid_of(game_map.source), form)):
            typer.echo(" " * (form.hexes and row % 2) + (" ".join(line) if form.hexes else line))


def measure(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="files of maps, or runs of trees by their name")],
    game: Game = "",
    measures: Annotated[str, typer.Option(help="which, a comma list; without it all that can be measured")] = "",
    important: Annotated[bool, typer.Option("--important", help="only branches that stood well at half time")] = False,
    layers: Annotated[int, whole("layers of a tree that make a round", 1, 64)] = 2,
    players: Annotated[str, typer.Option(help="who plays for balance, e.g. random; a comma list, one a seat")] = "",
    games: Annotated[int, whole("games a map for balance", 2, 1_000_000)] = 64,
    seed: Seed = 0,
    plot: Annotated[Path | None, typer.Option(help="SVG file for a histogram of every measure")] = None,
    json: Json = False,
) -> None:
    """Measure maps, and the trees grown on them: drama, uncertainty, changes of the lead, covers, symmetry, balance."""
    if plot:
        refuse_unwritable(plot, "--plot")
        from turnsmith.common.extras import refuse_without

        refuse_without("matplotlib")  # rather than after long work
    from turnsmith.common.settings import split
    from turnsmith.maps.measure_report import Asked, depths, measured, table

    names = [name.strip() for name in measures.split(",") if name.strip()]
    asked = Asked(game, tuple(names), important, layers, tuple(split(players)), games, seed)
    reports = [measured(file, asked) for file in files]
    if plot:
        from turnsmith.common.files import write_whole
        from turnsmith.maps.measure_report import histograms

        content = histograms(reports)
        write_whole(plot, lambda target: target.write(content))
    if json:
        print_json([report.to_dict() for report in reports])
        return
    from rich.console import Console

    for report in reports:
        Console().print(table(report))
        for line in depths(report):
            typer.echo(line)
    if plot:
        typer.echo(f"histograms in {plot}")


def measures(json: Json = False) -> None:
    """List the measures: what each is, and what trees must know for it."""
    from turnsmith.maps.measures import MEASURES

    entries = MEASURES.items()
    rows = [{"name": n, "of": entry.kind, "needs": list(entry.needs), "about": entry.about} for n, entry in entries]
    if json:
        print_json(rows)
        return
    for row in rows:
        needs = f" (needs {', '.join(row['needs'])})" if row["needs"] else ""
        typer.echo(f"{row['name']}{needs}: {row['about']}")


def read(file: Path, game: str, number: int) -> list[GameMap]:
    """The maps of a file, or one of them, counted from 1."""
    from turnsmith.maps.files import load

    maps = load(file, game)
    if number > len(maps):
        raise BadInput(f"{file} has {len(maps)} map{'s' if len(maps) > 1 else ''}; there is no map {number}")
    return [maps[number - 1]] if number else maps


def write(to: Path, maps: list[GameMap], as_: str, json: bool) -> None:
    """Write maps and say so."""
    from turnsmith.maps.files import save

    written = [str(path) for path in save(to, maps, as_)]
    if json:
        print_json({"maps": len(maps), "files": written})
    else:
        typer.echo(f"{len(maps)} map{'s' if len(maps) > 1 else ''} in {', '.join(written)}")


COMMANDS: tuple[Callable[..., Any], ...] = (
    export, convert, show, measure, measures, trees, embed, identity, make, rate, benchmark, experiment,
)  # fmt: skip


def group() -> typer.Typer:
    """The command `maps` with all below it."""
    commands = typer.Typer(help="Maps: their files, and what is measured of them.", no_args_is_help=True)
    for command in COMMANDS:
        commands.command()(command)
    return commands
