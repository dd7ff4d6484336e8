"""How Pac-Man looks: walls as in the arcade, ghosts that look where they go, arrows to click; text for terminals."""

from __future__ import annotations

import numpy as np

from turnsmith.contract.game import OVER
from turnsmith.games.pacman.rules import (
    DOWN,
    LEFT,
    LETTERS,
    PACMANS,
    RIGHT,
    STAY,
    UP,
    has_dot,
    legal,
    movers,
    pieces,
    to_move,
    words,
)
from turnsmith.languages import _, counted

CELL = 24
NIGHT, WALL, DOT, YELLOW, INK = "#0b0b1e", "#4c6fff", "#ffe8c2", "#f0e442", "#101020"
COLOURS = ("#d55e00", "#e79ac4", "#56b4e9", "#f5b13d", "#7fd3b2")
"""Blinky, Pinky, Inky, Clyde and a fifth: told apart by colour-blind people, and from the pacmans by their shape."""
TERMINAL = ("red", "magenta", "cyan", "dark_orange", "green")
STEP = {UP: (0, -1), LEFT: (-1, 0), DOWN: (0, 1), RIGHT: (1, 0), STAY: (0, 0)}
TURNED = {RIGHT: 0, DOWN: 90, LEFT: 180, UP: 270}
lesson = (
    ("One side moves all pacmans, the other all ghosts.", ()),
    ("Pacmans eat every dot they come to.", ("1a 2d",)),
    ("A pacman that meets a ghost is gone.", ("1d 2d",)),
    ("It ends when no dot or no pacman is left, or time is up.", ("1a 2a",)),
    ("Arrow keys move one unit after another; or click where it goes.", ()),
)
seat_colors = (YELLOW, COLOURS[0])
arrows = tuple(LETTERS[way] for way in (UP, LEFT, DOWN, RIGHT))


def picture(board, state):
    width, height = int(board.width) * CELL, int(board.height) * CELL
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + 30}" font-family="sans-serif" '
        f'text-anchor="middle"><rect width="{width}" height="{height + 30}" rx="8" fill="{NIGHT}"/>',
        _walls(board),
    ]
    for cell in range(board.cells):
        if has_dot(state, cell):
            x, y = _middle(board, cell)
            svg.append(f'<circle data-key="d{cell}" cx="{x}" cy="{y}" r="2.4" fill="{DOT}"/>')
    for unit in np.argsort(
        state.pacman_name[: state.pacmans]
    ):  # by name: what changes its place in a file cannot glide
        name, facing = int(state.pacman_name[unit]), int(state.pacman_facing[unit])
        svg.append(_unit(f"pacman{name}", *_middle(board, state.pacman[unit]), _pacman(facing)))
    for unit in np.argsort(state.ghost_name[: state.ghosts]):
        name, facing = int(state.ghost_name[unit]), int(state.ghost_facing[unit])
        svg.append(_unit(f"ghost{name}", *_middle(board, state.ghost[unit]), _ghost(facing, COLOURS[name])))
    svg.append(_arrows(board, state))
    svg.append(_below(board, state, width, height + 20))
    return "".join(svg) + "</svg>"


def _middle(board, cell):
    return int(board.x[cell]) * CELL + CELL // 2, int(board.y[cell]) * CELL + CELL // 2


def _walls(board):
    """The outline of the walls, rounded: a broad stroke with a dark one inside it looks like two lines.

    Each wall cell is four quarters, and a quarter's line follows from the three cells that it touches.
    """
    free = {(int(board.x[c]), int(board.y[c])) for c in range(board.cells)}
    width, height = int(board.width), int(board.height)
    quarter, inset = CELL / 2, CELL / 2 - 5
    path = []
    for x in range(width):
        for y in range(height):
            if (x, y) in free:
                continue
            cx, cy = x * CELL + quarter, y * CELL + quarter
            for sx in (-1, 1):
                for sy in (-1, 1):
                    side, above, corner = (x + sx, y) in free, (x, y + sy) in free, (x + sx, y + sy) in free
                    sweep = 1 if sx == sy else 0
                    if side and above:  # the wall ends both ways: round it outwards
                        path.append(
                            f"M{cx + sx * inset:g} {cy:g}V{cy + sy * (inset - 5):g}A5 5 0 0 {sweep} "
                            f"{cx + sx * (inset - 5):g} {cy + sy * inset:g}H{cx:g}"
                        )
                    elif side:
                        path.append(f"M{cx + sx * inset:g} {cy:g}v{sy * quarter:g}")
                    elif above:
                        path.append(f"M{cx:g} {cy + sy * inset:g}h{sx * quarter:g}")
                    elif corner:  # only the diagonal is free: round it inwards
                        path.append(
                            f"M{cx + sx * inset:g} {cy + sy * quarter:g}A5 5 0 0 {sweep} "
                            f"{cx + sx * quarter:g} {cy + sy * inset:g}"
                        )
    line = f'<path d="{"".join(path)}" fill="none" stroke-linecap="round" '
    return f'{line}stroke="{WALL}" stroke-width="4.4"/>{line}stroke="{NIGHT}" stroke-width="1.8"/>'


def _unit(name, x, y, shape):
    """A unit on the map; the name is the same in every picture, so that it glides."""
    return f'<g data-key="{name}" transform="translate({x} {y})">{shape}</g>'


def _pacman(facing):
    """A disc with its mouth open to where it goes."""
    dx, dy = STEP[facing]
    (ax, ay), (bx, by) = ((8.2 * dx + side * dy, 8.2 * dy - side * dx) for side in (5.6, -5.6))
    return f'<path d="M0 0L{ax:g} {ay:g}A10 10 0 1 0 {bx:g} {by:g}Z" fill="{YELLOW}" stroke="{INK}"/>'


def _ghost(facing, colour):
    dx, dy = STEP[facing]
    eyes = "".join(
        f'<ellipse cx="{side + dx}" cy="{dy - 2}" rx="2.9" ry="3.6" fill="#ffffff"/>'
        f'<circle cx="{side + 2.4 * dx:g}" cy="{3 * dy - 2:g}" r="1.7" fill="#16215c"/>'
        for side in (-4, 4)
    )
    return (
        '<path d="M-9.5 9.5V-1A9.5 9.5 0 0 1 9.5 -1V9.5L6.3 6.2 3.2 9.5 0 6.2 -3.2 9.5 '
        f'-6.3 6.2Z" fill="{colour}" stroke="{INK}"/>{eyes}'
    )


def _arrows(board, state):
    """What can be clicked: for each unit that moves an arrow each way, and the unit itself to stay; and its number."""
    parts = []
    clickable = _pieces(board, state)
    for unit, cell in enumerate(movers(board, state), start=1):
        x, y = _middle(board, cell)
        for way, (dx, dy) in STEP.items():
            word = f"{unit}{LETTERS[way]}"
            if word not in clickable:
                continue
            if way == STAY:
                shape = f'<circle cx="{x}" cy="{y}" r="10.5" fill="#ffffff" fill-opacity="0"/>'
            else:
                shape = (
                    f'<g transform="translate({x + 17 * dx} {y + 17 * dy}) rotate({TURNED[way]})"><circle r="7" '
                    'fill="#ffffff" fill-opacity="0"/><path d="M5 0L-2.5 -4.5V4.5Z" fill="#ffffff" '
                    f'stroke="{INK}"/></g>'
                )
            parts.append(f'<g data-word="{word}" style="cursor:pointer">{shape}</g>')
        parts.append(
            f'<g data-key="number{unit}" pointer-events="none"><circle cx="{x + 8}" cy="{y + 8}" r="5.4" '
            f'fill="#ffffff" stroke="{INK}"/><text x="{x + 8}" y="{y + 11}" font-size="8.5" font-weight="bold" '
            f'fill="{INK}">{unit}</text></g>'
        )
    return "".join(parts)


def _pieces(board, state):
    """The words of the legal moves, piece by piece; unit by unit, those of the next one."""
    if to_move(board, state) < 0:
        return set()
    out, decided = np.zeros(int(board.actions), np.int32), int(state.decided)
    if board.unitwise:
        count = pieces(board, state, decided, int(state.chosen), out)
        return {f"{decided + 1}{LETTERS[way]}" for way in out[:count]}
    return {piece for action in out[: legal(board, state, out)] for piece in words(board, state, int(action)).split()}


def _status(board, state):
    """Dots eaten, plies played and who moves."""
    total = int(state.eaten + state.left)
    mover = to_move(board, state)
    team = _("pacmans") if mover == PACMANS else _("ghosts")
    who = _("over") if mover == OVER else _("starts") if mover < 0 else team
    dots = counted("{eaten}/{total} dot", "{eaten}/{total} dots", total).format(eaten=int(state.eaten), total=total)
    return dots, _("ply {ply}/{most}").format(ply=int(state.ply), most=int(board.t_max)), who


def _below(board, state, width, y):
    dots, ply, who = _status(board, state)
    places = ((width * 0.22, dots, DOT), (width * 0.55, ply, "#b9c4ff"), (width * 0.85, who, "#ffffff"))
    return "".join(f'<text x="{x:g}" y="{y}" font-size="14" fill="{ink}">{said}</text>' for x, said, ink in places)


def text(board, state):
    """The map, two signs a cell; the units that move carry the numbers that words call them by."""
    signs = [["[blue]██[/]"] * int(board.width) for _row in range(board.height)]
    for cell in range(board.cells):
        signs[board.y[cell]][board.x[cell]] = "[dim]· [/]" if has_dot(state, cell) else "  "
    number = {cell: str(unit) for unit, cell in enumerate(movers(board, state), start=1)}
    for unit in range(state.pacmans):
        cell = int(state.pacman[unit])
        signs[board.y[cell]][board.x[cell]] = f"[bold yellow]C{number.get(cell, ' ')}[/]"
    for unit in range(state.ghosts):
        cell = int(state.ghost[unit])
        colour = TERMINAL[int(state.ghost_name[unit])]
        signs[board.y[cell]][board.x[cell]] = f"[bold {colour}]A{number.get(cell, ' ')}[/]"
    return "\n".join([*("".join(row) for row in signs), " · ".join(_status(board, state))])
