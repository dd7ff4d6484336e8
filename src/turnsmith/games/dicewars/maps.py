"""Maps: areas of hexes grown at random, who owns them and how many dice stand on each.

A map is a grid of 28 rows of 32 hexes, odd rows shifted right by half a hex; in its description `.` is water and every
other character an area.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from turnsmith.game import Array
from turnsmith.kernel import compiled
from turnsmith.rng import below, stream
from turnsmith.texts import BadInput

ROWS, COLUMNS = 28, 32
SMALLEST, LARGEST = 12, 18
NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
WATER = -1
MOST_DICE = 8


@cache
def hexes_beside() -> Array:
    """int32[hexes, 6]: the neighbours of every hex, -1 beyond the edge."""
    table = np.full((ROWS * COLUMNS, 6), -1, np.int32)
    for row in range(ROWS):
        shift = row & 1
        steps = [(0, 1), (0, -1), (1, shift), (1, shift - 1), (-1, shift), (-1, shift - 1)]
        for column in range(COLUMNS):
            for side, (down, right) in enumerate(steps):
                if 0 <= row + down < ROWS and 0 <= column + right < COLUMNS:
                    table[row * COLUMNS + column, side] = (row + down) * COLUMNS + column + right
    return table


# ---------------------------------------------------------------- growing, compiled


def random_free(grid, beside, place, rng):
    """A random water hex beside `place`, or -1."""
    chosen, free = -1, 0
    for side in range(6):
        other = beside[place, side]
        if other >= 0 and grid[other] == WATER:
            free += 1
            if below(rng, free) == 0:
                chosen = other
    return chosen


def mark_shores(grid, beside, area, shore):
    """Set shore[hex] for everything beside an area; a start is looked for only in water."""
    for place in range(grid.shape[0]):
        if grid[place] == area:
            for side in range(6):
                if beside[place, side] >= 0:
                    shore[beside[place, side]] = 1


def find_start(grid, beside, shore, rng):
    """A random hex beside a shore but not on one: the area grows towards the land and leaves some water between."""
    chosen, seen = -1, 0
    for place in range(grid.shape[0]):
        if grid[place] != WATER or shore[place]:
            continue
        for side in range(6):
            if beside[place, side] >= 0 and shore[beside[place, side]]:
                seen += 1
                if below(rng, seen) == 0:
                    chosen = place
                break
    return chosen


def grow_area(grid, beside, area, start, room, rng):
    """Grow an area by random free neighbours of its random hexes; False, and nothing changed, if it is hemmed in."""
    wanted = SMALLEST + below(rng, LARGEST - SMALLEST + 1)
    grid[start] = area
    room[0] = start
    size = count = 1  # room[:count] are the hexes that may still have free neighbours
    while size < wanted and count > 0:
        index = below(rng, count)
        chosen = random_free(grid, beside, room[index], rng)
        if chosen < 0:
            count -= 1
            room[index] = room[count]
        else:
            grid[chosen] = area
            room[count] = chosen
            count += 1
            size += 1
    if size < wanted:
        for place in range(grid.shape[0]):
            if grid[place] == area:
                grid[place] = WATER
    return size == wanted


def fill_holes(grid, beside, area, rng):
    """Give an area up to three free hexes that five of its own surround, and now and then one that four do."""
    filled = 0
    for place in range(grid.shape[0]):
        own = 0
        for side in range(6):
            if grid[place] == WATER and beside[place, side] >= 0 and grid[beside[place, side]] == area:
                own += 1
        if filled < 3 and (own >= 5 or (own == 4 and below(rng, 3) == 0)):
            grid[place] = area
            filled += 1


def link(grid, beside, linked):
    """linked[a, b] = 1 for areas that touch."""
    linked[:] = 0
    for place in range(grid.shape[0]):
        for side in range(6):
            other = beside[place, side]
            if other >= 0 and grid[place] != WATER and grid[other] != WATER and grid[other] != grid[place]:
                linked[grid[place], grid[other]] = 1


def reached(linked, areas, room):
    """How many areas can be reached from area 0."""
    seen = np.zeros(areas, np.int8)
    seen[0] = 1
    room[0] = 0
    count = done = 1
    while count > 0:
        count -= 1
        area = room[count]
        for other in range(areas):
            if linked[area, other] and not seen[other]:
                seen[other] = 1
                room[count] = other
                count += 1
                done += 1
    return done


def grow(grid, beside, areas, linked, rng):
    """Fill `grid` (int8, flat) and `linked` with a connected map of `areas` areas; False if there is no room for it."""
    shore = np.zeros(grid.shape[0], np.int8)
    room = np.zeros(grid.shape[0], np.int32)
    for _ in range(200):
        grid[:] = WATER
        shore[:] = 0
        done = 0
        for _ in range(4 * areas):
            start = find_start(grid, beside, shore, rng) if done else below(rng, grid.shape[0])
            if start < 0 or done == areas:
                break
            if grow_area(grid, beside, done, start, room, rng):
                fill_holes(grid, beside, done, rng)
                mark_shores(grid, beside, done, shore)
                done += 1
        link(grid, beside, linked)
        if done == areas and reached(linked, areas, room) == areas:
            return True
    return False


# ---------------------------------------------------------------- boards


def draw_map(areas: int, seed: int) -> tuple[Array, Array]:
    """A random map: the grid (int8, flat) and linked[a, b]."""
    grid, linked = np.zeros(ROWS * COLUMNS, np.int8), np.zeros((areas, areas), np.int8)
    if not compiled(grow)(grid, hexes_beside(), areas, linked, stream(seed, 0, 1)):
        raise BadInput(f"{areas} areas do not fit on the map; choose fewer")
    return grid, linked


def write_grid(grid: Array) -> list[str]:
    """Rows of a map as text."""
    letters = np.array([*NAMES, "."])[grid.astype(np.int64)]
    return ["".join(row) for row in letters.reshape(ROWS, COLUMNS)]


def read_grid(rows: list[str]) -> Array:
    """The grid of a map's rows; damage is named by row and column."""
    if len(rows) != ROWS:
        raise BadInput(f"a map has {ROWS} rows of {COLUMNS} characters, this one has {len(rows)} rows")
    for r, row in enumerate(rows):
        if len(row) != COLUMNS:
            raise BadInput(f"row {r + 1} of the map has {len(row)} characters; it needs {COLUMNS}")
        strange = row.strip("." + NAMES)
        if strange:
            where = f"row {r + 1}, column {row.index(strange[0]) + 1}"
            raise BadInput(f"{where} of the map: '{strange[0]}' is neither water nor an area")
    numbers = np.full(256, WATER, np.int8)
    numbers[[ord(name) for name in NAMES]] = np.arange(len(NAMES))
    return numbers[np.frombuffer("".join(rows).encode("latin-1"), np.uint8)]


def deal_owners(areas: int, players: int, rng: Any) -> list[int]:
    """Players in turn get a random free area each."""
    free = list(range(areas))
    owners = [0] * areas
    for turn in range(areas):
        owners[free.pop(int(below(rng, len(free))))] = turn % players
    return owners


def deal_parts(linked: Array, players: int, rng: Any) -> list[int]:
    """Players in turn get a random free area beside their own, wherever there is one: continuous parts."""
    areas = len(linked)
    owners = [-1] * areas
    for turn in range(areas):
        seat = turn % players
        free = [a for a in range(areas) if owners[a] < 0]
        beside = [a for a in free if any(linked[a, b] and owners[b] == seat for b in range(areas))]
        choice = beside or free
        owners[choice[int(below(rng, len(choice)))]] = seat
    return owners


def deal_dice(owners: list[int], players: int, kind: str, rng: Any) -> list[int]:
    """Three a head (`flat`), or three an area less up to five in all, split evenly and spread at random."""
    if kind == "flat":
        return [3] * len(owners)
    total = 3 * len(owners) - int(below(rng, 6))
    dice = [1] * len(owners)
    for seat in range(players):
        mine = [a for a, owner in enumerate(owners) if owner == seat]
        for _ in range(total // players + (seat < total % players) - len(mine)):
            room = [a for a in mine if dice[a] < MOST_DICE]
            if room:
                dice[room[int(below(rng, len(room)))]] += 1
    return dice
