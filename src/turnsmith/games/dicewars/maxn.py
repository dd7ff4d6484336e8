"""Max^n as in the study the game is known from: a round of everybody's turns, every attack taken for won.

At a node only the most promising attacks are looked at: those likely won and then held, counting more if they come
from the own largest region. Every seat picks the line that is best for itself; lines end where the round ends, in a
formula (`maxn`) or a net (`maxn-net`).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import FileName, setting
from turnsmith.compile.kernel import copy, is_set, lowest_bit, popcount, scratch
from turnsmith.games.dicewars import net
from turnsmith.games.dicewars.field import count_dice, end_of_turn, hold_chance, in_largest, win_chance
from turnsmith.games.dicewars.maps import MOST_DICE, ONE
from turnsmith.games.dicewars.rules import SEATS, WON
from turnsmith.languages import _
from turnsmith.play.player import DEPTH, POLICY, VALUE, WORK, Prepared, filled, numbers
from turnsmith.search.limits import Weighing, blank_rows, report_rows, rows_wanted, stop_flag

Settings = numbers("rounds", "width", "length", "threshold", "liking", "searches", "lines")
Worths = numbers(*(Settings.names or ()), "die", "area", "largest")
"""What `maxn` is told: the settings, and what its formula weighs."""


class TurnBuffers(NamedTuple):
    """What a search works on. Rows are attacks in one line; those of `values` have one number a seat."""

    settings: Array
    values: Array
    edges: Array
    net: Array
    board_part: Array
    work: Array
    rows: Array  # float64[actions, seats + 1]: what each attack at the root brings every seat; empty if nobody asks
    stop: Array


# ---------------------------------------------------------------- attacks worth a look


def promising(board, state, most, settings, edges):
    """Fill `edges` with the at most `most` most promising attacks of the seat to move, best first; how many."""
    values = scratch(64, np.float64)
    seat = np.int64(state.seat)
    mine = state.owned[seat]
    left = mine & state.able
    count = np.int64(0)
    while left:
        area = lowest_bit(left)
        left &= left - ONE
        dice = np.int64(state.dice[area])
        liking = settings.liking if in_largest(state, area, seat) else 1.0
        for edge in range(board.first_edge[area], board.first_edge[area + 1]):
            target = np.int64(board.target[edge])
            if (mine >> np.uint64(target)) & ONE:
                continue
            value = liking * win_chance(board, state, edge)
            if value > settings.threshold or dice == MOST_DICE:
                value *= hold_chance(board, state, target, dice - 1, seat)
            if value > settings.threshold or dice == MOST_DICE:
                place = count
                while place > 0 and values[place - 1] < value:
                    place -= 1
                if place < most:
                    count = min(count + 1, most)
                    for index in range(count - 1, place, -1):
                        values[index], edges[index] = values[index - 1], edges[index - 1]
                    values[place], edges[place] = value, edge
    return count


# ---------------------------------------------------------------- the search


def pass_on(board, state, turns):
    """Give the turn to the next seat that owns something; how many of the `turns` are left then."""
    turns -= 1
    state.seat = (state.seat + 1) % board.seats
    while turns > 0 and not state.owned[state.seat]:
        turns -= 1
        state.seat = (state.seat + 1) % board.seats
    return turns


def search(game, board, states, turns, attacks, lines, ply, leaf, buffers):
    """Fill values[ply] with what states[0], a copy of ours, leads to; at the root, the best attack is left in work[1].

    `turns`: to be played, the one at hand included, in which `attacks` were made. `lines`: how many may be followed
    from here; branches share them evenly, so that every line is played to the end of the round.
    """
    state, settings, edges, values = states[0], buffers.settings[0], buffers.edges[ply], buffers.values[ply]

    # 1. A turn ends when nothing promising is left or it is long enough; the last one ends in an estimate.
    count = np.int64(0)
    while count == 0:
        if attacks < settings.length:
            most = min(np.int64(settings.width) - attacks, lines)
            count = promising(board, state, most, settings, edges)
        if count == 0:
            turns = pass_on(board, state, turns)
            attacks = np.int64(0)
            if turns == 0 or state.winner >= 0:
                leaf(board, state, buffers, values)
                buffers.work[0] += 1
                return

    # 2. Otherwise the seat to move chooses the branch that is best for itself, the more promising of equals.
    mover = np.int64(state.seat)
    children = scratch(1, game.State)
    below = buffers.values[ply + 1]
    best = -np.inf
    for index in range(count):
        if index > 0 and is_set(buffers.stop):
            break  # every seat keeps to the most promising of what was looked at
        edge = np.int64(edges[index])
        copy(children[0], state)
        game.apply(board, children[0], edge)
        game.apply(board, children[0], WON)
        share = (lines + count - 1 - index) // count
        search(game, board, children, turns, attacks + 1, share, ply + 1, leaf, buffers)
        if ply == 0 and buffers.rows.shape[0] > 0:
            for seat in range(board.seats):
                buffers.rows[edge, seat] = below[seat]
            buffers.rows[edge, board.seats] = 0.0
        if below[mover] > best:
            best = below[mover]
            for seat in range(board.seats):
                values[seat] = below[seat]
            if ply == 0:
                buffers.work[1] = edge


def choose(game, board, view, acts, told, weights, board_part, stop, leaf, report):
    """The attack to make, or the end of the turn; told[0] is the settings."""
    settings = told[0]
    width, length = np.int64(settings.width), np.int64(settings.length)
    turns = np.int64(settings.rounds) * board.seats
    rows = turns * min(width, length) + 1
    edges = np.empty((rows, width), np.int32)
    weighed = blank_rows(rows_wanted(board, report, acts), board.seats + 1)
    report_rows(report, acts, weighed)
    count = promising(board, view, width, settings, edges[0])
    if count == 0:
        return end_of_turn(board)
    if count == 1 or view.attacks >= settings.searches:
        return np.int64(edges[0, 0])
    work = np.empty(2, np.int64)
    work[0], work[1] = 0, edges[0, 0]
    values = np.empty((rows, board.seats), np.float64)
    states = np.empty(1, game.State)
    copy(states[0], view)
    buffers = TurnBuffers(told, values, edges, weights, board_part, work, weighed, stop)
    attacks = ply = np.int64(0)
    search(game, board, states, turns, attacks, np.int64(settings.lines), ply, leaf, buffers)
    total = 0.0
    for seat in range(board.seats):
        total += values[0, seat]
    chance = values[0, view.seat] / total
    report[VALUE] = chance - (1.0 - chance) / (board.seats - 1)
    report[WORK], report[DEPTH] = work[0], turns
    if report.shape[0] > POLICY:
        for index in range(acts.shape[0]):
            report[POLICY + index] = 1.0 if acts[index] == work[1] else 0.0
    report_rows(report, acts, weighed)
    return work[1]


# ---------------------------------------------------------------- the two players


def formula(board, state, buffers, out):
    """Dice, areas (which is what the sizes of all regions add up to) and the largest region, weighted."""
    dice = scratch(SEATS, np.int64)
    count_dice(board, state, dice)
    worth = buffers.settings[0]
    for seat in range(board.seats):
        areas = np.int64(popcount(state.owned[seat]))
        out[seat] = worth.die * dice[seat] + worth.area * areas + worth.largest * state.score[seat]


def decide_maxn(game, board, view, acts, data, memory, params, report, rng):
    nothing = np.empty(0, np.float32)
    return choose(game, board, view, acts, params.view(Worths), nothing, nothing, stop_flag(memory), formula, report)


def learned(board, state, buffers, out):
    """The chance of every seat to win, as the net sees it; a game that is won needs no net."""
    if state.winner >= 0:
        for seat in range(board.seats):
            out[seat] = 1.0 if seat == state.winner else 0.0
    else:
        net.chances(board, state, buffers.net, buffers.board_part, out)


def decide_maxn_net(game, board, view, acts, data, memory, params, report, rng):
    weights = data.view(np.float32)
    board_part = memory[64 : 64 + 4 * net.WIDTH].view(np.float32)
    if memory[0] == 0:
        net.begin(board, weights, board_part)
        memory[0] = 1
    return choose(
        game, board, view, acts, params.view(Settings), weights, board_part, stop_flag(memory), learned, report
    )


@dataclass(frozen=True, repr=False)
class Searching(Weighing):
    """What both players can be told."""

    tells_all = True

    rounds: int = setting(1, 1, 3)
    """Rounds of everybody's turns to look ahead."""
    width: int = setting(5, 1, 64)
    """Attacks to look at where a turn begins; one less after each attack of the turn."""
    length: int = setting(5, 1, 64)
    """Attacks a turn, at most, in the search."""
    threshold: float = setting(0.4, 0.0, 100.0)
    """How likely won, held and liked an attack must be; from eight dice any will do."""
    liking: float = setting(2.0, 0.001, 1000.0)
    """How much more an attack from the own largest region counts."""
    searches: int = setting(5, 0, 1000)
    """Attacks of a turn that are searched for; later ones are simply the most promising."""
    lines: int = setting(500, 0, 1_000_000_000)
    """Lines of play to follow for one decision, shared evenly among branches; 0 is no limit, and may take hours."""

    def told(self, kind: np.dtype[Any]) -> Array:
        """What `kind` names of the settings."""
        return filled(kind, self, lines=self.lines or 2**50)


@dataclass(frozen=True, repr=False)
class DicewarsMaxn(Searching):
    name = "maxn"
    summary = "a round of everybody's best attacks, taken for won, judged by dice, areas and largest region"
    decide = decide_maxn

    die: float = setting(1.0, -1e6, 1e6)
    """Worth of a die."""
    area: float = setting(5.0, -1e6, 1e6)
    """Worth of an area."""
    largest: float = setting(50.0, -1e6, 1e6)
    """Worth of every area of the largest region."""

    def prepare(self, game, boards):
        return Prepared.of(params=self.told(Worths))


@dataclass(frozen=True, repr=False)
class MaxnNet(Searching):
    name = "maxn-net"
    summary = "as maxn, judged by a net that has learned who wins"
    decide = decide_maxn_net

    file: Annotated[str, FileName()] = setting("")
    """A net of one's own, as ONNX; the one that is shipped if none is named."""

    def __post_init__(self) -> None:
        net.numbers(self.file)

    def prepare(self, game, boards):
        ready = Prepared.of(memory=4 * net.WIDTH, params=self.told(Settings))
        return dataclasses.replace(ready, data=net.numbers(self.file))

    def refuses(self, game, board):
        if board.seats != net.SEATS or board.areas > net.AREAS:
            told = _("its net has learned from {players} players on at most {areas} areas")
            return told.format(players=net.SEATS, areas=net.AREAS)
        return None
