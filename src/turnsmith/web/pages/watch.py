"""Watch and replay: players among themselves, saved files and stored matches; link to a move, and to a variation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import Response
from nicegui import events, ui

from turnsmith.arena.match import read_match
from turnsmith.common.errors import BadInput
from turnsmith.languages import _, language, retold
from turnsmith.web.host import Host
from turnsmith.web.pages.frame import file_button, frame, heading, headline, here, page, sorry, telling
from turnsmith.web.pages.home import title_of
from turnsmith.web.pages.replay import Replay
from turnsmith.web.pages.study import read_variation
from turnsmith.web.server.offered import offered
from turnsmith.web.server.workers import Busy


def ended(row: dict[str, Any]) -> str:
    """How a match of the store ended, which keeps that in English."""
    if language() == "en":
        return str(row["ending"])
    who, _colon, why = row["ending"].partition(": ")
    return ": ".join(filter(None, (retold(who), retold(why))))


def add(host: Host) -> None:
    @page("/watch")
    async def choose() -> None:
        recent, unreadable = await host.do(here(), lambda: host.matches.store.recent(20))
        with frame(_("Watch")):
            headline(_("Watch and replay"))
            with ui.element("div").classes("halves"):
                offer_games()
                offer_file(host)
            list_latest(recent, unreadable)

    @page("/watch/run/{run}/{number}")
    async def stored(run: str, number: int, move: int = 0) -> Response | None:
        try:
            match = await host.do(here(), lambda: host.matches.of_run(run, number))
        except (BadInput, Busy) as error:
            return sorry(error)
        with frame(title_of(match.game.name)):
            Replay(host, match, move).build()
        return None

    @page("/watch/{name}")
    async def watch(name: str, move: int = 0, line: str = "") -> Response | None:
        return await open_match(name, [], move, line)

    @page("/watch/{name}/{keys}")
    async def own(name: str, keys: str, move: int = 0, line: str = "") -> Response | None:
        return await open_match(name, keys.split("."), move, line)

    async def open_match(name: str, keys: list[str], move: int, line: str) -> Response | None:
        try:
            match = await host.get(here(), name)
            viewer, side = match.viewer(keys), None
            if line and match.may_study(viewer) is None:
                side = await host.do(here(), lambda: read_variation(match, move, line))
        except (BadInput, Busy) as error:
            return sorry(error)
        with frame(title_of(match.game.name)):
            Replay(host, match, move, viewer, keys, side).build()
        return None


def offer_games() -> None:
    """Games whose players play among themselves."""
    with ui.card().classes("panel"):
        heading(_("Players among themselves"))
        for name in offered():
            ui.button(title_of(name), on_click=lambda name=name: ui.navigate.to(f"/new/{name}?watching=1")).props(
                "outline no-caps"
            ).classes("w-full")


def offer_file(host: Host) -> None:
    """A button for a match that somebody has saved."""
    client = here()

    async def read(event: events.UploadEventArguments) -> None:
        with telling():
            record = read_match(await event.file.text(), event.file.name)
            match = await host.do(client, lambda: host.matches.adopt(record))
            ui.navigate.to(f"/watch/{match.name}")

    with ui.card().classes("panel"):
        heading(_("A match from a file"))
        ui.markdown(_("As saved here, or by `turnsmith watch --replay` and `turnsmith play`.")).classes("small")
        file_button(_("Choose a file"), read)


def list_latest(recent: Sequence[dict[str, Any]], unreadable: Sequence[str]) -> None:
    """Links to the matches that ended last, and the names of those that cannot be read."""
    with ui.card().classes("panel"):
        heading(_("Latest matches"))
        if not recent:
            ui.label(_("None yet.")).classes("small")
        for row in recent:
            line = " — ".join(filter(None, (", ".join(row["seats"]), ended(row))))
            ui.link(f"{row['game']}: {line}", f"/watch/{row['match']}")
        for name in unreadable:
            left_out = _("match '{name}' is left out: its row in the store is damaged, or of a newer turnsmith")
            ui.label(left_out.format(name=name[:40])).classes("small")
