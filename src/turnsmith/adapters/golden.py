"""Golden vectors: positions of real games with a policy's inputs, scores and choice, by which a port can be proven.

Half of the games are of the player against itself, half against random moves; every action that is played in them has
its share of the vectors. Positions where two actions are as good as equal are left out, since there a port in single
precision may rightly choose otherwise; that the first of equals wins is tested by made-up vectors behind the real ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from turnsmith.common.errors import BadInput
from turnsmith.contract.game import OVER, Game
from turnsmith.nets.linear_policy import LinearPolicy, json_lines
from turnsmith.play.player import Player
from turnsmith.play.player import player as find
from turnsmith.play.seat import Seat

if TYPE_CHECKING:
    from turnsmith.play.inspection import Inspection
    from turnsmith.play.position import PositionView

TOLERANCE = 1e-9
"""Scores of a port may differ by so much, relative to the greatest."""
CLEAR = 1e-4
"""By so much, relative to the sums of sizes of what scores are made of, the best of a position leads."""
SPARE = 4
"""So many times the positions that are asked for are looked at, to choose from."""


@dataclass(frozen=True)
class Vector:
    """A position, what the policy sees there and what comes of it; `possible` and `scores` have a place an action."""

    position: Any
    inputs: list[float]
    possible: list[bool]
    scores: list[float]
    action: int
    words: str = ""


@dataclass(frozen=True)
class Vectors:
    """The vectors, and the descriptions of the boards their positions are on, by seed."""

    boards: dict[str, Any]
    vectors: list[Vector]


def collect(
    game: Game, player: Player, policy: LinearPolicy, told: Callable[[PositionView], Any], count: int, seed: int
) -> Vectors:
    """So many vectors of real games, and those that were made up; the same seed gives the same. Of a matrix that hardly
    ever prefers one action clearly there are fewer."""
    pools: list[list[Vector]] = [[] for _ in policy.actions]
    used, total = 0, 0
    while used < 2 or (used < 8 + count // 4 and total < SPARE * count):
        fresh = _vectors_of_a_game(game, player, policy, told, seed + used, bool(used % 2))
        for vector in fresh:
            pools[vector.action].append(vector)
        used, total = used + 1, total + len(fresh)
    vectors = _shared_out(pools, min(count, total))
    seeds = sorted({vector.position["seed"] for vector in vectors})
    boards = {str(number): game.describe(number) for number in seeds}
    return Vectors(boards, [*vectors, *_ties(policy)])


def _vectors_of_a_game(
    game: Game,
    player: Player,
    policy: LinearPolicy,
    told: Callable[[PositionView], Any],
    seed: int,
    against_random: bool,
) -> list[Vector]:
    """All clear positions of one game, in order."""
    position, vectors = game.start(seed), list[Vector]()
    others = find("random", game) if against_random else player
    seats = [Seat(who, game, position.boards) for who in (player, *[others] * (int(position.board.seats) - 1))]
    while position.mover != OVER:
        look = position.seen_by(position.mover)
        inspection = player.inspect(look)
        if inspection is None:
            raise BadInput(f"{player!r} does not tell how it decides, so its export cannot be proven; override inspect")
        where = {"seed": seed, "move": len(position.history), "seat": position.mover, **told(look)}
        vector = _vector(policy, inspection, where)
        if vector is not None:
            vectors.append(vector)
        position.push(seats[position.mover].choose(position))
    return vectors


def _vector(policy: LinearPolicy, inspection: Inspection, where: dict[str, Any]) -> Vector | None:
    """What an inspection says, in the order of the policy; None where no action leads clearly."""
    by_name = {choice.name: choice for choice in inspection.choices}
    choices = [by_name[action.name] for action in policy.actions]
    inputs = [float(inspection.inputs[entry.name]) for entry in policy.inputs]
    scores, possible = [float(choice.score or 0.0) for choice in choices], [not choice.impossible for choice in choices]
    order = sorted((place for place, can in enumerate(possible) if can), key=lambda place: -scores[place])
    margin = CLEAR * max(sum(map(abs, choice.parts.values())) for choice in choices)
    if len(order) > 1 and scores[order[0]] - scores[order[1]] <= margin:
        return None
    return Vector(where, inputs, possible, scores, order[0], choices[order[0]].words)


def _shared_out(pools: list[list[Vector]], count: int) -> list[Vector]:
    """So many vectors, as even a share of every pool as it has, spread over it."""
    shares = [0] * len(pools)
    while sum(shares) < count:
        short = [place for place, pool in enumerate(pools) if shares[place] < len(pool)]
        for place in short[: count - sum(shares)]:
            shares[place] += 1
    chosen = [
        pool[number * len(pool) // share] for pool, share in zip(pools, shares, strict=True) for number in range(share)
    ]
    return sorted(chosen, key=lambda vector: (vector.position["seed"], vector.position["move"]))


def _ties(policy: LinearPolicy) -> list[Vector]:
    """Without inputs all scores are 0: the first possible action wins, whichever that is."""
    columns = range(len(policy.actions))
    nothing, zeros = [0.0] * len(policy.inputs), [0.0] * len(policy.actions)
    return [Vector(None, nothing, [place >= first for place in columns], zeros, first) for first in columns]


def where(vector: Vector) -> str:
    """Where a vector comes from, for a program that finds it wrong."""
    place = vector.position
    return "made up" if place is None else f"seed {place['seed']}, move {place['move']}, seat {place['seat']}"


def json_text(policy: LinearPolicy, vectors: Vectors) -> str:
    """The companion file of an export, a vector a line."""
    actions = [action.name for action in policy.actions]
    return json_lines(
        {
            "turnsmith": "golden vectors",
            "version": 1,
            "tolerance": TOLERANCE,
            "origin": policy.document()["origin"],
            "inputs": [entry.name for entry in policy.inputs],
            "actions": actions,
            "boards": vectors.boards,
            "vectors": [{**vector.__dict__, "action": actions[vector.action]} for vector in vectors.vectors],
        }
    )
