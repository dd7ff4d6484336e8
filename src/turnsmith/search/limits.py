"""The limits of searches (depth, positions, simulations, time), and iterative deepening.

The depth-first searches share the deepening and its report. The tree searches share the count of simulations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import copy, is_set, now
from turnsmith.compile.rng import below
from turnsmith.languages import _
from turnsmith.play.inspection import Choice, Inspection
from turnsmith.play.player import DEPTH, HEADER, POLICY, STOP, VALUE, WORK, CompiledPlayer, numbers
from turnsmith.play.position import PositionView
from turnsmith.search.value import judge

DEEPEST, USUAL_DEPTH = 120, 6
MOST_NODES, MOST_SECONDS = 10**12, 86_400.0  # of one decision: a day
PLIES = 128
"""Rows of a search's buffers: decisions and chance in one line. Beyond it a position is estimated as it stands."""

NODES, MOST, DEADLINE, STOPPED, HORIZON, CHOICE = range(6)
"""Places in `work`, int64[6]: positions reached, the most allowed, the time to stop (ns, 0: none), whether to stop,
how often a value rested on an estimate instead of the end of a game, the best action at the root (-1: none yet).

A value is proven when HORIZON did not move while it was computed."""


Limits = numbers("depth", "nodes", "time")
LIMITS = Limits.itemsize // 8
"""What the params of a limited search begin with, as ``Limited.limits`` gives it, and how many numbers that is."""


def limits_in(params):
    return params[:LIMITS].view(Limits)[0]


def start_work(params):
    """The counters of a search limited by `params`."""
    work = np.empty(6, np.int64)
    work[:] = 0
    limits = limits_in(params)
    work[MOST], work[DEADLINE] = np.int64(limits.nodes), deadline_after(limits.time)
    return work


def deadline_after(seconds):
    """The time (ns) at which a search that begins now must stop; 0, none, where `seconds` is 0."""
    return now() + np.int64(seconds * 1e9) if seconds > 0.0 else np.int64(0)


def is_time_up(stop, deadline):
    """Whether a search must stop: its flag is set, or its deadline has passed."""
    return is_set(stop) or (deadline > 0 and now() >= deadline)


def spend(work, stop):
    """Count one position; whether the search must end. Clock and flag are looked at every 256 positions."""
    work[NODES] += 1
    if work[MOST] > 0 and work[NODES] >= work[MOST]:
        work[STOPPED] = 1
    if work[NODES] & 255 == 0 and is_time_up(stop, work[DEADLINE]):
        work[STOPPED] = 1
    return work[STOPPED] != 0


def stop_flag(memory):
    """The flag by which the seat with this memory is stopped."""
    return memory[STOP:HEADER].view(np.int64)


def estimate(game, board, state, net, out, work):
    """Fill `out` with the guess of a net, or of the game where that is None, within the range of returns so that
    windows may rely on it."""
    if net is None:
        game.evaluate(board, state, out)
    else:
        judge(game, board, state, net, out)
    for seat in range(board.seats):
        out[seat] = min(max(out[seat], board.low), board.high)
    work[HORIZON] += 1


def steps(by_turns, seat, mover):
    """By how much a decision of `seat`, after which `mover` moves, brings a search nearer to its depth."""
    return np.int64(0) if by_turns and mover == seat else np.int64(1)


def shuffle(moves, count, rng):
    """Put moves[:count] in random order: ties must fall at random, or two searches would play one match for ever."""
    for index in range(count - 1, 0, -1):
        other = below(rng, index + 1)
        moves[index], moves[other] = moves[other], moves[index]


def deepen(look, game, board, view, acts, params, buffers, report):
    """Look 1, 2, 3, … decisions ahead while limits allow and something is left to see; returns the best action.

    ``look(game, board, states, me, depth, buffers)`` finds the value of states[0] for seat `me` and leaves the best
    action in work[CHOICE]. What is hidden from the seat is imagined once and then taken for the truth.
    """
    me, work, rng = game.to_move(board, view), buffers.work, buffers.rng
    states = np.empty(1, game.State)
    copy(states[0], view)
    if game.hides:
        game.resample(board, states[0], me, rng)
    chosen, value, reached = np.int64(acts[below(rng, acts.shape[0])]), 0.5 * (board.low + board.high), 0
    for depth in range(1, np.int64(limits_in(params).depth) + 1):
        work[CHOICE] = -1
        before = work[HORIZON]
        found = look(game, board, states, me, depth, buffers)
        proven = work[HORIZON] == before
        lost = proven and found <= board.low and reached > 0  # then the move that held out longest stays
        if work[CHOICE] >= 0 and not lost:
            chosen = work[CHOICE]
        if work[STOPPED]:
            break
        value, reached = found, depth
        if proven:
            break
    report[VALUE], report[WORK], report[DEPTH] = value, work[NODES], reached
    if report.shape[0] > POLICY:
        for index in range(acts.shape[0]):
            report[POLICY + index] = 1.0 if acts[index] == chosen else 0.0
    report_rows(report, acts, buffers.rows)
    return chosen


def blank_rows(actions, columns):
    """float64[actions, columns]: for what a search finds of the moves at the root, of which nothing is known yet."""
    rows = np.empty((actions, columns), np.float64)
    rows[:] = np.nan
    return rows


def rows_wanted(board, report, acts):
    """How many rows a search fills that fills them only when asked what it weighed: one an action, or none."""
    return np.int64(board.actions) if report.shape[0] > POLICY + acts.shape[0] else np.int64(0)


def report_rows(report, acts, rows):
    """Copy the rows of the legal moves into a report that has room for them."""
    wide, first = rows.shape[1], POLICY + acts.shape[0]
    if rows.shape[0] > 0 and report.shape[0] >= first + acts.shape[0] * wide:
        for index in range(acts.shape[0]):
            for column in range(wide):
                report[first + index * wide + column] = rows[acts[index], column]


class Simulating(CompiledPlayer):
    """A player that simulates until its simulations or its time are used up."""

    usual_simulations: ClassVar[int]
    """Simulations for one decision where neither they nor the time are limited."""
    simulations: int
    time: float

    def simulations_allowed(self) -> int:
        """Simulations for one decision; 0 is no limit."""
        return self.simulations or (0 if self.time > 0 else self.usual_simulations)

    def within(self, seconds: float) -> Self:
        limits: dict[str, Any] = {"simulations": self.simulations_allowed(), "time": min(self.time or seconds, seconds)}
        return replace(self, **limits)

    def note(self, position: PositionView, action: int, report: Array, memory: Array) -> str:
        told = _("{work:,} simulations, lines up to {depth} decisions long")
        return told.format(work=int(report[WORK]), depth=int(report[DEPTH]))


@dataclass(frozen=True, repr=False)
class Limited(CompiledPlayer):
    """A player that looks deeper and deeper until it may not any more."""

    tells = "value"

    depth: int = setting(0, 0, DEEPEST)
    """Decisions to look ahead; 0 is no limit (6 where nodes and time set none either)."""
    nodes: int = setting(0, 0, MOST_NODES)
    """Positions to look at for one decision; 0 is no limit."""
    time: float = setting(0.0, 0.0, MOST_SECONDS)
    """Seconds for one decision; 0 is no limit."""

    def limits(self) -> list[float]:
        """The first parameters: depth, nodes, seconds."""
        open_end = self.nodes > 0 or self.time > 0
        return [float(self.depth or (DEEPEST if open_end else USUAL_DEPTH)), float(self.nodes), self.time]

    def within(self, seconds: float) -> Limited:
        open_end = self.nodes > 0 or self.time > 0
        depth = self.depth or (0 if open_end else USUAL_DEPTH)  # a time alone would let it look deeper than usual
        return replace(self, depth=depth, time=min(self.time or seconds, seconds))

    def note(self, position: PositionView, action: int, report: Array, memory: Array) -> str:
        said = super().note(position, action, report, memory)
        return _("{note}, in one imagined world of what is hidden").format(note=said) if position.game.hides else said


class Weighing(CompiledPlayer):
    """A player that tells what it found of each move at the root: rows that ``report_rows`` has copied."""

    tells_all: ClassVar[bool] = False
    """Whether it finds what a move brings every seat, and no bounds."""

    def inputs(self, position: PositionView) -> Mapping[str, float]:
        """What it looks at in a position, by name, where that can be told."""
        return {}

    def columns(self, position: PositionView) -> int:
        """Numbers in a row: a value for each seat, or for the mover alone; then 1 where that is a bound."""
        return int(position.board.seats) + 1 if self.tells_all else 2

    def report_room(self, position: PositionView) -> int:
        return len(position.actions) * self.columns(position)

    def weighed(self, position: PositionView, action: int, report: Array, memory: Array) -> Inspection | None:
        """Each move with its value, or a bound on it: nobody asks how much worse a move is."""
        acts, wide = position.actions, self.columns(position)
        rows = report[POLICY + len(acts) :].reshape(len(acts), wide)
        choices = []
        for act, row in sorted(zip(acts.tolist(), rows, strict=True), key=lambda pair: pair[0] != action):
            line = self.line(position, int(act), memory) if act == action else ()
            name = position.words(int(act))
            if np.isnan(row[0]):
                choices.append(Choice(name, name, told=_("not looked at")))
                continue
            own = float(row[position.mover]) if self.tells_all else float(row[0])
            if self.tells_all:
                told = _("seats get {returns}").format(returns=", ".join(f"{value:+.4g}" for value in row[:-1]))
            else:
                told = _("at most") if row[-1] else _("exactly")
            if len(line) > 1:
                told = _("{bound}; it expects {line}").format(bound=told, line=", ".join(line))
            choices.append(Choice(name, name, own, told=told))
        return Inspection(self.inputs(position), tuple(choices), self.note(position, action, report, memory))


@dataclass(frozen=True, repr=False)
class DepthFirst(Weighing, Limited):
    """A search for any game that looks ahead by decisions, or by turns."""

    turns: bool = setting(False)
    """Whether the depth counts turns instead of decisions, where a seat decides several times in a row."""
