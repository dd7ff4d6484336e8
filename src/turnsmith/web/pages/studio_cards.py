"""A map on a card: its picture, what is measured of it, and five faces to say what one thinks of it."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from nicegui import ui

from turnsmith.contract.outcome import COST, SCORE
from turnsmith.languages import _, marked
from turnsmith.maps.making.maker import Maker, Proposal
from turnsmith.maps.making.playing import is_unbalanced
from turnsmith.web.studio.studio import Studio

if TYPE_CHECKING:
    from turnsmith.web.pages.studio import Gallery

FACES = {
    -2: ("sentiment_very_dissatisfied", marked("dislike very much")),
    -1: ("sentiment_dissatisfied", marked("dislike")),
    0: ("sentiment_neutral", marked("neither like nor dislike")),
    1: ("sentiment_satisfied", marked("like")),
    2: ("sentiment_very_satisfied", marked("like very much")),
}
"""Ratings: their picture, and their words."""
COLOURS = {-2: "negative", -1: "accent", 0: "grey", 1: "teal", 2: "positive"}
KEYS = {str(key): rating for key, rating in enumerate(FACES, start=1)}
MEASURES = (
    *(marked("cover density"), marked("centre density"), marked("mean level"), marked("centre level")),
    *(marked("alike neighbours"), marked("symmetry"), marked("symmetry columns"), marked("symmetry rows")),
    *(marked("symmetry turn"), marked("symmetry diagonal"), marked("symmetry quarter"), marked("share water")),
    *(marked("share filled"), marked("share none"), marked("share short"), marked("share long"), marked("share wall")),
    *(marked("share dot"), marked("share floor"), marked("length"), marked("seat advantage")),
)
"""What is measured of maps of the games that come with turnsmith, as people read it."""
FIRST = ("cover_density", "centre_density", "alike_neighbours", "symmetry")
"""Measures on the cards, unless a game has others."""
UNFAIR = 0.1
"""The share of the range of returns from which on a seat's advantage is warned of, where games leave no doubt."""
BARS, LITTLE = 4, 0.05
"""How many, and by how much maps must differ in them."""


@dataclass(frozen=True)
class Scales:
    """Between which numbers maps usually lie, by measure.

    Bars begin at 0, and measures that are shares all end at 1: of two of them the greater has the longer bar.
    """

    ends: dict[str, tuple[float, float]]

    @staticmethod
    def of(studio: Studio) -> Scales:
        """From maps drawn at random. To be called in a worker."""
        describer = studio.maker.describer
        measured = describer.measures(describer.sample)
        low, high = np.quantile(measured, (0.01, 0.99), axis=0)
        return Scales(dict(zip(describer.measure_names, zip(low.tolist(), high.tolist(), strict=True), strict=True)))

    @property
    def usual(self) -> list[str]:
        """The measures that the cards show: those in which maps differ go first."""
        differs = {name: high - low >= LITTLE for name, (low, high) in self.ends.items()}
        ordered = sorted(self.ends, key=lambda name: (not differs[name], name not in FIRST))
        return ordered[:BARS]

    def share(self, name: str, value: float) -> float:
        """How long a bar is."""
        low, high = self.span(name)
        return min(1.0, max(0.0, (value - low) / (high - low)))

    def span(self, name: str) -> tuple[float, float]:
        """What a bar begins and ends with."""
        low, high = self.ends.get(name, (0.0, 1.0))
        return min(0.0, low), max(1.0, high)


def bars_html(proposal: Proposal, scales: Scales, names: list[str]) -> str:
    """A bar for every measure, and its number."""
    parts = []
    for name in names:
        value = proposal.measures[name]
        low, high = scales.span(name)
        ends = html.escape(_("from {low:.3g} to {high:.3g}").format(low=low, high=high))
        width = f"width: {100 * scales.share(name, value):.0f}%"
        bar = f'<span class="bar" title="{ends}"><span style="{width}"></span></span>'
        label = html.escape(_(name.replace("_", " ")))
        parts.append(f'<span class="name">{label}</span>{bar}<span class="numbers">{value:.2f}</span>')
    return f'<div class="bars">{"".join(parts)}</div>'


def knows_taste(maker: Maker) -> bool:
    """Whether anything was rated from which the predictor learns."""
    return bool(maker.taste.ratings) and not maker.untaught


def liking_html(proposal: Proposal, is_known: bool) -> str:
    """How well a map should be liked, once something has been rated."""
    if not is_known:
        return ""
    width = min(100.0, 50 * abs(proposal.liking))
    kind = ' class="less"' if proposal.liking < 0 else ""
    bar = f'<span class="bar liking"><span{kind} style="width: {width:.0f}%"></span></span>'
    return f'<div class="bars"><span class="name">{html.escape(_("expected"))}</span>{bar}<span class="numbers">{proposal.said_liking()}</span></div>'  # noqa: E501


def compares(maker: Maker) -> bool:
    """Whether what the seats of a game get can be compared: nobody wins where they play for scores of their own."""
    return maker.game.winner not in (SCORE, COST)


def picture_of(studio: Studio, number: int) -> str:
    """Where the picture of a map is."""
    return f"/api/studios/{studio.name}/maps/{number}/picture"


def faces(gallery: Gallery, number: int) -> None:
    """Five buttons, the worst first."""
    with ui.element("div").classes("faces"):
        for rating, (icon, words) in FACES.items():
            button = ui.button(
                icon=icon, on_click=lambda rating=rating: gallery.rate(number, rating), color=COLOURS[rating]
            )
            button.props("flat dense").props.update(
                {"aria-label": _("map {number}: {words}").format(number=number, words=_(words))}
            )


class Card:
    """One place of the gallery."""

    def __init__(self, gallery: Gallery, place: int, is_final: bool = False):
        self.gallery, self.place, self.is_final = gallery, place, is_final
        self.number: int | None = -1
        self.root = ui.card().classes("map")

    def show(self, number: int | None) -> None:
        """Show a map, or that one is being made."""
        if number == self.number:
            self.renew()
            return
        self.number = number
        self.root.clear()
        with self.root:
            if number is None:
                with ui.element("div").classes("map-waits"):
                    ui.spinner(size="2.2em")
                ui.label(_("the next map is being made")).classes("small")
            else:
                self.draw(self.gallery.studio.opinion(number))

    def draw(self, proposal: Proposal) -> None:
        gallery, number = self.gallery, proposal.number
        source, label = picture_of(gallery.studio, number), html.escape(_("map {number}").format(number=number))
        with ui.element("button").classes("map-open").on("click", lambda: self.open(number)) as button:
            button.props.update(
                {"aria-label": _("map {number}: more about it").format(number=number), "type": "button"}
            )
            ui.html(
                f'<img class="map-picture" src="{source}" alt="{label}">',
                sanitize=False,
            )
        self.liking = ui.html("", sanitize=False).classes("w-full")
        self.renew()
        ui.html(bars_html(proposal, gallery.scales, gallery.scales.usual), sanitize=False).classes("w-full")
        faces(gallery, number)
        with ui.row().classes("w-full justify-between items-center gap-0 no-wrap"):
            ui.label(_("map {number}").format(number=number)).classes("small numbers")
            if is_unbalanced(proposal.measures, UNFAIR) and compares(gallery.studio.maker):
                ui.label(_("⚠ not fair")).classes("small warns")
            with ui.row().classes("gap-0 no-wrap"):
                self.small(
                    "play_arrow", _("play map {number}").format(number=number), lambda: gallery.sheet.play(number)
                )
                self.small(
                    "visibility", _("watch map {number}").format(number=number), lambda: gallery.sheet.watch(number)
                )
                self.small(
                    "more_horiz",
                    _("why map {number}, save it, lock cells").format(number=number),
                    lambda: self.open(number),
                )
                if not self.is_final:
                    self.small("skip_next", _("skip map {number}").format(number=number), lambda: gallery.skip(number))

    def renew(self) -> None:
        """How well it should be liked by now."""
        if self.number is not None:
            studio = self.gallery.studio
            self.liking.set_content(liking_html(studio.opinion(self.number), knows_taste(studio.maker)))

    async def open(self, number: int) -> None:
        if not self.is_final:
            self.gallery.select(self.place)
        await self.gallery.sheet.open(number)

    def small(self, icon: str, label: str, act: object) -> None:
        button = ui.button(icon=icon, on_click=act).props("flat round dense size=sm")  # type: ignore[arg-type]
        button.props.update({"aria-label": label})
        with button:
            ui.tooltip(label)
