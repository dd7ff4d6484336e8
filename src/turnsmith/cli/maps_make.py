"""``turnsmith maps make``: maps to somebody's taste, as files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import GameText, Json, Seed, real, whole
from turnsmith.common.errors import BadInput, shown
from turnsmith.common.files import refuse_unwritable_folder, write_folder

if TYPE_CHECKING:
    from turnsmith.maps.making.maker import Maker, Proposal
    from turnsmith.maps.record import GameMap

DIGITS = 4


def make(
    game: GameText,
    to: Annotated[Path, typer.Option(help="folder for the maps: maps.json with all that is known of them, and files")],
    taste: Annotated[Path | None, typer.Option(help="ratings, as rated before; without them maps of all kinds")] = None,
    count: Annotated[int, whole("how many maps", 1, 1000)] = 20,
    as_: Annotated[str, typer.Option("--as", help="also a file a map: tmx, tmj, ldtk, txt, png, svg …")] = "",
    evaluations: Annotated[int, whole("children bred before; 0: as usual", 0)] = 0,
    symmetry: Annotated[str, typer.Option(help="columns, rows, turn, diagonal or quarter")] = "",
    predictor: Annotated[str, typer.Option(help="what tells liking from ratings: gp, density, elimination-2 …")] = "",
    balance: Annotated[float, real("the most that a seat may be better off; 1: anything goes", 0, 1)] = 1.0,
    player: Annotated[str, typer.Option(help="who plays on finished maps, such as random")] = "",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Make maps that somebody should like, unlike each other, from a few ratings; each is played on and measured."""
    refuse_unwritable_folder(to, "--to")
    refuse_filled(to)
    from turnsmith.cli.progress import progress_bar
    from turnsmith.contract.loading import load
    from turnsmith.maps.files import FORMATS, format_of
    from turnsmith.maps.making.maker import Maker, MakerSettings
    from turnsmith.maps.taste.taste import Taste

    if as_:
        format_of(Path("map"), as_)  # rather than after the maps are made
    loaded = load(game)
    known = Taste.load(taste, game) if taste else Taste(loaded.home or loaded.name)
    options = {"symmetry": symmetry, "predictor": predictor, "player": player, "evaluations": evaluations}
    chosen: dict[str, Any] = {**known.settings, **{name: value for name, value in options.items() if value}}
    if balance < 1.0:
        chosen["balance"] = balance
    maker = Maker(loaded, known, MakerSettings.of(**chosen), seed)
    wanted = maker.pending

    def told() -> bool:
        report(wanted - maker.pending, wanted)
        return False

    with progress_bar(f"maps of {game}", hidden=json) as report:
        maker.evolve(stop=told)
    proposals = maker.make(count)
    contents: dict[str, str | bytes] = {}
    maps = [about(proposal) for proposal in proposals]
    if as_ and as_ != "json":
        digits = len(str(len(maps)))
        for number, game_map in enumerate(maps, start=1):
            name = f"map-{number:0{digits}d}{FORMATS[as_].endings[0]}"
            for behind, content in FORMATS[as_].code.write([game_map], name).items():
                contents[name + behind] = content
    contents["maps.json"] = FORMATS["json"].code.write(maps, "maps.json")[""]
    contents["taste.json"] = known.text
    write_folder(to, contents)
    tell(proposals, to, json, sorted(contents), maker)


def refuse_filled(to: Path) -> None:
    """Refuse a folder that holds anything: somebody's ratings would be written over, and maps of two kinds mixed."""
    held = next((file.name for file in sorted(to.glob("*"))), None) if to.is_dir() else None
    if held is not None:
        raise BadInput(f"--to {to}: the folder holds {shown(held)}; name a new or an empty one")


def about(proposal: Proposal) -> GameMap:
    """The map with what is expected and measured of it."""
    numbers = {name: round(value, DIGITS) for name, value in proposal.measures.items()}
    more = {"liking": round(proposal.liking, DIGITS), "measures": numbers}
    return replace(proposal.map, provenance={**proposal.map.provenance, **more})


def tell(found: list[Proposal], to: Path, json: bool, files: list[str], maker: Maker) -> None:
    """Say what was made."""
    ratings = len(maker.taste)
    rows: list[dict[str, Any]] = [
        {"map": number, "liking": proposal.liking, "spread": proposal.spread, "unbalanced": proposal.is_unbalanced}
        | {"measures": proposal.measures}
        for number, proposal in enumerate(found, start=1)
    ]
    if json:
        print_json({"ratings": ratings, "maps": rows, "files": files})
        return
    made, rated = (f"{n} {what}{'' if n == 1 else 's'}" for n, what in ((len(found), "map"), (ratings, "rating")))
    typer.echo(f"{made} in {to}, from {rated}; maps.json has all")
    if maker.untaught:
        typer.echo(f"{maker.untaught}; rate one below 0, or take --predictor gp")
    for row, proposal in zip(rows, found, strict=True):
        advantage = row["measures"].get("seat_advantage")
        unfair = f"the first seat gains {advantage:+.2f} (not balanced)" if row["unbalanced"] else ""
        liking = "" if maker.untaught else f"liking {proposal.said_liking(2)}"
        typer.echo(f"map {row['map']}: {', '.join(filter(None, (liking, unfair))) or 'as good as any'}")
