"""``turnsmith maps rate``: maps drawn in the terminal, rated one after another; the ratings are a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from turnsmith.cli.options import GameText, real, whole
from turnsmith.common.errors import BadInput
from turnsmith.common.files import refuse_unwritable

if TYPE_CHECKING:
    from rich.console import Console

    from turnsmith.maps.making.maker import Maker, Proposal

HELP = """What you think of the map, -2 (dislike very much) to 2 (like very much), or
  skip   see another one instead (Enter does it too)
  undo   take back the last rating
  why    the rated maps that are most like this one
  quit   leave; everything that was rated is in the file"""
SHOWN = 6
"""Measures below a map."""


def rate(
    game: GameText,
    taste: Annotated[Path, typer.Option(help="the file of the ratings; one that is there is gone on with")],
    seed: Annotated[int, typer.Option(help="the same seed and ratings show the same maps", min=0, max=2**53)] = 0,
    maps: Annotated[int, whole("maps to show; 0 until you quit", 0)] = 0,
    choice: Annotated[str, typer.Option(help="what is shown: thompson, calibrate, play or random")] = "thompson",
    exploration: Annotated[float, real("how much is dared: 0 the surest maps", 0.0, 10.0)] = 1.0,
    symmetry: Annotated[str, typer.Option(help="of every map: columns, rows, turn, diagonal or quarter")] = "",
    predictor: Annotated[str, typer.Option(help="how taste is learned")] = "gp",
) -> None:
    """Rate maps in the terminal; what is shown comes closer to what you like."""
    refuse_unwritable(taste, "--taste")
    from rich.console import Console

    from turnsmith.contract.loading import load
    from turnsmith.maps.making.maker import Maker, MakerSettings
    from turnsmith.maps.taste.taste import Taste

    given = {"choice": choice, "exploration": exploration, "symmetry": symmetry, "predictor": predictor}
    settings = MakerSettings.of(**given)
    known = Taste.load(taste, game) if taste.exists() else None
    session(Maker(load(game), known, settings, seed), taste, maps, Console(highlight=False), input)


def session(maker: Maker, path: Path, most: int, console: Console, ask: Callable[[str], str]) -> None:
    """Show maps and take ratings until the person leaves. `ask` reads a line, as ``input`` does."""
    from rich.markup import escape

    rated = len(maker.taste)
    known = f", {rated} rated before" if rated else ""
    console.print(
        f"[bold]{escape(maker.game.text_name)}[/], seed {maker.seed}{known}. [bold]help[/] says what to type.\n"
    )
    shown = 0
    while not most or shown < most:
        proposals = maker.ask(1)
        if not proposals:
            console.print("There is no other map to show.")
            return
        shown += 1
        if not judged(proposals[0], maker, path, console, ask):
            console.print("Goodbye.")
            return


def judged(proposal: Proposal, maker: Maker, path: Path, console: Console, ask: Callable[[str], str]) -> bool:
    """Show a map until it is rated or skipped; False where the person leaves instead."""
    from rich.markup import escape

    draw(proposal, maker, console)
    while True:
        try:
            line = ask("-2 … 2> ").strip().lower()
        except EOFError:
            return False
        try:
            if line in ("quit", "q"):
                return False
            if line in ("skip", "s", ""):
                return True
            if line in ("undo", "u"):
                maker.undo()
                maker.taste.save(path)
                console.print(f"taken back; {len(maker.taste)} rated")
            elif line in ("why", "w"):
                explain(proposal, maker, console)
            elif line in ("help", "?"):
                console.print(escape(HELP))
            else:
                maker.tell(proposal.number, rating_of(line))
                maker.taste.save(path)
                return True
        except BadInput as error:
            console.print(f"[red]{escape(str(error))}[/]")


def rating_of(line: str) -> float:
    """The number that somebody typed."""
    try:
        return float(line.replace("−", "-"))
    except ValueError:
        raise BadInput(f"'{line[:40]}' is no rating; type -2, -1, 0, 1 or 2, or help") from None


def draw(proposal: Proposal, maker: Maker, console: Console) -> None:
    """The game's own text of the first position on a map, and what is measured of it."""
    from turnsmith.play.position import PositionView

    console.print(PositionView.at_start(maker.game, maker.game.rebuild(proposal.map.source)).text(0), "")
    names = list(proposal.measures)[:SHOWN]
    measures = [f"{name.replace('_', ' ')} {proposal.measures[name]:.2f}" for name in names]
    is_known = len(maker.taste) and not maker.untaught
    expected = f"; should be rated {proposal.said_liking()}" if is_known else ""
    console.print(f"[bold]map {proposal.number}[/]: {', '.join(measures)}{expected}")


def explain(proposal: Proposal, maker: Maker, console: Console) -> None:
    """The nearest rated maps."""
    for number, nearness, rating in proposal.why:
        console.print(f"{nearness:.0%} like rating {number}, which was {rating:+g}")
    if not proposal.why:
        console.print("nothing was rated when it was chosen: it is one of many kinds of maps")
