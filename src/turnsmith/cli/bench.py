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
from turnsmith.common.errors import BadInput

if TYPE_CHECKING:
    from turnsmith.studies.speed import Bench


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


SIGNATURE = "signature"
TIERS = "tiers"
SMALL_ARENA = ("arena", "connect_four", "--players", "random,random", "--games", "10", "--store", "none", "--json")


def all_benches() -> dict[str, Bench]:
    """What the games declare, and how long commands take to start."""
    from turnsmith.contract.registry import games
    from turnsmith.studies.speed import Bench, declared_benches

    benches_by_name = {f"{game} {name}": bench for game in games() for name, bench in declared_benches(game).items()}
    benches_by_name["start-up games"] = Bench(partial(start_up, "games"), "s")
    benches_by_name["start-up arena"] = Bench(partial(start_up, *SMALL_ARENA), "s")
    return benches_by_name


def benches(name: str) -> dict[str, Bench]:
    """The entries whose name contains this; where there are none and it is a game, what is measured of any game."""
    from turnsmith.contract.homes import home_and_settings, names_file
    from turnsmith.contract.registry import games
    from turnsmith.studies.speed import benches_of

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


def show_signature(write_golden: bool, tier: int, json: bool) -> None:
    """The number on stdout, and on stderr that of every game, with what it was where the kept file says otherwise."""
    from turnsmith.studies.signature import TOTAL, kept_file, read, signature, write

    kept = {} if write_golden else read(kept_file())

    def tell(game: str, number: int) -> None:
        before = f" (kept: {kept[game]})" if kept.get(game, number) != number else ""
        typer.echo(f"{game} {number}{before}", err=True)

    numbers = signature(tell, tier)
    if write_golden:
        write(kept_file(), numbers)
    if json:
        print_json([{"name": f"{SIGNATURE} {name}", "value": numbers[name], "unit": SIGNATURE} for name in numbers])
    else:
        typer.echo(numbers[TOTAL])


def show_tiers(json: bool) -> None:
    """What the first tier of compiled code costs: how much slower it decides, and how much sooner it is there."""
    from turnsmith.studies.tiers import PAIRS, compare

    rows = []
    for game, who in PAIRS:
        row = compare(game, who)
        rows.append({"game": game, "player": who, **row})
        if not json:
            typer.echo(
                f"{game:<14} {who:<28} {row['slower']:5.2f} × slower; compiled in {row['rules']:.1f} s (rules) "
                f"instead of {row['second']:.1f} s"
            )
    if json:
        print_json(rows)


def bench(
    name: Annotated[
        str, typer.Argument(help="entries whose name contains this, a game such as ./my_game.py, or signature")
    ] = "",
    write_golden: Annotated[bool, typer.Option("--write-golden", help="with signature: write its file anew")] = False,
    tier: Annotated[
        int, typer.Option(min=1, max=2, help="with signature: of which tier the compiled code is, 1 or 2")
    ] = 2,
    json: Json = False,
) -> None:
    """Measure speed on this machine. Everything is compiled before it is timed.

    'bench tiers' compares code for any game with code for one. 'bench signature' measures no speed: it prints one
    number for all that games and players decide.
    """
    if name == SIGNATURE:
        return show_signature(write_golden, tier, json)
    if name == TIERS:
        return show_tiers(json)
    if write_golden:
        raise BadInput(f"--write-golden is for 'turnsmith bench {SIGNATURE}'; leave it out, or measure that")
    rows = []
    for entry, entry_bench in benches(name).items():
        value = entry_bench.measure()
        rows.append({"name": entry, "value": value, "unit": entry_bench.unit})
        if not json:
            typer.echo(f"{entry:<48} {value:>16,.{0 if value > 100 else 4}f} {entry_bench.unit}")
    if json:
        print_json(rows)


COMMANDS = (bench,)
