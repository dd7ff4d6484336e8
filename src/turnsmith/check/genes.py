"""Boards as genes: they come back as they were, and whatever a map maker puts together can be played on."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from turnsmith.check.nodes import play, unsound
from turnsmith.check.report import Report
from turnsmith.check.rules import CheckedRules, Fault, blame
from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import compiled
from turnsmith.contract.game import OVER, Game

BACK = "the genes of a board give the same board back"
RANGE = "genes are whole numbers, each below its number of values, the same each time"
REPAIRED = "repaired genes give the same board, and are repaired no further"
PLAYED = "random and mutated genes make a board on which a random game ends"
REFUSED = "wrong genes are refused with a ValueError that says why"

BOARDS, RANDOM, MUTATED = 3, 2, 4
"""Boards whose genes are tried, and how many random genomes and mutations of each."""
MOST_PLIES = 20_000


class Genes:
    """The genes of one board; whatever goes wrong in the game's functions becomes a Fault."""

    def __init__(self, game: Game, source: Any):
        self.game, self.source = game, source
        self.values = self._numbers("gene_values", source)
        self.numbers = self._numbers("genes", source)

    def _numbers(self, name: str, source: Any) -> Array:
        with blame(name):
            numbers = np.asarray(getattr(self.game, name)(source))
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
            raise Fault(f"{name} must give an array of whole numbers, not {numbers.dtype} {numbers.shape}")
        return numbers

    def of(self, source: Any) -> Array:
        return self._numbers("genes", source)

    def source_with(self, genes: Array) -> Any:
        """What with_genes makes, twice the same, its arguments left alone."""
        assert self.game.with_genes is not None
        given, before = copy.deepcopy(self.source), genes.copy()
        with blame("with_genes"):
            one, other = (json.loads(json.dumps(self.game.with_genes(given, genes))) for _ in range(2))
        if one != other:
            raise Fault("with_genes gives another source the second time")
        if given != self.source or not np.array_equal(genes, before):
            raise Fault("with_genes changes what it is given; it must make a new source")
        return one

    def board_of(self, source: Any) -> Array:
        with blame("tables, with the source that with_genes made,"):
            return self.game.build(source)


def check_genes(report: Report, game: Game) -> None:
    """Every law of genes, on the boards of a few seeds."""
    for seed in range(report.seed, report.seed + BOARDS):
        try:
            genes = Genes(game, game.describe(seed))
        except Fault as fault:
            report.add(RANGE, f"seed {seed}: {fault}")
            return
        for law, faults in ((RANGE, _out_of_range), (BACK, _not_back), (REFUSED, _accepted)):
            _add(report, law, seed, faults(genes))
        if not report.ok:
            return
        for number, tried in enumerate(_genomes(genes, np.random.default_rng(seed))):
            _add(report, PLAYED, seed, _unplayable(genes, tried, number))
            _add(report, REPAIRED, seed, _unstable(genes, tried))


def _add(report: Report, law: str, seed: int, faults: Iterator[str]) -> None:
    try:
        fault = next(faults, None)
    except Fault as stopped:
        fault = str(stopped)
    report.add(law, fault and f"seed {seed}: {fault}")


def _genomes(genes: Genes, dice: np.random.Generator) -> Iterator[Array]:
    """Random genomes, then the board's own with one gene changed."""
    for _ in range(RANDOM):
        yield dice.integers(0, genes.values)
    for place in dice.choice(np.flatnonzero(genes.values > 1), MUTATED):
        mutant = genes.numbers.copy()
        mutant[place] = (mutant[place] + dice.integers(1, genes.values[place])) % genes.values[place]
        yield mutant


def _out_of_range(genes: Genes) -> Iterator[str]:
    if len(genes.numbers) != len(genes.values):
        yield f"there are {len(genes.numbers)} genes, but gene_values has {len(genes.values)}"
        return
    if not len(genes.values) or genes.values.min() < 1 or genes.values.max() < 2:
        yield "gene_values must give every gene at least one value, and some gene more than one"
    for place in np.flatnonzero((genes.numbers < 0) | (genes.numbers >= genes.values)):
        yield f"gene {place} is {genes.numbers[place]}, but has the values 0 to {genes.values[place] - 1}"
    again = Genes(genes.game, genes.source)
    if not np.array_equal(again.numbers, genes.numbers) or not np.array_equal(again.values, genes.values):
        yield "genes or gene_values give something else the second time"


def _fields(boards: Array) -> list[bytes]:
    return [boards[name].tobytes() for name in boards.dtype.names or ()]


def _not_back(genes: Genes) -> Iterator[str]:
    back = genes.board_of(genes.source_with(genes.numbers))
    if _fields(back) != _fields(genes.game.build(genes.source)):
        yield "with_genes(source, genes(source)) makes another board than the source"


def _accepted(genes: Genes) -> Iterator[str]:
    assert genes.game.with_genes is not None
    place = int(np.argmax(genes.values))
    high, low = genes.numbers.copy(), genes.numbers.copy()
    high[place], low[place] = genes.values[place], -1
    wrong = {"one gene less": genes.numbers[:-1], "one gene more": np.append(genes.numbers, 0)}
    wrong |= {"a gene that is too high": high, "a gene below 0": low, "genes that are no whole numbers": high * 0.5}
    for what, given in wrong.items():
        try:
            genes.game.with_genes(genes.source, given)
        except ValueError as error:
            if not str(error).strip():
                yield f"with_genes refuses {what} without a word"
        except Exception as error:
            yield f"with_genes meets {what} with a {type(error).__name__}; refuse it with a ValueError that says why"
        else:
            yield f"with_genes takes {what}; refuse it with a ValueError that says why"


def _unstable(genes: Genes, tried: Array) -> Iterator[str]:
    made = genes.source_with(tried)
    repaired = genes.of(made)
    if len(repaired) != len(genes.values) or ((repaired < 0) | (repaired >= genes.values)).any():
        yield "the genes of what with_genes made do not fit the values of the source it was made of"
        return
    for name, again in (("this", Genes(genes.game, made)), ("the first", genes)):
        if not np.array_equal(genes.of(again.source_with(repaired)), repaired):
            yield f"repaired genes change when with_genes gives them to {name} source again"
        if _fields(again.board_of(again.source_with(repaired))) != _fields(genes.board_of(made)):
            yield f"repaired genes make another board when with_genes gives them to {name} source again"


def _unplayable(genes: Genes, tried: Array, number: int) -> Iterator[str]:
    boards = genes.board_of(genes.source_with(tried))
    rules = CheckedRules(genes.game, number, compiled, boards)
    playout, fault = play(rules, number, MOST_PLIES)
    if fault:
        yield fault
    elif playout.movers[-1] != OVER:
        yield next(unsound(rules, playout.movers[-1], playout.legal[-1]), f"no end after {MOST_PLIES:,} random moves")
