"""``turnsmith balance``: what a game is like when it is played often, as one page or as JSON."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnsmith.cli import print_json
from turnsmith.cli.command import command
from turnsmith.cli.options import Address, Database, GameText, Json, Opening, Runner, Seed, Workers
from turnsmith.cli.progress import progress_bar
from turnsmith.common.errors import BadInput
from turnsmith.common.files import refuse_unwritable, write_text
from turnsmith.common.settings import setting, split


@dataclass(frozen=True)
class BalanceOptions:
    """What ``turnsmith balance`` is asked for."""

    game: GameText
    player: str = ""
    """a player for all seats, e.g. mcts:simulations=50"""
    players: str = ""
    """or several, who meet each other: a comma list"""
    games: int = setting(1000, 1)
    """how many games, with each value of --vary again"""
    to: Path | None = None
    """file for the report, one HTML page"""
    vary: str = ""
    """KEY=A..B, KEY=A..B..STEP or KEY=A|B|C: an option, or a number such as turn.rounds"""
    seed: Seed = 0
    workers: Workers = 0
    opening: Opening = 0
    store: Database = "sqlite:///turnsmith.db"
    runner: Runner = "local"
    address: Address = ""
    json: Json = False


@command(BalanceOptions)
def balance(options: BalanceOptions) -> None:
    """Report a game's balance: seats, length, endings, actions, boards, players, and what an option changes.

    A report that was stopped or killed goes on with its games when the same command is given again.
    """
    if bool(options.player) == bool(options.players):
        raise BadInput("name one --player for all seats, or several --players who meet")
    to, workers = options.to, options.workers
    if to:
        refuse_unwritable(to, "--to")
    from turnsmith.arena.balance import balance as run
    from turnsmith.cluster import cluster
    from turnsmith.contract.loading import load

    loaded = load(options.game)
    with (
        cluster(options.runner, options.address, workers),
        progress_bar(loaded.text_name, hidden=options.json) as report,
    ):
        measured = run(
            loaded,
            [options.player] if options.player else split(options.players),
            options.games,
            seed=options.seed,
            workers=workers or os.cpu_count() or 1,
            opening=options.opening,
            store=None if options.store == "none" else options.store,
            vary=options.vary,
            progress=report,
        )
    document = measured.to_dict()
    if to:
        from turnsmith.arena.balance_page import page

        write_text(to, page(document))
    if options.json:
        print_json(document)
    else:
        print("\n".join(summary(document)))
        print(f"the report is in {to}" if to else "--to report.html writes all of it as a page, --json prints it")


def summary(found: dict[str, Any]) -> list[str]:
    """The few numbers one asks for first."""
    first, draws, moves = found["first"], found["draws"], found["length"]["moves"]
    lines = [f"{found['game']}: {found['games']:,} games, {found['different_games']:,} different, seed {found['seed']}"]
    if first["rate"] is not None:
        fair = f"; an equal share is {100 * first['fair']:.1f} %" if first["fair"] else ""
        lines.append(f"the first to decide wins {_percent(first['won'])} of games; draws {_percent(draws)}")
        lines.append(f"of the points, a win being one and those who tie sharing it, it gets {_percent(first)}{fair}")
    elif first["mean_return"] is not None:
        word = "cost" if found["sign"] < 0 else "score"
        whose = "of the first to decide " if len(found["seats"]) > 1 else ""
        lines.append(f"mean {word} {whose}{found['sign'] * first['mean_return']:.4g}")
    if moves["games"]:
        lines.append(
            f"moves: median {moves['median']['value']:,}, 95 % of games at most {moves['most_of_95']['value']:,}"
        )
    for kind, rows in (("endings", found["endings"]["rows"]), ("actions", found["actions"]["rows"])):
        lines.append(f"{kind}: " + ", ".join(f"{row[kind[:-1]]} {100 * row['rate']:.1f} %" for row in rows[:6]))
    for row in found["vary"]["rows"] if found["vary"] else []:
        share = f"points of the first {_percent(row['first'])}, " if row["first"]["rate"] is not None else ""
        median = row["length"]["moves"].get("median", {}).get("value", "–")
        lines.append(f"{found['vary']['key']}={row['value']}: {share}median {median} moves")
    return lines


def _percent(row: dict[str, Any]) -> str:
    return f"{100 * row['rate']:.1f} % ({100 * row['low']:.1f} to {100 * row['high']:.1f})"


COMMANDS = (balance,)
