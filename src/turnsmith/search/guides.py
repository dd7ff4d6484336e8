"""What guides a simulation of ``mcts`` besides its own results: the measured variants of general game playing.

* RAVE: what a move brought anywhere later in a simulation counts for it here, the less the more it was tried here
  (Gelly and Silver, 2011). GRAVE: nodes with few visits ask an ancestor (Cazenave, 2015).
* MAST: playouts prefer moves that have done well so far, whenever they were made (Finnsson and Björnsson, 2008).
* Implicit minimax: the game's estimates are backed up as the best line and mixed into means (Lanctot et al., 2014).
* Cut playouts: after some moves the game's estimate stands for the rest.
* The final move by the lower bound of its mean, in place of its visits.

Moves are known by seat and action number, so that a seat learns from its own moves alone. ``mcts`` is compiled with a
``Guide`` only where a setting asks for one; else the guide is None and none of this takes any time.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import borrow, inlined
from turnsmith.compile.rng import below, mix, unit
from turnsmith.contract.records import record
from turnsmith.play.player import numbers

Tuning = numbers("rave", "grave", "mast", "minimax", "cut", "final")
"""The last of the params of ``mcts``."""
Taste = record(visits=np.int64, total=np.float64)
"""How often a seat made a move in all simulations of a decision, and what that brought it."""

MOST_SLOTS = 1 << 18
"""Seats times actions of the boards on which moves can be remembered by their numbers."""
MOST_NOTED = 2048  # moves of one simulation that are remembered
ALL_AT_ONCE = 512  # nodes with no more moves than this get all of their edges when they are made
PRIOR = 2.0  # simulations by which what other moves brought is drawn to the middle
DEVIATIONS = 3.0  # of the lower bound of a mean
WORTHY = 8  # the final move has at least one visit for so many of the most visited one
START, LENGTH = range(2)  # places in the clock


class Guide(NamedTuple):
    """What the variants know in one decision; arrays that nobody needs are empty."""

    tuning: Array  # a record of Tuning
    clock: Array  # int64[2]: when this simulation began, counted in moves, and the moves noted in it
    noted: Array  # int64[MOST_NOTED]: the slots of the moves of this simulation
    latest: Array  # int64[slots]: when a move was made last
    tastes: Array  # Taste[slots]
    anchors: Array  # int64[seats]: the node that a seat asks what moves brought
    values: Array  # float64[seats]: the game's estimate of where the tree ended, scaled to 0..1


def new_guide(board, tuning):
    """A guide without any knowledge."""
    slots = np.int64(board.seats * board.actions) if tuning[0].rave > 0.0 or tuning[0].mast > 0.0 else np.int64(0)
    latest, tastes = np.empty(slots, np.int64), np.empty(slots if tuning[0].mast > 0.0 else 0, Taste)
    for slot in range(slots):
        latest[slot] = -1
    for slot in range(tastes.shape[0]):
        tastes[slot].visits, tastes[slot].total = 0, 0.0
    clock, noted = np.zeros(2, np.int64), np.empty(MOST_NOTED, np.int64)
    return Guide(tuning, clock, noted, latest, tastes, np.zeros(board.seats, np.int64), np.zeros(board.seats))


def lent_guide(guide):
    """The same without counting references; for arguments alone."""
    return Guide(
        borrow(guide.tuning), borrow(guide.clock), borrow(guide.noted), borrow(guide.latest), borrow(guide.tastes),
        borrow(guide.anchors), borrow(guide.values),
    )  # fmt: skip


def begin_simulation(guide):
    """Forget the moves of the simulation before."""
    guide.clock[START] += guide.clock[LENGTH]
    guide.clock[LENGTH] = 0
    guide.anchors[:] = 0


@inlined
def note_move(board, guide, seat, action):
    """Remember a move of this simulation, while there is room."""
    if guide.latest.shape[0] > 0 and guide.clock[LENGTH] < MOST_NOTED:
        slot = np.int64(seat * board.actions + action)
        guide.noted[guide.clock[LENGTH]] = slot
        guide.latest[slot] = guide.clock[START] + guide.clock[LENGTH]
        guide.clock[LENGTH] += 1


# ---------------------------------------------------------------- in the tree


def list_all(tree, node, moves):
    """Give a new node all of its edges at once: other moves' results tell which to try first."""
    header = tree.nodes[node]
    for index in range(header.count):
        edge = tree.edges[node + 1 + index]
        edge.action, edge.child, edge.visits, edge.proven, edge.total = moves[index], 0, 0, 0, 0.0
        clear_hint(tree, node + 1 + index)
    header.tried = header.count


def clear_hint(tree, edge):
    if tree.hints.shape[0] > 0:
        tree.hints[edge].visits, tree.hints[edge].total, tree.hints[edge].guess = 0, 0.0, 0.0


def anchor_of(tree, guide, node, mover):
    """The node that knows what the mover's moves brought: the nearest on the way with enough visits."""
    is_sorted = tree.nodes[node].count <= ALL_AT_ONCE
    if guide.anchors[mover] == 0 or tree.nodes[node].visits >= guide.tuning[0].grave or not is_sorted:
        guide.anchors[mover] = node
    anchor = guide.anchors[mover]
    return anchor if tree.nodes[anchor].count <= ALL_AT_ONCE else node


def guided_edge(nodes, edges, hints, node, anchor, exploration, salt, guide):
    """The edge with the highest upper confidence bound on what it and its like have brought."""
    tuning, header = guide.tuning[0], nodes[node]
    rave, trust, early = tuning.rave, tuning.minimax, 1.0 if tuning.rave > 0.0 else 0.0
    bonus = exploration * math.sqrt(math.log(header.visits + 1.0))
    best, highest, place, end = node + 1, -1.0, anchor + 1, anchor + 1 + nodes[anchor].tried
    for edge in range(node + 1, node + 1 + header.tried):
        visits = edges[edge].visits
        mean = edges[edge].total / visits if visits > 0 else 0.0
        if edges[edge].proven:
            if edges[edge].total == visits:  # nothing is better than a proven win
                return edge
            if mean > highest:
                best, highest = edge, mean
            continue
        if trust > 0.0 and visits > 0:
            mean += trust * (hints[edge].guess - mean)
        if rave > 0.0:
            like = edge
            if anchor != node:  # both in the order of actions
                while place < end and edges[place].action < edges[edge].action:
                    place += 1
                like = place if place < end and edges[place].action == edges[edge].action else edge
            seen = hints[like].visits
            others = (hints[like].total + 0.5 * PRIOR) / (seen + PRIOR)
            mean += math.sqrt(rave / (3.0 * visits + rave)) * (others - mean)
            if visits + seen == 0:
                mean += 1e-3 * jitter(header.key, edges[edge].action, salt)
        bound = mean + bonus / math.sqrt(visits + early)
        if bound > highest:
            best, highest = edge, bound
    return best


def jitter(key, action, salt):
    """A number 0..1 that looks random."""
    bits = mix(key ^ np.uint64(salt) ^ mix(np.uint64(action)))
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


# ---------------------------------------------------------------- in playouts


def favoured(board, tastes, share, seat, acts, count, rng):
    """The place among `acts` of the move that did best so far, or -1 where the playout should go on at random: in all
    but this share of its moves."""
    if unit(rng) >= share:
        return np.int64(-1)
    best, highest, place = np.int64(-1), -1.0, np.int64(below(rng, count))
    for _ in range(count):
        taste = tastes[np.int64(seat * board.actions + acts[place])]
        mean = taste.total / taste.visits if taste.visits > 0 else 1.0
        if mean > highest:
            best, highest = place, mean
        place = place + 1 if place + 1 < count else np.int64(0)
    return best


# ---------------------------------------------------------------- after a simulation


def learn_of_likes(board, tree, line, length, rewards, guide):
    """Every node of a line learns what all later moves of its mover brought; tastes, what any move did."""
    if guide.tuning[0].rave > 0.0:
        for ply in range(length):
            node, mover, begun = line[ply, 0], line[ply, 2], guide.clock[START] + ply
            for edge in range(node + 1, node + 1 + tree.nodes[node].tried):
                if guide.latest[np.int64(mover * board.actions + tree.edges[edge].action)] >= begun:
                    tree.hints[edge].visits += 1
                    tree.hints[edge].total += rewards[mover]
    if guide.tuning[0].mast > 0.0:
        for index in range(guide.clock[LENGTH]):
            taste = guide.tastes[guide.noted[index]]
            taste.visits += 1
            taste.total += rewards[guide.noted[index] // board.actions]


def back_up_guesses(tree, line, length, guide):
    """The guess of every edge of a line becomes that of the best reply known, from the end on."""
    if guide.tuning[0].minimax == 0.0:
        return
    for ply in range(length - 1, -1, -1):
        edge, mover = line[ply, 1], line[ply, 2]
        if ply == length - 1:
            tree.hints[edge].guess = guide.values[mover]
            continue
        child, best = line[ply + 1, 0], -1.0
        for reply in range(child + 1, child + 1 + tree.nodes[child].tried):
            if tree.edges[reply].visits > 0:
                best = max(best, tree.hints[reply].guess)
        tree.hints[edge].guess = best if line[ply + 1, 2] == mover else 1.0 - best


def surest(tree, node, favourite):
    """The edge with the highest lower bound of its mean among those visited enough; a proven favourite stays."""
    edges = tree.edges
    if edges[favourite].proven:
        return favourite
    best, highest = favourite, -1.0
    for edge in range(node + 1, node + 1 + tree.nodes[node].tried):
        visits = edges[edge].visits
        if not edges[edge].proven and visits > 0 and visits * WORTHY >= edges[favourite].visits:
            bound = lower_bound(edges[edge].total / visits, visits)
            if bound > highest:
                best, highest = edge, bound
    return best


def lower_bound(mean, visits):
    """Wilson's, of a mean of numbers 0..1."""
    square = DEVIATIONS * DEVIATIONS / visits
    spread = DEVIATIONS * math.sqrt((max(0.0, mean * (1.0 - mean)) + 0.25 * square) / visits)
    return (mean + 0.5 * square - spread) / (1.0 + square)
