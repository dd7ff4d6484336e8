"""``turnsmith cfr`` and ``turnsmith exploitability``: solve games with secrets, and say how much a player can lose."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import GameText, Json, Seed, real, whole
from turnsmith.common.errors import BadInput

if TYPE_CHECKING:
    from turnsmith.search.cfr import Solution, Solving
    from turnsmith.search.information_sets import ListedGame

SAVE_EVERY = 10.0
"""Seconds between two writings of the file, and at least so many times what the last one took."""
Limit = Annotated[int, whole("the most positions of the tree, 150 bytes each", 1, 200_000_000)]


def cfr(
    game: GameText,
    to: Annotated[
        Path | None,
        typer.Option(help="the file to keep the strategy in: .npz, to play from and to go on with, or .json to read"),
    ] = None,
    iterations: Annotated[
        int | None, whole("at most so many iterations; 1,000, and without a limit if --until is given")
    ] = None,
    until: Annotated[float, real("stop when the exploitability is this", 0.0, 1e9)] = 0.0,
    method: Annotated[str, typer.Option(help="cfr+, dcfr, cfr, mccfr (external sampling), or lp (exact)")] = "cfr+",
    seed: Seed = 0,
    limit: Limit = 5_000_000,
    json: Json = False,
) -> None:
    """Solve a small game with hidden information; given again with the same file, it goes on where it was."""
    from turnsmith.cli.progress import progress_bar
    from turnsmith.common.files import refuse_unwritable
    from turnsmith.contract.loading import load
    from turnsmith.search.cfr import METHODS, MOST_ITERATIONS, Solving, solve_by_regrets
    from turnsmith.search.information_sets import list_sets
    from turnsmith.search.strategies import resume

    if method not in METHODS:
        raise BadInput(f"--method {method[:40]} must be one of {', '.join(METHODS)}")
    if to is not None:
        if to.suffix not in (".npz", ".json"):
            raise BadInput(f"--to {to} must end in .npz or .json")
        refuse_unwritable(to, "--to")
    wanted = iterations or (MOST_ITERATIONS if until else 1000)
    loaded = load(game)
    begun = time.perf_counter()
    listing = list_sets(loaded, loaded.board(seed).tobytes(), limit)
    listed = time.perf_counter() - begun
    solving = Solving(listing, method, seed)
    if to is not None and to.suffix == ".npz" and to.exists():
        resume(to, solving)
    if not listing.is_opposed and not json:
        typer.echo(_warning(listing), err=True)
    solving.warm()
    before, begun = solving.iterations, time.perf_counter()
    with progress_bar(f"{method} on {loaded.text_name}", hidden=json) as progress:
        solution = solve_by_regrets(solving, wanted, until, saving(solving, to, wanted, progress))
    took = Took(listed, time.perf_counter() - begun, solution.iterations - before)
    keep(solution, solving, to)
    if json:
        print_json({**document(solution, method), "listing_seconds": took.listing, "seconds": took.solving})
    else:
        typer.echo("\n".join(report(solution, method, took, to)))


class Took(NamedTuple):
    """What solving a game took: seconds of listing it and of solving it, and iterations made now."""

    listing: float
    solving: float
    iterations: int


def saving(
    solving: Solving, to: Path | None, wanted: int, progress: Callable[[int, int], None]
) -> Callable[[Solution], None]:
    """Reports progress of a solution, and writes a strategy to go on from now and then."""
    from turnsmith.search.strategies import save

    due = time.perf_counter() + SAVE_EVERY

    def tell(solution: Solution) -> None:
        nonlocal due
        progress(solution.iterations, wanted)
        now = time.perf_counter()
        if to is not None and to.suffix == ".npz" and now > due:
            save(to, solving, solution)
            took = time.perf_counter() - now
            due = time.perf_counter() + SAVE_EVERY * max(1.0, took)

    return tell


def keep(solution: Solution, solving: Solving, to: Path | None) -> None:
    """Write the strategy as the name of the file asks for."""
    from turnsmith.common.files import write_text
    from turnsmith.search.strategies import save

    if to is not None and to.suffix == ".npz":
        save(to, solving, solution)
    elif to is not None:
        write_text(to, in_words(solution, solving.method))


def report(solution: Solution, method: str, took: Took, to: Path | None) -> list[str]:
    """What was found, for people, line by line."""
    listing, made = solution.listing, took.iterations
    lines = [
        f"{listing.game.text_name}: {len(listing.tree.sets):,} positions, {listing.sets:,} information sets, "
        f"{len(listing.actions) - listing.seats:,} actions in them, listed in {took.listing:.2f} s"
    ]
    if method == "lp":
        lines.append(f"lp: {took.solving:.2f} s")
    else:
        speed = f" in {took.solving:.2f} s ({made / took.solving:,.0f} a second)" if made else ""
        lines.append(f"{method}: {solution.iterations:,} iterations, {made:,} of them now{speed}")
    lines.append(f"value           {said(solution.judgement.values)}")
    lines.append(f"the best answer {said(solution.judgement.best)}")
    lines.append(f"exploitability  {solution.exploitability:.3g}")
    if to is not None:
        lines.append(f"wrote {to}" + (f"; play against cfr:strategy={to}" if to.suffix == ".npz" else ""))
    return lines


def exploitability(
    game: GameText,
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="e.g. random, cfr:strategy=FILE, mcts:simulations=50")
    ],
    asks: Annotated[int, whole("decisions counted in each set, of players that do not know their odds")] = 100,
    seed: Seed = 0,
    limit: Limit = 5_000_000,
    json: Json = False,
) -> None:
    """Say how much the best opponent would win from a player, in a small game."""
    from turnsmith.search.exploitability import judged, listed, policy_of

    begun = time.perf_counter()
    listing, who = listed(game, player, limit, seed)
    result = judged(listing.form, policy_of(listing, who, asks))
    seconds, is_exact = time.perf_counter() - begun, who.whole_policy(listing) is not None
    if json:
        about = {"game": listing.game.text_name, "player": repr(who), "asks": None if is_exact else asks}
        numbers = {"values": result.values, "best_responses": result.best, "nash_conv": result.nash_conv}
        print_json({**about, **numbers, "exploitability": result.exploitability, "seconds": seconds})
        return
    if not listing.is_opposed:
        typer.echo(_warning(listing), err=True)
    counted = "" if is_exact else f", {asks} decisions counted in each"
    typer.echo(f"{who!r} in {listing.game.text_name}, {listing.sets:,} information sets{counted}, {seconds:.2f} s")
    typer.echo(f"among themselves  {said(result.values)}")
    typer.echo(f"the best answer   {said(result.best)}")
    typer.echo(f"exploitability    {result.exploitability:.6g}")


# ---------------------------------------------------------------- what is said


def said(numbers: tuple[float, ...]) -> str:
    return "   ".join(f"seat {seat} {number:+.6f}" for seat, number in enumerate(numbers))


def _warning(listing: ListedGame) -> str:
    return (
        f"{listing.game.text_name} is not a game of two opposed seats: what comes out need not be an equilibrium; "
        "its exploitability says how far it is from one"
    )


def document(solution: Solution, method: str) -> dict[str, Any]:
    """All of it, for programs."""
    listing = solution.listing
    return {
        "game": listing.game.text_name,
        "method": method,
        "iterations": solution.iterations,
        "values": solution.judgement.values,
        "best_responses": solution.judgement.best,
        "exploitability": solution.exploitability,
        "positions": len(listing.tree.sets),
        "information_sets": listing.sets,
        "is_opposed": listing.is_opposed,
        "recalls": listing.recalls,
    }


def in_words(solution: Solution, method: str) -> str:
    """The strategy for people and other programs: what the seat sees, and how likely it plays each move, in words."""
    import json

    from turnsmith.play.position import PositionView

    listing, form = solution.listing, solution.listing.form
    values, likely = solution.expected()
    rows = []
    for number in range(listing.sets):
        look = PositionView(listing.game, listing.boards, listing.states(number)).seen_by(int(form.owners[number]))
        own = range(form.firsts[number], form.firsts[number + 1])
        policy = {look.words(int(listing.actions[place])): round(float(solution.strategy[place]), 6) for place in own}
        value = None if likely[number] == 0.0 else round(float(values[number]), 6)
        rows.append({"seat": int(form.owners[number]), "sees": str(look), "policy": policy, "value": value})
    return json.dumps({**document(solution, method), "sets": rows}, indent=1, ensure_ascii=False) + "\n"


COMMANDS = (cfr, exploitability)
