"""The player that ``cfr`` makes, and its file: a probability for every action of every information set.

A file has the strategy by key, to play from, and what it takes to go on with the iterations. A set is found by the key
of all that its seat has seen and done in this match, else by its view alone: that names it wherever views forget
nothing. Where they do, a player that is asked in the middle of a match plays the average of what it would do in all
sets that look like this, weighted by how likely they are.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.common.settings import FileName, setting
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import mix, unit
from turnsmith.contract.game import Game, hash_bytes
from turnsmith.languages import _
from turnsmith.nets.files import read_arrays, until_changed, write_arrays
from turnsmith.play.player import POLICY, VALUE, WORK, CompiledPlayer, Prepared, for_any_game
from turnsmith.play.position import PositionView
from turnsmith.search.cfr import MOST_ITERATIONS, MethodName, Solution, Solving, solve_by_regrets
from turnsmith.search.exploitability import realise
from turnsmith.search.information_sets import LIMIT, ListedGame, Slot, after, find, list_sets, recalled

KIND = "strategy of information sets"
HEAD = 16
"""Bytes in a player's data before all else: how many slots, how many sets."""
NODES_A_SECOND = 100_000_000
"""Of the tree, times iterations: what is surely done in that time."""


# ---------------------------------------------------------------- deciding


@for_any_game
def decide(game, board, view, acts, data, memory, params, report, rng):
    counts = data[:HEAD].view(np.int64)
    firsts_at = HEAD + counts[0] * 16
    shares_at = firsts_at + 8 * (counts[1] + 1)
    values_at = data.shape[0] - 8 * counts[1]
    slots, firsts = data[HEAD:firsts_at].view(Slot), data[firsts_at:shares_at].view(np.int64)
    shares, values = data[shares_at:values_at].view(np.float64), data[values_at:].view(np.float64)
    remembered = memory[:8].view(np.uint64)
    seat, seen = np.int64(game.to_move(board, view)), hash_bytes(board, view)
    key = recalled(remembered[0], seen, seat)
    number = slots[find(slots, key)].number
    if number < 0:
        number = slots[find(slots, mix(seen + np.uint64(seat)))].number
    count, first = acts.shape[0], np.int64(0)
    if number >= 0:
        first = firsts[number]
        if not np.isnan(values[number]):
            report[VALUE], report[WORK] = values[number], 1.0
    is_known = number >= 0 and firsts[number + 1] - first == count
    left, chosen = unit(rng), count - 1
    for index in range(count):
        share = shares[first + index] if is_known else 1.0 / count
        if report.shape[0] > POLICY:
            report[POLICY + index] = share
        if 0.0 <= left < share:
            chosen = index
        left -= share
    while is_known and shares[first + chosen] == 0.0:  # sums of shares may be a little below 1
        chosen -= 1
    remembered[0] = after(key, np.int64(acts[chosen]))
    return np.int64(acts[chosen])


# ---------------------------------------------------------------- what is kept


@dataclass(frozen=True, eq=False)
class MixedStrategy:
    """Sets by key: the actions of set i have the shares firsts[i]:firsts[i + 1], and its owner may expect values[i],
    NaN where that is not known."""

    keys: Array
    firsts: Array
    shares: Array
    values: Array

    def data(self) -> Array:
        """The same as bytes for ``decide``."""
        slots = np.zeros(2 * len(self.keys) + 1, Slot)
        slots["number"] = -1
        compiled(fill)(slots, self.keys)
        counts = np.array([len(slots), len(self.keys)], np.int64)
        parts = (counts, slots, self.firsts.astype(np.int64), self.shares, self.values)
        return np.concatenate([np.ascontiguousarray(part).view(np.uint8).reshape(-1) for part in parts])


def fill(slots, keys):
    for number in range(keys.shape[0]):
        place = find(slots, keys[number])
        slots[place].key, slots[place].number = keys[number], number


def strategy_of(solution: Solution) -> MixedStrategy:
    """A solution by the keys of what is seen; where views forget, by the keys of all that was seen before, too."""
    listing, form = solution.listing, solution.listing.form
    values, likely = solution.expected()
    shares, widths = solution.strategy[listing.seats :], np.diff(form.firsts)
    firsts = (form.firsts - listing.seats).astype(np.int64)
    if listing.recalls:
        return MixedStrategy(listing.views, firsts, shares, values)
    reach = np.zeros_like(solution.strategy)
    for seat in range(listing.seats):
        compiled(realise)(form, seat, solution.strategy, reach)
    views, where = np.unique(listing.views, return_inverse=True)
    weights = likely * reach[form.parents]
    weights[np.bincount(where, weights, len(views))[where] == 0.0] = 1.0  # nobody comes there: all are as likely
    alike = np.bincount(where, weights, len(views))
    wide = np.zeros(len(views), np.int64)
    wide[where] = widths
    begins = np.concatenate([[0], np.cumsum(wide)])
    place = np.repeat(begins[where], widths) + np.arange(len(shares)) - np.repeat(firsts[:-1], widths)
    mixed = np.bincount(place, shares * np.repeat(weights / alike[where], widths), int(begins[-1]))
    return MixedStrategy(
        np.concatenate([listing.keys, views]),
        np.concatenate([firsts, firsts[-1] + begins[1:]]),
        np.concatenate([shares, mixed]),
        np.concatenate([values, np.bincount(where, values * weights / alike[where], len(views))]),
    )


def about(game: Game, boards: Array, method: str, seed: int) -> dict[str, Any]:
    """What a file is of: it plays, and goes on, nowhere else."""
    board = hashlib.sha256(boards.tobytes()).hexdigest()[:16]
    return {"kind": KIND, "game": game.text_name, "rules": game.digest, "board": board, "method": method, "seed": seed}


def save(path: Path, solving: Solving, solution: Solution) -> None:
    """The file of a solving as it is now."""
    listing, strategy = solving.listing, strategy_of(solution)
    told = about(listing.game, listing.boards, solving.method, solving.seed)
    told |= {"value": solution.value, "exploitability": solution.exploitability}
    arrays = {"keys": strategy.keys, "firsts": strategy.firsts, "shares": strategy.shares, "values": strategy.values}
    state = {"regrets": solving.tables.regrets, "sums": solving.tables.sums, "rng": solving.rng}
    counted = {
        "iterations": np.array([solving.iterations]),
        "about": np.frombuffer(json.dumps(told).encode(), np.uint8),
    }
    write_arrays(path, {**arrays, **state, **counted}, compressed=False)


def _told(path: Path, arrays: dict[str, Array]) -> dict[str, Any]:
    try:
        told = json.loads(arrays["about"].tobytes())
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or told.get("kind") != KIND:
        raise BadInput(f"{path} is no strategy of 'turnsmith cfr'; make one: turnsmith cfr GAME --to strategy.npz")
    return told


def _refuse_other(path: Path, told: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Refuse a file that is of something else; a game in a file may have moved."""
    if told.get("rules") != wanted["rules"] and told.get("game") != wanted["game"]:
        raise BadInput(f"{path} is of game {shown(told.get('game'))}, not {wanted['game']}; name another file")
    for name, other in (("rules", "other rules"), ("board", "another board")):
        if told.get(name) != wanted[name]:
            raise BadInput(f"{path} was made for {other} of {wanted['game']}; make it again")
    for name in ("method", "seed"):
        if name in wanted and told.get(name) != wanted[name]:
            raise BadInput(f"{path} is of {name} {shown(told.get(name))}, not {wanted[name]}; name another file")


def resume(path: Path, solving: Solving) -> None:
    """Go on with the iterations of a file, which must be of the same game, method and seed."""
    arrays = read_arrays(path)
    listing = solving.listing
    _refuse_other(path, _told(path, arrays), about(listing.game, listing.boards, solving.method, solving.seed))
    state = [arrays.get(name, np.zeros(0)) for name in ("regrets", "sums", "rng", "iterations")]
    shapes = [(np.dtype(np.float64), (len(listing.actions),))] * 2 + [
        (np.dtype(np.uint64), (1,)),
        (np.dtype(int), (1,)),
    ]
    if [(each.dtype, each.shape) for each in state] != shapes or not _is_plausible(listing, *state):
        raise BadInput(f"{path} is damaged; remove it and make it again")
    solving.resume(int(state[3][0]), state[0], state[1], state[2])


def _is_plausible(listing: ListedGame, regrets: Array, sums: Array, rng: Array, iterations: Array) -> bool:
    """Whether so many iterations can have left these: each adds at most the range of returns to a regret, and at most
    its own number to a sum, for every position of the tree."""
    count, board = int(iterations[0]), listing.boards[0]
    if not 0 <= count <= MOST_ITERATIONS:
        return False
    most = len(listing.tree.sets) * (count + 1.0) ** 2
    wide = max(1.0, float(board["high"]) - float(board["low"]))
    return bool((np.abs(regrets) <= most * wide).all() and ((sums >= 0.0) & (sums <= most)).all())


@until_changed
def _read(path: Path) -> tuple[dict[str, Any], MixedStrategy]:
    """What a file says it is, and its strategy: looked at before compiled code relies on it."""
    arrays = read_arrays(path)
    told = _told(path, arrays)
    kinds = {"keys": np.uint64, "firsts": np.int64, "shares": np.float64, "values": np.float64}
    parts = {name: arrays.get(name, np.zeros(0)) for name in kinds}
    keys, firsts, shares, values = parts.values()
    is_sound = (
        all(parts[name].dtype == kind and parts[name].ndim == 1 for name, kind in kinds.items())
        and len(keys) > 0
        and len(firsts) == len(keys) + 1 == len(values) + 1
        and firsts[0] == 0
        and firsts[-1] == len(shares)
        and bool((np.diff(firsts) > 0).all())
        and bool((shares >= 0.0).all() and np.isfinite(values).all())
        and bool((np.abs(np.add.reduceat(shares, firsts[:-1]) - 1.0) < 1e-6).all())
    )
    if not is_sound:
        raise BadInput(f"{path} is damaged; remove it and make it again")
    return told, MixedStrategy(keys, firsts, shares, values)


@lru_cache(maxsize=4)
def _solved(game: Game, board: bytes, limit: int, method: MethodName, iterations: int) -> MixedStrategy:
    return strategy_of(solve_by_regrets(Solving(list_sets(game, board, limit), method), iterations, -1.0))


# ---------------------------------------------------------------- the player


@dataclass(frozen=True, repr=False)
class Cfr(CompiledPlayer):
    name = "cfr"
    summary = "play that can hardly be won from, where something is hidden and the game is small"
    tells = "policy"
    decide = decide

    strategy: Annotated[str, FileName()] = setting("")
    """A file of `turnsmith cfr`; without one the strategy is worked out before the first move."""
    iterations: int = setting(1000, 1, MOST_ITERATIONS)
    """Iterations, where there is no file."""
    method: MethodName = "cfr+"
    """How, where there is no file; mccfr samples."""
    limit: int = setting(LIMIT, 1, 200_000_000)
    """The most positions of the tree; they take some 150 bytes each."""

    def within(self, seconds: float) -> Cfr:
        return self if self.strategy else replace(self, limit=min(self.limit, self._affordable(seconds)))

    def _affordable(self, seconds: float) -> int:
        return max(1, int(seconds * NODES_A_SECOND / (100 + (0 if self.method == "mccfr" else self.iterations))))

    def refuses(self, game: Game, board: Any) -> str | None:
        if board.seats < 2:
            return "it has one seat, and cfr is for seats that oppose each other"
        if not game.hides and not self.strategy:
            return "nothing is hidden from anybody; solve plays such games perfectly where they are small, mcts any"
        return None

    def _found(self, game: Game, boards: Array) -> MixedStrategy:
        if not self.strategy:
            return _solved(game, boards.tobytes(), self.limit, self.method, self.iterations)
        path = Path(self.strategy)
        if not path.is_file() or path.suffix == ".json":  # which is there to be read by people
            why = "is for people" if path.is_file() else "is not there"
            raise BadInput(f"{path} {why}; make a strategy to play by: turnsmith cfr {game.text_name} --to x.npz")
        told, strategy = _read(path)
        wanted = about(game, boards, "", 0)
        _refuse_other(path, told, {name: wanted[name] for name in ("game", "rules", "board")})
        return strategy

    def prepare(self, game: Game, boards: Array) -> Prepared:
        return Prepared.of(data=self._found(game, boards).data())

    def whole_policy(self, listing: ListedGame) -> Array:
        """By key where views forget, as in a match that it plays from the beginning."""
        found = self._found(listing.game, listing.boards)
        keys = listing.views if listing.recalls else listing.keys
        order = np.argsort(found.keys)
        number = order[np.minimum(np.searchsorted(found.keys[order], keys), len(order) - 1)]
        widths = np.diff(listing.form.firsts)
        if (found.keys[number] != keys).any() or (np.diff(found.firsts)[number] != widths).any():
            raise BadInput(f"{self!r} lacks information sets of {listing.game.text_name}; make its file again")
        within = np.arange(len(listing.actions) - listing.seats) - np.repeat(np.cumsum(widths) - widths, widths)
        shares = found.shares[np.repeat(found.firsts[number], widths) + within]
        return np.concatenate([np.ones(listing.seats), shares])

    def note(self, position: PositionView, action: int, report: Array, memory: Array) -> str:
        shares = report[POLICY:]
        share = shares[position.actions == action].sum()
        return _("it plays this {share:.1%} of the time when it sees this").format(share=share)
