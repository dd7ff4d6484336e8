"""``turnsmith balance``: what a game is like when it is played often, as one page or as JSON."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import Address, Database, GameText, Json, Runner, Seed, Workers, whole
from turnsmith.cli.progress import progress_bar
from turnsmith.files import refuse_unwritable, write_text
from turnsmith.texts import BadInput, split


def balance(
    game: GameText,
    player: Annotated[str, typer.Option(help="a player for all seats, e.g. mcts:simulations=50")] = "",
    players: Annotated[str, typer.Option(help="or several, who meet each other: a comma list")] = "",
    games: Annotated[int, typer.Option(help="how many games, with each value of --vary again", min=1)] = 1000,
    to: Annotated[Path | None, typer.Option(help="file for the report, one HTML page")] = None,
    vary: Annotated[
        str, typer.Option(help="KEY=A..B, KEY=A..B..STEP or KEY=A|B|C: an option, or a number such as turn.rounds")
    ] = "",
    seed: Seed = 0,
    workers: Workers = 0,
    opening: Annotated[int, whole("random moves every start begins with, the same in all rotations", 0, 1000)] = 0,
    store: Database = "sqlite:///turnsmith.db",
    runner: Runner = "local",
    address: Address = "",
    json: Json = False,
) -> None:
    """Report a game's balance: seats, length, endings, actions, boards, players, and what an option changes.

    A report that was stopped or killed goes on with its games when the same command is given again.
    """
    if bool(player) == bool(players):
        raise BadInput("name one --player for all seats, or several --players who meet")
    if to:
        refuse_unwritable(to, "--to")
    from turnsmith.arena.balance import balance as run
    from turnsmith.cluster import cluster
    from turnsmith.game import load

    named = [player] if player else split(players)
    loaded = load(game)
    with cluster(runner, address, workers), progress_bar(loaded.text_name, hidden=json) as report:
        found = run(
            loaded,
            named,
            games,
            seed=seed,
            workers=workers or os.cpu_count() or 1,
            opening=opening,
            store=None if store == "none" else store,
            vary=vary,
            progress=report,
        )
    document = found.to_dict()
    if to:
        from turnsmith.arena.balance_page import page

        write_text(to, page(document))
    if json:
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
        said = "cost" if found["sign"] < 0 else "score"
        whose = "of the first to decide " if len(found["seats"]) > 1 else ""
        lines.append(f"mean {said} {whose}{found['sign'] * first['mean_return']:.4g}")
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
