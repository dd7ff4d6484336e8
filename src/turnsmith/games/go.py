"""Go: surround more of the board than the other.

Black (seat 0) and white (seat 1) take turns to put a stone on an empty crossing, or pass. A chain of stones without an
empty crossing beside it is captured; a stone may not be put where its own chain would have none, nor take back at once
the stone that took one (ko). The game ends when both pass, or after two moves for every crossing: stones on the board
and empty crossings that reach only one colour count, and white gets `komi` points more. Whoever repeats an earlier
position of the board ends the game without a winner. Crossings are called a1 (bottom left) and so on.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from turnsmith import drawing, sources
from turnsmith.game import OVER, board_record, new_board, record
from turnsmith.kernel import scratch
from turnsmith.rng import below, mix
from turnsmith.texts import setting

SIDE = 13
CELLS = SIDE * SIDE


@dataclass(frozen=True)
class Options:
    size: int = setting(9, 2, SIDE)
    """Crossings along a side."""
    komi: float = setting(7.5, -100.0, 100.0)
    """Points that white gets for moving second."""


Board = board_record(side=np.int64, cells=np.int64, komi=np.float64, near=(np.int16, (CELLS, 4)))
State = record(
    stones=(np.int8, CELLS), passes=np.int8, repeated=np.int8, ko=np.int16, ply=np.int16, key=np.uint64,
    seen=(np.uint64, 2 * CELLS),
)  # fmt: skip
"""`stones`: 0, or seat + 1; `ko`: the crossing that may not be filled now, plus 1; `key`: a hash of the stones;
`seen`: that of every position so far. `near`: the neighbours of a crossing, then -1."""


def source(options, seed):
    return asdict(options)


def tables(source):
    options = sources.options(source, Options)
    side = options.size
    boards = new_board(Board, 2, side * side + 1, side=side, cells=side * side, komi=options.komi, near=-1)
    for cell in range(side * side):
        x, y = cell % side, cell // side
        around = [
            (a, b) for a, b in ((x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)) if 0 <= a < side and 0 <= b < side
        ]
        boards[0].near[cell, : len(around)] = [b * side + a for a, b in around]
    return boards


def setup(board, state):
    pass


def to_move(board, state):
    return OVER if state.passes == 2 or state.repeated or state.ply >= 2 * board.cells else int(state.ply) & 1


def region(board, state, start, filled, marks, found):
    """Mark all crossings connected with `start` that hold the same, and list them in `found`; returns how many, or 0 as
    soon as a chain has an empty crossing beside it, other than `filled`."""
    found[0], marks[start], count, done = start, 1, 1, 0
    while done < count:
        for index in range(4):
            near = board.near[found[done], index]
            if near >= 0 and not marks[near]:
                if state.stones[near] == state.stones[start]:
                    marks[near], found[count] = 1, near
                    count += 1
                elif not state.stones[near] and near != filled:
                    return 0
        done += 1
    return count


def choked(board, state, start, filled, found):
    """How many stones the chain on `start` has if a stone on `filled` leaves it without an empty crossing, else 0."""
    marks = scratch(CELLS, np.int8)
    for cell in range(board.cells):
        marks[cell] = 0
    return region(board, state, start, filled, marks, found)


def may_put(board, state, cell):
    if state.stones[cell] or state.ko == cell + 1:
        return False
    own, found = (int(state.ply) & 1) + 1, scratch(CELLS, np.int16)
    for index in range(4):
        near = board.near[cell, index]
        if near >= 0 and not state.stones[near]:
            return True
    for index in range(4):  # an own chain that is free elsewhere, or one of the other's that is not
        near = board.near[cell, index]
        if near >= 0 and (state.stones[near] == own) == (choked(board, state, near, cell, found) == 0):
            return True
    return False


def legal(board, state, out):
    """A crossing's number is row · size + column, from the bottom left; the number after the last is the pass."""
    if to_move(board, state) == OVER:
        return 0
    count = 0
    for cell in range(board.cells):
        if may_put(board, state, cell):
            out[count] = cell
            count += 1
    out[count] = board.cells
    return count + 1


def pick(board, state, rng):
    action = np.int64(below(rng, board.actions))
    while action < board.cells and not may_put(board, state, action):
        action = np.int64(below(rng, board.actions))
    return action


def change(state, cell, stone):
    """Put a stone, or take one away."""
    state.key ^= mix(np.uint64(2 * cell + max(stone, int(state.stones[cell]))))
    state.stones[cell] = stone


def apply(board, state, action):
    own, taken, is_alone, found = (int(state.ply) & 1) + 1, 0, True, scratch(CELLS, np.int16)
    state.ply += 1
    state.ko = 0
    if action == board.cells:
        state.passes += 1
        return
    state.passes = 0
    change(state, action, own)
    for index in range(4):
        near = board.near[action, index]
        if near >= 0 and state.stones[near] == 3 - own:
            count = choked(board, state, near, action, found)
            for stone in range(count):
                change(state, np.int64(found[stone]), 0)
            if count:
                taken, state.ko = taken + count, near + 1
        elif near >= 0:
            is_alone = False
    if taken != 1 or not is_alone:
        state.ko = 0
    for ply in range(state.ply - 1):
        if state.seen[ply] == state.key:
            state.repeated = 1
    state.seen[state.ply - 1] = state.key


def area(board, state):
    """Points of black less those of white: stones, and empty crossings from which one reaches one colour only."""
    points, marks, found = -float(board.komi), scratch(CELLS, np.int8), scratch(CELLS, np.int16)
    for cell in range(board.cells):
        marks[cell] = 0
    for start in range(board.cells):
        if state.stones[start]:
            points += 1 if state.stones[start] == 1 else -1
        elif not marks[start]:
            count, colours = region(board, state, start, -1, marks, found), 0
            for cell in range(count):
                for index in range(4):
                    near = board.near[found[cell], index]
                    colours |= int(state.stones[near]) if near >= 0 else 0
            points += count if colours == 1 else -count if colours == 2 else 0
    return points


def returns(board, state, out):
    lead = 0.0 if state.repeated else area(board, state)
    out[0] = 1.0 if lead > 0.0 else -1.0 if lead < 0.0 else 0.0
    out[1] = -out[0]


def hash(board, state):
    """Of the board and what is next. Which positions came before matters only to repetitions, and is left out."""
    rest = (int(state.ply) * 4 + int(state.passes) * 2 + int(state.repeated)) * 256 + int(state.ko)
    return mix(state.key ^ mix(np.uint64(rest)))


def planes(board, view, viewer, out):
    for cell in range(board.cells):
        for seat in range(2):
            out[seat ^ viewer, cell // board.side, cell % board.side] = view.stones[cell] == seat + 1


def plane_names(board):
    return ["own stones", "other stones"]


def plane_shape(board):
    return int(board.side), int(board.side)


# ---------------------------------------------------------------- for people

lesson = (
    ("Black and white place stones on crossings, in turn.", ("e5", "c3", "g3")),
    ("Stones without a free crossing beside them are captured.", ("e5", "d5", "d4", "e4", "f5")),
    ("You may not bring back a position that has been.", ("e5", "c3")),
    ("Who surrounds more wins; white gets points for moving second.", ("c3", "g7", "c7", "g3")),
    ("Click a crossing; pass when there is nothing left to win.", ()),
)
seat_colors = ("#22262b", "#f7f5ef")


def ending(board, state):
    points = area(board, state)
    return "a position came again" if state.repeated else f"{'black' if points > 0 else 'white'} by {abs(points):g}"


def words(board, state, action):
    return "pass" if action == board.cells else drawing.cell_name(*_at(board, action), int(board.side))


def _at(board, cell):
    return int(cell) % int(board.side), int(board.side) - 1 - int(cell) // int(board.side)


def text(board, state):
    signs, side = ("[bold green]●[/]", "[bold white]○[/]"), int(board.side)
    stones = {_at(board, cell): signs[state.stones[cell] - 1] for cell in np.flatnonzero(state.stones)}
    return drawing.board_text(side, side, stones, side)


def picture(board, state):
    side, acts = int(board.side), np.zeros(CELLS + 1, np.int32)
    moves = acts[: legal(board, state, acts)].tolist()
    clicks = {_at(board, move): words(board, state, move) for move in moves[:-1]}
    stones = {_at(board, cell): seat_colors[state.stones[cell] - 1] for cell in np.flatnonzero(state.stones)}
    return drawing.board_svg(side, side, stones, clicks, side, "lines", pressed=["pass"] if moves else [])
