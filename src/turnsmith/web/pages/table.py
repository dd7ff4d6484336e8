"""One visitor at one match: whose turn it is, the board to click, what may be known, the log."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from turnsmith.contract.game import CHANCE
from turnsmith.languages import _, worded
from turnsmith.play.player import Decision, player
from turnsmith.web.host import Host
from turnsmith.web.match.live_match import PERSON, LiveMatch
from turnsmith.web.match.people import colors_of, mover_name, people_of
from turnsmith.web.pages.board import Board, marks_of
from turnsmith.web.pages.dice import Dice
from turnsmith.web.pages.ending import EndPanel, is_joy
from turnsmith.web.pages.following import Following
from turnsmith.web.pages.frame import READY, heading, headline, here, status, telling
from turnsmith.web.pages.home import title_of
from turnsmith.web.pages.lesson import Lesson, lesson_of
from turnsmith.web.pages.move_input import MoveMaker
from turnsmith.web.pages.panels import AdvicePanel, SeatsPanel
from turnsmith.web.pages.preferences import Preferences
from turnsmith.web.pages.running import note
from turnsmith.web.pages.viewer import Viewer, log_html, said_of, viewer_of
from turnsmith.web.server.workers import Busy

FULL_SCREEN = """() => {
  const table = document.querySelector(".playing");
  document.fullscreenElement ? document.exitFullscreen() : table.requestFullscreen && table.requestFullscreen();
}"""
COUNTING = 1.0
"""Seconds between two looks at how long something is still prepared."""


class TablePage:
    """The page of one visitor at a match: it shows the position and takes moves."""

    def __init__(self, host: Host, match: LiveMatch, keys: list[str]):
        self.host, self.match, self.keys, self.client = host, match, keys, here()
        self.mine = match.owned(keys)
        self.seen: Viewer | None = None
        self.marks: list[dict[str, Any]] = []
        self.last_seat = -1
        self.covered = False
        self.making = MoveMaker(match, self.mine, self.move, self.paint)
        self.title = ""

    # ------------------------------------------------------------ the page

    def build(self) -> None:
        game = self.match.game
        headline(title_of(game.name)).classes("unseen")
        with ui.element("div").classes("sides"):
            with ui.column().classes("w-full gap-3 playing"):
                self.end = EndPanel(self.host, self.match, self.keys, self.client)
                self.status = status(_(READY))
                self.dice = Dice(kept=game.roll is not None)
                self.board = Board(label=title_of(game.name), on_piece=self.making.pick)
                self.curtain = (
                    ui.button("", on_click=self.uncover).props("unelevated no-caps size=lg").classes("w-full")
                )
                self.curtain.visible = False
                self.making.build()
                self.tools()
            with ui.column().classes("w-full gap-3"):
                self.seats = SeatsPanel(self.match, self.mine, self.host.reach)
                self.advice = AdvicePanel(self.host, self.match, self.keys, self.client, self)
                with ui.card().classes("panel"):
                    heading(_("Moves"))
                    self.log = ui.html("", sanitize=False).classes("log numbers")
                    self.log.props("tabindex=0 role=region").props.update({"aria-label": _("moves")})
                self.likes = Preferences(self.paint)
        ui.keyboard(on_key=self.making.key)
        sources = self.match.changes, self.host.preparing.changes
        self.following = Following(self.watch, *sources, pause=lambda: COUNTING if self.preparing() else None)

    def tools(self) -> None:
        """To take a move back or answer who asks for it, to give up, to read the rules, to see the board large."""
        with ui.dialog() as surely, ui.card().classes("panel"):
            heading(_("Give up this game?"))
            with ui.row():
                ui.button(_("Yes, resign"), on_click=lambda: self.give_up(surely)).props("unelevated no-caps")
                ui.button(_("Play on"), on_click=surely.close).props("flat no-caps")
        with ui.row().classes("w-full items-center gap-1"):
            self.undo = ui.button(_("Undo"), icon="undo", on_click=self.take_back).props("flat no-caps")
            self.resign = ui.button(_("Resign"), icon="flag", on_click=surely.open).props("flat no-caps")
            ui.button(_("Rules"), icon="school", on_click=self.teach).props("flat no-caps")
            large = ui.button(_("Full screen"), icon="fullscreen").props("flat no-caps")
            large.on("click", js_handler=FULL_SCREEN)
        self.lesson = Lesson(title_of(self.match.game.name))
        self.plea = ui.row().classes("w-full items-center gap-2")
        with self.plea:
            self.asked = ui.label()
            self.agree = ui.button(_("Agree"), on_click=self.take_back).props("unelevated dense no-caps")
            self.decline = ui.button(_("No"), on_click=self.refuse).props("flat dense no-caps")
        self.plea.visible = False

    # ------------------------------------------------------------ looking

    async def watch(self) -> None:
        """Show the match again when it has changed."""
        if self.seen is None or self.seen.version != self.match.version:
            before = self.seen
            try:
                seen = await self.host.do(self.client, lambda: viewer_of(self.match, self.keys))
            except Busy:
                self.following.wake_later()
                return
            if self.seen is not before:  # another look was faster, but perhaps earlier too
                self.following.wake()
                return
            self.seen = seen
            self.end.show()
            self.announce(before, seen)
            self.making.begin(self.seen)
            self.marks = []
            self.advice.forget()
            self.cover()
            self.paint()
            self.seats.invite()
            self.say_whose_turn()
            await self.advice.always()
            await self.making.go_ahead()
        self.say_whose_turn()

    def say_whose_turn(self) -> None:
        """Say who is to move, above the board and in the title of the window."""
        self.status.set_text(self.whose_turn(self.preparing() or str(self.match.waiting)))
        waits = "● " if self.seen and self.seen.may_move and not self.match.by_hand else ""
        title = f"{waits}{self.status.text} · {title_of(self.match.game.name)}"
        if title != self.title:
            self.title = title
            ui.page_title(title)

    def preparing(self) -> str:
        """Who is being compiled before they can move, and for how long."""
        match = self.match
        seat, waits = match.mover, match.waits_for_player
        if not waits or seat < 0 or match.decider(seat) == PERSON:  # it may go on meanwhile
            return ""
        return self.host.preparing.told(match.game, player(match.decider(seat), match.game), self.name_of(seat))

    def announce(self, before: Viewer | None, now: Viewer) -> None:
        """Let the change be heard, and let the browser remember that this game goes on, or that it is over."""
        if self.keys and (before is None or self.match.over):
            note(self.match, self.keys)
        if before is None:
            return
        outcome = self.match.outcome if self.match.over else None
        if outcome is not None:
            ui.run_javascript("document.querySelector('.end').scrollIntoView({block: 'nearest', behavior: 'smooth'})")
            won, lost = set(self.mine) & set(outcome.winners), outcome.winners and self.mine
            self.likes.sound.play("win" if won or is_joy(self.match, outcome, self.mine) else "lose" if lost else "end")
        elif now.may_move and not before.may_move:
            self.likes.sound.play("turn")
        else:
            fell = now.roll and (before.roll is None or before.roll.number != now.roll.number)
            self.likes.sound.play("dice" if fell else "move")

    def cover(self) -> None:
        """Two people at one screen see each other's secrets only if they want to."""
        several = len(self.mine) > 1 and self.match.game.hides and not self.match.by_hand and not self.match.over
        if several and self.match.mover in self.mine and self.match.mover != self.last_seat:
            self.covered = self.last_seat >= 0
            self.last_seat = self.match.mover
            self.curtain.set_text(_("{mover}: press when only you look").format(mover=self.name_of(self.match.mover)))
        if self.match.over:
            self.covered = False

    def uncover(self) -> None:
        self.covered = False
        self.paint()

    def paint(self) -> None:
        """Put what is known on the page."""
        seen, people = self.seen, people_of(self.match)
        if seen is None:
            return
        self.curtain.visible = self.covered
        self.board.visible = not self.covered
        live = seen.may_move and not self.covered
        self.making.asks_first = bool(self.likes.confirm.value)
        self.making.show(live)
        self.board.show(
            svg=seen.svg,
            **self.making.drawn(),
            dots=bool(self.likes.dots.value),
            marks=self.marks if live else [],
            arrows=bool(self.match.game.arrows),
        )
        self.show_undo()
        self.resign.visible = bool(self.mine) and not self.match.over and not self.match.by_hand
        self.advice.show(live, seen.remark)
        self.log.set_content(log_html(seen.log, people))
        self.dice.show(seen.roll, colors_of(self.match.game), said_of(seen.roll, seen.log, people))

    def show_undo(self) -> None:
        """Undo, or ask the others for it, or answer somebody who asks."""
        match, fair = self.match, self.match.unfair(self.keys) is None
        request = match.request
        mine = request is not None and set(self.mine) <= request.agreed
        self.undo.visible = request is None and (fair or match.asks_others(self.keys))
        self.undo.set_text(_("Undo") if fair else _("Ask to take back"))
        self.plea.visible = request is not None and bool(self.mine)
        self.agree.visible = self.plea.visible and not mine
        if request is not None:
            taken = match.log.read_by(self.seen.seat if self.seen else None)[request.count][1]
            sentence = _("You ask to take back {taken} and what came after it.")
            if not mine:
                sentence = _("{name} asks to take back {taken} and what came after it.")
            taken = worded(taken) if taken else _("a hidden move")
            self.asked.set_text(sentence.format(name=self.name_of(request.by), taken=taken))
            self.decline.set_text(_("Never mind") if mine else _("No"))

    def name_of(self, seat: int) -> str:
        return mover_name(seat, people_of(self.match))

    def whose_turn(self, waiting: str) -> str:
        match = self.match
        if match.over:
            return _("The game is over")
        if match.mover == CHANCE:
            return _("Enter what chance did")
        name = self.name_of(match.mover)
        if match.by_hand:
            return _("Enter the move of {name}").format(name=name)
        if match.mover in match.stand_ins:
            return waiting or _("{player} moves for {name}").format(player=match.stand_ins[match.mover], name=name)
        if match.mover in self.mine:
            return _("Your turn") if len(self.mine) == 1 else _("{name}, your turn").format(name=name)
        if match.seats[match.mover].invitation:
            return _("Waiting for somebody to be {name}").format(name=name)
        return waiting or _("Waiting for {name}").format(name=name)

    # ------------------------------------------------------------ moving

    @property
    def chosen(self) -> list[str]:
        """Pieces of the move in the making."""
        return self.making.chosen

    async def pick(self, piece: str) -> None:
        await self.making.pick(piece)

    async def move(self, move: str | int) -> None:
        with telling():
            await self.host.move(self.client, self.match, self.keys, move)
        self.making.chosen = []
        self.paint()
        await self.watch()

    async def take_back(self) -> None:
        with telling():
            await self.host.undo(self.client, self.match, self.keys)
        await self.watch()

    async def give_up(self, asked: ui.dialog) -> None:
        asked.close()
        with telling():
            await self.host.resign(self.client, self.match, self.keys)
        await self.watch()

    async def teach(self) -> None:
        with telling():
            self.lesson.fill(await self.host.do(self.client, lambda: lesson_of(self.match.game)))
            self.lesson.open()

    async def refuse(self) -> None:
        with telling():
            await self.host.change(self.client, self.match, lambda: self.match.decline(self.keys))

    def advised(self, decision: Decision | None) -> None:
        """Draw advice on the board."""
        self.marks = marks_of(decision) if decision else self.marks
        self.paint()
