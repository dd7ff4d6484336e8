"""Boards of cells for people, drawn once for all games that have one: names of cells, text for a terminal, SVG.

A game says what stands where and what can be clicked; cells are (x, y), x from the left, y from the top.

>>> cell_name(2, 0), cell_name(2, 0, rows=8)
('c1', 'c8')
>>> print(board_text(3, 2, {(0, 0): "X"}))
  a b c
1 X · ·
2 · · ·
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

COLUMNS = "abcdefghijklmnopqrstuvwxyz"
Cell = tuple[int, int]
SEAT_COLORS = (
    *("#30638e", "#d1495b", "#00798c", "#8f5a99", "#b5532b"),
    *("#3d7a3d", "#6b6b6b", "#b0812b", "#7a3b69", "#4a6fa5"),
)
"""Of the seats of a game that has no colours of its own."""
SIZE, EDGE = 50, 24
"""Of a cell, and of the margin with the names of rows and columns."""
_INK, _NAMES = "#333333", "#555555"


def cell_name(x: int, y: int, rows: int = 0) -> str:
    """a1 at the top left; with the number of `rows`, at the bottom left."""
    return f"{COLUMNS[x]}{rows - y if rows else y + 1}"


def board_text(
    width: int, height: int, signs: Mapping[Cell, str], rows: int = 0, slant: int = 0, empty: str = "[dim]·[/]"
) -> str:
    """For a terminal: a sign a cell, rows numbered as ``cell_name`` does, each `slant` further to the right."""
    empty = empty if any("[/]" in sign for sign in signs.values()) else "·"
    wide = len(str(height))
    lines = [" " * (wide + 1) + " ".join(COLUMNS[:width])]
    for y in range(height):
        number = cell_name(0, y, rows)[1:]
        cells = " ".join(signs.get((x, y), empty) for x in range(width))
        lines.append(" " * (slant * y) + f"{number:>{wide}} {cells}")
    return "\n".join(lines)


def svg(width: float, height: float, parts: Iterable[str], background: str = "") -> str:
    """A picture of these parts; texts in it stand in the middle of where they are put."""
    ground = f'<rect width="{width:g}" height="{height:g}" rx="10" fill="{background}"/>' if background else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" '
        f'font-size="15" text-anchor="middle">{ground}{"".join(parts)}</svg>'
    )


def label(x: float, y: float, said: object, fill: str = _INK, **more: object) -> str:
    """A text; `more` are further attributes, such as ``font_size=32``."""
    rest = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
    return f'<text x="{x:g}" y="{y:g}" fill="{fill}"{rest}>{said}</text>'


def disc(x: float, y: float, radius: float, fill: str, key: str = "", rim: str = "#22262b") -> str:
    """A stone, man or counter; one with a `key` glides when it moves."""
    known = f' data-key="{key}"' if key else ""
    return f'<circle{known} cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{rim}" stroke-width="2"/>'


def clickable(word: str, inner: str) -> str:
    """Parts of a picture that stand for a piece of a move."""
    return f'<g data-word="{word}" style="cursor:pointer">{inner}</g>'


def buttons(words: Iterable[str], left: float, top: float, wide: float = 100) -> str:
    """A row of buttons, one a word."""
    made = []
    for place, word in enumerate(words):
        x = left + place * (wide + 8)
        plate = f'<rect x="{x:g}" y="{top:g}" width="{wide:g}" height="32" rx="6" fill="#3d5a3d"/>'
        made.append(clickable(word, plate + label(x + wide / 2, top + 21, word, "#ffffff")))
    return "".join(made)


def board_svg(
    width: int,
    height: int,
    stones: Mapping[Cell, str],
    words: Mapping[Cell, str],
    rows: int = 0,
    kind: Literal["squares", "lines", "hexes"] = "squares",
    grounds: Mapping[Cell, str] | None = None,
    said: str = "",
    pressed: Iterable[str] = (),
) -> str:
    """The whole board.

    stones: the colour of what stands on a cell; words: the piece of a move that a click on a cell means; rows: as for
    ``cell_name``; kind: cells are squares, the crossings of lines, or hexes in rows that each begin half a cell further
    right; grounds: the colours of cells that have another than the usual; said: a line below the board; pressed: the
    words of buttons there.
    """
    slant, high = (SIZE / 2, SIZE * 0.866) if kind == "hexes" else (0.0, float(SIZE))
    wide, tall = EDGE + width * SIZE + slant * (height - 1) + 6, EDGE + height * high + (14 if kind == "hexes" else 6)
    ground = {"squares": "#e9d8b4", "lines": "#e3c078", "hexes": "#f3ead8"}[kind]
    out, lids, pressed = [], [], list(pressed)

    def middle(x: int, y: int) -> tuple[float, float]:
        return EDGE + SIZE * (x + 0.5) + slant * y, EDGE + high * (y + 0.5) + (5 if kind == "hexes" else 0)

    for x in range(width):
        out.append(label(middle(x, 0)[0], 16, COLUMNS[x], _NAMES))
    for y in range(height):
        out.append(label(middle(0, y)[0] - SIZE / 2 - 11, middle(0, y)[1] + 5, cell_name(0, y, rows)[1:], _NAMES))
    for y in range(height):
        for x in range(width):
            (a, b), fill = middle(x, y), (grounds or {}).get((x, y), ground)
            if kind == "hexes":
                corners = [(0, -28.5), (25, -14.3), (25, 14.3), (0, 28.5), (-25, 14.3), (-25, -14.3)]
                points = " ".join(f"{a + dx:g},{b + dy:g}" for dx, dy in corners)
                shape = f'<polygon points="{points}"'
            else:
                shape = f'<rect x="{a - SIZE / 2:g}" y="{b - SIZE / 2:g}" width="{SIZE}" height="{SIZE}"'
            edge = "" if kind == "lines" else ' stroke="#a08c66" stroke-width="1.5"'
            out.append(f'{shape} fill="{fill}"{edge}/>')
            if (x, y) in words:
                lids.append(clickable(words[x, y], f'{shape} fill="#ffffff" fill-opacity="0"/>'))
    if kind == "lines":
        (left, top), (right, bottom) = middle(0, 0), middle(width - 1, height - 1)
        across = [f"M{left:g} {middle(0, y)[1]:g}H{right:g}" for y in range(height)]
        down = [f"M{middle(x, 0)[0]:g} {top:g}V{bottom:g}" for x in range(width)]
        out.append(f'<path d="{"".join(across + down)}" stroke="#6b5426" stroke-width="1.5" fill="none"/>')
    for (x, y), colour in stones.items():
        out.append(disc(*middle(x, y), 19 if kind != "lines" else 23, colour, f"stone {x} {y}"))
    out += lids
    if said:
        out.append(label(EDGE, tall + 20, said, text_anchor="start"))
    if pressed:
        out.append(buttons(pressed, wide - 108 * len(pressed), tall))
    return svg(wide, tall + (36 if said or pressed else 0), out)
