"""``turnsmith train GAME NAME`` runs what a game declares, ``turnsmith train METHOD GAME`` what works on any game.

The options of a training are the fields of its settings. A game is asked only when it is named, so that other commands
start without it.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from turnsmith.cli import print_json
from turnsmith.cli.command import options_of, parameter, read_settings, with_signature
from turnsmith.cli.options import Address, GameText, Json, Runner, Workers
from turnsmith.cli.progress import progress_bar
from turnsmith.common.errors import BadInput
from turnsmith.common.files import refuse_unwritable_folder
from turnsmith.contract.homes import STUDIES
from turnsmith.contract.registry import GAMES, games
from turnsmith.contract.trainings import Training, TrainingContext, command_line, hear_nothing, trainings

METHODS = {"value": "turnsmith.learn.value", "alphazero": "turnsmith.learn.alphazero"}
"""Ways to train that work on any game: name -> module with a `TRAINING`, whose `train` finds the game in its work."""


class Trainable(typer.core.TyperGroup):
    """A group whose commands are found when they are asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*METHODS, *trainable()]

    def get_command(self, ctx: Any, name: str) -> Any:
        if name in METHODS:
            training = importlib.import_module(METHODS[name]).TRAINING
            return as_command(command_of(training, name, takes_game=True))
        known = trainings(name)
        if not known:
            can = ", ".join(self.list_commands(ctx))
            any_way = ", ".join(f"turnsmith train {method} {name}" for method in METHODS)
            raise BadInput(f"{name} declares nothing of its own to train; try {any_way}. There are {can}")
        commands = typer.Typer(help=f"Train and tune players of {name}.", no_args_is_help=True, add_completion=False)
        commands.callback()(lambda: None)  # a group, even of one command
        for key, training in known.items():
            commands.command(key)(command_of(training, key, home=name))
        command_group = typer.main.get_command(commands)
        command_group.name = name
        return command_group


def group() -> typer.Typer:
    """The command `train` with all below it."""
    return typer.Typer(
        cls=Trainable, help="Train and tune players.", no_args_is_help=True, subcommand_metavar="GAME NAME [OPTIONS]..."
    )


def trainable() -> list[str]:
    """The games that come with turnsmith and declare something, without importing any."""
    places = {name: (STUDIES / name / "trainings.py", GAMES / f"{name}.py") for name in games()}
    texts = {name: [file.read_text("utf-8") for file in files if file.exists()] for name, files in places.items()}
    return [name for name, contents in texts.items() if any("\nTRAININGS" in text for text in contents)]


def as_command(run: Callable[..., None]) -> Any:
    alone = typer.Typer(add_completion=False)
    alone.command()(run)
    return typer.main.get_command(alone)


def command_of(training: Training, name: str, home: str = "", takes_game: bool = False) -> Callable[..., None]:
    """A function with the signature from which typer makes the options of a training."""

    def run(**given: Any) -> None:
        from turnsmith.cluster import cluster

        json, cores = given.pop("json"), given.pop("workers")
        runner, address = given.pop("runner"), given.pop("address")
        game_text = given.pop("game", home)
        folder = given.pop("folder", None) or Path(training.folder.format(game=short_name(game_text)))
        if training.folder:
            refuse_unwritable_folder(folder, "--folder")  # rather than after long work
        chosen: Any = read_settings(training.Settings, given)
        words = [name, game_text] if takes_game else [home, name]
        with cluster(runner, address, cores), progress_bar(name, hidden=json) as progress:
            work = TrainingContext(
                folder, cores or os.cpu_count() or 1, progress, hear_nothing if json else typer.echo,
                command_line(words, chosen), game_text,
            )  # fmt: skip
            done = training.train(chosen, work)
        if json:
            print_json(done.document)
        elif done.text:
            typer.echo(done.text)

    parameters = [parameter("game", GameText)] if takes_game else []
    parameters += options_of(training.Settings)
    if training.folder:
        kept = f"where work is kept, to go on from; by default {training.folder.format(game='GAME')}"
        parameters.append(parameter("folder", Annotated[Path | None, typer.Option(help=kept)], None))
    parameters += [parameter("workers", Workers, 0), parameter("runner", Runner, "local")]
    parameters += [parameter("address", Address, ""), parameter("json", Json, False)]
    return with_signature(run, parameters, name, training.summary)


def short_name(game_text: str) -> str:
    """What files of a game begin with: no path, no options.

    >>> short_name("./games/my_game.py:size=3"), short_name("pig:players=3")
    ('my_game', 'pig')
    """
    file, dot, _ = game_text.partition(".py")
    return Path(file).name if dot else game_text.partition(":")[0]
