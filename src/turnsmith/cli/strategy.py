"""``turnsmith strategy``: write a player's whole plan as a file, where it has one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from turnsmith.cli.options import GameText
from turnsmith.common.errors import BadInput
from turnsmith.common.files import refuse_unwritable, write_text


def strategy(
    game: GameText,
    player: Annotated[str, typer.Option(help="a player that plans ahead, e.g. optimal")],
    to: Annotated[Path, typer.Option(help="the file to write: .json, or .dot for GraphViz")],
) -> None:
    """Write the strategy tree of a player as JSON or GraphViz."""
    from turnsmith.contract.loading import load
    from turnsmith.play.player import player as find

    if to.suffix not in (".json", ".dot"):
        raise BadInput(f"--to {to} must end in .json or .dot")
    refuse_unwritable(to, "--to")
    loaded = load(game)
    who = find(player, loaded)
    plan = getattr(who, "strategy", None)
    if plan is None:
        raise BadInput(f"{player} decides move by move and has no strategy tree to write; choose a player that has one")
    boards = loaded.board()
    who.check(loaded, boards)
    tree = plan(loaded, boards)
    write_text(to, tree.json() if to.suffix == ".json" else tree.dot())
    typer.echo(f"wrote {to}")


COMMANDS = (strategy,)
