"""Options that several commands share: each says its range in the help and refuses what is outside."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from turnsmith.common.errors import BadInput
from turnsmith.languages import LANGUAGES, of_terminal


def whole(help: str, low: int = 1, high: int = 1_000_000_000) -> Any:
    """An option for a whole number in a range."""
    return typer.Option(help=help, min=low, max=high)


def real(help: str, low: float, high: float) -> Any:
    """An option for a number in a range."""
    return typer.Option(help=help, min=low, max=high)


def language_named(code: str) -> str:
    """The language that --lang names, or the terminal's own."""
    if code and code not in LANGUAGES:
        known = ", ".join(f"{key} ({name})" for key, name in LANGUAGES.items())
        raise BadInput(f"--lang {code[:20]!r} is none that turnsmith speaks; choose one of {known}")
    return code or of_terminal()


def game_names(incomplete: str) -> list[str]:
    """What a shell completes a game with."""
    from turnsmith.contract.registry import games

    return [name for name in games() if name.startswith(incomplete)]


GameText = Annotated[
    str,
    typer.Argument(
        metavar="GAME", help="a game, e.g. connect_four, pig:players=3, ./my_game.py", autocompletion=game_names
    ),
]
Csv = Annotated[bool, typer.Option("--csv", help="print CSV, one row a player")]
Json = Annotated[bool, typer.Option("--json", help="print JSON")]
Seed = Annotated[int, typer.Option(help="the same seed plays the same games", min=0, max=2**63 - 1)]
Workers = Annotated[int, whole("threads or processes; 0: one a core", 0, 1024)]
Runner = Annotated[str, typer.Option(help="where work is done: local, or ray for a cluster (docs/how-to/cluster.md)")]
Address = Annotated[str, typer.Option(help="of a Ray cluster, e.g. 10.0.0.1:6379; else ray starts one here")]
Database = Annotated[
    str, typer.Option(help="file or URL of the database that keeps the games and resumes; 'none' for none")
]
Language = Annotated[
    str,
    typer.Option(
        "--lang", help=f"{', '.join(LANGUAGES)}; else that of the terminal", autocompletion=lambda: list(LANGUAGES)
    ),
]
Opening = Annotated[int, whole("random moves every start begins with, the same in all rotations", 0, 1000)]
Delay = Annotated[float, real("seconds between moves on the screen", 0.0, 3600.0)]
