"""``turnsmith train GAME COMMAND``: what a game's own ``training.py`` offers, each function of its ``COMMANDS``."""

from __future__ import annotations

import importlib
from pathlib import Path

import typer

import turnsmith


def trainable() -> list[str]:
    """The games that have something to train."""
    home = Path(turnsmith.__file__).parent / "games"
    return sorted(path.parent.name for path in home.glob("*/training.py"))


def group(wanted: bool) -> typer.Typer:
    """The commands of every trainable game; they are imported only when one of them is wanted."""
    everything = typer.Typer(help="Train and tune what the games ship.", no_args_is_help=True)
    for game in trainable():
        commands = typer.Typer(help=f"Train and tune players of {game}.", no_args_is_help=True)
        if wanted:
            for command in importlib.import_module(f"turnsmith.games.{game}.training").COMMANDS:
                commands.command()(command)
        everything.add_typer(commands, name=game)
    return everything
