"""Balance: one click from a game to what it is like when it is played often."""

from __future__ import annotations

from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from nicegui import app, ui

from turnsmith.arena.balance_page import page as report_page
from turnsmith.common.errors import BadInput
from turnsmith.languages import _, speaking
from turnsmith.web.host import Host
from turnsmith.web.jobs.reports import USUAL_GAMES, BalanceReport
from turnsmith.web.pages.following import Following
from turnsmith.web.pages.forms import PlayerPick
from turnsmith.web.pages.frame import frame, headline, here, is_there, page, sorry, telling
from turnsmith.web.pages.home import title_of
from turnsmith.web.server import problems
from turnsmith.web.server.bounds import stand
from turnsmith.web.server.offered import known_game
from turnsmith.web.server.visitors import language_of
from turnsmith.web.server.workers import Busy

LOOK = 0.4
"""Seconds at least between two looks at a report in the making."""
ALONE = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
"""What a report may load: nothing."""


def add(host: Host) -> None:
    @page("/balance/{game}")
    async def of_game(game: str) -> Response | None:
        try:
            player = await host.do(here(), lambda: host.reports.usual_player(game))
        except (BadInput, Busy) as error:
            return sorry(error)
        with frame(_("Balance of {game}").format(game=title_of(known_game(game).name))):
            if await is_there():  # a program that only fetches the page starts nothing
                await BalancePage(host, game, player).build()
        return None

    @app.get("/report/{name}", include_in_schema=False)
    async def report(name: str, request: Request) -> Response:
        try:
            kept_report = host.reports.get(name)
        except BadInput as error:
            with speaking(language_of(request)):
                return problems.of(error, "/report")
        with speaking(language_of(request)):
            return HTMLResponse(report_page(kept_report.document or {}), headers={"Content-Security-Policy": ALONE})


class BalancePage:
    """The page of a balance report: its player, its progress and the report."""

    def __init__(self, host: Host, game: str, player: str):
        self.host, self.client, self.game, self.player = host, here(), game, player
        self.report: BalanceReport | None = None
        self.shown: tuple[str, int, str, bool] = ("", -1, "", False)
        """The report, its games, its state and whether it is being made, as the page shows them."""

    async def build(self) -> None:
        loaded = known_game(self.game)
        headline(_("Balance of {game}").format(game=title_of(loaded.name)))
        lead = ui.label(
            _(
                "One player sits in all seats: which seat wins how often, how long it lasts, why it ends, what is "
                "played. Rates carry 95 % intervals."
            )
        )
        lead.classes("lead")
        position = await self.host.do(self.client, lambda: stand(self.game, [], 0))
        with ui.card().classes("panel"):
            with ui.row().classes("items-center w-full"):
                with ui.element("div").classes("grow"):
                    self.pick = PlayerPick(loaded, position.boards, _("player in all seats"), self.player)
                self.games = ui.number(_("games"), value=USUAL_GAMES, min=1).props("outlined dense")
                ui.button(_("Make the report"), icon="balance", on_click=self.start).props("unelevated no-caps")
                self.stop = ui.button(_("Stop"), icon="stop", on_click=self.halt).props("outline no-caps")
                self.stop.visible = False
            self.state = ui.label().classes("small")
            self.bar = ui.linear_progress(0, show_value=False, size="10px").props("rounded instant-feedback")
        with ui.row().classes("gap-1") as self.links:
            self.alone = ui.button(_("Open it alone"), icon="open_in_new").props(
                "flat dense no-caps tag=a target=_blank"
            )
            self.file = ui.button(_("Save it"), icon="download").props("flat dense no-caps tag=a")
            arena = ui.button(_("Players against each other"), icon="leaderboard").props("flat dense no-caps tag=a")
            arena.props.update(href=f"/arena?game={loaded.name}")
        self.links.visible = False
        self.view = ui.element("iframe").classes("report")
        self.view.props.update(title=_("the report on {game}").format(game=title_of(loaded.name)))
        self.view.visible = False
        self.following = Following(self.follow, self.host.reports.changes, gap=LOOK)
        await self.start()

    async def start(self) -> None:
        with telling():
            player, games = self.pick.value, int(self.games.value or 0)
            begin = self.host.reports.start
            self.report = await self.host.do(self.client, lambda: begin(self.game, player, games))
            self.following.wake()

    def halt(self) -> None:
        if self.report is not None:
            self.report.stopping = True

    def follow(self) -> None:
        """Show how far the report is, and the report when there is one."""
        now = self.report
        if now is None or self.shown == (now.name, now.done, now.state, now.is_running):
            return
        self.shown = (now.name, now.done, now.state, now.is_running)
        self.state.set_text(
            _("{done:,} of {games:,} games of {player}: {state}").format(
                done=now.done, games=now.games, player=now.player, state=_(now.state)
            )
        )
        self.bar.set_value(now.done / now.games)
        self.stop.visible = now.is_running and not now.document
        self.view.visible = self.links.visible = now.document is not None
        if now.document is not None:
            link = f"/report/{now.name}"
            self.view.props.update(src=link)
            self.alone.props.update(href=link)
            self.file.props.update(href=link, download=f"balance-{known_game(self.game).name}.html")
            for element in (self.view, self.alone, self.file):
                element.update()
