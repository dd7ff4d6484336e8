"""The exact solver: alpha-beta over bitboards that never tries a move which loses at once.

A position is two numbers, the mover's stones and all stones, laid out as in ``rules.py``. Its score, for the seat to
move, counts how early it ends: a win with one's last stone is 1, one stone earlier 2, and so on; a loss is negative, a
draw 0. So the score's sign is the value of the game, and whoever maximises it wins as soon, or loses as late, as
possible.

What makes it quick: a move that lets the other win at once is never tried, and nothing but the parry where the other
threatens to; bounds that follow from how many cells are left; a table of what was found before, in which a position
and its mirror image are one; moves that make most threats first, then the middle columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled, copy, lowest_bit, popcount, scratch
from turnsmith.compile.rng import GOLDEN
from turnsmith.contract.records import record
from turnsmith.games.connect_four.rules import apply, legal, winning_cells
from turnsmith.languages import _
from turnsmith.play.position import PositionView
from turnsmith.search.limits import STOPPED, spend, start_work

ONE = np.uint64(1)
COLUMNS = 10
BITS = 50  # of a board, at most: the rest of a table's 64-bit entry is for the bound and the number of cells left
BOUND, LEFT = np.uint64(7), np.uint64(6)
MIRRORED = 22  # with fewer cells left, positions too seldom meet their mirror image to be worth turning around
LATE, CORNER = 11, 1 << 15  # positions with so few cells left share a corner of the table, which stays in the cache

Frame = record(
    mine=np.uint64, filled=np.uint64, key=np.uint64, left=np.int64, alpha=np.int64, beta=np.int64,
    count=np.int64, cursor=np.int64, moves=(np.uint64, COLUMNS),
)  # fmt: skip
"""A position on the way to the one looked at: its cells left, its window, and its moves, each one bit, best first."""


class Solver(NamedTuple):
    """What the solver carries with it: the board's masks, the table, a frame a ply; counters and flag of ``limits``."""

    width: int
    tall: int
    cells: int
    inside: int
    bottom: int
    columns: Array
    table: Array
    frames: Array
    work: Array
    stop: Array


def solver_for(board, table, work, stop):
    """`table`: uint64, a power of two of them, at least CORNER, zero or what was found on this board before.

    `work` and `stop` are as ``search.limits`` has them. The solver's `columns` go from the middle outwards.
    """
    width, height = np.int64(board.width), np.int64(board.height)
    columns = np.empty(COLUMNS, np.uint64)
    for x in range(width):
        columns[x] = board.column[width // 2 + (1 - 2 * (x % 2)) * ((x + 1) // 2)]
    frames = np.empty(64, Frame)
    return Solver(width, height + 1, width * height, board.inside, board.floor, columns, table, frames, work, stop)


# ---------------------------------------------------------------- the table


def key_of(solver, mine, filled, left):
    """A number that no other position has, but for its mirror image while many cells are left.

    In each column the sum of the mover's stones and of all stones tells both.
    """
    key = mine + filled
    return key if left < MIRRORED else min(key, mirror(key, solver.width, solver.tall))


def mirror(key, width, tall):
    """The key with its columns from right to left."""
    mirrored, column = np.uint64(0), (ONE << np.uint64(tall)) - ONE
    for _column in range(width):
        mirrored = (mirrored << np.uint64(tall)) | (key & column)
        key >>= np.uint64(tall)
    return mirrored


def place_of(table, key, left):
    """The first of the two places for a position."""
    return np.int64((key * GOLDEN) >> np.uint64(20)) & ((table.shape[0] if left > LATE else CORNER) - 2)


def find(table, key, left):
    """The bound stored for a position, as ``store`` wrote it, or 0."""
    place = place_of(table, key, left)
    for at in range(place, place + 2):
        if table[at] >> (BOUND + LEFT) == key:
            return np.int64(table[at] & ((ONE << BOUND) - ONE))
    return 0


def store(table, key, left, bound):
    """Keep a bound: in the first of the two places, unless a position with more cells left, so more work, is there."""
    place = place_of(table, key, left)
    there = table[place]
    if there >> (BOUND + LEFT) != key and np.int64((there >> BOUND) & ((ONE << LEFT) - ONE)) > left:
        place += 1
    table[place] = (key << (BOUND + LEFT)) | (np.uint64(left) << BOUND) | np.uint64(bound)


def as_bound(solver, score, is_least):
    """A bound as a number above 0: first those that a score is at most, then those that it is at least."""
    return score + solver.cells // 2 + 1 + (solver.cells + 1 if is_least else 0)


# ---------------------------------------------------------------- the search


def arrive(solver, frame):
    """List the moves of a position worth trying, or settle it: then it has none, and its score is returned.

    The seat to move cannot win at once; nobody would have let it come to this.
    """
    frame.count, frame.cursor = 0, 0
    left, free = frame.left, solver.inside ^ frame.filled
    # 1. Where do they threaten to win? Two such cells at hand, or no cell that is not below one, lose.
    wins = winning_cells(frame.filled ^ frame.mine, free, solver.tall)
    moves = (frame.filled + solver.bottom) & solver.inside
    threats = moves & wins
    if threats:
        moves = threats if not threats & (threats - ONE) else np.uint64(0)
    moves &= ~(wins >> ONE)
    if not moves:
        return -(left // 2)
    if left <= 2:
        return 0
    # 2. Nobody can win with the next stone, which bounds the score on both sides.
    frame.alpha = max(frame.alpha, -((left - 2) // 2))
    frame.beta = min(frame.beta, (left - 1) // 2)
    if frame.alpha >= frame.beta:
        return frame.alpha
    # 3. What is known of it?
    frame.key = key_of(solver, frame.mine, frame.filled, left)
    bound = find(solver.table, frame.key, left)
    if bound > solver.cells + 1:
        frame.alpha = max(frame.alpha, bound - as_bound(solver, 0, True))
        if frame.alpha >= frame.beta:
            return frame.alpha
    elif bound > 0:
        frame.beta = min(frame.beta, bound - as_bound(solver, 0, False))
        if frame.alpha >= frame.beta:
            return frame.beta
    return sort_moves(solver, frame, moves, free)


def sort_moves(solver, frame, moves, free):
    """Put the moves into the frame, most threats first; or return the score where one makes two threats at once."""
    scores = scratch(COLUMNS, np.int64)
    count = 0
    for index in range(solver.width):
        move = moves & solver.columns[index]
        if move:
            wins = winning_cells(frame.mine | move, free ^ move, solver.tall)
            direct = wins & ((frame.filled | move) + solver.bottom)
            if direct & (direct - ONE) or (direct << ONE) & wins:  # beside each other, or one above the other
                return (frame.left - 1) // 2
            score, place = np.int64(popcount(wins)), count
            while place > 0 and scores[place - 1] < score:
                scores[place] = scores[place - 1]
                frame.moves[place] = frame.moves[place - 1]
                place -= 1
            scores[place] = score
            frame.moves[place] = move
            count += 1
    frame.count = count
    return 0


def search(solver, mine, filled, alpha, beta):
    """The score of a position if it is between alpha and beta, else a bound on it beyond the nearer of them.

    The seat to move must not be able to win at once. Nothing is known if the search was stopped.
    """
    frames, ply, arriving, value = solver.frames, 0, True, 0
    frames[0].mine, frames[0].filled, frames[0].left = mine, filled, solver.cells - np.int64(popcount(filled))
    frames[0].alpha, frames[0].beta = alpha, beta
    while True:
        frame, done = frames[ply], False
        if arriving:
            if spend(solver.work, solver.stop):
                return 0
            value = arrive(solver, frame)
            done = frame.count == 0
        elif value >= frame.beta:
            store(solver.table, frame.key, frame.left, as_bound(solver, value, True))
            done = True
        else:
            frame.alpha = max(frame.alpha, value)
        if not done and frame.cursor == frame.count:
            value, done = frame.alpha, True
            store(solver.table, frame.key, frame.left, as_bound(solver, value, False))
        if done:
            if ply == 0:
                return value
            ply -= 1
            arriving, value = False, -value
            continue
        move = frame.moves[frame.cursor]
        frame.cursor += 1
        ply += 1
        child = frames[ply]
        child.mine, child.filled, child.left = frame.filled ^ frame.mine, frame.filled | move, frame.left - 1
        child.alpha, child.beta = -frame.beta, -frame.alpha
        arriving = True


def score_of(solver, mine, filled, least, most):
    """The score of any unfinished position, as far as it is between `least` and `most`; -1 and 1 ask who wins.

    It is found by asking again and again whether it is more than some number, which cuts more than wide windows do.
    """
    left = solver.cells - np.int64(popcount(filled))
    at_hand = (filled + solver.bottom) & solver.inside
    if winning_cells(mine, at_hand, solver.tall):
        return min((left + 1) // 2, most)
    low, high = max(least, -(left // 2)), min(most, (left - 1) // 2)
    while low < high:
        middle = low + (high - low) // 2
        if middle <= 0 and low // 2 < middle:  # near 0 first: these answers come quickest, and serve the others
            middle = low // 2
        elif middle >= 0 and high // 2 > middle:
            middle = high // 2
        value = search(solver, mine, filled, middle, middle + 1)
        if value <= middle:
            high = min(high, value)
        else:
            low = max(low, value)
        if solver.work[STOPPED]:
            return 0
    return min(max(low, least), most)


def best_move(solver, mine, filled):
    """The value of an unfinished position, -1, 0 or 1, and the column of a move that keeps it; -1 if it was stopped.

    The move depends on nothing but the position: of those that will do, the one with most threats, then the middle one.
    """
    theirs, free = filled ^ mine, solver.inside ^ filled
    at_hand = (filled + solver.bottom) & solver.inside
    if winning_cells(mine, at_hand, solver.tall):
        return 1, column_of(solver, winning_cells(mine, at_hand, solver.tall))
    value = score_of(solver, mine, filled, -1, 1)
    danger = winning_cells(theirs, free, solver.tall)
    moves = at_hand & danger if at_hand & danger else at_hand
    moves = moves & ~(danger >> ONE) if moves & ~(danger >> ONE) else moves  # if there are only such, all lose
    while moves and not solver.work[STOPPED]:
        move, most = np.uint64(0), -1
        for index in range(solver.width):
            threats = winning_cells(mine | solver.columns[index] & moves, free, solver.tall)
            if moves & solver.columns[index] and np.int64(popcount(threats)) > most:
                move, most = moves & solver.columns[index], np.int64(popcount(threats))
        if value < 0 or search(solver, theirs, filled | move, -value, 1 - value) <= -value:
            break
        moves ^= move
    if solver.work[STOPPED]:
        return 0, -1
    return value, column_of(solver, move)


def column_of(solver, bits):
    """The column of the lowest of some bits."""
    return lowest_bit(bits) // solver.tall


# ---------------------------------------------------------------- for Python


def score_moves(boards, states, acts, least, most, table, out):
    """Fill `out` with the scores of the legal moves of states[0], for the seat that makes them; how many they are."""
    solver = solver_for(boards[0], table, start_work(np.zeros(3)), np.zeros(1, np.int64))
    after = np.empty(1, states.dtype)
    count = legal(boards[0], states[0], acts)
    for index in range(count):
        copy(after[0], states[0])
        apply(boards[0], after[0], np.int64(acts[index]))
        out[index] = -score_after(solver, after[0], -most, -least)
    return count


def score_after(solver, state, least, most):
    """The score for the seat that would move next, where the move just made may have ended the game."""
    left = solver.cells - state.ply
    if state.won:
        return max(-((left + 2) // 2), least)
    if left == 0:
        return 0
    return score_of(solver, state.stones[state.ply & 1], state.stones[0] | state.stones[1], least, most)


def refusal_of(board):
    """Why a board cannot be solved, or None."""
    if board.connect != 4 or board.width * (board.height + 1) > BITS:
        return _("only four in a row is solved, where width * (height + 1) is at most {}").format(BITS)
    return None


def solve_exact(position: PositionView, *, in_stones: bool = False, log2: int = 22) -> dict[str, int]:
    """What every legal move is worth to the seat to move, if all play perfectly: 1 won, 0 drawn, -1 lost.

    With `in_stones`, how much it is won or lost by: a win with one's last stone is 1, one stone earlier 2, …. The table
    takes 8 · 2**log2 bytes. An empty board takes minutes, ten stones tenths of a second, fourteen a hundredth.

    >>> import turnsmith
    >>> solve_exact(turnsmith.load("connect_four:width=5,height=4").start())
    {'a': -1, 'b': 0, 'c': 0, 'd': 0, 'e': -1}
    """
    reason = refusal_of(position.board)
    if reason is not None or position.game.name != "connect_four":
        raise BadInput(f"{position.game.text_name} cannot be solved here: {reason or 'it is not Connect Four'}")
    out, acts, most = np.zeros(COLUMNS, np.int64), np.zeros(COLUMNS, np.int32), 64 if in_stones else 1
    table = np.zeros(1 << log2, np.uint64)
    count = compiled(score_moves)(position.boards, position.view(0), acts, -most, most, table, out)
    return {position.words(int(acts[index])): int(out[index]) for index in range(count)}
