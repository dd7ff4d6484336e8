"""A game: the pages of those who play, look on, or are invited."""

from __future__ import annotations

from fastapi import Response
from fastapi.responses import RedirectResponse
from nicegui import ui

from turnsmith.common.errors import BadInput
from turnsmith.languages import _
from turnsmith.web.host import Host
from turnsmith.web.match.people import LONGEST_NAME, clean
from turnsmith.web.pages.frame import frame, headline, here, page, sorry, telling
from turnsmith.web.pages.friends import look_on
from turnsmith.web.pages.home import title_of
from turnsmith.web.pages.table import TablePage
from turnsmith.web.server.remembered import recall, remember
from turnsmith.web.server.workers import Busy

SEAT = "seat"
"""What a browser remembers by an invitation: the key of the seat it took."""


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
            look_on(match, is_onlooker=not keys)
            TablePage(host, match, keys).build()
        return None

    @page("/join/{name}/{invitation}")
    async def join(name: str, invitation: str) -> Response | None:
        try:
            match = await host.get(here(), name)
            own = recall(SEAT)
            if own and any(seat.key == own and seat.taken == invitation for seat in match.seats):
                return RedirectResponse(f"/match/{name}/{own}")  # who took it comes by the same link again
            match.refuse_taken(invitation)
        except (BadInput, Busy) as error:
            return sorry(error)
        client = here()

        async def take() -> None:
            with telling():
                called = clean(str(nickname.value or ""))
                key = await host.change(client, match, lambda: match.take_seat(invitation, called))
                remember("nickname", called)
                remember(SEAT, key, f"/join/{name}/{invitation}")
                ui.navigate.to(f"/match/{name}/{key}")

        with frame(_("Invitation")):
            headline(_("You are invited to {game}").format(game=title_of(match.game.name)))
            ui.label(_("The seat is for whoever takes it first. Keep the link of the page that opens.")).classes("lead")
            terms = _("Everybody may ask for hints.") if match.hints else _("There are no hints.")
            if match.minutes:
                minutes = _("Each person has {minutes:g} minutes to think; clocks run from when all are there.")
                terms += f" {minutes.format(minutes=match.minutes)}"
            ui.label(terms).classes("lead")
            nickname = ui.input(_("your name"), value=recall("nickname")).props(
                f"outlined dense maxlength={LONGEST_NAME}"
            )
            ui.button(_("Take the seat"), icon="event_seat", on_click=take).props("unelevated no-caps size=lg")
        return None
