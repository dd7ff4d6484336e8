"""Pacmans by fuzzy rules: how near is near decides how much each rule counts. Ghosts it moves as in the arcade.

* If a ghost is near, get away from it; several near ghosts all count.
* If the crossroad a way leads to is nearer to the pacman than to every ghost, and a ghost is near, go there.
* As far as no ghost is near, go to the nearest dot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import scratch
from turnsmith.compile.rng import unit as random_unit
from turnsmith.contract.game import Game
from turnsmith.games.pacman.evaluation import FAR, nearest_dot
from turnsmith.games.pacman.ghosts import chase
from turnsmith.games.pacman.maps import UNITS
from turnsmith.games.pacman.rules import PACMANS, STAY, WAYS
from turnsmith.games.pacman.survey import Survey, survey, too_large
from turnsmith.games.pacman.teams import WISHES, WholeTeams, joint, settle
from turnsmith.play.player import HEADER, Prepared, filled, numbers

Settings = numbers("near", "far", "avoid", "escape", "eat")
CAUGHT = -1000.0


def nearness(distance, near, far):
    """1 up to `near`, 0 from `far` on, and between them in between."""
    return max(0.0, min(1.0, (far - distance) / max(far - near, 1e-9)))


def crossroad_ahead(board, cell, way):
    """The crossroad one comes to by leaving a cell some way, -1 for none, and the steps to it."""
    here, steps, back = np.int64(board.near[cell, way]), np.int64(1), (way + 2) % 4
    while board.ways[here] == 3 and here != cell:  # two exits and staying: an alley
        for index in range(2):
            on = np.int64(board.way[here, index])
            if on != back:
                break
        here, back = np.int64(board.near[here, on]), (on + 2) % 4
        steps += 1
    return (here if board.ways[here] > 3 else np.int64(-1)), steps


def liking(board, map_tables, view, cell, way, settings):
    """How much the rules want a pacman on a cell to go some way."""
    to = np.int64(board.near[cell, way])
    crossroad, steps = np.int64(-1), np.int64(0)
    if way != STAY:
        crossroad, steps = crossroad_ahead(board, cell, way)
    avoid, most_near, safe = 0.0, 0.0, crossroad >= 0
    for ghost in range(view.ghosts):
        there = view.ghost[ghost]
        now, then = np.int64(map_tables.dist[cell, there]), np.int64(map_tables.dist[to, there])
        if then <= 1:
            avoid += CAUGHT
        near = nearness(np.float64(now), settings.near, settings.far)
        most_near = max(most_near, near)
        avoid += near * (then - now)
        if crossroad >= 0 and np.int64(map_tables.dist[crossroad, there]) <= steps:
            safe = False
    like = settings.avoid * avoid + (settings.escape * most_near if safe else 0.0)
    dot = FAR if view.left == 0 else nearest_dot(map_tables, view.dots, to)
    return like - settings.eat * (1.0 - most_near) * dot


def run(board, map_tables, view, settings, rng):
    """The joint move of the pacmans, each as much after its liking as there is room."""
    count = np.int64(view.pacmans)
    wish, chosen = scratch(WISHES, np.float64), scratch(UNITS, np.int64)
    for unit in range(count):
        cell = np.int64(view.pacman[unit])
        for index in range(board.ways[cell]):
            way = np.int64(board.way[cell, index])
            wish[unit * WAYS + way] = liking(board, map_tables, view, cell, way, settings) + 0.01 * random_unit(rng)
    settle(board, view.pacman, count, wish, chosen)
    return joint(chosen, count)


def decide(game, board, view, acts, data, memory, params, report, rng):
    if np.int64(view.ply) & 1 != PACMANS:
        return chase(board, view, memory[:HEADER].view(np.int64), False)
    return run(board, data.view(Survey)[0], view, params.view(Settings)[0], rng)


@dataclass(frozen=True, repr=False)
class Fuzzy(WholeTeams):
    near: float = setting(2.0, 0.0, 10_000.0)
    """Steps up to which a ghost is surely near."""
    far: float = setting(7.0, 0.0, 10_000.0)
    """Steps from which on it is not near at all."""
    avoid: float = setting(1.0, -1000.0, 1000.0)
    """Weight of getting away."""
    escape: float = setting(1.0, -1000.0, 1000.0)
    """Weight of a crossroad that is reached first."""
    eat: float = setting(1.0, -1000.0, 1000.0)
    """Weight of the nearest dot."""

    name = "fuzzy"
    summary = "pacmans by fuzzy rules; ghosts as in the arcade"
    decide = decide

    def refuses(self, game: Game, board) -> str | None:
        return super().refuses(game, board) or too_large(board)

    def prepare(self, game: Game, boards: Array) -> Prepared:
        return Prepared.of(survey(boards), params=filled(Settings, self))
