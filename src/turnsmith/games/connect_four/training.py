"""``turnsmith train connect_four …``: the opening table of `perfect`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def openings(
    file: Annotated[Path, typer.Option(help="the table; one that is there already is gone on with")] = Path(
        "openings.bin"
    ),
    plies: Annotated[int, typer.Option(help="the most stones of a position in it, 0 to 14")] = 12,
    table: Annotated[int, typer.Option(help="size of the solver's table: 2 to this power entries of 8 bytes")] = 24,
) -> None:
    """Solve the first moves: every position that `perfect` can meet while it follows the table, on either side."""
    from turnsmith.games.connect_four.openings import compute
    from turnsmith.texts import BadInput

    if not 0 <= plies <= 14 or not 15 <= table <= 28:
        raise BadInput(f"--plies {plies} must be 0 to 14 and --table {table} 15 to 28")
    compute(file, plies, table, tell=lambda stones, done, of: typer.echo(f"{stones} stones: {done} of {of} positions"))
    typer.echo(f"{file}")


COMMANDS = (openings,)
