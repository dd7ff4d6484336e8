"""How Tactics looks: heights as shades, cover along the edges of cells, soldiers, ways, lines of fire; and as text."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from turnsmith.game import OVER
from turnsmith.games.tactics.odds import enemies_of, exposure, modifiers, shots, told
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

CELL, MARGIN = 26, 20
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
    out = [f'<g data-key="{unit_name(unit)}"{click} transform="translate({x:g} {y:g})">']
    if acts:
        out.append(f'<circle r="13.5" fill="none" stroke="{WAYS[0]}" stroke-width="2.6"/>')
    if state.taking[unit]:
        out.append(f'<path d="M-11 -9L0 -13.5L11 -9V2Q9 11 0 14Q-9 11 -11 2Z" fill="{PALE[seat]}" stroke="{INK}"/>')
    out.append(f'<circle r="9.2" fill="{seat_colors[seat]}" stroke="#ffffff" stroke-width="1.4"/>')
    out.append(f'<text y="3.2" font-size="11" font-weight="bold" fill="#ffffff">{unit // 2 + 1}</text>')
    out.append(
        '<rect x="-10" y="8.2" width="20" height="4.4" rx="1.4" fill="#ffffff" stroke="#2b2a28" stroke-width=".7"/>'
    )
    bar = "#2f9e44" if share > 0.5 else "#e8a013" if share > 0.25 else "#d6336c"
    out.append(f'<rect x="-9.4" y="8.8" width="{18.8 * share:.1f}" height="3.2" rx="1" fill="{bar}"/>')
    for pip in range(min(6, int(board.magazine[unit]))):
        fill = "#f6c945" if pip < state.ammo[unit] else "#ffffff"
        out.append(
            f'<rect x="10" y="{5.5 - 3.6 * pip:.1f}" width="3.4" height="2.6" fill="{fill}" stroke="{INK}" '
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
    """The shot in the air, or what the last one did."""
    if state.shooter < 0:
        return ""
    shooter, target, in_air = int(state.shooter), int(state.target), state.phase == SHOT
    hit = state.damage > 0
    colour = "#d9480f" if hit else "#868e96"
    dash = "" if hit else ' stroke-dasharray="2 5"'
    line = _line(board, state, shooter, target, f'stroke="{colour}" stroke-width="2.6" stroke-linecap="round"{dash}')
    if in_air:
        return line
    x, y = _middle(board, state.cell[target])
    said = f"-{int(state.damage)}" if hit else "miss"
    return line + (
        f'<text x="{x:g}" y="{y + 24:g}" font-size="11" font-weight="bold" fill="{colour}" stroke="{PAPER}" '
        f'stroke-width="2.5" paint-order="stroke" pointer-events="none">{said}</text>'
    )


def _status(board, state):
    """Who acts with what, and the round."""
    unit, mover = int(state.unit), to_move(board, state)
    alive = f"green {int(state.alive[0])} : {int(state.alive[1])} red"
    turn = f"round {min(int(state.turn) + 1, int(board.rounds))}/{int(board.rounds)}"
    if mover == OVER:
        return f"{alive} · {turn} · over"
    points = int(state.points)
    who = f"{unit_name(unit)}: {points} point{'' if points == 1 else 's'}, {int(state.ammo[unit])} shots"
    return f"{alive} · {turn} · {who}"


def _below(board, state, pieces, top):
    out = [f'<text x="{MARGIN}" y="{top + 26}" font-size="13" text-anchor="start">{_status(board, state)}</text>']
    right = MARGIN + int(board.side) * CELL
    if board.side < 20:  # the buttons need the line for themselves
        out = [f'<text x="{MARGIN}" y="{top + 8}" font-size="8" text-anchor="start">{_status(board, state)}</text>']
    for index, word in enumerate(word for word in ("skip", "cover", "reload") if word in pieces):
        x = right - 66 * index - 60
        out.append(
            f'<g data-word="{word}" style="cursor:pointer"><rect x="{x}" y="{top + 10}" width="60" height="24" rx="6" '
            f'fill="#44515c"/><text x="{x + 30}" y="{top + 26}" font-size="13" fill="#ffffff">{word}</text></g>'
        )
    return out


# ---------------------------------------------------------------- in words


def tip(board, state, action):
    """Of a shot its odds, modifier by modifier; of a move what it costs, the best shot from there and the exposure."""
    action, unit = int(action), int(state.unit)
    if state.phase != DECIDE:
        return ""
    if action < board.cells:
        steps, pace = int(board.steps[state.cell[unit], action]), int(board.pace[board.kind[unit]])
        points = -(-steps // pace)
        cost = f"{steps} steps, {points} point{'' if points == 1 else 's'}"
        said = f"{cost}; exposed {exposure(board, state, unit, action)} %"
        for target in shots(board, state, unit, action):
            return f"{said}; {unit_name(target)} from there: {told(modifiers(board, state, unit, target, action))}"
        return f"{said}; no shot from there"
    if action < board.cells + board.team:
        target = 2 * (action - int(board.cells)) + 1 - (unit & 1)
        return told(modifiers(board, state, unit, target))
    if action == board.cells + board.team:
        return f"{int(state.ammo[unit])} of {int(board.magazine[unit])} shots left"
    return f"-{int(board.taking)} for whoever shoots at {unit_name(unit)}" if action == board.actions - 2 else ""


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
    hp, shots_left = f"{int(state.hp[who])}/{int(board.hp[who])} hp", f"{int(state.ammo[who])} shots"
    said = f"{unit_name(who):>7}  {hp}, {shots_left}" + (", taking cover" if state.taking[who] else "")
    found = [] if who & 1 == int(state.unit) & 1 else modifiers(board, state, int(state.unit), who)
    if not found:
        return said
    return f"{said}  {told(found)}" if len(said) + len(told(found)) < 78 else f"{said}\n         {told(found)}"
