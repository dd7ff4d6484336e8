"""What playing on a map tells that its genes do not: measured for the few maps that are left at the end, and kept.

Where a game says itself how its trees grow, they are grown and measured; in any game, players that are quick play some
games, each start from every seat.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from turnsmith.maps.making.describing import Describer
from turnsmith.maps.measures import measure_trees, of_kind, play_on, seat_advantage_of
from turnsmith.maps.tree_runs import ANY, Nursery, TreeSettings, growths

TREES = 10
"""Of a map; what is drawn apart from genes is drawn anew for each."""
KEPT = 2
"""Actions of a layer that are tried."""


class Playing:
    """Measures of maps by playing on them. player: who plays; "" for the one that answers in trees, else `random`."""

    def __init__(self, describer: Describer, player: str = "", games: int = 32, seed: int = 0) -> None:
        self.describer, self.games, self.seed = describer, games, seed
        game = describer.game
        own = growths(game.home or game.name)
        self.player = player or next(iter(own), "random")
        self._nursery: Nursery | None = None
        if own and game.joint is None:
            nursery = Nursery(TreeSettings(game.text_name, maps=1, per_map=TREES, kept=KEPT, seed=seed))
            self._nursery = nursery if nursery.growth is not ANY else None
        self._kept: dict[str, dict[str, float]] = {}

    def measures(self, source: dict[str, Any]) -> dict[str, float]:
        """What is found of a map, by name: `length`, the moves of a game; `seat_advantage` with the ends of its 95 %
        interval, where there are several seats; and the measures of trees, where they grow."""
        key = json.dumps(source, sort_keys=True)
        if key not in self._kept:
            self._kept[key] = self._played(source) | (self._grown(source) if self._nursery else {})
        return self._kept[key]

    def _played(self, source: dict[str, Any]) -> dict[str, float]:
        returns, lengths = play_on(self.describer.game, source, [self.player], self.games, self.seed)
        measures = {"length": float(lengths.mean())}
        if returns.shape[1] > 1:
            board = self.describer.game.build(source)[0]
            mean, low, high = seat_advantage_of(returns, float(board.high - board.low))
            measures |= {"seat_advantage": mean, "seat_advantage_low": low, "seat_advantage_high": high}
        return measures

    def _grown(self, source: dict[str, Any]) -> dict[str, float]:
        assert self._nursery is not None
        game = self.describer.game
        numbers = np.arange(TREES)
        boards = np.concatenate([game.build(self.describer.redrawn(source, self.seed + int(n))) for n in numbers])
        trees = self._nursery.grow_on(boards, numbers, numbers)
        measures = measure_trees(trees, of_kind("tree", trees.sides))
        return {name: float(values.mean()) for name, values in measures.items()}


def is_unbalanced(measures: dict[str, float], most: float = 0.0) -> bool:
    """Whether a seat is better off, by more than `most`, as far as the games played can tell."""
    if "seat_advantage" not in measures:
        return False
    return measures["seat_advantage_low"] > most or measures["seat_advantage_high"] < -most
