"""Quoridor: be the first across the board, and put walls in the other's way.

The pawns begin in the middle of opposite sides, and each wants to reach any cell of the far row. A turn is a step to
a neighbouring cell, or a wall between cells, two cells long. Walls stay, do not cross, and each seat has only so many.
A pawn jumps straight over the other if it stands next to it, or slantwise if a wall or the edge is behind that. No
wall may cut a pawn off from its far row. After a fixed number of moves the game is drawn.
"""

from dataclasses import asdict, dataclass

import numpy as np

from turnsmith.game import OVER, board_record, drawing, mix, new_board, record, scratch, setting, sources
from turnsmith.languages import player_name

MOST, CELLS, SLOTS = 9, 81, 64  # of the largest board; a slot is where two walls could cross
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))  # up, right, down, left


@dataclass(frozen=True)
class Options:
    side: int = setting(9, 3, MOST)
    """Cells a side."""
    walls: int = setting(10, 0, 20)
    """Walls of each seat."""
    moves: int = setting(200, 10, 1000)
    """Moves until a draw, of both seats together."""


Board = board_record(
    side=np.int64, walls=np.int64, moves=np.int64, cells=np.int64, slots=np.int64, row=(np.int64, CELLS),
    beside=(np.int64, 4 * CELLS), bars=(np.uint64, 4 * CELLS),
    blocks_level=(np.uint64, SLOTS), blocks_upright=(np.uint64, SLOTS),
)  # fmt: skip
State = record(level=np.uint64, upright=np.uint64, pawns=(np.int8, 2), left=(np.int8, 2), seat=np.int8, made=np.int64)
"""`level` and `upright`: the slots with a wall, as bits; `left`: walls that a seat has. On the board, at 4 · cell +
way: `beside`, the next cell or -1, and `bars`, the slots whose walls stop the step. `blocks_level[slot]`: the level
walls that leave no room for a level one here."""


def source(options, seed):
    return asdict(options)


def tables(source):
    options = sources.options(source, Options)
    side = options.side
    beside, bars = np.full(4 * CELLS, -1), np.zeros(4 * CELLS, np.uint64)
    for cell in range(side * side):
        x, y = cell % side, cell // side
        for way, (dx, dy) in enumerate(STEPS):
            if not (0 <= x + dx < side and 0 <= y + dy < side):
                continue
            beside[4 * cell + way] = cell + dy * side + dx
            left, top = min(x, x + dx), min(y, y + dy)
            places = ((left - 1, top), (left, top)) if dy else ((left, top - 1), (left, top))
            bars[4 * cell + way] = slots_of(side, places)
    level, upright = np.zeros(SLOTS, np.uint64), np.zeros(SLOTS, np.uint64)
    for slot in range((side - 1) ** 2):
        x, y = slot % (side - 1), slot // (side - 1)
        level[slot] = slots_of(side, ((x - 1, y), (x, y), (x + 1, y)))
        upright[slot] = slots_of(side, ((x, y - 1), (x, y), (x, y + 1)))
    slots = (side - 1) ** 2
    return new_board(
        Board, seats=2, actions=side * side + 2 * slots, side=side, walls=options.walls, moves=options.moves,
        cells=side * side, slots=slots, row=[cell // side for cell in range(CELLS)], beside=beside, bars=bars,
        blocks_level=level, blocks_upright=upright,
    )  # fmt: skip


def slots_of(side, places):
    bits = sum(1 << (y * (side - 1) + x) for x, y in places if 0 <= x < side - 1 and 0 <= y < side - 1)
    return np.uint64(bits)


# ---------------------------------------------------------------- the rules, which are compiled


def setup(board, state):
    side = int(board.side)
    state.pawns[0] = (side - 1) * side + side // 2
    state.pawns[1] = side - 1 - side // 2
    state.left[0] = state.left[1] = board.walls


def is_home(board, seat, cell):
    """Whether a cell is in the row that a seat wants to reach."""
    return board.row[cell] == (0 if seat == 0 else board.side - 1)


def to_move(board, state):
    if is_home(board, 0, int(state.pawns[0])) or is_home(board, 1, int(state.pawns[1])) or state.made >= board.moves:
        return OVER
    return int(state.seat)


def step(board, level, upright, cell, way):
    """The cell that a step leads to, or -1 where a wall or the edge is."""
    walls = level if way % 2 == 0 else upright
    return -1 if walls & board.bars[4 * cell + way] else int(board.beside[4 * cell + way])


def distance(board, level, upright, seat, start, crossed):
    """Steps to the far row if the other pawn were not there, or -1.

    `crossed` gets the slots of one shortest path: level walls, then upright ones, that would be in its way."""
    crossed[0] = crossed[1] = np.uint64(0)
    queue, came = scratch(CELLS, np.int64), scratch(CELLS, np.int64)
    for cell in range(board.cells):
        came[cell] = -1
    queue[0], came[start] = start, 4
    done, waiting = 0, 1
    while done < waiting:
        cell = int(queue[done])
        done += 1
        if is_home(board, seat, cell):
            steps = 0
            while cell != start:
                back = (int(came[cell]) + 2) % 4
                crossed[back % 2] |= board.bars[4 * cell + back]
                cell = int(board.beside[4 * cell + back])
                steps += 1
            return steps
        for way in range(4):
            near = step(board, level, upright, cell, way)
            if near >= 0 and came[near] < 0:
                queue[waiting], came[near] = near, way
                waiting += 1
    return -1


def add_ascending(out, count, cell):
    place = count
    while place > 0 and out[place - 1] > cell:
        out[place] = out[place - 1]
        place -= 1
    out[place] = cell
    return count + 1


def list_steps(board, state, out):
    own, other = int(state.pawns[state.seat]), int(state.pawns[1 - int(state.seat)])
    count = 0
    for way in range(4):
        near = step(board, state.level, state.upright, own, way)
        if near < 0:
            continue
        if near != other:
            count = add_ascending(out, count, near)
            continue
        behind = step(board, state.level, state.upright, near, way)
        if behind >= 0:
            count = add_ascending(out, count, behind)
            continue
        for turn in (1, 3):
            slanted = step(board, state.level, state.upright, near, (way + turn) % 4)
            if slanted >= 0:
                count = add_ascending(out, count, slanted)
    return count


def leaves_ways(board, state, level, upright):
    crossed = scratch(2, np.uint64)
    one = distance(board, level, upright, 0, int(state.pawns[0]), crossed)
    return one >= 0 and distance(board, level, upright, 1, int(state.pawns[1]), crossed) >= 0


def legal(board, state, out):
    """A wall that crosses neither pawn's shortest path cuts nobody off; only the others need be tried."""
    if to_move(board, state) == OVER:
        return 0
    count = list_steps(board, state, out)
    if state.left[state.seat] == 0:
        return count
    one, other = scratch(2, np.uint64), scratch(2, np.uint64)
    distance(board, state.level, state.upright, 0, int(state.pawns[0]), one)
    distance(board, state.level, state.upright, 1, int(state.pawns[1]), other)
    for slot in range(board.slots):
        bit = np.uint64(1) << np.uint64(slot)
        if state.upright & bit or state.level & board.blocks_level[slot]:
            continue
        if not (one[0] | other[0]) & bit or leaves_ways(board, state, state.level | bit, state.upright):
            out[count] = board.cells + slot
            count += 1
    for slot in range(board.slots):
        bit = np.uint64(1) << np.uint64(slot)
        if state.level & bit or state.upright & board.blocks_upright[slot]:
            continue
        if not (one[1] | other[1]) & bit or leaves_ways(board, state, state.level, state.upright | bit):
            out[count] = board.cells + board.slots + slot
            count += 1
    return count


def apply(board, state, action):
    seat = int(state.seat)
    if action < board.cells:
        state.pawns[seat] = action
    else:
        slot = action - board.cells
        if slot < board.slots:
            state.level |= np.uint64(1) << np.uint64(slot)
        else:
            state.upright |= np.uint64(1) << np.uint64(slot - board.slots)
        state.left[seat] -= 1
    state.seat = 1 - seat
    state.made += 1


def returns(board, state, out):
    out[0] = 0.0
    if is_home(board, 0, int(state.pawns[0])):
        out[0] = 1.0
    elif is_home(board, 1, int(state.pawns[1])):
        out[0] = -1.0
    out[1] = -out[0]


def evaluate(board, state, out):
    """Who has the shorter path."""
    crossed = scratch(2, np.uint64)
    own = distance(board, state.level, state.upright, 0, int(state.pawns[0]), crossed)
    other = distance(board, state.level, state.upright, 1, int(state.pawns[1]), crossed)
    out[0] = (other - own) / (other + own + 1.0)
    out[1] = -out[0]


def hash(board, state):
    """The number of moves matters only near the end."""
    rest = int(board.moves) - int(state.made)
    number = mix(np.uint64(rest if rest < 20 else 20))
    for part in (int(state.pawns[0]), int(state.pawns[1]), int(state.left[0]), int(state.left[1]), int(state.seat)):
        number = mix(number ^ np.uint64(part))
    return mix(mix(number ^ state.level) ^ state.upright)


# ---------------------------------------------------------------- for people, plain Python
lesson = (
    ("Your pawn wants to reach the other side of the board.", ()),
    ("Step to the next cell,", ("e2",)),
    ("or put a wall in the other's way. It is two cells long.", ("e2", "e2h")),
    ("Walls are few. None may cut a pawn off from its side.", ("e2", "e2h", "d8v")),
    ("Click a cell, or the gap where the left or lower half of a wall goes.", ()),
)
seat_colors = ("#d1495b", "#2e5e8c")
CELL, GAP = 46, 10


def words(board, state, action):
    side = int(board.side)
    if action < board.cells:
        return drawing.cell_name(action % side, action // side, side)
    kind, slot = divmod(action - int(board.cells), int(board.slots))
    return drawing.cell_name(slot % (side - 1), slot // (side - 1) + 1, side) + "hv"[kind]


def refusal(board, state, text):
    if text[-1:] in ("h", "v") and state.left[state.seat] == 0:
        return "you have no walls left"
    return None


def ending(board, state):
    for seat in range(2):
        if is_home(board, seat, int(state.pawns[seat])):
            return f"{player_name(seat)} has reached the other side"
    return f"{int(state.made)} moves were made"


def has_wall(board, state, cell, way):
    walls = state.level if way % 2 == 0 else state.upright
    return bool(walls & board.bars[4 * cell + way])


def text(board, state):
    side, lines = int(board.side), []
    for y in range(side):
        row, below = f"{side - y}  ", "   "
        for x in range(side):
            cell = y * side + x
            sign = "[dim]·[/]"
            for seat, colour in enumerate(("red", "blue")):
                if cell == state.pawns[seat]:
                    sign = f"[bold {colour}]{seat + 1}[/]"
            row += sign + (" ┃ " if has_wall(board, state, cell, 1) else "   ")
            below += "━   " if has_wall(board, state, cell, 2) else "    "
        lines += [row.rstrip(), below.rstrip()]
    names = "   " + "   ".join("abcdefghi"[:side])
    left = ", ".join(f"{player_name(seat)}: {int(state.left[seat])} walls" for seat in range(2))
    return "\n".join([*lines, names, left])


def place(number):
    return 20 + number * (CELL + GAP)


def wall(kind, x, y, fill, long=2):
    """A wall whose crossing is below and to the right of cell (x, y); a `long` of 1 is its left or lower half."""
    length = long * CELL + (long - 1) * GAP
    if kind == 0:
        return f'<rect x="{place(x)}" y="{place(y + 1) - GAP}" width="{length}" height="{GAP}" fill="{fill}"/>'
    top = place(y + 2) - GAP - length
    return f'<rect x="{place(x + 1) - GAP}" y="{top}" width="{GAP}" height="{length}" fill="{fill}"/>'


def overlay(board, state, action):
    """The wall that would be put there."""
    if action < board.cells:
        return ""
    kind, slot = divmod(action - int(board.cells), int(board.slots))
    y, x = divmod(slot, int(board.side) - 1)
    return wall(kind, x, y, "#8a5a2b")


def picture(board, state):
    side, slots, cells = int(board.side), int(board.slots), int(board.cells)
    pieces = drawing.pieces(legal, words, board, state) if to_move(board, state) >= 0 else {}
    parts = []
    for cell in range(cells):
        x, y, word = place(cell % side), place(cell // side), words(board, state, cell)
        square = f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="4" fill="#e3d3b4"/>'
        parts.append(drawing.clickable(word, square) if word in pieces else square)
    for action in range(cells, cells + 2 * slots):
        kind, slot = divmod(action - cells, slots)
        y, x = divmod(slot, side - 1)
        word = words(board, state, action)
        if word in pieces:
            parts.append(drawing.clickable(word, wall(kind, x, y, "#f3ead8", long=1)))
        elif ((state.level, state.upright)[kind] >> np.uint64(slot)) & np.uint64(1):
            parts.append(wall(kind, x, y, "#5b3716"))
    for seat in range(2):
        row, column = divmod(int(state.pawns[seat]), side)
        x, y = place(column) + CELL / 2, place(row) + CELL / 2
        pawn = drawing.disc(x, y, 16, seat_colors[seat], f"pawn-{seat}")
        parts.append(f'<g pointer-events="none">{pawn}</g>')
    wide = place(side) + 10
    left = ", ".join(f"{player_name(seat)}: {int(state.left[seat])}" for seat in range(2))
    parts.append(drawing.label(wide / 2, wide + 10, left, font_size=16))
    return drawing.svg(wide, wide + 30, parts, "#f3ead8")
