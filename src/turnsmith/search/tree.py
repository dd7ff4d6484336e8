"""Trees of positions in a player's memory: nodes found by the hash of what their mover sees, and their edges.

A node is followed by its edges, units of equal size. Whoever searches says what an edge holds: ``Edge`` and ``Choice``
are of ``mcts``, ``Prior`` of ``alphazero``. A seat keeps its tree through a match; when the memory is full, the nodes
visited least are given up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import copy, zero
from turnsmith.compile.rng import GOLDEN, draw
from turnsmith.contract.records import record
from turnsmith.play.player import HEADER

UNIT = 24  # bytes; a node takes one unit, and so does an edge
FREE, USED, SALT, FULL, ROOT, PLAYOUTS = range(6)
"""Places in the memory's header: the first free unit, slots in use, randomness, whether something found no place, the
node of the latest decision, and the two counts of the playouts."""

Node = record(key=np.uint64, visits=np.int32, count=np.int32, tried=np.int32, capacity=np.int32)
"""key: the hash; count: the moves there are; tried: the edges made, or minus the place to which the node has moved
because it needed a greater capacity."""
Edge = record(action=np.int32, child=np.int32, visits=np.int32, proven=np.int32, total=np.float64)
"""child: 0 for none known; proven: 1 if its mean is the result of best play; total: the mover's rewards, scaled to
0..1 (float32 would not notice another win after 2**24 of them)."""
Choice = record(action=np.int32, regret=np.float32, visits=np.int32, taken=np.int32, total=np.float64)
"""An edge in a game with simultaneous moves. regret: what it would have brought more than what was done, 0 at least;
taken: how often the regrets chose it."""
Prior = record(action=np.int32, child=np.int32, visits=np.int32, prior=np.float32, total=np.float64)
"""An edge with what a net gives it: prior is its chance. The first of a node stands for the node
itself: its prior is what the net expects there for the mover, its total what came of all visits."""
Hint = record(visits=np.int64, total=np.float64, guess=np.float64)
"""Beside an edge, where a search wants it: how often its move was made later on, what that brought, and the game's own
estimate of where it leads, backed up."""
HINT = Hint.itemsize
Slot = record(key=np.uint64, node=np.int64)
"""node: 0 for a free slot, SEEN for a view met once."""
SLOT = Slot.itemsize
SEEN = -1


class SearchTree(NamedTuple):
    """A tree in a seat's memory. `nodes`, `edges`, `choices` and `priors` are the same bytes; those of node n begin at
    n + 1."""

    head: Array
    nodes: Array
    edges: Array
    choices: Array
    priors: Array
    slots: Array
    hints: Array
    """One beside each unit, or none at all."""


# ---------------------------------------------------------------- nodes


def latest(nodes, node):
    """Where a node is now."""
    while nodes[node].tried < 0:
        node = np.int64(-nodes[node].tried)
    return node


def units(capacity):
    """What a node with capacity for so many edges takes."""
    return 1 + capacity


def new_node(tree, key, count, capacity):
    """A node for a position with `count` moves, or 0 if the memory is full."""
    node = tree.head[FREE]
    if node + units(capacity) > tree.nodes.shape[0]:
        tree.head[FULL] = 1
        return np.int64(0)
    tree.head[FREE] += units(capacity)
    header = tree.nodes[node]
    header.key, header.count, header.capacity = key, count, capacity
    header.visits, header.tried = 0, 0
    return node


# ---------------------------------------------------------------- views


def key_of(game, board, state, mover, seen):
    """The hash of what the mover sees."""
    if game.hides:
        copy(seen, state)
        game.hide(board, seen, mover)
        return game.hash(board, seen)
    return game.hash(board, state)


def place_of(slots, key):
    """The slot of a view, or the free one it would take."""
    place = np.int64((((key * GOLDEN) >> np.uint64(32)) * np.uint64(slots.shape[0])) >> np.uint64(32))
    while slots[place].node != 0 and slots[place].key != key:
        place = place + 1 if place + 1 < slots.shape[0] else 0
    return place


def meet(tree, key):
    """The node of a view; SEEN if it was met once before, 0 if it never was (and then it is noted)."""
    slot = tree.slots[place_of(tree.slots, key)]
    if slot.node > 0:
        slot.node = latest(tree.nodes, slot.node)
    elif slot.node == 0:
        note(tree, slot, key, SEEN)
        return np.int64(0)
    return slot.node


def note(tree, slot, key, node):
    """Fill a free slot, while a quarter of them stays free."""
    if 4 * tree.head[USED] < 3 * tree.slots.shape[0]:
        tree.head[USED] += 1
        slot.key, slot.node = key, node
    else:
        tree.head[FULL] = 1


def node_of(tree, key, count, capacity):
    """The node of a view that deserves one at once."""
    node = meet(tree, key)
    return node if node > 0 else make_node(tree, key, count, capacity)


def make_node(tree, key, count, capacity):
    """A node for a view that was met before, or 0 if the memory is full."""
    slot = tree.slots[place_of(tree.slots, key)]
    node = new_node(tree, key, count, capacity) if slot.node == SEEN else np.int64(0)
    if node > 0:
        slot.node = node
    return node


# ---------------------------------------------------------------- the memory of a match


def open_tree(memory, size, linked, rng, hints=0):
    """The tree in a seat's memory: `size` units of nodes and edges, then as many slots, then so many hints."""
    tree = tree_in(memory, size, hints)
    if tree.head[FREE] == 0:  # a new match: what lies beyond the header may be anything
        tree.head[SALT] = np.int64(draw(rng) >> np.uint64(1))
        zero(tree.nodes[0])
        forget(tree)
    elif 2 * tree.head[FREE] > size or 2 * tree.head[USED] > size:
        prune(tree, np.int64(0), linked)
    return tree


def forget(tree):
    """Empty the tree."""
    tree.head[FREE], tree.head[USED], tree.head[FULL] = 1, 0, 0
    for place in range(tree.slots.shape[0]):
        tree.slots[place].node = 0


def tree_in(memory, size, hints=0):
    head = memory[:HEADER].view(np.int64)
    slots_at, hints_at = HEADER + size * UNIT, HEADER + size * (UNIT + SLOT)
    body, slots = memory[HEADER:slots_at], memory[slots_at:hints_at].view(Slot)
    rest = memory[hints_at : hints_at + hints * HINT].view(Hint)
    return SearchTree(head, body.view(Node), body.view(Edge), body.view(Choice), body.view(Prior), slots, rest)


def prune(tree, root, linked):
    """Give up the nodes visited least, until half the units are free, and all marks of SEEN. The root stays, and where
    it is now is returned; `linked`: edges know children, which have to be looked up anew."""
    least = np.int64(0)
    while kept_units(tree, root, least) > tree.nodes.shape[0] // 2:
        least += 1 + least // 2
    end, node, place, found = tree.head[FREE], np.int64(1), np.int64(1), np.int64(0)
    forget(tree)
    while node < end:
        size = units(tree.nodes[node].capacity)
        if node == root or is_kept(tree.nodes[node], least):
            found = place if node == root else found
            for index in range(size):
                copy(tree.nodes[place + index], tree.nodes[node + index])
                if tree.hints.shape[0] > 0:
                    copy(tree.hints[place + index], tree.hints[node + index])
            if linked:
                for edge in range(place + 1, place + 1 + tree.nodes[place].tried):
                    tree.edges[edge].child = min(tree.edges[edge].child, 0)  # what is proven stays so
            key = tree.nodes[place].key
            note(tree, tree.slots[place_of(tree.slots, key)], key, place)
            place += size
        node += size
    tree.head[FREE] = place
    return found


def kept_units(tree, root, least):
    """What the nodes take that have been visited so often, the root aside."""
    kept, node = np.int64(0), np.int64(1)
    while node < tree.head[FREE]:
        size = units(tree.nodes[node].capacity)
        kept += size if node != root and is_kept(tree.nodes[node], least) else 0
        node += size
    return kept


def is_kept(header, least):
    return header.tried >= 0 and header.visits >= least  # a node that has moved is not there any more
