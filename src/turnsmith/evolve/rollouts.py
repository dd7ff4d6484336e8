"""What every choice is worth: games are played on from where a player decided, once with each thing it could have done.

Played on by the same players and with the same chance, so that what differs is what follows from the choice. Of many
such decisions a linear fit tells what choices are worth as far as some numbers of the position say: one step of policy
iteration for players whose mind is a matrix of those numbers and choices.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from turnsmith.arena.review import ends_of
from turnsmith.arena.runners import ArenaPlan, run
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.evolve.fitness import FitnessArena, own_return
from turnsmith.learn.samples import Samples, every_decision, joined, sample_batch
from turnsmith.play.player import Player

Choices = Callable[[Samples], Array]
"""(decisions) -> int64[decisions, choices]: the action that each choice stands for, -1 where it is impossible."""


@dataclass(frozen=True)
class Tried:
    """Decisions of the first player, and what each choice was worth."""

    decisions: Samples
    worth: Array
    """float64[decisions, choices]: NaN where a choice was impossible."""


def try_choices(
    ground: FitnessArena, players: Sequence[Player], seating: Array, seed: int, count: int, choices: Choices
) -> Tried:  # fmt: skip
    """Play games with the first player in each, then `count` decisions of it in each game with every choice there was.

    seating: int32[games, seats], the first player once in a row. Few boards are best: they are held together.
    """
    plan = ArenaPlan(ground.game, list(players), seating.astype(np.int32), seed, kept=ground.kept)
    plan.join_all(ground.workers)
    logs: dict[int, Array] = {}
    parts: dict[int, Samples] = {}
    for batch in run(plan, np.arange(len(seating), dtype=np.int64), ground.workers):
        parts[int(batch.numbers[0])] = sample_batch(plan, batch, every_decision, (0,))
        for row, number in enumerate(batch.numbers.tolist()):
            logs[number] = batch.log[batch.offsets[row] : batch.offsets[row + 1]]
    decisions = chosen(joined([parts[first] for first in sorted(parts)]), count, seed)
    actions = choices(decisions)
    rows, columns = np.nonzero(actions >= 0)
    before = [logs[int(decisions.match[row])][: decisions.ply[row]] for row in rows]
    begun = [np.append(moves, action) for moves, action in zip(before, actions[rows, columns], strict=True)]
    worth = np.full(actions.shape, np.nan)
    worth[rows, columns] = play_on(ground, plan, decisions.match[rows], begun, decisions.mover[rows])
    return Tried(decisions, worth)


def play_on(ground: FitnessArena, plan: ArenaPlan, match: Array, begun: Sequence[Array], seat: Array) -> Array:
    """float64[tries]: what it is worth to a seat to play a match of the plan again that begins with some actions."""
    games = len(plan.seating)
    order = np.argsort(match, kind="stable")
    turn = np.empty(len(match), np.int64)
    turn[order] = np.arange(len(match)) - np.searchsorted(match[order], match[order])
    numbers = turn * games + match  # those whose board and chance are the match's, see Plan.repeat
    place = np.full(int(numbers.max()) + 1, -1, np.int64)
    place[numbers] = np.arange(len(numbers))
    openings = np.full((len(place), max(map(len, begun))), -1, np.int32)
    for number, actions in zip(numbers.tolist(), begun, strict=True):
        openings[number, : len(actions)] = actions
    again = np.resize(plan.seating[:], (len(place), plan.seats))
    tries = dataclasses.replace(plan, seating=again, openings=openings, repeat=games)
    scores = np.zeros(len(match))
    for batch in run(tries, np.flatnonzero(place >= 0), ground.workers):
        if batch.reasons:
            raise BadInput(f"{ground.game.text_name}: somebody {next(iter(batch.reasons.values()))}")
        at = place[batch.numbers]
        scores[at] = ground.score(batch.returns, seat[at])
        if ground.judge is not None:
            scores[at] += own_return(ground.judge(ends_of(tries, batch)), seat[at])
    return scores


def chosen(decisions: Samples, count: int, seed: int) -> Samples:
    """At most `count` of every match, any."""
    order = np.random.default_rng(seed).permutation(len(decisions))
    match = decisions.match[order]
    ranked = np.argsort(match, kind="stable")
    place = np.arange(len(match)) - np.searchsorted(match[ranked], match[ranked])
    return decisions.of(np.sort(order[ranked[place < count]]))


def fit_choices(inputs: Array, worth: Array, ridge: float) -> Array:
    """float64[inputs, choices]: the matrix that tells best by how much choices differ in worth, by least squares.

    inputs: float64[decisions, inputs]; worth: float64[decisions, choices], NaN for what was impossible. `ridge` pulls
    entries towards 0, as much as that many decisions would.

    >>> inputs = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 0.5]])
    >>> worth = np.array([[0.0, 1.0], [2.0, 1.0], [5.0, np.nan]])
    >>> fit_choices(inputs, worth, 1e-9).round(6).tolist()
    [[-0.5, 0.5], [1.0, -1.0]]
    """
    possible = ~np.isnan(worth)
    many = possible.sum(axis=1, keepdims=True)
    centred = np.where(possible, worth, 0.0)
    centred = np.where(possible, centred - centred.sum(axis=1, keepdims=True) / many, 0.0)
    size, choices = inputs.shape[1], worth.shape[1]
    squares, products = np.zeros((size * choices, size * choices)), np.zeros(size * choices)
    for choice in range(choices):
        rows = possible[:, choice]
        differs = np.where(possible[rows], -1.0 / many[rows], 0.0)
        differs[:, choice] += 1.0
        design = (inputs[rows][:, :, None] * differs[:, None, :]).reshape(int(rows.sum()), -1)
        squares += design.T @ design
        products += design.T @ centred[rows, choice]
    solution = np.linalg.solve(squares + ridge * np.eye(len(squares)), products)
    return np.asarray(solution.reshape(size, choices))
