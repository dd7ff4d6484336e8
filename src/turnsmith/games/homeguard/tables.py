"""Tables of a board, from covers and portals: steps, distances, and the damage of a shot between all pairs of places.

A place is a cell that soldiers walk on, counted row by row: place = cell // 2. All here is compiled.
"""

from __future__ import annotations

import numpy as np

from turnsmith.compile.kernel import scratch
from turnsmith.games.homeguard.maps import CELLS, NONE, SHORT

PLACES = (CELLS + 1) // 2
STAY, PORTAL, WAYS = 0, 5, 6
STEPS_X, STEPS_Y = (0, 1, 1, -1, -1), (0, 1, -1, 1, -1)
"""The first five actions as columns to the right and rows down; the sixth goes through a portal."""
CLEAR, SHIELDED = 10, 5
RANGE = 81
"""Twice the range, squared: shots reach 4.5 cells."""


def fill_tables(boards):
    for index in range(len(boards)):
        fill_steps(boards[index])
        for place in range(boards[index].places):
            fill_distances(boards[index], place)
        fill_damage(boards[index])
        fill_refuges(boards[index])


def fill_steps(board):
    """Where each action leads, -1 for nowhere."""
    side = np.int64(board.side)
    for place in range(board.places):
        x, y = 2 * place % side, 2 * place // side
        board.x[place], board.y[place] = x, y
        for way in range(PORTAL):
            to_x, to_y = x + STEPS_X[way], y + STEPS_Y[way]
            inside = 0 <= to_x < side and 0 <= to_y < side
            board.near[place, way] = (to_y * side + to_x) // 2 if inside else -1
        board.near[place, PORTAL] = -1
    for pair in range(board.pairs):
        one, other = np.int64(board.portal[pair, 0]) // 2, np.int64(board.portal[pair, 1]) // 2
        board.near[one, PORTAL], board.near[other, PORTAL] = other, one


def fill_distances(board, start):
    """Breadth first: the steps from a place to all others, and the order in which they were met."""
    queue = scratch(PLACES, np.int16)
    for place in range(board.places):
        board.steps[start, place] = 255
    board.steps[start, start] = 0
    queue[0] = start
    done, met = 0, 1
    while done < met:
        place = queue[done]
        done += 1
        for way in range(1, WAYS):
            beside = board.near[place, way]
            if beside >= 0 and board.steps[start, beside] == 255:
                board.steps[start, beside] = board.steps[start, place] + 1
                queue[met] = beside
                met += 1
    for corner in range(2):
        if start == board.corner[corner]:
            for index in range(met):
                board.refuge[corner, index] = queue[index]


def fill_refuges(board):
    """The other corner comes second; behind it the places stay in the order of their distance."""
    for corner in range(2):
        other, found = board.corner[1 - corner], 1
        while board.refuge[corner, found] != other:
            found += 1
        for index in range(found, 1, -1):
            board.refuge[corner, index] = board.refuge[corner, index - 1]
        board.refuge[corner, 1] = other


def fill_damage(board):
    for shooter in range(board.places):
        for target in range(board.places):
            board.damage[shooter, target] = damage_of(board, shooter, target)


def damage_of(board, shooter, target):
    """What a shot does: the worst cover on the line counts, sampled at every column and every row between the two."""
    x, y = np.int64(board.x[shooter]), np.int64(board.y[shooter])
    dx, dy = np.int64(board.x[target]) - x, np.int64(board.y[target]) - y
    if 4 * (dx * dx + dy * dy) > RANGE:
        return 0
    worst = NONE
    for column in range(1, abs(dx)):
        at_x, across = x + (column if dx > 0 else -column), column * dy
        worst = max(worst, cover_between(board, at_x, y, across, abs(dx), False, x, y))
    for row in range(1, abs(dy)):
        at_y, across = y + (row if dy > 0 else -row), row * dx
        worst = max(worst, cover_between(board, at_y, x, across, abs(dy), True, x, y))
    return CLEAR if worst == NONE else SHIELDED if worst == SHORT else 0


def cover_between(board, line, start, across, length, turned, x, y):
    """The cover where a shot from (x, y) crosses a column, or, turned, a row: at start + across / length on it. Exactly
    between two cells the weaker cover counts, or with strict rules the stronger."""
    low = (2 * across + length - 1) // (2 * length)  # rounded, a half down
    high = (2 * across + length) // (2 * length)  # rounded, a half up
    one = cover_met(board, line, start + low, turned, x, y)
    other = cover_met(board, line, start + high, turned, x, y)
    return max(one, other) if board.strict else min(one, other)


def cover_met(board, line, across, turned, x, y):
    """The cover of a cell as the shooter on (x, y) meets it: a stone beside it is none."""
    column, row = (across, line) if turned else (line, across)
    cover = np.int64(board.cover[row * np.int64(board.side) + column])
    return NONE if cover == SHORT and abs(column - x) + abs(row - y) == 1 else cover
