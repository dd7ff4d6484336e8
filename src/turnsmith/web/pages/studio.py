"""The studio: maps to rate, and others that come closer to what one likes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import Response
from nicegui import events, ui

from turnsmith.common.errors import BadInput
from turnsmith.languages import _
from turnsmith.web.host import Host
from turnsmith.web.pages.board import Board
from turnsmith.web.pages.following import Following
from turnsmith.web.pages.forms import SettingsForm, text_of
from turnsmith.web.pages.frame import (
    READY,
    copy,
    file_button,
    frame,
    heading,
    headline,
    here,
    is_there,
    page,
    sorry,
    telling,
)
from turnsmith.web.pages.home import title_of
from turnsmith.web.pages.studio_cards import KEYS, Card, Scales
from turnsmith.web.pages.studio_panels import ArchivePanel, RatingsPanel, WaysPanel, read_taste
from turnsmith.web.pages.studio_sheet import MapSheet
from turnsmith.web.server.bounds import NotFound
from turnsmith.web.server.offered import known_game
from turnsmith.web.server.workers import Busy
from turnsmith.web.studio.studio import Studio
from turnsmith.web.studio.studios import makeable

LOOK = 0.2
"""Seconds at least between two looks at a studio that is at work."""
FURTHER = 50_000
"""Maps that are bred when somebody asks to look further."""
FINALS = 10
"""Maps that are made at last."""

OF_A_MAP = ("s", "p", "w", "m")
"""Keys that are for the map that is selected, besides those that rate it."""
TO_BEST = """setTimeout(() => {
  const best = document.getElementById("%s");
  best.focus({preventScroll: true});
  best.scrollIntoView({block: "start", behavior: "smooth"});
}, 50)"""


def add(host: Host) -> None:
    @page("/maps")
    async def choose() -> None:
        client = here()
        names = await host.do(client, makeable)
        with frame(_("Maps")):
            headline(_("Maps to your taste"))
            ui.label(
                _("Rate a few maps, and get others that come closer and closer to what you like. Of which game?")
            ).classes("lead")
            with ui.element("div").classes("cards"):
                for name in names:
                    with ui.card().classes("panel"):
                        board = Board(label=_("a map of {game}").format(game=title_of(name)))
                        board.show(svg=await host.do(client, known_game(name).start(1).picture))
                        heading(title_of(name))
                        ui.button(_("Make maps"), on_click=lambda name=name: ui.navigate.to(f"/maps/{name}")).props(
                            "unelevated no-caps"
                        )

    @page("/maps/{name}")
    async def new(name: str, seed: int = 0) -> Response | None:
        if name not in await host.do(here(), makeable):
            return sorry(
                NotFound(
                    _("there are no maps of '{name}' to be made; see the games that have some").format(name=name[:40])
                )
            )
        with frame(title_of(name)):
            if await is_there():
                Opening(host, name, seed).build()
        return None

    @page("/maps/{name}/{studio}")
    async def studio(name: str, studio: str) -> Response | None:
        try:
            open_studio = await host.studio(here(), studio)
        except (BadInput, Busy) as error:
            return sorry(error)
        with frame(title_of(open_studio.maker.game.name)):
            if await is_there():
                await Gallery(host, open_studio).build()
        return None


class Opening:
    """Before a studio: the options of the game, the seed, and ratings to begin with."""

    def __init__(self, host: Host, name: str, seed: int):
        self.host, self.name, self.client = host, name, here()
        self.taste: Any = None
        self.start_seed = seed

    def build(self) -> None:
        game = known_game(self.name)
        headline(_("Maps of {game} to your taste").format(game=title_of(self.name)))
        last = ui.context.client.request.cookies.get(f"studio-{self.name}", "")
        with ui.card().classes("panel").style("max-width: 560px"):
            if last:
                ui.button(
                    _("Go on where you were"),
                    icon="history",
                    on_click=lambda: ui.navigate.to(f"/maps/{self.name}/{last}"),
                ).props("unelevated no-caps size=lg").classes("w-full")
                ui.label(_("Or begin anew:")).classes("small")
            self.start = ui.button(_("Open a studio"), icon="palette", on_click=self.open)
            self.start.props("no-caps size=lg " + ("outline" if last else "unelevated")).classes("w-full")
            self.waiting = ui.label().classes("small")
            self.form = None
            if game.options is not None:
                with ui.expansion(_("options of the game")).props("dense").classes("w-full"):
                    self.form = SettingsForm(type(game.options), lambda: None, {}, game.options)
            self.seed = ui.number(_("seed"), value=self.start_seed, format="%d", min=0, max=2**53 - 1)
            self.seed.classes("w-full").props("outlined dense bottom-slots")
            self.seed.props.update(hint=_("The same seed and the same ratings give the same maps."))
            file_button(_("Begin with a taste (JSON)"), self.read)

    async def read(self, event: events.UploadEventArguments) -> None:
        with telling():
            self.taste = await read_taste(event)
            ui.notify(_("the studio begins with {name}").format(name=event.file.name))

    async def open(self) -> None:
        self.start.props("loading")
        self.waiting.set_text(_(READY))
        with telling():
            text = text_of(self.name, self.form.values() if self.form else {})
            studio = await self.host.new_studio(self.client, text, seed=int(self.seed.value or 0), taste=self.taste)
            ui.navigate.to(f"/maps/{self.name}/{studio.name}")
        self.waiting.set_text("")
        self.start.props(remove="loading")


class Gallery:
    """One visitor in one studio."""

    def __init__(self, host: Host, studio: Studio):
        self.host, self.studio, self.client = host, studio, here()
        self.cards: list[Card] = []
        self.best: list[Card] = []
        self.selected = 0
        self.awaits_best = False
        """Whether the visitor asked for the best maps, and has not been led to them yet."""
        self.seen = -1
        self.told = ""

    async def act(self, work: Callable[[], Any]) -> bool:
        """Do something in the studio; whether it could be done."""
        try:
            with telling():
                await self.host.in_studio(self.client, self.studio, work)
                return True
            return False
        finally:
            self.following.wake()  # a map that waits for a change comes back if there was none

    async def build(self) -> None:
        studio = self.studio
        self.scales = await self.host.do(self.client, lambda: Scales.of(studio))
        name = studio.maker.game.name
        ui.run_javascript(f"document.cookie = 'studio-{name}={studio.name}; path=/; max-age=31536000; samesite=lax'")
        self.sheet = MapSheet(self.host, studio, self)
        with ui.row().classes("w-full items-baseline justify-between"):
            headline(_("Maps of {game} to your taste").format(game=title_of(name)))
            with ui.row().classes("items-center gap-1"):
                ui.label(_("seed {seed}").format(seed=studio.maker.seed)).classes("small numbers")
                button = ui.button(icon="content_copy", on_click=lambda: copy(str(studio.maker.seed), _("the seed")))
                button.props("flat round dense size=sm").props.update({"aria-label": _("copy the seed")})
                ui.button(_("New studio"), icon="add", on_click=lambda: ui.navigate.to(f"/maps/{name}")).props(
                    "flat dense no-caps"
                )
        ui.label(
            _(
                "Say what you think of each map, by its faces or by the keys 1 to 5: what you see comes closer to what "
                "you like. Arrows choose a map, S skips it, U undoes, P plays, W watches, M tells more."
            )
        ).classes("small")
        self.tools()
        with ui.element("div").classes("sides"):
            with ui.column().classes("w-full gap-4"):
                self.place = ui.element("div").classes("maps")
                self.finals()
            with ui.column().classes("w-full gap-3"):
                self.ways = WaysPanel(studio, self)
                self.archive = ArchivePanel(self.host, studio, self)
                self.ratings = RatingsPanel(studio, self)
        ui.keyboard(on_key=self.key, ignore=["input", "select", "textarea"])
        studio.lookers += 1
        ui.context.client.on_delete(self.leave)
        self.host.go_on(studio)
        self.following = Following(self.look, studio.changes, gap=LOOK)

    def leave(self) -> None:
        self.studio.lookers -= 1

    def tools(self) -> None:
        with ui.element("div").classes("tools"):
            ui.button(_("Undo"), icon="undo", on_click=self.undo).props("flat dense no-caps")
            ui.button(_("Show others"), icon="refresh", on_click=self.others).props("flat dense no-caps")
            with ui.button(_("Look further"), icon="travel_explore", on_click=self.further).props("flat dense no-caps"):
                ui.tooltip(
                    _("Breed {count:,} more maps before you go on; you can stop at any time").format(count=FURTHER)
                )
            ui.button(_("Best maps"), icon="star", on_click=self.finish).props("unelevated dense no-caps")
            self.stop = ui.button(_("Stop"), icon="stop", on_click=self.studio.stop).props("outline dense no-caps")
            self.bar = ui.linear_progress(0, show_value=False, size="8px").props("rounded instant-feedback")
            self.bar.classes("grow").style("min-width: 80px; max-width: 240px")
            self.bar.props.update({"aria-label": _("progress")})
            self.state = ui.label().classes("small numbers")

    def finals(self) -> None:
        with ui.card().classes("panel").props("tabindex=-1") as self.final:
            heading(_("The best maps"))
            ui.label(_("Those you should like best, unlike each other. Open one to play it or to save it.")).classes(
                "small"
            )
            self.final_place = ui.element("div").classes("maps")
            with ui.row().classes("gap-1"):
                for format in ("json", "ldtk"):
                    ui.button(
                        _("All as {format}").format(format=format),
                        icon="download",
                        on_click=lambda format=format: ui.download.from_url(
                            f"/api/studios/{self.studio.name}/best?format={format}"
                        ),
                    ).props("flat dense no-caps")
        self.final.visible = False

    # ------------------------------------------------------------ what is shown

    async def look(self) -> None:
        """Show what has changed."""
        studio = self.studio
        if studio.version == self.seen:
            return
        self.seen = studio.version
        doing, count = studio.doing, len(studio.maker.taste.ratings)
        self.stop.visible = self.bar.visible = bool(doing)
        self.bar.set_value(studio.progress)
        counts = _("{count} rated · {bred:,} bred").format(count=count, bred=studio.maker.bred)
        self.state.set_text(f"{counts} · {_(doing)} …" if doing else counts)
        if studio.complaint and studio.complaint != self.told:
            ui.notify(_(studio.complaint), type="negative", multi_line=True)
        self.told = studio.complaint
        self.fill(self.place, self.cards, studio.gallery)
        self.fill(self.final_place, self.best, studio.best)
        self.final.visible = bool(studio.best)
        if self.awaits_best and studio.best:
            self.awaits_best = False
            ui.run_javascript(TO_BEST % self.final.html_id)
        self.selected = min(self.selected, max(0, len(self.cards) - 1))
        self.mark()
        self.ways.show()
        self.ratings.show()
        await self.archive.show()

    def fill(self, place: ui.element, cards: list[Card], numbers: list[Any]) -> None:
        """As many cards as there are maps; those that changed are drawn anew."""
        while len(cards) > len(numbers):
            cards.pop().root.delete()
        with place:
            while len(cards) < len(numbers):
                cards.append(Card(self, len(cards), is_final=cards is self.best))
        for card, number in zip(cards, numbers, strict=True):
            card.show(number)

    def mark(self) -> None:
        for card in self.cards:
            chosen = card.place == self.selected
            card.root.classes(add="selected" if chosen else "", remove="" if chosen else "selected")

    def select(self, place: int) -> None:
        if self.cards:
            self.selected = place % len(self.cards)
            self.mark()

    # ------------------------------------------------------------ what a person does

    async def rate(self, number: int, rating: float) -> None:
        self.wait_for(number)
        if await self.act(lambda: self.studio.rate(number, rating)):
            self.sheet.close()

    async def skip(self, number: int) -> None:
        self.wait_for(number)
        await self.act(lambda: self.studio.skip(number))

    def wait_for(self, number: int) -> None:
        """Show at once that another map comes, whatever is being worked at; the next look sets it right."""
        for card in self.cards:
            if card.number == number:
                card.show(None)
        self.seen = -1

    async def undo(self) -> None:
        await self.act(self.studio.undo)

    async def others(self) -> None:
        await self.act(self.studio.show_others)

    async def further(self) -> None:
        await self.act(lambda: self.studio.breed(FURTHER))

    async def finish(self) -> None:
        self.awaits_best = True
        await self.act(lambda: self.studio.want(FINALS))

    async def key(self, event: events.KeyEventArguments) -> None:
        if not event.action.keydown or event.modifiers.ctrl or event.modifiers.alt or event.modifiers.meta:
            return
        name = str(event.key.name)
        number = self.sheet.number if self.sheet.is_open else self.current
        if name in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown") and not self.sheet.is_open:
            self.select(self.selected + (-1 if name in ("ArrowLeft", "ArrowUp") else 1))
        elif name.lower() == "u":
            await self.undo()
        elif number is None:
            if name in KEYS or name.lower() in OF_A_MAP:
                ui.notify(_("The next map is still being made: rate it when you see it."), type="info")
        elif name in KEYS:
            await self.rate(number, KEYS[name])
        elif name.lower() == "s":
            await self.skip(number)
        elif name.lower() == "p":
            await self.sheet.play(number)
        elif name.lower() == "w":
            await self.sheet.watch(number)
        elif name.lower() == "m" and not self.sheet.is_open:
            await self.sheet.open(number)

    @property
    def current(self) -> int | None:
        """The number of the map that is selected."""
        return self.cards[self.selected].number if self.selected < len(self.cards) else None
