"""Counterfactual regret minimisation: play of games with secrets that nobody can win from, where sets can be listed.

In each information set every action has a regret: what playing it would have gained more than what was played, so far.
The next strategy plays actions by their regrets, and the average of all strategies comes ever nearer to an equilibrium
where two seats are opposed (Zinkevich et al. 2007). ``cfr+`` forgets regrets below 0 and lets later strategies count
more (Tammelin 2014), ``dcfr`` lets old regrets fade (Brown and Sandholm 2019), ``mccfr`` looks at one sampled line of
the others and of chance at a time (external sampling, Lanctot et al. 2009); ``lp`` needs no iterations.

Everything runs over the arrays of ``information_sets``: nothing here is compiled for a game, but the player's decision.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.compile.kernel import compiled, is_set
from turnsmith.compile.rng import stream, unit
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.contract.loading import load
from turnsmith.play.stop import flag, refuse_if_stopped
from turnsmith.search.exploitability import Exploitability, earn, gather, judged, realise
from turnsmith.search.information_sets import LIMIT, ListedGame, list_sets

MethodName = Literal["cfr+", "dcfr", "cfr", "mccfr", "lp"]
METHODS: tuple[MethodName, ...] = get_args(MethodName)
MOST_ITERATIONS = 1_000_000_000
SWEEP = 200_000_000
"""Ends that are added up between two looks at the clock: about a second."""


class Discounts(NamedTuple):
    """What of the past counts: at iteration t regrets above 0 are multiplied by t^a / (t^a + 1) with a = `above`, the
    others so with `below`, and at most 0 is kept of them where `floor`; strategies count t^averaging times."""

    above: float
    below: float
    floor: bool
    averaging: float


DISCOUNTS = {
    "cfr": Discounts(math.inf, math.inf, False, 0.0),
    "cfr+": Discounts(math.inf, math.inf, True, 1.0),
    "dcfr": Discounts(1.5, 0.0, False, 2.0),
}


class Tables(NamedTuple):
    """Of every sequence: the regret, the sum of all strategies weighted by reach, the strategy, the probability with
    which its owner plays it, and room for what it is worth."""

    regrets: Array
    sums: Array
    strategy: Array
    reach: Array
    worth: Array


# ---------------------------------------------------------------- compiled


def match_regrets(regrets, first, end, strategy):
    """Fill the strategy of a set: by the regrets above 0, all alike where there are none."""
    total = 0.0
    for sequence in range(first, end):
        total += max(regrets[sequence], 0.0)
    for sequence in range(first, end):
        strategy[sequence] = max(regrets[sequence], 0.0) / total if total > 0.0 else 1.0 / (end - first)


def match_all(form, tables):
    """The strategy and the reach that follow from the regrets."""
    for number in range(form.owners.shape[0]):
        match_regrets(tables.regrets, form.firsts[number], form.firsts[number + 1], tables.strategy)
    for seat in range(form.bounds.shape[0] - 1):
        realise(form, seat, tables.strategy, tables.reach)


def fading(iteration, exponent):
    """t^a / (t^a + 1)."""
    return 1.0 if exponent == math.inf else 1.0 - 1.0 / (iteration**exponent + 1.0)


def iterate(form, tables, discounts, done, count, stop):
    """Make iterations, every seat in turn against the others' newest strategies; returns how many there are then."""
    for iteration in range(done + 1, done + count + 1):
        if is_set(stop):
            return iteration - 1
        kept = (fading(float(iteration), discounts.above), fading(float(iteration), discounts.below))
        for seat in range(form.bounds.shape[0] - 1):
            improve(form, tables, seat, kept, discounts.floor, float(iteration) ** discounts.averaging)
    return done + count


def improve(form, tables, seat, kept, floor, weight):
    """One seat's regrets, from its last sets to its first; then its strategy's part in the average."""
    regrets, strategy, worth, reach = tables.regrets, tables.strategy, tables.worth, tables.reach
    gather(form, seat, reach, worth)
    for number in range(form.bounds[seat + 1] - 1, form.bounds[seat] - 1, -1):
        first, end = form.firsts[number], form.firsts[number + 1]
        value = 0.0
        for sequence in range(first, end):
            value += strategy[sequence] * worth[sequence]
        worth[form.parents[number]] += value
        for sequence in range(first, end):
            old = regrets[sequence]
            new = old * (kept[0] if old > 0.0 else kept[1]) + worth[sequence] - value
            regrets[sequence] = max(new, 0.0) if floor else new
        match_regrets(regrets, first, end, strategy)
    for number in range(form.bounds[seat], form.bounds[seat + 1]):
        before = reach[form.parents[number]]
        for sequence in range(form.firsts[number], form.firsts[number + 1]):
            reach[sequence] = before * strategy[sequence]
            tables.sums[sequence] += weight * reach[sequence]


def sample(tree, form, tables, done, count, rng, way, values, stop):
    """The same by external sampling: a seat tries all it can do, the others and chance what they happen to do.

    way: int64[depth, 3], decisions of the seat on the line at hand; values: float64, what their actions brought.
    """
    seats = form.bounds.shape[0] - 1
    for iteration in range(done + 1, done + count + 1):
        if is_set(stop):
            return iteration - 1
        for seat in range(seats):
            sample_once(tree, form, tables, seat, rng, way, values)
    return done + count


NODE, TRIED, PLACE = range(3)


def sample_once(tree, form, tables, seat, rng, way, values):
    """One walk of a seat: down to an end, back to the last decision that has an action untried, down again."""
    level, node, going = 0, np.int64(0), True
    while going:
        number = np.int64(tree.sets[node])
        if number > OVER:
            start = np.int64(tree.starts[node])
            if number == CHANCE:
                node = np.int64(tree.targets[start + drawn(tree.chances, start, np.int64(tree.starts[node + 1]), rng)])
            elif form.owners[number] == seat:
                way[level, NODE], way[level, TRIED] = node, 0
                way[level, PLACE] = way[level - 1, PLACE] + branches(tree, way[level - 1, NODE]) if level > 0 else 0
                level += 1
                node = np.int64(tree.targets[start])
            else:
                first, end = np.int64(form.firsts[number]), np.int64(form.firsts[number + 1])
                match_regrets(tables.regrets, first, end, tables.strategy)
                if form.owners[number] == (seat + 1) % (form.bounds.shape[0] - 1):  # each seat's once an iteration
                    for sequence in range(first, end):
                        tables.sums[sequence] += tables.strategy[sequence]
                node = np.int64(tree.targets[start + drawn(tables.strategy, first, end, rng)])
            continue
        value, going = tree.returns[OVER - number, seat], False
        while level > 0 and not going:
            node, tried, place = way[level - 1, NODE], way[level - 1, TRIED], way[level - 1, PLACE]
            values[place + tried] = value
            way[level - 1, TRIED] = tried + 1
            if tried + 1 < branches(tree, node):
                node, going = np.int64(tree.targets[tree.starts[node] + tried + 1]), True
            else:
                value = regret(form, tables, np.int64(tree.sets[node]), values[place : place + tried + 1])
                level -= 1


def branches(tree, node):
    return np.int64(tree.starts[node + 1]) - np.int64(tree.starts[node])


def drawn(chances, first, end, rng):
    """Which of the numbers from `first` to `end` is drawn, by probabilities."""
    left = unit(rng)
    for index in range(first, end - 1):
        left -= chances[index]
        if left < 0.0:
            return index - first
    return end - 1 - first


def regret(form, tables, number, values):
    """Add what each action of a set would have brought more than the strategy, which is what it returns."""
    first, end = np.int64(form.firsts[number]), np.int64(form.firsts[number + 1])
    match_regrets(tables.regrets, first, end, tables.strategy)
    value = 0.0
    for sequence in range(first, end):
        value += tables.strategy[sequence] * values[sequence - first]
    for sequence in range(first, end):
        tables.regrets[sequence] += values[sequence - first] - value
    return value


def average(form, sums, strategy):
    """Fill strategy with the average of all strategies; all alike where nobody ever came."""
    for number in range(form.owners.shape[0]):
        match_regrets(sums, form.firsts[number], form.firsts[number + 1], strategy)


def deepest(form, depths):
    """The most decisions that one seat makes in a game; depths: int64, a zero a sequence."""
    most = 0
    for number in range(form.owners.shape[0]):
        depth = depths[form.parents[number]] + 1
        most = max(most, depth)
        for sequence in range(form.firsts[number], form.firsts[number + 1]):
            depths[sequence] = depth
    return most


def likelihoods(tree, form, strategy, seat, chances, out):
    """Fill out, one a set of the seat, with how likely chance and the others let it come there; chances: a float a
    node."""
    chances[0] = 1.0
    for node in range(tree.sets.shape[0]):
        number = np.int64(tree.sets[node])
        is_own = number >= 0 and form.owners[number] == seat
        if is_own:
            out[number] += chances[node]
        start = np.int64(tree.starts[node])
        for edge in range(start, np.int64(tree.starts[node + 1])):
            by = tree.chances[edge] if number < 0 or is_own else strategy[form.firsts[number] + edge - start]
            chances[tree.targets[edge]] = chances[node] * by


# ---------------------------------------------------------------- for Python


class Solving:
    """CFR on one board, iteration by iteration. The same board, method and seed make the same numbers however often it
    was stopped between."""

    def __init__(self, listing: ListedGame, method: MethodName = "cfr+", seed: int = 0, how: Any = compiled):
        self.listing, self.method, self.seed, self.how = listing, method, seed, how
        self.iterations = 0
        self.tables = Tables(*(np.zeros(len(listing.actions)) for _ in Tables._fields))
        self.rng = stream(seed)
        widest = int(np.diff(listing.form.firsts).max(initial=1))
        depth = 1 + int(how(deepest)(listing.form, np.zeros(len(listing.actions), np.int64)))
        self._way, self._values = np.zeros((depth, 3), np.int64), np.zeros(depth * widest)
        self.how(match_all)(listing.form, self.tables)

    def resume(self, iterations: int, regrets: Array, sums: Array, rng: Array) -> None:
        """Go on from where another one was."""
        self.iterations = iterations
        self.tables.regrets[:], self.tables.sums[:], self.rng[:] = regrets, sums, rng
        self.how(match_all)(self.listing.form, self.tables)

    def run(self, iterations: int) -> None:
        """Make iterations until there are so many."""
        form, count = self.listing.form, iterations - self.iterations
        if self.method == "mccfr":
            room = (self.rng, self._way, self._values, flag())
            self.iterations = int(self.how(sample)(self.listing.tree, form, self.tables, self.iterations, count, *room))
        elif self.method == "lp":
            from turnsmith.search.sequence_lp import plans  # SciPy's optimisers take a while to import

            self.tables.sums[:], self.iterations = plans(self.listing), iterations
        else:
            rest = (DISCOUNTS[self.method], self.iterations, count, flag())
            self.iterations = int(self.how(iterate)(form, self.tables, *rest))
        refuse_if_stopped()

    def warm(self) -> None:
        """Let what is needed be compiled, or loaded, now."""
        if self.method != "lp":
            self.run(self.iterations)
        self.solution()

    @property
    def next_look(self) -> int:
        """The iteration after which the average is worth a look again: it follows from how many there are alone."""
        least = 1024 if self.method == "mccfr" else 1
        most = max(least, SWEEP // (1 + len(self.listing.form.gains)))
        return self.iterations + min(max(least, self.iterations // 4), most)

    def solution(self) -> Solution:
        """The average strategy, judged."""
        strategy = np.ones(len(self.listing.actions))
        self.how(average)(self.listing.form, self.tables.sums, strategy)
        return Solution(self.listing, strategy, self.iterations, judged(self.listing.form, strategy, self.how))


@dataclass(frozen=True, eq=False)
class Solution:
    """A strategy for all seats of a game whose information sets are listed: one probability a sequence."""

    listing: ListedGame
    strategy: Array
    iterations: int
    judgement: Exploitability

    def __repr__(self) -> str:
        name, sets = self.listing.game.text_name, self.listing.sets
        found = f"value={self.value:.6g}, exploitability={self.exploitability:.3g}, iterations={self.iterations}"
        return f"<Solution of {name}, {sets:,} information sets: {found}>"

    @property
    def value(self) -> float:
        """What seat 0 gets when all play it."""
        return self.judgement.values[0]

    @property
    def exploitability(self) -> float:
        return self.judgement.exploitability

    def expected(self) -> tuple[Array, Array]:
        """One number a set each: what its owner may expect there, NaN where the others never let it come, and how
        likely they and chance do."""
        tree, form = self.listing.tree, self.listing.form
        reach, worth = np.zeros_like(self.strategy), np.zeros_like(self.strategy)
        likely, chances = np.zeros(self.listing.sets), np.zeros(len(tree.sets))
        for seat in range(self.listing.seats):
            compiled(realise)(form, seat, self.strategy, reach)
        for seat in range(self.listing.seats):
            compiled(earn)(form, seat, self.strategy, reach, worth)
            compiled(likelihoods)(tree, form, self.strategy, seat, chances, likely)
        values = np.add.reduceat(self.strategy * worth, form.firsts[:-1])
        return np.divide(values, likely, out=np.full(self.listing.sets, np.nan), where=likely > 0.0), likely


def solve_by_regrets(
    solving: Solving, iterations: int, until: float = 0.0, tell: Callable[[Solution], None] = lambda solution: None
) -> Solution:
    """Iterate, at most so often, until the exploitability of the average is `until`; `tell` hears of every look."""
    iterations = 1 if solving.method == "lp" else iterations
    solution = solving.solution()
    while solving.iterations < iterations and not (solving.iterations and solution.exploitability <= until):
        solving.run(min(solving.next_look, iterations))
        solution = solving.solution()
        tell(solution)
    return solution


def cfr(
    game: str | Game, iterations: int = 1000, until: float = 0.0, method: MethodName = "cfr+", limit: int = LIMIT,
    seed: int = 0,
) -> Solution:  # fmt: skip
    """Solve a game with secrets on the board of a seed: at most so many iterations, fewer where the exploitability
    comes down to `until` before."""
    game = load(game) if isinstance(game, str) else game
    if method not in METHODS:
        raise BadInput(f"method={shown(method)} is not one of {', '.join(METHODS)}")
    return solve_by_regrets(
        Solving(list_sets(game, game.board(seed).tobytes(), limit), method, seed), iterations, until
    )
