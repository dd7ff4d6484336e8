"""A game: its board to click, what may be known, advice, the log and the clocks."""

from __future__ import annotations

from typing import Any

from fastapi import Response
from nicegui import events, ui

from turnsmith.game import CHANCE
from turnsmith.player import Decision
from turnsmith.texts import BadInput
from turnsmith.web.board import Board, marks_of, next_pieces, typed
from turnsmith.web.dice import Dice
from turnsmith.web.frame import READY, frame, here, page, sorry, telling
from turnsmith.web.host import Host
from turnsmith.web.live_match import LiveMatch
from turnsmith.web.pages.home import title_of
from turnsmith.web.pages.panels import AdvicePanel, EndPanel, SeatsPanel
from turnsmith.web.pages.viewer import Viewer, log_html, said_of, viewer_of
from turnsmith.web.people import colors_of
from turnsmith.web.workers import Busy

LOOK = 0.1
"""Seconds between two looks at whether something has changed."""
ICONS = {"ArrowLeft": "arrow_back", "ArrowUp": "arrow_upward", "ArrowDown": "arrow_downward"}
ICONS |= {"ArrowRight": "arrow_forward"}
"""Buttons instead of arrow keys, for phones."""
TIPS = 400
"""For more moves than this, tips are given only when one is left."""


def add(host: Host) -> None:
    @page("/match/{name}/{keys}")
    async def seated(name: str, keys: str) -> Response | None:
        return await open_match(name, keys.split("."))

    @page("/match/{name}")
    async def onlooker(name: str) -> Response | None:
        return await open_match(name, [])

    async def open_match(name: str, keys: list[str]) -> Response | None:
        try:
            match = await host.get(here(), name)
            match.viewer(keys)
        except (BadInput, Busy) as error:
            return sorry(error)
        with frame(title_of(match.game.name)):
            Table(host, match, keys).build()
        return None

    @page("/join/{name}/{invitation}")
    async def join(name: str, invitation: str) -> Response | None:
        try:
            match = await host.get(here(), name)
        except (BadInput, Busy) as error:
            return sorry(error)
        client = here()

        async def take() -> None:
            with telling():
                key = match.take_seat(invitation)
                await host.do(client, lambda: host.matches.keep(match))
                ui.navigate.to(f"/match/{name}/{key}")

        with frame("Invitation"):
            ui.label(f"You are invited to {title_of(match.game.name)}").classes("title")
            ui.label("The seat is for whoever takes it first. Keep the link of the page that opens.").classes("lead")
            said = "Everybody may ask for hints." if match.hints else "There are no hints."
            if match.minutes:
                said += f" Each person has {match.minutes:g} minutes to think; clocks run from when all are there."
            ui.label(said).classes("lead")
            ui.button("Take the seat", icon="event_seat", on_click=take).props("unelevated no-caps size=lg")
        return None


class Table:
    """One visitor at one match."""

    def __init__(self, host: Host, match: LiveMatch, keys: list[str]):
        self.host, self.match, self.keys, self.client = host, match, keys, here()
        self.mine = match.owned(keys)
        self.seen: Viewer | None = None
        self.chosen: list[str] = []
        self.letters = ""
        self.marks: list[dict[str, Any]] = []
        self.last_seat = -1
        self.covered = False

    # ------------------------------------------------------------ the page

    def build(self) -> None:
        game = self.match.game
        with ui.element("div").classes("sides"):
            with ui.column().classes("w-full gap-3"):
                self.end = EndPanel(self.host, self.match, self.keys, self.client)
                self.status = ui.label(READY).classes("heading")
                self.dice = Dice(kept=self.match.game.roll is not None)
                self.board = Board(label=title_of(game.name), on_piece=self.pick)
                self.curtain = (
                    ui.button("", on_click=self.uncover).props("unelevated no-caps size=lg").classes("w-full")
                )
                self.curtain.visible = False
                self.building()
            with ui.column().classes("w-full gap-3"):
                self.seats = SeatsPanel(self.match, self.mine)
                self.advice = AdvicePanel(self.host, self.match, self.keys, self.client, self)
                with ui.card().classes("panel"):
                    ui.label("Moves").classes("heading")
                    self.log = ui.html("", sanitize=False).classes("log numbers")
                with ui.card().classes("panel"):
                    self.sound = ui.switch("sound", on_change=self.paint)
                    self.dots = ui.switch("show where I can click", on_change=self.paint)
                    self.confirm = ui.switch("ask before a move of several parts is sent", on_change=self.paint)
        ui.keyboard(on_key=self.key)
        ui.timer(LOOK, self.watch)

    def building(self) -> None:
        """The move in the making, and other ways to make one."""
        self.moving = ui.row().classes("w-full items-center gap-2")
        with self.moving:
            self.chips = ui.row().classes("items-center gap-1")
            self.tip = ui.label().classes("font-bold")
            self.send = ui.button("Send", icon="check", on_click=self.submit).props("unelevated no-caps")
            self.back = ui.button("Take back", icon="backspace", on_click=self.unpick).props("flat no-caps")
        if self.match.game.arrows:
            with ui.row().classes("pad w-full justify-center"):
                for key, icon in ICONS.items():
                    pressed = ui.button(icon=icon, on_click=lambda key=key: self.press(key)).props("unelevated round")
                    pressed.props.update({"aria-label": key})
        with ui.row().classes("w-full items-center gap-2 no-wrap"):
            self.typing = (
                ui.input("or type a move").props("outlined dense").classes("grow").on("keydown.enter", self.say)
            )
            self.undo = ui.button("Undo", icon="undo", on_click=self.take_back).props("flat no-caps")

        self.plea = ui.row().classes("w-full items-center gap-2")
        with self.plea:
            self.asked = ui.label()
            self.agree = ui.button("Agree", on_click=self.take_back).props("unelevated dense no-caps")
            self.decline = ui.button("No", on_click=self.refuse).props("flat dense no-caps")
        self.plea.visible = False

    # ------------------------------------------------------------ looking

    async def watch(self) -> None:
        """Show the match again when it has changed."""
        self.match.check_clock()
        waiting = self.match.waiting
        if self.seen is None or self.seen.version != self.match.version:
            try:
                self.seen = await self.host.do(self.client, lambda: viewer_of(self.match, self.keys))
            except Busy:
                return  # the next look comes soon
            self.chosen, self.letters, self.marks = [], "", []
            self.advice.forget()
            self.cover()
            self.paint()
            self.seats.invite()
            self.end.show()
            await self.advice.always()
        self.status.set_text(self.whose_turn(waiting))

    def cover(self) -> None:
        """Two people at one screen see each other's secrets only if they want to."""
        several = len(self.mine) > 1 and self.match.game.hides and not self.match.by_hand and not self.match.over
        if several and self.match.mover in self.mine and self.match.mover != self.last_seat:
            self.covered = self.last_seat >= 0
            self.last_seat = self.match.mover
            self.curtain.set_text(f"Seat {self.match.mover}: press when only you look")
        if self.match.over:
            self.covered = False

    def uncover(self) -> None:
        self.covered = False
        self.paint()

    def paint(self) -> None:
        """Put what is known on the page."""
        seen = self.seen
        if seen is None:
            return
        self.curtain.visible = self.covered
        self.board.visible = not self.covered
        live = seen.may_move and not self.covered
        following = next_pieces(seen.words, self.chosen) if live else {}
        self.board.show(
            svg=seen.svg,
            live=live,
            open=[word for word in following if word],
            chosen=list(self.chosen),
            draft=self.draft(),
            dots=bool(self.dots.value),
            tips=self.told("tip", following),
            overlays=self.told("overlay", following),
            marks=self.marks if live else [],
            sound=bool(self.sound.value),
            arrows=bool(self.match.game.arrows),
        )
        self.chips.clear()
        with self.chips:
            for piece in self.chosen:
                ui.chip(piece, color="primary", text_color="white").props("dense square")
        self.tip.set_text(self.pending_tip())
        self.back.visible = bool(self.chosen)
        self.send.visible = live and self.complete() is not None
        self.typing.visible = live
        self.show_undo()
        self.advice.show(live, seen.remark)
        self.log.set_content(log_html(seen.log))
        self.dice.show(seen.roll, colors_of(self.match.game), said_of(seen.roll, seen.log))

    def draft(self) -> str:
        """What the game draws for the pieces chosen so far."""
        tell, seen = self.match.game.draft, self.seen
        return str(tell(seen.board, seen.view, self.chosen)) if tell and seen and self.chosen else ""

    def show_undo(self) -> None:
        """Undo, or ask the others for it, or answer somebody who asks."""
        match, fair = self.match, self.match.unfair(self.keys) is None
        request = match.request
        mine = request is not None and set(self.mine) <= request.agreed
        self.undo.visible = request is None and (fair or match.asks_others(self.keys))
        self.undo.set_text("Undo" if fair else "Ask to take back")
        self.plea.visible = request is not None and bool(self.mine)
        self.agree.visible = self.plea.visible and not mine
        if request is not None:
            taken = match.log.read_by(self.seen.seat if self.seen else None)[request.count][1] or "a hidden move"
            whose = "You ask" if mine else f"Seat {request.by} asks"
            self.asked.set_text(f"{whose} to take back {taken} and what came after it.")
            self.decline.set_text("Never mind" if mine else "No")

    def told(self, rule: str, following: dict[str, list[int]]) -> dict[str, str]:
        """What the game's `tip` or `overlay` says of each piece that would complete a move."""
        tell, seen = getattr(self.match.game, rule), self.seen
        if tell is None or seen is None or sum(map(len, following.values())) > TIPS:
            return {}
        single = {word: moves[0] for word, moves in following.items() if len(moves) == 1 and word}
        found = {word: str(tell(seen.board, seen.view, seen.actions[move])) for word, move in single.items()}
        return {word: said for word, said in found.items() if said}

    def pending_tip(self) -> str:
        place = self.complete()
        if place is None or self.seen is None or self.match.game.tip is None:
            return ""
        return str(self.match.game.tip(self.seen.board, self.seen.view, self.seen.actions[place]))

    def whose_turn(self, waiting: str) -> str:
        match = self.match
        if match.over:
            return "The game is over"
        if match.mover == CHANCE:
            return "Enter what chance did"
        if match.by_hand:
            return f"Enter the move of seat {match.mover}"
        if match.mover in match.stand_ins:
            return waiting or f"{match.stand_ins[match.mover]} moves for seat {match.mover}"
        if match.mover in self.mine:
            return "Your turn" if len(self.mine) == 1 else f"Seat {match.mover}, your turn"
        if match.seats[match.mover].invitation:
            return f"Waiting for somebody to take seat {match.mover}"
        return waiting or f"Waiting for seat {match.mover}: {match.seats[match.mover].who}"

    # ------------------------------------------------------------ moving

    def complete(self) -> int | None:
        """The place of the move that the chosen pieces are, if they are one."""
        found = (
            next_pieces(self.seen.words, self.chosen[:-1]).get(self.chosen[-1]) if self.seen and self.chosen else None
        )
        whole = " ".join(self.chosen)
        return next((place for place in found or [] if self.seen and self.seen.words[place] == whole), None)

    async def pick(self, piece: str) -> None:
        """A part of the board was clicked, or its word typed."""
        if self.seen is None or not self.seen.may_move:
            return
        following = next_pieces(self.seen.words, self.chosen)
        if piece in following:
            self.chosen = [*self.chosen, piece]
        elif piece in self.chosen:
            self.chosen = self.chosen[: self.chosen.index(piece)]
        elif piece in next_pieces(self.seen.words, []):
            self.chosen = [piece]  # another beginning
        if self.complete() is not None and (len(self.chosen) == 1 or not self.confirm.value):
            await self.submit()
        else:
            self.paint()

    def unpick(self) -> None:
        self.chosen = self.chosen[:-1]
        self.paint()

    async def submit(self) -> None:
        place = self.complete()
        if place is not None and self.seen is not None:
            await self.move(self.seen.actions[place])

    async def say(self) -> None:
        text, self.typing.value = str(self.typing.value or "").strip(), ""
        if text:
            await self.move(text)

    async def move(self, move: str | int) -> None:
        with telling():
            await self.host.move(self.client, self.match, self.keys, move)
        self.chosen = []
        self.paint()
        await self.watch()

    async def take_back(self) -> None:
        with telling():
            await self.host.undo(self.client, self.match, self.keys)
        await self.watch()

    def refuse(self) -> None:
        self.match.decline(self.keys)

    async def key(self, event: events.KeyEventArguments) -> None:
        if not event.action.keydown or event.modifiers.ctrl or event.modifiers.alt or event.modifiers.meta:
            return
        await self.press(str(event.key.name))

    async def press(self, name: str) -> None:
        """A key was pressed, or its button on a phone."""
        if self.seen is None or not self.seen.may_move or self.covered:
            return
        if name in ("Backspace", "Escape"):
            self.letters = ""
            self.chosen = self.chosen[:-1] if name == "Backspace" else []
            self.paint()
        elif name == "Enter" and self.complete() is not None:
            await self.submit()
        else:
            following = list(next_pieces(self.seen.words, self.chosen))
            self.letters, word = typed(name, self.letters, following, self.match.game.arrows)
            if word:
                await self.pick(word)

    def advised(self, decision: Decision | None) -> None:
        """Draw advice on the board."""
        self.marks = marks_of(decision) if decision else self.marks
        self.paint()
