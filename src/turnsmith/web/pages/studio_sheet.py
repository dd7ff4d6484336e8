"""More about one map: why it was chosen, whether it is fair, cells to lock, and what can be done with it."""

from __future__ import annotations

import html
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from turnsmith.common.errors import BadInput
from turnsmith.languages import _, counted
from turnsmith.maps.files import FORMATS
from turnsmith.maps.making.maker import Maker, Proposal
from turnsmith.maps.making.playing import is_unbalanced
from turnsmith.maps.record import GameMap
from turnsmith.web.api.studios import formats_of
from turnsmith.web.host import Host
from turnsmith.web.match.live_match import PERSON
from turnsmith.web.pages.frame import heading, headline, telling
from turnsmith.web.pages.painting import Paint, plan_of
from turnsmith.web.pages.setup import PACE, link
from turnsmith.web.pages.studio_cards import UNFAIR, bars_html, compares, faces, knows_taste, picture_of
from turnsmith.web.server.offered import known_game, opponents
from turnsmith.web.server.workers import Busy
from turnsmith.web.studio.studio import Locks, Studio

if TYPE_CHECKING:
    from turnsmith.web.pages.studio import Gallery

THUMB = '<img class="thumb" src="{}" alt="{}">'


class MapSheet:
    """The dialog of one map."""

    def __init__(self, host: Host, studio: Studio, gallery: Gallery):
        self.host, self.studio, self.gallery = host, studio, gallery
        self.number: int | None = None
        with ui.dialog() as self.dialog, ui.card().classes("sheet panel"):
            self.content = ui.column().classes("w-full gap-3")

    @property
    def is_open(self) -> bool:
        return bool(self.dialog.value)

    def close(self) -> None:
        self.dialog.close()

    async def open(self, number: int) -> None:
        with telling():
            proposal = self.studio.opinion(number)
            self.number = number
            formats = await self.host.do(self.gallery.client, lambda: formats_of(proposal.map))
            self.content.clear()
            with self.content:
                self.draw(proposal, formats)
            self.dialog.open()
            await self.weigh(proposal)

    def draw(self, proposal: Proposal, formats: list[str]) -> None:
        number = proposal.number
        with ui.row().classes("w-full items-center justify-between no-wrap"):
            headline(_("Map {number}").format(number=number))
            close = ui.button(icon="close", on_click=self.close).props("flat round")
            close.props.update({"aria-label": _("close")})
        with ui.element("div").classes("halves"):
            with ui.column().classes("w-full gap-2"):
                source, label = picture_of(self.studio, number), html.escape(_("map {number}").format(number=number))
                ui.html(
                    f'<img class="map-picture" src="{source}" alt="{label}">',
                    sanitize=False,
                ).classes("w-full")
                faces(self.gallery, number)
                self.doors(proposal)
                self.exports(number, formats)
            with ui.column().classes("w-full gap-2"):
                scales = self.gallery.scales
                ui.html(bars_html(proposal, scales, list(scales.ends)), sanitize=False).classes("w-full")
                self.balance = ui.label().classes("small")
                self.played = ui.html("", sanitize=False).classes("small")
                heading(_("Why this map"))
                ui.html(self.why(proposal), sanitize=False).classes("w-full")
        if self.studio.maker.describer.form is not None:
            with ui.expansion(_("Lock cells"), icon="lock").props("dense").classes("w-full") as locks:
                self.painter = LockPainter(self.studio, self.gallery, number)
            locks.on_value_change(lambda event: self.painter.show() if event.value else None)

    def doors(self, proposal: Proposal) -> None:
        """Where a map is used."""
        number, name = proposal.number, self.studio.maker.game.name
        query = f"studio={self.studio.name}&map={number}"
        with ui.row().classes("gap-1"):
            ui.button(_("Play"), icon="play_arrow", on_click=lambda: self.play(number)).props(
                "unelevated dense no-caps"
            )
            ui.button(_("Watch"), icon="visibility", on_click=lambda: self.watch(number)).props("outline dense no-caps")
            ui.button(_("Set up"), icon="tune", on_click=lambda: ui.navigate.to(f"/new/{name}?{query}")).props(
                "flat dense no-caps"
            )
            ui.button(_("Arena"), icon="emoji_events", on_click=lambda: ui.navigate.to(f"/arena?{query}")).props(
                "flat dense no-caps"
            )

    def exports(self, number: int, formats: list[str]) -> None:
        ui.label(_("Save as")).classes("small")
        with ui.row().classes("gap-1"):
            for name in formats:
                place = f"/api/studios/{self.studio.name}/maps/{number}/file?format={name}"
                button = ui.button(name, on_click=lambda place=place: ui.download.from_url(place))
                button.props("outline dense no-caps size=sm").props.update(
                    {"aria-label": _("save as {name}").format(name=name)}
                )
                with button:
                    ui.tooltip(_(FORMATS[name].about))

    def why(self, proposal: Proposal) -> str:
        """The nearest maps that were rated, each with its picture."""
        ratings = self.studio.maker.taste.ratings
        if not proposal.why:
            sentence = _("Nothing was rated yet: it is one of many kinds of maps there can be.")
            return f'<div class="small">{html.escape(sentence)}</div>'
        rows = []
        for rated, nearness, rating in proposal.why:
            if rated < len(ratings):
                place = f"/api/studios/{self.studio.name}/ratings/{rated}/picture"
                sentence = _("{nearness:.0%} like the map you rated {rating}")
                sentence = sentence.format(nearness=nearness, rating=f"<b>{rating:+g}</b>")
                name = html.escape(_("rated map {number}").format(number=rated))
                rows.append(f'<div class="rated-row">{THUMB.format(place, name)}<span>{sentence}</span></div>')
        head = _("It should be rated {liking}; nearest to it are").format(liking=proposal.said_liking())
        if not knows_taste(self.studio.maker):
            head = self.studio.maker.untaught
        return f'<div class="small">{html.escape(head)}</div>' + "".join(rows)

    # ------------------------------------------------------------ is it fair

    async def weigh(self, proposal: Proposal) -> None:
        """Let quick players play on it, and warn if a seat is better off."""
        number, maker = proposal.number, self.studio.maker
        self.balance.set_text(_("Is it fair? Games are being played …"))
        try:
            measures, sentence, warns = await self.host.searches.run(
                self.gallery.client, lambda: fairness(maker, proposal.map)
            )
        except (BadInput, Busy) as error:
            measures, sentence, warns = {}, _("Not played: {error}").format(error=error), False
        if self.number == number:
            self.balance.set_text(sentence)
            self.balance.classes(add="warns" if warns else "", remove="" if warns else "warns")
            shown = {name: value for name, value in measures.items() if not name.startswith("seat_advantage")}
            self.played.set_content(played_html(shown))

    # ------------------------------------------------------------ playing on it

    async def play(self, number: int) -> None:
        await self.start(number, PERSON)

    async def watch(self, number: int) -> None:
        await self.start(number, "")

    async def start(self, number: int, first: str) -> None:
        """A match on exactly this map, at once, against the first opponent of the game."""
        with telling():
            game_map = self.studio.proposal(number).map
            who, seats = await self.host.do(self.gallery.client, lambda: usual_opponent(game_map))
            table = [first or who] + [who] * (seats - 1)
            pace = PACE if first else 0.0
            match = await self.host.create(self.gallery.client, game_map.game, table, source=game_map.source, pace=pace)
            ui.navigate.to(link(match))


def played_html(measures: dict[str, float]) -> str:
    """What was measured of games on a map."""
    measured = [f"{html.escape(_(name.replace('_', ' ')))} <b>{value:.3g}</b>" for name, value in measures.items()]
    return _("Played on: {measures}.").format(measures=", ".join(measured)) if measured else ""


def usual_opponent(found: GameMap) -> tuple[str, int]:
    """The opponent one begins with on a map, and how many seats it has. To be called in a worker."""
    game = known_game(found.game)
    boards = game.rebuild(found.source)
    named = opponents(game, boards)
    return named.get("easy") or next(iter(named.values()), "random"), int(boards[0].seats)


def fairness(maker: Maker, found: GameMap) -> tuple[dict[str, float], str, bool]:
    """What playing on a map tells: its measures, whether the seats are equally good in a sentence, and whether to warn.
    To be called in a worker."""
    measures = maker.playing.measures(found.source)
    if "seat_advantage" not in measures:
        return measures, _("One seat: there is nobody to be unfair to."), False
    mean, low, high = (measures[f"seat_advantage{end}"] for end in ("", "_low", "_high"))
    who = maker.playing.player
    advantage = _("the first seat gets {mean:+.2f} of the range above the others ({low:+.2f} to {high:+.2f}, {who})")
    advantage = advantage.format(mean=mean, low=low, high=high, who=who)
    if not compares(maker):
        return measures, _("The seats play for different scores: {said}.").format(said=advantage), False
    if is_unbalanced(measures, UNFAIR):
        return measures, _("⚠ Not fair: {said}.").format(said=advantage), True
    return measures, _("No great unfairness seen: {said}.").format(said=advantage), False


class LockPainter:
    """Cells of a map to be locked by painting."""

    def __init__(self, studio: Studio, gallery: Gallery, number: int):
        self.studio, self.gallery, self.number = studio, gallery, number
        ui.label(
            _(
                "Paint the cells that all maps shall have as this one has them; paint again to set them free. "
                "With keys: arrows move, space paints."
            )
        ).classes("small")
        self.locks = studio.maker.settings.locked
        self.applying = False
        self.paint = Paint(_("cells of map {number}").format(number=number), self.stroke)
        with ui.row().classes("gap-1 items-center"):
            ui.button(_("Set all free"), icon="lock_open", on_click=self.free).props("flat dense no-caps")
            self.count = ui.label().classes("small numbers")

    def show(self) -> None:
        describer = self.studio.maker.describer
        form = describer.form
        assert form is not None
        rows = describer.cells.tolist()
        open_cells = [
            (x, y)
            for y, row in enumerate(rows)
            for x, gene in enumerate(row)
            if gene >= 0 and describer.values[gene] > 1
        ]
        grid = form.grid_of(self.studio.proposal(self.number).map.source)
        locked = self.studio.cells_of(self.locks)
        self.paint.show(plan_of(grid, form, open_cells), locked)
        self.count.set_text(
            counted("{count} cell locked", "{count} cells locked", len(locked)).format(count=len(locked))
        )

    async def stroke(self, cells: list[tuple[int, int]], locking: bool) -> None:
        await self.lock(self.studio.locks(self.locks, self.number, cells, locking))

    async def free(self) -> None:
        await self.lock(())

    async def lock(self, locks: Locks) -> None:
        """Show it at once; strokes that come while the studio changes are applied together."""
        self.locks = locks
        self.show()
        if self.applying:
            return
        self.applying = True
        while self.studio.maker.settings.locked != self.locks:
            wanted = self.locks
            if not await self.gallery.act(partial(self.studio.change, locked=wanted)):
                self.locks = self.studio.maker.settings.locked
        self.applying = False
        self.show()
