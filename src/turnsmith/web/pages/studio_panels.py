"""The parts beside the gallery: in which way maps are chosen, the archive as a picture, and all ratings."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import events, ui

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.languages import _, counted, marked
from turnsmith.maps.making.settings import GENOME
from turnsmith.maps.taste.predictors import PREDICTORS
from turnsmith.web.host import Host
from turnsmith.web.pages.frame import file_button, heading, telling
from turnsmith.web.pages.studio_cards import COLOURS, FACES
from turnsmith.web.server.workers import Busy
from turnsmith.web.studio.studio import FEWEST, MOST, Studio

if TYPE_CHECKING:
    from turnsmith.web.pages.studio import Gallery

CHOICES = {
    "thompson": marked("Mixed: good maps, and still something new"),
    "calibrate": marked("Calibrate: the hardest to tell, which teaches most"),
    "play": marked("Just play: those you should like best"),
    "random": marked("Random: any map, to compare with"),
}
MIRRORS = {
    "": marked("none"),
    "columns": marked("left and right alike"),
    "rows": marked("top and bottom alike"),
    "turn": marked("turned by half"),
    "diagonal": marked("mirrored at the diagonal"),
    "quarter": marked("turned by a quarter"),
}
LEARNERS = {
    "gp": marked("Gaussian process (usual)"),
    "density": marked("kernel densities"),
    "spreading": marked("label spreading"),
    "ranking": marked("logistic ranking"),
}
LISTED = 30
"""Ratings that are listed at first, the latest."""
CELLS = 24
"""Of the archive's picture, along each axis."""


async def read_taste(event: events.UploadEventArguments) -> Any:
    """What a file holds that should be a taste."""
    try:
        return json.loads(await event.file.text())
    except (ValueError, RecursionError):
        raise BadInput(_("{name} is no JSON; give a taste as it was saved").format(name=event.file.name)) from None


class WaysPanel:
    """In which way maps are made and chosen."""

    def __init__(self, studio: Studio, gallery: Gallery):
        self.studio, self.gallery = studio, gallery
        self.shown: Any = None
        settings, describer = studio.maker.settings, studio.maker.describer
        mirrors = {key: _(words) for key, words in MIRRORS.items() if key in ["", *describer.symmetries]}
        with ui.card().classes("panel"):
            heading(_("What to show"))
            self.choice = ui.radio(
                {key: _(words) for key, words in CHOICES.items()}, value=settings.choice, on_change=self.set_choice
            ).props("dense")
            self.dared = ui.label().classes("small")
            self.exploration = ui.slider(min=0, max=3, step=0.1, value=min(3.0, settings.exploration))
            self.exploration.on("change", self.set_exploration).props.update({"aria-label": _("how much is dared")})
            self.symmetry = ui.select(
                mirrors, value=settings.symmetry, label=_("symmetry"), on_change=self.set_symmetry
            )
            self.symmetry.classes("w-full").props("outlined dense")
            with ui.row().classes("items-center gap-1 w-full"):
                self.locks = ui.label().classes("small")
                self.free = ui.button(_("Set free"), on_click=lambda: self.change(locked=())).props(
                    "flat dense no-caps"
                )
            with ui.expansion(_("more")).props("dense").classes("w-full"), ui.column().classes("w-full gap-2"):
                learners = {name: _(LEARNERS.get(name, name.replace("-", " "))) for name in PREDICTORS}
                self.predictor = ui.select(learners, value=settings.predictor, label=_("how taste is learned"))
                self.predictor.on_value_change(lambda event: self.change(predictor=event.value))
                names = list(describer.measure_names)
                apart = [] if settings.behaviour == GENOME else settings.behaviour.split(",")
                labels = {name: _(name.replace("_", " ")) for name in names}
                self.behaviour = ui.select(labels, value=apart, multiple=True, label=_("kinds of maps differ by"))
                self.behaviour.on("popup-hide", self.set_behaviour)
                self.behaviour.props.update(hint=_("Two to six measures; none: by the map itself."))
                for box in (self.predictor, self.behaviour):
                    box.classes("w-full").props("outlined dense bottom-slots")
                self.number = ui.select(list(range(FEWEST, MOST + 1)), value=studio.count, label=_("maps at once"))
                self.number.classes("w-full").props("outlined dense")
                self.number.on_value_change(lambda event: gallery.act(lambda: studio.show_others(int(event.value))))
        self.show()

    async def change(self, **settings: Any) -> None:
        await self.gallery.act(lambda: self.studio.change(**settings))
        self.shown = None  # what could not be done is shown as it was
        self.show()

    async def set_choice(self) -> None:
        await self.change(choice=self.choice.value)

    async def set_exploration(self) -> None:
        await self.change(exploration=float(self.exploration.value))

    async def set_symmetry(self) -> None:
        await self.change(symmetry=self.symmetry.value)

    async def set_behaviour(self) -> None:
        await self.change(behaviour=",".join(self.behaviour.value or ()) or GENOME)

    def show(self) -> None:
        """What holds now, whoever set it."""
        settings = self.studio.maker.settings
        if self.shown == settings:
            return
        self.shown = settings
        locked = len(self.studio.cells_of(settings.locked))
        self.choice.set_value(settings.choice)
        self.symmetry.set_value(settings.symmetry)
        self.predictor.set_value(settings.predictor)
        words = {0.0: _("surest maps only"), 1.0: _("usual")}.get(settings.exploration, "")
        dared = _("How much is dared: {exploration:.1f}").format(exploration=settings.exploration)
        self.dared.set_text(f"{dared} ({words})" if words else dared)
        self.exploration.set_value(min(3.0, settings.exploration))
        self.locks.set_text(
            counted("{locked} cell is locked.", "{locked} cells are locked.", locked).format(locked=locked)
            if locked
            else _("No cell is locked: open a map to lock some.")
        )
        self.free.visible = locked > 0


class ArchivePanel:
    """All kinds of maps that were found, by two measures."""

    def __init__(self, host: Host, studio: Studio, gallery: Gallery):
        self.host, self.studio, self.gallery = host, studio, gallery
        self.genes: Array = np.zeros((0, 0))
        self.drawn: Any = None
        names = {name: _(name.replace("_", " ")) for name in studio.maker.describer.measure_names}
        first = [*gallery.scales.usual, *names]
        with ui.card().classes("panel"):
            heading(_("All kinds of maps"))
            with ui.row().classes("w-full no-wrap gap-2"):
                self.axes = [
                    ui.select(names, value=first[place], label=label, on_change=self.redraw)
                    .classes("grow")
                    .style("min-width: 0; flex: 1 1 0")
                    .props("outlined dense options-dense")
                    for label, place in ((_("across"), 0), (_("up"), -1 if len(first) < 4 else 3))
                ]
            self.plot = ui.echart(self.options([], [], []), on_point_click=self.point)
            self.plot.classes("w-full").style("height: 250px")
            self.plot.props.update({"role": "img", "aria-label": _("the archive of maps")})
            self.count = ui.label().classes("small")

    async def redraw(self) -> None:
        self.drawn = None
        await self.show()

    async def show(self) -> None:
        """Draw the archive if it has changed."""
        maker, names = self.studio.maker, [str(box.value) for box in self.axes]
        state = (maker.bred, maker.asked, len(maker.taste.ratings), tuple(self.studio.gallery), *names)
        if state == self.drawn or len(set(names)) < 2 or self.studio.turn.locked():
            return
        self.drawn = state

        def work() -> tuple[Any, int]:
            return maker.archive(names, CELLS), len(maker.elites.filled)

        try:
            async with self.studio.turn:
                archive, kinds = await self.host.do(self.gallery.client, work)
        except (BadInput, Busy, ValueError):  # the next look draws it
            self.drawn = None
            return
        self.genes = archive.genes
        spots = np.column_stack([archive.measures, archive.fitness, np.arange(len(archive.genes))]).round(4).tolist()
        shown = [number for number in self.studio.gallery if number is not None]
        rings = [[*(maker.shown[number].measures[name] for name in names), number] for number in shown]
        self.plot.options.clear()
        self.plot.options.update(self.options(names, spots, rings))
        self.plot.update()
        self.count.set_text(
            _(
                "{kinds:,} kinds; the greener, the more they should be liked. Rings are shown now; click to see one."
            ).format(kinds=kinds)
        )

    def options(self, names: list[str], spots: list[Any], rings: list[Any]) -> dict[str, Any]:
        grey = {"color": "#888"}
        axes = [
            {
                "type": "value",
                "scale": True,
                "axisLabel": grey,
                "name": _(name.replace("_", " ")),
                "nameLocation": "middle",
            }
            | {"nameGap": gap, "nameTextStyle": grey, "splitNumber": 4}
            for name, gap in zip(names or ["", ""], (24, 34), strict=True)
        ]
        stored = {"type": "scatter", "name": _("archive"), "data": spots, "symbolSize": 9}
        now = {"type": "scatter", "name": _("shown"), "data": rings, "symbolSize": 15, "symbol": "circle"}
        now["itemStyle"] = {"color": "transparent", "borderColor": "#b5532b", "borderWidth": 2.5}
        colours = {"color": ["#b5532b", "#c7a653", "#3a9d5d"], "opacity": [0.35, 1.0]}
        return {
            "animation": False,
            "grid": {"left": 46, "right": 12, "top": 10, "bottom": 40},
            "xAxis": axes[0],
            "yAxis": axes[1],
            "visualMap": {"show": False, "min": 0, "max": 1, "dimension": 2, "seriesIndex": 0, "inRange": colours},
            "series": [stored, now],
        }

    async def point(self, event: events.EChartPointClickEventArguments) -> None:
        """Open the map that was clicked."""
        clicked: Any = event.data
        with telling():
            if event.series_index == 1:
                await self.gallery.sheet.open(int(clicked[2]))
                return
            place = int(clicked[3])
            if place < len(self.genes):
                genes = self.genes[place]
                proposal = await self.host.in_studio(self.gallery.client, self.studio, lambda: self.studio.show(genes))
                await self.gallery.sheet.open(proposal.number)


class RatingsPanel:
    """What was rated, to be changed and removed; and the taste as a file."""

    def __init__(self, studio: Studio, gallery: Gallery):
        self.studio, self.gallery = studio, gallery
        self.listed = LISTED
        self.drawn: Any = None
        with ui.card().classes("panel"):
            self.head = heading()
            self.rows = ui.element("div").classes("rated")
            self.more = ui.button(_("Show more"), on_click=self.unfold).props("flat dense no-caps")
            with ui.row().classes("gap-1"):
                place = f"/api/studios/{studio.name}/taste"
                ui.button(_("Save taste"), icon="download", on_click=lambda: ui.download.from_url(place)).props(
                    "flat dense no-caps"
                )
            with ui.expansion(_("join with another's taste")).props("dense").classes("w-full small"):
                self.weight = ui.number(_("how much it counts"), value=1.0, min=0.01, max=1000, step=0.1)
                self.weight.classes("w-full").props("outlined dense")
                file_button(_("Taste (JSON)"), self.merge)

    def unfold(self) -> None:
        self.listed += LISTED
        self.show()

    async def merge(self, event: events.UploadEventArguments) -> None:
        with telling():
            document, weight = await read_taste(event), float(self.weight.value or 1.0)
            if await self.gallery.act(lambda: self.studio.merge(document, weight)):
                ui.notify(_("{name} counts too now").format(name=event.file.name))

    def show(self) -> None:
        ratings = self.studio.maker.taste.ratings
        state = (self.listed, [(rating.rating, id(rating.map)) for rating in ratings])
        if state == self.drawn:
            return
        self.drawn = state
        self.head.set_text(_("{ratings} rated").format(ratings=len(ratings)) if ratings else _("Nothing rated yet"))
        self.more.visible = len(ratings) > self.listed
        self.rows.clear()
        with self.rows:
            for number in range(len(ratings) - 1, max(-1, len(ratings) - 1 - self.listed), -1):
                self.row(number, ratings[number].rating, ratings[number].by)

    def row(self, number: int, rating: float, by: str) -> None:
        place = f"/api/studios/{self.studio.name}/ratings/{number}/picture?{id(self.drawn)}"
        label = _("rated map {number}").format(number=number)
        with ui.element("div").classes("rated-row"):
            ui.html(f'<img class="thumb" src="{place}" alt="{html.escape(label)}" loading="lazy">', sanitize=False)
            with ui.element("div").classes("faces"):
                for value, (icon, words) in FACES.items():
                    chosen = round(rating) == value
                    button = ui.button(icon=icon, color=COLOURS[value] if chosen else "grey-5")
                    button.on_click(lambda value=value: self.rate(number, value))
                    button.props("dense size=sm " + ("unelevated" if chosen else "flat"))
                    button.props.update(
                        {
                            "aria-label": _("rating {number}: {words}").format(number=number, words=_(words)),
                            "aria-pressed": str(chosen).lower(),
                        }
                    )
            button = ui.button(icon="delete", on_click=lambda: self.remove(number)).props("flat round dense size=sm")
            button.props.update({"aria-label": _("remove rating {number}").format(number=number)})
            if by != "player":
                ui.label(by[:12]).classes("small")

    async def rate(self, number: int, rating: float) -> None:
        await self.gallery.act(lambda: self.studio.change_rating(number, rating))

    async def remove(self, number: int) -> None:
        await self.gallery.act(lambda: self.studio.remove_rating(number))
