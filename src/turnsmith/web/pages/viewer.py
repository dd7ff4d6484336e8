"""What a visitor may know of a match at one moment, for the page of a game."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from turnsmith.contract.game import CHANCE, Game
from turnsmith.languages import _
from turnsmith.web.match.live_match import LiveMatch
from turnsmith.web.match.log import LogEntry, Roll
from turnsmith.web.match.people import TablePerson, mover_name, named, named_picture, people_of

MOST_ENTRIES = 200
"""Lines of the log on a page."""


@dataclass
class SeenPosition:
    """A position as a viewer sees it: its picture, the log up to there, and the dice that fell last."""

    svg: str
    log: list[LogEntry]
    roll: Roll | None


@dataclass
class Viewer(SeenPosition):
    """What one visitor may know of a match at one moment."""

    version: int
    seat: int | None
    """Through whose eyes; None sees all."""
    may_move: bool
    words: tuple[str, ...]
    actions: list[int]
    remark: str
    board: Any
    view: Any


def replayed(match: LiveMatch, viewer: int | None, side: int | None, ply: int | None = None) -> SeenPosition:
    """The position after `ply` moves, or the present one, as a viewer sees it from a side. To be called in a worker."""
    with match.lock:
        entries = match.log.entries(match.position, viewer, MOST_ENTRIES, ply)
        svg = named_picture(match.look(viewer, ply).picture(side=side), people_of(match))
        return SeenPosition(svg, entries, match.log.last_roll(match.position, viewer, ply))


def viewer_of(match: LiveMatch, keys: list[str]) -> Viewer:
    """What the holder of these keys may know now. To be called in a worker."""
    with match.lock:
        seat, may_move = match.viewer(keys), match.may_move(keys)
        look = match.look(seat)
        words = match.words() if may_move else ()
        actions = match.position.actions.tolist() if may_move else []
        view = look.state
        remark = str(match.game.remark(look.board, view)) if match.game.remark and may_move else ""
        compile_tips(match.game, look.board, view, actions)
        shown = vars(replayed(match, seat, match.side(keys)))
        return Viewer(
            **shown,
            version=match.version,
            seat=seat,
            may_move=may_move,
            words=words,
            actions=actions,
            remark=remark,
            board=look.board,
            view=view,
        )


def compile_tips(game: Game, board: Any, view: Any, actions: Sequence[int]) -> None:
    """Ask for what is told of moves once, so that it is compiled here and not while the page is drawn."""
    for tell in (game.tip, game.overlay):
        if tell and actions:
            tell(board, view, actions[0])


def log_html(log: Sequence[LogEntry], people: Sequence[TablePerson], clickable: bool = False) -> str:
    """The latest moves, newest first; as buttons that know the number of moves up to theirs, if they are clickable."""
    lines = []
    for entry in reversed(log):
        dot = people[entry.mover].dot if entry.mover != CHANCE else '<span class="seat-mark none"></span>'
        who = html.escape(mover_name(entry.mover, people))
        sentence = html.escape(named(entry.said, people)) if entry.said else f"<i>{html.escape(_('hidden'))}</i>"
        number = f'<span class="log-number small">{entry.number}.</span>'
        tag = f'button type="button" data-first="{entry.first}" data-ply="{entry.last + 1}"' if clickable else "div"
        end = tag.partition(" ")[0]
        lines.append(
            f'<{tag} class="log-line">{number}{dot}<span class="log-who">{who}</span><span>{sentence}</span></{end}>'
        )
    return "".join(lines)


def said_of(roll: Roll | None, log: Sequence[LogEntry], people: Sequence[TablePerson]) -> str:
    """Whose a roll was and what it meant, as the log tells it."""
    line = next((entry for entry in log if roll and entry.first <= roll.number <= entry.last), None)
    return f"{mover_name(line.mover, people)}: {named(line.said, people)}" if line and line.mover >= 0 else ""
