"""``turnsmith play``: a person at the terminal, in any seat, with hints and moves taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from turnsmith.cli.options import GameText, Language, language_named
from turnsmith.common.errors import BadInput
from turnsmith.common.files import refuse_unwritable
from turnsmith.languages import _, counted, marked, player_name, speaking
from turnsmith.play.levels import ADAPTIVE

if TYPE_CHECKING:
    from rich.console import Console

    from turnsmith.contract.game import Game
    from turnsmith.play.player import Player
    from turnsmith.play.position import Position, PositionView
    from turnsmith.play.seat import Seat

HELP = marked("""Type a move in words. Besides moves:
  legal          what can be played
  hint [PLAYER]  what a player would do here
  why [PLAYER]   the same, and how it weighs its choices if it tells
  undo           take back your last move
  save FILE      write the game so far; 'turnsmith replay FILE' shows it
  quit           leave""")

HELPING = ("hint", "why", "undo")
"""After which a game says nothing of how strong somebody is."""


def play(
    game: GameText,
    seat: Annotated[
        list[int] | None, typer.Option(help="your seat, from 0; give it twice for two people", min=0)
    ] = None,
    vs: Annotated[
        list[str] | None,
        typer.Option(help="a player or level for each other seat; adaptive: so strong that you win about half"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="board and chance; another game each time if left out", min=0, max=2**63 - 1)
    ] = None,
    lang: Language = "",
) -> None:
    """Play in the terminal."""
    with speaking(language_named(lang)):
        _play(game, seat, vs, seed)


def _play(game: str, seat: list[int] | None, vs: list[str] | None, seed: int | None) -> None:
    import secrets

    from rich.console import Console

    from turnsmith.contract.loading import load
    from turnsmith.play.seat import Seat

    loaded = load(game)
    chosen = seed if seed is not None else secrets.randbelow(2**31)
    position = loaded.start(chosen)
    seats = int(position.board.seats)
    people = set(seat or [0])
    if not people <= set(range(seats)):
        raise BadInput(_("--seat must be 0 to {last} in {game}").format(last=seats - 1, game=loaded.text_name))
    others = [s for s in range(seats) if s not in people]
    console = Console(highlight=False)
    named = [adapt(loaded, position, console) if text == ADAPTIVE else text for text in vs or []]
    rivals = opponents(loaded, position, named, len(others))
    table = {s: Seat(rival, loaded, position.boards) for s, rival in zip(others, rivals, strict=True)}
    with improving(loaded) as improve:
        is_own = session(position, people, table, console, input, improve)
    if is_own and len(people) == 1 and len(set(rivals)) == 1:
        remember(loaded, position, people, repr(rivals[0]))


@contextmanager
def improving(game: Game) -> Iterator[Callable[[Player], None]]:
    """Within the block, players can be compiled for the game alone, and games can show who plays best: in another
    process, which lets everybody go first and ends with the block. Seats then decide at full speed, as ``play.tiers``
    looks again at every decision."""
    from turnsmith.warm.queue import Warming

    warming = Warming(patience=19, stands_by=False)
    warming.start()
    try:
        yield cache(partial(warming.improve, game))
    finally:
        warming.stop()


def adapt(game: Game, position: Position, console: Console) -> str:
    """The rung that suits whoever plays here, by the results so far."""
    from turnsmith.play.levels import PlayerRecord, adapted, ladder, strength

    known, results = ladder(game, position.boards), PlayerRecord().results(game.name)
    rung = adapted(known, results)
    rating, reach = strength(known.rungs, results)
    who = f"{_(rung.name)} {rung.shown_stars}".strip() or _("between two levels")
    sentence = counted(
        "You are rated {rating:.0f} ± {reach:.0f} by {count} game; you meet {other:.0f} ({who}).",
        "You are rated {rating:.0f} ± {reach:.0f} by {count} games; you meet {other:.0f} ({who}).",
        len(results),
    )
    console.print(sentence.format(rating=rating, reach=reach, count=len(results), other=rung.rating, who=who))
    return rung.player


def remember(game: Game, position: Position, people: set[int], opponent: str) -> None:
    """Keep what a game against a rung of the ladder has brought, for the next opponent to suit."""
    from turnsmith.play.levels import LevelResult, PlayerRecord, measured, points_of

    known, outcome = measured(game), position.outcome
    (seat,) = people
    rung = next((level for level in known.rungs if level.player == opponent), None) if known else None
    if rung is not None and rung.rating is not None and outcome is not None:
        PlayerRecord().add(game.name, LevelResult(rung.rating, points_of(outcome, seat)))


def opponents(game: Game, position: Position, named: list[str], count: int) -> list[Player]:
    """The players for the seats no person has: the named ones, the last of them (or a middling level) for the rest."""
    from turnsmith.play.levels import middling
    from turnsmith.play.player import player

    if len(named) > count:
        message = _("--vs names {named} players for {count} free seats; leave some out")
        raise BadInput(message.format(named=len(named), count=count))
    rivals = [player(text, game) for text in named]
    for rival in rivals:
        rival.check(game, position.boards)
    while len(rivals) < count:
        rivals.append(rivals[-1] if rivals else player(middling(game, position.boards).player, game))
    return rivals


def session(
    position: Position,
    people: set[int],
    table: dict[int, Seat],
    console: Console,
    ask: Callable[[str], str],
    improve: Callable[[Player], object] = lambda player: None,
) -> bool:
    """Play until the game is over or the person leaves; returns whether it was played to the end without help. `ask`
    reads a line, as ``input`` does; `improve` hears who has made a move."""
    from rich.markup import escape

    from turnsmith.contract.game import OVER
    from turnsmith.play.player import BEST, player

    adviser = player(BEST, position.game)
    sentence = _("{game}, seed {seed}; {help} says what you can type.")
    game = f"[bold]{position.game.text_name}[/]"
    console.print(sentence.format(game=game, seed=position.seed, help="[bold]help[/]") + "\n")
    drawn, is_own = -1, True
    while position.mover != OVER:
        mover = position.mover
        if mover in table:
            decision = table[mover].ask(position)
            sentence, who = _("{who} ({player}) plays {move}"), repr(table[mover].player)
            console.print(sentence.format(who=who, player=player_name(mover), move=f"[bold]{decision.words}[/]"))
            position.push(decision.action)
            improve(table[mover].player)
            continue
        if drawn != len(position.history):
            console.print(position.text(mover), "")
            drawn = len(position.history)
        try:
            whose = player_name(mover) if len(people) > 1 else ""
            line = ask(f"{whose}> ").strip()
        except EOFError:
            line = "quit"
        if line == "quit":
            console.print(_("Goodbye."))
            return False
        is_own = is_own and line.partition(" ")[0] not in HELPING
        try:
            answer(line, position, people, table, adviser, console)
        except BadInput as error:
            console.print(f"[red]{escape(str(error))}[/]")
    outcome = position.outcome
    assert outcome is not None
    seen: PositionView = position
    for seat in sorted(people):  # what the rules never uncover stays hidden, also from two who share a screen
        seen = seen.seen_by(seat)
    console.print(seen.text(side=min(people) if len(people) == 1 else None), "")
    console.print(f"[bold]{outcome.said(people)}[/]; {outcome.tally()}")
    return is_own


def answer(
    line: str, position: Position, people: set[int], table: dict[int, Seat], adviser: Player, console: Console
) -> None:
    """Carry out one line of a person."""
    from rich.markup import escape

    from turnsmith.cli.explain import advised, show
    from turnsmith.play.player import player
    from turnsmith.play.seat import Seat

    word, _space, rest = line.partition(" ")
    if not line:
        return
    if word in ("help", "?"):
        console.print(_(HELP), markup=False)
    elif word == "legal":
        console.print(position._some_legal(200))
    elif word == "undo":
        position.pop()
        while position.mover not in people:
            position.pop()
        for seat in table.values():
            seat.forget()
    elif word == "hint":
        chosen = player(rest.strip(), position.game) if rest.strip() else adviser
        decision = Seat(chosen, position.game, position.boards).ask(position)
        console.print(advised(chosen, decision))
        if decision.note:
            console.print(escape(decision.note))
        if decision.policy and len(decision.policy) > 1:
            console.print("  ".join(f"{move} {share:.0%}" for move, share in decision.policy.items()))
    elif word == "why":
        chosen = player(rest.strip(), position.game) if rest.strip() else adviser
        show(console, chosen, Seat(chosen, position.game, position.boards).explain(position))
    elif word == "save":
        save(position, Path(rest.strip()))
        console.print(_("saved in {file}").format(file=escape(rest.strip())))
    else:
        position.push(line)


def save(position: Position, path: Path) -> None:
    from turnsmith.arena.match import Match

    if not path.name:
        raise BadInput(_("save needs the name of a file, e.g. save game.json"))
    refuse_unwritable(path, "save")
    with speaking("en"):  # files are for everybody
        outcome = position.outcome
    returns, ending = (list(outcome.returns), outcome.ending) if outcome else ([], "unfinished")
    seats = ["person"] * int(position.board.seats)
    source = position.game.describe(position.seed)
    Match(position.game.text_name, source, seats, position.seed, list(position.history), returns, ending).save(path)


COMMANDS = (play,)
