"""Dice Wars for people: notation, the map as SVG, and the map for a terminal."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from turnsmith.contract.game import OVER
from turnsmith.games.dicewars.maps import COLUMNS, ROWS, WATER, hexes_beside
from turnsmith.games.dicewars.rules import DECIDE, PLACE, ROLL, WON, legal, to_move
from turnsmith.games.dicewars.telling import roll as roll
from turnsmith.games.dicewars.telling import tell as tell
from turnsmith.languages import _, counted, marked, player_name

# Eight colours that eyes with any colour vision tell apart, and the ink that reads on them.
lesson = (
    ("Everybody owns areas with dice on them.", ()),
    ("Attack a neighbour from an area with two dice or more.", ("a1 a4",)),
    ("Both roll all their dice; you need strictly more.", ("a1 a4", "a2 a6")),
    ("At the end of your turn you get a die for each area of your largest region.", ("end",)),
    ("Own every area. Click your area, then the neighbour; then end.", ()),
)
seat_colors = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")
INK = ("#ffffff", "#000000", "#ffffff", "#000000", "#000000", "#ffffff", "#000000", "#000000")
TERMINAL = ("blue", "yellow", "green", "magenta", "cyan", "red", "bright_yellow", "white")
WIDE, TALL = 18.0, 15.6  # a hex, and how far its rows are apart
SIDES = (
    ((90, -52), (0, 104), "v10.4"),
    ((-90, 52), (0, -104), "v-10.4"),
    ((90, 52), (-90, 52), "l-9 5.2"),
    ((0, 104), (-90, -52), "l-9-5.2"),
    ((0, -104), (90, 52), "l9 5.2"),
    ((-90, -52), (90, -52), "l9-5.2"),
)
"""Of a hex, clockwise, in the order of `hexes_beside`: its beginning from the middle and its end from there, in tenths,
and how a path draws it."""


def words(board, state, action):
    if state.phase == ROLL:
        return marked("won") if action == WON else marked("lost")
    if state.phase == PLACE:
        return f"a{int(action)}"
    if action == board.actions - 1:
        return marked("end")
    edge = int(action) % int(board.edges)
    to = marked("to") + " " if action >= board.edges else ""
    return f"a{int(board.source[edge])} {to}a{int(board.target[edge])}"


def _centre(place):
    row, column = divmod(int(place), COLUMNS)
    return 14 + WIDE * (column + 0.5 * (row & 1)), 16 + TALL * row


@lru_cache(maxsize=256)
def _shapes(grid):
    """The outline of each area as an SVG path, and its inmost hex, where the dice stand; `grid` as bytes."""
    cells, beside, shapes = np.frombuffer(grid, np.int8), hexes_beside(), []
    for area in range(int(cells.max()) + 1):
        places = np.flatnonzero(cells == area)
        centres = [_centre(place) for place in places.tolist()]
        others = beside[places]
        outer = (others < 0) | (cells[others] != area)
        sides = {}  # from corner to corner, in tenths: each corner of an outline begins one side of it
        for row, side in np.argwhere(outer).tolist():
            (dx, dy), (right, down), line = SIDES[side]
            x, y = round(10 * centres[row][0]) + dx, round(10 * centres[row][1]) + dy
            sides[x, y] = (x + right, y + down), line
        x, y = (sum(c) / len(centres) for c in zip(*centres, strict=True))
        distance = [(cx - x) ** 2 + (cy - y) ** 2 for cx, cy in centres]
        inmost = min(zip(outer.sum(axis=1).tolist(), distance, centres, strict=True))  # where a label has room
        shapes.append((_traced(sides), inmost[2]))
    return shapes


def _traced(sides):
    """The closed lines that sides make, as one path: around an area, and around lakes in it."""
    path = []
    while sides:
        start = next(iter(sides))
        path.append(f"M{start[0] / 10:g} {start[1] / 10:g}")
        at = start
        while at in sides:
            at, line = sides.pop(at)
            path.append(line)
        path.append("z")
    return "".join(path)


def _middle(board, area):
    return _shapes(board.grid.tobytes())[area][1]


def _clickable(board, state):
    """The words of the legal moves, piece by piece."""
    out = np.zeros(int(max(board.actions, board.outcomes)), np.int32)
    count = legal(board, state, out)
    return {piece for action in out[:count] for piece in words(board, state, action).split()}


def picture(board, state):
    pieces = _clickable(board, state)
    width, height = 28 + WIDE * COLUMNS + 9, 24 + TALL * ROWS + 62
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        'font-family="sans-serif" font-size="15" text-anchor="middle">',
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="10" fill="#9cc0d3" fill-opacity="0.32"/>',
    ]
    last = (int(state.attacker), int(state.defender)) if state.attacker >= 0 else ()
    shapes = _shapes(board.grid.tobytes())
    for area in range(board.areas):
        word, owner = f"a{area}", int(state.owner[area])
        click = f' data-word="{word}" style="cursor:pointer"' if word in pieces else ""
        outline, (x, y) = shapes[area]
        rim = ("#ffffff", 4) if area in last else ("#22303a", 2)
        svg.append(
            f'<g data-key="{word}"{click}><path d="{outline}" fill="{seat_colors[owner]}" stroke="{rim[0]}" '
            f'stroke-width="{rim[1]}" stroke-linejoin="round"/>'
            f'<text x="{x:.1f}" y="{y + 4:.1f}" font-weight="bold" font-size="18" fill="{INK[owner]}">'
            f'{int(state.dice[area])}</text><text x="{x:.1f}" y="{y + 15:.1f}" font-size="8" fill="{INK[owner]}">'
            f"{word}</text></g>"
        )
    if last:
        (ax, ay), (bx, by) = (shapes[area][1] for area in last)
        dash = "" if state.phase == ROLL or state.won else ' stroke-dasharray="6 5"'
        svg.append(
            f'<line x1="{ax:.1f}" y1="{ay:.1f}" x2="{bx:.1f}" y2="{by:.1f}" stroke="#ffffff" stroke-width="3"{dash} '
            'pointer-events="none"/>'
        )
    svg += _below(board, state, pieces, 24 + TALL * ROWS)
    return "".join(svg) + "</svg>"


def _below(board, state, pieces, top):
    """Who stands how, and the buttons that are no area: end, the fall of the dice, and `to` of a transfer."""
    out = []
    for seat in range(board.seats):
        x = 40 + 68 * seat
        bold = ' stroke="#000000" stroke-width="3"' if seat == state.seat and to_move(board, state) != OVER else ""
        held = f"+{int(state.reserve[seat])}" if state.reserve[seat] else ""
        dice = int(state.dice[: board.areas][state.owner[: board.areas] == seat].sum())
        score = int(state.score[seat])
        tip = _about(seat, dice, int(state.reserve[seat]), score)
        out.append(f'<g data-tip="{tip}"><rect x="{x - 31}" y="{top}" width="62" height="24" rx="5" ')
        out.append(f'fill="{seat_colors[seat]}"{bold}/>')
        out.append(f'<text x="{x}" y="{top + 17}" font-size="13" fill="{INK[seat]}">{score} · {dice}{held}</text></g>')
    buttons = [word for word in ("end", "to", "won", "lost") if word in pieces]
    for index, word in enumerate(buttons):
        x = 61 + 112 * index
        out.append(f'<g data-word="{word}" style="cursor:pointer"><rect x="{x - 52}" y="{top + 30}" width="104" ')
        out.append(
            f'height="26" rx="6" fill="#3d5a3d"/><text x="{x}" y="{top + 48}" fill="#ffffff">{_(word)}</text></g>'
        )
    return out


def _about(seat, dice, reserve, region):
    """Who has what, in words."""
    has = counted("{} die", "{} dice", dice).format(dice)
    said = _("{who}: {dice} and {reserve} in reserve, largest region {region}")
    said = said if reserve else _("{who}: {dice}, largest region {region}")
    return said.format(who=player_name(seat), dice=has, reserve=reserve, region=region)


def text(board, state):
    """The map, an area's dice on its middle hex and its name beside it, and what one may attack with which odds."""
    signs = [["  "] * COLUMNS for _row in range(ROWS)]
    for place, area in enumerate(board.grid):
        if area != WATER:
            row, column = divmod(place, COLUMNS)
            signs[row][column] = f"[{TERMINAL[int(state.owner[area])]}]░░[/]"
    for area in range(board.areas):
        x, y = _middle(board, area)
        row = round((y - 16) / TALL)
        column = round((x - 14) / WIDE - 0.5 * (row & 1))
        colour = TERMINAL[int(state.owner[area])]
        signs[row][column] = f"[bold {colour} reverse]{int(state.dice[area])}[/][{colour}]░[/]"
        if column + 1 < COLUMNS:
            signs[row][column + 1] = f"[bold {colour}]{area:<2}[/]"
    lines = [(" " if row & 1 else "") + "".join(signs[row]) for row in range(ROWS)]
    lines = [line for line in lines if line.strip()]
    for seat in range(board.seats):
        dice = int(state.dice[: board.areas][state.owner[: board.areas] == seat].sum())
        mark = "▶" if seat == state.seat else " "
        has = _("region {region}, dice {dice}").format(region=int(state.score[seat]), dice=dice)
        lines.append(f"{mark} [bold {TERMINAL[seat]}]{player_name(seat)}[/]  {has}")
    if state.phase == 0 and to_move(board, state) != OVER:
        lines.append(_attacks(board, state))
    return "\n".join(lines)


def tip(board, state, action):
    """How likely an attack wins."""
    is_attack = state.phase == DECIDE and action < board.edges
    return f"{_win_chance(board, state, action):.0%}" if is_attack else ""


def _win_chance(board, state, edge):
    return board.odds[state.dice[board.source[edge]], state.dice[board.target[edge]]]


def _attacks(board, state, most=12):
    """The likeliest attacks with their odds."""
    out = np.zeros(int(board.actions), np.int32)
    edges = [int(e) for e in out[: legal(board, state, out)] if e < board.edges]
    chance = {e: _win_chance(board, state, e) for e in edges}
    best = sorted(edges, key=lambda e: -chance[e])[:most]
    shown = ", ".join(f"{words(board, state, e)} {chance[e]:.0%}" for e in best)
    return _("attacks: {}").format(shown + (" …" if len(edges) > most else "")) if edges else _("no attacks; end")
