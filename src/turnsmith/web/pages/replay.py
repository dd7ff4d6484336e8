"""A replay: step, scrub, see what each seat could expect and what was thought, try other moves aside."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import events, ui

from turnsmith.contract.game import CHANCE
from turnsmith.languages import _
from turnsmith.play.player import Decision
from turnsmith.play.position import PositionView
from turnsmith.web.host import Host
from turnsmith.web.match.live_match import LiveMatch
from turnsmith.web.match.log import LogEntry
from turnsmith.web.match.people import colors_of, people_of
from turnsmith.web.pages.board import Board, marks_of
from turnsmith.web.pages.dice import Dice
from turnsmith.web.pages.ending import who_and_why
from turnsmith.web.pages.following import Following
from turnsmith.web.pages.frame import READY, copy, heading, headline, here, status, telling
from turnsmith.web.pages.friends import look_on, looking_on
from turnsmith.web.pages.home import title_of
from turnsmith.web.pages.move_input import MoveMaker
from turnsmith.web.pages.panels import save_button
from turnsmith.web.pages.study import AnalysisPanel, Past, ThoughtPanel, Variation, expected, last_decision, studied
from turnsmith.web.pages.viewer import SeenPosition, Viewer, log_html, replayed, said_of

POINTS, JUDGED = 80, 24
"""Positions whose values are plotted, spread over the match; and those that a player is asked about."""
JUDGING = 0.3
"""Seconds at least between two looks at what each seat could expect."""
MOST_LISTED = 1000
"""Lines in the list of moves."""
CLICKED = "(event) => { const line = event.target.closest('[data-ply]'); if (line) emit(Number(line.dataset.ply)); }"
CURRENT = """
const list = document.getElementById("%s"), lines = [...list.querySelectorAll("[data-ply]")];
const at = lines.find(line => Number(line.dataset.first) < %d);
lines.forEach(line => line === at ? line.setAttribute("aria-current", "true") : line.removeAttribute("aria-current"));
if (at) list.scrollTop = at.offsetTop - list.offsetTop - list.clientHeight / 2;
"""
"""Which line is the position shown: the newest that had begun by then."""
SPEEDS = {0.5: "½ ×", 1: "1 ×", 2: "2 ×", 5: "5 ×", 20: "20 ×"}
"""Positions a second."""


class Replay:
    """One visitor looking at one match, at a pace of their own; the match itself may still be going on."""

    def __init__(
        self,
        host: Host,
        match: LiveMatch,
        ply: int,
        viewer: int | None = None,
        keys: Sequence[str] = (),
        side: Variation | None = None,
    ):
        self.host, self.match, self.client, self.viewer, self.keys = host, match, here(), viewer, keys
        self.ply, self.playing, self.stepped = min(max(0, ply), self.last), ply == 0, time.monotonic()
        self.side = side
        """The variation that is shown, if it is not the match."""
        self.shown: tuple[int, ...] = ()
        self.listed = -1
        """Moves in the list."""
        self.svg, self.tries = "", False
        """The picture, and whether moves may be tried on it."""
        self.marks: list[dict[str, Any]] = []
        self.values: dict[int, list[float]] = {}
        self.judgements: dict[int, dict[int, float]] = {}
        """What a player that was asked expects, by ply and seat, and its name."""
        self.judge_name = ""
        self.making = MoveMaker(match, (), self.try_move, self.paint)

    def build(self) -> None:
        match = self.match
        if not self.keys and not match.over:
            look_on(match)
        headline(_("Watching {game}").format(game=title_of(match.game.name))).classes("unseen")
        with ui.element("div").classes("sides"):
            with ui.column().classes("w-full gap-3"):
                self.build_board()
                self.making.build()
                with ui.element("div").classes("halves") as self.study:
                    at = (self.host, match, self.client)
                    self.analysis = AnalysisPanel(*at, self.look, self.past, self.draw, self.open)
                    self.thought = ThoughtPanel(*at)
            with ui.column().classes("w-full gap-3"):
                self.build_players()
                self.build_judgement()
                with ui.card().classes("panel"):
                    heading(_("Moves"))
                    self.log = ui.html("", sanitize=False).classes("log numbers").mark("moves")
                    self.log.on("click", lambda event: self.go(int(event.args)), js_handler=CLICKED)
        if self.side is not None:
            self.analysis.keep(self.side)
        ui.keyboard(on_key=self.key)
        self.following = Following(self.tick, match.changes, pause=self.until_step)
        self.judging = Following(self.judge_on, match.changes, gap=JUDGING)

    def build_board(self) -> None:
        """The position, and the ways through the match."""
        match = self.match
        self.status = status()
        self.dice = Dice(kept=match.game.roll is not None)
        self.board = Board(label=title_of(match.game.name), on_piece=self.making.pick)
        self.slider = ui.slider(min=0, max=max(1, self.last), value=min(self.ply, self.last), step=1)
        self.slider.on_value_change(self.scrub).props("label").mark("scrub")
        self.slider.props.update({"aria-label": _("move")})
        with ui.row().classes("items-center gap-1 w-full"):
            for icon, label, act in (
                ("first_page", _("first"), lambda: self.go(0)),
                ("chevron_left", _("back"), lambda: self.step(-1)),
                ("play_arrow", _("play or pause"), self.toggle),
                ("chevron_right", _("forward"), lambda: self.step(1)),
                ("last_page", _("last"), lambda: self.go(self.last)),
            ):
                button = ui.button(icon=icon, on_click=act).props("flat round")
                button.props.update({"aria-label": label})
                if icon == "play_arrow":
                    self.play = button
            self.speed = ui.toggle(SPEEDS, value=2, on_change=lambda: self.following.wake())
            self.speed.props("dense no-caps unelevated")
            self.every_chance = ui.switch(_("every move of chance"))

    def build_players(self) -> None:
        """Who played, how it ended, and what to take along."""
        match = self.match
        with ui.card().classes("panel"):
            heading(_("Players"))
            for person, seat in zip(people_of(match), match.seats, strict=True):
                with ui.element("div").classes("who"):
                    ui.html(person.face, sanitize=False)
                    ui.label(person.name).classes("grow")
                    if not seat.is_person:
                        ui.tooltip(seat.who)
            self.ending = ui.label().classes("font-bold")
            self.audience = ui.label().classes("small")
            with ui.row().classes("gap-1"):
                self.save = save_button(match, self.keys).props("flat dense no-caps")
                ui.button(_("Link to this move"), icon="link", on_click=self.copy).props("flat dense no-caps")

    def build_judgement(self) -> None:
        """What each seat could expect, as a chart."""
        with ui.card().classes("panel") as self.judgement:
            heading(_("What each could expect"))
            self.judge = ui.label(self.judged).classes("small")
            self.plot = ui.echart(
                chart(self.match, self.values, self.ply),
                on_point_click=lambda event: self.go(int(event.data[0])),
            )
            self.plot.classes("w-full").style("height: 220px")
            self.asker = ui.button(_("Let a player judge"), icon="psychology", on_click=self.judge_by_player)
            self.asker.props("outline no-caps")
            with self.asker:
                ui.tooltip(_("The player chosen under Analyse looks at positions of the whole match"))
        self.judgement.visible = self.viewer is None  # an estimate of the truth would tell what is hidden

    @property
    def last(self) -> int:
        return len(self.match.position.history)

    # ------------------------------------------------------------ moving through it

    def look(self) -> PositionView:
        """The position that is shown."""
        return self.side.look(self.match) if self.side else self.match.look(self.viewer, self.ply)

    def past(self) -> Past | None:
        """The last decision before the position that is shown."""
        match, side = self.match, self.side
        if side is not None and side.depth:
            stop = max(stop for stop in side.stops if stop < side.depth)
            look = match.look(None, side.at).after(side.actions[:stop])
            return Past(look, side.actions[stop], stop + 1 == side.depth)
        ply = side.at if side else self.ply
        at = last_decision(match, ply)
        return Past(match.look(None, at), match.position.history[at], at + 1 == ply) if at >= 0 else None

    def go(self, ply: int) -> None:
        self.playing = False
        if self.side is not None:
            self.side = None
            self.analysis.show(None)
        self.slider.set_value(min(max(0, ply), self.last))
        self.following.wake()

    def step(self, by: int) -> None:
        """One position on, or back, in the match or in the variation."""
        if self.side is None:
            self.go(self.stop(by))
        elif not self.side.step(by):
            self.go(self.side.at)
        self.following.wake()

    def scrub(self) -> None:
        ply = int(self.slider.value)
        if self.side is not None and ply != self.side.at:
            self.side = None
            self.analysis.show(None)
        self.ply = ply
        self.following.wake()
        self.judging.wake()

    def toggle(self) -> None:
        self.playing = not self.playing
        if self.playing and self.ply >= self.last and self.match.over:
            self.slider.set_value(0)
        self.following.wake()

    def until_step(self) -> float | None:
        """Seconds until the next step of a replay that plays; None while there is none."""
        if not self.playing or self.ply >= self.last:
            return None
        return max(0.0, self.stepped + self.a_step - time.monotonic())

    @property
    def a_step(self) -> float:
        """Seconds of a position."""
        return 1 / float(self.speed.value or 1)

    def stop(self, step: int) -> int:
        """The next position to stop at: one after chance has moved, unless every roll is asked for."""
        ply = min(max(0, self.ply + step), self.last)
        while not self.every_chance.value and 0 < ply < self.last and self.match.log.lines[ply].mover == CHANCE:
            ply += step
        return ply

    async def key(self, event: events.KeyEventArguments) -> None:
        if event.action.keydown and event.key.arrow_left:
            self.step(-1)
        elif event.action.keydown and event.key.arrow_right:
            self.step(1)
        elif event.action.keydown and event.key.name == " ":
            self.toggle()
        else:
            await self.making.key(event)

    async def copy(self) -> None:
        aside = f"&line={self.side.text}" if self.side and self.side.text else ""
        url = f"{ui.context.client.request.base_url}watch/{self.match.name}?move={self.ply}{aside}"
        what = _("the link to move {ply} and the variation") if aside else _("the link to move {ply}")
        await copy(url, what.format(ply=self.ply))

    async def tick(self) -> None:
        """Step on when it is time, and show where we are."""
        now = time.monotonic()
        if self.playing and now - self.stepped >= self.a_step:
            self.stepped = now
            self.slider.set_value(self.stop(1))
        self.slider.props(f"max={max(1, self.last)}")
        self.play.props(f"icon={'pause' if self.playing and not self.at_end else 'play_arrow'}")
        now_shown = (self.ply, self.last, id(self.side), self.side.depth if self.side else 0, int(self.playing))
        if now_shown != self.shown:
            await self.show(self.ply, self.last)
            self.shown = now_shown
        self.status.set_text(self.where())
        outcome = self.match.outcome if self.match.over else None
        text = ": ".join(filter(None, who_and_why(outcome, people_of(self.match)))) if outcome else _(self.match.reason)
        self.ending.set_text(text)
        self.audience.set_text("" if self.match.over else looking_on(self.match))
        self.save.visible = self.match.tells_all(self.keys)

    async def show(self, ply: int, last: int) -> None:
        """Draw the position after `ply` moves, or of the variation, with what was thought of the move that led here."""
        match, people, side = self.match, people_of(self.match), self.side
        may_study = match.may_study(self.viewer) is None
        tries = may_study and (side is not None or not self.playing)

        def work() -> tuple[SeenPosition, Viewer | None, list[LogEntry] | None]:
            seen = replayed(match, self.viewer, match.side(self.keys), ply)
            entries = match.log.entries(match.position, self.viewer, MOST_LISTED) if self.listed != last else None
            return seen, studied(match, self.look(), match.side(self.keys)) if tries else None, entries

        seen, viewer, entries = await self.host.do(self.client, work)
        if entries is not None:
            self.listed = last
            self.log.set_content(log_html(entries, people, clickable=True))
        ui.run_javascript(CURRENT % (self.log.html_id, ply))
        self.dice.show(seen.roll if side is None else None, colors_of(match.game), said_of(seen.roll, seen.log, people))
        self.study.visible = self.asker.visible = may_study
        self.thought.card.visible = side is None
        self.svg = viewer.svg if viewer else seen.svg
        if viewer is not None:
            self.making.begin(viewer)
        self.tries = viewer is not None and viewer.may_move
        self.analysis.forget()
        if may_study and not self.playing:
            await self.thought.show(ply)

    def paint(self) -> None:
        self.making.show(self.tries)
        self.board.show(svg=self.svg, marks=self.marks, **self.making.drawn())

    def draw(self, decision: Decision | None) -> None:
        """Draw advice on the board, or none."""
        self.marks = marks_of(decision) if decision else []
        self.paint()

    async def try_move(self, move: str | int) -> None:
        """A move aside, or the next one of the match or the variation, if it is that."""
        side, match = self.side, self.match
        coming = side.actions[side.depth : side.depth + 1] if side else match.position.history[self.ply : self.ply + 1]
        if [move] == coming:
            self.step(1)
            return
        with telling():
            fresh = side.fork() if side and side.depth < len(side.actions) else side or Variation(self.ply)
            await self.host.do(self.client, lambda: fresh.play(match, move))
            await self.open(fresh)

    async def open(self, side: Variation | None) -> None:
        """Show a variation, or the match again."""
        if side is None:
            self.go(self.side.at if self.side else self.ply)
            self.analysis.show(None)
            return
        self.playing, self.side = False, side
        self.slider.set_value(side.at)
        self.analysis.keep(side)
        self.following.wake()

    @property
    def at_end(self) -> bool:
        return self.ply >= self.last and self.match.over

    def where(self) -> str:
        if self.match.waiting and self.ply >= self.last:
            return str(self.match.waiting)
        if self.side is not None:
            sentence = _("A variation from position {at}, {depth} of {count} moves on")
            return sentence.format(at=self.side.at, depth=self.side.depth, count=len(self.side.actions))
        sentence = _("Position {ply} of {last}") if self.match.over else _("Position {ply} of {last}, being played")
        return sentence.format(ply=self.ply, last=self.last)

    # ------------------------------------------------------------ values

    @property
    def judged(self) -> str:
        sentence = _("By the game's own estimate, which looks no move ahead.")
        if not self.match.game.evaluates:
            sentence = _("By 64 random games from each position.")
        if self.judge_name:
            sentence = _("Lines: by {who}. Dots: {other}").format(who=self.judge_name, other=sentence)
        return sentence

    async def judge_by_player(self) -> None:
        """Ask the chosen player about positions spread over the match, and draw what it expects."""
        who, last = self.analysis.pick.value, self.last
        self.judge_name, self.judgements = who, {}
        self.judging.wake()
        self.asker.props("loading")
        with telling():
            for ply in sorted({round(place * last / JUDGED) for place in range(JUDGED + 1)}):
                look = await self.host.do(self.client, partial(self.match.look, None, ply))
                if self.asker.is_deleted or self.judge_name != who:
                    return
                value = None
                if look.mover >= 0:
                    value = (await self.host.study(self.client, self.match, partial(look.after, ()), who)).value
                if expectation := expected(look, value):
                    self.judgements[ply] = expectation
                    self.judging.wake()
                self.judge.set_text(self.judged)
        self.asker.props(remove="loading")

    async def judge_on(self) -> None:
        """Work out a few more values, and draw them."""
        if self.last == 0 or self.viewer is not None:
            return
        stride = max(1, self.last // POINTS)
        missing = [ply for ply in [*range(0, self.last, stride), self.last] if ply not in self.values]
        if missing:
            if not self.values:
                self.judge.set_text(_(READY))
            chosen = missing[:8]
            forecasts = await self.host.do(self.client, lambda: [self.match.look(None, p).forecast() for p in chosen])
            self.values.update(zip(chosen, forecasts, strict=True))
            self.judge.set_text(self.judged)
            self.judging.wake()  # for those that are still missing
        self.plot.options.update(chart(self.match, self.values, self.ply, self.judgements))
        self.plot.update()


def chart(
    match: LiveMatch, values: dict[int, list[float]], ply: int, judged: Mapping[int, Mapping[int, float]] | None = None
) -> dict[str, Any]:
    """What each seat could expect, in the colours of the board, as dots where a player has judged, whose lines they
    are then; a line marks the position shown."""
    lines = []
    for seat, person in enumerate(people_of(match)):
        points = [[at, round(by_seat[seat], 3)] for at, by_seat in sorted(values.items())]
        line: dict[str, Any] = {"type": "line", "name": person.name, "data": points, "showSymbol": False}
        line["lineStyle"] = {"shadowColor": "#666", "shadowBlur": 2}  # white stones on white ground
        line["color"] = person.color
        if judged:
            lines.append({**line, "lineStyle": {"type": "dotted", "opacity": 0.6}})
            points = [[at, round(by_seat[seat], 3)] for at, by_seat in sorted(judged.items()) if seat in by_seat]
            line = {**line, "data": points, "showSymbol": True}
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
