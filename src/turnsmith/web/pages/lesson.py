"""How a game is played, in a few lines with pictures: the game's own lesson, or the first sentences of its text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nicegui import ui

from turnsmith.contract.game import Game
from turnsmith.languages import _
from turnsmith.play.position import Position
from turnsmith.web.match.people import named_picture
from turnsmith.web.pages.frame import headline

LINES = 5
"""Sentences of a game that has no lesson."""
SEED = 0


@dataclass(frozen=True)
class LessonLine:
    """A sentence, and the picture of a position that shows it."""

    said: str
    svg: str


def lesson_of(game: Game) -> list[LessonLine]:
    """The lines for people who are new to a game. To be called in a worker."""
    start = Position(game, SEED)
    if not game.lesson:
        text = re.sub(r"\s+", " ", game.doc.partition("\n\n")[2].partition("\n\n|")[0])
        sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", text)[:LINES]
        return [
            LessonLine(sentence, _drawn(start) if number == 0 else "")
            for number, sentence in enumerate(filter(None, sentences))
        ]
    lines = []
    for sentence, moves in game.lesson:
        position = Position(game, SEED)
        for move in moves:
            position.push(move)
        lines.append(LessonLine(sentence, _drawn(position)))
    return lines


def _drawn(position: Position) -> str:
    """The picture as the one to move sees it, without what could be clicked."""
    mover = position.mover if position.mover >= 0 else None
    return re.sub(r'\sdata-(word|key)="[^"]*"', "", named_picture(position.picture(mover)))


class Lesson:
    """A window with the lines of a game."""

    def __init__(self, title: str):
        with ui.dialog() as self.dialog, ui.card().classes("panel sheet"):
            headline(_("How to play {title}").format(title=title))
            self.box = ui.column().classes("w-full gap-2")
            ui.button(_("Let's play"), on_click=self.dialog.close).props("unelevated no-caps")

    def fill(self, lines: list[LessonLine]) -> None:
        self.box.clear()
        with self.box:
            for number, line in enumerate(lines, start=1):
                with ui.element("div").classes("lesson-line"):
                    drawn = line.svg or f'<span class="lesson-number">{number}</span>'
                    ui.html(drawn, sanitize=False).classes("lesson-picture").props("aria-hidden=true")
                    ui.label(_(line.said))

    def open(self) -> None:
        self.dialog.open()
