"""The edges of ``mcts``: when a node gets another one, and for which of the moves not tried yet."""

from __future__ import annotations

import numpy as np

from turnsmith.compile.kernel import copy
from turnsmith.compile.rng import mix
from turnsmith.search.guides import ALL_AT_ONCE, list_all
from turnsmith.search.tree import FREE, FULL, SALT, new_node, units

NARROW = 64
PRIME = 2654435761  # greater than any number of moves, so its multiples come to every one of them


def mean_of(edge):
    return edge.total / edge.visits if edge.visits > 0 else 0.0


def first_capacity(count, guide):
    if guide is not None and guide.tuning[0].rave > 0.0 and count <= ALL_AT_ONCE:
        return count
    return count if count <= NARROW else NARROW // 4


def open_node(tree, node, moves, guide):
    """Where moves are known by their likes, a new node gets all of its edges at once, unless there are very many."""
    is_new = node > 0 and tree.nodes[node].tried == 0
    if guide.tuning[0].rave > 0.0 and is_new and tree.nodes[node].count <= ALL_AT_ONCE:
        list_all(tree, node, moves)


def wants_edge(tree, node):
    """Whether a node should try something new. A wide one has about 2 edges a root of its visits."""
    header = tree.nodes[node]
    if header.tried == header.count or header.count <= NARROW:
        return header.tried < header.count
    if header.tried * header.tried >= 4 * (header.visits + 1):
        return False
    if header.tried == header.capacity and tree.head[FREE] + units(2 * header.capacity) > tree.nodes.shape[0]:
        tree.head[FULL] = 1
        return False
    return True


def enlarge(tree, node):
    """Move a node that is full to where there is twice the capacity."""
    old = tree.nodes[node]
    if old.tried < old.capacity:
        return node
    moved = new_node(tree, old.key, np.int64(old.count), np.int64(min(2 * old.capacity, old.count)))
    tree.nodes[moved].visits, tree.nodes[moved].tried = old.visits, old.tried
    for index in range(old.tried):
        copy(tree.edges[moved + 1 + index], tree.edges[node + 1 + index])
        if tree.hints.shape[0] > 0:
            copy(tree.hints[moved + 1 + index], tree.hints[node + 1 + index])
    old.tried = -moved
    return moved


def add_edge(tree, node, moves):
    """An edge for one of the moves not tried yet. The order is that of the multiples of a prime from a random start."""
    header = tree.nodes[node]
    edge = node + 1 + header.tried
    start = np.int64(mix(header.key ^ np.uint64(tree.head[SALT])) >> np.uint64(16))
    tree.edges[edge].action = moves[(start + np.int64(header.tried) * PRIME) % header.count]
    tree.edges[edge].child, tree.edges[edge].visits, tree.edges[edge].proven, tree.edges[edge].total = 0, 0, 0, 0.0
    header.tried += 1
    return edge
