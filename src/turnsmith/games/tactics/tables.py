"""What follows from a map's heights: steps between cells, lines of sight, the chance of every shot.

All pairs of cells, so loops run over whole rows of a table and let the compiler take many cells at once. Sight is
exact: its numbers are whole and below 2**24, where float32 is exact too and, unlike numba's integers, stays narrow.
"""

from __future__ import annotations

import numpy as np

from turnsmith.compile.kernel import scratch

FAR = 255
"""More steps than are counted, or no way at all."""
EAST, SOUTH, WEST, NORTH = range(4)
LONGEST = 256
"""Edges a ray crosses at most."""


def note_neighbours(side, beside):
    """beside[c, way]: the cell there, -1 beyond the edge."""
    for cell in range(side * side):
        x, y = cell % side, cell // side
        beside[cell, EAST] = cell + 1 if x + 1 < side else -1
        beside[cell, SOUTH] = cell + side if y + 1 < side else -1
        beside[cell, WEST] = cell - 1 if x > 0 else -1
        beside[cell, NORTH] = cell - side if y > 0 else -1


def can_step(heights, cell, other):
    """Up by one at most, down as deep as it goes."""
    return heights[other] <= heights[cell] + 1


# ---------------------------------------------------------------- steps


def measure_steps(heights, beside, steps_to):
    """steps_to[c, s]: steps from s to c, for all s at once; sweeps over the map until nothing gets nearer."""
    cells = beside.shape[0]
    for cell in range(cells):
        for other in range(cells):
            steps_to[cell, other] = FAR if cell != other else 0
    changed, sweep = True, 0
    while changed:
        changed = False
        for index in range(cells):
            cell = index if sweep & 1 == 0 else cells - 1 - index
            for way in range(4):
                other = beside[cell, way]
                if other >= 0 and can_step(heights, other, cell):
                    changed |= take_nearer(steps_to[cell], steps_to[other], cells)
        sweep += 1


def take_nearer(row, before, cells):
    """Where one step from `before` is nearer than `row` says, it is that; whether it was anywhere."""
    gained = np.uint8(0)
    for index in range(cells):
        here, there = row[index], before[index]
        near = np.uint8(there + np.uint8(there < FAR))
        row[index] = near if near < here else here
        gained |= here ^ row[index]
    return gained != 0


# ---------------------------------------------------------------- sight


def edge_tops(heights, side, pad, tops):
    """What a ray must clear where it leaves a cell to the east [0] and south [1] (the higher of two cells), and through
    its south-east [2] and south-west [3] corner (the higher of the two cells there, or both cells beside)."""
    for cell in range(side * side):
        x, y = cell % side, cell // side
        here = heights[cell]
        if x + 1 < side:
            tops[0, pad + cell] = max(here, heights[cell + 1])
        if y + 1 < side:
            tops[1, pad + cell] = max(here, heights[cell + side])
        if x + 1 < side and y + 1 < side:
            beside = min(heights[cell + 1], heights[cell + side])
            tops[2, pad + cell] = max(max(here, heights[cell + side + 1]), beside)
        if x > 0 and y + 1 < side:
            beside = min(heights[cell - 1], heights[cell + side])
            tops[3, pad + cell] = max(max(here, heights[cell + side - 1]), beside)


def crossings(dx, dy, side, kinds, offsets, times):
    """Where a ray from the middle of a cell to the middle of the one (dx, dy) away, dy >= 0, crosses edges.

    Crossing k is of edge kinds[k] (see ``edge_tops``) of the cell offsets[k] further, when times[k] / whole of the way
    are gone. Returns how many there are, and `whole`.
    """
    wide, right = abs(dx), 1 if dx > 0 else -1
    whole = 2 * max(wide, 1) * max(dy, 1)
    count = across = down = 0
    while across < wide or down < dy:
        at_side = (2 * across + 1) * whole // (2 * wide) if across < wide else 2 * whole
        at_foot = (2 * down + 1) * whole // (2 * dy) if down < dy else 2 * whole
        cell = down * side + right * across
        times[count] = min(at_side, at_foot)
        if at_side == at_foot:
            kinds[count], offsets[count] = (2 if right > 0 else 3), cell
        elif at_side < at_foot:
            kinds[count], offsets[count] = 0, (cell if right > 0 else cell - 1)
        else:
            kinds[count], offsets[count] = 1, cell
        across += at_side <= at_foot
        down += at_foot <= at_side
        count += 1
    return count, whole


def lower(clearance, eyes, tops, first, last, offset, reach, time, whole):
    """For rays from the cells first..last to those `reach` further: clearance falls to that at one crossing."""
    rest, gone, all_ = np.float32(whole - time), np.float32(time), np.float32(whole)
    target, edge = np.uint64(reach), np.uint64(offset)  # unsigned: an index that cannot be negative is not looked at
    for cell in range(np.uint64(first), np.uint64(last)):
        over = eyes[cell] * rest + eyes[cell + target] * gone - tops[cell + edge] * all_
        clearance[cell] = over if over < clearance[cell] else clearance[cell]


def measure_sight(heights, side, farthest, sight):
    """sight[a, b]: whether a ray from the eyes over a, one level up, clears every edge on its way to those over b.

    For every way (dx, dy) all rays of that way are followed at once; those that would leave the map at its sides are
    followed too, into the padding, and left out at the end.
    """
    cells, pad = side * side, 2 * side + 2
    eyes, tops = np.zeros(cells + 2 * pad, np.float32), np.zeros((4, cells + 2 * pad), np.float32)
    clearance = np.zeros(cells + 2 * pad, np.float32)
    edge_tops(heights, side, pad, tops)
    for cell in range(cells):
        eyes[pad + cell] = heights[cell] + 1
        sight[cell, cell] = 1
    kinds, offsets, times = scratch(LONGEST, np.int64), scratch(LONGEST, np.int64), scratch(LONGEST, np.int64)
    for dy in range(side):
        for dx in range(1 - side, side):
            if (dy == 0 and dx <= 0) or dx * dx + dy * dy > farthest * farthest:
                continue
            count, whole = crossings(dx, dy, side, kinds, offsets, times)
            reach = dy * side + dx
            first, last = pad, pad + cells - dy * side
            for cell in range(first, last):
                clearance[cell] = 0.0
            for index in range(count):
                lower(clearance, eyes, tops[kinds[index]], first, last, offsets[index], reach, times[index], whole)
            for y in range(side - dy):
                for x in range(max(0, -dx), min(side, side - dx)):
                    cell = y * side + x
                    clear = clearance[pad + cell] >= 0
                    sight[cell, cell + reach], sight[cell + reach, cell] = clear, clear


def join_rows(row, other, cells):
    for index in range(cells):
        row[index] |= other[index]


def measure_fire(heights, side, beside, sight, peeks, fire):
    """fire[s, t]: whether any ray goes from s or a neighbour that can be walked to and back from, to t or a neighbour
    that can be walked to. `peeks` is a table to work in, zero as `fire` is."""
    cells = side * side
    for cell in range(cells):
        join_rows(peeks[cell], sight[cell], cells)
        for way in range(4):
            other = beside[cell, way]
            if other >= 0 and can_step(heights, cell, other) and can_step(heights, other, cell):
                join_rows(peeks[cell], sight[other], cells)
    steps = np.zeros((4, cells), np.uint8)
    for cell in range(cells):
        for way in range(4):
            other = beside[cell, way]
            steps[way, cell] = other >= 0 and can_step(heights, cell, other)
    for cell in range(cells):
        join_rows(fire[cell], peeks[cell], cells)
        for way in range(steps.shape[0]):
            shift = (1 if way == EAST else side) if way < WEST else (-1 if way == WEST else -side)
            first, last, other = max(0, -shift), min(cells, cells - shift), np.uint64(shift)
            for index in range(np.uint64(first), np.uint64(last)):
                fire[cell, index] |= peeks[cell, index + other] & steps[way, index]


# ---------------------------------------------------------------- chances


def distance_bonus(board, kind, squared):
    """What a weapon adds at a distance, given by its square, rounded to whole percent."""
    off = np.sqrt(1.0 * squared) - board.optimum[kind]
    slope = board.nearer[kind] if off < 0 else board.farther[kind]
    return int(board.bonus[kind]) + int(np.floor(slope * abs(off) + 0.5))


def height_bonus(board, cell, other):
    """What a shooter on `cell` gains from standing higher than `other`, or loses."""
    levels = int(board.heights[cell]) - int(board.heights[other])
    return max(-board.height_most, min(board.height_most, board.level * levels))


def cover_from(board, cell, dx, dy):
    """The level of cover, 0 to 2, that a cell has from a shooter (dx, dy) away: the best of the sides that count."""
    level = 0
    if 2 * abs(dx) >= abs(dy) and dx != 0:
        level = int(board.cover[cell, EAST if dx > 0 else WEST])
    if 2 * abs(dy) >= abs(dx) and dy != 0:
        level = max(level, int(board.cover[cell, SOUTH if dy > 0 else NORTH]))
    return level


def measure_cover(board, beside):
    """The cover of every side of every cell: 1 where the neighbour is one level higher, 2 where it is two or more."""
    for cell in range(board.cells):
        total = 0
        for way in range(4):
            other = beside[cell, way]
            level = 0 if other < 0 else min(2, max(0, int(board.heights[other]) - int(board.heights[cell])))
            board.cover[cell, way] = level
            total += level
        board.shelter[cell] = total


def measure_odds(board, fire):
    """odds[k, t, s] and threat[k, s, t]; see the rules' Board."""
    side, cells = int(board.side), int(board.cells)
    top = board.most + board.taking
    by_distance = np.zeros(2 * side * side, np.int64)
    relief = scratch(3, np.int64)
    relief[0], relief[1], relief[2] = 0, board.half, board.full
    for kind in range(board.classes):
        for squared in range(2 * side * side):
            by_distance[squared] = board.aim[kind] + distance_bonus(board, kind, squared)
        limit = board.range[kind] * board.range[kind]
        for cell in range(cells):
            x, y = cell % side, cell // side
            for other in range(cells):
                if not fire[cell, other] or cell == other:
                    continue
                dx, dy = x - other % side, y - other // side
                squared = dx * dx + dy * dy
                if squared <= limit:
                    chance = by_distance[squared] + height_bonus(board, cell, other)
                    chance = max(board.least, min(top, chance - relief[cover_from(board, other, dx, dy)]))
                    board.odds[kind, other, cell] = chance
                    board.threat[kind, cell, other] = min(board.most, chance)


def measure_danger(board):
    """danger[k, s, t]: the greatest threat to t of a soldier on s that may move first and still has points to shoot."""
    cells, spare = int(board.cells), int(board.points - board.shot_points)
    for kind in range(board.classes):
        pace = int(board.pace[kind])
        for cell in range(cells):
            for other in range(cells):
                if int(board.steps[cell, other]) <= pace * spare:
                    take_greater(board.danger[kind, cell], board.threat[kind, other], cells)


def take_greater(row, other, cells):
    for index in range(cells):
        row[index] = other[index] if other[index] > row[index] else row[index]


# ---------------------------------------------------------------- all of it


def fill_tables(boards):
    """Everything of a board that follows from its heights and settings."""
    board = boards[0]
    side, cells = int(board.side), int(board.cells)
    beside = np.zeros((cells, 4), np.int64)
    note_neighbours(side, beside)
    measure_cover(board, beside)
    measure_steps(board.heights, beside, board.steps_to)
    for cell in range(cells):
        for other in range(cells):
            board.steps[other, cell] = board.steps_to[cell, other]
    farthest = 0
    for kind in range(board.classes):
        farthest = max(farthest, int(board.range[kind]) + 2)  # by a peek from either cell
        for cell in range(cells):
            mark_reach(board, kind, cell)
    sight, peeks = np.zeros((cells, cells), np.uint8), np.zeros((cells, cells), np.uint8)
    fire = np.zeros((cells, cells), np.uint8)
    measure_sight(board.heights, side, farthest, sight)
    measure_fire(board.heights, side, beside, sight, peeks, fire)
    measure_odds(board, fire)
    measure_danger(board)


def mark_reach(board, kind, cell):
    """reach[kind, p, cell]: the cells a soldier can walk to for p + 1 points, as bits."""
    pace = int(board.pace[kind])
    for other in range(board.cells):
        steps = int(board.steps[cell, other])
        if 0 < steps <= pace * board.points:
            for points in range((steps - 1) // pace, board.points):
                board.reach[kind, points, cell, other >> 6] |= np.uint64(1) << np.uint64(other & 63)
