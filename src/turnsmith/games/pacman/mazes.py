"""Mazes drawn at random, for learning: corridors that all lead somewhere, more or less open."""

from __future__ import annotations

import random

from turnsmith.games.pacman.maps import STEPS

WIDTHS, HEIGHTS = (13, 15, 17, 19), (13, 15, 17, 19)
MOST_OPEN = 0.25
"""The greatest share of walls between two corridors that is torn down besides those at dead ends."""


def maze(seed: int) -> str:
    """The text of a map file; the same for the same seed."""
    dice = random.Random(seed)
    wide, high = dice.choice(WIDTHS), dice.choice(HEIGHTS)
    rows = [["#"] * wide for _ in range(high)]
    halls = [(x, y) for x in range(1, wide, 2) for y in range(1, high, 2)]

    # 1. A tree of corridors: walk as long as there is somewhere new, then go back.
    path = [dice.choice(halls)]
    rows[path[0][1]][path[0][0]] = "."
    while path:
        x, y = path[-1]
        new = [
            (dx, dy) for dx, dy in STEPS if (x + 2 * dx, y + 2 * dy) in halls and is_wall(rows, x + 2 * dx, y + 2 * dy)
        ]
        if not new:
            path.pop()
            continue
        dx, dy = dice.choice(new)
        rows[y + dy][x + dx] = rows[y + 2 * dy][x + 2 * dx] = "."
        path.append((x + 2 * dx, y + 2 * dy))

    # 2. No dead ends, and more ways through.
    for x, y in halls:
        walls = [(x + dx, y + dy) for dx, dy in STEPS if is_wall(rows, x + dx, y + dy)]
        inner = [(a, b) for a, b in walls if 0 < a < wide - 1 and 0 < b < high - 1]
        if len(walls) == 3:
            a, b = dice.choice(inner)
            rows[b][a] = "."
    share = dice.uniform(0.0, MOST_OPEN)
    for y in range(1, high - 1):
        for x in range(1, wide - 1):
            if rows[y][x] == "#" and (x + y) % 2 and dice.random() < share:
                rows[y][x] = "."

    # 3. Two pacmans, four ghosts, and some time.
    for sign, (x, y) in zip("PPGGGG", dice.sample(halls, 6), strict=True):
        rows[y][x] = sign
    t_max = dice.randrange(250, 600)
    head = f"id: maze-{seed}\ndescription: drawn at random\nsize: {wide} x {high}\nt_max: {t_max}\n"
    return head + "\n".join("".join(row) for row in rows) + "\n"


def is_wall(rows: list[list[str]], x: int, y: int) -> bool:
    return rows[y][x] == "#"
