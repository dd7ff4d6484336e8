"""Where the checks look: positions of random games."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from turnsmith.check.rules import CheckedRules, Fault
from turnsmith.common.arrays import Array
from turnsmith.compile.rng import below
from turnsmith.contract.game import CHANCE, OVER

MOST_WORDS = 60
"""Words are for people and written in Python: a position with thousands of them is not read in full every time."""


@dataclass
class Playthrough:
    """A random game: ``states[k]``, ``movers[k]`` and ``legal[k]`` are found after ``history[:k]``."""

    rules: CheckedRules
    history: list[int] = field(default_factory=list)
    states: list[bytes] = field(default_factory=list)
    movers: list[int] = field(default_factory=list)
    legal: list[tuple[int, ...]] = field(default_factory=list)

    def arrive(self, state: bytes) -> None:
        mover, actions = self.rules.mover(state), self.rules.legal(state)
        self.states.append(state)
        self.movers.append(mover)
        self.legal.append(actions)

    def after(self, ply: int) -> str:
        """A place in it for a sentence: the integers that lead there, and the last of them in words."""
        if ply == 0:
            return "at the start"
        last = range(max(0, ply - 6), ply)
        try:
            words = ", ".join(self.rules.words(self.states[k], self.history[k]) for k in last)
        except Fault:
            words = "no words"
        return f"after {self.history[:ply]} ({'… ' if last[0] else ''}{words})"


@dataclass(frozen=True, eq=False)
class CheckedPosition:
    """One position of a random game, as the laws see it."""

    playthrough: Playthrough
    ply: int

    @property
    def rules(self) -> CheckedRules:
        return self.playthrough.rules

    @property
    def state(self) -> bytes:
        return self.playthrough.states[self.ply]

    @property
    def mover(self) -> int:
        return self.playthrough.movers[self.ply]

    @property
    def actions(self) -> tuple[int, ...]:
        return self.playthrough.legal[self.ply]

    @property
    def history(self) -> list[int]:
        return self.playthrough.history[: self.ply]

    def some(self, items: Sequence[int], most: int) -> Sequence[int]:
        """All items, or `most` random ones where there are more."""
        if len(items) <= most:
            return items
        rng = self.rng(99)
        with np.errstate(over="ignore"):
            return [items[int(below(rng, len(items)))] for _ in range(most)]

    @cached_property
    def words(self) -> dict[int, str]:
        """The words of the legal moves by their numbers; of some of them where there are many."""
        actions = self.some(self.actions, MOST_WORDS)
        return dict(zip(actions, self.rules.all_words(self.state, actions), strict=True))

    @cached_property
    def view(self) -> bytes:
        """What the seat to move sees."""
        return self.rules.hide(self.state, self.mover)

    @cached_property
    def imagined(self) -> bytes:
        """A world that the seat to move thinks possible."""
        return self.rules.resample(self.view, self.mover, self.rng())

    @cached_property
    def worlds(self) -> tuple[int, ...]:
        """The numbers of all worlds that the seat to move thinks possible."""
        return self.rules.believe(self.view, self.mover)

    def rng(self, index: int = 0) -> Array:
        """A stream of this position's own."""
        return self.rules.stream(self.ply, index)

    def __str__(self) -> str:
        return self.playthrough.after(self.ply)


def unsound(rules: CheckedRules, mover: int, actions: tuple[int, ...]) -> Iterator[str]:
    """What is wrong with who moves and what is legal."""
    board = rules.boards[0]
    if not (0 <= mover < rules.seats or mover in (CHANCE, OVER)):
        yield f"to_move says {mover}, which is neither a seat below {rules.seats} nor CHANCE nor OVER"
        return
    if mover == OVER:
        if actions:
            yield f"to_move says OVER, but legal lists {numbers(actions)}; return 0 there"
        return
    limit, name = (int(board.outcomes), "outcomes") if mover == CHANCE else (int(board.actions), "actions")
    if not actions:
        who = "CHANCE" if mover == CHANCE else f"seat {mover}"
        yield f"{who} is to move, but legal lists nothing; every position that is not OVER has a move"
    elif min(actions) < 0 or max(actions) >= limit:
        outside = numbers(action for action in actions if not 0 <= action < limit)
        yield f"legal lists {outside}, but board.{name} is {limit}, so the greatest number is {limit - 1}"
    elif (np.diff(actions) <= 0).any():
        yield f"legal must list each number once, ascending, but gives {numbers(actions)}"


def numbers(values: Iterable[int], most: int = 12) -> str:
    listed = list(values)
    return ", ".join(map(str, listed[:most])) + (", …" if len(listed) > most else "")


def play(rules: CheckedRules, number: int, plies: int, until: float = math.inf) -> tuple[Playthrough, str | None]:
    """A random game of at most `plies` moves, or until a CPU second, and the error that stopped it, if one did."""
    game, rng = Playthrough(rules), rules.stream(number)
    try:
        game.arrive(rules.start())
        while game.movers[-1] != OVER and len(game.history) < plies and time.process_time() < until:
            actions = game.legal[-1]
            if next(unsound(rules, game.movers[-1], actions), None):
                break  # the law of legal moves will say what is wrong here
            with np.errstate(over="ignore"):
                action = actions[int(below(rng, len(actions)))]
            after = rules.apply(game.states[-1], action)
            game.history.append(action)
            game.arrive(after)
    except Fault as fault:
        return game, f"{game.after(len(game.history))}: {fault}"
    return game, None
