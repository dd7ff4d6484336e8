"""``turnsmith watch`` and ``turnsmith replay``: look on while players meet, or at a saved match."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import Delay, GameText, Language, Seed, language_named
from turnsmith.common.errors import BadInput
from turnsmith.common.files import refuse_unwritable, refuse_unwritable_folder, write_folder
from turnsmith.common.settings import split
from turnsmith.languages import _, counted, player_name, speaking

if TYPE_CHECKING:
    from turnsmith.arena.match import Match


def watch(
    game: GameText,
    players: Annotated[str, typer.Option(help="comma list, one player a seat")],
    seed: Seed = 0,
    svg: Annotated[Path | None, typer.Option(help="folder for a picture of every position")] = None,
    replay: Annotated[Path | None, typer.Option(help="file to save the match in")] = None,
    delay: Delay = 0.0,
    json: Annotated[bool, typer.Option("--json", help="print the match as JSON")] = False,
    lang: Language = "",
) -> None:
    """Play one match between players and show it."""
    from turnsmith.arena.match import play

    if replay:
        refuse_unwritable(replay, "--replay")
    if svg:
        refuse_unwritable_folder(svg, "--svg")
    language = "en" if json else language_named(lang)
    match = play(game, split(players), seed)
    if replay:
        match.save(replay)
    with speaking(language):
        show(match, svg, delay, json)


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a match saved by watch --replay or play")],
    svg: Annotated[Path | None, typer.Option(help="folder for a picture of every position")] = None,
    delay: Delay = 0.0,
    json: Annotated[bool, typer.Option("--json", help="print the match as JSON")] = False,
    trust: Annotated[bool, typer.Option("--trust", help="run the file of the match's game, if it names one")] = False,
    lang: Language = "",
) -> None:
    """Show a saved match, checked move by move."""
    from turnsmith.arena.match import load_match

    if svg:
        refuse_unwritable_folder(svg, "--svg")
    with speaking("en" if json else language_named(lang)):
        show(load_match(file, trust), svg, delay, json)


def show(match: Match, svg: Path | None, delay: float, json: bool) -> None:
    """Print a match position by position, or as JSON, and draw it where asked."""
    from rich.console import Console
    from rich.markup import escape

    from turnsmith.contract.game import CHANCE, OVER

    frames: list[str] = []
    lines: list[str] = []
    console = Console(quiet=json)
    for number, position in enumerate(match.positions()):
        if number:
            console.print(escape(lines[-1]))
        if position.mover != CHANCE:
            console.print(position.text(), "")
            time.sleep(delay)
        frames.append(position.picture())
        if number < len(match.actions):
            if match.actions[number] not in position.actions:  # it has no words, and playing it is refused
                continue
            who = _("chance")
            if position.mover != CHANCE:
                who = f"{match.players[position.mover]} ({player_name(position.mover)})"
            lines.append(f"{who}: {position.words(match.actions[number])}")
        elif position.mover == OVER and [float(r) for r in position.outcome.returns] != match.returns:  # type: ignore[union-attr]
            raise BadInput(
                _("the match does not end with the returns it claims; the file was changed or the rules were")
            )
    ended = position.outcome  # says in the reader's language what the file says in English
    outcome = ended or match.outcome
    ending = f"[bold]{escape(outcome.said())}[/]; {outcome.tally()}" if outcome else f"[bold]{escape(match.ending)}[/]"
    console.print(ending)
    if svg:
        write_folder(svg, {f"{number:04d}.svg": frame for number, frame in enumerate(frames)})
        sentence = counted("{count} picture in {folder}", "{count} pictures in {folder}", len(frames))
        console.print(sentence.format(count=len(frames), folder=escape(str(svg))))
    if json:
        print_json({**match.__dict__, "words": lines})


COMMANDS = (watch, replay)
