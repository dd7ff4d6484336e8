"""Negamax: alpha-beta for two opposed seats, deeper and deeper, with a transposition table.

Values are returns of the seat that decides (`me`), negated where the other seat moves; a seat may move several times
in a row. The seats are taken to be opposed: what one gains the other loses. A search of depth d finds exactly the
value of plain minimax of depth d, so the first depth that proves a win has found the quickest one, and a search in
which nothing was estimated has found the value of the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from turnsmith.game import OVER, Array, Game, record
from turnsmith.kernel import copy, scratch
from turnsmith.player import STOP
from turnsmith.position import Look
from turnsmith.search.limits import CHOICE, HORIZON, PLIES, deepen, estimate, shuffle, spend, start_work, stop_flag
from turnsmith.search.table import Settings, Tabled, answers, find, open_table, store
from turnsmith.search.value import judge_in

SORTED = 12  # moves worth sorting: where that many did not cut, none will
HINT, KILLER = 1 << 60, 1 << 58
LINE = 16  # the best line is kept in the memory's header, int32[10] from this byte on, ended by -1

Frame = record(
    key=np.uint64, seat=np.int64, alpha=np.float64, beta=np.float64, floor=np.float64, best=np.float64,
    choice=np.int64, action=np.int64, cursor=np.int64, count=np.int64, entered=np.int64, before=np.int64,
)  # fmt: skip
"""A position on the way to the one looked at: its mover's window, what was found so far, the move being tried."""


class Tools(NamedTuple):
    """What a search carries with it; one row a ply, except `history`, one row a seat."""

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


def decide(game, board, view, acts, data, memory, params, report, rng):
    return think(game, board, view, acts, None, memory, params, report, rng)


def decide_by_value(game, board, view, acts, data, memory, params, report, rng):
    return think(game, board, view, acts, judge_in(game, data), memory, params, report, rng)


def think(game, board, view, acts, net, memory, params, report, rng):
    me = game.to_move(board, view)
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
    tools = Tools(frames, lines, moves, scores, killers, history, table, age, out, work, stop, rng, net)
    chosen = deepen(search, game, board, view, me, acts, params, tools, report, rng)
    write_line(game, board, view, chosen, tools, memory)
    return chosen


def search(game, board, states, me, depth, tools):
    """The value of states[0] for its mover `me`, `depth` > 0 decisions deep.

    An own stack: numba hands every array over in pieces, which made the same search by recursion twice as slow.
    """
    frames, lines, work = tools.frames, tools.lines, tools.work
    copy(lines[0], states[0])
    frames[0].alpha, frames[0].beta = board.low, board.high
    ply, arriving, value = 0, True, 0.0
    while True:
        frame, state = frames[ply], lines[ply]
        left = depth - ply
        done = False

        if arriving:
            # 1. A new position. Has it been searched before?
            frame.seat = game.to_move(board, state)
            frame.key = game.hash(board, state)
            place = find(tools.table, frame.key)
            hint = -1
            if place >= 0:
                entry = tools.table[place]
                hint = entry.action
                if ply > 0 and answers(entry, left, frame.alpha, frame.beta):
                    work[HORIZON] += 1 - entry.proven
                    frame.best = entry.value
                    done = True

            # 2. If not, list its moves and guess which will cut.
            if not done:
                moves, scores = tools.moves[ply], tools.scores[ply]
                count = game.legal(board, state, moves)
                if ply == 0:
                    shuffle(moves, count, tools.rng)
                for index in range(count):
                    action = moves[index]
                    scores[index] = tools.history[frame.seat, action]
                    if action == hint:
                        scores[index] += HINT
                    elif action == tools.killers[ply, 0] or action == tools.killers[ply, 1]:
                        scores[index] += KILLER
                frame.count, frame.cursor, frame.entered = count, 0, work[HORIZON]
                frame.best, frame.choice, frame.floor = -np.inf, -1, frame.alpha

        elif value > frame.best:
            # 3. A move has been tried, with this value for the mover, and it is the best so far.
            frame.best, frame.choice = value, frame.action
            frame.floor = max(frame.floor, value)

        if not done and (frame.cursor == frame.count or frame.best >= frame.beta):
            # 4. No move is left, or one is so good that the other seat would not let it come to this: remember it.
            #    A cut rests on the last move alone, anything else on all of them.
            done = True
            cut = frame.best >= frame.beta
            proven = work[HORIZON] == (frame.before if cut else frame.entered)
            if proven:
                work[HORIZON] = frame.entered
            if cut:
                credit(tools, frame.seat, frame.choice, left, ply)
            store(tools.table, frame.key, left, tools.age, frame.best, frame.alpha, frame.beta, frame.choice, proven)

        if done:
            # 5. Go back with the value.
            if ply == 0:
                break
            ply -= 1
            arriving, value = False, frame.best if frames[ply].seat == frame.seat else -frame.best
            continue

        # 6. Try the next move: the game may be over after it, or too far on to look further.
        if frame.cursor < SORTED:
            bring_best(tools.moves[ply], tools.scores[ply], frame.cursor, frame.count)
        frame.action = tools.moves[ply, frame.cursor]
        frame.cursor += 1
        frame.before = work[HORIZON]
        child = lines[ply + 1]
        copy(child, state)
        game.apply(board, child, frame.action)
        if spend(work, tools.stop):
            break
        mover = game.to_move(board, child)
        arriving = mover != OVER and left > 1
        if arriving:
            ply += 1
            same = mover == frame.seat
            frames[ply].alpha = frame.floor if same else -frame.beta
            frames[ply].beta = frame.beta if same else -frame.floor
        else:
            if mover == OVER:
                game.returns(board, child, tools.out)
            else:
                estimate(game, board, child, tools.net, tools.out, work)
            value = tools.out[me] if frame.seat == me else -tools.out[me]
    work[CHOICE] = frames[0].choice
    return frames[0].best


def bring_best(moves, scores, index, count):
    """Swap the move with the greatest score among moves[index:count] to `index`."""
    best = index
    for other in range(index + 1, count):
        if scores[other] > scores[best]:
            best = other
    moves[index], moves[best] = moves[best], moves[index]
    scores[index], scores[best] = scores[best], scores[index]


def credit(tools, seat, action, depth, ply):
    """Note that a move cut, so that it is tried early in positions like this."""
    if tools.killers[ply, 0] != action:
        tools.killers[ply, 1] = tools.killers[ply, 0]
        tools.killers[ply, 0] = action
    tools.history[seat, action] = min(tools.history[seat, action] + depth * depth, KILLER - 1)


def write_line(game, board, view, action, tools, memory):
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
        place = find(tools.table, game.hash(board, states[0]))
        if place < 0:
            break
        action = np.int64(tools.table[place].action)
        legal = False
        for index in range(game.legal(board, states[0], tools.moves[0])):
            legal = legal or tools.moves[0, index] == action
        if not legal:
            break


@dataclass(frozen=True, repr=False)
class Negamax(Tabled):
    name = "negamax"
    summary = "alpha-beta for two opposed seats without chance"
    decide = decide
    decide_by_value = decide_by_value

    def refuses(self, game: Game, board: Any) -> str | None:
        if board.seats != 2:
            return f"it needs two opposed seats and this game has {board.seats}; maxn plays any number"
        if board.outcomes > 0:
            return "chance has moves in this game; expectimax and mcts reckon with it"
        return None

    def note(self, position: Look, action: int, report: Array, memory: Array) -> str:
        said, line = super().note(position, action, report, memory), self.line(position, action, memory)
        return f"{said}: {', '.join(line)}" if line else said

    def line(self, position: Look, action: int, memory: Array) -> tuple[str, ...]:
        if position.game.hides:
            return ()
        line = memory[LINE:STOP].view(np.int32)
        return position.spelled(line[line >= 0].tolist())
