"""A photograph of a real board: read, put right by the person where it was misread, and gone on with by hand."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence

import numpy as np
from fastapi import Response
from nicegui import events, ui

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.contract import photo
from turnsmith.languages import _
from turnsmith.maps.raster import encode
from turnsmith.play.position import Position
from turnsmith.web.host import Host
from turnsmith.web.match.live_match import PERSON
from turnsmith.web.pages.frame import frame, heading, headline, here, is_there, page, sorry, status, telling
from turnsmith.web.pages.home import title_of
from turnsmith.web.pages.setup import link
from turnsmith.web.server.bounds import NotFound, stand
from turnsmith.web.server.offered import offered

SENT = """async (event) => {
  const file = event.target.files[0];
  if (!file) return;
  try {
    const seen = await createImageBitmap(file);
    const shrunk = Math.min(1, %d / Math.max(seen.width, seen.height));
    const [width, height] = [seen.width, seen.height].map((side) => Math.max(%d, Math.round(side * shrunk)));
    const canvas = Object.assign(document.createElement("canvas"), {width, height});
    const brush = canvas.getContext("2d");
    brush.drawImage(seen, 0, 0, width, height);
    const data = brush.getImageData(0, 0, width, height).data;
    let bytes = "";
    for (let at = 0; at < data.length; at += 4) bytes += String.fromCharCode(data[at], data[at + 1], data[at + 2]);
    emit({width, height, pixels: btoa(bytes)});
  } catch (error) {
    emit({error: String(error)});
  }
}"""
"""The browser opens whatever it can show, a telephone's own formats too, and sends bare pixels: no picture file of a
stranger is opened by the server."""
TAPPED = """(event) => {
  const box = event.currentTarget.querySelector("img").getBoundingClientRect();
  emit([(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height]);
}"""
CORNERS = 4
SURE = 0.9
"""Cells that are less sure are marked."""


def add(host: Host) -> None:
    @page("/photo/{name}")
    async def read(name: str) -> Response | None:
        how = photo.photo_of(name) if name in offered() else None
        if how is None:
            return sorry(NotFound(_("no game '{name}' is read from pictures here").format(name=name[:40])))
        with frame(title_of(name)):
            if await is_there():
                PhotoPage(host, name, how).build()
        return None


class PhotoPage:
    """The page of one photo: the picture, the reading, and the corrections of the visitor."""

    def __init__(self, host: Host, name: str, how: photo.Photo):
        self.host, self.name, self.how, self.client = host, name, how, here()
        self.picture: Array | None = None
        self.sheet: photo.Sheet | None = None
        self.choices: list[list[int]] = []
        self.taps: list[tuple[float, float]] | None = None
        """Corners that were shown so far, while they are asked for."""
        self.samples = 0

    def build(self) -> None:
        headline(_("{game} from a photograph").format(game=title_of(self.name)))
        ui.label(_(self.how.about)).classes("lead")
        with ui.element("div").classes("halves"):
            with ui.card().classes("panel"):
                with ui.row().classes("gap-2 items-center"):
                    asked = html.escape(_("Take or choose a picture"))
                    ui.html(f'<label for="photograph">{asked}</label>', sanitize=False)
                    chosen = ui.element("input").props('id=photograph type=file accept="image/*" capture=environment')
                    sides = photo.LARGEST, photo.SMALLEST
                    chosen.on("change", self.arrived, js_handler=SENT % sides)
                    ui.button(_("Try a sample"), icon="casino", on_click=self.try_sample).props("flat no-caps")
                self.mark = ui.button(_("Tap the four corners"), icon="crop_free", on_click=self.ask_corners)
                self.mark.props("flat no-caps").visible = False
                self.shown = ui.html(sanitize=False).classes("w-full photograph")
                self.shown.on("click", self.tapped, js_handler=TAPPED)
                self.caption = ui.label().classes("small")
            with ui.card().classes("panel"):
                heading(_("What is on it"))
                self.hint = ui.label(_("Nothing yet.")).classes("small")
                self.table = ui.column().classes("gap-1 w-full")
                self.advice = status()
                self.go = ui.button(_("Go on from here"), icon="play_arrow", on_click=self.begin)
                self.go.props("unelevated no-caps").disable()

    async def arrived(self, event: events.GenericEventArguments) -> None:
        with telling():
            if isinstance(event.args, dict) and "error" in event.args:
                raise BadInput(_("this browser cannot open that file as a picture; choose a photograph"))
            await self.look(photo.picture_in(event.args))

    async def try_sample(self) -> None:
        with telling():
            self.samples += 1
            await self.look(await self.host.do(self.client, lambda: self.how.sample(self.samples)))

    def ask_corners(self) -> None:
        """Let the visitor show where the board is."""
        self.taps = []
        self.caption.set_text(_("Tap the four corners of the board, in any order."))
        self.show_picture()

    async def tapped(self, event: events.GenericEventArguments) -> None:
        """A corner, as shares of the picture; with the fourth the board is cut out and read again."""
        picture, taps = self.picture, self.taps
        if picture is None or taps is None:
            return
        x, y = (min(1.0, max(0.0, float(share))) for share in event.args[:2])
        taps.append((x, y))
        self.show_picture()
        if len(taps) == CORNERS:
            with telling():
                await self.look(await self.host.do(self.client, lambda: self.how.cut(picture, around(taps))))

    async def look(self, picture: Array) -> None:
        self.hint.set_text(_("Reading …"))
        self.picture, self.taps = picture, None
        self.caption.set_text("")
        self.sheet = await self.host.do(self.client, lambda: self.how.read(picture))
        self.choices = [[cell.best for cell in row] for row in self.sheet.rows]
        self.mark.visible = True
        if self.sheet.is_found:
            self.show_picture()
            await self.show()
            return
        self.table.clear()
        self.advice.set_text("")
        self.go.disable()
        self.hint.set_text(_("The board was not found in this picture. Tap its four corners, or take another picture."))
        self.ask_corners()

    def show_picture(self, heat: Array | None = None) -> None:
        """The picture with the board's edge, and where it mattered, if that was asked for."""
        assert self.picture is not None
        assert self.sheet is not None
        points = " ".join(f"{100 * x:.1f},{100 * y:.1f}" for x, y in self.sheet.corners)
        edge = f'<polygon points="{points}" fill="none" stroke="#ff2d00" stroke-width="0.8"/>'
        if self.taps is not None:  # what was found is not what is asked for
            edge = "".join(
                f'<circle cx="{100 * x:.1f}" cy="{100 * y:.1f}" r="2" fill="#ff2d00"/>' for x, y in self.taps
            )
        warm = ""
        if heat is not None:
            tall, wide = heat.shape
            for row in range(0, tall, 4):
                for column in range(0, wide, 4):
                    if heat[row, column] > 0.05:
                        warm += (
                            f'<rect x="{100 * column / wide:.1f}" y="{100 * row / tall:.1f}" width="{400 / wide:.1f}" '
                            f'height="{400 / tall:.1f}" fill="#ff2d00" fill-opacity="{0.6 * heat[row, column]:.2f}"/>'
                        )
        image, sides = base64.b64encode(encode(self.picture)).decode(), "/".join(map(str, self.picture.shape[1::-1]))
        self.shown.set_content(
            '<div style="position:relative;display:inline-block;max-width:100%">'
            f'<img alt="{html.escape(_("the picture"))}" '
            f'style="display:block;height:60vh;max-width:100%;aspect-ratio:{sides};image-rendering:pixelated" '
            f'src="data:image/png;base64,{image}"/>'
            '<svg viewBox="0 0 100 100" preserveAspectRatio="none" '
            'style="position:absolute;inset:0;width:100%;height:100%">'
            f"{warm}{edge}</svg></div>"
        )

    async def show(self) -> None:
        """Every cell with how sure it is; a click puts the next in its place."""
        assert self.sheet is not None
        doubtful = 0
        self.table.clear()
        with self.table:
            for number, (row, chosen) in enumerate(zip(self.sheet.rows, self.choices, strict=True)):
                with ui.row().classes("gap-1 items-center no-wrap"):
                    ui.label(str(number + 1)).classes("small w-5")
                    for place, cell in enumerate(row):
                        doubtful += cell.best == chosen[place] and cell.chances[cell.best] < SURE
                        self.show_cell(number, place, cell, chosen[place])
        text = _("All of it is read with confidence; click what is wrong nevertheless.")
        if doubtful:
            text = _("{doubtful} of what was read is unsure and framed; click what is wrong.").format(doubtful=doubtful)
        self.hint.set_text(text)
        try:
            sheet, choices = self.sheet, self.choices
            text = await self.host.do(self.client, lambda: self.how.advice(sheet, choices))
            self.advice.set_text(text[:1].upper() + text[1:])
            self.go.enable()
        except BadInput as error:
            self.advice.set_text(str(error))
            self.go.disable()

    def show_cell(self, row: int, place: int, cell: photo.Cell, choice: int) -> None:
        own = choice != cell.best
        sure = _("yours") if own else f"{cell.chances[choice]:.0%}"
        button = ui.button(_(cell.choices[choice]), on_click=lambda: self.turn(row, place))
        button.props("dense unelevated no-caps").classes("cell")
        button.props.update({"aria-label": f"{_(cell.name)}: {_(cell.choices[choice])}, {sure}"})
        frame = "outline:3px solid #b3261e" if not own and cell.chances[choice] < SURE else ""
        if cell.colours:
            ink = "#ffffff" if is_dark(cell.colours[choice]) else "#111111"
            button.style(f"background:{cell.colours[choice]} !important;color:{ink} !important;{frame}")
        else:
            button.style(f"{frame}")
        button.on("mouseenter", lambda: self.caption.set_text(f"{_(cell.name)}: {sure}"))
        button.on("contextmenu.prevent", lambda: self.explain(row, place))
        with button:
            ui.label(sure).classes("sure")
            ui.tooltip(_("{name}, {sure}; right click: what it was read from").format(name=_(cell.name), sure=sure))

    async def turn(self, row: int, place: int) -> None:
        """The next choice of a cell."""
        assert self.sheet is not None
        self.choices[row][place] = (self.choices[row][place] + 1) % len(self.sheet.rows[row][place].choices)
        with telling():
            await self.show()

    async def explain(self, row: int, place: int) -> None:
        """Show what of the picture decided how a cell was read."""
        assert self.sheet is not None
        with telling():
            picture = self.picture
            assert picture is not None
            heat = await self.host.do(self.client, lambda: self.how.heat(picture, row, place))
            self.show_picture(heat)
            self.caption.set_text(_("Red: what {name} was read from").format(name=_(self.sheet.rows[row][place].name)))

    async def begin(self) -> None:
        """A match by hand in which all of this has happened."""
        with telling():
            assert self.sheet is not None
            sheet, choices = self.sheet, photo.checked_choices(self.sheet, self.choices)
            moves = await self.host.do(self.client, lambda: self.how.moves(sheet, choices))
            actions, seats = await self.host.do(self.client, lambda: played(self.how.game, moves))
            match = await self.host.create(self.client, self.how.game, [PERSON] * seats, by_hand=True, actions=actions)
            ui.navigate.to(link(match))


def around(taps: Sequence[tuple[float, float]]) -> Array:
    """float64[4, 2]: four corners, the left upper one first, then clockwise.

    >>> around([(0.9, 0.1), (0.1, 0.9), (0.1, 0.2), (0.8, 0.8)]).tolist()
    [[0.1, 0.2], [0.9, 0.1], [0.8, 0.8], [0.1, 0.9]]
    """
    down = sorted(taps, key=lambda at: at[1])
    return np.array([*sorted(down[:2]), *sorted(down[2:], reverse=True)])


def is_dark(colour: str) -> bool:
    """Whether white is easier to read than black on a colour, #rrggbb.

    >>> is_dark("#5c3c21"), is_dark("#f0e442")
    (True, False)
    """
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return bool(0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 < 0.18)


def played(game: str, moves: list[str]) -> tuple[list[int], int]:
    """Moves in words as numbers, and how many sit at the board; refused where one cannot be."""
    position: Position = stand(game, [])
    for words in moves:
        position.push(words)
    return list(position.history), int(position.boards[0].seats)
