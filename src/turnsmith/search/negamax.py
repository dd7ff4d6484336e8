"""Negamax: alpha-beta for two opposed seats, deeper and deeper, with a transposition table.

The search takes the seats to be opposed: one loses what the other gains. A seat may move several times in a row.
Values are returns of the seat that decides (`me`), negated where the other seat moves.

Order of moves, windows of no width and around the last value, and the table leave the value as it is: with them alone
a search of depth d finds exactly the value of plain minimax of depth d. So the first depth that proves a win has found
the quickest one, and a search that estimated nothing has found the value of the game. `reductions` and `skips` may
change the value. Where the game says which moves are loud, `quiescence` looks at those beyond the depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import borrow, copy, scratch
from turnsmith.contract.game import OVER, Game
from turnsmith.contract.records import record
from turnsmith.play.player import STOP, Prepared, numbers
from turnsmith.play.position import PositionView
from turnsmith.search.limits import (
    CHOICE,
    HORIZON,
    PLIES,
    STOPPED,
    blank_rows,
    deepen,
    estimate,
    shuffle,
    spend,
    start_work,
    stop_flag,
)
from turnsmith.search.ordering import SORTED, add_order, blank_history, blank_killers, bring_best, credit, guess_cuts
from turnsmith.search.table import Settings as TableSettings
from turnsmith.search.table import Tabled, answers, find, open_table, store
from turnsmith.search.value import deciders

MOST_LOUD = 8
"""Loud moves in a row that are looked at beyond the depth."""
LATE, REDUCED_FROM = 4, 3
"""Moves after the first four are late; they are reduced where at least three decisions are left."""
SKIPPED_FROM, SKIPPED_LESS = 3, 2
"""The turn is passed where at least three decisions are left, and what follows is looked at by two less."""
NO_WIDTH, NARROW = 1e-9, 0.05
"""Of the range of returns: the width of a window that only asks whether a move is better, which may be any; and how far
from the last value the next is expected at most."""
FULL, SCOUT, REDUCED, SKIPPED = range(4)
"""How a move is tried: with the whole window, only whether it is better, that less deeply; or the turn is passed."""
LINE = 16  # the best line is kept in the memory's header, int32[10] from this byte on, ended by -1

Settings = numbers(*(TableSettings.names or ()), "quiescence", "scouts", "aspiration", "reductions", "skips", "order")
Frame = record(
    key=np.uint64, seat=np.int64, left=np.int64, alpha=np.float64, beta=np.float64, floor=np.float64, best=np.float64,
    choice=np.int64, action=np.int64, cursor=np.int64, count=np.int64, entered=np.int64, before=np.int64,
    phase=np.int64,
)  # fmt: skip
"""A position on the way to the one looked at: the decisions left, 0 or less where only loud moves are looked at; its
mover's window, what was found so far, the move being tried and how."""


class NegamaxBuffers(NamedTuple):
    """What a search writes to, its settings and net; one row a ply, except `history`, one row a seat, and `rows`, one
    an action at the root: its value, and whether that is only known to be no more."""

    frames: Array
    lines: Array
    moves: Array
    scores: Array
    killers: Array
    history: Array
    table: Array
    age: int
    out: Array
    work: Array
    stop: Array
    rng: Array
    rows: Array
    expected: Array  # float64[1]: the value that the last depth found
    settings: Array  # Settings[1]
    net: Any  # a Judge, or None


def think(game, board, view, acts, net, memory, params, report, rng):
    settings = params.view(Settings)
    table, age = open_table(memory, np.int64(settings[0].table))
    frames = np.empty(PLIES, Frame)
    lines = np.empty(PLIES, game.State)
    moves = np.empty((PLIES, board.actions), np.int32)
    scores = np.empty((PLIES, board.actions), np.int64)
    killers, history = blank_killers(PLIES), blank_history(2, board.actions)
    out, expected = np.empty(board.seats, np.float64), np.zeros(1, np.float64)
    work, stop, rows = start_work(params), stop_flag(memory), blank_rows(board.actions, 2)
    buffers = NegamaxBuffers(
        frames, lines, moves, scores, killers, history, table, age, out, work, stop, rng, rows, expected, settings, net
    )
    chosen = deepen(look, game, board, view, acts, params, buffers, report)
    write_line(game, board, view, chosen, buffers, memory)
    return chosen


def look(game, board, states, me, depth, buffers):
    """The value of states[0], first looked for near the value of the last depth."""
    low, high, work = board.low, board.high, buffers.work
    if buffers.settings[0].aspiration != 0.0 and depth > 2:
        wide = NARROW * (board.high - board.low)
        low, high = max(low, buffers.expected[0] - wide), min(high, buffers.expected[0] + wide)
    before = work[HORIZON]
    value = search(game, board, states, me, depth, low, high, buffers)
    while not work[STOPPED] and ((value <= low and low > board.low) or (value >= high and high < board.high)):
        low, high = board.low if value <= low else low, board.high if value >= high else high
        work[HORIZON] = before
        value = search(game, board, states, me, depth, low, high, buffers)
    buffers.expected[0] = value
    return value


def search(game, board, states, me, depth, alpha, beta, buffers):
    """The value of states[0] for its mover `me`, `depth` > 0 decisions deep; outside alpha..beta only a bound on it.

    An own stack: numba hands every array over in pieces, which made the same search by recursion twice as slow. For
    the same reason its steps are handed only what they need.
    """
    buffers = lent(buffers)
    frames, lines, work, settings = buffers.frames, buffers.lines, buffers.work, buffers.settings[0]
    copy(lines[0], states[0])
    frames[0].alpha, frames[0].beta, frames[0].left = alpha, beta, depth
    width = (board.high - board.low) * NO_WIDTH if settings.scouts != 0.0 else 0.0
    by_turns, reduces = settings.turns != 0.0, settings.reductions != 0.0
    is_quiet = not game.louds or settings.quiescence == 0.0
    ply, arriving, back, value = 0, True, False, 0.0
    while True:
        frame, state = frames[ply], lines[ply]
        settled = again = False

        # 1. Arriving at a position: is it known, or good enough without looking at moves? Then list them.
        if arriving:
            begin(frame, work)
            frame.seat = game.to_move(board, state)
            if is_quiet or frame.left > 0:  # the first half lets the compiler leave out what a game does not have
                frame.key = game.hash(board, state)
                place = find(buffers.table, frame.key)
                settled = place >= 0 and ply > 0 and is_settled(frame, buffers.table[place], work)
                if not settled:
                    hint = buffers.table[place].action if place >= 0 else -1
                    frame.count = game.legal(board, state, buffers.moves[ply])
                    if ply == 0:
                        shuffle(buffers.moves[0], frame.count, buffers.rng)
                    guess_cuts(
                        frame.count, frame.seat, hint, buffers.moves[ply], buffers.scores[ply], buffers.killers[ply],
                        buffers.history,
                    )  # fmt: skip
                    if game.orders and settings.order != 0.0:
                        add_order(game, board, state, frame.count, buffers.moves[ply], buffers.scores[ply])
                    if game.skips and 0 < ply < PLIES - 2 and frame.left >= SKIPPED_FROM and settings.skips != 0.0:
                        estimate(game, board, state, buffers.net, buffers.out, work)
                        work[HORIZON] = frame.entered  # nothing rests on it
                        guess = buffers.out[me] if frame.seat == me else -buffers.out[me]
                        if guess >= frame.beta and frame.beta > board.low and frames[ply - 1].phase != SKIPPED:
                            copy(lines[ply + 1], state)
                            if game.skip(board, lines[ply + 1]) and game.to_move(board, lines[ply + 1]) != OVER:
                                frame.phase = SKIPPED
            else:
                estimate(game, board, state, buffers.net, buffers.out, work)
                stand = buffers.out[me] if frame.seat == me else -buffers.out[me]
                frame.best, frame.floor = stand, max(frame.floor, stand)
                settled = stand >= frame.beta or frame.left <= -MOST_LOUD
                if not settled:
                    list_loud(game, board, state, frame, buffers.moves[ply], buffers.scores[ply])

        # 2. Back from a move, or from passing the turn, with its value for the mover.
        elif back and game.skips and frame.phase == SKIPPED:
            frame.phase, frame.before = FULL, frame.entered
            if value >= frame.beta:
                frame.best, settled = frame.beta, True
                work[HORIZON] += 1  # by a move that there is not
                remember(frame, buffers.table, buffers.age, work)
            else:
                work[HORIZON] = frame.entered
        elif back:
            again = value > frame.floor and frame.phase != FULL and (frame.phase == REDUCED or value < frame.beta)
            if not again:
                take(frame, value, ply, buffers.rows)

        # 3. No move is left, or one is so good that the other seat would not let it come to this.
        if not (settled or again) and (frame.cursor == frame.count or frame.best >= frame.beta):
            settled = True
            if is_quiet or frame.left > 0:
                if frame.best >= frame.beta:
                    credit(frame.seat, frame.choice, frame.left, buffers.killers[ply], buffers.history)
                remember(frame, buffers.table, buffers.age, work)
        if settled:
            if ply == 0:
                break
            ply -= 1
            arriving, back, value = False, True, frame.best if frames[ply].seat == frame.seat else -frame.best
            continue

        # 4. The next move, or the last one again with a wider window.
        child = lines[ply + 1]
        if again:
            work[HORIZON] = frame.before
        elif not (game.skips and frame.phase == SKIPPED):
            take_next(frame, buffers.moves[ply], buffers.scores[ply], work)
            copy(child, state)
            game.apply(board, child, frame.action)
        if not again and spend(work, buffers.stop):
            break
        mover = game.to_move(board, child)
        deeper = frame.left - (0 if mover == frame.seat and by_turns and (is_quiet or frame.left > 0) else 1)
        arriving = mover != OVER and ply + 2 < PLIES and not (is_quiet and deeper <= 0)
        if arriving:
            is_late = reduces and frame.cursor > LATE and deeper >= REDUCED_FROM
            if is_late and game.louds and frame.phase == FULL:
                is_late = not game.loud(board, state, frame.action)
            descend(frame, frames[ply + 1], mover, deeper, is_late, again, width)
            ply += 1
        else:  # the game is over, or too far on to look further
            back = False
            if mover == OVER:
                game.returns(board, child, buffers.out)
            else:
                estimate(game, board, child, buffers.net, buffers.out, work)
            take(frame, buffers.out[me] if frame.seat == me else -buffers.out[me], ply, buffers.rows)
    if frames[0].best > alpha or alpha <= board.low:  # else all that is known of any move is that it is no better
        work[CHOICE] = frames[0].choice
    return frames[0].best


def begin(frame, work):
    """A position of which nothing is known yet but its window."""
    frame.best, frame.choice, frame.floor = -np.inf, -1, frame.alpha
    frame.cursor, frame.count, frame.phase, frame.entered = 0, 0, FULL, work[HORIZON]


def take(frame, value, ply, rows):
    """Take in the value of the move at hand."""
    if ply == 0:
        rows[frame.action, 0] = value
        rows[frame.action, 1] = 1.0 if value <= frame.floor else 0.0
    if value > frame.best:
        frame.best, frame.choice = value, frame.action
        frame.floor = max(frame.floor, value)


def descend(frame, child, mover, deeper, is_late, again, width):
    """Say how the move at hand is tried, and give the position behind it its depth and window; `width` is that of the
    window of a scout, 0 where there are none."""
    low, high = frame.floor, frame.beta
    if frame.phase == SKIPPED:
        low, deeper = max(low, high - width), max(deeper - SKIPPED_LESS, 0)
    elif frame.cursor > 1 and width > 0.0 and deeper > 0:
        above = low + width
        may_scout = low < above < high
        if again:
            frame.phase = SCOUT if frame.phase == REDUCED and may_scout else FULL
        else:
            frame.phase = REDUCED if is_late else SCOUT if may_scout else FULL
        if frame.phase != FULL:
            high = above
        if frame.phase == REDUCED:
            deeper -= 1
    same = mover == frame.seat
    child.alpha, child.beta, child.left = low if same else -high, high if same else -low, deeper


def lent(buffers):
    """The same without counting references, which would take a third of the time; for arguments alone."""
    return NegamaxBuffers(
        borrow(buffers.frames), borrow(buffers.lines), borrow(buffers.moves), borrow(buffers.scores),
        borrow(buffers.killers), borrow(buffers.history), borrow(buffers.table), buffers.age, borrow(buffers.out),
        borrow(buffers.work), borrow(buffers.stop), borrow(buffers.rng), borrow(buffers.rows), borrow(buffers.expected),
        borrow(buffers.settings), buffers.net,
    )  # fmt: skip


def is_settled(frame, entry, work):
    """Whether a position's entry in the table settles it; then its value is the frame's best."""
    if not answers(entry, frame.left, frame.alpha, frame.beta):
        return False
    work[HORIZON] += 1 - entry.proven
    frame.best = entry.value
    return True


def list_loud(game, board, state, frame, moves, scores):
    """List the loud moves alone."""
    for index in range(game.legal(board, state, moves)):
        action = np.int64(moves[index])
        loud = np.int64(game.loud(board, state, action))
        if loud:
            moves[frame.count] = action
            scores[frame.count] = game.order(board, state, action) if game.orders else loud
            frame.count += 1


def take_next(frame, moves, scores, work):
    """Choose the most promising move that is left."""
    if frame.cursor < SORTED:
        bring_best(moves, scores, frame.cursor, frame.count)
    frame.action, frame.phase = moves[frame.cursor], FULL
    frame.cursor += 1
    frame.before = work[HORIZON]


def remember(frame, table, age, work):
    """Keep the value of a position. A cut rests on the last move alone, anything else on all of them."""
    proven = work[HORIZON] == (frame.before if frame.best >= frame.beta else frame.entered)
    if proven:
        work[HORIZON] = frame.entered
    store(table, frame.key, frame.left, age, frame.best, frame.alpha, frame.beta, frame.choice, proven)


def write_line(game, board, view, action, buffers, memory):
    """Keep the best line for the note, as far as the table knows it."""
    line = memory[LINE:STOP].view(np.int32)
    line[:] = -1
    states = scratch(1, game.State)
    copy(states[0], view)
    for ply in range(line.shape[0]):
        line[ply] = action
        if game.hides:  # a view may not be played on
            break
        game.apply(board, states[0], action)
        if game.to_move(board, states[0]) == OVER:
            break
        place = find(buffers.table, game.hash(board, states[0]))
        if place < 0:
            break
        action = np.int64(buffers.table[place].action)
        legal = False
        for index in range(game.legal(board, states[0], buffers.moves[0])):
            legal = legal or buffers.moves[0, index] == action
        if not legal:
            break


@dataclass(frozen=True, repr=False)
class Negamax(Tabled):
    name = "negamax"
    summary = "alpha-beta for two opposed seats without chance"
    decide, decide_by_value = deciders(think)

    quiescence: bool = setting(True)
    """Whether it looks beyond its depth at the moves that the game calls loud."""
    scouts: bool = setting(True)
    """Whether it asks of later moves first only whether they are better."""
    aspiration: bool = setting(False)
    """Whether it looks for the value near that of the last depth first."""
    reductions: bool = setting(False)
    """Whether it looks at late moves less deeply first; then the value is not that of plain minimax."""
    skips: bool = setting(False)
    """Whether it passes the turn where the game has a skip; then the value is not that of plain minimax."""
    order: bool = setting(True)
    """Whether it tries first the moves that the game expects most of."""

    def prepare(self, game: Game, boards: Array) -> Prepared:
        return self.prepared(game, boards, Settings)

    def refuses(self, game: Game, board: Any) -> str | None:
        if board.seats != 2:
            return f"it needs two opposed seats and this game has {board.seats}; maxn plays any number"
        if board.outcomes > 0:
            return "chance has moves in this game; expectimax and mcts reckon with it"
        return None

    def note(self, position: PositionView, action: int, report: Array, memory: Array) -> str:
        said, line = super().note(position, action, report, memory), self.line(position, action, memory)
        return f"{said}: {', '.join(line)}" if line else said

    def line(self, position: PositionView, action: int, memory: Array) -> tuple[str, ...]:
        if position.game.hides:
            return ()
        line = memory[LINE:STOP].view(np.int32)
        return position.spelled(line[line >= 0].tolist())
