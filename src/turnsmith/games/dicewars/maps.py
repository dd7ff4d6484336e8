"""Maps: areas of hexes grown at random, who owns them and how many dice stand on each.

A map is a grid of 28 rows of 32 hexes, odd rows shifted right by half a hex; in its description `.` is water and every
other character an area. While a map grows, a set of hexes is one word of bits a row; rows and columns count from 1, so
that there is room around the edge.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import lowest_bit, nth_bit, popcount, scratch
from turnsmith.compile.rng import below

ROWS, COLUMNS = 28, 32
HEXES = ROWS * COLUMNS
EDGED = ROWS + 2
SMALLEST, LARGEST = 12, 18
AREAS = 62
NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
WATER, NO_SIGN = -1, -2
MOST_DICE = 8
ONE = np.uint64(1)
ROW = np.uint64(2 * (2**COLUMNS - 1))
"""The hexes of a row as bits."""


@cache
def hexes_beside() -> Array:
    """int32[hexes, 6]: the neighbours of every hex, -1 beyond the edge."""
    table = np.full((HEXES, 6), -1, np.int32)
    for row in range(ROWS):
        shift = row & 1
        steps = [(0, 1), (0, -1), (1, shift), (1, shift - 1), (-1, shift), (-1, shift - 1)]
        for column in range(COLUMNS):
            for side, (down, right) in enumerate(steps):
                if 0 <= row + down < ROWS and 0 <= column + right < COLUMNS:
                    table[row * COLUMNS + column, side] = (row + down) * COLUMNS + column + right
    return table


# ---------------------------------------------------------------- sets of hexes


def beside_row(bits, row):
    """Hexes of a row that touch the set `bits`; some of them may lie beyond the edge."""
    near = bits[row - 1] | bits[row + 1]
    near |= (near << ONE) if row & 1 else (near >> ONE)
    return near | (bits[row] << ONE) | (bits[row] >> ONE)


def around(bits, row, column):
    """Which of the six hexes beside one are in the set `bits`, as bits whose places `step` knows."""
    left = np.uint64(column - (row & 1))  # the left one of the two hexes above, and of the two below
    same = (bits[row] >> np.uint64(column - 1)) & np.uint64(5)
    upper, lower = (bits[row - 1] >> left) & np.uint64(3), (bits[row + 1] >> left) & np.uint64(3)
    return same | (upper << np.uint64(3)) | (lower << np.uint64(5))


def step(row, column, place):
    """The row and column that a place of `around` stands for."""
    other_row, lower = np.int64(place >= 3), np.int64(place >= 5)  # numbers, not branches: which one nobody can guess
    beside, across = column - 1 + place, column - (row & 1) + ((place + 1) & 1)
    return row - other_row + 2 * lower, beside + other_row * (across - beside)


# ---------------------------------------------------------------- growing


def find_start(water, shore, rng):
    """A random hex beside a shore but not on one: the area grows towards the land and leaves some water between.

    Its row and column; row 0 if there is none.
    """
    found = scratch(EDGED, np.uint64)
    count = 0
    for row in range(1, ROWS + 1):
        found[row] = beside_row(shore, row) & ~shore[row] & water[row]
        count += np.int64(popcount(found[row]))
    if count == 0:
        return 0, 0
    skip = below(rng, count)
    row = 1
    while skip >= np.int64(popcount(found[row])):
        skip -= np.int64(popcount(found[row]))
        row += 1
    return row, nth_bit(found[row], skip)


def grow_area(water, row, column, own, rng):
    """Grow an area by random free neighbours of its random hexes; False, and nothing changed, if it is hemmed in.

    `own` is filled with its hexes, which are no longer water.
    """
    wanted = SMALLEST + below(rng, LARGEST - SMALLEST + 1)
    rows, columns = scratch(LARGEST, np.int64), scratch(LARGEST, np.int64)  # of hexes that may have free neighbours
    for line in range(EDGED):
        own[line] = 0
    size = count = 0
    while True:
        water[row] &= ~(ONE << np.uint64(column))
        own[row] |= ONE << np.uint64(column)
        rows[count], columns[count] = row, column
        count += 1
        size += 1
        if size == wanted:
            return True
        free = np.uint64(0)
        while free == 0 and count > 0:
            index = below(rng, count)
            row, column = rows[index], columns[index]
            free = around(water, row, column)
            if free == 0:
                count -= 1
                rows[index], columns[index] = rows[count], columns[count]
        if free == 0:
            for line in range(EDGED):
                water[line] |= own[line]
            return False
        row, column = step(row, column, nth_bit(free, below(rng, np.int64(popcount(free)))))


def fill_holes(water, own, rng):
    """Give an area up to three free hexes that five of its own surround, and now and then one that four do."""
    filled = 0
    for row in range(1, ROWS + 1):
        candidates = beside_row(own, row) & water[row]
        while candidates and filled < 3:
            column = lowest_bit(candidates)
            candidates &= candidates - ONE
            owned = np.int64(popcount(around(own, row, column)))
            if owned >= 5 or (owned == 4 and below(rng, 3) == 0):
                own[row] |= ONE << np.uint64(column)
                water[row] &= ~own[row]
                filled += 1


def settle(grid, water, shore, own, area, linked):
    """Enter a grown area: its hexes in the grid, its shore, and links to the areas it touches."""
    linked[area] = 0
    for row in range(1, ROWS + 1):
        start = (row - 1) * COLUMNS - 1
        near = beside_row(own, row) & ROW & ~own[row]
        shore[row] |= near
        left = near & ~water[row]
        while left:
            other = np.uint64(grid[start + lowest_bit(left)])
            linked[area] |= ONE << other
            linked[other] |= ONE << np.uint64(area)
            left &= left - ONE
        left = own[row]
        while left:
            grid[start + lowest_bit(left)] = area
            left &= left - ONE


def link(grid, beside, linked):
    """linked[a]: the areas that touch area a, as bits."""
    for area in range(linked.shape[0]):
        linked[area] = 0
    for place in range(HEXES):
        area = np.int64(grid[place])
        if area == WATER:
            continue
        for side in range(0, 6, 2):  # the other three sides see the same pairs
            other = beside[place, side]
            if other >= 0 and grid[other] != WATER and grid[other] != area:
                linked[area] |= ONE << np.uint64(grid[other])
                linked[grid[other]] |= ONE << np.uint64(area)


def region_of(linked, areas, start):
    """The connected region, among the set `areas`, that holds the set `start`."""
    region = fresh = start
    while fresh:
        area = lowest_bit(fresh)
        fresh &= fresh - ONE
        new = linked[area] & areas & ~region
        region |= new
        fresh |= new
    return region


def grow(grid, areas, linked, rng):
    """Fill `grid` (int8, flat) and `linked` (see `link`) with a connected map of so many areas; False if it fails."""
    water, shore, own = scratch(EDGED, np.uint64), scratch(EDGED, np.uint64), scratch(EDGED, np.uint64)
    everything = (ONE << np.uint64(areas)) - ONE
    for _ in range(200):
        for place in range(HEXES):
            grid[place] = WATER
        for row in range(EDGED):
            water[row] = ROW if 0 < row <= ROWS else np.uint64(0)
            shore[row] = 0
        done = 0
        for _ in range(4 * areas):
            if done == 0:
                row, column = 1 + below(rng, ROWS), 1 + below(rng, COLUMNS)
            else:
                row, column = find_start(water, shore, rng)
            if row == 0 or done == areas:
                break
            if grow_area(water, row, column, own, rng):
                fill_holes(water, own, rng)
                settle(grid, water, shore, own, done, linked)
                done += 1
        if done == areas and region_of(linked, everything, ONE) == everything:
            return True
    return False


# ---------------------------------------------------------------- dealing


def deal_owners(linked, players, parts, owners, rng):
    """Players in turn get a random free area each: anywhere, or in `parts` beside their own wherever there is one."""
    free = (ONE << np.uint64(owners.shape[0])) - ONE
    around = scratch(8, np.uint64)
    for seat in range(players):
        around[seat] = 0
    for turn in range(owners.shape[0]):
        seat = turn % players
        choice = free & around[seat]
        if not parts or choice == 0:
            choice = free
        area = nth_bit(choice, below(rng, np.int64(popcount(choice))))
        owners[area] = seat
        free &= ~(ONE << np.uint64(area))
        around[seat] |= linked[area]


def deal_dice(owners, players, flat, dice, rng):
    """Three an area (`flat`), or three an area less up to five in all, shared out and spread at random.

    A seat's share is what is left, by the seats left, rounded to the nearest, halves to the even: of 86 dice four seats
    get 22, 21, 22 and 21.
    """
    left = 3 * owners.shape[0] - below(rng, 6)
    for area in range(owners.shape[0]):
        dice[area] = 3 if flat else 1
    if flat:
        return
    for seat in range(players):
        room, mine = np.uint64(0), 0
        for area in range(owners.shape[0]):
            if owners[area] == seat:
                room |= ONE << np.uint64(area)
                mine += 1
        seats = players - seat
        share, rest = left // seats, left % seats
        if 2 * rest > seats or (2 * rest == seats and share & 1):
            share += 1
        left -= share
        for _ in range(share - mine):
            if room:
                area = nth_bit(room, below(rng, np.int64(popcount(room))))
                dice[area] += 1
                if dice[area] == MOST_DICE:
                    room &= ~(ONE << np.uint64(area))


# ---------------------------------------------------------------- as text


@cache
def _signs() -> tuple[bytes, bytes]:
    """The sign of every area (or water) as a byte, and the area of every sign."""
    places = bytes(np.array([*range(AREAS), WATER], np.int8).view(np.uint8))
    signs, areas = bytearray(256), bytearray([NO_SIGN % 256] * 256)
    for place, sign in zip(places, (NAMES + ".").encode(), strict=True):
        signs[place], areas[sign] = sign, place
    return bytes(signs), bytes(areas)


def write_grids(grids: Array) -> list[list[str]]:
    """The rows of each map as text."""
    text = grids.tobytes().translate(_signs()[0]).decode()
    rows = [text[place : place + COLUMNS] for place in range(0, len(text), COLUMNS)]
    return [rows[first : first + ROWS] for first in range(0, len(rows), ROWS)]


def read_grid(rows: list[str]) -> Array:
    """The grid of a map's rows; damage is named by row and column."""
    if len(rows) != ROWS:
        raise BadInput(f"a map has {ROWS} rows of {COLUMNS} characters, this one has {len(rows)} rows")
    grid = np.frombuffer("".join(rows).encode("latin-1", "replace").translate(_signs()[1]), np.int8)
    for r, row in enumerate(rows):
        if len(row) != COLUMNS:
            raise BadInput(f"row {r + 1} of the map has {len(row)} characters; it needs {COLUMNS}")
    if grid.min() == NO_SIGN:
        r, c = divmod(int(np.argmin(grid)), COLUMNS)
        raise BadInput(f"row {r + 1}, column {c + 1} of the map: '{rows[r][c]}' is neither water nor an area")
    return grid
