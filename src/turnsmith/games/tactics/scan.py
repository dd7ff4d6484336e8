"""What players look at: one scan of the board's tables a decision, shared by automata and matrices.

A scan is an int64 array with the places below. Chances are percent; exposure is the sum of the chances of all living
enemies to hit, so its mean is that by LIVING. A cell is -1 where there is none to move to.
"""

from __future__ import annotations

import numpy as np

from turnsmith.compile.kernel import scratch
from turnsmith.games.tactics.maps import CELLS
from turnsmith.games.tactics.rules import chance_of

TARGET, HIT, LIVING, EXPOSED, DISTANCE, MOVES, CAN_RELOAD, CAN_COVER = range(8)
ATTACK, ATTACK_HIT, ATTACK_EXPOSED, BALANCED, BALANCED_HIT, BALANCED_EXPOSED, DEFENCE, DEFENCE_EXPOSED = range(8, 16)
"""The enemy to shoot at (its number in its team) and the chance to hit it; enemies alive; exposure here; steps to the
nearest enemy; how many of the legal actions are moves; whether it can reload and take cover; the best cell of each kind
of move, with the best chance from there and the exposure there."""
PLACES = 16
NONE = -1
FARTHEST = 255


def look(board, view, acts, scan):
    """What a soldier sees from where it stands, and what it may do."""
    unit = np.int64(view.unit)
    seat, cell = unit & 1, view.cell[unit]
    scan[TARGET], scan[HIT], scan[LIVING], scan[EXPOSED], scan[DISTANCE] = NONE, 0, 0, 0, FARTHEST
    for number in range(board.team):
        enemy = 2 * number + 1 - seat
        if view.hp[enemy] == 0:
            continue
        scan[LIVING] += 1
        scan[EXPOSED] += np.int64(board.threat[board.kind[enemy], view.cell[enemy], cell])
        scan[DISTANCE] = min(scan[DISTANCE], np.int64(board.steps[cell, view.cell[enemy]]))
        chance = chance_of(board, view, unit, enemy)
        weaker = scan[TARGET] >= 0 and view.hp[enemy] < view.hp[2 * scan[TARGET] + 1 - seat]
        if chance > scan[HIT] or (chance == scan[HIT] and chance > 0 and weaker):
            scan[TARGET], scan[HIT] = number, chance
    last, cells = acts.shape[0] - 1, np.int64(board.cells)
    reload = cells + np.int64(board.team)
    scan[CAN_COVER] = last > 0 and acts[last - 1] == reload + 1
    last -= scan[CAN_COVER]
    scan[CAN_RELOAD] = last > 0 and acts[last - 1] == reload
    last -= scan[CAN_RELOAD]
    can_shoot = last > 0 and acts[last - 1] >= cells
    while last > 0 and acts[last - 1] >= cells:
        last -= 1
    scan[MOVES] = last
    if not can_shoot:
        scan[TARGET], scan[HIT] = NONE, 0


def survey(board, view, first, last, best, exposed, nearest):
    """For every cell from `first` up to `last`: the best chance from there, the exposure there, steps to an enemy."""
    unit = np.int64(view.unit)
    kind = np.uint64(board.kind[unit])
    for cell in range(first, last):
        best[cell], exposed[cell], nearest[cell] = 0, 0, FARTHEST
    for number in range(board.team):
        enemy = 2 * number + 1 - (unit & 1)
        if view.hp[enemy] == 0:
            continue
        at, its = np.uint64(view.cell[enemy]), np.uint64(board.kind[enemy])
        for cell in range(first, last):
            exposed[cell] += board.threat[its, at, cell]
            steps = board.steps_to[at, cell]
            nearest[cell] = steps if steps < nearest[cell] else nearest[cell]
        if view.taking[enemy]:
            for cell in range(first, last):
                chance = np.int64(board.odds[kind, at, cell])
                if chance > 0:
                    best[cell] = max(np.int64(best[cell]), max(board.least, chance - board.taking))
        else:  # cut at `most` when it is read: the best stays the best
            for cell in range(first, last):
                chance = board.odds[kind, at, cell]
                best[cell] = chance if chance > best[cell] else best[cell]


def scan_moves(board, view, acts, caution, scan):
    """Find the best cells to move to: to attack, to defend, and between.

    Attack: the best chance, keeping the points for a shot; fewer steps, where that is equal. Balanced: the best chance
    less `caution` times the exposure. With no shot from any such cell, both are the cell nearest an enemy on foot.
    Defence: the least exposure, then the most cover, then nearest an enemy. Ties go by rank, so both sides see alike.
    """
    best, exposed = scratch(CELLS, np.uint8), scratch(CELLS, np.uint16)
    nearest = scratch(CELLS, np.uint8)
    unit = np.int64(view.unit)
    cell, seat, side = np.int64(view.cell[unit]), unit & 1, np.int64(board.side)
    pace = np.int64(board.pace[board.kind[unit]])
    reach, row = pace * np.int64(view.points), cell // side
    survey(board, view, np.uint64(max(0, row - reach) * side), np.uint64(min(side, row + reach + 1) * side), best,
           exposed, nearest)  # fmt: skip
    close = pace * (np.int64(view.points) - np.int64(board.shot_points))
    living, most = scan[LIVING], np.int64(board.most)
    attack, balanced, defence, approach = np.int64(-1), -1e18, np.int64(-1), np.int64(-1)
    scan[ATTACK] = scan[BALANCED] = scan[DEFENCE] = towards = NONE
    scan[ATTACK_HIT] = 0
    for index in range(scan[MOVES]):
        to = np.uint64(acts[index])
        order = 4095 - np.int64(board.rank[seat, to])
        away, steps = 255 - np.int64(nearest[to]), np.int64(board.steps[cell, to])
        safety = ((4095 - np.int64(exposed[to])) * 16 + np.int64(board.shelter[to])) * 256 + away
        if safety * 4096 + order > defence:
            defence, scan[DEFENCE] = safety * 4096 + order, to
        if steps <= close:
            chance = min(most, np.int64(best[to]))
            value = (chance * 256 + 255 - steps) * 4096 + order
            if value > attack:
                attack, scan[ATTACK], scan[ATTACK_HIT] = value, to, chance
            even = (chance * living - caution * exposed[to]) * 4096.0 + order
            if even > balanced:
                balanced, scan[BALANCED] = even, to
            if away * 4096 + order > approach:
                approach, towards = away * 4096 + order, np.int64(to)
    if scan[ATTACK_HIT] == 0:
        scan[ATTACK] = scan[BALANCED] = towards
    note_cell(scan, ATTACK, ATTACK_HIT, ATTACK_EXPOSED, best, exposed, most)
    note_cell(scan, BALANCED, BALANCED_HIT, BALANCED_EXPOSED, best, exposed, most)
    scan[DEFENCE_EXPOSED] = exposed[scan[DEFENCE]] if scan[DEFENCE] >= 0 else scan[EXPOSED]


def note_cell(scan, place, hit, danger, best, exposed, most):
    """The chance from a chosen cell and the exposure there; without a cell, as if nothing were gained by moving."""
    cell = scan[place]
    scan[hit] = min(most, np.int64(best[cell])) if cell >= 0 else 0
    scan[danger] = exposed[cell] if cell >= 0 else scan[EXPOSED]
