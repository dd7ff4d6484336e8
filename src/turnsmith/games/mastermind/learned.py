"""`learned`: its model of the answers is learned from play; elimination and planning over that model are coded.

Its model is a small net: the pegs of a guess and of a code, a bit a place and colour, to the chances of the answers.
Asked once about every pair of codes, it gives a table of answers. In play, the codes that agree with most of the turns
so far are those that may be it; for every guess the table tells how many of them each answer would leave; and how many
guesses so many codes take was learned from games played inside the model. The guess with the least sum is made.

Both are in one ONNX file: the net, and beside it, for each number of pegs, points (codes left, guesses).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import FileName, setting
from turnsmith.compile.kernel import is_set
from turnsmith.contract.game import Game
from turnsmith.games.mastermind import MOST_COLORS, MOST_PEGS
from turnsmith.games.mastermind.codes import ANSWERS, answer_table
from turnsmith.games.mastermind.explained import Certain
from turnsmith.languages import _
from turnsmith.nets.dense import Layers, read_net
from turnsmith.nets.files import until_changed
from turnsmith.play.player import VALUE, WORK, Prepared
from turnsmith.search.limits import stop_flag

SHIPPED = Path(__file__).with_name("learned.onnx")
Points = list[tuple[int, float]]
"""How many codes are left, and how many guesses a code takes then; the first point is of one code."""
NEAR = 1e-9
"""Sums that differ by less are equal, whatever the order they were added in; the lowest code then wins."""

# ---------------------------------------------------------------- thinking, compiled


def think(codes, answers, table, costs, left, start, count, sizes, stop):
    """(the guess with the least cost for the codes left[start : start + count], that cost: guesses after it).

    table: uint8[codes²], the answer to a guess by a code; costs[n]: guesses that n codes take together; sizes:
    int64[ANSWERS].
    """
    if count <= 2:
        return np.int64(left[start]), costs[count - 1]
    best, least = np.int64(left[start]), np.inf
    for guess in range(codes):
        if guess % 64 == 63 and is_set(stop):
            break
        for answer in range(answers):
            sizes[answer] = 0
        row = guess * codes
        for index in range(start, start + count):
            sizes[table[row + left[index]]] += 1
        cost = 0.0
        for answer in range(answers - 1):  # the last one ends the game
            cost += costs[sizes[answer]]
        if cost < least - NEAR:
            best, least = np.int64(guess), cost
    return best, least


def agreeing(codes, table, guesses, given, turns, left):
    """List the codes that disagree with the fewest of the turns; returns how many."""
    fewest, count = turns + 1, 0
    for code in range(codes):
        against = 0
        for turn in range(turns):
            against += 1 if table[guesses[turn] * codes + code] != given[turn] else 0
        if against < fewest:
            fewest, count = against, 0
        if against == fewest:
            left[count] = code
            count += 1
    return count


def decide_learned(game, board, view, acts, data, memory, params, report, rng):
    """data: float64[codes + 1] costs, then the table."""
    codes = np.int64(board.codes)
    costs, table = data[: 8 * (codes + 1)].view(np.float64), data[8 * (codes + 1) :]
    left, sizes = np.empty(codes, np.int64), np.empty(ANSWERS, np.int64)
    count = agreeing(codes, table, view.guesses, view.answers, np.int64(view.turns), left)
    if view.asked:
        return leave_most(codes, table, np.int64(view.guesses[view.turns]), left[:count], acts, sizes)
    guess, cost = think(codes, np.int64(board.answers), table, costs, left, 0, count, sizes, stop_flag(memory))
    report[VALUE] = -min(view.turns + 1.0 + cost / count, 1.0 * board.tries)
    report[WORK] = codes if count > 2 else 1
    return guess


def leave_most(codes, table, guess, left, acts, sizes):
    """As the maker: the answer that leaves the most codes, as far as the model knows."""
    sizes[:] = 0
    for index in range(left.shape[0]):
        sizes[table[guess * codes + left[index]]] += 1
    best = np.int64(acts[0])
    for index in range(acts.shape[0]):
        if sizes[acts[index]] > sizes[best]:
            best = np.int64(acts[index])
    return best


# ---------------------------------------------------------------- the model


@dataclass(frozen=True)
class Model:
    """A net that answers, for boards up to a size, and points (codes left, guesses) for each number of pegs."""

    layers: Layers
    colors: int
    pegs: int
    points: dict[int, Points]

    def table(self, colors: int, pegs: int) -> Array:
        """uint8[codes, codes]: the answer that the net thinks a code (column) gives to a guess (row)."""
        (first, bias), *others = self.layers
        seen = one_hot(all_codes(colors, pegs), self.colors, self.pegs)
        mine, theirs = seen @ first[: seen.shape[1]] + bias, seen @ first[seen.shape[1] :]
        known = answer_table(self.pegs)
        columns = [known.index(pair) for pair in answer_table(pegs)]  # answers that exist on the board
        found = np.zeros((len(seen), len(seen)), np.uint8)
        for guess, row in enumerate(mine):
            values = row + theirs
            for weights, biases in others:
                values = np.maximum(values, 0.0) @ weights + biases
            found[guess] = values[:, columns].argmax(axis=1)
        return found

    def costs(self, codes: int, pegs: int) -> Array:
        """float64[codes + 1]: the guesses that 0, 1, … codes left take together."""
        return costs_by(self.points[pegs], codes)


def costs_by(points: Points, codes: int) -> Array:
    """float64[codes + 1] from points (codes left, guesses a code), between which guesses grow with the logarithm.

    >>> costs_by([(1, 1.0), (4, 2.0)], 4).tolist()
    [0.0, 1.0, 3.0, 5.377443751081734, 8.0]
    """
    sizes = np.arange(1, codes + 1)
    logs, guesses = np.log([size for size, _ in points]), [guess for _, guess in points]
    return np.concatenate([[0.0], sizes * np.interp(np.log(sizes), logs, guesses)])


def all_codes(colors: int, pegs: int) -> Array:
    """int64[codes, pegs]: the colours of every code, in the order of their numbers."""
    return np.array(list(itertools.product(range(colors), repeat=pegs)), np.int64)


def one_hot(codes: Array, colors: int, pegs: int) -> Array:
    """float32[rows, pegs * colors]: a bit a place and colour; places that codes (int64[rows, …]) lack have none."""
    bits = np.zeros((len(codes), pegs, colors), np.float32)
    bits[:, : codes.shape[1]] = codes[:, :, None] == np.arange(colors)
    return bits.reshape(len(codes), pegs * colors)


def is_sound(points: Array) -> bool:
    """Whether float[points, 2] can tell how long games take: from one code on, in order, by finite numbers."""
    codes, guesses = points[:, 0], points[:, 1]
    return bool(codes[0] == 1 and (np.diff(codes) > 0).all() and np.isfinite(points).all() and (guesses >= 0).all())


@until_changed
def read_model(file: Path) -> Model:
    """The model in a file; anything else is refused."""
    net = read_net(file)
    about: Any = net.about
    try:
        colors, pegs = (int(about[name]) for name in ("colors", "pegs"))
        points = {int(p): [(int(n), float(g)) for n, g in row] for p, row in about["points"].items()}
        fits = len(net.layers[0][0]) == 2 * colors * pegs and len(net.layers[-1][1]) == len(answer_table(pegs))
        rows = [np.array(points[number]) for number in range(1, pegs + 1)]
        sound = all(
            np.isfinite(row).all() and (row[:, 1] >= 0).all() and (np.diff(row[:, 0]) > 0).all() for row in rows
        )
        if not (fits and sound and all(row[0, 0] == 1 for row in rows)):
            raise ValueError
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        raise BadInput(f"{file} is no model of Mastermind; train one: turnsmith train mastermind learned") from None
    return Model(net.layers, colors, pegs, points)


@lru_cache(maxsize=4)
def planning_data(file: Path, stamp: int, colors: int, pegs: int) -> Array:
    """What `decide_learned` plans with on a board; asking the net about all pairs of 1296 codes takes half a second."""
    model = read_model(file)
    costs = model.costs(colors**pegs, pegs)
    return np.concatenate([costs.view(np.uint8), model.table(colors, pegs).reshape(-1)])


@dataclass(frozen=True, repr=False)
class MastermindLearned(Certain):
    """Plans one guess ahead by a model of the answers that it learned from play."""

    name = "learned"
    summary = "plans as coded, by answers and lengths of games that it learned from play"
    decide = decide_learned

    file: Annotated[str, FileName()] = setting("")
    """An ONNX file that `turnsmith train mastermind learned` wrote; by default the one that is shipped."""

    def refuses(self, game: Game, board: Any) -> str | None:
        other = super().refuses(game, board)
        if other:
            return other
        model = read_model(self._path())
        if board.colors > model.colors or board.pegs > model.pegs:
            if board.colors > MOST_COLORS or board.pegs > MOST_PEGS:
                told = _("boards of more than {colors} colors and {pegs} pegs cannot be learned; take fewer")
                return told.format(colors=MOST_COLORS, pegs=MOST_PEGS)
            told = _("it learned boards of up to {colors} colors and {pegs} pegs; take fewer, or train it for more")
            return told.format(colors=model.colors, pegs=model.pegs)
        return None

    def _path(self) -> Path:
        return Path(self.file) if self.file else SHIPPED

    def prepare(self, game: Game, boards: Array) -> Prepared:
        path = self._path()
        return Prepared.of(planning_data(path, path.stat().st_mtime_ns, int(boards[0].colors), int(boards[0].pegs)))
