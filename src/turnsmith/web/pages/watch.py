"""Watch and replay: step, scrub, see what each seat could expect; open and save files, link to a move."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from fastapi import Response
from nicegui import events, ui

from turnsmith.arena.match import read_match
from turnsmith.game import CHANCE
from turnsmith.texts import BadInput
from turnsmith.web.board import Board
from turnsmith.web.dice import Dice
from turnsmith.web.frame import READY, copy, frame, here, page, sorry, telling
from turnsmith.web.gate import MOST_BYTES
from turnsmith.web.host import Host
from turnsmith.web.live_match import LiveMatch
from turnsmith.web.offered import offered
from turnsmith.web.pages.ending import who_and_why
from turnsmith.web.pages.home import title_of
from turnsmith.web.pages.panels import save_button
from turnsmith.web.pages.viewer import log_html, replayed, said_of
from turnsmith.web.people import colors_of, people_of
from turnsmith.web.workers import Busy

POINTS = 80
"""Positions whose values are plotted, spread over the match."""
SPEEDS = {0.5: "½ ×", 1: "1 ×", 2: "2 ×", 5: "5 ×", 20: "20 ×"}
"""Positions a second."""


def add(host: Host) -> None:
    @page("/watch")
    async def choose() -> None:
        client = here()

        async def read(event: events.UploadEventArguments) -> None:
            with telling():
                record = read_match(await event.file.text(), event.file.name)
                match = await host.do(client, lambda: host.matches.adopt(record))
                ui.navigate.to(f"/watch/{match.name}")

        recent = await host.do(client, lambda: host.matches.store.recent(20))
        with frame("Watch"):
            ui.label("Watch and replay").classes("title")
            with ui.element("div").classes("halves"):
                with ui.card().classes("panel"):
                    ui.label("Players among themselves").classes("heading")
                    for name in offered():
                        ui.button(
                            title_of(name), on_click=lambda name=name: ui.navigate.to(f"/new/{name}?watching=1")
                        ).props("outline no-caps").classes("w-full")
                with ui.card().classes("panel"):
                    ui.label("A match from a file").classes("heading")
                    ui.markdown("As saved here, or by `turnsmith watch --replay` and `turnsmith play`.").classes(
                        "small"
                    )
                    upload = ui.upload(
                        label="choose a file", auto_upload=True, max_file_size=MOST_BYTES, max_files=1, on_upload=read
                    )
                    upload.classes("w-full").props("flat bordered accept=.json")
                    upload.on("rejected", lambda: ui.notify(f"a file may have {MOST_BYTES:,} bytes", type="negative"))
            with ui.card().classes("panel"):
                ui.label("Latest matches").classes("heading")
                if not recent:
                    ui.label("None yet.").classes("small")
                for row in recent:
                    ui.link(f"{row['game']}: {', '.join(row['seats'])} — {row['ending']}", f"/watch/{row['match']}")

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
    async def watch(name: str, move: int = 0) -> Response | None:
        return await open_match(name, [], move)

    @page("/watch/{name}/{keys}")
    async def own(name: str, keys: str, move: int = 0) -> Response | None:
        return await open_match(name, keys.split("."), move)

    async def open_match(name: str, keys: list[str], move: int) -> Response | None:
        try:
            match = await host.get(here(), name)
            viewer = match.viewer(keys)
        except (BadInput, Busy) as error:
            return sorry(error)
        with frame(title_of(match.game.name)):
            Replay(host, match, move, viewer, keys).build()
        return None


class Replay:
    """One visitor looking at one match, at a pace of their own; the match itself may still be going on."""

    def __init__(self, host: Host, match: LiveMatch, ply: int, viewer: int | None = None, keys: Sequence[str] = ()):
        self.host, self.match, self.client, self.viewer, self.keys = host, match, here(), viewer, keys
        self.ply, self.playing, self.stepped = min(max(0, ply), self.last), ply == 0, time.monotonic()
        self.shown: tuple[int, int] = (-1, -1)
        self.values: dict[int, list[float]] = {}
        self.working = False

    def build(self) -> None:
        match = self.match
        with ui.element("div").classes("sides"):
            with ui.column().classes("w-full gap-3"):
                self.status = ui.label().classes("heading")
                self.dice = Dice(kept=self.match.game.roll is not None)
                self.board = Board(label=title_of(match.game.name))
                self.slider = ui.slider(min=0, max=max(1, self.last), value=min(self.ply, self.last), step=1)
                self.slider.on_value_change(self.scrub).props("label").mark("scrub")
                with ui.row().classes("items-center gap-1 w-full"):
                    for icon, label, act in (
                        ("first_page", "first", lambda: self.go(0)),
                        ("chevron_left", "back", lambda: self.go(self.stop(-1))),
                        ("play_arrow", "play or pause", self.toggle),
                        ("chevron_right", "on", lambda: self.go(self.stop(1))),
                        ("last_page", "last", lambda: self.go(self.last)),
                    ):
                        button = ui.button(icon=icon, on_click=act).props("flat round")
                        button.props.update({"aria-label": label})
                        if icon == "play_arrow":
                            self.play = button
                    self.speed = ui.toggle(SPEEDS, value=2).props("dense no-caps unelevated")
                    self.every_chance = ui.switch("every move of chance")
            with ui.column().classes("w-full gap-3"):
                with ui.card().classes("panel"):
                    ui.label("Players").classes("heading")
                    for person, seat in zip(people_of(match), match.seats, strict=True):
                        with ui.element("div").classes("who"):
                            ui.html(person.face, sanitize=False)
                            ui.label(person.name).classes("grow")
                            if not seat.is_person:
                                ui.tooltip(seat.who)
                    self.ending = ui.label().classes("font-bold")
                    with ui.row().classes("gap-1"):
                        self.save = save_button(match, self.keys).props("flat dense no-caps")
                        ui.button("Link to this move", icon="link", on_click=self.copy).props("flat dense no-caps")
                self.judgement = ui.card().classes("panel")
                self.judgement.visible = self.viewer is None  # an estimate of the truth would tell what is hidden
                with self.judgement:
                    ui.label("What each could expect").classes("heading")
                    self.judge = ui.label(self.judged).classes("small")
                    self.plot = ui.echart(
                        chart(self.match, self.values, self.ply),
                        on_point_click=lambda event: self.go(int(event.data[0])),
                    )
                    self.plot.classes("w-full").style("height: 220px")
                with ui.card().classes("panel"):
                    ui.label("Moves").classes("heading")
                    self.log = ui.html("", sanitize=False).classes("log numbers")
        ui.keyboard(on_key=self.key)
        ui.timer(0.05, self.tick)
        ui.timer(0.3, self.judge_on)

    @property
    def last(self) -> int:
        return len(self.match.position.history)

    # ------------------------------------------------------------ moving through it

    def go(self, ply: int) -> None:
        self.playing = False
        self.slider.set_value(min(max(0, ply), self.last))

    def scrub(self) -> None:
        self.ply = int(self.slider.value)

    def toggle(self) -> None:
        self.playing = not self.playing
        if self.playing and self.ply >= self.last and self.match.over:
            self.slider.set_value(0)

    def stop(self, step: int) -> int:
        """The next position to stop at: one after chance has moved, unless every roll is asked for."""
        ply = min(max(0, self.ply + step), self.last)
        while not self.every_chance.value and 0 < ply < self.last and self.match.log.lines[ply].mover == CHANCE:
            ply += step
        return ply

    def key(self, event: events.KeyEventArguments) -> None:
        if event.action.keydown and event.key.arrow_left:
            self.go(self.stop(-1))
        elif event.action.keydown and event.key.arrow_right:
            self.go(self.stop(1))
        elif event.action.keydown and event.key.name == " ":
            self.toggle()

    async def copy(self) -> None:
        url = f"{ui.context.client.request.base_url}watch/{self.match.name}?move={self.ply}"
        await copy(url, f"the link to move {self.ply}")

    async def tick(self) -> None:
        """Step on when it is time, and show where we are."""
        now = time.monotonic()
        if self.playing and now - self.stepped >= 1 / float(self.speed.value or 1):
            self.stepped = now
            self.slider.set_value(self.stop(1))
        self.slider.props(f"max={max(1, self.last)}")
        self.play.props(f"icon={'pause' if self.playing and not self.at_end else 'play_arrow'}")
        if (self.ply, self.last) != self.shown:
            ply, last = self.ply, self.last
            with suppress(Busy):  # then the next tick shows it
                seen = await self.host.do(self.client, lambda: replayed(self.match, self.viewer, ply))
                self.shown, people = (ply, last), people_of(self.match)
                self.board.show(svg=seen.svg)
                self.log.set_content(log_html(seen.log, people))
                self.dice.show(seen.roll, colors_of(self.match.game), said_of(seen.roll, seen.log, people))
        self.status.set_text(self.where())
        outcome = self.match.outcome if self.match.over else None
        said = ": ".join(filter(None, who_and_why(outcome, people_of(self.match)))) if outcome else self.match.reason
        self.ending.set_text(said)
        self.save.visible = self.match.tells_all(self.keys)

    @property
    def at_end(self) -> bool:
        return self.ply >= self.last and self.match.over

    def where(self) -> str:
        if self.match.waiting and self.ply >= self.last:
            return self.match.waiting
        going = "" if self.match.over else ", being played"
        return f"Position {self.ply} of {self.last}{going}"

    # ------------------------------------------------------------ values

    @property
    def judged(self) -> str:
        by = "the game's own estimate" if self.match.game.evaluates else "64 random games from each position"
        return f"By {by}."

    async def judge_on(self) -> None:
        """Work out a few more values, and draw them."""
        if self.working or self.last == 0 or self.viewer is not None:
            return
        stride = max(1, self.last // POINTS)
        missing = [ply for ply in [*range(0, self.last, stride), self.last] if ply not in self.values]
        self.working = True
        with suppress(Busy):
            if missing:
                if not self.values:
                    self.judge.set_text(READY)
                chosen = missing[:8]
                found = await self.host.do(self.client, lambda: [self.match.look(None, p).forecast() for p in chosen])
                self.values.update(zip(chosen, found, strict=True))
                self.judge.set_text(self.judged)
            self.plot.options.update(chart(self.match, self.values, self.ply))
            self.plot.update()
        self.working = False


def chart(match: LiveMatch, values: dict[int, list[float]], ply: int) -> dict[str, Any]:
    """What each seat could expect, in the colours of the board; a line marks the position shown."""
    lines = []
    for seat, person in enumerate(people_of(match)):
        points = [[at, round(found[seat], 3)] for at, found in sorted(values.items())]
        line: dict[str, Any] = {"type": "line", "name": person.name, "data": points, "showSymbol": False}
        line["lineStyle"] = {"shadowColor": "#666", "shadowBlur": 2}  # white stones on white ground
        line["color"] = person.color
        lines.append(line)
    if lines:
        lines[0]["markLine"] = {
            "symbol": "none",
            "silent": True,
            "animation": False,
            "label": {"show": False},
            "data": [{"xAxis": ply}],
        }
    board, grey = match.position.board, {"color": "#888"}
    return {
        "animation": False,
        "grid": {"left": 40, "right": 10, "top": 30, "bottom": 24},
        "legend": {"top": 0, "type": "scroll", "textStyle": grey},
        "tooltip": {"trigger": "axis"},
        "xAxis": {"type": "value", "min": 0, "max": max(1, len(match.position.history)), "axisLabel": grey},
        "yAxis": {"type": "value", "min": float(board.low), "max": float(board.high), "axisLabel": grey},
        "series": lines,
    }
