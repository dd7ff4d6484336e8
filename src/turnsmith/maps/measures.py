"""What is measured of a map: of the tree of games grown on it, of the map itself, and of games played for it.

The measures of drama, uncertainty and lead follow C. Browne's, as the thesis that Homeguard is from takes them, its
gaps ruled so. A move is a round: layers within a round have the same score. The games of a tree are its branches; those
that end with a score of 0 have no winner and are left out; a measure is the mean over the others, 0 where there are
none. A tree knows one score, by how much the player leads: of the winner's score E_w and the loser's E_l only the
difference, which is all that drama and lead need. Where E_w itself is asked for, `uncertainty` takes the winner's lead
in its place, as the original program, which had nothing else, must have done; `damage_uncertainty` takes the damage
that the winner has dealt, for trees that know it.

Everything but drama, uncertainty and changes of the lead counts all branches, draws too. Important branches are those
whose best reachable score after half of the rounds is above the median of the tree; where none is, all are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown, suggestion
from turnsmith.contract.game import Game
from turnsmith.contract.grids import Form, Grid
from turnsmith.maps.tree import Trees, nodes

CHUNK = 256
"""Trees that are measured at once: what is worked out of them fits into a processor's cache."""
SCORES = 1 << 16
"""Different scores there can be."""


class MeasuredBranches:
    """Some trees, prepared to be measured: arrays are trees × branches × rounds, unless said otherwise."""

    def __init__(self, trees: Trees, important: bool = False):
        self.trees = trees
        self.lead = trees.ends_of_rounds(trees.scores).astype(np.int32)
        """By how much the player leads after each round."""
        self.best = trees.ends_of_rounds(trees.best).astype(np.int32)
        self.final = self.lead[:, :, -1]
        self.counted = trees.is_there
        """bool[trees, branches]"""
        if important:
            self.counted = self.counted & _important(self.best, self.counted)
        self.decided = self.counted & (self.final != 0)

    def side(self, name: str) -> Array:
        """[trees, branches, rounds, units]"""
        return self.trees.sides[name]

    @cached_property
    def ahead(self) -> Array:
        """float64: by how much the later winner leads."""
        return np.asarray(self.lead * np.sign(self.final)[:, :, None], np.float64)

    @cached_property
    def off_line(self) -> Array:
        """float64: how far the winner's lead is from growing evenly to the end, squared."""
        return _off_line(self.ahead)

    @cached_property
    def damage_off_line(self) -> Array:
        """The same of the damage that the winner has dealt."""
        won = (self.final > 0)[:, :, None]
        return _off_line(np.where(won, self.side("dealt")[..., 0], self.side("taken")[..., 0]).astype(np.float64))

    @property
    def late(self) -> slice:
        """The rounds after the first half."""
        return slice(self.lead.shape[2] // 2, None)


def _important(best: Array, counted: Array) -> Array:
    """bool[trees, branches]: those above the median of their tree after half of the rounds; all where none is."""
    middle = best[:, :, max(best.shape[2] // 2, 1) - 1].astype(np.float64)
    median = np.nanmedian(np.where(counted, middle, np.nan), axis=1, keepdims=True)
    above = (middle > median) & counted
    return np.asarray(above | ~above.any(axis=1, keepdims=True))


def _off_line(progress: Array) -> Array:
    rounds = progress.shape[2]
    whole = np.where(progress[:, :, -1:] == 0, 1.0, progress[:, :, -1:])
    return np.asarray((progress / whole - np.arange(1, rounds + 1) / rounds) ** 2)


def _mean(values: Array, which: Array) -> Array:
    """float64[trees]: the mean over the branches that are meant, 0 where there are none."""
    count = which.sum(axis=1)
    return np.asarray(np.where(which, values, 0.0).sum(axis=1) / np.maximum(count, 1))


# ---------------------------------------------------------------- the list of measures


@dataclass(frozen=True)
class MapMeasure:
    """One thing that is measured."""

    of: Callable[..., Any]
    kind: str
    """tree: (branches) -> float64[trees]; depth: (branches) -> float64[trees, layers]; map: (grid, form) -> float;
    game: see the function."""
    needs: tuple[str, ...] = ()
    """The sides that a tree must have for it."""

    @property
    def name(self) -> str:
        return str(self.of.__name__)

    @property
    def about(self) -> str:
        """Its sentence."""
        return " ".join((self.of.__doc__ or "").partition("\n\n")[0].split())


MEASURES: dict[str, MapMeasure] = {}
"""By name, in the order in which they are shown."""


def _measure(kind: str, *needs: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def enter(of: Callable[..., Any]) -> Callable[..., Any]:
        MEASURES[of.__name__] = MapMeasure(of, kind, needs)
        return of

    return enter


def of_kind(kind: str, sides: Iterable[str] | None = None) -> list[str]:
    """The names of the measures of a kind, those only that trees with these sides have."""
    needed = {name: measure.needs for name, measure in MEASURES.items() if measure.kind == kind}
    return [name for name, needs in needed.items() if sides is None or set(needs) <= set(sides)]


# ---------------------------------------------------------------- of the score


@_measure("tree")
def drama(games: MeasuredBranches) -> Array:
    """How far the later winner is behind: the mean root of the deficit over the rounds in which it is, 0 if never."""
    behind = np.maximum(-games.ahead, 0.0)
    rounds = np.maximum((behind > 0).sum(axis=2), 1)
    return _mean(np.sqrt(behind).sum(axis=2) / rounds, games.decided)


@_measure("tree")
def uncertainty(games: MeasuredBranches) -> Array:
    """How unevenly the winner's lead grows: the mean square of its distance from a straight line to its end."""
    return _mean(games.off_line.mean(axis=2), games.decided)


@_measure("tree")
def late_uncertainty(games: MeasuredBranches) -> Array:
    """Uncertainty over the second half of the rounds."""
    return _mean(games.off_line[:, :, games.late].mean(axis=2), games.decided)


@_measure("tree", "dealt", "taken")
def damage_uncertainty(games: MeasuredBranches) -> Array:
    """How unevenly the winner deals its damage: as uncertainty, of the damage it has dealt instead of its lead."""
    return _mean(games.damage_off_line.mean(axis=2), games.decided)


@_measure("tree", "dealt", "taken")
def late_damage_uncertainty(games: MeasuredBranches) -> Array:
    """Uncertainty of damage over the second half of the rounds."""
    return _mean(games.damage_off_line[:, :, games.late].mean(axis=2), games.decided)


@_measure("tree")
def lead_change(games: MeasuredBranches, strict: bool = False) -> Array:
    """How often the lead changes hands; while nobody leads, the last leader still counts as the leader.

    strict: every change of the lead's sign counts, as in the thesis, to 0 and from 0 too.
    """
    sign = np.sign(games.lead)
    if strict:
        return _mean((sign[:, :, 1:] != sign[:, :, :-1]).sum(axis=2), games.decided)
    last = np.maximum.accumulate(np.where(sign != 0, np.arange(sign.shape[2]), 0), axis=2)
    leader = np.take_along_axis(sign, last, axis=2)
    return _mean((leader[:, :, 1:] * leader[:, :, :-1] < 0).sum(axis=2), games.decided)


@_measure("tree")
def lead_possibility_change(games: MeasuredBranches) -> Array:
    """How often it changes whether the player can still win: whether the best reachable score is above 0."""
    can_win = games.best > 0
    return _mean((can_win[:, :, 1:] != can_win[:, :, :-1]).sum(axis=2), games.decided)


@_measure("tree")
def global_best(games: MeasuredBranches) -> Array:
    """The best final score of the tree."""
    return np.asarray(np.where(games.counted, games.final, -SCORES).max(axis=1), np.float64)


@_measure("depth")
def mean_best(games: MeasuredBranches) -> Array:
    """The mean, over the branches, of the best score that can be reached after each layer."""
    best = games.trees.best.astype(np.float64)
    count = np.maximum(games.counted.sum(axis=1), 1)
    return np.asarray((best * games.counted[:, :, None]).sum(axis=1) / count[:, None])


@_measure("depth")
def information_print(games: MeasuredBranches) -> Array:
    """How much the actions up to each layer tell of the final score: their mutual information, in bits."""
    node = np.where(games.counted[:, :, None], nodes(games.trees.actions), -1)
    final = np.where(games.counted, games.final + SCORES // 2, 0)
    of_final = _entropy(np.where(games.counted, final, -1))
    information = np.zeros((len(games.trees), node.shape[2]))
    for layer in range(node.shape[2]):
        here = node[:, :, layer]
        information[:, layer] = of_final + _entropy(here) - _entropy(here * SCORES + final)
    return np.maximum(information, 0.0)


def _entropy(keys: Array) -> Array:
    """float64[trees]: the entropy, in bits, of the keys of each tree [trees, branches]; those below 0 do not count."""
    ordered = np.sort(keys, axis=1)
    differs = np.ones(ordered.shape, np.bool_)
    differs[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    starts = np.flatnonzero(differs)
    times = np.diff(starts, append=ordered.size) * (ordered.reshape(-1)[starts] >= 0)
    tree, count = starts // ordered.shape[1], np.maximum((keys >= 0).sum(axis=1), 1)
    lost = np.bincount(tree, times * np.log2(np.maximum(times, 1)), minlength=len(keys))
    return np.asarray(np.log2(count) - lost / count)


# ---------------------------------------------------------------- of what the score does not tell


@_measure("tree", "used_portal")
def portal_use(games: MeasuredBranches) -> Array:
    """How often units go through portals in a game."""
    return _mean(games.side("used_portal").sum(axis=(2, 3)), games.counted)


@_measure("tree", "dealt", "taken")
def first_contact(games: MeasuredBranches) -> Array:
    """The round in which somebody is hurt for the first time, counted from 1; one more than there are if nobody is."""
    hurt = (games.side("dealt")[..., 0] > 0) | (games.side("taken")[..., 0] > 0)
    first = np.where(hurt.any(axis=2), hurt.argmax(axis=2), hurt.shape[2])
    return _mean(first + 1, games.counted)


@_measure("tree", "positions")
def distance_moved(games: MeasuredBranches) -> Array:
    """In how many rounds a unit ends on another cell than the round before, a mean over the units."""
    cells = games.side("positions")
    moved = (cells[:, :, 1:] != cells[:, :, :-1]).sum(axis=2)
    return _mean(moved.mean(axis=2), games.counted)


@_measure("tree", "positions")
def unique_cells(games: MeasuredBranches) -> Array:
    """On how many different cells units stand in a game."""
    cells = games.side("positions")
    ordered = np.sort(cells.reshape(*cells.shape[:2], -1), axis=2)
    return _mean(1 + (ordered[:, :, 1:] != ordered[:, :, :-1]).sum(axis=2), games.counted)


@_measure("tree", "exposure")
def exposure(games: MeasuredBranches) -> Array:
    """How many enemies could hurt a unit, a mean over rounds and units."""
    return _mean(games.side("exposure").mean(axis=(2, 3)), games.counted)


# ---------------------------------------------------------------- of the map


@_measure("map")
def cover_density(grid: Grid, form: Form) -> float:
    """The share of the cells that can have something on them which have: covers, or walls and dots, or areas."""
    filled = grid.layers[form.drawn] != 0
    places = form.may_fill(*grid.shape) if form.may_fill else np.ones(grid.shape, np.bool_)
    return float(filled[places].mean())


@_measure("map")
def symmetry(grid: Grid, form: Form) -> float:
    """How much of the map is its own image: of the cells that are filled, or whose image is, the share that is as its
    image, under the best of reflections and turns that fit; 1 for an empty map."""
    cells = grid.layers[form.drawn]
    images = [cells[::-1], cells[:, ::-1], cells[::-1, ::-1]]
    if cells.shape[0] == cells.shape[1]:
        images += [cells.T, cells[::-1, ::-1].T, np.rot90(cells), np.rot90(cells, 3)]
    return max(_likeness(cells, image) for image in images)


def _likeness(cells: Array, image: Array) -> float:
    filled = (cells != 0) | (image != 0)
    return float((cells == image)[filled].mean()) if filled.any() else 1.0


# ---------------------------------------------------------------- of games played for it


@_measure("game")
def seat_advantage(
    game: Game, source: Mapping[str, Any], players: Sequence[str], games: int = 64, seed: int = 0, opening: int = 2
) -> tuple[float, float, float]:
    """What the first seat gets above the others, as a share of the range of returns, each start played from every seat.

    players: one a seat, or one for all. `opening` moves of every start are random: players without chance would else
    play one game over and over. The mean, and its 95 % interval over starts; 0 is balance, -1 and 1 are the most.
    """
    board = game.rebuild(source)[0]
    if int(board.seats) < 2:
        raise BadInput(f"{game.text_name} has one seat; balance is between seats")
    returns, _ = play_on(game, source, players, games, seed, opening)
    return seat_advantage_of(returns, float(board.high - board.low))


def play_on(
    game: Game, source: Mapping[str, Any], players: Sequence[str], games: int = 64, seed: int = 0, opening: int = 2
) -> tuple[Array, Array]:
    """Games on one map, each start from every seat: float64[games, seats] returns and int64[games] moves."""
    from turnsmith.arena.tournament import follow, planned
    from turnsmith.maps.record import always_on

    seats = int(game.rebuild(source)[0].seats)
    if len(players) not in (1, seats):
        raise BadInput(f"{game.text_name} has {seats} seats; name one player, or {seats} ({len(players)} given)")
    named = [*players] * (seats // len(players))
    count = max(1, games // seats) * seats
    lengths: list[Array] = []
    plan = planned(always_on(game, source), named, count, seed, opening=opening)
    *_, (_, table) = follow(plan, count, seen=lambda batch: lengths.append(np.diff(batch.offsets)))
    return table.returns, np.concatenate(lengths)


def seat_advantage_of(returns: Array, span: float) -> tuple[float, float, float]:
    """The advantage of the first seat in such games, and its 95 % interval over starts; span: of the returns."""
    from turnsmith.arena.statistics import mean_interval

    seats = returns.shape[1]
    above = (returns[:, 0] - returns[:, 1:].mean(axis=1)) / span
    return mean_interval(above.reshape(-1, seats).mean(axis=1))


# ---------------------------------------------------------------- many at once


def measure_trees(trees: Trees, names: Sequence[str] = (), important: bool = False) -> dict[str, Array]:
    """float64[trees], or [trees, layers], by name: the measures named, or all that such trees have."""
    chosen = list(names) or [*of_kind("tree", trees.sides), *of_kind("depth", trees.sides)]
    for name in chosen:
        _refuse_unmeasured(name, trees)
    parts: dict[str, list[Array]] = {name: [] for name in chosen}
    for start in range(0, len(trees), CHUNK):
        games = MeasuredBranches(trees[start : start + CHUNK], important)
        for name in chosen:
            parts[name].append(MEASURES[name].of(games))
    return {name: np.concatenate(chunks) for name, chunks in parts.items()}


def _refuse_unmeasured(name: str, trees: Trees) -> None:
    measure = known(name)
    if measure.kind not in ("tree", "depth"):
        raise BadInput(f"{name} is measured of maps, not of trees")
    missing = [side for side in measure.needs if side not in trees.sides]
    if missing:
        raise BadInput(f"{name} needs {missing[0]} of the trees, and these do not have it")


def known(name: str) -> MapMeasure:
    """The measure of a name."""
    if name not in MEASURES:
        near, has = suggestion(name, MEASURES), ", ".join(MEASURES)
        raise BadInput(f"there is no measure '{shown(name)}'{near}; there are {has}")
    return MEASURES[name]


def measure_maps(maps: Sequence[tuple[Grid, Form]], names: Sequence[str] = ()) -> dict[str, Array]:
    """float64[maps] by name: the measures of maps that are named, or all."""
    chosen = list(names) or of_kind("map")
    return {name: np.array([known(name).of(grid, form) for grid, form in maps]) for name in chosen}
