"""Grown game trees as arrays: what was done in each branch, how it stood then, and what could still come of it.

A tree is a set of branches, sampled games of one map that are all equally long. Branches that begin with the same
actions pass through the same nodes. A layer is one action of the player whose games these are; a round of the game has
`layers_a_round` of them (two in Homeguard, one a soldier). What the score cannot tell stands in the sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown

PADDING = int(np.iinfo(np.int16).max)
"""Stands in every number of a branch that is not there: trees of one array have equally many."""

CHUNK = 128
"""Trees that are worked on at once, so that they fit into a processor's cache."""

SIDES = {
    "positions": "the cell of every unit, before the first round and after each: rounds + 1 of them",
    "hp": "the hit points of every unit after each round",
    "used_portal": "1 for every unit that went through a portal in the round, else 0",
    "exposure": "how many enemies could have hurt the unit after the round's moves",
    "dealt": "damage that the player has dealt until the end of the round; one number, not one a unit",
    "taken": "damage that the player has taken until the end of the round; one number, not one a unit",
}
"""What may stand beside the score, a number for every branch, round and unit; own units come first."""


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees of the same depth, one after another.

    actions, scores, best: int16[trees, branches, layers]. The action of a layer, the score after it, and the best final
    score among the branches of the tree that begin with the same actions. A branch that is PADDING in one of them is so
    in all, in every layer, and comes after those that are there.
    sides: int16[trees, branches, rounds, units] by name, see SIDES.
    """

    actions: Array
    scores: Array
    best: Array
    sides: Mapping[str, Array] = field(default_factory=dict)
    layers_a_round: int = 2

    def __post_init__(self) -> None:
        shape = self.actions.shape
        if len(shape) != 3 or 0 in shape:
            raise BadInput(f"trees are arrays of trees × branches × layers, not of the shape {shape}")
        for name in ("actions", "scores", "best"):
            numbers: Array = getattr(self, name)
            if numbers.shape != shape or numbers.dtype != np.int16:
                raise BadInput(
                    f"{name} of trees must be int16 of the shape {shape}, not {numbers.dtype} {numbers.shape}"
                )
        if self.layers_a_round < 1 or shape[2] % self.layers_a_round:
            raise BadInput(f"{shape[2]} layers cannot be rounds of {self.layers_a_round} layers each")
        for name, numbers in self.sides.items():
            _check_side(name, numbers, shape[:2], self.rounds)

    def __len__(self) -> int:
        return len(self.actions)

    def __getitem__(self, which: slice | Array) -> Trees:
        sides = {name: numbers[which] for name, numbers in self.sides.items()}
        return Trees(self.actions[which], self.scores[which], self.best[which], sides, self.layers_a_round)

    @property
    def rounds(self) -> int:
        return int(self.actions.shape[2]) // self.layers_a_round

    @property
    def is_there(self) -> Array:
        """bool[trees, branches]: whether the branch is one, not PADDING."""
        return np.asarray(self.scores[:, :, -1] != PADDING)

    def ends_of_rounds(self, numbers: Array) -> Array:
        """Of [trees, branches, layers] what stands at the end of each round."""
        return numbers[:, :, self.layers_a_round - 1 :: self.layers_a_round]


def _check_side(name: str, found: Array, shape: tuple[int, ...], rounds: int) -> None:
    if name not in SIDES:
        raise BadInput(f"trees have no side '{shown(name)}'; they may have {', '.join(SIDES)}")
    wanted = (*shape, rounds + (name == "positions"))
    if found.ndim != 4 or found.shape[:3] != wanted or found.dtype != np.int16 or not found.shape[3]:
        raise BadInput(f"{name} of trees must be int16 of the shape {wanted} × units, not {found.dtype} {found.shape}")


# ---------------------------------------------------------------- nodes


def nodes(actions: Array) -> Array:
    """int64, as actions[..., branches, layers]: the node that a branch is in after each layer, as a number.

    Branches of a tree are in the same node as long as all their actions are the same; nodes of different trees or
    layers may bear the same number only if they are of different layers.

    >>> nodes(np.array([[0, 1], [0, 2], [0, 1]])).tolist()
    [[0, 0], [0, 1], [0, 0]]
    """
    flat, order, number = _sorted_nodes(actions)
    numbers = np.empty(flat.shape, np.int64)
    numbers[order] = number
    return numbers.reshape(actions.shape)


def reachable_best(actions: Array, scores: Array) -> Array:
    """As scores[..., branches, layers]: the best final score among the branches of the tree through the same node.

    >>> reachable_best(np.array([[0, 1], [0, 2], [1, 0]]), np.array([[0, 5], [0, 9], [2, 3]])).tolist()
    [[9, 5], [9, 9], [3, 3]]
    """
    many, wide = (numbers.reshape(-1, *actions.shape[-2:]) for numbers in (actions, scores))
    reached = np.empty(wide.shape, scores.dtype)
    for start in range(0, len(many), CHUNK):
        part = slice(start, start + CHUNK)
        flat, order, number = _sorted_nodes(many[part])
        final, best = wide[part].reshape(flat.shape)[order, -1], np.empty(flat.shape, scores.dtype)
        for layer in range(flat.shape[1]):
            starts = np.flatnonzero(np.diff(number[:, layer], prepend=-1))
            best[order, layer] = np.maximum.reduceat(final, starts)[number[:, layer]]
        reached[part] = best.reshape(reached[part].shape)
    return reached.reshape(scores.shape)


def _sorted_nodes(actions: Array) -> tuple[Array, Array, Array]:
    """The branches in rows, an order that brings branches of a node together, and the nodes in that order."""
    branches, layers = actions.shape[-2:]
    flat = np.ascontiguousarray(actions.reshape(-1, layers))
    tree = np.repeat(np.arange(len(flat) // branches), branches)
    order = np.lexsort((*flat.T[::-1], tree))
    ordered, tree = flat[order], tree[order]
    differs = np.ones(flat.shape, np.bool_)
    differs[1:] = (ordered[1:] != ordered[:-1]) | (tree[1:] != tree[:-1])[:, None]
    np.logical_or.accumulate(differs, axis=1, out=differs)
    return flat, order, np.cumsum(differs, axis=0) - 1


# ---------------------------------------------------------------- putting trees together


def stack(grown: Sequence[Trees], share: float = 1.0) -> Trees:
    """Trees with different numbers of branches as one array.

    All get as many as `share` of them have at most (1: as the largest has; the original program took 0.8): what others
    have more is left out, the last first, and what they lack is PADDING. What could be reached stays as it was grown.
    """
    if not grown:
        raise BadInput("there are no trees to put together")
    counts = np.concatenate([trees.is_there.sum(axis=1) for trees in grown])
    branches = max(1, int(np.quantile(counts, share, method="inverted_cdf")))
    parts = {
        name: [fitted(getattr(trees, name), branches) for trees in grown] for name in ("actions", "scores", "best")
    }
    sides = {name: [fitted(trees.sides[name], branches) for trees in grown] for name in grown[0].sides}
    joined = {name: np.concatenate(arrays) for name, arrays in parts.items()}
    return Trees(
        **joined,
        sides={name: np.concatenate(arrays) for name, arrays in sides.items()},
        layers_a_round=grown[0].layers_a_round,
    )


def fitted(numbers: Array, branches: int) -> Array:
    """[trees, branches, …] with so many branches."""
    padded = np.full((len(numbers), branches, *numbers.shape[2:]), PADDING, np.int16)
    kept = min(branches, numbers.shape[1])
    padded[:, :kept] = numbers[:, :kept]
    return padded
