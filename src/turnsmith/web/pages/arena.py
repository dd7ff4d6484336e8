"""Arena: let players meet, follow the table as it grows, stop and go on, look at past ones."""

from __future__ import annotations

import math
from typing import Any

from fastapi import Response
from nicegui import ui

from turnsmith.game import Game
from turnsmith.games import games
from turnsmith.player import levels
from turnsmith.texts import BadInput
from turnsmith.web.api import table_of
from turnsmith.web.bounds import known_game, stand
from turnsmith.web.forms import PlayerPick, SettingsForm, text_of
from turnsmith.web.frame import frame, here, sorry, telling
from turnsmith.web.host import Host
from turnsmith.web.pages.home import title_of
from turnsmith.web.workers import Busy

COLUMNS = {"name": "player", "games": "games", "wins": "wins", "draws": "draws", "rate": "rate", "interval": "95 %"}

LABEL = {"width": 125, "overflow": "truncate", "color": "#888"}
"""Of an axis: grey reads on light and on dark ground."""


def add(host: Host) -> None:
    @ui.page("/arena")
    async def arena(game: str = "") -> None:
        with frame("Arena"):
            await ui.context.client.connected()
            await Setting(host).build(game if game in games() else next(iter(games())))

    @ui.page("/arena/{run}")
    async def past(run: str) -> Response | None:
        try:
            found = await host.do(here(), lambda: table_of(host, run).to_dict())
        except (BadInput, Busy) as error:
            return sorry(error)
        with frame("Arena"):
            ui.label(f"{found['game']}, seed {found['seed']}").classes("title")
            results = Results(run)
            results.show(found)

            async def again() -> None:
                with telling():
                    row = next(row for row in host.store.runs() if row["run"] == run)
                    seed, count = int(row["seed"]), int(games_more.value or 0)
                    await host.do(here(), lambda: host.tournaments.start(row["game"], row["players"], count, seed))
                    ui.navigate.to("/arena")

            with ui.row().classes("items-center"):
                games_more = ui.number("games in all", value=2 * found["games"], min=1).props("outlined dense")
                ui.button("Go on", icon="play_arrow", on_click=again).props("unelevated no-caps")
        return None


class Setting:
    """The form, and the arena that is running."""

    def __init__(self, host: Host):
        self.host, self.client = host, here()
        self.picks: list[PlayerPick] = []
        self.form: SettingsForm | None = None
        self.shown: tuple[str, int, str] = ("", -1, "")

    async def build(self, name: str) -> None:
        ui.label("Arena").classes("title")
        ui.label(
            "Every start is played in all rotations of the seats, so neither board nor seat favours anybody. "
            "Rates carry 95 % intervals. What was played is kept: the same arena goes on where it stopped."
        ).classes("lead")
        with ui.element("div").classes("sides"):
            with ui.column().classes("w-full gap-3"):
                self.state = ui.label("No arena has run since the server started.").classes("heading")
                self.bar = ui.linear_progress(0, show_value=False, size="10px").props("rounded")
                self.stop = ui.button("Stop", icon="stop", on_click=self.halt).props("outline no-caps")
                self.place = ui.column().classes("w-full")
                self.results: Results | None = None
            with ui.column().classes("w-full gap-3"):
                with ui.card().classes("panel"):
                    named = {each: title_of(each) for each in games()}
                    self.game = ui.select(named, value=name, label="game", on_change=self.choose)
                    self.game.props("outlined dense").classes("w-full")
                    self.options = ui.expansion("options").props("dense").classes("w-full")
                    self.players = ui.column().classes("w-full gap-1")
                    with ui.row().classes("w-full"):
                        ui.button("Another player", icon="add", on_click=self.more).props("flat dense no-caps")
                        ui.button("One less", icon="remove", on_click=self.less).props("flat dense no-caps")
                    self.games = ui.number("games", value=200, min=1).props("outlined dense").classes("w-full")
                    self.seed = ui.number("seed", value=0, min=0).props("outlined dense").classes("w-full")
                    start = ui.button("Start", icon="play_arrow", on_click=self.start)
                    start.props("unelevated no-caps").classes("w-full")
                with ui.card().classes("panel"):
                    ui.label("Past arenas").classes("heading")
                    self.past = ui.column().classes("w-full gap-1")
        await self.list_past()
        await self.choose()
        ui.timer(0.4, self.follow)

    async def list_past(self) -> None:
        runs = await self.host.do(self.client, self.host.store.runs)
        self.past.clear()
        with self.past:
            for row in runs:
                text = f"{row['game']}: {', '.join(row['players'])} ({row['games']:,} games)"
                ui.link(text, f"/arena/{row['run']}").classes("small")
            if not runs:
                ui.label("None yet.").classes("small")

    async def choose(self) -> None:
        """Another game: its options, and two of its players to begin with."""
        game = await self.host.do(self.client, lambda: known_game(str(self.game.value)))
        self.options.clear()
        self.form = None
        self.options.visible = game.options is not None
        if game.options is not None:
            with self.options:
                self.form = SettingsForm(type(game.options), lambda: None)
        self.players.clear()
        self.picks = []
        position = await self.host.do(self.client, lambda: stand(game.name, []))
        self.field: tuple[Game, Any] = (game, position.boards)
        first = list(levels(game, position.boards).values())
        for text in first[:2] or ["random"]:
            self.more(text)

    def more(self, value: Any = None) -> None:
        with self.players:
            text = value if isinstance(value, str) else "random"
            self.picks.append(PlayerPick(*self.field, f"player {len(self.picks) + 1}", text))

    def less(self) -> None:
        if len(self.picks) > 1:
            self.picks.pop().delete()

    async def start(self) -> None:
        with telling():
            text = text_of(str(self.game.value), self.form.values() if self.form else {})
            names = [pick.value for pick in self.picks]
            count, seed = int(self.games.value or 0), int(self.seed.value or 0)
            await self.host.do(self.client, lambda: self.host.tournaments.start(text, names, count, seed))

    def halt(self) -> None:
        self.host.tournaments.stop()

    async def follow(self) -> None:
        """Show the arena that runs, as far as it is."""
        latest = self.host.tournaments.latest
        self.stop.visible = latest is not None and latest.is_running
        if latest is None or self.shown == (latest.run, latest.done, latest.state):
            return
        if self.results is None or self.results.run != latest.run:
            self.place.clear()
            with self.place:
                self.results = Results(latest.run)
        ended = self.shown[2] != latest.state and latest.state != "playing"
        self.shown = (latest.run, latest.done, latest.state)
        if ended:
            await self.list_past()
        self.state.set_text(f"{latest.done:,} of {latest.games:,} games: {latest.state}")
        self.bar.set_value(latest.done / latest.games)
        if latest.table.get("games"):
            self.results.show(latest.table)


class Results:
    """The table of an arena, with pairs, ratings and seats."""

    def __init__(self, run: str):
        self.run = run
        columns = [{"name": key, "label": label, "field": key, "align": "left" if key == "name" else "right"}
                   for key, label in COLUMNS.items()]  # fmt: skip
        self.table = ui.table(columns=columns, rows=[], row_key="name").classes("w-full numbers").props("flat bordered")
        with ui.row().classes("gap-1"):
            for kind, link in (("CSV", f"/api/runs/{run}/csv"), ("JSON", f"/api/runs/{run}")):
                button = ui.button(kind, icon="download").props("flat dense no-caps tag=a")
                button.props.update(href=link, download=f"arena.{kind.lower()}")
            button = ui.button("First match", icon="visibility").props("flat dense no-caps tag=a")
            button.props.update(href=f"/watch/run/{run}/0")
        with ui.element("div").classes("halves"):
            self.pairs = ui.echart({}).classes("w-full").style("height: 300px")
            self.skill = ui.echart({}).classes("w-full").style("height: 300px")
        self.seats = ui.label().classes("small numbers")

    def show(self, found: dict[str, Any]) -> None:
        rows = sorted(found["players"], key=lambda row: -(row["mean_return"] if row["rate"] is None else row["rate"]))
        self.table.rows = [
            {
                **{key: row[key] for key in ("name", "games", "wins", "draws")},
                **shown(row),
            }
            for row in rows
        ]
        self.table.update()
        self.pairs.visible = len(rows) > 1 and bool(found["pairs"])
        self.pairs.options.update(heat_map(found))
        self.pairs.update()
        self.skill.options.update(bars(rows))
        self.skill.update()
        by_seat = " · ".join(f"seat {s['seat']}: {shown(s)['rate']} ({shown(s)['interval']})" for s in found["seats"])
        forfeits = f" · {len(found['forfeits'])} games were forfeited." if found["forfeits"] else ""
        self.seats.set_text(f"{by_seat}{forfeits}")


def shown(row: dict[str, Any]) -> dict[str, str]:
    """A rate of wins with its interval, or a mean return where nobody wins."""
    if row["rate"] is not None:
        return {"rate": f"{100 * row['rate']:.1f} %", "interval": f"{100 * row['low']:.1f} – {100 * row['high']:.1f}"}
    if row["mean_low"] is None:
        return {"rate": f"{row['mean_return']:.3f}", "interval": ""}
    return {"rate": f"{row['mean_return']:.3f}", "interval": f"{row['mean_low']:.3f} – {row['mean_high']:.3f}"}


def heat_map(found: dict[str, Any]) -> dict[str, Any]:
    """How often the row beats the column."""
    names = [row["name"] for row in found["players"]]
    place = {name: index for index, name in enumerate(names)}
    cells = [[place[p["against"]], place[p["player"]], round(100 * p["rate"], 1)] for p in found["pairs"]]
    return {
        "animation": False,
        "title": {"text": "row against column, %", "textStyle": {"fontSize": 13, "color": "#888"}},
        "grid": {"left": 135, "right": 10, "top": 34, "bottom": 60},
        "tooltip": {},
        "xAxis": {"type": "category", "data": names, "axisLabel": {**LABEL, "rotate": 25, "width": 90}},
        "yAxis": {
            "type": "category",
            "data": names,
            "inverse": True,
            "axisLabel": LABEL,
        },
        "visualMap": {"min": 0, "max": 100, "show": False, "inRange": {"color": ["#c1694f", "#f5f0e1", "#30638e"]}},
        "series": [{"type": "heatmap", "data": cells, "label": {"show": True}}],
    }


def bars(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Ratings with two standard deviations to either side, or mean returns where there is one seat."""
    rated = "rating" in rows[0]
    middle = [row["rating"]["mu"] if rated else row["mean_return"] for row in rows]
    ends = [[row["rating"]["mu"] - 2 * row["rating"]["sigma"], row["rating"]["mu"] + 2 * row["rating"]["sigma"]]
            for row in rows] if rated else []  # fmt: skip
    reach = [end for pair in ends for end in pair] or middle
    low, high = min(reach), max(reach)
    lines = [{"coord": [round(left, 2), index]} for index, (left, _) in enumerate(ends)]
    others = [{"coord": [round(right, 2), index]} for index, (_, right) in enumerate(ends)]
    spans = [list(pair) for pair in zip(lines, others, strict=True)]
    dots: dict[str, Any] = {
        "type": "scatter",
        "data": [[round(m, 3), i] for i, m in enumerate(middle)],
        "symbolSize": 11,
    }
    dots["markLine"] = {"symbol": "none", "silent": True, "label": {"show": False}, "data": spans, "animation": False}
    dots["markLine"]["lineStyle"] = {"type": "solid", "width": 3}
    return {
        "animation": False,
        "title": {"text": "rating" if rated else "mean return", "textStyle": {"fontSize": 13, "color": "#888"}},
        "grid": {"left": 135, "right": 20, "top": 34, "bottom": 30},
        "tooltip": {},
        "xAxis": {"type": "value", "min": math.floor(low - 1), "max": math.ceil(high + 1), "axisLabel": LABEL},
        "yAxis": {
            "type": "category",
            "data": [row["name"] for row in rows],
            "inverse": True,
            "axisLabel": LABEL,
        },
        "series": [dots],
    }
