"""The rules of Pac-Man. A cell is the number of a free place, counted by column, then by row; dots are bits.

A joint move is one number in base 5: the way of the first unit is the most significant digit. The units of a team
stand in the state sorted by cell, so like positions are like bytes; who is who goes along in `…_name`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import FileName, setting
from turnsmith.compile.kernel import scratch
from turnsmith.compile.rng import GOLDEN, below, mix
from turnsmith.contract import sources
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.contract.records import board_record, record
from turnsmith.games.pacman.genes import gene_values as gene_values
from turnsmith.games.pacman.genes import genes as genes
from turnsmith.games.pacman.genes import with_genes as with_genes
from turnsmith.games.pacman.maps import (
    CELLS,
    FARTHEST,
    LONGEST_NAME,
    MOST_PLIES,
    STEPS,
    UNITS,
    WIDEST,
    check,
    distances,
    find,
    places,
    refused,
    shipped,
    with_units,
)
from turnsmith.games.pacman.mazes import SIZES, sized
from turnsmith.languages import _, counted, marked

UP, LEFT, DOWN, RIGHT, STAY = range(5)
WAYS = 5
LETTERS = "wasdn"
PACMANS, GHOSTS = 0, 1
WORDS = CELLS // 64
APART = 8
"""Steps a ghost keeps from the pacmans when chance chooses the starts, where there is room."""
ONE, SIXTY_THREE = np.uint64(1), np.int64(63)
TEN = tuple(
    f"{name}-{start}"
    for name in ("asymmetric", "chokepoints", "classic", "corridors", "open")
    for start in ("corners", "middle")
)
"""The ten games of 17 x 20."""


@dataclass(frozen=True)
class Options:
    map: Annotated[str, FileName((*shipped(), "ten", *SIZES))] = setting("classic-middle")
    """Map: by name, or the path of a text file; `ten` takes one of the ten maps of 17 x 20 by the seed, and `9x10`,
    `13x15` or `17x20` draws a maze of this size from it."""
    pacmans: int = setting(0, 0, UNITS)
    """Pacmans; 0 for as many as the map draws."""
    ghosts: int = setting(0, 0, UNITS)
    """Ghosts; 0 for as many as the map draws."""
    t_max: int = setting(0, 0, MOST_PLIES)
    """Plies until the game ends; 0 for what the map says."""
    start: Literal["map", "random"] = setting("map")
    """Where units start: as the map draws them, or by chance."""
    moves: Literal["joint", "unit"] = setting("joint")
    """Moves: a team moves at once, or unit by unit (then the same game has at most five actions)."""


Board = board_record(
    cells=np.int64,
    words=np.int64,
    t_max=np.int64,
    pacmans=np.int64,
    ghosts=np.int64,
    random=np.int64,
    unitwise=np.int64,
    width=np.int64,
    height=np.int64,
    dots=(np.uint64, WORDS),
    pacman=(np.int16, UNITS),
    ghost=(np.int16, UNITS),
    facing=(np.int8, (CELLS, 4)),
    x=(np.int16, CELLS),
    y=(np.int16, CELLS),
    near=(np.int16, (CELLS, WAYS)),
    ways=(np.int8, CELLS),
    way=(np.int8, (CELLS, WAYS)),
    corner=(np.int16, (4, 2)),
    dist=(np.uint8, (CELLS, CELLS)),
)
"""near[c, way]: the cell after a step, -1 for a wall; way[c, :ways[c]]: the ways that are open, ascending;
unitwise: only people are told otherwise, see ``turnsmith.contract.unitwise``;
facing[c, k]: where the k-th of the four ghosts looks when it starts on c, towards its corner (x, y); dist: steps."""

State = record(
    dots=(np.uint64, WORDS),
    pacman=(np.int16, UNITS),
    ghost=(np.int16, UNITS),
    pacman_name=(np.int8, UNITS),
    ghost_name=(np.int8, UNITS),
    pacman_facing=(np.int8, UNITS),
    ghost_facing=(np.int8, UNITS),
    pacmans=np.int8,
    ghosts=np.int8,
    decided=np.int8,
    chosen=np.int32,
    ply=np.int32,
    left=np.int32,
    eaten=np.int32,
)
"""pacmans, ghosts: how many are on the map; left, eaten: dots; decided, chosen: what is open, unit by unit."""


# ---------------------------------------------------------------- boards, in Python


def source(options: Options, seed: int) -> dict[str, Any]:
    if options.map in SIZES:
        found = sized(options.map, seed)
    else:
        found = find(TEN[seed % len(TEN)] if options.map == "ten" else options.map)
    rows = with_units(found, options.pacmans, options.ghosts)
    flags = {"random": options.start == "random", "unitwise": options.moves == "unit"}
    return {"map": found.name, "rows": rows, "t_max": options.t_max or found.t_max, **flags}


def tables(source: dict[str, Any]) -> Array:
    given = sources.fields(source, "map", "rows", "t_max", "random", "unitwise")
    name, rows = sources.text(given, "map", LONGEST_NAME), sources.rows(given, "rows", WIDEST, WIDEST)
    if len({len(row) for row in rows}) != 1:
        raise BadInput(f"map {name}: the rows must be equally long")
    boards = _walls(tuple(rows), name).copy()
    board = boards[0]
    pacmans, ghosts = places(rows, "P"), places(rows, "G")
    board.seats, board.low, board.high = 2, -1.0, 1.0
    board.t_max = sources.whole(given, "t_max", 1, MOST_PLIES)
    board.random, board.unitwise = sources.flag(given, "random"), sources.flag(given, "unitwise")
    board.pacmans, board.ghosts = len(pacmans), len(ghosts)
    board.actions = WAYS ** max(len(pacmans), len(ghosts))
    board.outcomes = board.cells if board.random else 0
    number = {place: cell for cell, place in enumerate(check(rows, name))}
    board.pacman[: len(pacmans)] = [number[place] for place in pacmans]
    board.ghost[: len(ghosts)] = [number[place] for place in ghosts]
    dotted = places(rows, ".G" if not board.random else ".GP")
    for cell in (number[place] for place in dotted):
        board.dots[cell >> 6] |= ONE << np.uint64(cell & 63)
    if len(dotted) <= (len(pacmans) if board.random else 0):
        raise BadInput(f"map {name} has too few dots for {len(pacmans)} pacmans; draw more")
    if board.random and len(number) < len(pacmans) + len(ghosts):
        raise BadInput(f"map {name} has too few free cells for so many units; draw more")
    return boards


@lru_cache(maxsize=64)
def _walls(rows: tuple[str, ...], name: str) -> Array:
    """A board with all that follows from the walls."""
    free = check(rows, name)
    number = {place: cell for cell, place in enumerate(free)}
    boards = np.zeros(1, Board)
    board = boards[0]
    count = len(free)
    board.cells, board.words = count, (count + 63) // 64
    board.width, board.height = len(rows[0]), len(rows)
    board.near[:] = -1
    for cell, (x, y) in enumerate(free):
        board.x[cell], board.y[cell] = x, y
        board.near[cell, :4] = [number.get((x + dx, y + dy), -1) for dx, dy in STEPS]
        board.near[cell, STAY] = cell
        ways = np.nonzero(board.near[cell] >= 0)[0]
        board.ways[cell] = len(ways)
        board.way[cell, : len(ways)] = ways
    dist = distances(board.near[:count, :4])
    if dist.max() > FARTHEST:
        raise refused(name, free[int(np.argmax(dist.max(axis=1)))], f"another cell is over {FARTHEST} steps away")
    board.dist[:count, :count] = dist
    right, bottom = board.width - 2, board.height - 2
    board.corner[:] = [(right, 1), (1, 1), (right, bottom), (1, bottom)]  # Blinky, Pinky, Inky, Clyde
    for cell in range(count):
        for name_ in range(4):
            board.facing[cell, name_] = _towards(board, cell, board.corner[name_])
    return boards


def _towards(board, cell, target):
    """The way whose next cell is nearest to `target` (x, y) in a straight line; among equals up, left, down, right."""
    open_ = [int(way) for way in board.way[cell, : board.ways[cell]] if way != STAY]
    after = {way: int(board.near[cell, way]) for way in open_}
    x, y = int(target[0]), int(target[1])
    return min(open_, key=lambda w: (int(board.x[after[w]]) - x) ** 2 + (int(board.y[after[w]]) - y) ** 2, default=UP)


# ---------------------------------------------------------------- the game


def setup(board, state):
    for word in range(board.words):
        state.dots[word] = board.dots[word]
        for bit in range(64):
            if (board.dots[word] >> np.uint64(bit)) & ONE:
                state.left += 1
    if not board.random:
        for unit in range(board.pacmans):
            place(board, state, np.int64(board.pacman[unit]))
        for unit in range(board.ghosts):
            place(board, state, np.int64(board.ghost[unit]))


def place(board, state, cell):
    """Put the next unit on a cell: first the pacmans, looking left, then the ghosts, looking to their corners."""
    if state.pacmans < board.pacmans:
        unit = np.int64(state.pacmans)
        state.pacman[unit], state.pacman_name[unit], state.pacman_facing[unit] = cell, unit, LEFT
        state.pacmans += 1
        sort_units(state.pacman, state.pacman_name, state.pacman_facing, unit + 1)
        if has_dot(state, cell):
            take_dot(state, cell)
    else:
        unit = np.int64(state.ghosts)
        state.ghost[unit], state.ghost_name[unit] = cell, unit
        state.ghost_facing[unit] = board.facing[cell, unit & 3]
        state.ghosts += 1
        sort_units(state.ghost, state.ghost_name, state.ghost_facing, unit + 1)


def has_dot(state, cell):
    return (state.dots[cell >> 6] >> np.uint64(cell & SIXTY_THREE)) & ONE != np.uint64(0)


def take_dot(state, cell):
    state.dots[cell >> 6] &= ~(ONE << np.uint64(cell & SIXTY_THREE))
    state.left -= 1


def sort_units(cells, names, facing, count):
    """Sort the units of a team by cell, names and ways along with them; they are nearly sorted."""
    for index in range(1, count):
        cell, name, way = cells[index], names[index], facing[index]
        at = index
        while at > 0 and cells[at - 1] > cell:
            cells[at], names[at], facing[at] = cells[at - 1], names[at - 1], facing[at - 1]
            at -= 1
        cells[at], names[at], facing[at] = cell, name, way


def is_placing(board, state):
    """Whether chance still has units to put on the map."""
    return state.ghosts < board.ghosts


def to_move(board, state):
    if is_placing(board, state):
        return np.int64(CHANCE)
    if state.left == 0 or state.pacmans == 0 or state.ply >= board.t_max:
        return np.int64(OVER)
    return np.int64(state.ply) & 1


def legal(board, state, out):
    mover = to_move(board, state)
    if mover == CHANCE:
        return list_starts(board, state, out)
    if mover == OVER:
        return 0
    if mover == PACMANS:
        return list_moves(board, state.pacman, np.int64(state.pacmans), out)
    return list_moves(board, state.ghost, np.int64(state.ghosts), out)


def list_moves(board, cells, count, out):
    """All joint moves of a team of `count` units, ascending: one unit after another, no cell entered twice."""
    target, number, cursor = scratch(UNITS, np.int64), scratch(UNITS, np.int64), scratch(UNITS, np.int64)
    listed, level, last = 0, 0, count - 1
    cursor[0] = 0
    while level >= 0:
        cell = np.int64(cells[level])
        before = number[level - 1] * WAYS if level > 0 else np.int64(0)
        if level == last:  # most of the work, so without a detour by the cursor
            for index in range(board.ways[cell]):
                way = np.int64(board.way[cell, index])
                if not is_taken(target, level, np.int64(board.near[cell, way])):
                    out[listed] = before + way
                    listed += 1
            level -= 1
        elif cursor[level] == board.ways[cell]:
            level -= 1
        else:
            way = np.int64(board.way[cell, cursor[level]])
            cursor[level] += 1
            target[level], number[level] = board.near[cell, way], before + way
            if not is_taken(target, level, target[level]):
                level += 1
                cursor[level] = 0
    return listed


def is_taken(target, count, cell):
    """Whether one of the first `count` targets is `cell`."""
    found = False
    for index in range(count):
        found = found or target[index] == cell
    return found


def pick(board, state, rng):
    """Every unit goes anywhere; draw again when two meet. So each joint move is as likely."""
    pacmans_move = np.int64(state.ply) & 1 == PACMANS
    count = np.int64(state.pacmans) if pacmans_move else np.int64(state.ghosts)
    target = scratch(UNITS, np.int64)
    while True:
        action, clash = np.int64(0), False
        for unit in range(count):
            cell = np.int64(state.pacman[unit] if pacmans_move else state.ghost[unit])
            way = np.int64(board.way[cell, below(rng, np.int64(board.ways[cell]))])
            target[unit] = board.near[cell, way]
            action = action * WAYS + way
            if is_taken(target, unit, target[unit]):
                clash = True
                break
        if not clash:
            return action


def apply(board, state, action):
    if is_placing(board, state):
        place(board, state, np.int64(action))
        return
    move = np.int64(action)
    pacmans_move = np.int64(state.ply) & 1 == PACMANS
    state.ply += 1
    if pacmans_move:
        step_units(board, state.pacman, state.pacman_facing, np.int64(state.pacmans), move)
        bury(state)
        for unit in range(state.pacmans):
            cell = np.int64(state.pacman[unit])
            if has_dot(state, cell):
                take_dot(state, cell)
                state.eaten += 1
        sort_units(state.pacman, state.pacman_name, state.pacman_facing, np.int64(state.pacmans))
    else:
        step_units(board, state.ghost, state.ghost_facing, np.int64(state.ghosts), move)
        bury(state)
        sort_units(state.ghost, state.ghost_name, state.ghost_facing, np.int64(state.ghosts))


def step_units(board, cells, facing, count, move):
    """Every unit of a team makes its step and looks where it goes."""
    for unit in range(count - 1, -1, -1):
        way = move % WAYS
        move //= WAYS
        cells[unit] = board.near[cells[unit], way]
        if way != STAY:
            facing[unit] = way


def bury(state):
    """Take away the pacmans that stand where a ghost stands."""
    kept = 0
    for unit in range(state.pacmans):
        met = False
        for ghost in range(state.ghosts):
            met = met or state.ghost[ghost] == state.pacman[unit]
        if not met:
            state.pacman[kept] = state.pacman[unit]
            state.pacman_name[kept] = state.pacman_name[unit]
            state.pacman_facing[kept] = state.pacman_facing[unit]
            kept += 1
    for unit in range(kept, state.pacmans):
        state.pacman[unit], state.pacman_name[unit], state.pacman_facing[unit] = 0, 0, 0
    state.pacmans = kept


# ---------------------------------------------------------------- unit by unit


def radix(board):
    return WAYS


def units(board, state):
    if is_placing(board, state):
        return np.int64(1)
    return np.int64(state.pacmans) if np.int64(state.ply) & 1 == PACMANS else np.int64(state.ghosts)


def pieces(board, state, decided, chosen, out):
    """The ways of the next unit after which the rest of the team can still move."""
    pacmans_move = np.int64(state.ply) & 1 == PACMANS
    count = np.int64(state.pacmans) if pacmans_move else np.int64(state.ghosts)
    target = scratch(UNITS, np.int64)
    cell = fill_targets(board, state, pacmans_move, decided, chosen, target)
    listed = 0
    for index in range(board.ways[cell]):
        way = np.int64(board.way[cell, index])
        target[decided] = board.near[cell, way]
        if is_taken(target, decided, target[decided]):
            continue
        cells = state.pacman if pacmans_move else state.ghost
        if decided + 1 == count or can_finish(board, cells, count, target, decided + 1):
            out[listed] = way
            listed += 1
    return listed


def pick_piece(board, state, decided, chosen, rng):
    """Any way, drawn again until it is an open one."""
    pacmans_move = np.int64(state.ply) & 1 == PACMANS
    count = np.int64(state.pacmans) if pacmans_move else np.int64(state.ghosts)
    target = scratch(UNITS, np.int64)
    cell = fill_targets(board, state, pacmans_move, decided, chosen, target)
    while True:
        way = np.int64(board.way[cell, below(rng, np.int64(board.ways[cell]))])
        target[decided] = board.near[cell, way]
        if is_taken(target, decided, target[decided]):
            continue
        if decided + 1 == count or can_finish(
            board, state.pacman if pacmans_move else state.ghost, count, target, decided + 1
        ):
            return way


def fill_targets(board, state, pacmans_move, decided, chosen, target):
    """Write where the units that have decided go to target[:decided]; returns where the next one stands."""
    for unit in range(decided - 1, -1, -1):
        cell = np.int64(state.pacman[unit] if pacmans_move else state.ghost[unit])
        target[unit] = board.near[cell, chosen % WAYS]
        chosen //= WAYS
    return np.int64(state.pacman[decided] if pacmans_move else state.ghost[decided])


def can_finish(board, cells, count, target, first):
    """Whether the units from `first` on can all move without entering a cell twice; tries staying before anything."""
    cursor = scratch(UNITS, np.int64)
    level = np.int64(first)
    if level < count:
        cursor[level] = -1
    while level >= first:
        if level == count:
            return True
        cell = np.int64(cells[level])
        if cursor[level] == board.ways[cell]:
            level -= 1
            continue
        target[level] = cell if cursor[level] < 0 else np.int64(board.near[cell, board.way[cell, cursor[level]]])
        cursor[level] += 1
        if not is_taken(target, level, target[level]):
            level += 1
            if level < count:
                cursor[level] = -1
    return False


# ---------------------------------------------------------------- chance: where units start


def list_starts(board, state, out):
    """Cells for the next unit: free ones, for ghosts far enough from the pacmans if there are any such."""
    least = APART if state.pacmans == board.pacmans else 0
    count = 0
    while count == 0:
        for cell in range(board.cells):
            if can_start(board, state, cell, least):
                out[count] = cell
                count += 1
        least -= 1
    return count


def can_start(board, state, cell, least):
    for unit in range(state.pacmans):
        if state.pacman[unit] == cell or board.dist[state.pacman[unit], cell] < least:
            return False
    return not is_taken(state.ghost, state.ghosts, cell)


def weights(board, state, out):
    least = APART if state.pacmans == board.pacmans else 0
    count = 0
    while count == 0:
        for cell in range(board.cells):
            if can_start(board, state, cell, least):
                count += 1
        least -= 1
    for index in range(count):
        out[index] = 1.0 / count


# ---------------------------------------------------------------- values


def share_eaten(state):
    """Dots eaten, of those there were."""
    return np.int64(state.eaten) / max(np.int64(state.eaten) + np.int64(state.left), 1)


def returns(board, state, out):
    share = share_eaten(state)
    out[PACMANS] = share
    out[GHOSTS] = -share


def evaluate(board, state, out):
    """The share eaten, and of the rest what the pacmans reach before any ghost, as far as the plies last."""
    count = 0
    for word in range(board.words):
        bits = state.dots[word]
        for bit in range(64):
            if (bits >> np.uint64(bit)) & ONE:
                count += is_won(board, state, word * 64 + bit)
    total = max(np.int64(state.eaten) + np.int64(state.left), 1)
    time = (np.int64(board.t_max) - np.int64(state.ply) + 1) // 2 * np.int64(state.pacmans)
    share = (np.int64(state.eaten) + 0.5 * min(count, time)) / total
    out[PACMANS] = share
    out[GHOSTS] = -share


def is_won(board, state, cell):
    """Whether a pacman is nearer to a cell than every ghost."""
    nearest = np.int64(255)
    for unit in range(state.ghosts):
        nearest = min(nearest, np.int64(board.dist[state.ghost[unit], cell]))
    for unit in range(state.pacmans):
        if np.int64(board.dist[state.pacman[unit], cell]) < nearest:
            return 1
    return 0


def hash(board, state):
    """Where the units of each team and the dots are, the ply and what is decided; not who is who or looks where."""
    key = mix(np.uint64(state.ply) * GOLDEN + np.uint64(state.pacmans) * np.uint64(64) + np.uint64(state.ghosts))
    key = mix(key ^ (np.uint64(state.chosen) * np.uint64(8) + np.uint64(state.decided)))
    for unit in range(state.pacmans):
        key = mix(key ^ np.uint64(state.pacman[unit]))
    for unit in range(state.ghosts):
        key = mix(key ^ np.uint64(state.ghost[unit]))
    for word in range(board.words):
        key = mix(key ^ state.dots[word])
    return key


# ---------------------------------------------------------------- for people


winner = "score"  # the returns are shares of the dots: eaten with a third of them is no victory


def roles(board):
    return [marked("pacmans"), marked("ghosts")]


def ending(board, state):
    if state.left == 0:
        why = _("no dot is left")
    elif state.pacmans == 0:
        why = _("no pacman is left")
    else:
        why = counted("{} ply is over", "{} plies are over", int(board.t_max)).format(int(board.t_max))
    total = int(state.eaten + state.left)
    eaten = counted("{eaten} of {total} dot eaten", "{eaten} of {total} dots eaten", total)
    return f"{why}; {eaten.format(eaten=int(state.eaten), total=total)}"


def movers(board, state):
    """The cells of the units that move now, in order."""
    if to_move(board, state) not in (PACMANS, GHOSTS):
        return []
    if int(state.ply) & 1 == PACMANS:
        return [int(cell) for cell in state.pacman[: state.pacmans]]
    return [int(cell) for cell in state.ghost[: state.ghosts]]


def cell_name(board, cell):
    """A column in letters and a row: c5."""
    x, letters = int(board.x[cell]) + 1, ""
    while x:
        x, digit = divmod(x - 1, 26)
        letters = chr(97 + digit) + letters
    return f"{letters}{int(board.y[cell]) + 1}"


def words(board, state, action):
    if is_placing(board, state):
        return cell_name(board, action)
    said = []
    for unit in range(len(movers(board, state)), 0, -1):
        action, way = divmod(int(action), WAYS)
        said.insert(0, f"{unit}{LETTERS[way]}")
    return " ".join(said)


def shorthand(board, state, text):
    """The letters alone stand for the units in order: `wa` for `1w 2a`."""
    letters = "".join(text.split())
    if not letters or set(letters) - set(LETTERS):
        return text
    first = int(state.decided) + 1
    return " ".join(f"{unit}{letter}" for unit, letter in enumerate(letters, start=first))


def refusal(board, state, text):
    """Why a person's words are no move here."""
    cells = movers(board, state)[int(state.decided) :]
    count = 1 if board.unitwise else len(cells)
    letters = [piece[-1] for piece in shorthand(board, state, text).split()]
    if not cells or len(letters) != count or set(letters) - set(LETTERS):
        said = counted(
            "'{text}' is no move; give a letter for {count} unit: w up, a left, s down, d right, n stay",
            "'{text}' is no move; give a letter for each of {count} units: w up, a left, s down, d right, n stay",
            count,
        )
        return said.format(text=text, count=count)
    for unit, (cell, letter) in enumerate(zip(cells, letters, strict=False), start=int(state.decided) + 1):
        if board.near[cell, LETTERS.index(letter)] < 0:
            said = _("unit {unit} on {cell} cannot go {way}: there is a wall; choose another way")
            return said.format(unit=unit, cell=cell_name(board, cell), way=letter)
    return _("'{}' would leave two units on one cell; choose another way for one of them").format(text)
