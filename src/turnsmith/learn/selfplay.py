"""Games of a compiled player with itself, with some random moves: what it saw, what it thought, how they ended.

Games are played in a fixed number of batches, each from its own streams, on as many threads, or machines, as there are;
so the same seed gives the same rows on any machine.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from turnsmith.batch import Batch
from turnsmith.cluster import current
from turnsmith.game import Array, Game
from turnsmith.kernel import borrow, call_address, compiled
from turnsmith.observe import Observer
from turnsmith.player import HEADER, POLICY, VALUE, CompiledPlayer, Prepared
from turnsmith.rng import below, stream, unit
from turnsmith.step import see

PARTS, SLOTS = 8, 32
"""Batches, and games at once in each."""


@dataclass(frozen=True)
class Rows:
    """One row a decision, game by game in the order of play."""

    inputs: Array
    """float32[rows, inputs]: what the mover saw."""
    mover: Array
    """int32[rows]"""
    thought: Array
    """float64[rows]: the return that the mover's player expected; nan where it said nothing."""
    random: Array
    """bool[rows]: whether a move was made at random instead of the player's."""
    game: Array
    """int64[rows]: the number of the game."""
    start: Array
    """int64[rows]: games of one start share it: the board where boards differ, else the game."""
    returns: Array
    """float64[rows, seats]: how the game ended."""


def play(
    game: Game, boards: Array, sees: Observer, player: CompiledPlayer, games: int, noise: float, seed: int,
    workers: int, progress: Callable[[int, int], None],
) -> Rows:  # fmt: skip
    """The rows of so many games (rounded up to a multiple of the games at once)."""
    rounds = Round(game, boards, sees, player, -(-games // (PARTS * SLOTS)), noise, seed)
    parts = _parts(rounds, workers, progress)
    shift = np.cumsum([0, *(part.game.max() + 1 for part in parts[:-1])])
    columns = {name: np.concatenate([getattr(p, name) for p in parts]) for name in vars(parts[0])}
    columns["game"] = np.concatenate([part.game + far for part, far in zip(parts, shift, strict=True)])
    if len(boards) == 1:
        columns["start"] = columns["game"]
    return Rows(**columns)


def _parts(rounds: Round, workers: int, progress: Callable[[int, int], None]) -> list[Rows]:
    """All parts in order, played here or where ``cluster`` says."""
    away, done = current(), [0]
    if away is not None:
        from turnsmith.learn.selfplay_remote import played_away

        found = played_away(away, rounds, progress)
        if found is not None:
            return found

    def part(number: int) -> Rows:
        found = rounds.part(number)
        done[0] += 1
        progress(done[0], PARTS)
        return found

    rounds.player.where(rounds.game)  # compiled once, not by several threads at once
    with ThreadPoolExecutor(workers) as threads:
        return list(threads.map(part, range(PARTS)))


@dataclass(frozen=True)
class Round:
    """What decides the rows of some games, which are played in PARTS parts."""

    game: Game
    boards: Array
    sees: Observer
    player: CompiledPlayer
    each: int
    """Games of every slot."""
    noise: float
    seed: int

    @cached_property
    def ready(self) -> list[Prepared]:
        """What the player prepared for each board."""
        return [self.player.prepare(self.game, self.boards[at : at + 1]) for at in range(len(self.boards))]

    def slots(self, number: int) -> Slots:
        seed = int(stream(self.seed, number)[0] >> np.uint64(1))
        return Slots(self, Batch(self.game, SLOTS, seed=seed, boards=self.boards, sees=self.sees))

    def part(self, number: int) -> Rows:
        return self.slots(number).play()


class Slots:
    """Games at once, in which the player decides."""

    def __init__(self, rounds: Round, batch: Batch):
        game, player, ready = rounds.game, rounds.player, rounds.ready
        self.batch, self.each = batch, rounds.each
        tables = np.concatenate([one.data for one in ready])
        ends = np.cumsum([0, *(len(one.data) for one in ready)])
        memory = np.zeros(max(one.memory for one in ready), np.uint8)
        self._asked = (player.where(game), tables, ends, ready[0].params, memory, np.zeros(POLICY), rounds.noise)
        self.actions, self.thought, self.random = np.zeros(SLOTS, np.int32), np.zeros(SLOTS), np.zeros(SLOTS, np.uint8)

    def decide(self) -> None:
        """One decision in each game."""
        batch, told = self.batch, (self.actions, self.thought, self.random)
        compiled(choose_all)(batch.game, batch.world, batch.movers, *self._asked, *told)

    def play(self) -> Rows:
        """Let every slot play `each` games to their ends."""
        batch, each = self.batch, self.each
        steps: list[tuple[Array, ...]] = []
        played = np.zeros(SLOTS, np.int64)
        number = np.arange(SLOTS)  # of the game in each slot, among all of this batch
        results: dict[int, Array] = {}
        while (played < each).any():
            self.decide()
            told = (self.thought, self.random, number, batch.world.which)
            steps.append(tuple(column.copy() for column in (batch.observations, batch.movers, *told)))
            batch.step(self.actions)
            for slot in np.flatnonzero(batch.ended):
                results[int(number[slot])] = batch.rewards[slot].copy()
                played[slot] += 1
                number[slot] = played[slot] * SLOTS + slot
        columns = (np.concatenate(column) for column in zip(*steps, strict=True))
        inputs, mover, thought, random, of, start = columns
        wanted = np.flatnonzero(of < each * SLOTS)  # a slot that was done earlier played on
        order = wanted[np.argsort(of[wanted], kind="stable")]
        returns = np.stack([results[number] for number in range(each * SLOTS)])[of[order]]
        return Rows(inputs[order], mover[order], thought[order], random[order] > 0, of[order], start[order], returns)


def choose_all(game, world, movers, where, tables, ends, params, memory, report, noise, actions, thought, random):
    """Let the player at an address decide in every game, now and then overruled by chance."""
    acts, streams, data = borrow(world.acts), borrow(world.streams), borrow(tables)
    for number in range(movers.shape[0]):
        which, mover = world.which[number], np.int64(movers[number])
        board, view = world.boards[which], world.views[0]
        see(game, board, world.states[number], view, mover)
        count, rng = game.legal(board, view, acts), streams[number, mover + 1 : mover + 2]
        for place in range(HEADER):
            memory[place] = 0
        report[VALUE] = np.nan  # until it is noted
        own = data[ends[which] : ends[which + 1]]
        action = call_address(where, (game, board, view, acts[:count], own, memory, params, report, rng))
        random[number] = 1 if unit(rng) < noise else 0
        actions[number] = acts[below(rng, count)] if random[number] else action
        thought[number] = report[VALUE]
