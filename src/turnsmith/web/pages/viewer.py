"""What a visitor may know of a match at one moment, for the page of a game."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

from turnsmith.game import CHANCE
from turnsmith.web.live_match import LiveMatch


@dataclass
class Viewer:
    """What one visitor may know of a match at one moment."""

    version: int
    seat: int | None
    """Through whose eyes; None sees all."""
    svg: str
    may_move: bool
    words: tuple[str, ...]
    actions: list[int]
    log: list[tuple[int, str]]
    remark: str
    board: Any
    view: Any


def viewer_of(match: LiveMatch, keys: list[str]) -> Viewer:
    """What the holder of these keys may know now. To be called in a worker."""
    with match.lock:
        seat, may_move = match.viewer(keys), match.may_move(keys)
        look = match.look(seat)
        words = match.words() if may_move else ()
        actions = match.position.actions.tolist() if may_move else []
        view = look.state
        remark = str(match.game.remark(look.board, view)) if match.game.remark and may_move else ""
        for tell in (match.game.tip, match.game.overlay):
            if tell and may_move:
                tell(look.board, view, actions[0])  # so that it is compiled here and not while the page is drawn
        log = match.log.read_by(seat)
        return Viewer(match.version, seat, look.picture(), may_move, words, actions, log, remark, look.board, view)


def log_html(log: list[tuple[int, str]], most: int = 200) -> str:
    """The latest moves, newest first."""
    lines = []
    for number, (mover, words) in list(enumerate(log, start=1))[: -most - 1 : -1]:
        who = "chance" if mover == CHANCE else f"seat {mover}"
        said = html.escape(words) if words else "<i>hidden</i>"
        lines.append(f'<div class="log-line"><span class="small">{number}. {who}</span><span>{said}</span></div>')
    return "".join(lines)
