"""How Homeguard looks: stones and trees, portals in pairs of a colour, soldiers, where they can go and who is hit."""

from __future__ import annotations

from functools import lru_cache
from itertools import zip_longest

import numpy as np

from turnsmith.contract.game import OVER
from turnsmith.games.homeguard.maps import LONG, NONE
from turnsmith.games.homeguard.rules import (
    MOVES,
    NAMES,
    NOBODY,
    TEAM,
    UNITS,
    cell_name,
    lead,
    legal,
    signed,
    to_move,
    way_name,
    ways_of,
)
from turnsmith.languages import _

CELL, MARGIN = 46, 24
lesson = (
    ("Two soldiers against two; all move at once, then all fire.", ()),
    ("Go one cell diagonally, stay, or take a portal.", ("1b2 2h8",)),
    ("A soldier shoots the enemy it hurts most, up to four and a half cells.", ("1b2 2h8",)),
    ("Stones take half of a shot, trees all of it.", ()),
    ("Two kills win. Click a cell for soldier 1, then for soldier 2.", ()),
)
seat_colors = ("#2268b3", "#c2452e")
PAPER, GRASS, SOIL, INK = "#f4f2e6", "#dfe8c6", "#cfd9b3", "#2c2f27"
STONE, STONE_LIGHT, LEAF, LEAF_LIGHT, TRUNK = "#8d9199", "#b9bdc4", "#3f7a3a", "#5e9b52", "#7a5634"
GAIN, LOSS = "#1f7a33", "#b3261e"
PORTALS = ("#8e44ad", "#0f8b8d", "#d98c00", "#d6478f", "#5b6ee1", "#6b8e23", "#a0522d", "#444c56")
"""Colours of pairs, again from the first beyond these."""
TERMINAL = ("bold white on blue", "bold white on red")


def picture(board, state):
    side = int(board.side) * CELL
    width, height = side + MARGIN + 8, side + MARGIN + 40
    targets, status = _targets(board, state), " · ".join(_status(board, state))
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'text-anchor="middle" fill="{INK}"><rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>',
        _ground(board.cover.tobytes(), int(board.side)),
        *(_portal(board, pair) for pair in range(board.pairs)),
        *_shots(board, state),
        *(_soldier(board, state, unit) for unit in range(UNITS)),
        *_commitment(board, state),
        *(_target(board, state, place, ways) for place, ways in targets.items()),
        f'<text x="{MARGIN}" y="{height - 14}" font-size="14" text-anchor="start">{status}</text>',
    ]
    return "".join(svg) + "</svg>"


def _middle(board, place):
    """The middle of a place."""
    return MARGIN + (int(board.x[place]) + 0.5) * CELL, MARGIN + (int(board.y[place]) + 0.5) * CELL


def unit_name(unit):
    return f"{_(NAMES[unit // TEAM])}{unit % TEAM + 1}"


# ---------------------------------------------------------------- the ground


@lru_cache(maxsize=64)
def _ground(covers, side):
    """Cells to walk on and cells between them with what they hold; letters and numbers around."""
    out = [f'<rect x="{MARGIN}" y="{MARGIN}" width="{side * CELL}" height="{side * CELL}" rx="4" fill="{SOIL}"/>']
    corners = ((MARGIN + cell % side * CELL + 1, MARGIN + cell // side * CELL + 1) for cell in range(0, side * side, 2))
    walked = "".join(f"M{x} {y}h{CELL - 2}v{CELL - 2}h{2 - CELL}z" for x, y in corners)
    out.append(f'<path d="{walked}" fill="{GRASS}"/>')
    for cell in range(side * side):
        if covers[cell] != NONE:
            x, y = MARGIN + (cell % side + 0.5) * CELL, MARGIN + (cell // side + 0.5) * CELL
            out.append(f'<g transform="translate({x:g} {y:g})">{_tree() if covers[cell] == LONG else _stone()}</g>')
    for index in range(side):
        middle = MARGIN + index * CELL + CELL // 2
        out.append(f'<text x="{middle}" y="{MARGIN - 8}" font-size="12">{chr(97 + index)}</text>')
        out.append(f'<text x="{MARGIN // 2}" y="{middle + 4}" font-size="12">{index + 1}</text>')
    return "".join(out)


def _stone():
    return (
        f'<path d="M-15 11Q-19 2 -12 -4Q-8 -11 1 -9Q11 -10 14 -1Q19 6 14 11Z" fill="{STONE}" stroke="{INK}" '
        f'stroke-width="1"/><path d="M-9 -1Q-4 -7 3 -5" stroke="{STONE_LIGHT}" stroke-width="2.4" fill="none"/>'
    )


def _tree():
    return (
        f'<rect x="-3" y="8" width="6" height="11" fill="{TRUNK}"/><path d="M0 -20L11 -5H6L14 10H-14L-6 -5H-11Z" '
        f'fill="{LEAF}" stroke="{INK}" stroke-width="1"/><path d="M-1 -14L4 -6M-3 -1L5 6" stroke="{LEAF_LIGHT}" '
        'stroke-width="2" fill="none"/>'
    )


def _portal(board, pair):
    """Two rings of a colour with the letter of the pair, and a thin arc between them."""
    colour, letter = PORTALS[pair % len(PORTALS)], chr(65 + pair)
    (ax, ay), (bx, by) = (_middle(board, int(cell) // 2) for cell in board.portal[pair])
    bend_x, bend_y = (ax + bx) / 2 - (by - ay) * 0.15, (ay + by) / 2 + (bx - ax) * 0.15
    out = [
        f'<path d="M{ax:g} {ay:g}Q{bend_x:.1f} {bend_y:.1f} {bx:g} {by:g}" stroke="{colour}" stroke-width="1.6" '
        'stroke-dasharray="3 5" fill="none" opacity="0.7"/>'
    ]
    for x, y in ((ax, ay), (bx, by)):
        out.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="19" fill="{colour}" fill-opacity="0.16" stroke="{colour}" '
            f'stroke-width="3"/><text x="{x - 16:g}" y="{y + 20:g}" font-size="11" font-weight="bold" '
            f'fill="{colour}">{letter}</text>'
        )
    return "".join(out)


# ---------------------------------------------------------------- soldiers and shots


def _soldier(board, state, unit):
    """A disc with its number, its hit points above."""
    x, y = _middle(board, int(state.place[unit]))
    share = int(state.hp[unit]) / int(board.hp)
    there = [other for other in range(UNITS) if state.place[other] == state.place[unit]]
    x += 10 * (there.index(unit) - (len(there) - 1) / 2)  # two of different teams may stand on one place
    acts = to_move(board, state) == unit // TEAM
    ring = f'<circle r="14.5" fill="none" stroke="{INK}" stroke-width="1.6" stroke-dasharray="4 3"/>' if acts else ""
    bar = "#2f9e44" if share > 0.5 else "#e8a013" if share > 0.25 else "#d6336c"
    return (
        f'<g data-key="{NAMES[unit // TEAM]}{unit % TEAM + 1}" transform="translate({x:g} {y:g})">{ring}<circle r="12" '
        f'fill="{seat_colors[unit // TEAM]}" stroke="#ffffff" stroke-width="1.6"/><text y="4.6" font-size="13" '
        f'font-weight="bold" fill="#ffffff">{unit % TEAM + 1}</text><rect x="-15" y="-21" width="30" height="6" rx="2" '
        f'fill="#ffffff" stroke="{INK}" stroke-width=".8"/><rect x="-14.2" y="-20.2" width="{28.4 * share:.1f}" '
        f'height="4.4" rx="1.4" fill="{bar}"/></g>'
    )


def _shots(board, state):
    """The last round's shots, from where the soldiers stood."""
    out, said = [], {}
    for unit in range(UNITS):
        target = int(state.target[unit])
        if target != NOBODY:
            (ax, ay), (bx, by) = (_middle(board, int(state.stood[who])) for who in (unit, target))
            colour = seat_colors[unit // TEAM]
            wide = 3 if state.hit[unit] > 5 else 1.8
            out.append(
                f'<line x1="{ax:g}" y1="{ay:g}" x2="{bx:g}" y2="{by:g}" stroke="{colour}" stroke-width="{wide:g}" '
                'stroke-linecap="round" opacity="0.55" pointer-events="none"/>'
            )
            said[target] = said.get(target, 0) + int(state.hit[unit])
    for target, damage in said.items():
        x, y = _middle(board, int(state.stood[target]))
        out.append(
            f'<text x="{x + 22:g}" y="{y - 8:g}" font-size="12" font-weight="bold" fill="{LOSS}" stroke="{PAPER}" '
            f'stroke-width="3" paint-order="stroke">-{damage}</text>'
        )
    return out


def _commitment(board, state):
    """Arrows for what is decided and not yet done, where the viewer may see it."""
    mover = to_move(board, state)
    plans = []
    if state.committed > 0:
        plans += list(enumerate(ways_of(int(state.committed) - 1)))
    if mover != OVER and state.decided > 0:
        plans.append((TEAM * int(mover), int(state.chosen)))
    out = []
    for unit, way in plans:
        (ax, ay), (bx, by) = (_middle(board, int(p)) for p in (state.place[unit], board.near[state.place[unit], way]))
        out.append(
            f'<path d="M{ax:g} {ay:g}L{bx:g} {by:g}" stroke="{seat_colors[unit // TEAM]}" stroke-width="4" '
            f'stroke-linecap="round" opacity="0.8"/><circle cx="{bx:g}" cy="{by:g}" r="5" '
            f'fill="{seat_colors[unit // TEAM]}"/>'
        )
    return out


# ---------------------------------------------------------------- where one can go


def _targets(board, state):
    """Of each place the soldiers to move may go to: who, and by what way."""
    mover, out = to_move(board, state), np.zeros(MOVES, np.int32)
    found = {}
    for action in out[: legal(board, state, out)]:
        for number, way in enumerate(ways_of(action)):
            unit = TEAM * int(mover) + number
            found.setdefault(int(board.near[state.place[unit], way]), set()).add((unit, way))
    return {place: sorted(found[place]) for place in sorted(found)}


def _target(board, state, place, ways):
    """What can be clicked on a place: all of it, or a part for each soldier; and what such a step would deal and take
    if all others stood still."""
    x, y = _middle(board, place)
    wide, out = (CELL - 6) / len(ways), []
    for index, (unit, way) in enumerate(ways):
        left, colour = x - CELL / 2 + 3 + index * wide, seat_colors[unit // TEAM]
        word = f"{unit % TEAM + 1}{way_name(board, int(state.place[unit]), way)}"
        dealt, taken = forecast(board, state, unit, place)
        middle = left + wide / 2
        signs = ""
        if place != state.place[unit]:  # there the soldier itself shows who it is
            signs = f'<text x="{left + 7:.1f}" y="{y - 10:g}" font-size="9">{unit % TEAM + 1}</text>'
        for aside, damage, ink in ((left + 8, dealt, GAIN), (left + wide - 8, taken, LOSS)):
            if damage:
                bold = f'font-size="11" font-weight="bold" fill="{ink}" stroke="{PAPER}" stroke-width="2"'
                signs += f'<text x="{aside:.1f}" y="{y + 18:g}" {bold} paint-order="stroke">{damage}</text>'
        out.append(
            f'<g data-word="{word}" data-at="{middle:.1f} {y:g}" style="cursor:pointer"><rect x="{left:.1f}" '
            f'y="{y - CELL / 2 + 3:g}" width="{wide:.1f}" height="{CELL - 6}" rx="7" fill="{colour}" '
            f'fill-opacity="0.13" stroke="{colour}" stroke-width="1.6" stroke-opacity="0.75"/>{signs}</g>'
        )
    return "".join(out)


def shots_from(board, places):
    """Of soldiers on four places: whom each fires at (NOBODY) and the damage."""
    found = []
    for unit in range(UNITS):
        foes = [TEAM - unit // TEAM * TEAM + number for number in range(TEAM)]
        damages = [int(board.damage[places[unit], places[foe]]) for foe in foes]
        most = max(damages)
        found.append((foes[damages.index(most)] if most else NOBODY, most))
    return found


def forecast(board, state, unit, place):
    """What a soldier would deal, and what it would take, on a place while all others stay where they are."""
    places = [int(p) for p in state.place]
    places[unit] = place
    shots = shots_from(board, places)
    return shots[unit][1], sum(damage for target, damage in shots if target == unit)


def tip(board, state, action):
    """Who would be hit for how much after a move, if the others stay where they are."""
    mover = int(to_move(board, state))
    places = [int(p) for p in state.place]
    for number, way in enumerate(ways_of(action)):
        unit = TEAM * mover + number
        places[unit] = int(board.near[places[unit], way])
    hurt = [0] * UNITS
    for target, damage in shots_from(board, places):
        if target != NOBODY:
            hurt[target] += damage
    said = []
    for unit in sorted(range(UNITS), key=lambda unit: unit // TEAM == mover):
        if hurt[unit]:
            told = _("{unit} -{damage} dies") if hurt[unit] >= state.hp[unit] else "{unit} -{damage}"
            said.append(told.format(unit=unit_name(unit), damage=hurt[unit]))
    told = _("if blue stays: {}") if mover else _("if red stays: {}")
    return told.format(", ".join(said) or _("no shot hits"))


# ---------------------------------------------------------------- in words


def _status(board, state):
    """Kills, score and the round."""
    kills = _("blue {blue} : {red} red kills").format(blue=int(state.kills[0]), red=int(state.kills[1]))
    rounds = int(board.rounds)
    turn = _("round {turn}/{rounds}").format(turn=min(int(state.turn) + 1, rounds), rounds=rounds)
    mover = to_move(board, state)
    who = _("over") if mover == OVER else _("red decides") if mover else _("blue decides")
    return kills, _("score {}").format(signed(lead(state, 0))), turn, who


def text(board, state):
    """The map, three signs a cell: o stones, T trees, letters of portals, soldiers; beside it who is where."""
    side = int(board.side)
    signs = [("   ", "[grey50] o [/]", "[green] T [/]")[cover] for cover in board.cover]
    for place in range(board.places):
        signs[2 * place] = "[dim] . [/]"
    for pair in range(board.pairs):
        for cell in board.portal[pair]:
            signs[int(cell)] = f"[magenta] {chr(65 + pair)} [/]"
    for unit in range(UNITS):
        cell, mark = 2 * int(state.place[unit]), f"{'BR'[unit // TEAM]}{unit % TEAM + 1}"
        before = signs[cell]
        signs[cell] = f"[{TERMINAL[unit // TEAM]}]{mark}{'+' if before.startswith('[bold') else ' '}[/]"
    kills, score, turn, who = _status(board, state)
    beside, wide = [kills, score, f"{turn}, {who}", ""], max(len(unit_name(unit)) for unit in range(UNITS))
    for unit in range(UNITS):
        target = int(state.target[unit])
        fired = f" → {unit_name(target)} -{int(state.hit[unit])}" if target != NOBODY else ""
        where = cell_name(board, int(state.place[unit]))
        hp = _("{hp}/{most} hp").format(hp=int(state.hp[unit]), most=int(board.hp))
        beside.append(f"{unit_name(unit):>{wide}} {where} {hp}{fired}")
    drawn = ["   " + "".join(f" {chr(97 + column)} " for column in range(side))]
    drawn += [f"{row + 1:>2} {''.join(signs[row * side : row * side + side])}" for row in range(side)]
    lines = [f"{row}  {said}".rstrip() for row, said in zip_longest(drawn, beside, fillvalue="")]
    return "\n".join(lines)
