"""``turnsmith warm``: compile ahead what the page wants, so that nobody waits for it later."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import Json, game_names, whole
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import lasting, split


def warm(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME]...", help="only these, e.g. pig ./my_game.py", autocompletion=game_names),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(help="only the rules and these levels or players, e.g. easy,mcts; none for rules alone"),
    ] = None,
    first: Annotated[
        bool, typer.Option("--first", help="only what the first match needs: rules, and the usual opponent")
    ] = False,
    workers: Annotated[int, whole("processes; 0: one a core, at most 4", 0, 64)] = 0,
    json: Json = False,
) -> None:
    """Compile ahead what the page wants of every game: its rules, levels, advisers and arena, most wanted first.

    Work that was stopped goes on when the command is given again: what is compiled stays in the cache.
    """
    from turnsmith.warm.parts import first_parts
    from turnsmith.warm.queue import CompileJob, Warming, all_of

    if first and players is not None:
        raise BadInput("--first names the players already; leave out one of --first and --players")
    only = None if players is None else [] if players == "none" else split(players)
    done: list[CompileJob] = []
    warming = Warming(workers or min(4, os.cpu_count() or 1))
    for order, game in enumerate(all_of(games or [])):
        warming.add(game, order, only, first_parts(game) if first else ())
    ready = sum(work.is_done for work in warming.works.values())
    with _telling(warming, hidden=json) as tell:

        def note(work: CompileJob) -> None:
            done.append(work)
            tell(work)

        warming.tell = note
        warming.start()
        try:
            for work in list(warming.works.values()):
                while not work.ended.wait(0.2) and not warming.is_over:
                    pass
        finally:
            warming.stop()
    if json:
        print_json([_row(work) for work in warming.works.values()])
    else:
        made = sum(work.compiled for work in done)
        _say_end(len(warming.works), ready, made)


def _row(work: Any) -> dict[str, Any]:
    return {
        "game": work.part.game,
        "part": work.part.who or work.part.kind,
        "ready": work.is_done,
        "compiled": work.compiled,
        "seconds": round(work.seconds, 2) if work.compiled else 0.0,
        "problem": work.error,
    }


def _say_end(parts: int, ready: int, made: int) -> None:
    if ready == parts:
        typer.echo(f"all is ready: {parts} parts, nothing to compile")
    else:
        typer.echo(f"all is ready: {parts} parts, {ready} of them before; {made} kernels compiled")


@contextlib.contextmanager
def _telling(warming: Any, hidden: bool) -> Iterator[Callable[[Any], None]]:
    """A line a part that is done, above a bar where a person is looking, with the time that is left."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from turnsmith.warm.queue import CompileJob

    if hidden:
        yield lambda work: None
        return
    console = Console(stderr=True)
    count = len(warming.works)

    def line(work: CompileJob) -> str:
        took = f"{work.seconds:5.1f} s" if work.compiled else "  ready"
        return f"{took}  {work.part.named}"

    if not console.is_terminal:
        yield lambda work: typer.echo(line(work), err=True)
        return
    columns: list[Any] = [BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False)]
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("getting ready …", total=count, completed=count - len(warming.waiting))

        def tell(work: CompileJob) -> None:
            console.print(line(work), markup=False, highlight=False)
            left = warming.waiting
            now = next((job.part.named for job in left if job.begun), "")
            seconds = warming.promised()
            description = now if seconds is None else f"about {lasting(seconds)} left; {now}"
            bar.update(task, completed=count - len(left), description=description)

        yield tell


COMMANDS = (warm,)
