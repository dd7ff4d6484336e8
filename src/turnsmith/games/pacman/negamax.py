"""Negamax for joint moves: alpha-beta on Pac-Man's own numbers, deeper and deeper.

It keeps only what changes: a row of cells a ply (``evaluation.py`` names the columns), the dots as bits that a move
clears and its undoing sets again, and an incremental Zobrist key in which like units are alike. The move counter is in
the key only where the end of the game is within the search's reach, because only there it matters.

With `exact` a search of depth d finds the value of plain minimax of depth d. Otherwise late moves are first looked at
less deeply, and with `top` only so many joint moves of a position are tried, captures always among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import FileName, setting
from turnsmith.compile.kernel import borrow, compiled, scratch, zero
from turnsmith.compile.rng import GOLDEN, below, mix
from turnsmith.compile.rng import unit as random_unit
from turnsmith.contract.game import Game
from turnsmith.contract.records import record
from turnsmith.games.pacman.evaluation import (
    COLUMNS,
    COUNT,
    EATEN,
    GHOST,
    KINDS,
    LEFT,
    NAMES,
    NEAREST,
    PACMAN,
    SCALE,
    TAKEN,
    TOOK,
    nearest_dot,
    weights,
)
from turnsmith.games.pacman.frontier import least_after_ghosts
from turnsmith.games.pacman.judge import NET, evaluate, final_value
from turnsmith.games.pacman.maps import UNITS
from turnsmith.games.pacman.net import EIGHTS, NUMBERS, TURNS
from turnsmith.games.pacman.net import numbers as net_numbers
from turnsmith.games.pacman.rules import PACMANS, WAYS
from turnsmith.games.pacman.survey import MASK, MOST_CELLS, Survey, survey, too_large
from turnsmith.languages import _
from turnsmith.play.player import DEPTH, HEADER, POLICY, VALUE, WORK, Prepared, filled, numbers
from turnsmith.play.position import PositionView
from turnsmith.search.limits import (
    DEADLINE,
    DEEPEST,
    MOST,
    NODES,
    PLIES,
    STOPPED,
    Limited,
    Weighing,
    blank_rows,
    is_time_up,
    report_rows,
    rows_wanted,
    start_work,
    stop_flag,
)

ONE = np.uint64(1)
GHOSTS_MOVE = np.uint64(0xD1B54A32D192ED03)
INFINITE = np.int64(1) << 40
SORTED = 10  # moves worth sorting: where that many did not cut, none will
HINT, KILLER, CAPTURE, DOT, STATIC = 1 << 50, 1 << 44, 1 << 40, 1 << 12, 1 << 10
MOST_HISTORY = 1 << 36
LATE, REDUCED_FROM = 6, 4
"""Without `exact`, the moves after the first six are reduced by two plies (so that the same side moves last, and values
compare) where at least four are left."""
FULL, NULL_WINDOW, REDUCED = range(3)
FINE = 4096.0
"""The weight by which a single feature is asked for: values are whole numbers."""
STEPS, MOST_WEIGHTS = UNITS * WAYS, NUMBERS

Entry = record(key=np.uint64, value=np.int32, move=np.int16, depth=np.int8, bound=np.int8)
ENTRY = Entry.itemsize
NOTHING, EXACT, AT_LEAST, AT_MOST = range(4)

Frame = record(
    key=np.uint64, left=np.int64, alpha=np.int64, beta=np.int64, floor=np.int64, best=np.int64, choice=np.int64,
    action=np.int64, cursor=np.int64, count=np.int64, phase=np.int64,
)  # fmt: skip
"""A position on the way: the plies left, its mover's window, what was found so far, the move being tried and how."""

CHOSEN = ("exact", "pvs", "killers", "history", "top", "noise")
Settings = numbers("depth", "nodes", "time", "table", "kind", "score_of_a_dot", *CHOSEN)
"""What `params` begin with; weights follow."""
FIRST_WEIGHT = Settings.itemsize // 8


SearchState = record(
    dots=(np.uint64, MASK),
    keys=(np.uint64, PLIES),
    line=(np.int64, (PLIES, COLUMNS)),
    killers=(np.int64, (PLIES, 2)),
    history=(np.int64, (2, MOST_CELLS * WAYS)),
    weights=(np.float64, MOST_WEIGHTS),
    kind=np.int64,
    nodes=np.int64,
    exact=np.int64,
    pvs=np.int64,
    with_killers=np.int64,
    with_history=np.int64,
    top=np.int64,
    known=(np.int64, 3),
)
"""What a search works on. One record, because compiled code hands over a record as one address and arrays in pieces."""
STATE_BYTES = SearchState.itemsize


class JointBuffers(NamedTuple):
    """What a search writes to besides its state, one row a ply; the table of positions, and its limits."""

    frames: Array  # Frame[plies]
    moves: Array  # int32[plies, actions]
    scores: Array  # int64[plies, actions]: how promising the moves look
    table: Array  # Entry[entries]
    work: Array
    rows: Array  # float64[actions, 2]: value and whether it is a bound, of moves at the root; empty if nobody asks
    stop: Array


def decide(game, board, view, acts, data, memory, params, report, rng):
    """Look 1, 2, 3, … plies ahead while limits allow; returns the best joint move."""
    settings = params[:FIRST_WEIGHT].view(Settings)[0]
    size = np.int64(1) << np.int64(settings.table)
    head = memory[:HEADER].view(np.int64)
    search_state = memory[HEADER : HEADER + STATE_BYTES].view(SearchState)[0]
    body = memory[HEADER + STATE_BYTES : HEADER + STATE_BYTES + ENTRY * size]
    if head[0] == 0:
        clear = body.view(np.uint64)
        for place in range(clear.shape[0]):
            clear[place] = 0
    head[0] += 1
    table = body.view(Entry)
    map_tables = data.view(Survey)[0]
    frames = np.empty(PLIES, Frame)
    moves = np.empty((PLIES, board.actions), np.int32)
    scores = np.empty((PLIES, board.actions), np.int64)
    work = start_work(params)
    rows = blank_rows(rows_wanted(board, report, acts), 2)
    report_rows(report, acts, rows)
    buffers = JointBuffers(frames, moves, scores, table, work, rows, stop_flag(memory))
    set_up(board, view, map_tables, search_state, params)
    ply = np.int64(view.ply)
    deepest = min(np.int64(settings.depth), board.t_max - ply, np.int64(DEEPEST))
    chosen, value, reached = np.int64(acts[below(rng, acts.shape[0])]), np.int64(0), np.int64(0)
    if acts.shape[0] == 1:
        deepest = min(deepest, np.int64(1))
    if settings.noise > 0.0 and random_unit(rng) < settings.noise:
        return chosen
    salt = below(rng, 1 << 30)
    for depth in range(1, deepest + 1):
        found = search(board, map_tables, search_state, buffers, ply, np.int64(depth), salt)
        if frames[0].choice >= 0:
            chosen = frames[0].choice
        if work[STOPPED]:
            break
        value, reached = found, np.int64(depth)
    dots_there_were = max(np.int64(view.eaten) + np.int64(view.left), 1)
    worth = value / SCALE / max(settings.score_of_a_dot, 1e-9) / dots_there_were
    report[VALUE] = min(max(worth, -1.0), 1.0)
    rows[:, 0] /= SCALE * max(settings.score_of_a_dot, 1e-9) * dots_there_were
    report_rows(report, acts, rows)
    report[WORK], report[DEPTH] = work[NODES], reached
    if report.shape[0] > POLICY:
        for index in range(acts.shape[0]):
            report[POLICY + index] = 1.0 if acts[index] == chosen else 0.0
    return chosen


def set_up(board, view, map_tables, search_state, params):
    """Clear the state of a search and put the root position in row 0."""
    zero(search_state)
    settings = params[:FIRST_WEIGHT].view(Settings)[0]
    search_state.kind, search_state.exact = np.int64(settings.kind), np.int64(settings.exact)
    search_state.pvs, search_state.top = np.int64(settings.pvs), np.int64(settings.top)
    search_state.with_killers, search_state.with_history = np.int64(settings.killers), np.int64(settings.history)
    first = FIRST_WEIGHT
    if search_state.kind == NET and np.int64(view.ply) & 1 != PACMANS:
        first += NUMBERS
    for index in range(min(MOST_WEIGHTS, params.shape[0] - first)):
        search_state.weights[index] = params[first + index]
    for ply in range(PLIES):
        search_state.killers[ply, 0], search_state.killers[ply, 1] = -1, -1
    row = search_state.line[0]
    key = np.uint64(0) if np.int64(view.ply) & 1 == PACMANS else GHOSTS_MOVE
    for word in range(MASK):
        search_state.dots[word] = view.dots[word]
    for cell in range(board.cells):
        if (search_state.dots[cell >> 6] >> np.uint64(cell & 63)) & ONE:
            key ^= map_tables.dot_key[cell]
    row[COUNT], row[EATEN], row[LEFT] = view.pacmans, view.eaten, view.left
    for unit in range(view.pacmans):
        row[PACMAN + unit] = view.pacman[unit]
        row[NEAREST + unit] = nearest_dot(map_tables, search_state.dots, row[PACMAN + unit])
        key ^= map_tables.pacman_key[row[PACMAN + unit]]
    for unit in range(board.ghosts):
        row[GHOST + unit] = view.ghost[unit]
        key ^= map_tables.ghost_key[row[GHOST + unit]]
    if search_state.kind == NET:
        turns = (board.t_max - np.int64(view.ply) + 1) // 2 // EIGHTS * EIGHTS
        search_state.weights[TURNS] = turns
        key ^= mix(np.uint64(turns + 1) * GOLDEN)
    search_state.keys[0] = key


# ---------------------------------------------------------------- moves


def make(board, map_tables, search_state, ply, seat, move):
    """Row and key after a joint move, its dots taken."""
    row, after = search_state.line[ply], search_state.line[ply + 1]
    after[EATEN], after[LEFT], after[TOOK] = row[EATEN], row[LEFT], 0
    key = search_state.keys[ply] ^ GHOSTS_MOVE
    if seat == PACMANS:
        key ^= move_pacmans(board, map_tables, search_state.dots, row, after, move)
    else:
        key ^= move_ghosts(board, map_tables, row, after, move)
    search_state.keys[ply + 1] = key


def move_pacmans(board, map_tables, dots, row, after, move):
    """Fill the row after a joint move of the pacmans and take its dots; the change of the key."""
    key, pacmans, ghosts = np.uint64(0), row[COUNT], board.ghosts
    target = scratch(UNITS, np.int64)
    for unit in range(pacmans - 1, -1, -1):
        target[unit] = board.near[row[PACMAN + unit], move % WAYS]
        move //= WAYS
    for unit in range(ghosts):
        after[GHOST + unit] = row[GHOST + unit]
    kept, took = np.int64(0), np.int64(0)
    for unit in range(pacmans):
        to = target[unit]
        key ^= map_tables.pacman_key[row[PACMAN + unit]]
        if is_met(row, ghosts, to):
            continue
        key ^= map_tables.pacman_key[to]
        bit = ONE << np.uint64(to & 63)
        if dots[to >> 6] & bit:
            dots[to >> 6] ^= bit
            key ^= map_tables.dot_key[to]
            after[TAKEN + took] = to
            took += 1
        place = kept
        while place > 0 and after[PACMAN + place - 1] > to:
            after[PACMAN + place] = after[PACMAN + place - 1]
            place -= 1
        after[PACMAN + place] = to
        kept += 1
    after[COUNT], after[TOOK] = kept, took
    after[EATEN] += took
    after[LEFT] -= took
    for unit in range(kept):
        after[NEAREST + unit] = nearest_dot(map_tables, dots, after[PACMAN + unit])
    return key


def move_ghosts(board, map_tables, row, after, move):
    """Fill the row after a joint move of the ghosts, those they catch gone; the change of the key."""
    key, ghosts = np.uint64(0), board.ghosts
    for unit in range(ghosts):
        after[GHOST + unit] = INFINITE
    for unit in range(ghosts - 1, -1, -1):
        cell = row[GHOST + unit]
        to = np.int64(board.near[cell, move % WAYS])
        move //= WAYS
        key ^= map_tables.ghost_key[cell] ^ map_tables.ghost_key[to]
        place = unit
        while place + 1 < ghosts and after[GHOST + place + 1] < to:
            after[GHOST + place] = after[GHOST + place + 1]
            place += 1
        after[GHOST + place] = to
    kept = np.int64(0)
    for unit in range(row[COUNT]):
        cell = row[PACMAN + unit]
        if is_met(after, ghosts, cell):
            key ^= map_tables.pacman_key[cell]
        else:
            after[PACMAN + kept] = cell
            after[NEAREST + kept] = row[NEAREST + unit]
            kept += 1
    after[COUNT] = kept
    return key


def is_met(row, ghosts, cell):
    """Whether a ghost stands on a cell."""
    met = False
    for ghost in range(ghosts):
        met = met or row[GHOST + ghost] == cell
    return met


def unmake(search_state, ply):
    """Put back the dots that the move to row `ply` took."""
    row = search_state.line[ply]
    for index in range(row[TOOK]):
        cell = row[TAKEN + index]
        search_state.dots[cell >> 6] |= ONE << np.uint64(cell & 63)


def list_moves(board, map_tables, search_state, moves, scores, ply, seat, hint):
    """All joint moves with how promising they look: the table's, killers, captures, then history and distances."""
    row = search_state.line[ply]
    first, count = (PACMAN, row[COUNT]) if seat == PACMANS else (GHOST, board.ghosts)
    goes, likes = scratch(STEPS, np.int64), scratch(STEPS, np.int64)
    score_steps(board, map_tables, search_state, row, seat, goes, likes)
    target, number, total = scratch(UNITS, np.int64), scratch(UNITS, np.int64), scratch(UNITS, np.int64)
    cursor = scratch(UNITS, np.int64)
    one, two = search_state.killers[ply, 0], search_state.killers[ply, 1]
    listed, level = np.int64(0), np.int64(0)
    cursor[0] = 0
    while level >= 0:
        cell = row[first + level]
        index = cursor[level]
        if index == board.ways[cell]:
            level -= 1
            continue
        cursor[level] += 1
        to = goes[level * WAYS + index]
        taken = False
        for other in range(level):
            taken = taken or target[other] == to
        if taken:
            continue
        whole = np.int64(board.way[cell, index])
        like = likes[level * WAYS + index]
        if level > 0:
            whole += number[level - 1] * WAYS
            like += total[level - 1]
        if level == count - 1:
            if whole == hint:
                like += HINT
            elif whole in (one, two):
                like += KILLER
            moves[listed], scores[listed] = whole, like
            listed += 1
        else:
            target[level], number[level], total[level] = to, whole, like
            level += 1
            cursor[level] = 0
    return listed


def score_steps(board, map_tables, search_state, row, seat, goes, likes):
    """Each unit's steps: goes[unit * WAYS + index] the cell, likes[…] how promising by dots, captures and history."""
    first, count = (PACMAN, row[COUNT]) if seat == PACMANS else (GHOST, board.ghosts)
    dots, history = search_state.dots, search_state.history[seat]
    for unit in range(count):
        cell = row[first + unit]
        for index in range(board.ways[cell]):
            way = np.int64(board.way[cell, index])
            to = np.int64(board.near[cell, way])
            like = history[cell * WAYS + way]
            if seat == PACMANS:
                if (dots[to >> 6] >> np.uint64(to & 63)) & ONE:
                    like += DOT
                for ghost in range(board.ghosts):
                    far = np.int64(map_tables.dist[to, row[GHOST + ghost]])
                    like -= CAPTURE if far == 0 else STATIC * 64 if far == 1 else STATIC * 4 // far
            else:
                nearest = np.int64(255)
                for pacman in range(row[COUNT]):
                    nearest = min(nearest, np.int64(map_tables.dist[to, row[PACMAN + pacman]]))
                like += CAPTURE if nearest == 0 else -STATIC * nearest
            goes[unit * WAYS + index] = to
            likes[unit * WAYS + index] = like


def bring_best(moves, scores, index, count):
    """Swap the move with the greatest score among moves[index:count] to `index`."""
    best = index
    for other in range(index + 1, count):
        if scores[other] > scores[best]:
            best = other
    moves[index], moves[best] = moves[best], moves[index]
    scores[index], scores[best] = scores[best], scores[index]


def credit(board, search_state, ply, seat, move, left):
    """Note that a move cut, so that it and its units' steps are tried early."""
    if search_state.with_killers and search_state.killers[ply, 0] != move:
        search_state.killers[ply, 1] = search_state.killers[ply, 0]
        search_state.killers[ply, 0] = move
    if search_state.with_history:
        row = search_state.line[ply]
        first, count = (PACMAN, row[COUNT]) if seat == PACMANS else (GHOST, board.ghosts)
        for unit in range(count - 1, -1, -1):
            step = row[first + unit] * WAYS + move % WAYS
            move //= WAYS
            search_state.history[seat, step] = min(search_state.history[seat, step] + (left * left << 6), MOST_HISTORY)


# ---------------------------------------------------------------- the table


def find(table, key):
    """The place of a position's entry, or -1."""
    place = np.int64(key) & (table.shape[0] - 2)
    if table[place].key == key and table[place].bound != NOTHING:
        return place
    if table[place + 1].key == key and table[place + 1].bound != NOTHING:
        return place + 1
    return np.int64(-1)


def store(table, key, left, value, alpha, beta, move):
    """Keep a result: the deeper of the two places' is kept unless it is the same position's."""
    place = np.int64(key) & (table.shape[0] - 2)
    if table[place].key != key and table[place].depth > left:
        place += 1
    entry = table[place]
    entry.key = key
    entry.value = value
    entry.move = move
    entry.depth = left
    entry.bound = AT_LEAST if value >= beta else AT_MOST if value <= alpha else EXACT


# ---------------------------------------------------------------- the search


def value_of(board, map_tables, search_state, ply, at, seat):
    """The value of row `ply`, at ply `at` of the game, for `seat`, if it is looked at no further."""
    row = search_state.line[ply]
    kind, weights, dots = search_state.kind, search_state.weights, search_state.dots
    if not goes_on(board, row, at):
        value = final_value(kind, weights, row)
    else:
        value = evaluate(kind, weights, board, map_tables, dots, row, at & 1 != PACMANS)
    return value if seat == PACMANS else -value


def search(board, map_tables, search_state, buffers, start, depth, salt):
    """The value of row 0 for its mover, `depth` plies deep; the best move stands in frames[0].choice.

    `start` is the ply of row 0 in the game; `salt` decides among moves that look alike at the root.
    """
    buffers = lent(buffers)
    frames, table, work, top = buffers.frames, buffers.table, buffers.work, search_state.top
    frames[0].alpha, frames[0].beta, frames[0].left = -INFINITE, INFINITE, depth
    frames[0].choice = -1
    ply, arriving, value = np.int64(0), True, np.int64(0)
    while True:
        frame, moves, scores = frames[ply], buffers.moves[ply], buffers.scores[ply]
        at = start + ply
        seat = at & 1
        settled, again = False, False

        # 1. A new position: searched before? If not, list its moves; at the ghosts' last ply there is a shorter way.
        if arriving:
            hint, settled = look_up(board, search_state, frame, table, ply, at)
            if settled:
                pass
            elif is_ghosts_last(board, map_tables, search_state.line[ply], frame.left, at):
                looked = look_at_ghosts(board, map_tables, search_state, frame, ply)
                work[NODES] += looked
                if is_spent(work, buffers.stop, looked):
                    break
            else:
                frame.count = list_moves(board, map_tables, search_state, moves, scores, ply, seat, hint)
                if ply == 0:
                    break_ties(moves, scores, frame.count, salt)
                frame.cursor, frame.best, frame.choice, frame.floor = 0, -INFINITE, -1, frame.alpha
        else:
            before = frame.best
            again = learn(frame, value, search_state.pvs != 0)
            if ply == 0 and not again:
                note_row(buffers.rows, frame.action, value, value <= before)

        # 2. One ply left: every move leads to a position that is only evaluated.
        if not settled and frame.left == 1:
            try_last(board, map_tables, search_state, frame, buffers, ply, at)
            work[NODES] += frame.cursor
            if is_spent(work, buffers.stop, frame.cursor):
                break

        # 3. No move is left, or one is so good that the other side would not let it come to this: remember it.
        tried_enough = frame.cursor == frame.count or (
            top > 0 and frame.cursor >= top and ply > 0 and scores[frame.cursor] < CAPTURE // 2
        )
        if not settled and not again and (tried_enough or frame.best >= frame.beta):
            settled = True
            if frame.best >= frame.beta:
                credit(board, search_state, ply, seat, frame.choice, frame.left)
            store(table, frame.key, frame.left, frame.best, frame.alpha, frame.beta, frame.choice)
        if settled:
            if ply == 0:
                break
            unmake(search_state, ply)
            ply -= 1
            arriving, value = False, -frame.best
            continue

        # 4. Try the next move, or the same one again.
        if not again:
            take_next(frame, moves, scores, search_state.exact != 0, search_state.pvs != 0)
            work[NODES] += 1
            if is_spent(work, buffers.stop, 1):
                break
        make(board, map_tables, search_state, ply, seat, frame.action)
        arriving = goes_on(board, search_state.line[ply + 1], at + 1)
        if arriving:
            ply += 1
            open_window(frame, frames[ply])
        else:
            value = value_of(board, map_tables, search_state, ply + 1, at + 1, seat)
            unmake(search_state, ply + 1)
            frame.phase = FULL
    while ply > 0:  # stopped on the way: the dots are the caller's again
        unmake(search_state, ply)
        ply -= 1
    if frames[0].choice >= 0:  # known from the table, or by the shorter way at the ghosts' last ply
        note_row(buffers.rows, frames[0].choice, frames[0].best, False)
    return frames[0].best


def lent(buffers):
    """The same without counting references; for arguments alone."""
    return JointBuffers(
        borrow(buffers.frames), borrow(buffers.moves), borrow(buffers.scores), borrow(buffers.table),
        borrow(buffers.work), borrow(buffers.rows), borrow(buffers.stop),
    )  # fmt: skip


def look_up(board, search_state, frame, table, ply, at):
    """The table's move for a position, or -1, and whether the table settles it; then its value is the frame's best."""
    frame.key = search_state.keys[ply]
    if at + frame.left >= board.t_max:  # the end is in reach, so how far it is matters
        frame.key ^= mix(np.uint64(at) * GOLDEN)
    place = find(table, frame.key)
    if place < 0:
        return np.int64(-1), False
    entry = table[place]
    hint, value, bound = np.int64(entry.move), np.int64(entry.value), entry.bound
    if ply == 0 or not (entry.depth == frame.left or (search_state.exact == 0 and entry.depth > frame.left)):
        return hint, False
    if bound == EXACT or (bound == AT_LEAST and value >= frame.beta) or (bound == AT_MOST and value <= frame.alpha):
        frame.best = value
        return hint, True
    return hint, False


def is_ghosts_last(board, map_tables, row, left, at):
    """Whether the ghosts make the last move of a line, beside no pacman and not the last of the game."""
    return left == 1 and at & 1 != PACMANS and at + 1 < board.t_max and is_quiet(board, map_tables, row)


def look_at_ghosts(board, map_tables, search_state, frame, ply):
    """Find the ghosts' best last move; how many were looked at."""
    known = search_state.known
    known[0], known[1], known[2] = -INFINITE, -1, 0
    least_after_ghosts(board, map_tables, search_state, ply, frame.beta)
    frame.best, frame.choice, frame.count, frame.cursor = known[0], known[1], 0, 0
    return known[2]


def break_ties(moves, scores, count, salt):
    """Let chance break ties, or two searches would play one match for ever."""
    for index in range(count):
        scores[index] += np.int64(mix(np.uint64(moves[index] + salt) * GOLDEN) >> np.uint64(56))


def learn(frame, value, pvs):
    """Take in the value of the move just tried; whether a narrow look says it is so good that it must be looked at
    again. Else it may be the best so far."""
    if frame.phase == REDUCED and value > frame.floor:
        frame.phase = NULL_WINDOW if pvs else FULL
        return True
    if frame.phase == NULL_WINDOW and value > frame.floor and value < frame.beta:
        frame.phase = FULL
        return True
    if value > frame.best:
        frame.best, frame.choice = value, frame.action
        frame.floor = max(frame.floor, value)
    return False


def try_last(board, map_tables, search_state, frame, buffers, ply, at):
    """Evaluate the positions after the moves of a last ply, until one cuts."""
    moves, scores = buffers.moves[ply], buffers.scores[ply]
    while frame.cursor < frame.count and frame.best < frame.beta:
        if frame.cursor < SORTED:
            bring_best(moves, scores, frame.cursor, frame.count)
        move = np.int64(moves[frame.cursor])
        frame.cursor += 1
        make(board, map_tables, search_state, ply, at & 1, move)
        value = value_of(board, map_tables, search_state, ply + 1, at + 1, at & 1)
        unmake(search_state, ply + 1)
        if ply == 0:
            note_row(buffers.rows, move, value, False)
        if value > frame.best:
            frame.best, frame.choice = value, move


def note_row(rows, move, value, is_bound):
    """Keep what was found of a move at the root, if somebody asks for it."""
    if rows.shape[0] > 0:
        rows[move, 0], rows[move, 1] = value, 1.0 if is_bound else 0.0


def take_next(frame, moves, scores, exact, pvs):
    """Choose the most promising move that is left, and how to look at it."""
    if frame.cursor < SORTED:
        bring_best(moves, scores, frame.cursor, frame.count)
    frame.action = moves[frame.cursor]
    frame.phase = FULL
    if frame.cursor > 0:
        if not exact and frame.cursor >= LATE and frame.left >= REDUCED_FROM and frame.best > -INFINITE:
            frame.phase = REDUCED
        elif pvs and frame.floor > -INFINITE:
            frame.phase = NULL_WINDOW
    frame.cursor += 1


def goes_on(board, row, at):
    """Whether the game goes on at a row, which is at ply `at` of it."""
    return row[COUNT] > 0 and row[LEFT] > 0 and at < board.t_max


def open_window(frame, child):
    """The plies left and the window of the position after the move being tried."""
    child.left = frame.left - (3 if frame.phase == REDUCED else 1)
    child.beta = -frame.floor
    child.alpha = -frame.beta if frame.phase == FULL else -frame.floor - 1


def is_quiet(board, map_tables, row):
    """Whether no ghost stands beside a pacman."""
    for pacman in range(row[COUNT]):
        for ghost in range(board.ghosts):
            if map_tables.dist[row[PACMAN + pacman], row[GHOST + ghost]] == 1:
                return False
    return True


def is_spent(work, stop, more):
    """Whether the search must end, `more` positions after the last time it asked. Clock and flag are looked at now and
    then."""
    if work[MOST] > 0 and work[NODES] >= work[MOST]:
        work[STOPPED] = 1
    if work[NODES] & 1023 < more and is_time_up(stop, work[DEADLINE]):
        work[STOPPED] = 1
    return work[STOPPED] != 0


def features_of(game, boards, states, data, params, out):
    """What each feature of the evaluation is in a position that goes on: out float64[features]."""
    room = np.empty(1, SearchState)
    search_state, map_tables, board = room[0], data.view(Survey)[0], boards[0]
    set_up(board, states[0], map_tables, search_state, params)
    ghosts_move = np.int64(states[0].ply) & 1 != PACMANS
    for feature in range(out.shape[0]):
        for other in range(MOST_WEIGHTS):
            search_state.weights[other] = FINE if other == feature else 0.0
        value = evaluate(
            search_state.kind, search_state.weights, board, map_tables, search_state.dots, search_state.line[0],
            ghosts_move,
        )  # fmt: skip
        out[feature] = value / SCALE / FINE


# ---------------------------------------------------------------- the player


@dataclass(frozen=True, repr=False)
class JointSearch(Weighing, Limited):
    """What every search of joint moves lets one choose, whatever judges its positions."""

    exact: bool = setting(False)
    """Find just what plain minimax finds: no move is reduced or left out."""
    pvs: bool = setting(True)
    """Look at all moves but the first with a null window first."""
    killers: bool = setting(True)
    """Try moves early that cut at the same ply."""
    history: bool = setting(True)
    """Try steps of units early that cut before."""
    top: int = setting(0, 0, WAYS**UNITS)
    """Without exact: try only so many joint moves of a position, captures always among them; 0 is all."""
    table: int = setting(0, 0, 26)
    """Size of the transposition table: 2 to this power entries of 16 bytes; 0 for 20, or 12 up to depth 4."""
    noise: float = setting(0.0, 0.0, 1.0)
    """The chance of a random move instead: for learning from more kinds of positions."""

    decide = decide

    def __post_init__(self) -> None:
        if 0 < self.table < 4:
            raise ValueError(f"table={self.table} must be 4 to 26, or 0; it is a power of two")
        if self.exact and self.top:
            raise ValueError("exact=true leaves no move out; leave out top, or exact")

    def refuses(self, game: Game, board: Any) -> str | None:
        if game.joint is not None:
            return _("it searches joint moves; play with moves=joint, or take mcts")
        return too_large(board)

    def judge(self) -> tuple[int, float, tuple[float, ...]]:
        """The number of the evaluation, what a dot is worth in it, and its weights."""
        raise TypeError(f"{type(self).__name__} must say how it judges: override judge")

    def prepare(self, game: Game, boards: Array) -> Prepared:
        kind, score, chosen = self.judge()
        size = self.table or (12 if 0 < self.depth <= 4 else 20)
        depth, nodes, time = self.limits()
        found = {"depth": depth, "nodes": nodes, "time": time, "table": size, "kind": kind, "score_of_a_dot": score}
        params = np.concatenate([filled(Settings, self, **found), chosen])
        return Prepared.of(survey(boards), STATE_BYTES + (ENTRY << size), params)


@dataclass(frozen=True, repr=False)
class PacmanNegamax(JointSearch):
    evaluation: Literal["features", "voronoi"] = setting("features")
    """How positions are judged: by the fifteen features, or by who reaches which cells first."""
    weights: Annotated[str, FileName(("main",))] = setting("")
    """A JSON file with weights by the names of features; `main` for those a league found; empty for the default."""

    name = "negamax"
    summary = "alpha-beta over joint moves, on features or a Voronoi map"

    def judge(self) -> tuple[int, float, tuple[float, ...]]:
        kind = KINDS.index(self.evaluation)
        chosen = weights(self.evaluation, self.weights)
        return kind, chosen[9] if kind == 0 else chosen[5], chosen

    def inputs(self, position: PositionView) -> Mapping[str, float]:
        names, ready = NAMES[KINDS.index(self.evaluation)], self.prepare(position.game, position.boards)
        out = np.zeros(len(names))
        compiled(features_of)(
            position.game, position.boards, position.view(position.mover), ready.data, ready.params, out
        )
        return dict(zip(names, out.tolist(), strict=True))


@dataclass(frozen=True, repr=False)
class PacmanLearned(JointSearch):
    file: Annotated[str, FileName()] = setting("")
    """A net of one's own, made by `turnsmith train pacman value`; empty for the shipped one."""

    name = "learned"
    summary = "the same search, on a Voronoi map and small nets that learned how many dots will be eaten"

    def judge(self) -> tuple[int, float, tuple[float, ...]]:
        return NET, 1.0, net_numbers(self.file)
