"""``turnsmith explain``: what a player would do in one position, and why, as far as it tells."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import GameText, Json
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import parse
from turnsmith.languages import _

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from turnsmith.play.inspection import Inspection
    from turnsmith.play.player import Decision, Player
    from turnsmith.play.position import Position

ROWS, PARTS = 12, 4
"""Choices that are shown, and parts of each score; --all shows the rest."""


def explain(
    game: GameText,
    player: Annotated[str, typer.Option(help="a player or level, e.g. matrix:file=./my.txt")],
    seed: Annotated[int | None, typer.Option(help="board and chance; 0 if left out", min=0, max=2**63 - 1)] = None,
    after: Annotated[
        str,
        typer.Option(help="the moves before, in words with ; between them, e.g. 'g1; red2'; chance follows the seed"),
    ] = "",
    match: Annotated[Path | None, typer.Option(help="a saved match to take the position from, instead")] = None,
    ply: Annotated[
        int | None, typer.Option(help="after so many moves of it, chance's too; by default its last decision", min=0)
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="show every choice and every part of its score")] = False,
    json: Json = False,
) -> None:
    """Show what a player would do in a position: scores, what they are made of, what is impossible and why."""
    from rich.console import Console

    from turnsmith.contract.loading import load
    from turnsmith.play.player import player as find
    from turnsmith.play.seat import Seat

    if match is None:
        if ply is not None:
            raise BadInput("--ply counts the moves of a saved match; name one: --match match.json")
        position = played(load(game).start(seed or 0), after)
    elif seed is not None or after:
        raise BadInput("a saved match has its own seed and moves; leave out --seed and --after, or --match")
    else:
        position = replayed(game, match, ply)
    if position.mover < 0:
        raise BadInput("the game is over there, so nobody decides; name an earlier position")
    who = find(player, position.game)
    decision = Seat(who, position.game, position.boards).explain(position)
    if json:
        print_json(document(position, who, decision))
        return
    console = Console(highlight=False)
    console.print(position.text(position.mover), "")
    console.print(
        f"{position.game.text_name}, seed {position.seed}, move {len(position.history)}: seat {position.mover}"
    )
    show(console, who, decision, not all_)


# ---------------------------------------------------------------- which position


def played(position: Position, after: str) -> Position:
    """The position after some moves in words; without a ; in the text they may also have spaces between them."""
    moves = after.split(";") if ";" in after or after.strip() in position.legal else after.split()
    for number, words in enumerate((move.strip() for move in moves if move.strip()), start=1):
        try:
            position.push(words)
        except BadInput as error:
            raise BadInput(f"--after, move {number}: {error}") from None
    return position


def replayed(game: str, file: Path, ply: int | None) -> Position:
    """The position of a saved match after `ply` moves, or the last in which somebody decided."""
    from turnsmith.arena.match import load_match

    match = load_match(file, trust=True)  # nothing of it runs unless it is of the game that was named here
    if parse(match.game)[0] != parse(game)[0]:
        raise BadInput(f"{file} is a match of {match.game}, not of {game}; name that game")
    if ply is not None and ply > len(match.actions):
        raise BadInput(f"--ply {ply}: the match has {len(match.actions)} moves")
    latest = None
    for count, position in enumerate(match.positions()):
        if ply is None and position.mover >= 0:
            latest = count
        elif count == ply:
            if position.mover < 0:
                break
            return position
    if ply is None and latest is not None:
        return replayed(game, file, latest)
    reason = (
        "nobody decides anything in it"
        if ply is None
        else f"nobody decides after {ply} moves; chance does, or it is over"
    )
    raise BadInput(f"{file}: {reason}; name another ply")


# ---------------------------------------------------------------- what is shown


def document(position: Position, who: Player, decision: Decision) -> dict[str, object]:
    """All of it, for programs."""
    from dataclasses import asdict

    about = {"game": position.game.text_name, "seed": position.seed, "move": len(position.history)}
    return {**about, "seat": position.mover, "player": repr(who), **asdict(decision)}


def show(console: Console, who: Player, decision: Decision, short: bool = True) -> None:
    """A decision with all that the player tells of it."""
    from rich.markup import escape

    console.print(advised(who, decision))
    if decision.note:
        console.print(escape(decision.note))
    if len(decision.line) > 1 and ", ".join(decision.line) not in decision.note:
        console.print(_("it expects {line}").format(line=escape(", ".join(decision.line))))
    if decision.policy and len(decision.policy) > 1:
        console.print(escape("  ".join(f"{move} {share:.0%}" for move, share in decision.policy.items())))
    inspection = decision.inspection
    if inspection is None:
        console.print(_("{who} does not tell how it weighs what it might do.").format(who=escape(who.name)))
        return
    if inspection.note and inspection.note != decision.note:
        console.print(escape(inspection.note))
    seen = escape(", ".join(f"{_(name)} {value:.4g}" for name, value in inspection.inputs.items()))
    if seen:
        console.print(_("it looks at {seen}").format(seen=seen), "")
    console.print(table_of(inspection, decision.words, short))
    left = len(inspection.choices) - ROWS
    if short and left > 0:
        console.print(_("and {left} more; --all shows them").format(left=left))


def advised(who: Player, decision: Decision) -> str:
    """What a player would do, for the terminal."""
    from rich.markup import escape

    sentence = _("{who} would play {move}")
    if decision.value is not None:
        sentence = _("{who} would play {move}, expecting {value:+.3f}")
    return sentence.format(who=escape(repr(who)), move=f"[bold]{escape(decision.words)}[/]", value=decision.value)


def table_of(found: Inspection, words: str, short: bool) -> Table:
    """The choices, best first, the one that is played marked, with the largest parts of their scores."""
    from rich.markup import escape
    from rich.table import Table

    scored = any(choice.score is not None for choice in found.choices)
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    grid.add_column(_("choice"), no_wrap=True)
    grid.add_column(_("move"), no_wrap=True)
    grid.add_column(_("score") if scored else "", justify="right", no_wrap=True)
    grid.add_column(_("why"))
    ranked, chosen = found.ranked(), False
    for choice in ranked[:ROWS] if short else ranked:
        is_played = not chosen and choice.words == words and not choice.impossible
        chosen |= is_played
        why = (
            _("impossible: {why}").format(why=choice.impossible)
            if choice.impossible
            else found.told(choice, PARTS if short else None)
        )
        score = "" if choice.score is None else f"{choice.score:.3f}"
        style = "bold" if is_played else "dim" if choice.impossible else ""
        name = f"{choice.name} ←" if is_played else choice.name
        grid.add_row(escape(name), escape(choice.words or "–"), score, escape(why), style=style)
    return grid


COMMANDS = (explain,)
