"""A game: its board to click, what may be known, advice, the log and the clocks."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

from nicegui import events, ui

from turnsmith.game import CHANCE
from turnsmith.player import levels, player
from turnsmith.texts import BadInput
from turnsmith.web.board import Board, marks_of, next_pieces, typed
from turnsmith.web.forms import PlayerPick
from turnsmith.web.frame import frame, here, sorry, telling
from turnsmith.web.host import Host
from turnsmith.web.match import Match, expectation
from turnsmith.web.pages.home import title_of
from turnsmith.web.workers import Busy

LOOK = 0.1
"""Seconds between two looks at whether something has changed."""
TIPS = 60
"""For more moves than this, tips are given only when one is left."""


def add(host: Host) -> None:
    @ui.page("/match/{name}/{keys}", response_timeout=60)
    async def seated(name: str, keys: str) -> None:
        await open_match(name, keys.split("."))

    @ui.page("/match/{name}", response_timeout=60)
    async def onlooker(name: str) -> None:
        await open_match(name, [])

    async def open_match(name: str, keys: list[str]) -> None:
        try:
            match = await host.get(here(), name)
            match.viewer(keys)
        except BadInput as error:
            sorry(str(error))
            return
        with frame(title_of(match.game.name)):
            Table(host, match, keys).build()

    @ui.page("/join/{name}/{invitation}", response_timeout=60)
    async def join(name: str, invitation: str) -> None:
        try:
            match = await host.get(here(), name)
        except BadInput as error:
            sorry(str(error))
            return
        client = here()

        async def take() -> None:
            with telling():
                key = match.take_seat(invitation)
                await host.do(client, lambda: host.matches.keep(match))
                ui.navigate.to(f"/match/{name}/{key}")

        with frame("Invitation"):
            ui.label(f"You are invited to {title_of(match.game.name)}").classes("title")
            ui.label("The seat is for whoever takes it first. Keep the link of the page that opens.").classes("lead")
            ui.button("Take the seat", icon="event_seat", on_click=take).props("unelevated no-caps size=lg")


@dataclass
class Sight:
    """What one visitor may know of a match at one moment."""

    version: int
    viewer: int | None
    svg: str
    may_move: bool
    words: tuple[str, ...]
    actions: list[int]
    log: list[tuple[int, str]]
    remark: str
    board: Any
    view: Any


def sight(match: Match, keys: list[str]) -> Sight:
    """Look at a match. To be called in a worker."""
    with match.lock:
        viewer, may_move = match.viewer(keys), match.may_move(keys)
        look = match.look(viewer)
        words = match.words() if may_move else ()
        actions = match.position.actions.tolist() if may_move else []
        view = look.state
        remark = str(match.game.remark(look.board, view)) if match.game.remark and may_move else ""
        if match.game.tip and may_move:
            match.game.tip(look.board, view, actions[0])  # so that it is compiled here and not while the page is drawn
        log = match.log(viewer)
        return Sight(match.version, viewer, look.picture(), may_move, words, actions, log, remark, look.board, view)


class Table:
    """One visitor at one match."""

    def __init__(self, host: Host, match: Match, keys: list[str]):
        self.host, self.match, self.keys, self.client = host, match, keys, here()
        self.mine = match.owned(keys)
        self.seen: Sight | None = None
        self.chosen: list[str] = []
        self.letters = ""
        self.marks: list[dict[str, Any]] = []
        self.asking = False
        self.last_seat = -1
        self.covered = False
        self.finished = False

    # ------------------------------------------------------------ the page

    def build(self) -> None:
        game = self.match.game
        with ui.element("div").classes("sides"):
            with ui.column().classes("w-full gap-3"):
                self.end = ui.card().classes("panel")
                self.end.visible = False
                self.status = ui.label().classes("heading")
                self.board = Board(label=title_of(game.name), on_piece=self.pick)
                self.curtain = (
                    ui.button("", on_click=self.uncover).props("unelevated no-caps size=lg").classes("w-full")
                )
                self.curtain.visible = False
                self.building()
            with ui.column().classes("w-full gap-3"):
                self.people()
                self.advice()
                with ui.card().classes("panel"):
                    ui.label("Moves").classes("heading")
                    self.log = ui.html("", sanitize=False).classes("log numbers")
                with ui.card().classes("panel"):
                    self.sound = ui.switch("sound", on_change=self.paint)
                    self.dots = ui.switch("show where I can click", on_change=self.paint)
                    self.confirm = ui.switch("ask before a move of several parts is sent", on_change=self.paint)
        ui.keyboard(on_key=self.key)
        ui.timer(LOOK, self.watch)
        ui.timer(0.5, self.tick)

    def building(self) -> None:
        """The move in the making, and other ways to make one."""
        self.moving = ui.row().classes("w-full items-center gap-2")
        with self.moving:
            self.chips = ui.row().classes("items-center gap-1")
            self.tip = ui.label().classes("font-bold")
            self.send = ui.button("Send", icon="check", on_click=self.submit).props("unelevated no-caps")
            self.back = ui.button("Take back", icon="backspace", on_click=self.unpick).props("flat no-caps")
        with ui.row().classes("w-full items-center gap-2 no-wrap"):
            self.typing = (
                ui.input("or type a move").props("outlined dense").classes("grow").on("keydown.enter", self.say)
            )
            self.undo = ui.button("Undo", icon="undo", on_click=self.take_back).props("flat no-caps")

    def people(self) -> None:
        with ui.card().classes("panel"):
            ui.label("Seats").classes("heading")
            self.rows: list[tuple[ui.element, ui.label]] = []
            for index, seat in enumerate(self.match.seats):
                name = "you" if index in self.mine else "a person" if seat.is_person else seat.who
                with ui.element("div").classes("who") as row:
                    ui.label(f"{index}").classes("small")
                    ui.label(name).classes("grow")
                    clock = ui.label().classes("numbers small")
                self.rows.append((row, clock))
            self.invitations = ui.column().classes("w-full gap-1")

    def advice(self) -> None:
        match = self.match
        with ui.card().classes("panel"):
            ui.label("Advice").classes("heading")
            if not self.mine:
                ui.label("You are looking on.").classes("small")
            self.adviser = PlayerPick(match.game, match.position.boards, "ask", _usual_adviser(match))
            with ui.row().classes("items-center gap-2"):
                self.hint = ui.button("Hint", icon="lightbulb", on_click=self.ask).props("unelevated no-caps")
                self.auto = ui.switch("always", value=match.by_hand, on_change=self.always)
            self.advised = ui.label().classes("small whitespace-pre-line")
            self.known = ui.expansion("What can be known", value=match.by_hand).props("dense").classes("w-full")
            with self.known:
                self.remark = ui.label().classes("small")
            self.known.visible = match.game.remark is not None

    # ------------------------------------------------------------ looking

    async def watch(self) -> None:
        """Show the match again when it has changed."""
        self.match.check_clock()
        waiting = self.match.waiting
        if self.seen is None or self.seen.version != self.match.version:
            try:
                self.seen = await self.host.do(self.client, lambda: sight(self.match, self.keys))
            except Busy:
                return  # the next look comes soon
            self.chosen, self.letters, self.marks = [], "", []
            self.advised.set_text("")
            self.cover()
            self.paint()
            self.invite()
            if self.seen.may_move and self.auto.value:
                await self.always()
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
            dots=bool(self.dots.value),
            tips=self.tips(following),
            marks=self.marks if live else [],
            sound=bool(self.sound.value),
        )
        self.chips.clear()
        with self.chips:
            for piece in self.chosen:
                ui.chip(piece, color="primary", text_color="white").props("dense square")
        self.tip.set_text(self.pending_tip())
        self.back.visible = bool(self.chosen)
        self.send.visible = live and self.complete() is not None
        self.typing.visible = live
        self.undo.visible = self.match.unfair(self.keys) is None
        self.hint.set_enabled(live and not self.asking)
        self.remark.set_text(seen.remark or "It is not your turn.")
        self.log.set_content(log_html(seen.log))
        if self.match.over and not self.finished:
            self.finished = True
            self.show_end()
        elif not self.match.over:
            self.finished, self.end.visible = False, False
        if self.match.rematch and self.finished:
            self.show_end()

    def tips(self, following: dict[str, list[int]]) -> dict[str, str]:
        """What the game says of each piece that would complete a move."""
        game, seen = self.match.game, self.seen
        single = {word: moves[0] for word, moves in following.items() if len(moves) == 1 and word}
        if game.tip is None or seen is None or sum(map(len, following.values())) > TIPS:
            return {}
        found = {word: str(game.tip(seen.board, seen.view, seen.actions[move])) for word, move in single.items()}
        return {word: tip for word, tip in found.items() if tip}

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
            return "Enter what luck did"
        if match.by_hand:
            return f"Enter the move of seat {match.mover}"
        if match.mover in self.mine:
            return "Your turn" if len(self.mine) == 1 else f"Seat {match.mover}, your turn"
        if match.seats[match.mover].invitation:
            return f"Waiting for somebody to take seat {match.mover}"
        return waiting or f"Waiting for seat {match.mover}: {match.seats[match.mover].who}"

    def tick(self) -> None:
        """Let the clocks run."""
        for index, ((row, clock), seconds) in enumerate(zip(self.rows, self.match.clocks(), strict=True)):
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
                request = ui.context.client.request
                url = f"{request.base_url if request else '/'}join/{self.match.name}/{invitation}"
                ui.label(f"Send this link to whoever shall play seat {index}:").classes("small")
                with ui.row().classes("w-full no-wrap items-center"):
                    ui.input(value=url).props("readonly dense outlined").classes("grow invitation")
                    ui.button(icon="content_copy", on_click=lambda url=url: ui.clipboard.write(url)).props("flat dense")

    def show_end(self) -> None:
        """Why it ended, what everybody got, and another one."""
        match, outcome = self.match, self.match.outcome
        self.end.clear()
        self.end.visible = True
        if outcome is None:
            return
        with self.end:
            ending = outcome.ending[:1].upper() + outcome.ending[1:]
            returns = ", ".join(f"seat {i}: {value:.3g}" for i, value in enumerate(outcome.returns))
            if len(match.seats) == 1:
                title, more = ending, ""
            elif outcome.winner is None:
                title, more = "Nobody wins alone", f"{ending}. "
            else:
                winner = "You win" if [outcome.winner] == self.mine else f"Seat {outcome.winner} wins"
                title, more = winner, f"{ending}. "
            ui.label(title).classes("title")
            ui.label(f"{more}Returns: {returns}.")
            with ui.row().classes("gap-2"):
                if self.mine:
                    ui.button("Rematch", icon="replay", on_click=self.again).props("unelevated no-caps")
                ui.button("Look at it again", on_click=lambda: ui.navigate.to(f"/watch/{match.name}")).props(
                    "flat no-caps"
                )
                ui.button("Save", icon="download").props(f"flat no-caps tag=a href=/api/matches/{match.name}/record")
                ui.button("Other games", on_click=lambda: ui.navigate.to("/")).props("flat no-caps")

    async def again(self) -> None:
        with telling():
            fresh = await self.host.do(self.client, lambda: self.host.matches.again(self.match))
            self.host.drive(fresh)
            keys = ".".join(fresh.seats[seat].key for seat in self.mine)
            ui.navigate.to(f"/match/{fresh.name}/{keys}")

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

    async def key(self, event: events.KeyEventArguments) -> None:
        if not event.action.keydown or self.seen is None or not self.seen.may_move or self.covered:
            return
        if event.modifiers.ctrl or event.modifiers.alt or event.modifiers.meta:
            return
        name = str(event.key.name)
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

    # ------------------------------------------------------------ advice

    async def always(self) -> None:
        """Ask at once, where advice is wanted at every turn."""
        by_hand = self.match.by_hand
        if self.auto.value and self.seen and self.seen.may_move and (not by_hand or self.match.mover == 0):
            await self.ask()

    async def ask(self) -> None:
        """What the chosen player would do here, drawn on the board."""
        if self.asking or self.match.mover < 0:
            return
        version, self.asking = self.match.version, True
        self.hint.props("loading")
        with telling():
            who = self.adviser.value
            self.advised.set_text(f"{expectation(player(who, self.match.game), self.match.game)} …")
            decision = await self.host.hint(self.client, self.match, self.keys, who)
            if self.match.version == version:
                value = "" if decision.value is None else f", expecting {decision.value:+.3g}"
                self.advised.set_text(f"{who} would play {decision.words}{value}.\n{decision.note}")
                self.marks = marks_of(decision)
        self.asking = False
        self.hint.props(remove="loading")
        self.paint()


def _usual_adviser(match: Match) -> str:
    return list(levels(match.game, match.position.boards).values())[-1]


def log_html(log: list[tuple[int, str]], most: int = 200) -> str:
    """The latest moves, newest first."""
    lines = []
    for number, (mover, words) in list(enumerate(log, start=1))[: -most - 1 : -1]:
        who = "luck" if mover == CHANCE else f"seat {mover}"
        said = html.escape(words) if words else "<i>hidden</i>"
        lines.append(f'<div class="log-line"><span class="small">{number}. {who}</span><span>{said}</span></div>')
    return "".join(lines)
