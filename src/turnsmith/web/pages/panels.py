"""The parts beside a game's board: who sits where and for how long, and advice."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Protocol

from nicegui import ui

from turnsmith.languages import _, worded
from turnsmith.play.player import Decision, player
from turnsmith.web.host import Host
from turnsmith.web.match.asking import paces
from turnsmith.web.match.live_match import LiveMatch
from turnsmith.web.match.people import people_of
from turnsmith.web.pages.board import best_of
from turnsmith.web.pages.following import Following
from turnsmith.web.pages.forms import PlayerPick
from turnsmith.web.pages.frame import heading, telling
from turnsmith.web.pages.friends import looking_on, share
from turnsmith.web.pages.weighed import why_html
from turnsmith.web.server.offered import opponents
from turnsmith.web.server.reach import Reach

TICK = 0.5
"""Seconds between two looks at the clocks."""


class SeatsPanel:
    """Who sits where with their clocks, and links for seats that nobody has taken."""

    def __init__(self, match: LiveMatch, mine: Sequence[int], reach: Reach):
        self.match, self.mine, self.reach = match, mine, reach
        with ui.card().classes("panel"):
            heading(_("Players"))
            self.rows: list[tuple[ui.element, ui.html, ui.label, ui.label]] = []
            for seat in match.seats:
                with ui.element("div").classes("who") as row:
                    face, name = ui.html("", sanitize=False), ui.label().classes("grow")
                    clock = ui.label().classes("numbers small")
                    if not seat.is_person:
                        ui.tooltip(seat.who)
                self.rows.append((row, face, name, clock))
            self.audience = ui.label().classes("small")
            self.invitations = ui.column().classes("w-full gap-1")
        self.tick()
        Following(self.tick, match.changes, pause=lambda: None if match.over else TICK)

    def tick(self) -> None:
        """Let the clocks run, and show who has come."""
        self.match.check_clock()
        self.audience.set_text(looking_on(self.match))
        table = zip(self.rows, people_of(self.match), self.match.clocks(), strict=True)
        for index, ((row, face, name, clock), person, seconds) in enumerate(table):
            face.set_content(person.face)
            name.set_text(_("{name} (you)").format(name=person.name) if index in self.mine else person.name)
            left = 60 * self.match.minutes - seconds if self.match.minutes else seconds
            clock.set_text(f"{int(max(0, left)) // 60}:{int(max(0, left)) % 60:02d}")
            moves = index == self.match.mover and not self.match.over
            row.classes(add="moves" if moves else "", remove="" if moves else "moves")

    def invite(self) -> None:
        """Links for the seats nobody has taken; only who made the match sees them."""
        self.invitations.clear()
        first = next((i for i, seat in enumerate(self.match.seats) if seat.is_person), -1)
        open_seats = [(i, seat.invitation) for i, seat in enumerate(self.match.seats) if seat.invitation]
        if first not in self.mine or not open_seats:
            return
        with self.invitations:
            for index, invitation in open_seats:
                ui.label(
                    _("Send this link to whoever shall be {name}:").format(name=people_of(self.match)[index].name)
                ).classes("small")
                share(self.reach, f"join/{self.match.name}/{invitation}")


class Advised(Protocol):
    """Whoever makes moves on a page, and may ask for advice."""

    @property
    def chosen(self) -> list[str]:
        """Pieces of the move in the making."""

    def advised(self, decision: Decision | None) -> None:
        """Draw advice on the board; None when it is out of date."""

    async def move(self, move: str | int) -> None:
        """Make a move."""

    async def pick(self, piece: str) -> None:
        """Choose a piece of a move."""


class AdvicePanel:
    """Asks any player what it would do, lets it do that, one unit's part of it, or all moves from now on."""

    def __init__(self, host: Host, match: LiveMatch, keys: list[str], client: str, advised: Advised):
        self.host, self.match, self.keys, self.client, self.visitor = host, match, keys, client, advised
        self.asking = self.showing = False
        self.waiting: asyncio.Future[Decision] | None = None
        usual = list(opponents(match.game, match.position.boards).values())[-1]
        with ui.card().classes("panel"):
            heading(_("Advice"))
            refusal = match.may_ask(keys) if keys else _("you are looking on")
            if refusal:
                ui.label(_("None: {refusal}.").format(refusal=refusal)).classes("small")
            elif match.hints and len(match.people) > 1:
                ui.label(_("Everybody here may ask: that was agreed when the match was set up.")).classes("small")
            self.allowed = ui.column().classes("w-full")
            self.allowed.visible = refusal is None
        with self.allowed:
            self.adviser = PlayerPick(match.game, match.position.boards, _("ask"), usual)
            with ui.row().classes("items-center gap-2"):
                self.hint = ui.button(_("Hint"), icon="lightbulb", on_click=self.ask).props("unelevated no-caps")
                self.auto = ui.switch(_("always"), value=match.by_hand, on_change=self.always)
                self.cancel = ui.button(_("Cancel"), icon="close", on_click=self.give_up).props("flat no-caps")
                self.cancel.visible = False
            self.hand_row()
            self.advised = ui.label().classes("small whitespace-pre-line")
            self.why = ui.expansion(_("Why")).props("dense").classes("w-full")
            with self.why:
                self.weighed = ui.html("", sanitize=False).classes("why numbers")
            self.why.visible = False
            self.known = ui.expansion(_("What can be known"), value=match.by_hand).props("dense").classes("w-full")
            with self.known:
                self.remark = ui.label().classes("small")
            self.known.visible = match.game.remark is not None

    def hand_row(self) -> None:
        """What a player may do for the visitor."""
        game = self.match.game
        with ui.row().classes("items-center gap-2") as row:
            self.mover = ui.button(_("Move for me"), icon="smart_toy", on_click=self.make_move)
            self.unit = ui.button(_("One unit for me"), icon="person", on_click=self.choose_unit)
            self.unit.visible = game.units is not None and game.joint is None
            self.handed = ui.switch(_("play on for me"), on_change=self.hand_over)
        for button in (self.mover, self.unit):
            button.props("outline no-caps")
        row.visible = not self.match.by_hand

    def show(self, live: bool, remark: str) -> None:
        """Let the visitor ask while it is their turn."""
        for button in (self.hint, self.mover, self.unit):
            button.set_enabled(live and not self.asking)
        self.remark.set_text(remark or _("It is not your turn."))
        self.showing = True  # what is shown is not what the visitor wants
        self.handed.set_value(any(seat in self.match.stand_ins for seat in self.match.owned(self.keys)))
        self.showing = False
        if self.match.notice:
            self.advised.set_text(str(self.match.notice))

    def forget(self) -> None:
        """The position has changed, so what was advised is of no use."""
        self.advised.set_text("")
        self.why.visible = False

    async def always(self) -> None:
        """Ask at once, where advice is wanted at every turn."""
        match = self.match
        if self.auto.value and match.may_move(self.keys) and (not match.by_hand or match.mover == 0):
            await self.ask()

    async def ask(self) -> None:
        """What the chosen player would do here."""
        advice = await self.decision(self.hint)
        decision = best_of(advice) if advice else None
        if decision is not None:
            sentence = _("{who} would play {words}.")
            if decision.value is not None:
                sentence = _("{who} would play {words}, expecting {value:+.3g}.")
            lines = [sentence.format(who=self.adviser.value, words=worded(decision.words), value=decision.value)]
            line = ", ".join(decision.line)
            if len(decision.line) > 1 and line not in decision.note:
                lines.append(_("It expects {line}.").format(line=", ".join(map(worded, decision.line))))
            self.advised.set_text("\n".join([*lines, decision.note]))
            self.why.visible = decision.inspection is not None
            self.weighed.set_content(why_html(decision))
        self.visitor.advised(decision)

    async def make_move(self) -> None:
        """Let the chosen player make this move, or go on with it."""
        decision = await self.decision(self.mover)
        if decision is not None:
            await self.visitor.move(decision.action)

    async def choose_unit(self) -> None:
        """Let the chosen player say what the next unit does."""
        before = len(self.visitor.chosen)
        decision = await self.decision(self.unit)
        if decision is not None and len(self.visitor.chosen) == before:
            self.visitor.advised(None)
            await self.visitor.pick(decision.words.split(" ")[before])

    async def hand_over(self) -> None:
        """Let the chosen player move from now on, or take the seat back."""
        if not self.showing:
            with telling():
                who = self.adviser.value if self.handed.value else ""
                await self.host.hand_over(self.client, self.match, self.keys, who)

    async def decision(self, button: ui.button) -> Decision | None:
        """What the chosen player would do, or go on with; None if it cannot say, or the position has changed."""
        if self.asking or self.match.mover < 0:
            return None
        version, self.asking = self.match.version, True
        advice = None
        button.props("loading")
        with telling():
            who = self.adviser.value
            self.advised.set_text(f"{paces.expectation(player(who, self.match.game), self.match.game)} …")
            begun = " ".join(self.visitor.chosen)
            advice = await self.patiently(self.host.hint(self.client, self.match, self.keys, who, begun), who, version)
        self.advised.set_text("")
        self.asking = False
        button.props(remove="loading")
        return advice if self.match.version == version else None

    async def patiently(self, asked: Coroutine[Any, Any, Decision], who: str, version: int) -> Decision | None:
        """The answer; while the player is compiled, for how long, and the advice of somebody who is ready. None for who
        does not want to wait."""
        self.waiting = asyncio.ensure_future(asked)
        quick = ""
        while not (await asyncio.wait([self.waiting], timeout=0.5))[0]:
            self.cancel.visible = True
            preparing = self.host.preparing.told(self.match.game, player(who, self.match.game))
            if preparing and not quick:
                quick = await self.meanwhile(who, version)
            if preparing:
                self.advised.set_text(f"{preparing} …\n{quick}")
        self.cancel.visible = False
        return None if self.waiting.cancelled() else await self.waiting

    async def meanwhile(self, who: str, version: int) -> str:
        """Show the advice of somebody who is ready, and say so."""
        advice = await self.host.quick_hint(self.client, self.match, self.keys, who)
        if advice is None or self.match.version != version:
            return _("Nobody else is ready to advise yet.")
        advice = best_of(advice)
        self.visitor.advised(advice)
        return _("Until then, a quick look: {}. ({})").format(worded(advice.words), advice.note)

    def give_up(self) -> None:
        """Wait no longer; what is being prepared goes on."""
        if self.waiting is not None:
            self.waiting.cancel()


def save_button(match: LiveMatch, keys: Sequence[str]) -> ui.button:
    """A link to the file of a match, where it may be had."""
    button = ui.button(_("Save"), icon="download").props("tag=a")
    asked = "&".join(f"key={key}" for key in keys)
    button.props.update(href=f"/api/matches/{match.name}/record{'?' if asked else ''}{asked}")
    button.visible = match.tells_all(keys)
    return button
