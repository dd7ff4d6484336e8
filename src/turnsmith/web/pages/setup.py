"""Before a game: whom to play against, the board, and, for who wants more, everything else."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, TypeVar

from fastapi import Query, Response
from nicegui import background_tasks, events, ui

from turnsmith.common.errors import BadInput
from turnsmith.common.settings import gathered, parse
from turnsmith.contract.game import Game
from turnsmith.languages import _
from turnsmith.maps.record import GameMap
from turnsmith.play.player import player
from turnsmith.play.position import Position
from turnsmith.web.host import Host
from turnsmith.web.match.asking import PlayerQuestion
from turnsmith.web.match.live_match import PERSON, LiveMatch
from turnsmith.web.match.people import LONGEST_NAME, clean, named_picture
from turnsmith.web.pages.board import Board
from turnsmith.web.pages.forms import LINK, SettingsForm, text_of
from turnsmith.web.pages.frame import READY, file_button, frame, heading, headline, here, is_there, page, sorry, telling
from turnsmith.web.pages.home import title_of
from turnsmith.web.pages.lesson import Lesson, lesson_of
from turnsmith.web.pages.opponents import OpponentPick
from turnsmith.web.server.bounds import NotFound, described, source_of, stand
from turnsmith.web.server.offered import known_game, offered
from turnsmith.web.server.remembered import recall, remember
from turnsmith.web.server.workers import Busy

T = TypeVar("T")
PACE = 0.6
"""Seconds between two moves of players, so that people can follow."""
SEEDS = 2**53


def add(host: Host) -> None:
    @page("/new/{name}")
    async def new(
        name: str,
        by_hand: bool = False,
        watching: bool = False,
        studio: str = "",
        map: int = 0,
        seed: Annotated[int | None, Query(ge=0, lt=SEEDS)] = None,
    ) -> Response | None:
        if name not in offered():
            return sorry(NotFound(_("there is no game '{name}'").format(name=name[:40])))
        try:
            chosen = await host.map_of(here(), studio, map) if studio else None
        except (BadInput, Busy) as error:
            return sorry(error)
        with frame(title_of(name)):
            if await is_there():
                await Setup(host, name, by_hand, watching, chosen, seed).build()
        return None


class Setup:
    """The form of one visitor."""

    def __init__(
        self,
        host: Host,
        name: str,
        by_hand: bool,
        watching: bool,
        chosen: GameMap | None = None,
        seed: int | None = None,
    ):
        """chosen: the map to play on, with the options it needs; None for one of the seed. seed: of its field."""
        self.given_seed = seed
        self.host, self.name, self.client = host, name, here()
        self.by_hand, self.watching = by_hand, watching
        self.source: Any = chosen.source if chosen else None
        self.drawn = secrets.randbelow(SEEDS)
        """The seed of the board that is shown; chance has another one, that nobody knows."""
        self.shown = ""
        self.last = self.recall_last()
        usual = {} if chosen or by_hand else self.last.get("options", {})
        self.given = parse(chosen.game)[1] if chosen else usual

    async def build(self) -> None:
        ready = ui.label(_(READY)).classes("small")
        game = await self.host.do(self.client, lambda: known_game(self.name))
        with ui.row().classes("items-center gap-3"):
            headline(
                _("{game} on a real board").format(game=title_of(self.name)) if self.by_hand else title_of(self.name)
            )
            ui.button(_("How to play"), icon="school", on_click=self.teach).props("flat no-caps")
        self.lesson = Lesson(title_of(self.name))
        with ui.element("div").classes("halves"):
            with ui.column().classes("w-full gap-4"):
                with ui.card().classes("panel"):
                    self.opponents(game)
                with ui.expansion(_("Advanced"), icon="tune").classes("w-full panel advanced"):
                    self.options(game)
            with ui.column().classes("w-full gap-2"):
                self.board = Board(label=_("the board to play on"))
                self.problem = ui.label().classes("text-negative")
                self.another = ui.button(_("Another map"), icon="casino", on_click=self.draw).props("flat no-caps")
                self.another.visible = False
        await self.preview()
        ready.delete()
        if not recall("taught"):
            await self.teach()

    async def teach(self) -> None:
        """Show how it is played: by itself when somebody comes for the first time."""
        with telling():
            self.lesson.fill(await self.host.do(self.client, lambda: lesson_of(known_game(self.name))))
            self.lesson.open()
            remember("taught", "yes", f"/new/{self.name}")

    def opponents(self, game: Game) -> None:
        heading(_("Who shall play?") if self.watching else _("Against whom?"))
        self.nickname = ui.input(_("your name"), value=recall("nickname"))
        self.nickname.props(f"outlined dense maxlength={LONGEST_NAME}").classes("w-full")
        self.nickname.visible = not self.watching and not self.by_hand
        self.count = ui.column().classes("w-full")
        if self.by_hand:
            ui.label(_("You enter what everybody does, and chance too; the page advises Player 1.")).classes("small")
        side = self.last.get("side", 0)
        self.pick = OpponentPick(self.watching or self.by_hand, str(self.last.get("who", "")), side)
        self.pick.box.visible = not self.by_hand
        self.start = ui.button(_("Start"), icon="play_arrow", on_click=self.begin)
        self.start.props("unelevated no-caps size=lg").classes("w-full").disable()
        self.waiting = ui.label().classes("small")

    def options(self, game: Game) -> None:
        self.form = None
        if self.source is not None:
            ui.label(_("Played on the map that was chosen, not on one of the seed.")).classes("small")
        if game.options is not None:
            given = {**((game.by_hand or {}) if self.by_hand else {}), **self.given}
            kind = type(game.options)
            self.form = SettingsForm(kind, self.preview, gathered(kind, given), game.options)
            self.form.move("players", self.count)
        every, seat_column = ui.switch(_("choose for every seat")), ui.column().classes("w-full gap-2")
        every.on_value_change(lambda: self.pick.each_seat(seat_column)).set_visibility(not self.by_hand)
        self.seed = ui.number(
            _("Seed"), value=self.given_seed, format="%d", min=0, max=SEEDS - 1, on_change=self.preview
        )
        self.seed.classes("w-full").props("outlined dense clearable bottom-slots")
        self.seed.props.update(hint=_("Board and chance; empty for the board shown and chance that nobody knows."))
        self.minutes = ui.number(_("Minutes to think for each person"), value=0, min=0, max=600)
        self.minutes.classes("w-full").props("outlined dense bottom-slots")
        self.minutes.props.update(hint=_("0: as long as you like."))
        self.hints = ui.switch(_("everybody may ask for hints, against other people too"))
        file_button(_("Board from a file (JSON)"), self.read_board)
        if game.genes is not None:
            to_studio = ui.button(_("Maps to your taste"), icon="palette")
            to_studio.on_click(lambda: ui.navigate.to(f"/maps/{self.name}")).props("flat no-caps").classes("w-full")

    @property
    def text(self) -> str:
        return text_of(self.name, self.form.values() if self.form else {})

    async def read_board(self, event: events.UploadEventArguments) -> None:
        with telling():
            try:
                document = json.loads(await event.file.text())
            except ValueError:
                raise BadInput(
                    _("{name} is no JSON; give a board as a game described it").format(name=event.file.name)
                ) from None
            is_match = isinstance(document, dict) and document.get("turnsmith") == "match"
            source = document.get("source") if is_match else document
            await self.host.do(self.client, lambda: stand(self.text, [], 1, source))
            self.source = source
            await self.preview()

    # ------------------------------------------------------------ the board

    async def draw(self) -> None:
        """Another map."""
        self.drawn = secrets.randbelow(SEEDS)
        await self.preview()

    async def preview(self) -> None:
        """Draw the board as it will be, and ask for as many players as it seats."""
        text, seed, source = self.text, self.drawn if self.seed.value is None else int(self.seed.value), self.source

        def work() -> tuple[Position, str, bool]:
            position = stand(text, [], seed, source)
            differs = source_of(position.game, seed) != source_of(position.game, seed + 1)
            return position, position.picture(), differs

        try:
            position, svg, differs = await self.patiently(text, work)
        except BadInput as error:
            self.problem.set_text(str(error))
            self.start.disable()
            return
        self.problem.set_text("")
        self.board.show(svg=named_picture(svg))
        self.another.visible = differs and source is None and self.seed.value is None
        if self.shown != text:
            self.shown = text
            usual = self.pick.ask(position.game, position.boards)
            background_tasks.create(self.warm_up(position, usual))
        self.start.enable()

    async def patiently(self, game: str, work: Callable[[], T]) -> T:
        """What the rules are needed for; while they are prepared, the visitor reads for how long."""
        doing = asyncio.ensure_future(self.host.do_at_once(self.client, game, work))
        while not (await asyncio.wait([doing], timeout=1.0))[0]:
            self.waiting.set_text(self.host.preparing.told(known_game(game)) or READY)
        self.waiting.set_text("")
        return await doing

    async def warm_up(self, position: Position, usual: str) -> None:
        """Compile the likely opponent while the person still chooses."""
        if position.mover >= 0:
            who, look = player(usual, position.game), position.seen_by(position.mover)
            with suppress(BadInput, Busy):
                await self.host.preparing.ready(position.game, who)
                await self.host.searches.run(self.client, lambda: PlayerQuestion().put(who, look, 0.1))

    # ------------------------------------------------------------ the match

    async def begin(self) -> None:
        self.start.props("loading")
        with telling():
            self.remember_last()
            ui.navigate.to(link(await self.create()))
        self.start.props(remove="loading")

    async def create(self) -> LiveMatch:
        loaded = known_game(self.text)
        chosen = self.pick.values()
        if self.by_hand:
            chosen = [PERSON] * int(described(loaded, source_of(loaded, source=self.source))[0].seats)
        if PERSON not in chosen and LINK in chosen:
            raise BadInput(_("who invites others plays too: take a seat yourself, or watch players among themselves"))
        invited = [seat for seat, who in enumerate(chosen) if who == LINK]
        seats = [PERSON if who == LINK else who for who in chosen]
        seed = None if self.seed.value is None else int(self.seed.value)
        more: dict[str, Any] = {"seed": seed, "source": self.source, "invited": invited, "by_hand": self.by_hand}
        more |= {"minutes": float(self.minutes.value or 0), "pace": 0.0 if self.watching else PACE}
        more |= {"hints": bool(self.hints.value), "names": self.names(chosen)}
        more |= {"board_seed": self.drawn if seed is None else None}
        return await self.host.create(self.client, self.text, seats, **more)

    def names(self, chosen: list[str]) -> list[str]:
        """The visitor's name where they sit: at their side, or on the first seat of a person."""
        if PERSON not in chosen or self.by_hand:
            return []
        side = self.pick.my_side
        own = side if not self.pick.picks and chosen[side] == PERSON else chosen.index(PERSON)
        return [clean(str(self.nickname.value or "")) if seat == own else "" for seat in range(len(chosen))]

    def recall_last(self) -> dict[str, Any]:
        """What this browser chose here the last time: who, side, options."""
        try:
            remembered = json.loads(recall("last", "{}"))
            options = {str(key): str(value) for key, value in remembered.get("options", {}).items()}
            known_game(text_of(self.name, options))
            return {"who": str(remembered.get("who", "")), "side": int(remembered.get("side", 0)), "options": options}
        except (ValueError, TypeError, AttributeError):  # BadInput too: the options may have gone with a version
            return {}

    def remember_last(self) -> None:
        remember("nickname", clean(str(self.nickname.value or "")))
        if not self.by_hand and not self.watching:
            options = self.form.values() if self.form and self.source is None else {}
            last = {"who": self.pick.chosen, "side": self.pick.my_side, "options": options}
            remember("last", json.dumps(last), f"/new/{self.name}")


def link(match: LiveMatch) -> str:
    """Where the one who made a match plays it; players among themselves are watched."""
    keys = [seat.key for seat in match.seats if seat.key]
    return f"/match/{match.name}/{'.'.join(keys)}" if keys else f"/watch/{match.name}"
