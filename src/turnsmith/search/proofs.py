"""Proven results in the tree of ``mcts`` (MCTS-Solver)."""

from __future__ import annotations

from turnsmith.search.edges import mean_of
from turnsmith.search.playouts import UNKNOWN


def one_takes_it(rewards):
    """Whether what a seat gets is lost by the others: then whoever gets all leaves nothing, and of two seats each knows
    what the other gets. Alone, a seat need not ask."""
    return rewards.shape[0] == 1 or abs(rewards.sum() - 1.0) < 1e-9


def prove(tree, line, length, seat, result, seats):
    """Mark what is proven by a line at whose end `seat` gets `result`; returns whether that decides the root too."""
    for ply in range(length - 1, -1, -1):
        node, edge, mover = line[ply, 0], tree.edges[line[ply, 1]], line[ply, 2]
        if mover != seat:
            if seats > 2 and result < 1.0:  # who of the others gets the rest is not known
                return False
            seat, result = mover, 1.0 - result
        edge.proven, edge.total = 1, result * edge.visits
        result = result_of(tree, node)
        if result == UNKNOWN:
            return False
        if result == 1.0:
            tree.nodes[node].count = tree.nodes[node].tried  # nothing else is worth trying
    return True


def result_of(tree, node):
    """What best play brings the mover: a proven win, or the best edge if all are proven; else UNKNOWN."""
    header, edges = tree.nodes[node], tree.edges
    best, every = UNKNOWN, header.tried == header.count
    for edge in range(node + 1, node + 1 + header.tried):
        if edges[edge].proven:
            best = max(best, mean_of(edges[edge]))
        else:
            every = False
    return best if every or best == 1.0 else UNKNOWN


def share_out(rewards, mover, edge):
    """What a proven edge brings its mover, which is returned, and to the others in equal parts the rest."""
    result = mean_of(edge)
    for seat in range(rewards.shape[0]):
        rewards[seat] = result if seat == mover else (1.0 - result) / (rewards.shape[0] - 1)
    return result
