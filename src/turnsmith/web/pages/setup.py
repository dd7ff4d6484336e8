"""Before a game: its options, its board, and who sits where."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

from fastapi import Response
from nicegui import background_tasks, events, ui

from turnsmith.game import Game
from turnsmith.maps.record import GameMap
from turnsmith.player import player
from turnsmith.position import Position
from turnsmith.texts import BadInput, gathered, parse
from turnsmith.web.asking import Question
from turnsmith.web.board import Board
from turnsmith.web.bounds import NotFound, described, source_of, stand
from turnsmith.web.forms import LINK, PlayerPick, SettingsForm, text_of
from turnsmith.web.frame import READY, file_button, frame, heading, headline, here, is_there, page, sorry, telling
from turnsmith.web.host import Host
from turnsmith.web.live_match import PERSON, LiveMatch
from turnsmith.web.offered import known_game, offered, opponents
from turnsmith.web.pages.home import title_of
from turnsmith.web.people import LONGEST_NAME, clean, named_picture, unnamed
from turnsmith.web.remembered import recall, remember
from turnsmith.web.workers import Busy

PACE = 0.6
"""Seconds between two moves of players, so that people can follow."""


def add(host: Host) -> None:
    @page("/new/{name}")
    async def new(
        name: str, by_hand: bool = False, watching: bool = False, studio: str = "", map: int = 0
    ) -> Response | None:
        if name not in offered():
            return sorry(NotFound(f"there is no game '{name[:40]}'"))
        try:
            chosen = await host.map_of(here(), studio, map) if studio else None
        except (BadInput, Busy) as error:
            return sorry(error)
        with frame(title_of(name)):
            if await is_there():
                await Setup(host, name, by_hand, watching, chosen).build()
        return None


class Setup:
    """The form of one visitor."""

    def __init__(self, host: Host, name: str, by_hand: bool, watching: bool, chosen: GameMap | None = None):
        """chosen: the map to play on, with the options it needs; None for one of the seed."""
        self.host, self.name, self.client = host, name, here()
        self.by_hand, self.watching = by_hand, watching
        self.given = parse(chosen.game)[1] if chosen else {}
        self.source: Any = chosen.source if chosen else None
        self.seats: list[PlayerPick] = []
        self.shown = ""

    async def build(self) -> None:
        ready = ui.label(READY).classes("small")
        game = await self.host.do(self.client, lambda: known_game(self.name))
        headline(f"{title_of(self.name)} on a real board" if self.by_hand else title_of(self.name))
        with ui.element("div").classes("halves"):
            with ui.column().classes("w-full gap-4"):
                with ui.card().classes("panel"):
                    heading("Who plays")
                    self.nickname = ui.input("your name", value=recall("nickname"))
                    self.nickname.props(f"outlined dense maxlength={LONGEST_NAME}").classes("w-full")
                    self.table = ui.column().classes("w-full gap-2")
                    self.start = ui.button("Start", icon="play_arrow", on_click=self.begin)
                    self.start.props("unelevated no-caps size=lg").classes("w-full").disable()
                    self.waiting = ui.label().classes("small")
                self.options(game)
            with ui.column().classes("w-full gap-2"):
                self.board = Board(label="the board to play on")
                self.problem = ui.label().classes("text-negative")
                with ui.card().classes("panel"):
                    heading("How it is played")
                    ui.markdown(rules_of(game)).classes("small")
        await self.preview()
        ready.delete()

    def options(self, game: Game) -> None:
        with ui.card().classes("panel"):
            heading("The game")
            self.form = None
            if self.source is not None:
                ui.label("Played on the map that was chosen, not on one of the seed.").classes("small")
            if game.options is not None:
                given = {**((game.by_hand or {}) if self.by_hand else {}), **self.given}
                kind = type(game.options)
                self.form = SettingsForm(kind, self.preview, gathered(kind, given), game.options)
            self.seed = ui.number("seed", format="%d", min=0, max=2**53 - 1, on_change=self.preview)
            self.seed.classes("w-full").props("outlined dense clearable bottom-slots")
            self.seed.props.update(hint="Board and chance; empty for a new one that nobody knows.")
            self.minutes = ui.number("minutes to think for each person", value=0, min=0, max=600)
            self.minutes.classes("w-full").props("outlined dense bottom-slots hint='0: as long as you like.'")
            self.hints = ui.switch("everybody may ask for hints, against other people too")
            file_button("Board from a file (JSON)", self.read_board)
            if game.genes is not None:
                ui.button(
                    "Maps to your taste", icon="palette", on_click=lambda: ui.navigate.to(f"/maps/{self.name}")
                ).props("flat no-caps").classes("w-full")

    @property
    def text(self) -> str:
        return text_of(self.name, self.form.values() if self.form else {})

    async def read_board(self, event: events.UploadEventArguments) -> None:
        with telling():
            try:
                found = json.loads(await event.file.text())
            except ValueError:
                raise BadInput(f"{event.file.name} is no JSON; give a board as a game described it") from None
            is_match = isinstance(found, dict) and found.get("turnsmith") == "match"
            source = found.get("source") if is_match else found
            await self.host.do(self.client, lambda: stand(self.text, [], 1, source))
            self.source = source
            await self.preview()

    async def preview(self) -> None:
        """Draw the board as it would be, and ask for as many players as it seats."""
        seed = int(self.seed.value or 1)
        try:
            position = await self.host.do(self.client, lambda: stand(self.text, [], seed, self.source))
            svg = await self.host.do(self.client, position.picture)
        except BadInput as error:
            self.problem.set_text(str(error))
            self.start.disable()
            return
        self.problem.set_text("")
        self.board.show(svg=named_picture(svg))
        if self.shown != self.text:
            self.shown = self.text
            usual = self.ask_seats(position.game, position.boards)
            background_tasks.create(self.warm_up(position, usual))
        self.start.enable()

    async def warm_up(self, position: Position, usual: str) -> None:
        """Compile the likely opponent while the person still chooses."""
        if position.mover >= 0:
            who, look = player(usual, position.game), position.seen_by(position.mover)
            with suppress(BadInput, Busy):
                await self.host.searches.run(self.client, lambda: Question().put(who, look, 0.1))

    def ask_seats(self, game: Game, boards: Any) -> str:
        """Ask who sits where; returns the opponent that is proposed."""
        named = opponents(game, boards)
        usual = named.get("easy") or next(iter(named.values()), "random")
        self.table.clear()
        self.seats = []
        with self.table:
            if self.by_hand:
                ui.label("You enter what every seat does, and chance too; the page advises Player 1.").classes("small")
                return list(named.values())[-1] if named else usual
            for seat in range(int(boards[0].seats)):
                value = PERSON if seat == 0 and not self.watching else usual
                self.seats.append(PlayerPick(game, boards, unnamed(seat), value, people=not self.watching))
        return usual

    async def begin(self) -> None:
        self.start.props("loading")
        with telling():
            making = asyncio.ensure_future(self.create())
            if not (await asyncio.wait([making], timeout=1.0))[0]:
                self.waiting.set_text(READY)
            ui.navigate.to(link(await making))
        self.waiting.set_text("")
        self.start.props(remove="loading")

    async def create(self) -> LiveMatch:
        loaded = known_game(self.text)
        chosen = [pick.value for pick in self.seats]
        if self.by_hand:
            chosen = [PERSON] * int(described(loaded, source_of(loaded, source=self.source))[0].seats)
        if PERSON not in chosen and LINK in chosen:
            raise BadInput("who invites others plays too: take a seat yourself, or watch players among themselves")
        invited = [seat for seat, who in enumerate(chosen) if who == LINK]
        seats = [PERSON if who == LINK else who for who in chosen]
        seed = None if self.seed.value is None else int(self.seed.value)
        more: dict[str, Any] = {"seed": seed, "source": self.source, "invited": invited, "by_hand": self.by_hand}
        more |= {"minutes": float(self.minutes.value or 0), "pace": 0.0 if self.watching else PACE}
        name = clean(str(self.nickname.value or ""))
        remember("nickname", name)
        first = chosen.index(PERSON) if PERSON in chosen else -1
        more |= {
            "hints": bool(self.hints.value),
            "names": [name if seat == first else "" for seat in range(len(seats))],
        }
        return await self.host.create(self.client, self.text, seats, **more)


def rules_of(game: Game) -> str:
    """What a game says of itself, up to the tables of its players."""
    return game.doc.partition("\n\n")[2].partition("\n\n|")[0].rpartition("\n\n")[0] or game.doc


def link(match: LiveMatch) -> str:
    """Where the one who made a match plays it; players among themselves are watched."""
    keys = [seat.key for seat in match.seats if seat.key]
    return f"/match/{match.name}/{'.'.join(keys)}" if keys else f"/watch/{match.name}"
