"""``turnsmith levels``: measure opponents of all strengths, and keep five of them as the levels of a game."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import Database, GameText, Json, Seed, Workers, real, whole
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import split

if TYPE_CHECKING:
    from turnsmith.contract.game import Game
    from turnsmith.play.levels import Ladder, Level


def levels(
    game: GameText,
    players: Annotated[str, typer.Option(help="more candidates, however slow, e.g. negamax:value=mine.onnx")] = "",
    seconds: Annotated[float, real("a decision takes at most so long, in the mean", 1e-4, 60.0)] = 0.1,
    reach: Annotated[float, real("measure the chance to win within so much, at 95 %", 0.01, 0.5)] = 0.05,
    most: Annotated[int, whole("games of a pair, at most", 24, 1_000_000)] = 400,
    slow: Annotated[
        int, whole("games of the best player at 0.1 s with the level below, half of it at 1 s", 0, 10_000)
    ] = 24,
    patience: Annotated[float, real("seconds of games that show who plays best; 0 for none", 0.0, 1e6)] = 120.0,
    seed: Seed = 0,
    workers: Workers = 0,
    store: Database = "sqlite:///turnsmith.db",
    to: Annotated[Path | None, typer.Option(help="file to write; else beside the game")] = None,
    declared: Annotated[bool, typer.Option("--declared", help="measure the game's own LEVELS, no others")] = False,
    show: Annotated[bool, typer.Option("--show", help="print the levels there are, and measure nothing")] = False,
    json: Json = False,
) -> None:
    """Find out who plays a game best, and measure a ladder of opponents from nearly random to that player.

    Both are kept with the game, or in the cache. Work that was stopped goes on when the same command is given again;
    the best player is known the better, the longer that is done.
    """
    from turnsmith.contract.loading import load
    from turnsmith.play.levels import document_of, ladder

    loaded = load(game)
    if show:
        known = ladder(loaded, loaded.board())
        document, where = document_of(known, measured=known.is_measured), None
    else:
        more, hands = split(players), workers or os.cpu_count() or 1
        if not declared:
            more += _raced(loaded, more, patience, seconds, hands, seed, to is None, json)
        known, document, where = _measure(
            loaded, more, (seconds, reach, most, seed, slow), hands, store, to, json, declared
        )
    if json:
        print_json(document)
        return
    from rich.console import Console

    console = Console()
    console.print(_table(known, console.width))
    for line in best_lines(loaded):
        console.print(f" {line}", highlight=False, markup=False)
    if where:
        console.print(f"{document['games']:,} games; kept in {where}", highlight=False)


def best_lines(game: Game) -> list[str]:
    """Who plays best, and how that was seen."""
    from turnsmith.arena.race import lines_of
    from turnsmith.play.choice import choice_of

    choice = choice_of(game)
    if choice is None:
        return ["nobody has met yet to show who plays best: leave out --show, or open the game on the page"]
    stale = [] if choice.digest == game.digest else ["the rules have changed since; measure again"]
    return [*lines_of(choice), *stale]


def _raced(
    game: Game, more: list[str], patience: float, seconds: float, workers: int, seed: int, is_public: bool, silent: bool
) -> list[str]:
    """The best player at the time that levels have, after candidates have met for so long; none if nobody has met."""
    from turnsmith.arena.ladder import refuse_lonely
    from turnsmith.arena.race import RaceSettings, find_best
    from turnsmith.cli.progress import progress_bar
    from turnsmith.play.choice import choice_of, publish_choice
    from turnsmith.play.tiers import SECOND, within_tier

    refuse_lonely(game)
    if patience > 0.0:
        with progress_bar(f"{game.text_name}: the best player", hidden=silent) as progress, within_tier(SECOND):
            settings = RaceSettings(patience, more=more, workers=workers, seed=seed, tell=progress.say)
            choice = find_best(game, settings)
        if is_public:
            publish_choice(game, choice)
    return [f"best:seconds={seconds:g}"] if choice_of(game) is not None else []


def _measure(
    game: Game, more: list[str], aims: tuple[float, float, int, int, int], workers: int, store: str, to: Path | None,
    silent: bool, declared: bool,
) -> tuple[Ladder, dict[str, Any], Path]:  # fmt: skip
    import contextlib
    from importlib.metadata import version

    from turnsmith.arena.ladder import Aims, candidates, measure, measure_declared, refuse_lonely
    from turnsmith.arena.store import Store
    from turnsmith.cli.progress import progress_bar
    from turnsmith.common.files import refuse_unwritable, write_text
    from turnsmith.play.levels import document_of, keep
    from turnsmith.play.player import player

    refuse_lonely(game)
    if to is not None:
        refuse_unwritable(to, "--to")
    if declared and more:
        raise BadInput("--declared measures the game's own levels and takes no --players; leave one of them out")
    wanted = Aims(*aims)
    texts = list(game.levels()) if declared else candidates(game, more)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory()) if store == "none" else ""
        opened = stack.enter_context(contextlib.closing(Store(f"{folder}/games.db" if folder else store)))
        tell = stack.enter_context(progress_bar(f"{game.text_name}: {len(texts)} candidates", hidden=silent))
        if declared:
            measured_ladder, games = measure_declared(game, wanted, opened, workers, tell)
        else:
            asked_for = {repr(player(text, game)) for text in more}
            measured_ladder, games = measure(game, texts, wanted, opened, workers, tell, asked_for)
    made_by = {"version": version("turnsmith"), "games": games, **vars(wanted)}
    document = document_of(measured_ladder, **made_by)
    if to is None:
        return measured_ladder, document, keep(game, document)
    import json

    write_text(to, json.dumps(document, indent=1) + "\n")
    return measured_ladder, document, to


def _table(known: Ladder, width: int) -> Any:
    """The levels, and how often the row wins against the column."""
    from rich.table import Table

    if not known.rungs:
        raise BadInput(f"no level of {known.game} plays on this board; choose other options")
    table = Table(box=None, header_style="bold", title=known.game, title_justify="left")
    table.add_column("level", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("rating", justify="right", no_wrap=True)
    shown = [rung for rung in known.rungs if rung.name or rung.tier]
    for level in shown if known.is_measured else ():
        table.add_column(_named(level)[:8], justify="right", no_wrap=True)
    for level in shown:
        row = [_named(level), level.shown_stars]
        row.append("" if level.rating is None else f"{level.rating:.0f} ± {(level.high or 0.0) - level.rating:.0f}")
        if known.is_measured:
            seen = (level.chances.get(other.player) for other in shown)
            row += [f"{100 * chance.rate:.0f} %" if chance else "" for chance in seen]
        table.add_row(*row)
    from rich.console import Group
    from rich.text import Text

    sentences = [Text(f"\n {_named(level)}: {level.player}\n   {level.sentence}") for level in shown]
    return Group(table, *sentences)


def _named(rung: Level) -> str:
    """The name of a level; of the best player of a slower tier that has none, its time."""
    return rung.name or f"{rung.tier:g} s"


COMMANDS = (levels,)
