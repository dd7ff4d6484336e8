"""Whom to play against: opponents with stars to choose from, friends, and which seat is one's own."""

from __future__ import annotations

import html
from collections import deque
from collections.abc import Callable
from typing import Any

from nicegui import ui

from turnsmith.common.arrays import Array
from turnsmith.contract.game import CHANCE, Game
from turnsmith.languages import _, counted, marked
from turnsmith.play.position import PositionView
from turnsmith.web.match.ladder import Opponent, adaptive, ladder
from turnsmith.web.match.live_match import PERSON
from turnsmith.web.match.people import TablePerson, colors_of, unnamed
from turnsmith.web.pages.forms import LINK, PlayerPick
from turnsmith.web.server.remembered import recall

FRIENDS = {
    PERSON: (marked("A friend, here"), marked("Two people, one screen.")),
    LINK: (marked("A friend, elsewhere"), marked("You get a link to send.")),
}
MOST_BESIDE = 3
"""Seats that are shown side by side to choose one's own."""
USUAL = "easy"
"""The level proposed to who has never chosen one."""
MOST_BEGINNINGS = 100
"""Positions before the first decision that are looked at for who begins."""


class OpponentPick:
    """One choice for all other seats, and which seat is the visitor's; or, on demand, a choice for every seat."""

    def __init__(self, watching: bool, chosen: str = "", side: int = 0):
        """watching: players among themselves; chosen: a level, PERSON or LINK; side: the visitor's seat."""
        self.watching, self.chosen, self.wanted_side = watching, chosen, side
        self.rungs: list[Opponent] = []
        self.picks: list[PlayerPick] = []
        self.cards: dict[str, ui.element] = {}
        self.box = ui.column().classes("w-full gap-3")
        self.changed: Callable[[], Any] = lambda: None

    def ask(self, game: Game, boards: Array) -> str:
        """Ask for the opponents of a board; returns the text of the one that is chosen."""
        self.rungs, seats = ladder(game, boards), int(boards[0].seats)
        if not self.watching:
            self.rungs += adaptive(game, boards, recall(f"results-{game.name}"))
        self.game, self.boards, self.seats = game, boards, seats
        known = [rung.level for rung in self.rungs] + ([] if self.watching else list(FRIENDS))
        if self.chosen not in known:
            self.chosen = USUAL if USUAL in known else known[0] if known else PERSON
        self.box.clear()
        self.picks = []
        with self.box:
            if seats == 1 and not self.watching:
                ui.label(_("You play alone.")).classes("small")
            else:
                self.build_cards()
            if seats > 1 and not self.watching:
                roles = game.goal(boards[0]).roles
                beginners = first_movers(game, boards)
                order = _order if beginners == {0} else lambda seat: _("I am player {number}").format(number=seat + 1)
                named = {seat: f"{seat + 1}. {_(roles[seat])}" if roles else order(seat) for seat in range(seats)}
                side = self.wanted_side if 0 <= self.wanted_side < seats else 0
                self.side: Any
                if seats <= MOST_BESIDE:
                    self.side = ui.toggle(named, value=side).props("no-caps unelevated dense")
                    self.side.props.update({"aria-label": _("my seat")})
                else:
                    self.side = (
                        ui.select(named, value=side, label=_("my seat")).props("outlined dense").classes("w-full")
                    )
                if len(beginners) > 1:
                    ui.label(_("Chance decides who begins.")).classes("small")
        return next((rung.text for rung in self.rungs if rung.level == self.chosen), "random")

    def build_cards(self) -> None:
        colors = colors_of(self.game)
        with ui.element("div").classes("opponents").props("role=radiogroup") as group:
            group.props.update({"aria-label": _("opponent")})
            self.cards = {}
            for rung in self.rungs:
                face = TablePerson(rung.name, colors[1 % len(colors)], False).face
                spoken = counted("{stars} star", "{stars} stars", rung.stars).format(stars=rung.stars)
                self.add_card(
                    rung.level, face, rung.name, rung.shown_stars, rung.sentence, spoken if rung.stars else ""
                )
            for kind, (name, sentence) in {} if self.watching else FRIENDS.items():
                face = TablePerson(name, colors[1 % len(colors)], True).face
                self.add_card(kind, face, _(name), "", _(sentence), "")
        self.mark()

    def add_card(self, level: str, face: str, name: str, stars: str, sentence: str, spoken: str) -> None:
        with ui.element("button").classes("opponent").props("type=button role=radio") as card:
            card.props.update({"aria-label": ", ".join(filter(None, (name, spoken, sentence)))})
            star = f'<span class="stars">{stars}</span>' if stars else ""
            text = f"<b>{html.escape(name)}</b> {star}<span class='small'>{html.escape(sentence)}</span>"
            ui.html(f"{face}<span>{text}</span>", sanitize=False).classes("opponent-said")
        card.on("click", lambda: self.choose(level))
        self.cards[level] = card

    def choose(self, level: str) -> None:
        self.chosen = level
        self.mark()
        self.changed()

    def mark(self) -> None:
        for level, card in self.cards.items():
            card.classes(add="picked" if level == self.chosen else "", remove="" if level == self.chosen else "picked")
            card.props.update({"aria-checked": str(level == self.chosen).lower()})
            card.update()

    def each_seat(self, box: ui.element) -> None:
        """Ask for every seat by itself, beginning with what is chosen; again, and all are as the cards say."""
        box.clear()
        if self.picks:
            self.picks = []
            return
        with box:
            for seat, who in enumerate(self.values()):
                self.picks.append(PlayerPick(self.game, self.boards, unnamed(seat), who, people=not self.watching))

    def values(self) -> list[str]:
        """Who sits where: PERSON, LINK or the text of a player, for every seat."""
        if self.picks:
            return [pick.value for pick in self.picks]
        other = next((rung.text for rung in self.rungs if rung.level == self.chosen), self.chosen)
        if self.watching:
            return [other] * self.seats
        return [PERSON if seat == self.my_side else other for seat in range(self.seats)]

    @property
    def my_side(self) -> int:
        return int(self.side.value or 0) if self.seats > 1 and not self.watching else 0


def first_movers(game: Game, boards: Array) -> set[int]:
    """The seats that may decide first: chance may say which, in the first outcomes that are looked at."""
    movers, looks = set(), deque([PositionView.at_start(game, boards)])
    for _number in range(MOST_BEGINNINGS):
        look = looks.popleft()
        if look.mover == CHANCE:
            looks.extend(look.after([outcome]) for outcome in look.actions.tolist()[:MOST_BEGINNINGS])
        else:
            movers.add(look.mover)
        if not looks:
            break
    return movers


def _order(seat: int) -> str:
    first = (_("I begin"), _("I am second"), _("I am third"))
    return first[seat] if seat < len(first) else _("I am {number}th").format(number=seat + 1)
