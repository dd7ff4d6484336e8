"""Othello: outflank the other's discs and turn them; most discs win.

Black (seat 0) and white (seat 1) take turns. A disc is put where it outflanks at least one straight run of the other's
discs, across, up or diagonally, between itself and an own disc; all discs outflanked are turned. Whoever has no such
cell must pass, and may not pass otherwise. When neither can move the game is over, and whoever has more discs wins.
Cells are called a1 (top left) to h8, and the first move of a game is d3, c4, f5 or e6.

A colour's discs are bits of one number: column x, row y is bit 8·y + x. A run in one direction is found by moving all
discs at once; discs on the edge cannot be outflanked sideways, so leaving them out keeps runs from wrapping around.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from turnsmith import sources
from turnsmith.game import OVER, board_record, record
from turnsmith.kernel import lowest_bit, nth_bit, popcount
from turnsmith.rng import GOLDEN, below, mix
from turnsmith.texts import setting

ONE = np.uint64(1)
STEPS = (1, 7, 8, 9)  # across, down-left, down, down-right; the other four directions are these backwards
CELLS = 64


@dataclass(frozen=True)
class Options:
    size: Literal[4, 6, 8] = setting(8)
    """Cells along a side."""


# Of each step: the cells that a run may go through. Of each action: its bit; of each bit: its action.
Board = board_record(
    side=np.int64,
    cells=np.uint64,
    steps=(np.uint64, 4),
    through=(np.uint64, 4),
    corner=(np.uint64, 4),
    near=(np.uint64, 4),
    inside=(np.uint64, 4),
    bits=(np.uint64, CELLS),
    numbers=(np.int32, CELLS),
)
State = record(discs=(np.uint64, 2), moves=np.uint64, seat=np.int8, over=np.int8)
"""`moves`: the cells where the seat to move may put a disc; none means that it must pass."""


def source(options, seed):
    return asdict(options)


def tables(source):
    side = sources.options(source, Options).size
    boards = np.zeros(1, Board)
    board = boards[0]
    board.seats, board.actions, board.outcomes, board.low, board.high = 2, side * side + 1, 0, -1.0, 1.0
    board.side, board.steps[:] = side, STEPS

    def bits(chosen):
        return sum(1 << (8 * y + x) for y in range(side) for x in range(side) if chosen(x, y))

    last = side - 1
    board.cells = bits(lambda x, y: True)
    board.through[:] = [
        bits(lambda x, y, step=step: (step == 8 or 0 < x < last) and (step == 1 or 0 < y < last)) for step in STEPS
    ]
    for index, (left, top) in enumerate([(0, 0), (last, 0), (0, last), (last, last)]):
        board.corner[index] = 1 << (8 * top + left)
        board.near[index] = bits(lambda x, y, left=left, top=top: abs(x - left) + abs(y - top) == 1)
        board.inside[index] = bits(lambda x, y, left=left, top=top: abs(x - left) == abs(y - top) == 1)
    for y in range(side):
        for x in range(side):
            board.bits[y * side + x] = 1 << (8 * y + x)
            board.numbers[8 * y + x] = y * side + x
    return boards


def setup(board, state):
    middle = int(board.side) // 2
    north = np.uint64(8 * (middle - 1) + middle)
    south = np.uint64(8 * middle + middle - 1)
    state.discs[0] = (ONE << north) | (ONE << south)
    state.discs[1] = (ONE << (north - ONE)) | (ONE << (south + ONE))
    state.moves = cells_to_move(board, state.discs[0], state.discs[1])


def to_move(board, state):
    return OVER if state.over else int(state.seat)


def legal(board, state, out):
    """A cell's number is row · size + column; the number after the last is the pass."""
    if state.over:
        return 0
    count, left = 0, state.moves
    while left:
        out[count] = board.numbers[lowest_bit(left)]
        left &= left - ONE
        count += 1
    if count == 0:
        out[0] = board.actions - 1
        count = 1
    return count


def pick(board, state, rng):
    if not state.moves:
        return np.int64(board.actions - 1)
    return np.int64(board.numbers[nth_bit(state.moves, below(rng, np.int64(popcount(state.moves))))])


def apply(board, state, action):
    seat = int(state.seat)
    if action < board.actions - 1:
        put = board.bits[action]
        turned = outflanked(board, state.discs[seat], state.discs[1 - seat], put)
        state.discs[seat] |= turned | put
        state.discs[1 - seat] &= ~turned
    state.seat = 1 - seat
    state.moves = cells_to_move(board, state.discs[1 - seat], state.discs[seat])
    if not state.moves:
        state.over = 0 if cells_to_move(board, state.discs[seat], state.discs[1 - seat]) else 1


def run_up(start, through, step):
    """The cells of `through` that come one after another from a cell of `start`, towards higher bits."""
    run = through & (start << step)
    run |= through & (run << step)
    through &= through << step
    run |= through & (run << (step + step))
    run |= through & (run << (step + step))
    return run


def run_down(start, through, step):
    """The same towards lower bits."""
    run = through & (start >> step)
    run |= through & (run >> step)
    through &= through >> step
    run |= through & (run >> (step + step))
    run |= through & (run >> (step + step))
    return run


def cells_to_move(board, mine, theirs):
    """The empty cells from which a run of their discs leads to one of mine."""
    found = np.uint64(0)
    for index in range(4):
        step, through = board.steps[index], theirs & board.through[index]
        found |= (run_up(mine, through, step) << step) | (run_down(mine, through, step) >> step)
    return found & board.cells & ~(mine | theirs)


def outflanked(board, mine, theirs, put):
    """Their discs that a disc on `put` turns."""
    turned = np.uint64(0)
    for index in range(4):
        step, through = board.steps[index], theirs & board.through[index]
        run = run_up(put, through, step)
        if mine & (run << step):
            turned |= run
        run = run_down(put, through, step)
        if mine & (run >> step):
            turned |= run
    return turned


def count_of(bits):
    return np.int64(popcount(bits))


def returns(board, state, out):
    lead = count_of(state.discs[0]) - count_of(state.discs[1])
    out[0] = 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
    out[1] = -out[0]


def hash(board, state):
    return mix(mix(state.discs[0]) ^ (state.discs[1] * GOLDEN + np.uint64(state.seat)))


# ---------------------------------------------------------------- evaluation

MOBILITY, FRONTIER, CORNER, NEAR, DIAGONAL = 8.0, 3.0, 40.0, 8.0, 16.0
SCALE = 60.0


def evaluate(board, state, out):
    """Freedom and safety, as players count them; a lead of SCALE points is worth half a won game.

    Mobility is how many moves one has, and the frontier how many discs the other could outflank by a disc on an empty
    cell next to them. A corner is never turned again; beside an empty corner, and above all diagonally to it, a disc
    helps the other to it. Counting discs themselves misleads until the end, which searches reach.
    """
    black, white = state.discs[0], state.discs[1]
    empty = board.cells & ~(black | white)
    points = MOBILITY * balance(cells_to_move(board, black, white), cells_to_move(board, white, black))
    points -= FRONTIER * balance(exposed(board, black, empty), exposed(board, white, empty))
    for index in range(4):
        if board.corner[index] & empty:
            near, diagonal = board.near[index], board.inside[index]
            points -= NEAR * balance(black & near, white & near)
            points -= DIAGONAL * balance(black & diagonal, white & diagonal)
        else:
            points += CORNER * balance(black & board.corner[index], white & board.corner[index])
    out[0] = points / (SCALE + abs(points))
    out[1] = -out[0]


def exposed(board, discs, empty):
    """The discs that have an empty cell beside them in a direction in which they can be outflanked."""
    found = np.uint64(0)
    for index in range(4):
        step = board.steps[index]
        found |= board.through[index] & ((empty << step) | (empty >> step))
    return found & discs


def balance(mine, theirs):
    """How many more bits are mine."""
    return float(count_of(mine) - count_of(theirs))


def ending(board, state):
    black, white = (int(count_of(discs)) for discs in state.discs)
    return f"neither can move, {max(black, white)} discs to {min(black, white)}"


# ---------------------------------------------------------------- for people


def words(board, state, action):
    side = int(board.side)
    return "pass" if action == side * side else f"{'abcdefgh'[action % side]}{action // side + 1}"


def refusal(board, state, text):
    if text == "pass" and state.moves:
        return "you may pass only when you cannot put a disc anywhere"
    return None


def _disc(state, x, y):
    bit = ONE << np.uint64(8 * y + x)
    return 0 if state.discs[0] & bit else 1 if state.discs[1] & bit else None


def _may_move(state, x, y):
    return bool(state.moves & (ONE << np.uint64(8 * y + x)))


def text(board, state):
    side = range(int(board.side))
    signs = {0: "[bold green]●[/]", 1: "[bold white]○[/]"}

    def sign(x, y):
        return signs.get(_disc(state, x, y), "[green]+[/]" if _may_move(state, x, y) else "[dim]·[/]")

    rows = [" ".join([str(y + 1), *(sign(x, y) for x in side)]) for y in side]
    black, white = (int(count_of(discs)) for discs in state.discs)
    return "\n".join(["  " + " ".join("abcdefgh"[x] for x in side), *rows, f"black ● {black}, white ○ {white}"])


lesson = (
    ("Place a disc so that discs of the other colour stand between it and another of yours.", ()),
    ("All discs between them turn over and are yours.", ("d3",)),
    ("Every line counts, also the diagonal ones.", ("d3", "c3", "b3")),
    ("Who cannot turn any disc passes. Corners can never be turned back.", ("d3", "c5")),
    ("When nobody can move, more discs win. Click a marked cell.", ("d3", "c5", "f6")),
)
seat_colors = ("#22262b", "#f7f5ef")


def picture(board, state):
    size, side = 50, int(board.side)
    edge = 24  # room for the names of rows and columns
    wide, must_pass = edge + side * size + 6, not state.over and not state.moves
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {wide + 34}" '
        'font-family="sans-serif" font-size="15" text-anchor="middle">',
        f'<rect x="{edge}" y="{edge}" width="{side * size}" height="{side * size}" rx="6" fill="#2f7d57"/>',
    ]
    for place in range(1, side):
        at = edge + place * size
        out.append(
            f'<path d="M{edge} {at}h{side * size}M{at} {edge}v{side * size}" stroke="#235f42" stroke-width="2"/>'
        )
    for place in range(side):
        at = edge + place * size + size // 2
        out.append(f'<text x="{at}" y="17" fill="#555555">{"abcdefgh"[place]}</text>')
        out.append(f'<text x="12" y="{at + 5}" fill="#555555">{place + 1}</text>')
    for y in range(side):
        for x in range(side):
            left, top, owner = edge + x * size, edge + y * size, _disc(state, x, y)
            middle = f'cx="{left + size // 2}" cy="{top + size // 2}"'
            if owner is not None:
                fill, rim = seat_colors[owner], ("#0d0f11", "#c9c4b4")[owner]
                look = f'r="20" fill="{fill}" stroke="{rim}" stroke-width="2"'
                out.append(f'<circle data-key="disc {x} {y}" {middle} {look}/>')
            elif _may_move(state, x, y):
                hint = seat_colors[int(state.seat)]
                out.append(f'<circle {middle} r="6" fill="{hint}" fill-opacity="0.45"/>')
                place = f'x="{left}" y="{top}" width="{size}" height="{size}"'
                name = words(board, state, y * side + x)
                out.append(f'<rect data-word="{name}" {place} fill="#ffffff" fill-opacity="0" style="cursor:pointer"/>')
    black, white = (int(count_of(discs)) for discs in state.discs)
    out.append(
        f'<text x="{edge}" y="{wide + 22}" text-anchor="start" fill="#333333">black {black}, white {white}</text>'
    )
    if must_pass:
        out.append('<g data-word="pass" style="cursor:pointer">')
        out.append(f'<rect x="{wide - 106}" y="{wide}" width="100" height="32" rx="6" fill="#3d5a3d"/>')
        out.append(f'<text x="{wide - 56}" y="{wide + 21}" fill="#ffffff">pass</text></g>')
    return "".join(out) + "</svg>"


PLAYERS: dict[str, type] = {}
LEVELS = {
    "easy": "mcts:simulations=30",
    "medium": "negamax:depth=3",
    "hard": "negamax:depth=7,time=1",
    "expert": "negamax:time=3,table=20",
}
