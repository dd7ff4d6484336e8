"""``turnsmith maps``: files of maps, what is measured of maps and of trees grown on them. One command a function.

A further command is a function here, or in a file of its own, named in COMMANDS.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from turnsmith.cli import print_json
from turnsmith.cli.maps_trees import embed, identity, trees
from turnsmith.cli.options import GameText, Json, Seed, whole
from turnsmith.files import refuse_unwritable
from turnsmith.texts import BadInput

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
    from turnsmith.game import load
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
    from turnsmith.maps.files.own_json import described
    from turnsmith.maps.grid import drawing, form_of

    found = read(file, game, map)
    if json:
        print_json([described(each) for each in found])
        return
    for number, each in enumerate(found):
        known = {"seed": each.seed, "rating": each.rating, "class": each.label, **each.provenance}
        told = ", ".join(f"{key} {value}" for key, value in known.items() if value is not None)
        typer.echo(("\n" if number else "") + each.game + (f": {told}" if told else ""))
        form = form_of(each.game)
        for row, line in enumerate(drawing(form.grid_of(each.source), form)):
            typer.echo(" " * (form.hexes and row % 2) + (" ".join(line) if form.hexes else line))


def read(file: Path, game: str, number: int) -> list[GameMap]:
    """The maps of a file, or one of them, counted from 1."""
    from turnsmith.maps.files import load

    found = load(file, game)
    if number > len(found):
        raise BadInput(f"{file} has {len(found)} map{'s' if len(found) > 1 else ''}; there is no map {number}")
    return [found[number - 1]] if number else found


def write(to: Path, maps: list[GameMap], as_: str, json: bool) -> None:
    """Write maps and say so."""
    from turnsmith.maps.files import save

    written = [str(path) for path in save(to, maps, as_)]
    if json:
        print_json({"maps": len(maps), "files": written})
    else:
        typer.echo(f"{len(maps)} map{'s' if len(maps) > 1 else ''} in {', '.join(written)}")


COMMANDS: tuple[Callable[..., Any], ...] = (export, convert, show, trees, embed, identity)


def group() -> typer.Typer:
    """The command `maps` with all below it."""
    commands = typer.Typer(help="Maps: their files, and what is measured of them.", no_args_is_help=True)
    for command in COMMANDS:
        commands.command()(command)
    return commands
