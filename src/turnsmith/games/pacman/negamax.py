"""Negamax for joint moves: alpha-beta on Pac-Man's own numbers, deeper and deeper.

It keeps only what changes: a row of cells a ply (``evaluation.py`` names the columns), the dots as bits that a move
clears and its undoing sets again, and an incremental Zobrist key in which like units are alike. The move counter is in
the key only where the end of the game is within the search's reach, because only there it matters.

With `exact` a search of depth d finds the value of plain minimax of depth d. Otherwise late moves are first looked at
less deeply, and with `top` only so many joint moves of a position are tried, captures always among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from turnsmith.game import Array, Game, record
from turnsmith.games.pacman.evaluation import (
    COLUMNS,
    COUNT,
    EATEN,
    GHOST,
    KINDS,
    LEFT,
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
from turnsmith.kernel import is_set, now, scratch, zero
from turnsmith.languages import _
from turnsmith.player import DEPTH, HEADER, POLICY, VALUE, WORK, Prepared, filled, numbers
from turnsmith.rng import GOLDEN, below, mix
from turnsmith.rng import unit as random_unit
from turnsmith.search.limits import DEADLINE, DEEPEST, MOST, NODES, PLIES, STOPPED, Limited, start_work, stop_flag
from turnsmith.texts import FileName, setting

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


Desk = record(
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
DESK = Desk.itemsize


def decide(game, board, view, acts, data, memory, params, report, rng):
    """Look 1, 2, 3, … plies ahead while limits allow; returns the best joint move."""
    settings = params[:FIRST_WEIGHT].view(Settings)[0]
    size = np.int64(1) << np.int64(settings.table)
    head = memory[:HEADER].view(np.int64)
    desk = memory[HEADER : HEADER + DESK].view(Desk)[0]
    body = memory[HEADER + DESK : HEADER + DESK + ENTRY * size]
    if head[0] == 0:
        clear = body.view(np.uint64)
        for place in range(clear.shape[0]):
            clear[place] = 0
    head[0] += 1
    table = body.view(Entry)
    around = data.view(Survey)[0]
    frames = np.empty(PLIES, Frame)
    moves = np.empty((PLIES, board.actions), np.int32)
    scores = np.empty((PLIES, board.actions), np.int64)
    work, stop = start_work(params), stop_flag(memory)
    set_up(board, view, around, desk, params)
    ply = np.int64(view.ply)
    deepest = min(np.int64(settings.depth), board.t_max - ply, np.int64(DEEPEST))
    chosen, value, reached = np.int64(acts[below(rng, acts.shape[0])]), np.int64(0), np.int64(0)
    if acts.shape[0] == 1:
        deepest = min(deepest, np.int64(1))
    if settings.noise > 0.0 and random_unit(rng) < settings.noise:
        return chosen
    salt = below(rng, 1 << 30)
    for depth in range(1, deepest + 1):
        found = search(board, around, desk, frames, moves, scores, table, work, stop, ply, np.int64(depth), salt)
        if frames[0].choice >= 0:
            chosen = frames[0].choice
        if work[STOPPED]:
            break
        value, reached = found, np.int64(depth)
    dots_there_were = max(np.int64(view.eaten) + np.int64(view.left), 1)
    worth = value / SCALE / max(settings.score_of_a_dot, 1e-9) / dots_there_were
    report[VALUE] = min(max(worth, -1.0), 1.0)
    report[WORK], report[DEPTH] = work[NODES], reached
    if report.shape[0] > POLICY:
        for index in range(acts.shape[0]):
            report[POLICY + index] = 1.0 if acts[index] == chosen else 0.0
    return chosen


def set_up(board, view, around, desk, params):
    """A clean desk with the root position in row 0."""
    zero(desk)
    settings = params[:FIRST_WEIGHT].view(Settings)[0]
    desk.kind, desk.exact, desk.pvs = np.int64(settings.kind), np.int64(settings.exact), np.int64(settings.pvs)
    desk.with_killers, desk.with_history = np.int64(settings.killers), np.int64(settings.history)
    desk.top = np.int64(settings.top)
    first = FIRST_WEIGHT
    if desk.kind == NET and np.int64(view.ply) & 1 != PACMANS:
        first += NUMBERS
    for index in range(min(MOST_WEIGHTS, params.shape[0] - first)):
        desk.weights[index] = params[first + index]
    for ply in range(PLIES):
        desk.killers[ply, 0], desk.killers[ply, 1] = -1, -1
    row = desk.line[0]
    key = np.uint64(0) if np.int64(view.ply) & 1 == PACMANS else GHOSTS_MOVE
    for word in range(MASK):
        desk.dots[word] = view.dots[word]
    for cell in range(board.cells):
        if (desk.dots[cell >> 6] >> np.uint64(cell & 63)) & ONE:
            key ^= around.dot_key[cell]
    row[COUNT], row[EATEN], row[LEFT] = view.pacmans, view.eaten, view.left
    for unit in range(view.pacmans):
        row[PACMAN + unit] = view.pacman[unit]
        row[NEAREST + unit] = nearest_dot(around, desk.dots, row[PACMAN + unit])
        key ^= around.pacman_key[row[PACMAN + unit]]
    for unit in range(board.ghosts):
        row[GHOST + unit] = view.ghost[unit]
        key ^= around.ghost_key[row[GHOST + unit]]
    if desk.kind == NET:
        turns = (board.t_max - np.int64(view.ply) + 1) // 2 // EIGHTS * EIGHTS
        desk.weights[TURNS] = turns
        key ^= mix(np.uint64(turns + 1) * GOLDEN)
    desk.keys[0] = key


# ---------------------------------------------------------------- moves


def make(board, around, desk, ply, seat, move):
    """Row and key after a joint move, its dots taken."""
    row, after = desk.line[ply], desk.line[ply + 1]
    key = desk.keys[ply] ^ GHOSTS_MOVE
    pacmans, ghosts = row[COUNT], board.ghosts
    after[EATEN], after[LEFT], after[TOOK] = row[EATEN], row[LEFT], 0
    if seat == PACMANS:
        target = scratch(UNITS, np.int64)
        for unit in range(pacmans - 1, -1, -1):
            target[unit] = board.near[row[PACMAN + unit], move % WAYS]
            move //= WAYS
        for unit in range(ghosts):
            after[GHOST + unit] = row[GHOST + unit]
        kept, took = np.int64(0), np.int64(0)
        for unit in range(pacmans):
            to = target[unit]
            key ^= around.pacman_key[row[PACMAN + unit]]
            met = False
            for ghost in range(ghosts):
                met = met or row[GHOST + ghost] == to
            if met:
                continue
            key ^= around.pacman_key[to]
            bit = ONE << np.uint64(to & 63)
            if desk.dots[to >> 6] & bit:
                desk.dots[to >> 6] ^= bit
                key ^= around.dot_key[to]
                after[TAKEN + took] = to
                took += 1
            place = kept
            while place > 0 and after[PACMAN + place - 1] > to:
                after[PACMAN + place] = after[PACMAN + place - 1]
                place -= 1
            after[PACMAN + place] = to
            kept += 1
        after[COUNT] = kept
        after[TOOK] = took
        after[EATEN] += took
        after[LEFT] -= took
        for unit in range(kept):
            after[NEAREST + unit] = nearest_dot(around, desk.dots, after[PACMAN + unit])
    else:
        for unit in range(ghosts):
            after[GHOST + unit] = INFINITE
        for unit in range(ghosts - 1, -1, -1):
            cell = row[GHOST + unit]
            to = np.int64(board.near[cell, move % WAYS])
            move //= WAYS
            key ^= around.ghost_key[cell] ^ around.ghost_key[to]
            place = unit
            while place + 1 < ghosts and after[GHOST + place + 1] < to:
                after[GHOST + place] = after[GHOST + place + 1]
                place += 1
            after[GHOST + place] = to
        kept = np.int64(0)
        for unit in range(pacmans):
            cell = row[PACMAN + unit]
            met = False
            for ghost in range(ghosts):
                met = met or after[GHOST + ghost] == cell
            if met:
                key ^= around.pacman_key[cell]
            else:
                after[PACMAN + kept] = cell
                after[NEAREST + kept] = row[NEAREST + unit]
                kept += 1
        after[COUNT] = kept
    desk.keys[ply + 1] = key


def unmake(desk, ply):
    """Put back the dots that the move to row `ply` took."""
    row = desk.line[ply]
    for index in range(row[TOOK]):
        cell = row[TAKEN + index]
        desk.dots[cell >> 6] |= ONE << np.uint64(cell & 63)


def list_moves(board, around, desk, moves, scores, ply, seat, hint):
    """All joint moves with how promising they look: the table's, killers, captures, then history and distances."""
    row = desk.line[ply]
    first, count = (PACMAN, row[COUNT]) if seat == PACMANS else (GHOST, board.ghosts)
    goes = scratch(STEPS, np.int64)
    likes = scratch(STEPS, np.int64)
    for unit in range(count):
        cell = row[first + unit]
        for index in range(board.ways[cell]):
            way = np.int64(board.way[cell, index])
            to = np.int64(board.near[cell, way])
            like = desk.history[seat, cell * WAYS + way]
            if seat == PACMANS:
                if (desk.dots[to >> 6] >> np.uint64(to & 63)) & ONE:
                    like += DOT
                for ghost in range(board.ghosts):
                    far = np.int64(around.dist[to, row[GHOST + ghost]])
                    like -= CAPTURE if far == 0 else STATIC * 64 if far == 1 else STATIC * 4 // far
            else:
                nearest = np.int64(255)
                for pacman in range(row[COUNT]):
                    nearest = min(nearest, np.int64(around.dist[to, row[PACMAN + pacman]]))
                like += CAPTURE if nearest == 0 else -STATIC * nearest
            goes[unit * WAYS + index] = to
            likes[unit * WAYS + index] = like
    target, number, total = scratch(UNITS, np.int64), scratch(UNITS, np.int64), scratch(UNITS, np.int64)
    cursor = scratch(UNITS, np.int64)
    one, two = desk.killers[ply, 0], desk.killers[ply, 1]
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
            moves[listed] = whole
            scores[listed] = like
            listed += 1
        else:
            target[level], number[level], total[level] = to, whole, like
            level += 1
            cursor[level] = 0
    return listed


def bring_best(moves, scores, index, count):
    """Swap the move with the greatest score among moves[index:count] to `index`."""
    best = index
    for other in range(index + 1, count):
        if scores[other] > scores[best]:
            best = other
    moves[index], moves[best] = moves[best], moves[index]
    scores[index], scores[best] = scores[best], scores[index]


def credit(board, desk, ply, seat, move, left):
    """Note that a move cut, so that it and its units' steps are tried early."""
    if desk.with_killers and desk.killers[ply, 0] != move:
        desk.killers[ply, 1] = desk.killers[ply, 0]
        desk.killers[ply, 0] = move
    if desk.with_history:
        row = desk.line[ply]
        first, count = (PACMAN, row[COUNT]) if seat == PACMANS else (GHOST, board.ghosts)
        for unit in range(count - 1, -1, -1):
            step = row[first + unit] * WAYS + move % WAYS
            move //= WAYS
            desk.history[seat, step] = min(desk.history[seat, step] + (left * left << 6), MOST_HISTORY)


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


def value_of(board, around, desk, ply, at, seat):
    """The value of row `ply`, at ply `at` of the game, for `seat`, if it is looked at no further."""
    row = desk.line[ply]
    if row[COUNT] == 0 or row[LEFT] == 0 or at >= board.t_max:
        value = final_value(desk.kind, desk.weights, row)
    else:
        value = evaluate(desk.kind, desk.weights, board, around, desk.dots, row, at & 1 != PACMANS)
    return value if seat == PACMANS else -value


def search(board, around, desk, frames, all_moves, all_scores, table, work, stop, start, depth, salt):
    """The value of row 0 for its mover, `depth` plies deep; the best move stands in frames[0].choice.

    `start` is the ply of row 0 in the game; `salt` decides among moves that look alike at the root.
    """
    exact, pvs, top = desk.exact != 0, desk.pvs != 0, desk.top
    frames[0].alpha, frames[0].beta, frames[0].left = -INFINITE, INFINITE, depth
    frames[0].choice = -1
    ply, arriving, value = np.int64(0), True, np.int64(0)
    while True:
        frame, moves, scores, row = frames[ply], all_moves[ply], all_scores[ply], desk.line[ply]
        at = start + ply
        seat = at & 1
        done, again = False, False

        if arriving:
            # 1. A new position. Has it been searched before?
            frame.key = desk.keys[ply]
            if at + frame.left >= board.t_max:  # the end is in reach, so how far it is matters
                frame.key ^= mix(np.uint64(at) * GOLDEN)
            hint = np.int64(-1)
            place = find(table, frame.key)
            if place >= 0:
                entry = table[place]
                hint = np.int64(entry.move)
                found = np.int64(entry.value)
                if ply > 0 and (entry.depth == frame.left or (not exact and entry.depth > frame.left)):
                    bound = entry.bound
                    if (
                        bound == EXACT
                        or (bound == AT_LEAST and found >= frame.beta)
                        or (bound == AT_MOST and found <= frame.alpha)
                    ):
                        frame.best = found
                        done = True

            # 2. If not, list its moves and guess which will cut; at the ghosts' last ply there is a shorter way.
            if (
                not done
                and frame.left == 1
                and seat != PACMANS
                and at + 1 < board.t_max
                and is_quiet(board, around, row)
            ):
                desk.known[0], desk.known[1], desk.known[2] = -INFINITE, -1, 0
                least_after_ghosts(board, around, desk, ply, frame.beta)
                frame.best, frame.choice = desk.known[0], desk.known[1]
                frame.count, frame.cursor = 0, 0
                work[NODES] += desk.known[2]
                if is_spent(work, stop, desk.known[2]):
                    break
            elif not done:
                count = list_moves(board, around, desk, moves, scores, ply, seat, hint)
                if ply == 0:
                    for index in range(count):  # chance breaks ties, or two searches would play one match for ever
                        scores[index] += np.int64(mix(np.uint64(moves[index] + salt) * GOLDEN) >> np.uint64(56))
                frame.count, frame.cursor = count, 0
                frame.best, frame.choice, frame.floor = -INFINITE, -1, frame.alpha

        # 3. A move has been tried. If a narrow look says it is good, look again; else it may be the best so far.
        elif frame.phase == REDUCED and value > frame.floor:
            frame.phase = NULL_WINDOW if pvs else FULL
            again = True
        elif frame.phase == NULL_WINDOW and value > frame.floor and value < frame.beta:
            frame.phase = FULL
            again = True
        elif value > frame.best:
            frame.best, frame.choice = value, frame.action
            frame.floor = max(frame.floor, value)

        # 4. One ply left: every move leads to a position that is only evaluated.
        if not done and frame.left == 1:
            while frame.cursor < frame.count and frame.best < frame.beta:
                if frame.cursor < SORTED:
                    bring_best(moves, scores, frame.cursor, frame.count)
                move = np.int64(moves[frame.cursor])
                frame.cursor += 1
                make(board, around, desk, ply, seat, move)
                value = value_of(board, around, desk, ply + 1, at + 1, seat)
                unmake(desk, ply + 1)
                if value > frame.best:
                    frame.best, frame.choice = value, move
            work[NODES] += frame.cursor
            if is_spent(work, stop, frame.cursor):
                break
        # 5. No move is left, or one is so good that the other side would not let it come to this: remember it.
        tried_enough = frame.cursor == frame.count or (
            top > 0 and frame.cursor >= top and ply > 0 and scores[frame.cursor] < CAPTURE // 2
        )
        if not done and not again and (tried_enough or frame.best >= frame.beta):
            done = True
            if frame.best >= frame.beta:
                credit(board, desk, ply, seat, frame.choice, frame.left)
            store(table, frame.key, frame.left, frame.best, frame.alpha, frame.beta, frame.choice)

        # 6. Go back with the value.
        if done:
            if ply == 0:
                break
            unmake(desk, ply)
            ply -= 1
            arriving, value = False, -frame.best
            continue

        # 7. Try the next move, or the same one again.
        if not again:
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
            work[NODES] += 1
            if is_spent(work, stop, 1):
                break
        make(board, around, desk, ply, seat, frame.action)
        after = desk.line[ply + 1]
        if after[COUNT] == 0 or after[LEFT] == 0 or at + 1 >= board.t_max:
            value = value_of(board, around, desk, ply + 1, at + 1, seat)
            unmake(desk, ply + 1)
            frame.phase = FULL
            arriving = False
        else:
            child = frames[ply + 1]
            child.left = frame.left - (3 if frame.phase == REDUCED else 1)
            child.beta = -frame.floor
            child.alpha = -frame.beta if frame.phase == FULL else -frame.floor - 1
            ply += 1
            arriving = True
    while ply > 0:  # stopped on the way: the dots are the caller's again
        unmake(desk, ply)
        ply -= 1
    return frames[0].best


def is_quiet(board, around, row):
    """Whether no ghost stands beside a pacman."""
    for pacman in range(row[COUNT]):
        for ghost in range(board.ghosts):
            if around.dist[row[PACMAN + pacman], row[GHOST + ghost]] == 1:
                return False
    return True


def is_spent(work, stop, more):
    """Whether the search must end, `more` positions after the last time it asked. Clock and flag are looked at now and
    then."""
    if work[MOST] > 0 and work[NODES] >= work[MOST]:
        work[STOPPED] = 1
    if work[NODES] & 1023 < more and (is_set(stop) or (work[DEADLINE] > 0 and now() >= work[DEADLINE])):
        work[STOPPED] = 1
    return work[STOPPED] != 0


# ---------------------------------------------------------------- the player


@dataclass(frozen=True, repr=False)
class JointSearch(Limited):
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
        return Prepared.of(survey(boards), DESK + (ENTRY << size), params)


@dataclass(frozen=True, repr=False)
class Negamax(JointSearch):
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


@dataclass(frozen=True, repr=False)
class Learned(JointSearch):
    file: Annotated[str, FileName()] = setting("")
    """A net of one's own, made by `turnsmith train pacman value`; empty for the shipped one."""

    name = "learned"
    summary = "the same search, on a Voronoi map and small nets that learned how many dots will be eaten"

    def judge(self) -> tuple[int, float, tuple[float, ...]]:
        return NET, 1.0, net_numbers(self.file)
