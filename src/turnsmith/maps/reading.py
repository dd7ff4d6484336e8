"""Trees as numbers that nets read: a row of numbers a tree, the same for whoever trains a net and whoever uses it.

A row is `branches` branches, each with its rounds one after another, and then the sights, what a game knows to tell
from a whole tree (in Homeguard, lines of fire). Of a round: its score, the best reachable scores, the sides of every
unit, and as indices into tables the actions and the cells.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.maps.record import GameMap
from turnsmith.maps.tree import Trees
from turnsmith.maps.tree_kernels import GREATEST
from turnsmith.maps.tree_runs import growth_for

PER_UNIT = {"hp": 40.0, "exposure": 2.0, "used_portal": 1.0}
"""Sides of every unit that nets read, and what they are divided by."""
MOST_SAMPLED = 64
"""Branches of a row: the first that were drawn."""


@dataclass(frozen=True)
class RowForm:
    """What rows of a kind of trees are made of."""

    rounds: int
    layers: int
    """Actions of a round."""
    actions: int
    """Action numbers are below it."""
    units: int = 0
    cells: int = 0
    """Cells are below it."""
    sights: int = 0
    scale: float = float(GREATEST)
    """Of scores."""

    @property
    def numbers(self) -> int:
        """Of a round, without indices."""
        return 1 + self.layers + (len(PER_UNIT) * self.units + 2 if self.units else 0)

    @property
    def width(self) -> int:
        """Of a round."""
        return self.numbers + self.layers + self.units

    def length(self, branches: int) -> int:
        """Of a row."""
        return branches * self.rounds * self.width + self.sights


def form_of(maps: list[GameMap], trees: Trees, with_sights: bool = True) -> RowForm:
    """The form of some trees."""
    growth = growth_for(maps, trees)
    there = trees.is_there
    actions = growth.radix or int(trees.actions[there].max()) + 1
    units, cells = 0, 0
    if all(name in trees.sides for name in (*PER_UNIT, "positions", "dealt", "taken")):
        units = int(trees.sides["hp"].shape[3])
        cells = int(trees.sides["positions"][there].max()) + 1
    sights = growth.sights(trees[:1], maps[0].source).shape[1] if with_sights and units and growth.sights else 0
    scale = 40.0 if growth.units else float(GREATEST)
    return RowForm(trees.rounds, trees.layers_a_round, actions, units, cells, sights, scale)


def sights_of(maps: list[GameMap], trees: Trees, form: RowForm) -> Array:
    """float32[trees, sights]."""
    growth = growth_for(maps, trees)
    if not form.sights or growth.sights is None:
        return np.zeros((len(trees), 0), np.float32)
    return growth.sights(trees, maps[0].source)


def read(trees: Trees, form: RowForm, rows: Array, branches: Array) -> Array:
    """float32[rows, branches, rounds, width]: the branches branches[row] of the trees `rows`."""
    at, shape = (rows[:, None], branches), (*branches.shape, form.rounds)
    best = trees.best[at].reshape(*shape, form.layers)
    parts = [trees.scores[at].reshape(*shape, form.layers)[..., -1:] / form.scale, best / form.scale]
    if form.units:
        parts += [trees.sides[name][at] / scale for name, scale in PER_UNIT.items()]
        for name in ("dealt", "taken"):
            parts.append(np.diff(trees.sides[name][at], axis=2, prepend=0) / form.scale)
    parts.append(trees.actions[at].reshape(*shape, form.layers))
    if form.units:
        parts.append(trees.sides["positions"][at][:, :, 1:])
    return np.concatenate([part.astype(np.float32) for part in parts], axis=-1)


def first_branches(trees: Trees, rows: Array, count: int) -> Array:
    """int64[rows, count]: the first branches, again from the first where there are fewer."""
    there = trees.is_there[rows].sum(axis=1)
    return np.asarray(np.arange(count)[None, :] % there[:, None])


def whole_rows(trees: Trees, form: RowForm, sights: Array, rows: Array, branches: Array) -> Array:
    """float32[rows, length]: what a net takes."""
    return np.concatenate([read(trees, form, rows, branches).reshape(len(rows), -1), sights[rows]], axis=1)


def refuse_other_form(form: RowForm, about: dict[str, Any], said: str) -> None:
    """Refuse trees that a net was not made for."""
    wanted = about.get("form")
    now = asdict(form)
    if not isinstance(wanted, dict) or set(wanted) != set(now):
        raise BadInput(f"{said} is no net that embeds trees; train one: turnsmith maps embed")
    for name, value in now.items():
        fits = value <= wanted[name] if name in ("actions", "cells") else value == wanted[name]
        if not fits:
            raise BadInput(
                f"{said} embeds trees with {name}={wanted[name]}, these have {value}; grow such, or train anew"
            )
