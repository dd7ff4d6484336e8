"""``turnsmith strategy``: write a player's whole plan as a file, where it has one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from turnsmith.texts import BadInput


def strategy(
    game: Annotated[str, typer.Argument(help="a game, e.g. mastermind:colors=4,pegs=2")],
    player: Annotated[str, typer.Option(help="a player that plans ahead, e.g. optimal")],
    to: Annotated[Path, typer.Option(help="the file to write: .json, or .dot for GraphViz")],
) -> None:
    """Write the strategy tree of a player as JSON or GraphViz."""
    from turnsmith.game import load
    from turnsmith.player import player as find

    if to.suffix not in (".json", ".dot"):
        raise BadInput(f"--to {to} must end in .json or .dot")
    if not to.parent.is_dir():
        raise BadInput(f"--to {to}: there is no folder {to.parent}; make it first")
    loaded = load(game)
    found = find(player, loaded)
    plan = getattr(found, "strategy", None)
    if plan is None:
        raise BadInput(f"{player} decides move by move and has no strategy tree to write; choose a player that has one")
    boards = loaded.board()
    found.check(loaded, boards)
    tree = plan(loaded, boards)
    part = to.with_name(to.name + ".part")
    part.write_text(tree.json() if to.suffix == ".json" else tree.dot())
    part.replace(to)
    typer.echo(f"wrote {to}")


COMMANDS = (strategy,)
