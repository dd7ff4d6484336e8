"""Regret matching in the tree of ``mcts``, where seats move at the same time."""

from __future__ import annotations

from turnsmith.compile.rng import below, unit
from turnsmith.search.edges import mean_of, wants_edge

FADING = 0.6  # 1 would make a mean of all that a move brought; less forgets what the others no longer play


def regretted(tree, node, rng):
    """An edge drawn in proportion to its regret, or any if none has some."""
    total, first, tried = 0.0, node + 1, tree.nodes[node].tried
    for edge in range(first, first + tried):
        total += tree.choices[edge].regret
    if total <= 0.0:
        return first + below(rng, tried)
    left, chosen = unit(rng) * total, first
    for edge in range(first, first + tried):
        if tree.choices[edge].regret > 0.0:
            chosen = edge
            left -= tree.choices[edge].regret
            if left < 0.0:
                break
    return chosen


def regret(tree, buffers, length, rng):
    """The explorer learns what it got, and at each of its nodes what it regrets; the regrets then choose."""
    for ply in range(length):
        node, edge, mover = buffers.line[ply, 0], tree.choices[buffers.line[ply, 1]], buffers.line[ply, 2]
        mean = mean_of(edge)
        tree.nodes[node].visits += 1
        edge.visits += 1
        edge.total = (mean + (buffers.rewards[mover] - mean) * edge.visits**-FADING) * edge.visits
        if wants_edge(tree, node):
            continue
        regrets, value = 0.0, 0.0
        for other in range(node + 1, node + 1 + tree.nodes[node].tried):
            regrets += tree.choices[other].regret
            value += tree.choices[other].regret * mean_of(tree.choices[other])
        value = value / regrets if regrets > 0.0 else 0.0
        visits = tree.nodes[node].visits
        halves = visits & (visits - 1) == 0  # now and then, so that what was learned late counts most
        for other in range(node + 1, node + 1 + tree.nodes[node].tried):
            choice = tree.choices[other]
            choice.regret = max(0.0, choice.regret + mean_of(choice) - value)
            choice.taken = choice.taken >> 1 if halves else choice.taken
        tree.choices[regretted(tree, node, rng)].taken += 1
