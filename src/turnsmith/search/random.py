"""Uniformly random legal moves: the baseline every player should beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.rng import below
from turnsmith.play.player import CompiledPlayer, for_any_game

if TYPE_CHECKING:
    from turnsmith.search.information_sets import ListedGame


@for_any_game
def decide(game, board, view, acts, data, memory, params, report, rng):
    return acts[below(rng, acts.shape[0])]


@dataclass(frozen=True, repr=False)
class Random(CompiledPlayer):
    name = "random"
    summary = "any legal move, each as likely"
    decide = decide

    def whole_policy(self, listing: ListedGame) -> Array:
        widths = np.diff(listing.form.firsts)
        return np.concatenate([np.ones(listing.seats), np.repeat(1.0 / widths, widths)])
