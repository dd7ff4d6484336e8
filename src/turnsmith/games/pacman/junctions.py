"""Monte Carlo tree search over junctions: a pacman decides only where ways part, and never goes back at once.

Each pacman has a tree of its own whose edges are ways out of junctions; all are grown by the same simulations, in which
the ghosts play as in the arcade and, beyond the trees, ways are drawn at random. A simulation is worth how many
pacmans survived it and how much they ate. Ghosts it moves as in the arcade.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import copy, scratch
from turnsmith.compile.rng import below
from turnsmith.contract.game import OVER, Game
from turnsmith.contract.records import record
from turnsmith.games.pacman.ghosts import chase
from turnsmith.games.pacman.maps import UNITS
from turnsmith.games.pacman.rules import PACMANS, STAY, WAYS, apply, to_move
from turnsmith.games.pacman.teams import WISHES, WholeTeams, joint, settle
from turnsmith.play.player import DEPTH, HEADER, VALUE, WORK, Prepared, filled, numbers
from turnsmith.search.limits import deadline_after, is_time_up, stop_flag

LONGEST = 64
"""Decisions of one pacman in a simulation that are remembered."""
EDGES, PATHS, KEPT = 4, UNITS * LONGEST, HEADER // 8
Settings = numbers("simulations", "time", "exploration", "caution", "horizon")

Junction = record(child=(np.int32, 4), visits=(np.int32, 4), total=(np.float64, 4))
"""What is known of the four ways out of a junction; child 0 is none yet."""


def decide(game, board, view, acts, data, memory, params, report, rng):
    own = memory[:HEADER].view(np.int64)
    if np.int64(view.ply) & 1 != PACMANS:
        return chase(board, view, own, False)
    settings = params.view(Settings)[0]
    most = np.int64(settings.simulations)
    deadline = deadline_after(settings.time)
    nodes = np.zeros(UNITS + UNITS * (most if most else 20_000), Junction)
    states = np.empty(1, game.State)
    used, done, stop = np.int64(UNITS), np.int64(0), stop_flag(memory)
    while done == 0 or ((most == 0 or done < most) and not is_time_up(stop, deadline)):
        copy(states[0], view)
        used = simulate(board, states[0], nodes, used, settings, rng)
        done += 1
    report[WORK], report[DEPTH] = done, settings.horizon
    return choose(board, view, nodes, report)


def simulate(board, state, nodes, used, settings, rng):
    """Play on for some turns and credit the ways taken; returns how many nodes are in use. Tree k is of pacman k."""
    node, heading, length = scratch(UNITS, np.int64), scratch(UNITS, np.int64), scratch(UNITS, np.int64)
    at_node, at_way, notes = scratch(PATHS, np.int64), scratch(PATHS, np.int64), scratch(KEPT, np.int64)
    for name in range(UNITS):
        node[name], heading[name], length[name] = name, -1, 0
    for place in range(KEPT):
        notes[place] = 0
    pacmans, before, turns = np.int64(state.pacmans), np.int64(state.eaten), np.int64(settings.horizon)
    turn = 0
    while turn < turns and to_move(board, state) != OVER:
        for unit in range(state.pacmans):
            name, cell = np.int64(state.pacman_name[unit]), np.int64(state.pacman[unit])
            way = heading[name]
            if way >= 0 and board.ways[cell] == 3 and board.near[cell, way] >= 0:  # an alley goes straight on
                continue
            way = pick_way(board, cell, way, nodes, node[name], settings.exploration, rng)
            heading[name] = way
            if node[name] >= 0 and length[name] < LONGEST:
                at_node[name * LONGEST + length[name]], at_way[name * LONGEST + length[name]] = node[name], way
                length[name] += 1
                child = np.int64(nodes[node[name]].child[way])
                if child == 0 and used < nodes.shape[0]:
                    nodes[node[name]].child[way] = used
                    used += 1
                node[name] = child if child > 0 else -1
        apply(board, state, together(board, state, heading))
        if to_move(board, state) == OVER:
            break
        apply(board, state, chase(board, state, notes, False))
        turn += 1
    ate = (np.int64(state.eaten) - before) / max(turns * pacmans, 1)
    reward = settings.caution * np.int64(state.pacmans) / pacmans + (1.0 - settings.caution) * ate
    for name in range(UNITS):
        for step in range(length[name]):
            junction, way = nodes[at_node[name * LONGEST + step]], at_way[name * LONGEST + step]
            junction.visits[way] += 1
            junction.total[way] += reward
    return used


def pick_way(board, cell, heading, nodes, node, exploration, rng):
    """The way out of a junction with the highest upper confidence bound, ways not tried yet first; beyond the tree any
    way. Going back is left out where there is another way."""
    back = (heading + 2) % 4 if heading >= 0 else np.int64(-1)
    ways, best, most, tied = np.int64(board.ways[cell]), np.int64(-1), -np.inf, 0
    total = 1
    if node >= 0:
        for way in range(EDGES):
            total += nodes[node].visits[way]
    for index in range(ways):
        way = np.int64(board.way[cell, index])
        if way == STAY or (way == back and ways > 2):
            continue
        value = np.inf
        if node >= 0 and nodes[node].visits[way] > 0:
            visits = np.int64(nodes[node].visits[way])
            value = nodes[node].total[way] / visits + exploration * math.sqrt(math.log(total) / visits)
        tied = tied + 1 if value == most else 1 if value > most else tied
        if value > most or (value == most and below(rng, tied) == 0):
            best, most = way, value
    return best if best >= 0 else np.int64(STAY)


def together(board, state, heading):
    """The joint move of pacmans that go their ways, by name; who finds the cell taken waits or makes way."""
    count = np.int64(state.pacmans)
    wish, chosen = scratch(WISHES, np.float64), scratch(UNITS, np.int64)
    for unit in range(count):
        for way in range(WAYS):
            wish[unit * WAYS + way] = 1.0 if way == STAY else 0.0
        if heading[state.pacman_name[unit]] >= 0:
            wish[unit * WAYS + heading[state.pacman_name[unit]]] = 2.0
    settle(board, state.pacman, count, wish, chosen)
    return joint(chosen, count)


def choose(board, view, nodes, report):
    """Every pacman goes the way it was sent most often."""
    heading = scratch(UNITS, np.int64)
    value = 0.0
    for unit in range(view.pacmans):
        name = np.int64(view.pacman_name[unit])
        best = 0
        for way in range(EDGES):
            if nodes[name].visits[way] > nodes[name].visits[best]:
                best = way
        heading[name] = best
        value += nodes[name].total[best] / max(nodes[name].visits[best], 1)
    report[VALUE] = value / max(np.int64(view.pacmans), 1)
    return together(board, view, heading)


@dataclass(frozen=True, repr=False)
class JunctionSearch(WholeTeams):
    simulations: int = setting(300, 0, 20_000)
    """Simulations for one decision; 0 is no limit but time."""
    time: float = setting(0.0, 0.0, 86_400.0)
    """Seconds for one decision; 0 is no limit."""
    exploration: float = setting(0.3, 0.0, 100.0)
    """How much a way gains from being tried little."""
    caution: float = setting(0.6, 0.0, 1.0)
    """What survival counts; the rest is for dots."""
    horizon: int = setting(30, 1, 1000)
    """Turns that a simulation looks ahead."""

    name = "junctions"
    summary = "Monte Carlo tree search over junctions for the pacmans; ghosts as in the arcade"
    decide = decide

    def __post_init__(self) -> None:
        if self.simulations == 0 and self.time == 0:
            raise ValueError("simulations=0 needs a time; set one, or take at least 1 simulation")

    def prepare(self, game: Game, boards: Array) -> Prepared:
        return Prepared.of(params=filled(Settings, self))
