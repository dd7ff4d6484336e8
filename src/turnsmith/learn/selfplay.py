"""Games of a compiled player with itself, with some random moves: what it saw, what it thought, how they ended.

Games are played in a fixed number of batches, each from its own streams, on as many threads, or machines, as there are;
so the same seed gives the same rows on any machine. Who is short of time sets a limit, after which unfinished games are
left out; then the machine decides how many there are.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from turnsmith.cluster import current
from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import borrow, compiled
from turnsmith.compile.rng import below, stream, unit
from turnsmith.contract.game import Game
from turnsmith.play.batch import Batch
from turnsmith.play.observe import Observer
from turnsmith.play.player import HEADER, POLICY, VALUE, CompiledPlayer, Prepared
from turnsmith.play.roster import Roster, ask_player, member, roster_of
from turnsmith.play.step import see

PARTS, SLOTS = 8, 32
"""Batches, and games at once in each."""


@dataclass(frozen=True)
class DecisionRows:
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
    workers: int, progress: Callable[[int, int], None], seconds: float = math.inf,
) -> DecisionRows:  # fmt: skip
    """The rows of so many games (rounded up to a multiple of the games at once), or of those that end in so many
    seconds, and one in each part at least; a cluster has no such limit."""
    rounds = Round(game, boards, sees, player, -(-games // (PARTS * SLOTS)), noise, seed)
    parts = _parts(rounds, workers, progress, seconds)
    shift = np.cumsum([0, *(part.game.max() + 1 for part in parts[:-1])])
    columns = {name: np.concatenate([getattr(p, name) for p in parts]) for name in vars(parts[0])}
    columns["game"] = np.concatenate([part.game + far for part, far in zip(parts, shift, strict=True)])
    if len(boards) == 1:
        columns["start"] = columns["game"]
    return DecisionRows(**columns)


def _parts(rounds: Round, workers: int, progress: Callable[[int, int], None], seconds: float) -> list[DecisionRows]:
    """All parts in order, played here or where ``cluster`` says."""
    away, done = current(), [0]
    if away is not None:
        from turnsmith.learn.selfplay_remote import played_away

        found = played_away(away, rounds, progress)
        if found is not None:
            return found

    rounds.player.where(rounds.game)  # compiled once, not by several threads at once
    if seconds < math.inf:
        rounds.slots(0).step()  # so is the rest, which is not to be timed
    each, begun = seconds / math.ceil(PARTS / workers), time.monotonic()

    def part(number: int) -> DecisionRows:
        rows = rounds.slots(number).play(begun + each * (1 + done[0] // workers))
        done[0] += 1
        progress(done[0], PARTS)
        return rows

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

    def slots(self, number: int) -> GameSlots:
        seed = int(stream(self.seed, number)[0] >> np.uint64(1))
        return GameSlots(self, Batch(self.game, SLOTS, seed=seed, boards=self.boards, sees=self.sees))

    def part(self, number: int) -> DecisionRows:
        return self.slots(number).play()


class AskedPlayer(NamedTuple):
    """The player that decides in all games, without a memory of the last decision."""

    roster: Roster
    """Of this player alone, on all boards."""
    memory: Array
    """uint8[bytes]: lent to the player for one decision."""
    report: Array
    """float64[POLICY]: the value, work and depth that it reports."""
    noise: float
    """The chance of a random move in place of its own."""


class Choices(NamedTuple):
    """What was decided in every game."""

    actions: Array
    """int32[games]"""
    thought: Array
    """float64[games]: the return that the mover's player expects for the mover; nan where it said nothing."""
    random: Array
    """uint8[games]: whether the move is a random one."""


class GameSlots:
    """Games at once, in which the player decides."""

    def __init__(self, rounds: Round, batch: Batch):
        game, player, ready = rounds.game, rounds.player, rounds.ready
        self.batch, self.each = batch, rounds.each
        memory = np.zeros(max(one.memory for one in ready), np.uint8)
        roster = roster_of(player, game, ready)
        self._asked = AskedPlayer(roster, memory, np.zeros(POLICY), rounds.noise)
        self.choices = Choices(np.zeros(SLOTS, np.int32), np.zeros(SLOTS), np.zeros(SLOTS, np.uint8))

    def decide(self) -> None:
        """One decision in each game."""
        compiled(choose_all)(self.batch.game, self.batch.world, self.batch.movers, self._asked, self.choices)

    def step(self) -> None:
        """One decision in each game, and its move."""
        self.decide()
        self.batch.step(self.choices.actions)

    def play(self, until: float = math.inf) -> DecisionRows:
        """Let every slot play `each` games to their ends; when `until` (of the monotonic clock) is past, the games that
        have ended do, if there are any."""
        batch, each = self.batch, self.each
        steps: list[tuple[Array, ...]] = []
        played = np.zeros(SLOTS, np.int64)
        number = np.arange(SLOTS)  # of the game in each slot, among all of this batch
        results: dict[int, Array] = {}
        while (played < each).any() and not (results and time.monotonic() > until):
            self.decide()
            told = (self.choices.thought, self.choices.random, number, batch.world.which)
            steps.append(tuple(column.copy() for column in (batch.observations, batch.movers, *told)))
            batch.step(self.choices.actions)
            for slot in np.flatnonzero(batch.ended):
                results[int(number[slot])] = batch.rewards[slot].copy()
                played[slot] += 1
                number[slot] = played[slot] * SLOTS + slot
        columns = (np.concatenate(column) for column in zip(*steps, strict=True))
        inputs, mover, thought, random, of, start = columns
        ended = np.array(sorted(number for number in results if number < each * SLOTS))
        wanted = np.flatnonzero(np.isin(of, ended))  # a slot that was done earlier played on
        order = wanted[np.argsort(of[wanted], kind="stable")]
        number = np.searchsorted(ended, of[order])
        returns = np.stack([results[number] for number in ended.tolist()])[number]
        return DecisionRows(
            inputs[order], mover[order], thought[order], random[order] > 0, number, start[order], returns
        )


def choose_all(game, world, movers, asked, choices):
    """Let the player decide in every game, now and then overruled by chance.

    world: World; movers: int32[games], the seat that decides; asked: AskedPlayer; choices: Choices, which is written
    """
    world, asked, choices = borrow(world), borrow(asked), borrow(choices)
    acts, report = world.acts, asked.report
    for number in range(movers.shape[0]):
        which, mover = world.which[number], np.int64(movers[number])
        board, view = world.boards[which], world.views[0]
        see(game, board, world.states[number], view, mover)
        count, rng = game.legal(board, view, acts), world.streams[number, mover + 1 : mover + 2]
        for place in range(HEADER):
            asked.memory[place] = 0
        report[VALUE] = np.nan  # until it is noted
        action = ask_player(game, board, view, acts[:count], member(asked.roster, 0, which), asked.memory, report, rng)
        choices.random[number] = 1 if unit(rng) < asked.noise else 0
        choices.actions[number] = acts[below(rng, count)] if choices.random[number] else action
        choices.thought[number] = report[VALUE]
