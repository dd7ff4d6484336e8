"""The players people designed for Mastermind. Most follow a strategy tree and improvise when play has left it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import copy, scratch
from turnsmith.compile.rng import below
from turnsmith.contract.game import Game
from turnsmith.games.mastermind import optimal, strategy, trees
from turnsmith.games.mastermind.codes import COLORS, TRIES, pick_possible, possible
from turnsmith.games.mastermind.expectation import expected_ends, frequency, most_frequent
from turnsmith.games.mastermind.explained import Certain, Explained, ended
from turnsmith.games.mastermind.eyes import Eyes
from turnsmith.games.mastermind.learned import MastermindLearned
from turnsmith.games.mastermind.rules import tables
from turnsmith.games.mastermind.symmetry import Code
from turnsmith.play.evaluation import Evaluation
from turnsmith.play.player import CompiledPlayer, Prepared, filled, numbers
from turnsmith.search.limits import stop_flag
from turnsmith.search.random import Random

MOST_ONE_STEP, MOST_OPTIMAL, MOST_EXPECTED = 65_536, 2_401, 2_401
"""Codes of the largest boards for one-step strategies (about 20 s), for `optimal` (about 30 s for 4 pegs of 7 colours)
and for the exact expectation of those who draw lots."""

CODE = Code.itemsize
Settings = numbers("criterion")


# ---------------------------------------------------------------- deciding


def decide_unique(game, board, view, acts, data, memory, params, report, rng):
    if view.asked:
        return acts[below(rng, acts.shape[0])]
    while True:
        code = below(rng, board.codes)
        is_new = True
        for turn in range(view.turns):
            if view.guesses[turn] == code:
                is_new = False
        if is_new:
            return code


def decide_possible(game, board, view, acts, data, memory, params, report, rng):
    if view.asked:
        return acts[below(rng, acts.shape[0])]
    return pick_possible(board, view.guesses, view.answers, view.turns, rng)


def decide_frequent(game, board, view, acts, data, memory, params, report, rng):
    """data: Code[codes]."""
    if view.asked:
        return acts[below(rng, acts.shape[0])]
    sets, history = np.empty(board.codes, Code), np.empty(strategy.DEEP, np.int64)
    count = gather(board, view, data[: board.codes * CODE].view(Code), sets, history)
    often = scratch(COLORS, np.int64)
    most, ties = most_frequent(board, sets, 0, count, often)
    lot = below(rng, ties)
    for index in range(count):
        if frequency(board, sets[index], often) == most:
            if lot == 0:
                return sets[index].code
            lot -= 1
    return sets[0].code  # never: one of the ties was drawn


def decide_one_step(game, board, view, acts, data, memory, params, report, rng):
    """params: Settings."""
    if view.asked:
        return leave_most(board, view, acts)
    guess = look_up(board, view, data)
    if guess >= 0:
        return guess
    codes, gain, _ = unpack(board, data)
    sets = np.empty(board.codes, Code)
    history = np.empty(strategy.DEEP, np.int64)
    count = gather(board, view, codes, sets, history)
    criterion, listed = np.int64(params.view(Settings)[0].criterion), np.empty(board.codes, np.int32)
    search_state = strategy.OneStepState(criterion, gain, listed, stop_flag(memory))
    return strategy.choose(board, codes, sets, 0, count, history, view.turns, search_state)


def decide_optimal(game, board, view, acts, data, memory, params, report, rng):
    if view.asked:
        return leave_most(board, view, acts)
    guess = look_up(board, view, data)
    if guess >= 0:
        return guess
    codes, _, _ = unpack(board, data)
    sets = np.empty(board.codes, Code)
    history = np.empty(strategy.DEEP, np.int64)
    count = gather(board, view, codes, sets, history)
    search_state = optimal.new_search_state(board, stop_flag(memory))
    return optimal.choose(board, codes, sets, 0, count, history, view.turns, search_state)


def leave_most(board, view, acts):
    """As the maker: the answer that leaves the most codes possible."""
    answers = scratch(TRIES, np.int8)
    one = scratch(1, np.int32)
    for turn in range(view.turns):
        answers[turn] = view.answers[turn]
    best, most = np.int64(acts[0]), -1
    for index in range(acts.shape[0]):
        answers[view.turns] = acts[index]
        left = possible(board, view.guesses, answers, view.turns + 1, one, board.codes)
        if left > most:
            best, most = np.int64(acts[index]), left
    return best


def unpack(board, data):
    """The parts of a strategy's data: Code[codes], the criterion's table int64[codes], the tree's int32s."""
    first, second = board.codes * CODE, board.codes * (CODE + 8)
    return data[:first].view(Code), data[first:second].view(np.int64), data[second:].view(np.int32)


def look_up(board, view, data):
    """The guess of the tree after the history at hand, or -1 when other guesses than the tree's were made."""
    _, _, tree = unpack(board, data)
    columns = 1 + board.answers
    row = 0
    for turn in range(view.turns):
        if tree[row * columns] != view.guesses[turn]:
            return np.int64(-1)
        row = np.int64(tree[row * columns + 1 + view.answers[turn]])
        if row == 0:
            return np.int64(-1)
    return np.int64(tree[row * columns])


def gather(board, view, codes, sets, history):
    """Put the codes still possible into `sets` and the guesses made into `history`; returns how many codes."""
    left = np.empty(board.codes, np.int32)
    count = possible(board, view.guesses, view.answers, view.turns, left, board.codes)
    for index in range(count):
        copy(sets[index], codes[left[index]])
    for turn in range(view.turns):
        history[turn] = view.guesses[turn]
    return count


# ---------------------------------------------------------------- players


@dataclass(frozen=True, repr=False)
class AnyCode(Explained, Random):
    """`random`, with its exact result."""

    summary = "any code"

    def exact(self, game: Game, boards: Array) -> Evaluation | None:
        """A guess misses with chance 1 - 1/codes, whatever was guessed before."""
        if boards[0].maker:
            return None
        codes, tries = int(boards[0].codes), int(boards[0].tries)
        miss = 1 - Fraction(1, codes)
        ends = {guesses: miss ** (guesses - 1) for guesses in range(1, tries)}
        return ended({**ends, tries: codes * miss ** (tries - 1)}, codes * miss**tries, tries)


@dataclass(frozen=True, repr=False)
class NewCode(Explained, CompiledPlayer):
    name = "random-unique"
    summary = "any code not played yet"
    decide = decide_unique

    def exact(self, game: Game, boards: Array) -> Evaluation | None:
        """Each guess is as likely as any other to be the one; what is left counts as the last try."""
        if boards[0].maker:
            return None
        codes, tries = int(boards[0].codes), int(boards[0].tries)
        last = min(codes, tries)
        return ended({**dict.fromkeys(range(1, last), 1), last: codes - last + 1}, codes - last, tries)


@dataclass(frozen=True, repr=False)
class Eliminate(Explained, CompiledPlayer):
    name = "eliminate"
    summary = "a random code that is still possible"
    decide = decide_possible

    def exact(self, game: Game, boards: Array) -> Evaluation | None:
        if boards[0].maker or boards[0].codes > MOST_EXPECTED:
            return None
        return ended(*expected_ends(boards), int(boards[0].tries))


@dataclass(frozen=True, repr=False)
class EliminateFrequency(Explained, CompiledPlayer):
    name = "eliminate-frequency"
    summary = "a possible code whose different colours occur in the most possible codes, drawn from equals"
    decide = decide_frequent

    def most_codes(self) -> int | None:
        return MOST_ONE_STEP

    def prepare(self, game: Game, boards: Array) -> Prepared:
        return Prepared.of(trees.described(boards))

    def exact(self, game: Game, boards: Array) -> Evaluation | None:
        if boards[0].maker or boards[0].codes > MOST_EXPECTED:
            return None
        return ended(*expected_ends(boards, by_frequency=True), int(boards[0].tries))


@lru_cache(maxsize=8)
def strategy_data(name: str, colors: int, pegs: int) -> tuple[Array, Array]:
    """A tree and the data its player decides by (see `unpack`), kept for the boards in use."""
    boards = tables({"colors": colors, "pegs": pegs})
    tree = trees.load(boards, name)
    gain = strategy.gains(trees.CRITERIA.get(name, strategy.KNUTH), int(boards[0].codes))
    parts = [trees.described(boards), gain, tree]
    return tree, np.concatenate([part.view(np.uint8).reshape(-1) for part in parts])


@dataclass(frozen=True, repr=False)
class Planned(Certain):
    """A player with a strategy tree. Off the tree it chooses by its criterion among the codes left."""

    decide = decide_one_step

    def most_codes(self) -> int | None:
        return MOST_ONE_STEP

    def prepare(self, game: Game, boards: Array) -> Prepared:
        _, data = strategy_data(self.name, int(boards[0].colors), int(boards[0].pegs))
        return Prepared.of(data, params=filled(Settings, self, criterion=trees.CRITERIA.get(self.name, 0)))

    def strategy(self, game: Game, boards: Array) -> trees.StrategyTree:
        """The whole plan, for reading and export."""
        self.check(game, boards)
        tree, _ = strategy_data(self.name, int(boards[0].colors), int(boards[0].pegs))
        return trees.StrategyTree(self.name, boards, tree)


@dataclass(frozen=True, repr=False)
class Knuth(Planned):
    name = "knuth"
    summary = "the guess whose largest part is smallest"


@dataclass(frozen=True, repr=False)
class Entropy(Planned):
    name = "entropy"
    summary = "the guess that tells the most bits"


@dataclass(frozen=True, repr=False)
class ExpectedSize(Planned):
    name = "expected-size"
    summary = "the guess that leaves the fewest codes on average"


@dataclass(frozen=True, repr=False)
class MostParts(Planned):
    name = "most-parts"
    summary = "the guess with the most different answers"


@dataclass(frozen=True, repr=False)
class Optimal(Planned):
    name = "optimal"
    summary = "the proven least expected number of guesses"
    decide = decide_optimal

    def most_codes(self) -> int | None:
        return MOST_OPTIMAL


LEVELS = {"beginner": "random-unique", "easy": "eliminate", "medium": "knuth", "hard": "optimal"}
PLAYERS = {
    kind.name: kind
    for kind in (
        *(AnyCode, NewCode, Eliminate, EliminateFrequency, MastermindLearned, Eyes),
        *(Knuth, Entropy, ExpectedSize, MostParts, Optimal),
    )
}
