"""Home: every game with a live picture, a sentence, and what one can do with it."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from functools import partial

from nicegui import ui

from turnsmith.compile.kernel import NotReady, at_once, interpreted
from turnsmith.compile.rng import below, stream
from turnsmith.contract.game import OVER
from turnsmith.contract.photo import photo_of
from turnsmith.languages import _, language
from turnsmith.play.position import Position
from turnsmith.warm.parts import still_of
from turnsmith.web.host import Host
from turnsmith.web.match.people import named_picture
from turnsmith.web.pages.board import Board
from turnsmith.web.pages.frame import READY, frame, heading, headline, here, page
from turnsmith.web.pages.running import Running, running
from turnsmith.web.server.offered import known_game, offered
from turnsmith.web.server.workers import Busy

STEP = 1.6
"""Seconds between two moves of the live pictures."""
LONGEST = 60
"""Decisions of a live picture before it starts over."""


class Showcase:
    """A game that plays itself, one move whenever somebody looks, the same for all who look."""

    def __init__(self, name: str):
        self.name = name
        self._svgs: dict[str, str] = {}
        """The picture now, by language."""
        self._position: Position | None = None
        self._moved = 0.0
        self._seed = 1
        self._moving = threading.Lock()

    def look(self) -> str:
        """The picture now. To be called in a worker, by any number at once: the first time it compiles."""
        if time.monotonic() - self._moved >= STEP * 0.9 and self._moving.acquire(blocking=False):
            try:
                self._move()
            finally:
                self._moving.release()
        spoken, at = language(), self._position
        if spoken not in self._svgs and at is not None:
            self._svgs[spoken] = named_picture(at.picture(0))
        return self.drawn

    @property
    def drawn(self) -> str:
        """The picture that there is, "" before the first."""
        return self._svgs.get(language(), "")

    @property
    def at_hand(self) -> str:
        """The same, or until then the one in another language, or one drawn ahead."""
        return self.drawn or next(iter(self._svgs.values()), "") or named_picture(still_of(known_game(self.name)))

    def _move(self) -> None:
        """One move, by one thread: two on one position would make moves that are not legal there."""
        self._moved = time.monotonic()
        at = self._position
        if at is None or at.mover == OVER or len(at.history) > LONGEST:
            self._seed += 1
            at = self._position = known_game(self.name).start(self._seed)
        else:
            chosen = interpreted(below)(stream(self._seed, len(at.history)), len(at.actions))
            at.push(int(at.actions[chosen]))
        self._svgs = {language(): named_picture(at.picture(0))}


def _look(show: Showcase) -> str:
    """The picture now, or, until a game that cannot be drawn without compiled code is prepared, one drawn ahead."""
    try:
        with at_once():
            return show.look()
    except NotReady:
        return show.at_hand


def title_of(name: str) -> str:
    """What people call a game: the words before the colon of its first sentence."""
    return _(offered()[name]).partition(":")[0] or name


def add(host: Host) -> None:
    shows = {name: Showcase(name) for name in offered()}

    def draw_all() -> None:
        """So that nobody sees them blank."""
        for show in shows.values():
            with suppress(Exception):  # it is told to who looks
                _look(show)

    host.preparing.first = draw_all

    @page("/")
    async def home() -> None:
        client = here()
        with frame(_("Games")):
            headline(_("Play, watch, compare"))
            ui.label(
                _(
                    "Games written once, in Python, with opponents from gentle to proven optimal. "
                    "Pick one and play; nothing to install, nothing leaves this machine."
                )
            ).classes("lead")
            going_on = ui.column().classes("w-full gap-2")
            ui.link(_("Play with friends in your network"), "/friends").classes("small")
            preparing = ui.label(host.preparing.overview()).classes("small preparing")
            bar = ui.linear_progress(host.preparing.share_done, show_value=False, size="6px").props("rounded")
            bar.props.update({"aria-label": _("opponents")})
            bar.bind_visibility_from(preparing, "text", bool)
            boards: dict[str, tuple[Board, ui.label]] = {}
            with ui.element("div").classes("cards"):
                for name, line in offered().items():
                    boards[name] = _card(name, line, shows[name].at_hand)

        async def show() -> None:
            for name, (board, waiting) in boards.items():
                with suppress(Busy):  # then it moves the next time
                    look = partial(_look, shows[name]) if host.preparing.warming else shows[name].look
                    board.show(svg=await host.do(f"pictures {client}", look))
                    waiting.visible = False
            preparing.set_text(host.preparing.overview())
            bar.set_value(host.preparing.share_done)

        async def offer_running() -> None:
            matches = await running(host, client)
            with going_on:
                if matches:
                    heading(_("Continue"))
                    with ui.element("div").classes("running"):
                        for match in matches:
                            _going_on(match)

        ui.timer(STEP, show)
        ui.timer(0.05, offer_running, once=True)


def _going_on(game: Running) -> None:
    """A game to go on with."""
    with ui.link(target=game.link).classes("going-on" + (" yours" if game.yours else "")):
        ui.label(title_of(game.game)).classes("font-bold")
        against = _("against {others}").format(others=game.others) if game.others else _("alone")
        ui.label(f"{against}: {_('your turn') if game.yours else _('waiting for them')}").classes("small")


def _card(name: str, line: str, svg: str) -> tuple[Board, ui.label]:
    """One game: its picture, and three things to do."""
    with ui.card().classes("panel"):
        board = Board(svg, label=_("{game}, playing itself").format(game=title_of(name)))
        waiting = ui.label(_(READY)).classes("small")
        waiting.visible = not svg
        heading(title_of(name))
        sentence = _(line).partition(": ")[2] or _(line)
        ui.label(sentence[:1].upper() + sentence[1:]).classes("small grow")
        with ui.row().classes("gap-1 w-full items-center"):
            ui.button(_("Play"), on_click=lambda: ui.navigate.to(f"/new/{name}")).props("unelevated no-caps")
            ui.button(_("Watch"), on_click=lambda: ui.navigate.to(f"/new/{name}?watching=1")).props("flat no-caps")
            game = known_game(name)
            if game.genes is not None:
                with ui.button(_("Maps"), on_click=lambda: ui.navigate.to(f"/maps/{name}")).props("flat no-caps"):
                    ui.tooltip(_("Have maps made to your taste"))
            if game.by_hand is not None or not game.hides:
                button = ui.button(_("Real board"), on_click=lambda: ui.navigate.to(f"/new/{name}?by_hand=1"))
                with button.props("flat no-caps"):
                    ui.tooltip(_("Play along with a board on your table: you enter what happens, the page advises"))
            if photo_of(name) is not None:
                button = ui.button(_("Photo"), on_click=lambda: ui.navigate.to(f"/photo/{name}"))
                with button.props("flat no-caps"):
                    ui.tooltip(_("Take a picture of a board on your table: it is read, and the page advises"))
            scales = ui.button(icon="balance", on_click=lambda: ui.navigate.to(f"/balance/{name}")).props("flat round")
            scales.props.update({"aria-label": _("balance of {game}").format(game=title_of(name))})
            with scales:
                ui.tooltip(_("Is it fair? Which seat wins, how long it lasts, why it ends"))
    return board, waiting
