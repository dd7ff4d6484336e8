"""How Tactics looks: heights as shades, cover along the edges of cells, soldiers, ways, lines of fire; and as text."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from turnsmith.contract.game import OVER
from turnsmith.games.tactics.odds import enemies_of, exposure, modifiers, ray, shots, told, way
from turnsmith.games.tactics.rules import (
    DECIDE,
    MOST_WORDS,
    SHOT,
    cell_name,
    column_name,
    legal,
    mark_moves,
    to_move,
    unit_name,
    words,
)
from turnsmith.games.tactics.tables import EAST, NORTH, SOUTH, WEST, cover_from
from turnsmith.languages import _, counted, marked

CELL, MARGIN = 26, 20
lesson = (
    ("Two squads of soldiers take turns, one soldier at a time.", ()),
    ("Two action points a turn: to move, to shoot, to reload.", ("skip",)),
    ("Odds depend on distance, height and cover: they stand beside every shot.", ()),
    ("Stand behind higher ground: half or full cover is worth a lot.", ()),
    ("Click a cell to go there, or an enemy to shoot. Whoever has nobody left loses.", ()),
)
seat_colors = ("#0b7a55", "#c8374a")
PALE = ("#7fd6b4", "#f3a0aa")
LOW, HIGH = (0xF1, 0xEE, 0xE0), (0x7C, 0x68, 0x52)
INK, PAPER, HALF, FULL = "#2b2a28", "#fbfaf5", "#8a7a66", "#3a2f25"
WAYS = ("#2f7fd0", "#e3a416", "#b565c9", "#8b8b8b")
"""The colours of cells that can be reached for one point, two, and more."""
SHADES = ("grey93", "grey85", "grey78", "grey70", "grey62", "grey54", "grey46", "grey39", "grey30", "grey23")
TERMINAL = ("white on green", "white on red")


def picture(board, state):
    side = int(board.side)
    width, height = side * CELL + MARGIN + 6, side * CELL + MARGIN + 48
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'text-anchor="middle" fill="{INK}"><rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>',
        _ground(board.heights[: board.cells].tobytes(), side),
    ]
    deciding = state.phase == DECIDE
    if deciding:
        svg += _ways(board, state)
    svg += [_grave(board, state, unit) for unit in range(2 * board.team) if state.hp[unit] == 0]
    targets = shots(board, state, int(state.unit), int(state.cell[state.unit])) if deciding else {}
    pieces = _pieces(board, state)
    targets = {unit: chance for unit, chance in targets.items() if unit_name(unit) in pieces}
    svg += [_line_of_fire(board, state, unit, chance) for unit, chance in targets.items()]
    svg.append(_last_shot(board, state))
    svg += [_soldier(board, state, unit, targets.get(unit)) for unit in range(2 * board.team) if state.hp[unit] > 0]
    svg.append(_outcome(board, state))
    svg += _below(board, state, pieces, side * CELL + MARGIN + 6)
    return "".join(svg) + "</svg>"


def _corner(board, cell):
    """The upper left corner of a cell."""
    row, column = divmod(int(cell), int(board.side))
    return MARGIN + column * CELL, MARGIN + row * CELL


def _middle(board, cell):
    x, y = _corner(board, cell)
    return x + CELL / 2, y + CELL / 2


def _pieces(board, state):
    """The words of the legal moves, piece by piece."""
    if to_move(board, state) < 0:
        return set()
    out = np.zeros(int(board.actions), np.int32)
    return {piece for action in out[: legal(board, state, out)] for piece in words(board, state, int(action)).split()}


# ---------------------------------------------------------------- the ground


def _shade(height, most):
    share = min(1.0, height / max(7, most))
    return "#" + "".join(f"{round(low + (high - low) * share):02x}" for low, high in zip(LOW, HIGH, strict=True))


@lru_cache(maxsize=64)
def _ground(heights, side):
    """Cells as shades with their heights, edges of cover, letters and numbers around; `heights` as bytes."""
    most, shades, numbers, edges = max(heights), {}, {}, {1: [], 2: []}
    for cell, height in enumerate(heights):
        x, y = MARGIN + cell % side * CELL, MARGIN + cell // side * CELL
        shades.setdefault(height, []).append(f"M{x} {y}h{CELL}v{CELL}h-{CELL}z")
        ink = "#ffffff" if height > 0.6 * max(7, most) else "#5a4f42"
        numbers.setdefault(ink, []).append(f'<text x="{x + 5}" y="{y + 9}">{height}</text>')
        if cell % side + 1 < side and heights[cell + 1] != height:
            edges[min(2, abs(heights[cell + 1] - height))].append(f"M{x + CELL} {y}v{CELL}")
        if cell // side + 1 < side and heights[cell + side] != height:
            edges[min(2, abs(heights[cell + side] - height))].append(f"M{x} {y + CELL}h{CELL}")
    out = [f'<path d="{"".join(shades[level])}" fill="{_shade(level, most)}"/>' for level in sorted(shades)]
    for level, colour, wide in ((1, HALF, 0.8), (2, FULL, 2.6)):
        out.append(f'<path d="{"".join(edges[level])}" stroke="{colour}" stroke-width="{wide}" fill="none"/>')
    out += [f'<g font-size="7.5" fill="{ink}">{"".join(numbers[ink])}</g>' for ink in sorted(numbers)]
    for index in range(side):
        middle = MARGIN + index * CELL + CELL // 2
        out.append(f'<text x="{middle}" y="{MARGIN - 6}" font-size="10">{column_name(index)}</text>')
        out.append(f'<text x="{MARGIN // 2 - 1}" y="{middle + 4}" font-size="10">{index + 1}</text>')
    return "".join(out)


def _ways(board, state):
    """Where the soldier at hand can go, by points."""
    bits = np.zeros(MOST_WORDS, np.uint64)
    mark_moves(board, state, bits)
    unit = int(state.unit)
    pace, parts = int(board.pace[board.kind[unit]]), {}
    for cell in _cells(board, bits):
        x, y = _corner(board, cell)
        points = (int(board.steps[state.cell[unit], cell]) + pace - 1) // pace
        shape = f"M{x + 1} {y + 1}h{CELL - 2}v{CELL - 2}h{2 - CELL}z"
        parts.setdefault(points, []).append(f'<path data-word="{cell_name(board, cell)}" d="{shape}"/>')
    return [
        f'<g fill="{WAYS[points - 1]}" fill-opacity="0.3" style="cursor:pointer">{"".join(parts[points])}</g>'
        for points in sorted(parts)
    ]


def _cells(board, bits):
    """The cells of a set of bits."""
    return [cell for cell in range(board.cells) if (int(bits[cell >> 6]) >> (cell & 63)) & 1]


# ---------------------------------------------------------------- soldiers


def _soldier(board, state, unit, chance):
    """A disc with its number, hit points below, shots beside it, a shield while it takes cover; the odds above."""
    x, y = _middle(board, state.cell[unit])
    seat, acts = unit & 1, state.unit == unit and to_move(board, state) != OVER
    click = f' data-word="{unit_name(unit)}" style="cursor:pointer"' if chance is not None else ""
    share = int(state.hp[unit]) / int(board.hp[unit])
    about = f'data-tip="{_about(board, state, unit)}"'
    out = [f'<g data-key="{unit_name(unit)}" {about}{click} transform="translate({x:g} {y:g})">']
    if acts:
        out.append(f'<circle r="13.5" fill="none" stroke="{WAYS[0]}" stroke-width="2.6"/>')
    if state.taking[unit]:
        out.append(f'<path d="M-11 -9L0 -13.5L11 -9V2Q9 11 0 14Q-9 11 -11 2Z" fill="{PALE[seat]}" stroke="{INK}"/>')
    out.append(f'<circle r="9.2" fill="{seat_colors[seat]}" stroke="#ffffff" stroke-width="1.4"/>')
    out.append(f'<text y="2.6" font-size="10.5" font-weight="bold" fill="#ffffff">{unit // 2 + 1}</text>')
    out.append('<rect x="-11" y="5.8" width="22" height="7.6" rx="2.4" fill="#ffffff" stroke="#2b2a28"/>')
    bar = "#69db7c" if share > 0.5 else "#ffc94d" if share > 0.25 else "#ff8fab"
    out.append(f'<rect x="-10.4" y="6.4" width="{20.8 * share:.1f}" height="6.4" rx="1.8" fill="{bar}"/>')
    out.append(f'<text y="12.3" font-size="7.6" font-weight="bold">{int(state.hp[unit])}</text>')
    for pip in range(min(6, int(board.magazine[unit]))):
        fill = "#f6c945" if pip < state.ammo[unit] else "#ffffff"
        out.append(
            f'<rect x="9.4" y="{2.4 - 3.6 * pip:.1f}" width="3.6" height="2.6" fill="{fill}" stroke="{INK}" '
            'stroke-width=".5"/>'
        )
    if chance is not None:
        out.append(
            f'<rect x="-15" y="-23" width="30" height="12" rx="6" fill="{INK}"/><text y="-13.7" font-size="9.5" '
            f'font-weight="bold" fill="#ffffff">{chance} %</text>'
        )
    return "".join(out) + "</g>"


def _grave(board, state, unit):
    x, y = _middle(board, state.cell[unit])
    return (
        f'<path d="M{x - 5:g} {y - 5:g}l10 10m0 -10l-10 10" stroke="{seat_colors[unit & 1]}" stroke-width="2.4" '
        'stroke-opacity="0.55" pointer-events="none"/>'
    )


def _line(board, state, one, other, style):
    (ax, ay), (bx, by) = _middle(board, state.cell[one]), _middle(board, state.cell[other])
    return f'<line x1="{ax:g}" y1="{ay:g}" x2="{bx:g}" y2="{by:g}" {style} pointer-events="none"/>'


def _line_of_fire(board, state, target, chance):
    dim = 0.25 + 0.6 * chance / 100
    return _line(
        board,
        state,
        int(state.unit),
        target,
        f'stroke="{INK}" stroke-width="1.4" stroke-dasharray="5 4" opacity="{dim:.2f}"',
    )


def _last_shot(board, state):
    """The line of the shot in the air, or of the last one."""
    if state.shooter < 0:
        return ""
    dash = "" if state.damage > 0 else ' stroke-dasharray="2 5"'
    style = f'stroke="{_colour_of(state)}" stroke-width="2.6" stroke-linecap="round"{dash}'
    return _line(board, state, int(state.shooter), int(state.target), style)


def _colour_of(state):
    """Of a hit, or of a miss."""
    return "#d9480f" if state.damage > 0 else "#5f6770"


def _outcome(board, state):
    """What the last shot did, beside its target."""
    if state.shooter < 0 or state.phase == SHOT:
        return ""
    x, y = _middle(board, state.cell[state.target])
    dead = state.hp[state.target] == 0
    said = _("hit −{}").format(int(state.damage)) + (" †" if dead else "") if state.damage > 0 else _("miss")
    wide = 9 + 5.6 * len(said)
    x = min(x, MARGIN + int(board.side) * CELL - wide / 2)
    return (
        f'<g data-key="outcome" transform="translate({x:g} {y:g})" pointer-events="none"><rect x="{-wide / 2:g}" '
        f'y="14.5" width="{wide:g}" height="13" rx="6.5" fill="{_colour_of(state)}"/><text y="24.4" font-size="10" '
        f'font-weight="bold" fill="#ffffff">{said}</text></g>'
    )


def _status(board, state):
    """Who acts with what, and the round."""
    unit, mover = int(state.unit), to_move(board, state)
    alive = _("green {green} : {red} red").format(green=int(state.alive[0]), red=int(state.alive[1]))
    rounds = int(board.rounds)
    turn = _("round {turn}/{rounds}").format(turn=min(int(state.turn) + 1, rounds), rounds=rounds)
    if mover == OVER:
        return f"{alive} · {turn} · {_('over')}"
    return f"{alive} · {turn} · {unit_name(unit)}: {_points(int(state.points))}, {_shots(int(state.ammo[unit]))}"


def _points(count):
    return counted("{} point", "{} points", count).format(count)


def _shots(count):
    return counted("{} shot", "{} shots", count).format(count)


def _below(board, state, pieces, top):
    out = [f'<text x="{MARGIN}" y="{top + 26}" font-size="13" text-anchor="start">{_status(board, state)}</text>']
    right = MARGIN + int(board.side) * CELL
    if board.side < 20:  # the buttons need the line for themselves
        out = [f'<text x="{MARGIN}" y="{top + 8}" font-size="8" text-anchor="start">{_status(board, state)}</text>']
    if pieces and board.side >= 20:
        out += [_legend(x, top + 22, points) for x, points in zip((right - 278, right - 235), (1, 2), strict=True)]
    for index, word in enumerate(word for word in ("skip", "cover", "reload") if word in pieces):
        x = right - 66 * index - 60
        out.append(
            f'<g data-word="{word}" style="cursor:pointer"><rect x="{x}" y="{top + 10}" width="60" height="24" rx="6" '
            f'fill="#44515c"/><text x="{x + 30}" y="{top + 26}" font-size="13" fill="#ffffff">{_(word)}</text></g>'
        )
    return out


def _legend(x, y, points):
    """The colour of cells that so many points lead to."""
    return (
        f'<rect x="{x}" y="{y - 8}" width="11" height="11" fill="{WAYS[points - 1]}" fill-opacity="0.5"/>'
        f'<text x="{x + 15}" y="{y + 2}" font-size="10" text-anchor="start">{_("{} pt").format(points)}</text>'
    )


# ---------------------------------------------------------------- what is pointed at


def overlay(board, state, action):
    """Of a shot the ray that finds its target, and the cover it meets; of a move the way, the cover there and the shots
    from there."""
    action, unit = int(action), int(state.unit)
    if state.phase != DECIDE:
        return ""
    here = int(state.cell[unit])
    if action < board.cells:
        points = " ".join(f"{x:g},{y:g}" for x, y in (_middle(board, cell) for cell in way(board, here, action)))
        out = [
            f'<polyline points="{points}" fill="none" stroke="{WAYS[0]}" stroke-width="3" stroke-linecap="round" '
            'stroke-linejoin="round" stroke-opacity="0.75"/>'
        ]
        out += [_shelter(board, action, side) for side in range(4)]
        found = shots(board, state, unit, action)
        out += [_aimed(board, state, action, target, chance, None) for target, chance in found.items()]
        return "".join(out)
    if action < board.cells + board.team:
        target = 2 * (action - int(board.cells)) + 1 - (unit & 1)
        other, side = int(state.cell[target]), int(board.side)
        dx, dy = here % side - other % side, here // side - other // side
        level, out = cover_from(board, other, dx, dy), []
        for direction, faces in ((EAST, dx > 0), (WEST, dx < 0), (SOUTH, dy > 0), (NORTH, dy < 0)):
            if faces and level and board.cover[other, direction] == level:
                out.append(_shelter(board, other, direction))
        chance = shots(board, state, unit, here)[target]
        return "".join([*out, _aimed(board, state, here, target, chance, ray(board, unit, here, other))])
    return ""


def _aimed(board, state, cell, target, chance, seen):
    """A line of fire with its chance; `seen`: from where to where it goes, if either steps aside for it."""
    stops = list(dict.fromkeys((cell, *(seen or ()), int(state.cell[target]))))
    places = [_middle(board, each) for each in stops]
    ends = [_short_of(places[0], places[1]), *places[1:-1], _short_of(places[-1], places[-2])]
    points = " ".join(f"{x:.4g},{y:.4g}" for x, y in ends)
    colour = "#2b8a3e" if chance >= 60 else "#d9480f" if chance >= 30 else "#c92a2a"
    out = f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.4" stroke-linecap="round"/>'
    for x, y in places[1:-1]:
        out += f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{PAPER}" stroke="{colour}" stroke-width="2"/>'
    x, y = places[-1]
    return out + (
        f'<rect x="{x - 15:g}" y="{y - 23:g}" width="30" height="12" rx="6" fill="{colour}"/><text x="{x:g}" '
        f'y="{y - 13.7:g}" font-size="9.5" font-weight="bold" text-anchor="middle" font-family="sans-serif" '
        f'fill="#ffffff">{chance} %</text>'
    )


def _short_of(place, other):
    """A place a little nearer to another, so that the soldier there can be read."""
    (x, y), (ox, oy) = place, other
    part = min(0.5, 12 / math.hypot(ox - x, oy - y))
    return x + part * (ox - x), y + part * (oy - y)


def _shelter(board, cell, side):
    """A bar along a side of a cell that is cover, thick where it is full; nothing along others."""
    level = int(board.cover[cell, side])
    if level == 0:
        return ""
    x, y = _corner(board, cell)
    line = {EAST: f"M{x + CELL - 2} {y + 2}v{CELL - 4}", WEST: f"M{x + 2} {y + 2}v{CELL - 4}"}
    line |= {SOUTH: f"M{x + 2} {y + CELL - 2}h{CELL - 4}", NORTH: f"M{x + 2} {y + 2}h{CELL - 4}"}
    return f'<path d="{line[side]}" stroke="#1c7ed6" stroke-width="{(2.4, 5)[level - 1]}" stroke-linecap="round"/>'


# ---------------------------------------------------------------- in words

SIDES = {NORTH: marked("north"), EAST: marked("east"), SOUTH: marked("south"), WEST: marked("west")}


def _cover(board, cell):
    """The cover of a cell in words: full first."""
    found = []
    for level, name in ((2, _("full cover {}")), (1, _("half cover {}"))):
        sides = [_(said) for side, said in SIDES.items() if board.cover[cell, side] == level]
        found += [name.format(_(" and ").join(sides))] if sides else []
    return ", ".join(found) or _("no cover")


def _about(board, state, unit):
    """A soldier's numbers, and why it cannot be shot at if that is so."""
    cell, shooter = int(state.cell[unit]), int(state.unit)
    said = _("{who}: {hp} of {most} hit points, {ammo} of {magazine} shots, height {height}, {cover}").format(
        who=unit_name(unit), hp=int(state.hp[unit]), most=int(board.hp[unit]), ammo=int(state.ammo[unit]),
        magazine=int(board.magazine[unit]), height=int(board.heights[cell]),
        cover=_("taking cover") if state.taking[unit] else _cover(board, cell),
    )  # fmt: skip
    deciding = state.phase == DECIDE and unit & 1 != shooter & 1
    if deciding and board.odds[board.kind[shooter], cell, state.cell[shooter]] == 0:
        said += "; " + _("{} has no line of fire to it within range").format(unit_name(shooter))
    return said


def tip(board, state, action):
    """Of a shot its odds, modifier by modifier; of a move what it costs, the best shot from there and the exposure."""
    action, unit = int(action), int(state.unit)
    if state.phase != DECIDE:
        return ""
    if action < board.cells:
        steps, pace = int(board.steps[state.cell[unit], action]), int(board.pace[board.kind[unit]])
        points = -(-steps // pace)
        cost = f"{counted('{} step', '{} steps', steps).format(steps)}, {_points(points)}; {_cover(board, action)}"
        said = f"{cost}; {_('exposed {} %').format(exposure(board, state, unit, action))}"
        for target in shots(board, state, unit, action):
            odds = told(modifiers(board, state, unit, target, action))
            return f"{said}; {_('{target} from there: {odds}').format(target=unit_name(target), odds=odds)}"
        return f"{said}; {_('no shot from there')}"
    if action < board.cells + board.team:
        target = 2 * (action - int(board.cells)) + 1 - (unit & 1)
        return told(modifiers(board, state, unit, target))
    if action == board.cells + board.team:
        magazine = int(board.magazine[unit])
        said = counted("{ammo} of {magazine} shot left", "{ammo} of {magazine} shots left", magazine)
        return said.format(ammo=int(state.ammo[unit]), magazine=magazine)
    said = _("-{less} for whoever shoots at {unit}").format(less=int(board.taking), unit=unit_name(unit))
    return said if action == board.actions - 2 else ""


def text(board, state):
    """The map, three signs a cell: its height, then ' for cells to reach with one point, . with more."""
    side, bits = int(board.side), np.zeros(MOST_WORDS, np.uint64)
    unit = int(state.unit)
    if state.phase == DECIDE:
        mark_moves(board, state, bits)
    open_, here, pace = set(_cells(board, bits)), int(state.cell[unit]), int(board.pace[board.kind[unit]])
    there = {int(state.cell[u]): u for u in range(2 * board.team) if state.hp[u] > 0}
    lines = ["   " + "".join(f"{column_name(column):^3}" for column in range(side))]
    for row in range(side):
        signs = []
        for cell in range(row * side, row * side + side):
            height = int(board.heights[cell])
            if cell in there:
                who = there[cell]
                mark = "*" if who == unit else "+" if state.taking[who] else " "
                signs.append(f"[bold {TERMINAL[who & 1]}]{'GR'[who & 1]}{who // 2 + 1}{mark}[/]")
                continue
            mark = " "
            if cell in open_:
                mark = "'" if board.steps[here, cell] <= pace else "."
            ink = "black" if height < 6 else "white"
            signs.append(f"[{ink} on {SHADES[min(height, 9)]}]{height:>2}{mark}[/]")
        lines.append(f"{row + 1:>2} " + "".join(signs))
    lines.append(_status(board, state))
    for who in range(2 * board.team):
        if state.hp[who] > 0 and who & 1 == unit & 1:
            lines.append(_line_of(board, state, who))
    lines += [_line_of(board, state, enemy) for enemy in enemies_of(board, state, unit)]
    return "\n".join(lines)


def _line_of(board, state, who):
    """A soldier's numbers, and the odds of a shot at it."""
    hp = _("{hp}/{most} hp").format(hp=int(state.hp[who]), most=int(board.hp[who]))
    said = f"{unit_name(who):>7}  {hp}, {_shots(int(state.ammo[who]))}"
    said += f", {_('taking cover')}" if state.taking[who] else ""
    found = [] if who & 1 == int(state.unit) & 1 else modifiers(board, state, int(state.unit), who)
    if not found:
        return said
    return f"{said}  {told(found)}" if len(said) + len(told(found)) < 78 else f"{said}\n         {told(found)}"
