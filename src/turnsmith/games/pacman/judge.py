"""Which evaluation a search asks: the thesis's features, the Voronoi map, or the net.

To add one: give it a number and a name, and a branch in ``evaluate`` and ``final_value``. ``frontier.py`` makes these
three fast where ghosts move last.
"""

from __future__ import annotations

from turnsmith.games.pacman.evaluation import (
    ALL_DEAD,
    COUNT,
    EATEN,
    FEATURES,
    SCORE,
    V_ALL_DEAD,
    V_SCORE,
    VORONOI,
    by_features,
    by_voronoi,
    rounded,
)
from turnsmith.games.pacman.net import by_net

NET = VORONOI + 1


def final_value(kind, weights, row):
    """The value of a finished game."""
    if kind == NET:
        return rounded(1.0 * row[EATEN])
    score, dead = (SCORE, ALL_DEAD) if kind == FEATURES else (V_SCORE, V_ALL_DEAD)
    return rounded(weights[score] * row[EATEN] + (weights[dead] if row[COUNT] == 0 else 0.0))


def evaluate(kind, weights, board, map_tables, dots, row, ghosts_move):
    """The value of a position that goes on, for the pacmans; `ghosts_move` says who is next."""
    if kind == FEATURES:
        return by_features(weights, board, map_tables, dots, row, ghosts_move)
    if kind == VORONOI:
        return by_voronoi(weights, board, map_tables, dots, row)
    return by_net(weights, board, map_tables, dots, row, ghosts_move)
