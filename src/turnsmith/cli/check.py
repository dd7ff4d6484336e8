"""``turnsmith check``: does a game keep the contract?"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import GameText, Json, Seed, real
from turnsmith.cli.progress import progress_bar
from turnsmith.common.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from turnsmith.check.report import Report
    from turnsmith.check.secrets import Secrets
    from turnsmith.contract.game import Game


NO_TIME = 3
"""The exit code where no law was found broken, and not everything was looked at."""
MOST_SEATS = 4
"""Columns of the table of what seats see."""


def check(
    game: GameText,
    positions: Annotated[int, typer.Option(help="positions of random games to look at", min=1, max=1_000_000)] = 400,
    seed: Seed = 0,
    mutations: Annotated[int, typer.Option(help="descriptions of boards to tamper with", min=0, max=1_000_000)] = 2000,
    seconds: Annotated[float, real("look about so long, and say what is left out; 0: no bound", 0.0, 1e6)] = 120.0,
    golden: Annotated[Path | None, typer.Option(help="golden playthroughs, if not tests/golden/GAME.txt")] = None,
    write_golden: Annotated[bool, typer.Option("--write-golden", help="write the golden playthroughs anew")] = False,
    json: Json = False,
) -> None:
    """Check a game against the contract, law by law; exit code 1 if one is broken, 3 if there was no time for all."""
    from turnsmith.check.checking import check as check_game
    from turnsmith.contract.loading import load_untried

    loaded = load_untried(game)
    refuse_bad_options(loaded, seed)
    with progress_bar(f"check {loaded.text_name}", hidden=json) as progress:
        bound = seconds or math.inf
        report = check_game(loaded, positions, seed, golden, write_golden, mutations, bound, progress.say)
    if json:
        print_json(report.to_dict())
    else:
        _show(report)
    if not report.ok:
        raise typer.Exit(1)
    if report.left_out:
        raise typer.Exit(NO_TIME)


def refuse_bad_options(game: Game, seed: int) -> None:
    """Options that a game refuses are a mistake of who gave them; whatever else fails is for the report."""
    try:
        game.describe(seed)
    except BadInput:
        raise
    except Exception:
        return


def _show(report: Report) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{report.game}: {report.positions} positions in {report.seconds:.1f} s", title_justify="left")
    table.add_column("law")
    table.add_column("checked", justify="right")
    table.add_column("broken", justify="right")
    for law in report.laws:
        table.add_row(law.name, f"{law.cases:,}", f"[bold red]{law.failed:,}[/]" if law.failed else "[green]–[/]")
    console = Console()
    console.print(table)
    for law in report.laws:
        if law.failed:
            console.print(f"\n[bold red]{law.name}[/]", soft_wrap=True)
        for sentence in law.failures:
            console.print(f"  {sentence}", markup=False, highlight=False, soft_wrap=True)
        if law.failed > len(law.failures):
            console.print(f"  … and {law.failed - len(law.failures):,} more")
    if report.secrets:
        _show_secrets(report.secrets, console)
    if not report.ok:
        console.print("\nLaws that rely on these were not checked yet.")
    if report.left_out:
        console.print("\nThere was no time for:", soft_wrap=True)
        for what in report.left_out:
            console.print(f"  {what}", markup=False, highlight=False, soft_wrap=True)
        console.print("Give --seconds 0 to look at everything.")


def _show_secrets(secrets: Secrets, console: Console) -> None:
    """What every seat sees of every field, for the author to hold against what was meant."""
    from rich.markup import escape
    from rich.table import Table

    seats = len(next(iter(secrets.fields.values())))
    table = Table(title=f"\nWhat seats see, at {secrets.positions} positions", title_justify="left")
    table.add_column("field")
    for seat in range(min(seats, MOST_SEATS)):
        table.add_column(f"seat {seat}")
    for name, seen in secrets.fields.items():
        table.add_row(name, *(escape(str(value)) for value in seen[:MOST_SEATS]))
    console.print(table)
    if seats > MOST_SEATS:
        console.print(f"  … and of {seats - MOST_SEATS} more seats, which --json lists")
    for sentence in secrets.forgetting:
        console.print(sentence, soft_wrap=True)
    console.print("No law knows what is meant to be secret: is every open field for that seat's eyes?", soft_wrap=True)


COMMANDS = (check,)
