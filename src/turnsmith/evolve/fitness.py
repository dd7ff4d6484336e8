"""Fitness by play: candidates meet opponents in the compiled arena, all of them in the same games.

The same games: the same boards and the same chance, in the same seats. What differs between two candidates is then what
they do, and far fewer games tell them apart. Everything is given game by game, so that intervals and differences can be
worked out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from turnsmith.arena.review import Ends, ends_of
from turnsmith.arena.runners import COMING_AGAIN, ArenaPlan, KeptBoards, MatchBatch, run
from turnsmith.arena.statistics import mean_interval
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.contract.game import Game
from turnsmith.play.player import Player

CANDIDATE = 0
"""In a table of seats; opponent number k is k + 1."""

Score = Callable[[Array, Array], Array]
"""(returns float64[games, seats], seat int64[games]) -> float64[games]: what a game was worth to who sat there."""

Judge = Callable[[Ends], Array]
"""(last positions) -> float64[games, seats]: what they add to the worth of a game, such as how clearly it was won."""


def own_return(returns: Array, seat: Array) -> Array:
    """Just the return."""
    return np.asarray(returns[np.arange(len(seat)), seat])


def margin(returns: Array, seat: Array) -> Array:
    """The return above the best of the others."""
    own = own_return(returns, seat)
    others = returns.copy()
    others[np.arange(len(seat)), seat] = -np.inf
    return np.asarray(own - others.max(axis=1))


def points(returns: Array, seat: Array) -> Array:
    """1 for a win, 0.5 for a draw, 0 for a loss: by who has the highest return."""
    return np.asarray((np.sign(margin(returns, seat)) + 1.0) / 2.0)


def points_and_margin(share: float) -> Score:
    """Points, and by how much: with `share` of the margin a draw that was nearly won is better than one nearly lost."""
    return lambda returns, seat: points(returns, seat) + share * margin(returns, seat)


def every_seat(opponents: int, seats: int, games: int) -> Array:
    """int32[rows, seats]: the candidate in each seat in turn, one opponent in all the others, `games` for every
    opponent, rounded up so that each start is played from every seat."""
    rounds = -(-games // seats)
    rows = np.zeros((opponents, rounds, seats, seats), np.int32)
    for number in range(opponents):
        rows[number] = number + 1
    rows[:, :, np.arange(seats), np.arange(seats)] = CANDIDATE
    return rows.reshape(-1, seats)


def every_pair(players: int, games: int) -> Array:
    """int32[rows, 2]: `games` between any two of so many players, who take turns to begin; two in a row share a start.

    >>> every_pair(3, 2).tolist()
    [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]]
    """
    one, other = np.triu_indices(players, 1)
    rows = np.empty((len(one), games, 2), np.int32)
    rows[:, 0::2, 0], rows[:, 0::2, 1] = one[:, None], other[:, None]
    rows[:, 1::2, 0], rows[:, 1::2, 1] = other[:, None], one[:, None]
    return rows.reshape(-1, 2)


@dataclass(frozen=True)
class FitnessArena:
    """Where candidates are judged."""

    game: Game
    score: Score = points
    workers: int = 1
    judge: Judge | None = None
    """What is added to the score; nothing without it."""
    kept: KeptBoards | None = None
    """Where all games are on the same few boards, those are made once if they are kept here."""

    def play(
        self, players: Sequence[Player], seating: Array, seed: int, repeat: int = 0,
        seen: Callable[[ArenaPlan, MatchBatch], None] | None = None,
    ) -> tuple[Array, Array]:  # fmt: skip
        """float64[games, seats] twice: the returns of every game, and what the judge says of its end (0 without one).

        seating: int32[games, seats], which of the players sits where; a start is shared by as many games in a row as
        there are seats, and by every `repeat`th game. The same seed plays the same games, on any number of workers.
        """
        plan = ArenaPlan(self.game, list(players), seating.astype(np.int32), seed, repeat=repeat, kept=self.kept)
        plan.join_all(self.workers)
        todo = np.arange(len(seating), dtype=np.int64)
        if repeat > COMING_AGAIN * plan.seats:  # too many boards to hold at once: those who share one come together
            todo = todo[np.argsort(todo % repeat, kind="stable")]
        returns, judged = np.zeros(seating.shape), np.zeros(seating.shape)
        for batch in run(plan, todo, self.workers):
            if batch.reasons:
                number, reason = next(iter(batch.reasons.items()))
                names = ", ".join(repr(plan.players[index]) for index in seating[number])
                raise BadInput(f"{self.game.text_name} with {names}: somebody {reason}")
            returns[batch.numbers] = batch.returns
            if self.judge is not None:
                judged[batch.numbers] = self.judge(ends_of(plan, batch))
            if seen is not None:
                seen(plan, batch)
        return returns, judged

    def scores(
        self, candidates: Sequence[Player], opponents: Sequence[Player], tables: Array, seed: int,
        seen: Callable[[ArenaPlan, MatchBatch], None] | None = None,
    ) -> Array:  # fmt: skip
        """float64[candidates, games]: what every game was worth to each of them.

        tables: int32[games, seats], who sits where, CANDIDATE once in a row; a start is shared by as many games in a
        row as there are seats. The same seed plays the same games, on any number of workers. `seen` is shown every
        batch of them, in any order; candidate c plays the matches from c * games on, and is player c of the plan.
        """
        games, many = len(tables), len(candidates)
        if ((tables == CANDIDATE).sum(axis=1) != 1).any():
            raise ValueError("every table needs exactly one candidate")
        seating = np.tile(tables + (many - 1), (many, 1))  # opponents stand behind all candidates in the roster
        seat = np.tile((tables == CANDIDATE).argmax(axis=1), many)
        seating[np.arange(len(seat)), seat] = np.repeat(np.arange(many), games)
        returns, judged = self.play([*candidates, *opponents], seating, seed, repeat=games, seen=seen)
        return (self.score(returns, seat) + own_return(judged, seat)).reshape(many, games)


def interval(scores: Array, seats: int) -> tuple[float, float, float]:
    """The mean of one candidate's scores, or of the differences of two, and its 95 % interval: games that share a start
    are kin and count together."""
    return mean_interval(scores.reshape(-1, seats).mean(axis=1))


Ground = FitnessArena
"""The name of earlier versions."""
