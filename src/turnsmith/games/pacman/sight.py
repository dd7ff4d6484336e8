"""What learners see of Pac-Man: planes for nets that look at a map, and a list of numbers for small nets.

Both show a unit that decides, those of its team that have decided standing where they go. The numbers say of each way
it has what would be there: dots, ghosts, and the cells a pacman reaches before any ghost. They are counted off rows of
distances, a byte a cell, so that compiled code takes many cells at once; a small net and they are a hundred times as
fast as a net that looks at planes.
"""

from __future__ import annotations

import numpy as np

from turnsmith.compile.kernel import scratch
from turnsmith.games.pacman.maps import CELLS, UNITS
from turnsmith.games.pacman.rules import PACMANS, WAYS, fill_targets, has_dot, is_taken, share_eaten, to_move

PLANES = (
    *("pacmans", "ghosts", "dots", "walls", "decides", "going", "is_pacmans", "turns_left", "eaten"),
    *("near_pacman", "near_ghost", "near_dot"),
)
NEAR, PATIENT = 32, 64
"""Steps from which on nothing is near; turns left of which the plane shows half its greatest number."""


def plane_names(board):
    return list(PLANES)


def plane_shape(board):
    return int(board.height), int(board.width)


def planes(board, view, viewer, out):
    """Where things are; of the team to move the unit that decides now, and where those go that have decided; whether
    the viewer has the pacmans, the turns left and the share eaten (0 to 255), on the whole plane; and how near a cell
    is to the nearest pacman, ghost and dot."""
    turns = (np.int64(board.t_max) - np.int64(view.ply) + 1) // 2
    left, eaten = 255 * turns // (turns + PATIENT), np.int64(255 * share_eaten(view))
    for y in range(board.height):
        for x in range(board.width):
            for plane in range(len(PLANES)):
                out[plane, y, x] = 0
            out[3, y, x] = 1
            out[6, y, x] = 1 if viewer == PACMANS else 0
            out[7, y, x], out[8, y, x] = left, eaten
    for cell in range(board.cells):
        x, y = board.x[cell], board.y[cell]
        out[2, y, x] = 1 if has_dot(view, cell) else 0
        out[3, y, x] = 0
        out[9, y, x] = nearness(board, view.pacman, np.int64(view.pacmans), cell)
        out[10, y, x] = nearness(board, view.ghost, np.int64(view.ghosts), cell)
    mark_near_dots(board, view, out[11])
    for unit in range(view.pacmans):
        out[0, board.y[view.pacman[unit]], board.x[view.pacman[unit]]] = 1
    for unit in range(view.ghosts):
        out[1, board.y[view.ghost[unit]], board.x[view.ghost[unit]]] = 1
    if to_move(board, view) >= 0:
        target = scratch(UNITS, np.int64)
        pacmans_move, decided = np.int64(view.ply) & 1 == PACMANS, np.int64(view.decided)
        cell = fill_targets(board, view, pacmans_move, decided, np.int64(view.chosen), target)
        out[4, board.y[cell], board.x[cell]] = 1
        for unit in range(decided):
            out[5, board.y[target[unit]], board.x[target[unit]]] = 1


def nearness(board, cells, count, cell):
    """NEAR less the steps to the nearest of some units, 0 if it is far."""
    least = np.int64(NEAR)
    for unit in range(count):
        least = min(least, np.int64(board.dist[cells[unit], cell]))
    return NEAR - least


def mark_near_dots(board, view, plane):
    """NEAR less the steps to the nearest dot: from the dots outwards, one step at a time."""
    queue, steps, first, last = scratch(CELLS, np.int64), scratch(CELLS, np.int64), 0, 0
    for cell in range(board.cells):
        if has_dot(view, cell):
            plane[board.y[cell], board.x[cell]] = NEAR
            queue[last], steps[last] = cell, 0
            last += 1
    while first < last:
        cell, far = queue[first], steps[first] + 1
        first += 1
        for way in range(WAYS - 1):
            to = np.int64(board.near[cell, way])
            if far < NEAR and to >= 0 and plane[board.y[to], board.x[to]] == 0:
                plane[board.y[to], board.x[to]] = NEAR - far
                queue[last], steps[last] = to, far
                last += 1


# ---------------------------------------------------------------- a list of numbers

WHOLE = (
    "pacmans_move", "ghosts_move", "units_left", "last_unit", "one_pacman", "pacmans", "ghosts", "eaten", "left",
    "few_left", "turns_left", "few_turns", "pace", "eaten_now", "caught_now", "won_cells", "won_dots", "sure_dots",
    "near_dot",
)  # fmt: skip
"""Of the position: whose turn it is, how far the game is, what the team's decisions so far bring, and what pacmans
have together: cells and dots they reach before any ghost, and the nearest dot."""
OF_EACH = (
    "lives", "cramped", "little_room", "room", "sure_room", "escapes", "many_escapes", "dots_5", "dots_10", "own_dots",
    "near_own_dot", "beside", "near_ghost", "close_ghost", "second_ghost", "third_ghost", "all_ghosts",
)  # fmt: skip
"""Of the two most cramped pacmans, one after the other: cells, crossroads and dots that it reaches before any ghost,
and how near ghosts are."""
EACH = 2
OF_PACMAN = (
    "open", "eats", "dies", "beside", "near_ghost", "close_ghost", "second_ghost", "cramped", "little_room", "room",
    "sure_room", "much_sure_room", "dots_2", "dots_5", "dots_10", "own_dots", "near_dot", "close_dot", "near_own_dot",
    "won_dots", "won_cells", "escapes", "exits",
)  # fmt: skip
"""Of a way that a pacman may go."""
OF_GHOST = (
    "open", "catches", "near_pacman", "close_pacman", "second_pacman", "won_cells", "won_dots", "near_won_dots",
    "sure_dots", "least_room", "little_room", "second_room", "escapes", "is_nearest", "near_friend", "exits",
)  # fmt: skip
"""Of a way that a ghost may go."""
EACH_FROM = len(WHOLE)
PACMAN_FROM = EACH_FROM + EACH * len(OF_EACH)
GHOST_FROM = PACMAN_FROM + WAYS * len(OF_PACMAN)
COUNT = GHOST_FROM + WAYS * len(OF_GHOST)
AHEAD = 4
"""Steps by which a pacman is surely ahead of ghosts."""
GONE = -1
"""The cell of a pacman that is caught."""
NOWHERE = 255
"""Steps to where nobody comes."""
NONE = np.uint16(0)
"""Where counts of cells begin: in two bytes, so that compiled code counts 32 cells at once."""
CROSSROAD = 3
"""Ways, to stay among them, of a cell that is no crossroad, at most."""
LITTLE, MORE, MUCH = 6, 24, 12
"""Cells of room that count as little, some more, and enough to be sure."""


def feature_names(board):
    ways = ("up", "left", "down", "right", "stay")
    teams = {"pacman": OF_PACMAN, "ghost": OF_GHOST}
    each = [f"{which} {name}" for which in ("most cramped", "next") for name in OF_EACH]
    return [*WHOLE, *each, *(f"{team} {way} {name}" for team, names in teams.items() for way in ways for name in names)]


def features(board, view, viewer, out):
    """The numbers, about 0 to 1 each; those of ways that the unit to decide does not have are 0."""
    for place in range(COUNT):
        out[place] = 0.0
    pacmans_move, decided = np.int64(view.ply) & 1 == PACMANS, np.int64(view.decided)
    goes_on = to_move(board, view) >= 0
    count = np.int64(view.pacmans) if pacmans_move else np.int64(view.ghosts)
    pacman, ghost, dots = scratch(UNITS, np.int64), scratch(UNITS, np.int64), scratch(CELLS, np.uint8)
    pacmans, ghosts = np.int64(view.pacmans), np.int64(view.ghosts)
    for unit in range(pacmans):
        pacman[unit] = view.pacman[unit]
    for unit in range(ghosts):
        ghost[unit] = view.ghost[unit]
    for word in range(full(board) // 64):
        bits = view.dots[word]
        for bit in range(64):
            dots[64 * word + bit] = (bits >> np.uint64(bit)) & np.uint64(1)
    eaten, caught = np.int64(0), np.int64(0)
    if goes_on:
        fill_targets(board, view, pacmans_move, decided, np.int64(view.chosen), pacman if pacmans_move else ghost)
        for unit in range(decided if pacmans_move else pacmans):
            if is_taken(ghost, ghosts if pacmans_move else decided, pacman[unit]):
                pacman[unit] = GONE
                caught += 1
            elif pacmans_move:
                eaten += dots[pacman[unit]]
                dots[pacman[unit]] = 0
    ghost_row, pacman_row = scratch(CELLS, np.uint8), scratch(CELLS, np.uint8)
    nearest_of(board, ghost, ghosts, -1, ghost_row)
    nearest_of(board, pacman, pacmans, -1, pacman_row)
    turns = (np.int64(board.t_max) - np.int64(view.ply) + 1) // 2
    out[0], out[1] = pacmans_move, not pacmans_move
    out[2], out[3] = (count - decided) / UNITS, count - decided == 1
    out[4], out[5], out[6] = pacmans - caught == 1, (pacmans - caught) / UNITS, ghosts / UNITS
    out[7], out[8] = share_eaten(view), 1.0 - share_eaten(view)
    out[9], out[10], out[11] = min(np.int64(view.left), 10) / 10, turns / (turns + PATIENT), turns / (turns + 8)
    out[12] = min(1.0, np.int64(view.left) / max(1.0, 2.0 * turns))
    out[13], out[14] = eaten, caught
    describe_teams(board, pacman_row, ghost_row, dots, out)
    describe_cramped(board, pacman, pacmans, ghost, ghosts, ghost_row, dots, out[EACH_FROM:PACMAN_FROM])
    if not goes_on:
        return
    team = pacman if pacmans_move else ghost
    others = scratch(CELLS, np.uint8)
    nearest_of(board, team, count, decided, others)
    at = team[decided]
    for way in range(WAYS):
        to = np.int64(board.near[at, way])
        if to < 0 or is_taken(team, decided, to):
            continue
        if pacmans_move:
            first = PACMAN_FROM + way * len(OF_PACMAN)
            describe_step(board, to, ghost, ghosts, ghost_row, others, dots, out[first : first + len(OF_PACMAN)])
        else:
            first = GHOST_FROM + way * len(OF_GHOST)
            describe_chase(board, to, pacman, pacmans, pacman_row, others, dots, out[first : first + len(OF_GHOST)])


def full(board):
    """Rows of distances are gone through 64 cells at a time. Behind the last cell no dot lies, and all steps are 0, so
    that nobody comes there before another."""
    return (np.int64(board.cells) + 63) // 64 * 64


def nearest_of(board, cells, count, without, row):
    """row[cell]: steps from the nearest of some units, one being left out; 0 behind the last cell."""
    for cell in range(board.cells):
        row[cell] = NOWHERE
    for cell in range(board.cells, full(board)):
        row[cell] = 0
    for unit in range(count):
        if unit != without and cells[unit] != GONE:
            own = board.dist[cells[unit]]
            for cell in range(full(board)):
                row[cell] = min(row[cell], own[cell])


def describe_teams(board, pacman_row, ghost_row, dots, out):
    """What pacmans have together where they are."""
    cells, won, sure = won_by(board, pacman_row, ghost_row, dots)
    out[15], out[16], out[17] = cells / np.int64(board.cells), won / 80, sure / 40
    dot = np.uint8(NOWHERE)
    for cell in range(full(board)):
        dot = min(dot, pacman_row[cell] if dots[cell] else np.uint8(NOWHERE))
    out[18] = 1 / (1 + np.int64(dot))


def describe_cramped(board, pacman, pacmans, ghost, ghosts, ghost_row, dots, out):
    """What the two most cramped pacmans have, each by itself."""
    one, two, least, second = np.int64(GONE), np.int64(GONE), np.int64(CELLS + 1), np.int64(CELLS + 1)
    for unit in range(pacmans):
        if pacman[unit] != GONE:
            own, room = board.dist[pacman[unit]], NONE
            for cell in range(full(board)):
                room = np.uint16(room + np.uint8(own[cell] < ghost_row[cell]))
            if room < least:
                one, two, least, second = pacman[unit], one, room, least
            elif room < second:
                two, second = pacman[unit], room
    count = len(OF_EACH)
    if one != GONE:
        describe_pacman(board, one, least, ghost, ghosts, ghost_row, dots, out[:count])
    if two != GONE:
        describe_pacman(board, two, second, ghost, ghosts, ghost_row, dots, out[count:])


def describe_pacman(board, at, room, ghost, ghosts, ghost_row, dots, out):
    """What a pacman has on the cell `at`."""
    own = board.dist[at]
    sure, escapes, own_dots, five, ten = NONE, NONE, NONE, NONE, NONE
    dot = np.uint8(NOWHERE)
    for cell in range(full(board)):
        mine, theirs = own[cell], ghost_row[cell]
        first = np.uint8(mine < theirs)
        good = first & dots[cell]
        sure = np.uint16(sure + is_sure(mine, theirs))
        escapes = np.uint16(escapes + (first & np.uint8(board.ways[cell] > CROSSROAD)))
        own_dots = np.uint16(own_dots + good)
        five = np.uint16(five + (good & np.uint8(mine <= 5)))
        ten = np.uint16(ten + (good & np.uint8(mine <= 10)))
        dot = min(dot, mine if good else np.uint8(NOWHERE))
    near, second, third, total = np.int64(NOWHERE), np.int64(NOWHERE), np.int64(NOWHERE), np.int64(0)
    for unit in range(ghosts):
        steps = np.int64(own[ghost[unit]])
        total += steps
        if steps < near:
            near, second, third = steps, near, second
        elif steps < second:
            second, third = steps, second
        elif steps < third:
            third = steps
    out[0], out[1], out[2] = 1.0, min(room, LITTLE) / LITTLE, min(room, MORE) / MORE
    out[3] = room / np.int64(board.cells)
    out[4], out[5], out[6] = min(sure, MORE) / MORE, min(escapes, 4) / 4, min(escapes, MUCH) / MUCH
    out[7], out[8], out[9] = five / 8, ten / 16, own_dots / 40
    out[10] = 1 / (1 + np.int64(dot)) if dot < NOWHERE else 0
    out[11], out[12], out[13] = near == 1, 1 / (1 + near), max(8 - near, 0) / 8
    out[14], out[15] = max(16 - second, 0) / 16, max(16 - third, 0) / 16
    out[16] = total / (32 * max(1, ghosts))


def won_by(board, pacman_row, ghost_row, dots):
    """Cells and dots that pacmans reach before any ghost, and dots that they reach well before."""
    cells, won, sure = NONE, NONE, NONE
    for cell in range(full(board)):
        first = np.uint8(pacman_row[cell] < ghost_row[cell])
        cells = np.uint16(cells + first)
        won = np.uint16(won + (first & dots[cell]))
        sure = np.uint16(sure + (is_sure(pacman_row[cell], ghost_row[cell]) & dots[cell]))
    return np.int64(cells), np.int64(won), np.int64(sure)


def is_sure(mine, theirs):
    """1 if the one comes well before the other; steps are bytes, so nothing is added to them."""
    return np.uint8(mine < np.uint8(max(theirs, np.uint8(AHEAD)) - np.uint8(AHEAD)))


def least_rooms(board, pacman, pacmans, ghost_row):
    """The fewest cells that a pacman reaches before any ghost, the second fewest, and the crossroads among the
    fewest."""
    least, second, escapes = np.int64(CELLS), np.int64(CELLS), np.int64(0)
    for unit in range(pacmans):
        if pacman[unit] != GONE:
            own, room, crossroads = board.dist[pacman[unit]], NONE, NONE
            for cell in range(full(board)):
                first = np.uint8(own[cell] < ghost_row[cell])
                room = np.uint16(room + first)
                crossroads = np.uint16(crossroads + (first & np.uint8(board.ways[cell] > CROSSROAD)))
            if room < least:
                least, second, escapes = room, least, crossroads
            else:
                second = min(second, room)
    return least, second, escapes


def describe_step(board, to, ghost, ghosts, ghost_row, others, dots, out):
    """What a pacman would have on the cell `to`; others: steps of the other pacmans."""
    own = board.dist[to]
    room, sure, won, won_cells = NONE, NONE, NONE, NONE
    own_dots, two, five, ten, escapes = NONE, NONE, NONE, NONE, NONE
    dot, own_dot = np.uint8(NOWHERE), np.uint8(NOWHERE)
    for cell in range(full(board)):
        mine, theirs, lies = own[cell], ghost_row[cell], dots[cell]
        first = np.uint8(mine < theirs)
        good = first & lies & np.uint8(mine <= others[cell])
        team = np.uint8(min(mine, others[cell]) < theirs)
        room = np.uint16(room + first)
        sure = np.uint16(sure + is_sure(mine, theirs))
        own_dots = np.uint16(own_dots + good)
        two = np.uint16(two + (good & np.uint8(mine <= 2)))
        five = np.uint16(five + (good & np.uint8(mine <= 5)))
        ten = np.uint16(ten + (good & np.uint8(mine <= 10)))
        won = np.uint16(won + (team & lies))
        won_cells = np.uint16(won_cells + team)
        escapes = np.uint16(escapes + (first & np.uint8(board.ways[cell] > CROSSROAD)))
        dot = min(dot, mine if lies else np.uint8(NOWHERE))
        own_dot = min(own_dot, mine if good else np.uint8(NOWHERE))
    near, second = np.int64(NOWHERE), np.int64(NOWHERE)
    for unit in range(ghosts):
        steps = np.int64(own[ghost[unit]])
        second = min(second, max(near, steps))
        near = min(near, steps)
    out[0], out[1], out[2], out[3] = 1.0, dots[to] if near > 0 else 0, near == 0, near == 1
    out[4], out[5], out[6] = 1 / (1 + near), max(8 - near, 0) / 8, max(8 - second, 0) / 8
    out[7], out[8], out[9] = min(room, LITTLE) / LITTLE, min(room, MORE) / MORE, room / np.int64(board.cells)
    out[10], out[11] = min(sure, MUCH) / MUCH, sure / np.int64(board.cells)
    out[12], out[13], out[14], out[15] = two / 4, five / 8, ten / 16, own_dots / 40
    out[16], out[17] = 1 / (1 + np.int64(dot)), max(16 - np.int64(dot), 0) / 16
    out[18] = 1 / (1 + np.int64(own_dot)) if own_dot < NOWHERE else 0
    out[19], out[20] = won / 80, won_cells / np.int64(board.cells)
    out[21], out[22] = min(escapes, MUCH) / MUCH, (np.int64(board.ways[to]) - 1) / 4


def describe_chase(board, to, pacman, pacmans, pacman_row, others, dots, out):
    """What pacmans would have with a ghost on the cell `to`; others: steps of the other ghosts."""
    own, ghost_row = board.dist[to], scratch(CELLS, np.uint8)
    near_won = NONE
    for cell in range(full(board)):
        ghost_row[cell] = min(own[cell], others[cell])
        close = np.uint8(pacman_row[cell] < ghost_row[cell]) & np.uint8(pacman_row[cell] <= 10)
        near_won = np.uint16(near_won + (close & dots[cell]))
    cells, won, sure = won_by(board, pacman_row, ghost_row, dots)
    least, second_room, escapes = least_rooms(board, pacman, pacmans, ghost_row)
    near, second, is_nearest = np.int64(NOWHERE), np.int64(NOWHERE), False
    for unit in range(pacmans):
        if pacman[unit] != GONE:
            steps = np.int64(own[pacman[unit]])
            second = min(second, max(near, steps))
            if steps < near:
                near, is_nearest = steps, steps < others[pacman[unit]]
    out[0], out[1] = 1.0, near == 0
    out[2], out[3], out[4] = 1 / (1 + near), max(16 - near, 0) / 16, max(16 - second, 0) / 16
    out[5], out[6], out[7], out[8] = cells / np.int64(board.cells), won / 80, near_won / 16, sure / 40
    out[9], out[10], out[11] = min(least, LITTLE) / LITTLE, min(least, MORE) / MORE, min(second_room, MORE) / MORE
    out[12], out[13], out[14] = min(escapes, MUCH) / MUCH, is_nearest, 1 / (1 + np.int64(others[to]))
    out[15] = (np.int64(board.ways[to]) - 1) / 4
