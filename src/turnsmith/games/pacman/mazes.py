"""Mazes drawn at random, for learning: corridors that all lead somewhere, more or less open."""

from __future__ import annotations

import random

from turnsmith.games.pacman.maps import STEPS, PacmanMap

SIZES = {"9x10": (9, 10, 2, 120), "13x15": (13, 15, 4, 300), "17x20": (17, 20, 4, 575)}
"""Mazes that a game draws from its seed: columns, rows, ghosts and plies, as the maps of these sizes have them."""
WIDTHS, HEIGHTS = (13, 15, 17, 19), (13, 15, 17, 19)
MOST_OPEN = 0.25
"""The greatest share of walls between two corridors that is torn down besides those at dead ends."""


def maze(seed: int) -> str:
    """The text of a map file; the same for the same seed."""
    dice = random.Random(seed)
    wide, high = dice.choice(WIDTHS), dice.choice(HEIGHTS)
    rows, halls = drawn(dice, wide, high)
    for sign, (x, y) in zip("PPGGGG", dice.sample(halls, 6), strict=True):
        rows[y][x] = sign
    t_max = dice.randrange(250, 600)
    head = f"id: maze-{seed}\ndescription: drawn at random\nsize: {wide} x {high}\nt_max: {t_max}\n"
    return head + "\n".join("".join(row) for row in rows) + "\n"


def sized(size: str, seed: int) -> PacmanMap:
    """A maze of one of the SIZES with two pacmans, and ghosts that keep some distance where they can."""
    wide, high, ghosts, t_max = SIZES[size]
    dice = random.Random(f"{size} {seed}")
    rows, halls = drawn(dice, wide, high - 1 + high % 2)
    starts = dice.sample(halls, 2 + ghosts)
    for _ in range(100):
        if min(abs(p[0] - g[0]) + abs(p[1] - g[1]) for p in starts[:2] for g in starts[2:]) >= (wide + high) // 4:
            break
        starts = dice.sample(halls, 2 + ghosts)
    for sign, (x, y) in zip("PP" + "G" * ghosts, starts, strict=True):
        rows[y][x] = sign
    if high % 2 == 0:  # the ways between two rows of halls become longer
        between = 2 * dice.randrange(1, high // 2 - 1)
        rows.insert(between, list(rows[between]))
    return PacmanMap(f"{size}-{seed}", "drawn at random", t_max, tuple("".join(row) for row in rows))


def drawn(dice: random.Random, wide: int, high: int) -> tuple[list[list[str]], list[tuple[int, int]]]:
    """Walls and dots, and the places where corridors meet; wide and high are odd."""
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
    return rows, halls


def is_wall(rows: list[list[str]], x: int, y: int) -> bool:
    return rows[y][x] == "#"
