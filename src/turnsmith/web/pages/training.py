"""Training: the curves of the trainings in this server's folder, live while they run, and their cards at the end."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from fastapi import Response
from nicegui import ui

from turnsmith.common.errors import BadInput
from turnsmith.languages import _, counted
from turnsmith.web.host import Host
from turnsmith.web.jobs.trainings import Panel, Trained
from turnsmith.web.pages.frame import frame, heading, headline, here, page, sorry
from turnsmith.web.server.workers import Busy

LOOK = 1.5
"""Seconds between two looks at the files."""


def add(host: Host) -> None:
    @page("/training")
    async def listing() -> None:
        client = here()
        with frame(_("Training")):
            headline(_("Trainings"))
            ui.label(
                _("What turnsmith train keeps in the folder of this server: curves grow here while it runs.")
            ).classes("lead")
            cards = ui.element("div").classes("cards")
            with ui.card().classes("panel") as none:
                ui.label(_("None yet: start one with turnsmith train.")).classes("small")
        seen: list[tuple[str, float, bool]] = []

        async def look() -> None:
            nonlocal seen
            with suppress(Busy):  # the next look comes soon
                trainings = await host.do(client, host.trainings.all)
                none.visible = not trainings
                now = [(training.name, training.changed, bool(training.card)) for training in trainings]
                if now != seen:
                    seen = now
                    cards.clear()
                    with cards:
                        for training in trainings:
                            _card(training)

        ui.timer(LOOK, look)

    @page("/training/{name}")
    async def one(name: str) -> Response | None:
        try:
            training = await host.do(here(), lambda: host.trainings.get(name))
        except (BadInput, Busy) as error:
            return sorry(error)
        with frame(_("Training")):
            Curves(host, training).build()
        return None


def _card(found: Trained) -> None:
    """A training in the list: where it is, and its latest numbers."""
    with ui.card().classes("panel"):
        ui.link(found.name, f"/training/{found.name}").classes("heading")
        ui.label(standing(found)).classes("small")
        if found.panels:
            _chart(found.panels[0], "height: 130px")
        for name, value in list(found.latest.items())[:4]:
            ui.label(f"{name}: {value:.4g}").classes("small numbers")


def standing(found: Trained) -> str:
    """How far it is, in a sentence."""
    points = counted("{count:,} point", "{count:,} points", found.count).format(count=found.count)
    if found.card:
        return _("finished, {points}").format(points=points)
    ago = max(0.0, time.time() - found.changed)
    duration = f"{ago:.0f} s" if ago < 120 else f"{ago / 60:.0f} min" if ago < 7200 else f"{ago / 3600:.0f} h"
    return _("{points}, the last one {time} ago").format(points=points, time=duration)


class Curves:
    """One visitor looking at one training."""

    def __init__(self, host: Host, found: Trained):
        self.host, self.found, self.client = host, found, here()
        self.charts: dict[str, ui.echart] = {}

    def build(self) -> None:
        headline(self.found.name)
        self.standing = ui.label().classes("lead")
        self.damaged = ui.label().classes("text-negative")
        self.panels = ui.element("div").classes("halves")
        with ui.card().classes("panel") as self.card:
            heading(_("Card"))
            self.text = ui.label().classes("card-text")  # as it stands: what a file says is never taken for a page
        with ui.expansion(_("settings")).classes("w-full small"), ui.element("div").classes("cards"):
            for name, value in self.found.settings.items():
                ui.label(f"{name} = {value}").classes("numbers")
        self.show()
        ui.timer(LOOK, self.look)

    async def look(self) -> None:
        with suppress(Busy, BadInput):  # then what was seen last stays
            latest = await self.host.do(self.client, lambda: self.host.trainings.get(self.found.name))
            if latest is not self.found:
                self.found = latest
                self.show()
        self.standing.set_text(standing(self.found))

    def show(self) -> None:
        trained = self.found
        self.damaged.visible = trained.damaged > 0
        self.damaged.set_text(_("{damaged:,} damaged lines of the curve are left out.").format(damaged=trained.damaged))
        for panel in trained.panels:
            if panel.name not in self.charts:
                with self.panels, ui.card().classes("panel"):
                    heading(panel.name)
                    self.charts[panel.name] = _chart(panel, "height: 240px")
            else:
                self.charts[panel.name].options.update(options(panel))
                self.charts[panel.name].update()
        self.card.visible = bool(trained.card)
        self.text.set_text(trained.card)
        self.standing.set_text(standing(trained))


def _chart(panel: Panel, style: str) -> ui.echart:
    chart = ui.echart(options(panel)).classes("w-full").style(style)
    chart.props.update({"role": "img", "aria-label": _("curve of {name}").format(name=panel.name)})
    return chart


def options(panel: Panel) -> dict[str, Any]:
    """A number as pale points and its moving average as a line."""
    grey, several = {"color": "#888"}, len(panel.values) > 3
    raw, average = (
        [[at, round(value, 6)] for at, value in zip(panel.points, values, strict=True)]
        for values in (panel.values, panel.average)
    )
    pale = {"opacity": 0.4 if several else 1.0}
    lines = [{"type": "line", "name": panel.name, "data": raw, "color": "#30638e", "symbolSize": 4}]
    lines[0] |= {"lineStyle": pale, "itemStyle": pale}
    if several:
        lines.append({"type": "line", "name": _("moving average"), "data": average, "color": "#b5532b"})
        lines[1] |= {"showSymbol": False, "lineStyle": {"width": 2.5}}
    return {
        "animation": False,
        "grid": {"left": 8, "right": 14, "top": 14, "bottom": 8, "containLabel": True},
        "tooltip": {"trigger": "axis"},
        "xAxis": {"type": "value", "min": "dataMin", "max": "dataMax", "axisLabel": grey, "minInterval": 1},
        "yAxis": {"type": "value", "scale": True, "axisLabel": grey},
        "series": lines,
    }
