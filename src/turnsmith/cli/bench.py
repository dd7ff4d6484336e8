"""``turnsmith bench``: how fast this machine runs what matters. ``bench/peers.py`` puts the peers beside it."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import Json
from turnsmith.texts import BadInput

if TYPE_CHECKING:
    from turnsmith.benches import Bench


def start_up(*words: str) -> float:
    """Seconds of a whole command in a new process, everything compiled before; the best of three."""
    command = [sys.executable, "-m", "turnsmith", *words]
    best = float("inf")
    for turn in range(4):
        begun = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        if turn:
            best = min(best, time.perf_counter() - begun)
    return best


SMALL_ARENA = ("arena", "connect_four", "--players", "random,random", "--games", "10", "--store", "none", "--json")


def all_benches() -> dict[str, Bench]:
    """What the games declare, and how long commands take to start."""
    from turnsmith.benches import Bench, declared_benches
    from turnsmith.games import games

    found = {f"{game} {name}": bench for game in games() for name, bench in declared_benches(game).items()}
    found["start-up games"] = Bench(partial(start_up, "games"), "s")
    found["start-up arena"] = Bench(partial(start_up, *SMALL_ARENA), "s")
    return found


def benches(name: str) -> dict[str, Bench]:
    """The entries whose name contains this; where there are none and it is a game, what is measured of any game."""
    from turnsmith.benches import benches_of
    from turnsmith.game import home_and_settings, names_file
    from turnsmith.games import games

    if names_file(name):
        return benches_of(name)
    entries = all_benches()
    chosen = {entry: bench for entry, bench in entries.items() if name in entry}
    if not chosen and home_and_settings(name)[0] in games():
        return benches_of(name)
    if not chosen:
        first = ", ".join(dict.fromkeys(entry.split()[0] for entry in entries))
        raise BadInput(f"no entry's name contains '{name}'; give a word of one ({first}), or a game: ./my_game.py")
    return chosen


def bench(
    name: Annotated[str, typer.Argument(help="entries whose name contains this, or a game such as ./my_game.py")] = "",
    json: Json = False,
) -> None:
    """Measure speed on this machine. Everything is compiled before it is timed."""
    rows = []
    for entry, each in benches(name).items():
        value = each.measure()
        rows.append({"name": entry, "value": value, "unit": each.unit})
        if not json:
            typer.echo(f"{entry:<48} {value:>16,.{0 if value > 100 else 4}f} {each.unit}")
    if json:
        print_json(rows)


COMMANDS = (bench,)
