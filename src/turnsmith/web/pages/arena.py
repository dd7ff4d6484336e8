"""Arena: let players meet, follow the table as it grows, stop and go on, look at past ones."""

from __future__ import annotations

from typing import Any

from fastapi import Response
from nicegui import ui

from turnsmith.common.errors import BadInput
from turnsmith.common.settings import gathered, parse
from turnsmith.contract.game import Game
from turnsmith.languages import _, counted
from turnsmith.maps.record import GameMap
from turnsmith.web.api.arenas import table_of
from turnsmith.web.host import Host
from turnsmith.web.jobs.tournaments import Tournament
from turnsmith.web.pages.board import Board
from turnsmith.web.pages.following import Following
from turnsmith.web.pages.forms import PlayerPick, SettingsForm, text_of
from turnsmith.web.pages.frame import frame, heading, headline, here, is_there, page, sorry, status, telling
from turnsmith.web.pages.home import title_of
from turnsmith.web.pages.results import Results
from turnsmith.web.server.bounds import stand
from turnsmith.web.server.offered import known_game, offered, opponents
from turnsmith.web.server.remembered import recall, remember
from turnsmith.web.server.workers import Busy

LOOK = 0.4
"""Seconds at least between two looks at the arena that runs."""
COOKIE = "arena"
"""Under which a browser remembers the key of the arena that was started there."""


def add(host: Host) -> None:
    @page("/arena")
    async def arena(game: str = "", studio: str = "", map: int = 0) -> Response | None:
        try:
            chosen = await host.map_of(here(), studio, map) if studio else None
        except (BadInput, Busy) as error:
            return sorry(error)
        with frame(_("Arena")):
            if await is_there():
                await ArenaPage(host, chosen).build(game if game in offered() else "")
        return None

    @page("/arena/{run}")
    async def past(run: str) -> Response | None:
        try:
            standings = await host.do(here(), lambda: table_of(host, run).to_dict())
        except (BadInput, Busy) as error:
            return sorry(error)
        title = title_of(parse(standings["game"])[0])
        with frame(_("Arena of {title}").format(title=title)):
            headline(_("Arena of {title}").format(title=title))
            with ui.row().classes("items-center"):
                ui.label(
                    _("{games:,} games of {game}, seed {seed}").format(
                        games=standings["games"], game=standings["game"], seed=standings["seed"]
                    )
                ).classes("small numbers")
                balance_link(standings["game"])
            results = Results(run)
            results.show(standings)

            async def again() -> None:
                with telling():
                    row = next(row for row in host.store.runs() if row["run"] == run)
                    count = int(games_more.value or 0)
                    begun = await host.do(here(), lambda: host.tournaments.go_on(row, count))
                    remember(COOKIE, begun.key)
                    ui.navigate.to("/arena")

            with ui.row().classes("items-center"):
                games_more = ui.number(_("games in all"), value=2 * standings["games"], min=1).props("outlined dense")
                ui.button(_("Go on"), icon="play_arrow", on_click=again).props("unelevated no-caps")
        return None


def balance_link(game: str) -> None:
    """To what the game itself is like, whoever plays."""
    button = ui.button(_("Balance of this game"), icon="balance").props("flat dense no-caps tag=a")
    button.props.update(href=f"/balance/{game}")


class ArenaPage:
    """The page of arenas: the form for a new one, and the one that runs."""

    def __init__(self, host: Host, chosen: GameMap | None = None):
        """chosen: the map that all games are played on; None for those of the seed."""
        self.host, self.client, self.chosen = host, here(), chosen
        self.picks: list[PlayerPick] = []
        self.form: SettingsForm | None = None
        self.shown: tuple[str, int, str] = ("", -1, "")
        """The run, its games and its state, as the page shows them."""
        self.key = recall(COOKIE)
        """Of the arena that this visitor started last."""

    async def build(self, name: str) -> None:
        """The form for a game; without a name, for the arena that ran last, or for any game."""
        latest = self.host.tournaments.latest if not name and self.chosen is None else None
        if self.chosen is not None:
            name = parse(self.chosen.game)[0]
        name = name or (parse(latest.game)[0] if latest else next(iter(offered())))
        self.title = headline(_("Arena"))
        ui.label(
            _(
                "Every start is played in all rotations of the seats, so neither board nor seat favours anybody. "
                "Rates carry 95 % intervals. What was played is kept: the same arena goes on where it stopped."
            )
        ).classes("lead")
        with ui.element("div").classes("sides"):
            with ui.column().classes("w-full gap-3"):
                self.state = status(_("No arena has run since the server started."))
                self.bar = ui.linear_progress(0, show_value=False, size="10px").props("rounded instant-feedback")
                self.bar.props.update({"aria-label": _("progress")})
                self.stop = ui.button(_("Stop"), icon="stop", on_click=self.halt).props("outline no-caps")
                self.place = ui.column().classes("w-full")
                self.results: Results | None = None
            with ui.column().classes("w-full gap-3"):
                with ui.card().classes("panel"):
                    self.ground = Board(label=_("the map all games are played on"))
                    self.ground.visible = False
                    named = {key: title_of(key) for key in offered()}
                    self.game = ui.select(named, value=name, label=_("game"), on_change=lambda: self.choose())
                    self.game.props("outlined dense").classes("w-full")
                    self.report = ui.element("div")
                    self.options = ui.expansion(_("options")).props("dense").classes("w-full")
                    self.players = ui.column().classes("w-full gap-1")
                    with ui.row().classes("w-full"):
                        ui.button(_("Another player"), icon="add", on_click=self.more).props("flat dense no-caps")
                        ui.button(_("One less"), icon="remove", on_click=self.less).props("flat dense no-caps")
                    self.games = (
                        ui.number(_("games"), value=latest.games if latest else 200, min=1)
                        .props("outlined dense")
                        .classes("w-full")
                    )
                    self.seed = (
                        ui.number(_("seed"), value=latest.seed if latest else 0, min=0)
                        .props("outlined dense")
                        .classes("w-full")
                    )
                    start = ui.button(_("Start"), icon="play_arrow", on_click=self.start)
                    start.props("unelevated no-caps").classes("w-full")
                with ui.card().classes("panel"):
                    heading(_("Past arenas"))
                    self.past = ui.column().classes("w-full gap-1")
        await self.list_past()
        await self.choose(latest)
        self.following = Following(self.follow, self.host.tournaments.changes, gap=LOOK)

    async def list_past(self) -> None:
        runs = await self.host.do(self.client, self.host.store.runs)
        self.past.clear()
        with self.past:
            for row in runs:
                count = counted("{games:,} game", "{games:,} games", row["games"]).format(games=row["games"])
                text = f"{row['game']}: {', '.join(row['players'])} ({count})"
                ui.link(text, f"/arena/{row['run']}").classes("small")
            if not runs:
                ui.label(_("None yet.")).classes("small")

    async def choose(self, latest: Tournament | None = None) -> None:
        """Another game: its options, and two of its players to begin with; or those of the latest arena."""
        if self.chosen is not None and self.game.value != parse(self.chosen.game)[0]:
            self.chosen = None
        text = latest.game if latest else self.chosen.game if self.chosen else str(self.game.value)
        source = latest.source if latest else self.chosen.source if self.chosen else None
        name, given = parse(text)
        game, usual = await self.host.do(self.client, lambda: (known_game(text), known_game(name).options))
        self.title.set_text(_("Arena of {game}").format(game=title_of(name)))
        self.report.clear()
        with self.report:
            balance_link(text)
        self.options.clear()
        self.form = None
        self.options.visible = game.options is not None
        if game.options is not None:
            kind = type(game.options)
            with self.options:
                self.form = SettingsForm(kind, lambda: None, gathered(kind, given), usual)
        self.players.clear()
        self.picks = []
        position = await self.host.do(self.client, lambda: stand(text, [], 0, source))
        self.source, self.ground.visible = source, source is not None
        if source is not None:
            self.ground.show(svg=await self.host.do(self.client, position.picture))
        self.field: tuple[Game, Any] = (game, position.boards)
        first = latest.players if latest else list(opponents(game, position.boards).values())[:2]
        for who in first or ["random"]:
            self.more(who)

    def more(self, value: Any = None) -> None:
        with self.players:
            text = value if isinstance(value, str) else "random"
            label = _("player {number}").format(number=len(self.picks) + 1)
            self.picks.append(PlayerPick(*self.field, label, text))

    def less(self) -> None:
        if len(self.picks) > 1:
            self.picks.pop().delete()

    async def start(self) -> None:
        with telling():
            text = text_of(str(self.game.value), self.form.values() if self.form else {})
            names = [pick.value for pick in self.picks]
            count, seed = int(self.games.value or 0), int(self.seed.value or 0)
            begin = self.host.tournaments.start
            begun = await self.host.do(self.client, lambda: begin(text, names, count, seed, self.source))
            self.key = begun.key
            remember(COOKIE, begun.key)
            self.following.wake()

    def halt(self) -> None:
        with telling():
            self.host.tournaments.halt(self.key)

    async def follow(self) -> None:
        """Show the arena that runs, as far as it is."""
        latest = self.host.tournaments.latest
        self.stop.visible = latest is not None and latest.is_running and latest.key == self.key
        if latest is None:
            return
        now = (latest.run, latest.done, latest.state)
        if self.shown == now:
            return
        if self.results is None or self.results.run != latest.run:
            self.place.clear()
            with self.place:
                self.results = Results(latest.run)
        if self.shown[2] != latest.state and latest.state != "playing":
            await self.list_past()
        self.shown = now
        self.state.set_text(
            _("{game}: {done:,} of {games:,} games: {state}").format(
                game=latest.game, done=latest.done, games=latest.games, state=_(latest.state)
            )
        )
        self.bar.set_value(latest.done / latest.games)
        if latest.table.get("games"):
            self.results.show(latest.table)
