"""How game trees of Homeguard grow: the player does anything, `greedy` answers, a round is a soldier's action each.

The enemy moves at the same time, so its answer is the same to all that the player may do. Games never end early. Sides
of a round are, for every soldier, its cell, hit points, whether it went through a portal and how many enemies could
have hurt it; then what the player has dealt and taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from turnsmith.arena.schedule import seeds_of
from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import scratch, zero
from turnsmith.contract.registry import GAMES
from turnsmith.games.homeguard.minds import greedy_move, maximin_move
from turnsmith.games.homeguard.rules import (
    ENEMY,
    MOVES,
    PLAYER,
    TEAM,
    UNITS,
    boards_of,
    lead,
    list_moves,
    resolve,
    setup,
)
from turnsmith.games.homeguard.tables import PORTAL, WAYS
from turnsmith.maps.tree_runs import Growth
from turnsmith.studies.homeguard.sightings import sights

COVERS, PORTALS = 3_000_002, 3_000_003
"""Stream indices of the seeds of covers and of portals."""


def begin(game, tools, board, state):
    zero(state)
    setup(board, state)


def moves(game, tools, board, state):
    return list_moves(board, state, PLAYER, tools.acts)


def answer_greedily(game, tools, board, state):
    acts = scratch(MOVES, np.int32)
    count = list_moves(board, state, ENEMY, acts)
    move, _ = greedy_move(board, state, ENEMY, acts[:count])
    return move


def answer_by_maximin(game, tools, board, state):
    acts = scratch(MOVES, np.int32)
    count = list_moves(board, state, ENEMY, acts)
    move, _ = maximin_move(board, state, ENEMY, acts[:count])
    return move


def play(game, tools, board, state, action, reply):
    resolve(board, state, action, reply)


def score(game, tools, board, state):
    return lead(state, PLAYER)


def observe(game, board, before, action, reply, after, out):
    """Before the first round, without an action, only cells and hit points are known."""
    for unit in range(UNITS):
        moved = action if unit < TEAM else reply
        way = moved // WAYS if unit % TEAM == 0 else moved % WAYS
        seen, foe = 0, 2 - (unit & 2)
        if action >= 0:
            for enemy in range(foe, foe + TEAM):
                seen += 1 if board.damage[after.stood[enemy], after.stood[unit]] > 0 else 0
        out[unit] = 2 * np.int64(after.place[unit])
        out[UNITS + unit] = after.hp[unit]
        out[2 * UNITS + unit] = 1 if action >= 0 and way == PORTAL else 0
        out[3 * UNITS + unit] = seen
    out[4 * UNITS] = after.dealt[PLAYER]
    out[4 * UNITS + 1] = after.dealt[ENEMY]


def boards(options: Any, seed: int, maps: Array, trees: Array) -> Array:
    """A board a tree: covers by the number of its map, portals by its own."""
    return boards_of(options, seeds_of(seed, maps, COVERS), seeds_of(seed, trees, PORTALS))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "begin": begin,
    "moves": moves,
    "play": play,
    "score": score,
    "observe": observe,
}
GROWTH = {
    name: Growth(
        "homeguard",
        FUNCTIONS | {"reply": reply},
        temperature=20.0,
        layers=TEAM,
        radix=WAYS,
        units=UNITS,
        boards=boards,
        sights=sights,
        map_format="iwonmapformat",
        net=GAMES / "homeguard" / "trees.onnx",
        genome_net=GAMES / "homeguard" / "genome.onnx",
        play_net=GAMES / "homeguard" / "play.onnx",
    )
    for name, reply in (("greedy", answer_greedily), ("maximin", answer_by_maximin))
}
"""By the player that answers, the usual one first."""
