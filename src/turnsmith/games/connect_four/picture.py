"""Connect Four for people: words, the board in a terminal, the picture."""

from __future__ import annotations

import numpy as np

from turnsmith.contract.game import OVER
from turnsmith.games.connect_four.rules import to_move


def words(board, state, action):
    return "abcdefghij"[action]


def cell(board, state, x, y):
    bit = np.uint64(1) << np.uint64(x * (int(board.height) + 1) + y)
    return 0 if state.stones[0] & bit else 1 if state.stones[1] & bit else None


def winning_cells(board, state):
    """The cells of the lines that won."""
    if not state.won:
        return set()
    last = (int(state.ply) - 1) & 1
    size, lines = int(board.connect), set()
    for x in range(board.width):
        for y in range(board.height):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                line = [(x + dx * i, y + dy * i) for i in range(size)]
                inside = all(0 <= a < board.width and 0 <= b < board.height for a, b in line)
                if inside and all(cell(board, state, a, b) == last for a, b in line):
                    lines.update(line)
    return lines


def text(board, state):
    signs = {None: "[dim]·[/]", 0: "[bold red]●[/]", 1: "[bold yellow]○[/]"}
    rows = [
        " ".join(signs[cell(board, state, x, y)] for x in range(board.width)) for y in reversed(range(board.height))
    ]
    return "\n".join([*rows, " ".join("abcdefghij"[: board.width])])


lesson = (
    ("Two players drop stones into columns, in turn.", ("d", "d", "e")),
    ("A stone falls to the lowest free place of its column.", ("d", "d", "d", "d")),
    ("Four of yours in a line win: across, up or diagonally.", ("d", "e", "d", "e", "d", "e", "d")),
    ("Watch for two threats at once: only one can be stopped.", ("d", "d", "e", "e", "f")),
    ("Click a column, or type its letter.", ()),
)
seat_colors = ("#d1495b", "#edae49")


def picture(board, state):
    size, width, height = 50, int(board.width), int(board.height)
    won = winning_cells(board, state)
    playing = to_move(board, state) != OVER
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width * size} {height * size + 24}" '
        f'font-family="sans-serif" font-size="15" text-anchor="middle">',
        f'<rect width="{width * size}" height="{height * size}" rx="10" fill="#ffffff"/>',
    ]
    holes, rings = [], []
    for x in range(width):
        for y in range(height):
            cx, cy, owner = x * size + size // 2, (height - 1 - y) * size + size // 2, cell(board, state, x, y)
            holes.append(f"M{cx - 20} {cy}a20 20 0 1 0 40 0a20 20 0 1 0-40 0z")
            if owner is not None:  # a new one falls in from above, behind the board
                out.append(
                    f'<circle data-key="stone {x} {y}" data-from="0 {-cy - size // 2}" cx="{cx}" cy="{cy}" r="22" '
                    f'fill="{seat_colors[owner]}"/>'
                )
            if (x, y) in won:
                rings.append(f'<circle cx="{cx}" cy="{cy}" r="20" fill="none" stroke="#ffffff" stroke-width="5"/>')
    frame = f"M10 0h{width * size - 20}a10 10 0 0 1 10 10v{height * size - 20}a10 10 0 0 1-10 10h{20 - width * size}"
    frame += f"a10 10 0 0 1-10-10v{20 - height * size}a10 10 0 0 1 10-10z"
    out.append(f'<path d="{frame}{"".join(holes)}" fill="#30638e" fill-rule="evenodd"/>')
    out += rings
    for x in range(width):
        name = "abcdefghij"[x]
        out.append(f'<text x="{x * size + size // 2}" y="{height * size + 18}" fill="currentColor">{name}</text>')
        if playing and cell(board, state, x, height - 1) is None:
            landing = next(y for y in range(height) if cell(board, state, x, y) is None)
            cx, cy = x * size + size // 2, (height - 1 - landing) * size + size // 2
            out.append(
                f'<rect data-word="{name}" data-at="{cx} {cy}" '
                f'x="{x * size}" y="0" width="{size}" height="{height * size}" '
                'fill="#ffffff" fill-opacity="0" style="cursor:pointer"/>'
            )
    return "".join(out) + "</svg>"
