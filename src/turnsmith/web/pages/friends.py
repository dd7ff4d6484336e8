"""Friends: how others reach this server, with a code for their cameras, or how to let them in."""

from __future__ import annotations

import html
from contextlib import AbstractContextManager

from nicegui import ui

from turnsmith.languages import _, counted
from turnsmith.web.host import Host
from turnsmith.web.match.live_match import LiveMatch
from turnsmith.web.pages.frame import copy, frame, heading, headline, page
from turnsmith.web.server.reach import Reach, qr_code


def add(host: Host) -> None:
    @page("/friends")
    async def friends() -> None:
        with frame(_("Friends")):
            headline(_("Play with friends"))
            ui.label(
                _(
                    "Set a game up with a seat for somebody in another browser: you get a link, and a code to hold "
                    "before their telephone. Who only opens the page can play games of their own, and look on."
                )
            ).classes("lead")
            with ui.card().classes("panel friends"):
                heading(_("This page, for them"))
                share(host.reach, "")
        return None


def share(reach: Reach, path: str) -> None:
    """A link to a page of this server with its code, or how to make that possible."""
    request = ui.context.client.request
    url, works = reach.link(str(request.base_url) if request else "/", path)
    with ui.row().classes("w-full no-wrap items-center"):
        ui.input(value=url).props("readonly dense outlined").classes("grow invitation")
        pressed = ui.button(icon="content_copy", on_click=lambda: copy(url, _("the link")))
        pressed.props("flat dense").props.update({"aria-label": _("copy the link")})
    if works:
        label = html.escape(_("the link {url} as a QR code").format(url=url), quote=True)
        ui.html(f'<div class="qr-plate" role="img" aria-label="{label}">{qr_code(url)}</div>', sanitize=False)
    else:
        ui.label(reach.hint).classes("small")


def look_on(match: LiveMatch, is_onlooker: bool = True) -> None:
    """Count who looks at this page, among those who look on unless they have a seat, as long as it is open."""
    sockets: list[AbstractContextManager[None]] = []

    def come() -> None:
        sockets.append(match.watched(is_onlooker))
        sockets[-1].__enter__()

    def go() -> None:
        if sockets:  # one may go that had not quite come
            sockets.pop().__exit__(None, None, None)

    ui.context.client.on_connect(come)
    ui.context.client.on_disconnect(go)


def looking_on(match: LiveMatch) -> str:
    """How many look on, for people; "" for nobody."""
    count = match.onlookers
    return counted("{count} person looks on", "{count} people look on", count).format(count=count) if count else ""
