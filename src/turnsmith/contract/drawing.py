"""Boards and cards for people, drawn once for all games that have some: names of cells, text for a terminal, SVG.

A game says what stands where and what its moves are; cells are (x, y), x from the left, y from the top.

>>> cell_name(2, 0), cell_name(2, 0, rows=8)
('c1', 'c8')
>>> print(board_text(3, 2, stones([[0], [5]], "XO", width=3)))
  a b c
1 X · ·
2 · · O
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from turnsmith.languages import _

COLUMNS = "abcdefghijklmnopqrstuvwxyz"
Cell = tuple[int, int]
SEAT_COLORS = (
    *("#30638e", "#d1495b", "#00798c", "#8f5a99", "#b5532b"),
    *("#3d7a3d", "#6b6b6b", "#b0812b", "#7a3b69", "#4a6fa5"),
)
"""Of the seats of a game that has no colours of its own."""
SIZE, EDGE = 50, 24
"""Of a cell, and of the margin with the names of rows and columns."""
BLACK_AND_WHITE, DISCS = ("#22262b", "#f7f5ef"), ("[bold green]●[/]", "[bold white]○[/]")
"""Two seats: their colours, and their signs in a terminal, where black may be the background."""
_INK, WALL = "#333333", "#6f695f"
_NAMES = "currentColor"  # beside the board, on whatever ground the page has


def pieces(legal: Callable[..., int], words: Callable[..., str], board: Any, state: Any) -> dict[str, set[int]]:
    """The pieces of the words of all legal moves, each once: what can be clicked. With each stand its places in moves,
    from 0."""
    acts = np.zeros(max(int(board.actions), int(board.outcomes)), np.int32)
    places: dict[str, set[int]] = {}
    for move in acts[: legal(board, state, acts)].tolist():
        for place, piece in enumerate(words(board, state, move).split()):
            places.setdefault(piece, set()).add(place)
    return places


def cell_name(x: int, y: int, rows: int = 0) -> str:
    """a1 at the top left; with the number of `rows`, at the bottom left."""
    return f"{COLUMNS[x]}{rows - y if rows else y + 1}"


def bits(number: int) -> list[int]:
    """The places of the bits that are set."""
    return [place for place in range(int(number).bit_length()) if int(number) >> place & 1]


def stones(owned: Iterable[Iterable[int]], signs: Sequence[str], width: int) -> dict[Cell, str]:
    """What stands where: each seat's sign on the cells it owns, of which (x, y) has the number `width` · y + x."""
    return {
        (int(cell) % width, int(cell) // width): sign
        for cells, sign in zip(owned, signs, strict=True)
        for cell in cells
    }


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


def clickable(word: str, inner: str, key: str = "") -> str:
    """Parts of a picture that stand for a piece of a move; those with a `key` are the same parts in the next picture,
    whatever word they have there, or none."""
    known = f' data-key="{key}"' if key else ""
    click = f' data-word="{word}" style="cursor:pointer"' if word else ""
    return f"<g{known}{click}>{inner}</g>"


def buttons(words: Iterable[str], left: float, top: float, wide: float = 100) -> str:
    """A row of buttons, one a word, in the language of who reads it."""
    made = []
    for place, word in enumerate(words):
        x = left + place * (wide + 8)
        plate = f'<rect x="{x:g}" y="{top:g}" width="{wide:g}" height="32" rx="6" fill="#3d5a3d"/>'
        made.append(clickable(word, plate + label(x + wide / 2, top + 21, _(word), "#ffffff")))
    return "".join(made)


def board_svg(
    width: int,
    height: int,
    stones: Mapping[Cell, str],
    pieces: Collection[str],
    rows: int = 0,
    kind: Literal["squares", "lines", "hexes"] = "squares",
    grounds: Sequence[str] = (),
    hint: str = "",
    said: str = "",
    walls: Collection[Cell] = (),
) -> str:
    """The whole board.

    stones: the colour of what stands on a cell; pieces: of the moves that can be clicked, which are names of cells, and
    of what else there is, such as a pass, become buttons below; rows: as for ``cell_name``; kind: cells are squares,
    the crossings of lines, or hexes in rows that each begin half a cell further right; grounds: colours of the cells,
    in turn along rows and columns; hint: the colour of a dot on every cell that can be clicked; said: a line below;
    walls: cells that nothing can stand on.
    """
    slant, high = (SIZE / 2, SIZE * 0.866) if kind == "hexes" else (0.0, float(SIZE))
    wide, tall = EDGE + width * SIZE + slant * (height - 1) + 6, EDGE + height * high + (14 if kind == "hexes" else 6)
    grounds = grounds or [{"squares": "#e9d8b4", "lines": "#e3c078", "hexes": "#f3ead8"}[kind]]
    names = {(x, y): cell_name(x, y, rows) for y in range(height) for x in range(width)}
    out, lids = [], []

    def middle(x: int, y: int) -> tuple[float, float]:
        return EDGE + SIZE * (x + 0.5) + slant * y, EDGE + high * (y + 0.5) + (5 if kind == "hexes" else 0)

    for x in range(width):
        out.append(label(middle(x, 0)[0], 16, COLUMNS[x], _NAMES))
    for y in range(height):
        out.append(label(middle(0, y)[0] - SIZE / 2 - 11, middle(0, y)[1] + 5, names[0, y][1:], _NAMES))
    for (x, y), name in names.items():
        a, b = middle(x, y)
        if kind == "hexes":
            corners = [(0, -28.5), (25, -14.3), (25, 14.3), (0, 28.5), (-25, 14.3), (-25, -14.3)]
            points = " ".join(f"{a + dx:g},{b + dy:g}" for dx, dy in corners)
            shape = f'<polygon points="{points}"'
        else:
            shape = f'<rect x="{a - SIZE / 2:g}" y="{b - SIZE / 2:g}" width="{SIZE}" height="{SIZE}"'
        edge = "" if kind == "lines" else ' stroke="#000000" stroke-opacity="0.3" stroke-width="1.5"'
        ground = WALL if (x, y) in walls else grounds[(x + y) % len(grounds)]
        out.append(f'{shape} fill="{ground}"{edge}/>')
        if name in pieces:
            dot = f'<circle cx="{a:g}" cy="{b:g}" r="6" fill="{hint}" fill-opacity="0.45"/>' if hint else ""
            lids.append(clickable(name, f'{dot}{shape} fill="#ffffff" fill-opacity="0"/>'))
    if kind == "lines":
        (left, top), (right, bottom) = middle(0, 0), middle(width - 1, height - 1)
        across = [f"M{left:g} {middle(0, y)[1]:g}H{right:g}" for y in range(height)]
        down = [f"M{middle(x, 0)[0]:g} {top:g}V{bottom:g}" for x in range(width)]
        out.append(f'<path d="{"".join(across + down)}" stroke="#6b5426" stroke-width="1.5" fill="none"/>')
    for (x, y), colour in stones.items():
        out.append(disc(*middle(x, y), 19 if kind != "lines" else 23, colour, f"stone {x} {y}"))
    pressed = [piece for piece in pieces if piece not in names.values()]
    below = [label(EDGE, tall + 20, said, _NAMES, text_anchor="start")] if said else []
    below += [buttons(pressed, wide - 108 * len(pressed), tall)] if pressed else []
    return svg(wide, tall + (36 if below else 0), out + lids + below)


def card(x: float, y: float, face: str) -> str:
    """A card: its face, "?" if it is not to be seen, "" where none is dealt."""
    fill = "none" if not face else "#30638e" if face == "?" else "#ffffff"
    look = "" if face else ' stroke="#ffffff" stroke-opacity="0.4" stroke-dasharray="5 5"'
    plate = f'<rect x="{x:g}" y="{y:g}" width="40" height="54" rx="6" fill="{fill}"{look}/>'
    ink = "#ffffff" if face == "?" else "#d1495b" if face[-1:] in ("♥", "♦") else "#22262b"
    return plate + (label(x + 20, y + 33, face, ink, font_size=18) if face else "")


Row = tuple[str, Sequence[str], bool]
"""Cards on a table: a line of text, the cards beside it as ``card`` takes them, and whether the mover may play them."""


def cards_text(rows: Iterable[Row], said: str = "") -> str:
    """For a terminal."""
    lines = [f"{heading:<22} {' '.join(face or '–' for face in cards)}" for heading, cards, _ in rows]
    return "\n".join([*lines, said] if said else lines)


def cards_svg(rows: Iterable[Row], pieces: Mapping[str, Collection[int]], said: str = "") -> str:
    """The table; pieces: of the moves, as ``pieces`` gives them; said: a line below.

    A card of the mover can be clicked if a move begins with it; what else a move may be made of becomes buttons below.
    So a hand with a 3 does not take the place of a player 3 that a move may be aimed at.
    """
    rows = list(rows)
    begins = {piece for piece, places in pieces.items() if 0 in places}
    out, most = [], max(len(cards) for _, cards, _ in rows)
    for row, (heading, cards, is_movers) in enumerate(rows):
        out.append(label(16, 46 + 62 * row, heading, "#ffffff", text_anchor="start"))
        for place, face in enumerate(cards):
            part = card(190 + 46 * place, 12 + 62 * row, face)
            out.append(clickable(face, part) if is_movers and face in begins else part)
    tall = 12 + 62 * len(rows)
    out += [label(16, tall + 16, said, "#d8e6de", text_anchor="start")] if said else []
    tall += 28 if said else 0
    own = {face for _, cards, is_movers in rows if is_movers for face in cards}
    pressed = [piece for piece, places in pieces.items() if piece not in own or max(places) > 0]
    out += [buttons(pressed, 16, tall)] if pressed else []
    return svg(max(350, 200 + 46 * most), tall + (44 if pressed else 0), out, "#2f6b4f")
