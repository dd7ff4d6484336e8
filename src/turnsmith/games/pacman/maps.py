"""Maps as text files: a header, then rows of signs. A broken one is refused by row and column, with the reason.

The header says `id`, `description`, `size` (columns x rows) and `t_max` (plies), a line each. A sign is `#` a wall, `.`
a dot, a space, `P` a pacman's start (without a dot) or `G` a ghost's (on a dot). Rows and columns count from 1.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, one_line, shown, suggestion

SHIPPED = {file.stem: file for file in sorted((Path(__file__).parent / "maps").glob("*.txt"))}
"""The maps that come with the game, by name."""
HEADER = ("id", "description", "size", "t_max")
CELLS, UNITS, WIDEST, FARTHEST = 512, 5, 64, 254
"""What a board has room for: free cells, units of a team, columns and rows, steps between two cells."""
STEPS = ((0, -1), (-1, 0), (0, 1), (1, 0))
"""Columns and rows of a step up, left, down, right."""
SIGNS = "#. PG"
MOST_PLIES, LONGEST_NAME = 100_000, 200
"""Of one game; characters of a map's name."""

Place = tuple[int, int]


@dataclass(frozen=True)
class PacmanMap:
    """A map as it stands in its file, checked."""

    name: str
    description: str
    t_max: int
    rows: tuple[str, ...]


def shipped() -> list[str]:
    """The names of the maps that come with the game."""
    return list(SHIPPED)


def find(name: str) -> PacmanMap:
    """The map of a name, or of a path that ends with .txt."""
    file = Path(name) if name.endswith(".txt") else SHIPPED.get(name)
    if file is None or not file.is_file():
        if name.endswith(".txt"):
            raise BadInput(f"there is no map file {name}; give the path of one, or a name: {', '.join(shipped())}")
        known = shipped()
        raise BadInput(
            f"there is no map '{name}'{suggestion(name, known)}; there are {', '.join(known)}, or ./file.txt"
        )
    try:
        return read(file.read_text(encoding="utf-8"), name)
    except UnicodeDecodeError:
        raise BadInput(f"map {name} is not a text file; its signs are # . space P G") from None


def read(text: str, name: str) -> PacmanMap:
    """Check the text of a map file."""
    lines = text.rstrip("\n").split("\n")
    header: dict[str, str] = {}
    for number, key in enumerate(HEADER):
        found, colon, value = (lines[number] if number < len(lines) else "").partition(":")
        if not colon or found.strip() != key or not value.strip():
            raise BadInput(f"map {name}: line {number + 1} must say '{key}: …'; the header is {', '.join(HEADER)}")
        header[key] = one_line(value)
    if len(header["id"]) > LONGEST_NAME:
        raise BadInput(
            f"map {name}: line 1: the id has {len(header['id'])} characters; at most {LONGEST_NAME} are read"
        )
    wide, _, high = (part.strip() for part in header["size"].partition("x"))
    if not (is_up_to(WIDEST, wide) and is_up_to(WIDEST, high)):
        raise BadInput(f"map {name}: line 3: size '{shown(header['size'])}' must be columns x rows, each 1 to {WIDEST}")
    if not is_up_to(MOST_PLIES, header["t_max"]):
        raise BadInput(f"map {name}: line 4: t_max '{shown(header['t_max'])}' must be 1 to {MOST_PLIES:,} plies")
    rows = lines[len(HEADER) :]
    for number in range(max(len(rows), int(high))):
        if number >= min(len(rows), int(high)):
            raise refused(name, (0, number), f"there are {len(rows)} rows where the size says {high}")
        if len(rows[number]) != int(wide):
            where = (min(len(rows[number]), int(wide)), number)
            raise refused(name, where, f"the row has {len(rows[number])} signs where the size says {wide}")
    check(rows, name)
    return PacmanMap(header["id"], header["description"], int(header["t_max"]), tuple(rows))


def is_up_to(most: int, text: str) -> bool:
    """Whether a text is a whole number from 1 to `most`."""
    return text.isdecimal() and len(text) <= 9 and 1 <= int(text) <= most


def refused(name: str, place: Place, reason: str) -> BadInput:
    return BadInput(f"map {name}: row {place[1] + 1}, column {place[0] + 1}: {reason}")


def places(rows: list[str] | tuple[str, ...], signs: str) -> list[Place]:
    """(column, row) of every place with one of the signs, sorted by column, then by row."""
    return sorted((x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign in signs)


def reached(rows: list[str] | tuple[str, ...], start: Place) -> dict[Place, int]:
    """Every free place that can be reached from `start`, nearest first, and how many steps it takes."""
    steps, queue = {start: 0}, deque([start])
    while queue:
        x, y = queue.popleft()
        for dx, dy in STEPS:
            to = (x + dx, y + dy)
            inside = 0 <= to[1] < len(rows) and 0 <= to[0] < len(rows[to[1]])
            if inside and to not in steps and rows[to[1]][to[0]] != "#":
                steps[to] = steps[x, y] + 1
                queue.append(to)
    return steps


def check(rows: list[str] | tuple[str, ...], name: str) -> list[Place]:
    """Refuse rows that make no game; returns the free places, by column, then by row. Walled-in blanks are walls."""
    for y, row in enumerate(rows):
        for x, sign in enumerate(row):
            if sign not in SIGNS:
                raise refused(name, (x, y), f"'{shown(sign)}' is no sign of a map; use # . space P G")
    for sign, unit in (("P", "pacman"), ("G", "ghost")):
        starts = places(rows, sign)
        if not starts:
            raise BadInput(f"map {name} has no {unit}; write {sign} where one starts")
        if len(starts) > UNITS:
            raise refused(name, starts[UNITS], f"this is {unit} number {UNITS + 1}; a team has at most {UNITS}")
    first = places(rows, "P")[0]
    within = reached(rows, first)
    for place in sorted(places(rows, ".PG"), key=lambda p: (p[1], p[0])):
        if place not in within:
            what = {".": "this dot", "P": "this pacman", "G": "this ghost"}[rows[place[1]][place[0]]]
            raise refused(name, place, f"{what} cannot be reached from row {first[1] + 1}, column {first[0] + 1}")
    if not set(places(rows, ".G")):
        raise BadInput(f"map {name} has no dot; write . where one lies")
    free = sorted(within)
    if len(free) > CELLS:
        raise refused(name, free[CELLS], f"this is free cell number {CELLS + 1}; a map has at most {CELLS}")
    return free


def with_units(found: PacmanMap, pacmans: int, ghosts: int) -> list[str]:
    """The rows with so many units: spare ones become dots, missing ones start on the dot nearest to their team."""
    rows = [list(row) for row in found.rows]
    for sign, wanted in (("P", pacmans), ("G", ghosts)):
        starts = places(found.rows, sign)
        for x, y in starts[wanted or len(starts) :]:
            rows[y][x] = "."
        for _ in range(wanted - len(starts)):
            free = [(x, y) for x, y in reached(found.rows, starts[0]) if rows[y][x] == "."]
            if not free:
                raise BadInput(f"map {found.name} has no room for {wanted} of {sign}; ask for fewer")
            rows[free[0][1]][free[0][0]] = sign
    return ["".join(row) for row in rows]


def distances(near: Array) -> Array:
    """uint8[n, n]: steps between cells, from near[n, 4], the cell after a step each way or -1; 255 is too far."""
    count = len(near)
    dist = np.full((count, count), 255, np.uint8)
    front = np.eye(count, dtype=np.bool_)
    for steps in range(FARTHEST + 1):
        dist[front] = steps
        spread = np.zeros((count, count), np.bool_)
        for way in range(4):
            open_ = near[:, way] >= 0
            spread[:, open_] |= front[:, near[open_, way]]
        front = spread & (dist == 255)
        if not front.any():
            break
    return dist
