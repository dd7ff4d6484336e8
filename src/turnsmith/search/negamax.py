"""Negamax: alpha-beta for two opposed seats, deeper and deeper, with a transposition table.

The search takes the seats to be opposed: one loses what the other gains. A seat may move several times in a row.
Values are returns of the seat that decides (`me`), negated where the other seat moves. A search of depth d finds
exactly the value of plain minimax of depth d. So the first depth that proves a win has found the quickest one. A search
that estimated nothing has found the value of the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import borrow, copy, scratch
from turnsmith.contract.game import OVER, Game
from turnsmith.contract.records import record
from turnsmith.play.player import STOP
from turnsmith.play.position import PositionView
from turnsmith.search.limits import CHOICE, HORIZON, PLIES, deepen, estimate, shuffle, spend, start_work, stop_flag
from turnsmith.search.table import Settings, Tabled, answers, find, open_table, store
from turnsmith.search.value import deciders

SORTED = 12  # moves worth sorting: where that many did not cut, none will
HINT, KILLER = 1 << 60, 1 << 58
LINE = 16  # the best line is kept in the memory's header, int32[10] from this byte on, ended by -1

Frame = record(
    key=np.uint64, seat=np.int64, alpha=np.float64, beta=np.float64, floor=np.float64, best=np.float64,
    choice=np.int64, action=np.int64, cursor=np.int64, count=np.int64, entered=np.int64, before=np.int64,
)  # fmt: skip
"""A position on the way to the one looked at: its mover's window, what was found so far, the move being tried."""


class NegamaxBuffers(NamedTuple):
    """What a search writes to, and its net and limits; one row a ply, except `history`, one row a seat."""

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
    net: Any  # a Judge, or None


def think(game, board, view, acts, net, memory, params, report, rng):
    table, age = open_table(memory, np.int64(params.view(Settings)[0].table))
    frames = np.empty(PLIES, Frame)
    lines = np.empty(PLIES, game.State)
    moves = np.empty((PLIES, board.actions), np.int32)
    scores = np.empty((PLIES, board.actions), np.int64)
    killers = np.empty((PLIES, 2), np.int64)
    killers[:] = -1
    history = np.empty((2, board.actions), np.int64)
    history[:] = 0
    out = np.empty(board.seats, np.float64)
    work, stop = start_work(params), stop_flag(memory)
    buffers = NegamaxBuffers(frames, lines, moves, scores, killers, history, table, age, out, work, stop, rng, net)
    chosen = deepen(search, game, board, view, acts, params, buffers, report)
    write_line(game, board, view, chosen, buffers, memory)
    return chosen


def search(game, board, states, me, depth, buffers):
    """The value of states[0] for its mover `me`, `depth` > 0 decisions deep.

    An own stack: numba hands every array over in pieces, which made the same search by recursion twice as slow. For
    the same reason its steps are handed only what they need.
    """
    buffers = lent(buffers)
    frames, lines, work = buffers.frames, buffers.lines, buffers.work
    copy(lines[0], states[0])
    frames[0].alpha, frames[0].beta = board.low, board.high
    ply, arriving, value = 0, True, 0.0
    while True:
        frame, state = frames[ply], lines[ply]
        left = depth - ply
        settled = False
        if arriving:
            frame.seat, frame.key = game.to_move(board, state), game.hash(board, state)
            place = find(buffers.table, frame.key)
            settled = place >= 0 and ply > 0 and is_settled(frame, buffers.table[place], left, work)
            if not settled:
                hint = buffers.table[place].action if place >= 0 else -1
                frame.count = game.legal(board, state, buffers.moves[ply])
                if ply == 0:
                    shuffle(buffers.moves[0], frame.count, buffers.rng)
                guess_cuts(frame, ply, hint, buffers.moves[ply], buffers.scores[ply], buffers.history, buffers.killers)
                frame.cursor, frame.entered = 0, work[HORIZON]
                frame.best, frame.choice, frame.floor = -np.inf, -1, frame.alpha
        elif value > frame.best:  # for the mover, of the move just tried
            frame.best, frame.choice = value, frame.action
            frame.floor = max(frame.floor, value)
        if not settled and (frame.cursor == frame.count or frame.best >= frame.beta):
            # No move is left, or one is so good that the other seat would not let it come to this.
            settled = True
            if frame.best >= frame.beta:
                credit(buffers, frame.seat, frame.choice, left, ply)
            remember(frame, left, buffers.table, buffers.age, work)
        if settled:
            if ply == 0:
                break
            ply -= 1
            arriving, value = False, frame.best if frames[ply].seat == frame.seat else -frame.best
            continue

        take_next(frame, buffers.moves[ply], buffers.scores[ply], work)
        child = lines[ply + 1]
        copy(child, state)
        game.apply(board, child, frame.action)
        if spend(work, buffers.stop):
            break
        mover = game.to_move(board, child)
        arriving = mover != OVER and left > 1
        if arriving:
            ply += 1
            same = mover == frame.seat
            frames[ply].alpha = frame.floor if same else -frame.beta
            frames[ply].beta = frame.beta if same else -frame.floor
        else:  # the game is over, or too far on to look further
            if mover == OVER:
                game.returns(board, child, buffers.out)
            else:
                estimate(game, board, child, buffers.net, buffers.out, work)
            value = buffers.out[me] if frame.seat == me else -buffers.out[me]
    work[CHOICE] = frames[0].choice
    return frames[0].best


def lent(buffers):
    """The same without counting references, which would take a third of the time; for arguments alone."""
    return NegamaxBuffers(
        borrow(buffers.frames), borrow(buffers.lines), borrow(buffers.moves), borrow(buffers.scores),
        borrow(buffers.killers), borrow(buffers.history), borrow(buffers.table), buffers.age, borrow(buffers.out),
        borrow(buffers.work), borrow(buffers.stop), borrow(buffers.rng), buffers.net,
    )  # fmt: skip


def is_settled(frame, entry, left, work):
    """Whether a position's entry in the table settles it; then its value is the frame's best."""
    if not answers(entry, left, frame.alpha, frame.beta):
        return False
    work[HORIZON] += 1 - entry.proven
    frame.best = entry.value
    return True


def guess_cuts(frame, ply, hint, moves, scores, history, killers):
    """Score the moves of a position by how likely they cut."""
    for index in range(frame.count):
        action = moves[index]
        scores[index] = history[frame.seat, action]
        if action == hint:
            scores[index] += HINT
        elif action == killers[ply, 0] or action == killers[ply, 1]:
            scores[index] += KILLER


def take_next(frame, moves, scores, work):
    """Choose the most promising move that is left."""
    if frame.cursor < SORTED:
        bring_best(moves, scores, frame.cursor, frame.count)
    frame.action = moves[frame.cursor]
    frame.cursor += 1
    frame.before = work[HORIZON]


def remember(frame, left, table, age, work):
    """Keep the value of a position. A cut rests on the last move alone, anything else on all of them."""
    proven = work[HORIZON] == (frame.before if frame.best >= frame.beta else frame.entered)
    if proven:
        work[HORIZON] = frame.entered
    store(table, frame.key, left, age, frame.best, frame.alpha, frame.beta, frame.choice, proven)


def bring_best(moves, scores, index, count):
    """Swap the move with the greatest score among moves[index:count] to `index`."""
    best = index
    for other in range(index + 1, count):
        if scores[other] > scores[best]:
            best = other
    moves[index], moves[best] = moves[best], moves[index]
    scores[index], scores[best] = scores[best], scores[index]


def credit(buffers, seat, action, depth, ply):
    """Note that a move cut, so that it is tried early in positions like this."""
    if buffers.killers[ply, 0] != action:
        buffers.killers[ply, 1] = buffers.killers[ply, 0]
        buffers.killers[ply, 0] = action
    buffers.history[seat, action] = min(buffers.history[seat, action] + depth * depth, KILLER - 1)


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
