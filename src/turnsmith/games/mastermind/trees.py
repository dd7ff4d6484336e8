"""Strategy trees as things to keep: built once, checked, stored on disk, exported as JSON or GraphViz."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import cache_folder, compiled, digest
from turnsmith.games.mastermind import strategy
from turnsmith.games.mastermind.notation import answer_text, code_text
from turnsmith.games.mastermind.optimal import OPTIMAL, search_state_for
from turnsmith.games.mastermind.strategy import ONE_STEP, Node, OneStepState, gains, grow
from turnsmith.games.mastermind.symmetry import Code, describe
from turnsmith.nets.files import read_arrays, write_arrays
from turnsmith.play.stop import flag, refuse_if_stopped

CRITERIA = {
    "knuth": strategy.KNUTH,
    "entropy": strategy.ENTROPY,
    "expected-size": strategy.EXPECTED_SIZE,
    "most-parts": strategy.MOST_PARTS,
}


def described(boards: Array) -> Array:
    """Code[codes]: every code of a board, ready for strategies."""
    codes = np.zeros(int(boards[0].codes), Code)
    compiled(describe)(boards, codes)
    return codes


def build(boards: Array, name: str) -> Array:
    """Grow the tree of the strategy `name`, one of CRITERIA or "optimal"."""
    count, answers = int(boards[0].codes), int(boards[0].answers)
    method: Any = ONE_STEP
    search_state: Any
    if name == "optimal":
        method, search_state = OPTIMAL, compiled(search_state_for)(boards, flag())
    else:
        listed = np.zeros(count, np.int32)
        search_state = OneStepState(CRITERIA[name], gains(CRITERIA[name], count), listed, flag())
    sets, spare, nodes = np.zeros(count, Code), np.zeros(count, Code), np.zeros(2 * count, Node)
    tree = np.zeros((2 * count, 1 + answers), np.int32)
    rows = compiled(grow)(method, boards, described(boards), sets, spare, nodes, tree, search_state, flag())
    refuse_if_stopped()
    return tree[:rows].copy()


def is_sound(boards: Array, tree: Array) -> bool:
    """Whether an array can be a strategy for a board: rows are reached once, from above, and each code is guessed."""
    count, answers = int(boards[0].codes), int(boards[0].answers)
    if tree.dtype != np.int32 or tree.ndim != 2 or tree.shape[1] != 1 + answers or not len(tree):
        return False
    above, answer = np.nonzero(tree[:, 1:])
    below = tree[above, 1 + answer]
    return (
        np.array_equal(np.unique(tree[:, 0]), np.arange(count))
        and np.array_equal(np.sort(below), np.arange(1, len(tree)))
        and bool((below > above).all() and (answer < answers - 1).all())
    )


def stored(boards: Array, name: str) -> Path:
    """The file that keeps a tree; another one as soon as the code that grows it changes."""
    method = OPTIMAL if name == "optimal" else ONE_STEP
    version = digest(grow, describe, gains, method.choose)
    board = boards[0]
    return cache_folder() / "strategies" / f"mastermind-{int(board.colors)}-{int(board.pegs)}-{name}-{version}.npz"


def load(boards: Array, name: str) -> Array:
    """The tree of a strategy, from disk if a sound one is there, otherwise built and stored."""
    file = stored(boards, name)
    with contextlib.suppress(BadInput):  # whatever is wrong with the file, building again is right
        if is_sound(boards, tree := read_arrays(file, "tree")["tree"]):
            return tree
    tree = build(boards, name)
    with contextlib.suppress(OSError):  # a full or read-only disk costs building it again, nothing else
        write_arrays(file, {"tree": tree})
    return tree


@dataclass(frozen=True)
class StrategyTree:
    """A player's whole plan for a board, for reading and export."""

    name: str
    boards: Array
    tree: Array

    def links(self) -> Iterator[tuple[int, int, int]]:
        """(row above, answer, row) of every row but the first, in order."""
        above, answer = np.nonzero(self.tree[:, 1:])
        below = self.tree[above, 1 + answer]
        for link in np.argsort(below):
            yield int(above[link]), int(answer[link]), int(below[link])

    def sizes(self) -> Array:
        """int64[rows]: how many codes are possible when each row's guess is made. Their sum is that of all guesses."""
        rows, board, codes = len(self.tree), self.boards[0], described(self.boards)
        parent, via = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
        for above, answer, row in self.links():
            parent[row], via[row] = above, answer
        # A row breaks a code if its guess would have given every answer on the way to it.
        breaks, at, guess = np.ones(rows, np.bool_), np.arange(rows), codes[self.tree[:, 0]]
        while at.any():
            earlier = codes[self.tree[parent[at], 0]]
            red = np.bitwise_count(earlier["places"] & guess["places"]).astype(np.int64)
            total = np.bitwise_count(earlier["colours"] & guess["colours"])
            answers = board.numbers[red * (int(board.pegs) + 1) + total]
            breaks &= (answers == via[at]) | (at == 0)
            at = parent[at]
        sizes = breaks.astype(np.int64)
        for row in range(rows - 1, 0, -1):
            sizes[parent[row]] += sizes[row]
        return sizes

    def json(self) -> str:
        """One JSON document: nested guesses by answer. All red ends the game; other answers not listed cannot come."""
        board, sizes = self.boards[0], self.sizes()
        nodes: list[dict[str, Any]] = [
            {"guess": code_text(board, int(guess)), "codes": int(size), "answers": {}}
            for guess, size in zip(self.tree[:, 0], sizes, strict=True)
        ]
        for above, answer, row in self.links():
            nodes[above]["answers"][answer_text(board, answer)] = nodes[row]
        about = {"game": "mastermind", "player": self.name, "colors": int(board.colors), "pegs": int(board.pegs)}
        return json.dumps({**about, "codes": int(board.codes), "guesses": int(sizes.sum()), "first": nodes[0]})

    def dot(self) -> str:
        """The tree for GraphViz: a node shows its guess and how many codes are possible, an edge its answer."""
        board, sizes = self.boards[0], self.sizes()
        lines = [f'digraph "{self.name}" {{', "  rankdir=LR; node [shape=box, fontname=monospace];"]
        for row, guess in enumerate(self.tree[:, 0]):
            lines.append(f'  n{row} [label="{code_text(board, int(guess))}\\n{int(sizes[row])}"];')
        for above, answer, row in self.links():
            lines.append(f'  n{above} -> n{row} [label="{answer_text(board, answer)}"];')
        return "\n".join([*lines, "}", ""])
