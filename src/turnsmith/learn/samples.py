"""Positions to learn from: matches are played again move by move, and a compiled rule says which positions to keep.

Matches come from a plan as it is played, or from the store. Rows of one start (a board and the chance before the first
decision, which all seatings of a table share) resemble each other: split them by `start`, never row by row. The same
matches give the same rows, in the order of their numbers, however they came in batches.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from turnsmith.arena.loop import contains
from turnsmith.arena.runners import ArenaPlan, MatchBatch, run
from turnsmith.arena.store import Store
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import bundle_type, compiled, copy, zero
from turnsmith.compile.rng import set_stream
from turnsmith.contract.game import OVER, Game
from turnsmith.contract.loading import load
from turnsmith.learn.fit import Progress, silent
from turnsmith.play.observe import Observer, observe
from turnsmith.play.step import see

Pick = Callable[..., Any]
"""(board, state, mover, action, ply, rng) -> whether to keep the position in which `mover` is about to make `action`;
compiled. `rng` is a stream of the match's own."""

FIRST_ROWS = 1024


def every_decision(board: Any, state: Any, mover: Any, action: Any, ply: Any, rng: Any) -> bool:
    """The plainest rule."""
    return True


@dataclass(frozen=True)
class Samples:
    """Positions in which a seat decided, one a row, in the order of matches and plies."""

    game: Game
    boards: Array
    """Board[…]: every board once."""
    which: Array
    """int64[rows]: the row's board."""
    states: Array
    """State[rows], nothing hidden."""
    match: Array
    """int64[rows]: number of the match."""
    start: Array
    """int64[rows]: matches with the same board and chance before the first decision share it."""
    ply: Array
    """int64[rows]: moves made before, chance included."""
    length: Array
    """int64[rows]: all moves of the match."""
    mover: Array
    """int64[rows]: who decides."""
    action: Array
    """int64[rows]: what was decided."""
    returns: Array
    """float64[rows, seats]: how the match ended for every seat."""

    def __len__(self) -> int:
        return len(self.match)

    @property
    def quarter(self) -> Array:
        """int64[rows]: which quarter of its match a row is from, 0 to 3."""
        return np.asarray(4 * self.ply // self.length)

    def of(self, chosen: Array) -> Samples:
        """The same with some rows only."""
        columns = {name: part[chosen] for name, part in vars(self).items() if name not in ("game", "boards")}
        return dataclasses.replace(self, **columns)


# ---------------------------------------------------------------- taking them


def sample(
    plan: ArenaPlan, todo: Array, pick: Pick, who: Collection[int] = (), seed: int = 0, workers: int = 1,
    progress: Progress = silent,
) -> Samples:  # fmt: skip
    """Play the matches `todo` of a plan and take positions of the players `who` (places in its list; all if empty)."""
    parts, done = {}, 0
    for batch in run(plan, todo, workers):
        parts[int(batch.numbers[0])] = sample_batch(plan, batch, pick, who, seed)
        done += len(batch.numbers)
        progress(done, len(todo))
    return joined([parts[first] for first in sorted(parts)])


def sample_batch(plan: ArenaPlan, batch: MatchBatch, pick: Pick, who: Collection[int] = (), seed: int = 0) -> Samples:
    """The same of some matches that were just played."""
    for row in np.flatnonzero(batch.culprits >= 0)[:1]:
        number = int(batch.numbers[row])
        culprit = plan.players[plan.seating[number, batch.culprits[row]]]
        raise BadInput(f"{culprit!r} {batch.reasons[number]}; learn from another player")
    starts = plan.drawn_as(batch.numbers) // plan.seats
    once, start_of = np.unique(starts, return_inverse=True)
    at = plan.sites(once)
    sites = list(dict.fromkeys(at))
    place = {site: index for index, site in enumerate(sites)}
    batch = dataclasses.replace(batch, which=np.array([place[site] for site in at], np.int32)[start_of])
    return _taken(plan.game, plan.boards(sites), plan.seating[batch.numbers], starts, batch, pick, who, seed)


def sample_stored(store: Store, name: str, pick: Pick, who: Collection[int] = (), seed: int = 0) -> Samples:
    """The same from the matches that a store has of the run `name`; what is stored is checked before it is replayed."""
    known = {row["run"]: row["game"] for row in store.runs()}
    if name not in known:
        raise BadInput(f"the store has no run '{name[:40]}'; see the runs it has")
    game, parts = load(known[name]), list[Samples]()
    for seating, batch in store.batches(name):
        boards = [game.rebuild(source) for source in json.loads(batch.sources())]
        if any(int(board["seats"][0]) != seating.shape[1] for board in boards) or batch.which.max() >= len(boards):
            raise BadInput(f"run {name} has boards that do not fit its matches; put a copy of the store in its place")
        starts = batch.numbers // seating.shape[1]
        parts.append(_taken(game, np.concatenate(boards), seating, starts, batch, pick, who, seed, checked=True))
    if not parts:
        raise BadInput(f"run {name} was stored as seeds only; play it again with --keep all")
    samples = joined(parts)
    _, once = np.unique(np.stack([samples.match, samples.ply]), axis=1, return_index=True)  # older stores may have two
    return samples.of(once)


def joined(parts: Sequence[Samples]) -> Samples:
    """Samples of one game, one behind the other; equal boards become one."""
    place: dict[bytes, int] = {}
    boards, which = list[Array](), list[Array]()
    for part in parts:
        names = [part.boards[index : index + 1].tobytes() for index in range(len(part.boards))]
        for index, name in enumerate(names):
            if name not in place:
                place[name] = len(boards)
                boards.append(part.boards[index : index + 1].view(np.uint8))
        which.append(np.array([place[name] for name in names], np.int64)[part.which])
    columns = [f.name for f in dataclasses.fields(Samples) if f.name not in ("game", "boards", "which")]
    together: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in columns}
    game = parts[0].game
    return Samples(game, np.concatenate(boards).view(game.Board), np.concatenate(which), **together)


def _taken(
    game: Game, boards: Array, seating: Array, starts: Array, batch: MatchBatch, pick: Pick, who: Collection[int],
    seed: int, checked: bool = False,
) -> Samples:  # fmt: skip
    """The rows of one batch, whose matches are played on boards[batch.which]."""
    whole = batch.culprits < 0  # a forfeited match has no end to learn from
    kept = (np.isin(seating, list(who)) if who else np.ones(seating.shape, np.bool_)) & whole[:, None]
    which = batch.which.astype(np.int64)
    matches = ReplayedMatches(which, batch.numbers, kept, batch.log, batch.offsets)
    wide = int(max(boards["actions"].max(), boards["outcomes"].max())) if checked else 0
    buffers = np.zeros(1, game.State), np.zeros(wide, np.int32), np.zeros(1, np.uint64)
    rows, cursor = _room(game, FIRST_ROWS), np.zeros(3, np.int64)
    while cursor[0] < len(which):
        compiled(replay)(game, _rule(pick), boards, matches, rows, np.uint64(seed), *buffers, cursor)
        if cursor[2]:
            raise BadInput(f"match {batch.numbers[cursor[0]]} holds moves that {game.text_name} does not allow there")
        if cursor[0] < len(which):
            rows = PositionRows(
                *(np.concatenate([old, new]) for old, new in zip(rows, _room(game, len(rows[0])), strict=True))
            )
    states, index, ply, mover, action = (column[: cursor[1]] for column in rows)
    number, start, length = batch.numbers[index], starts[index], np.diff(batch.offsets)[index]
    return Samples(game, boards, which[index], states, number, start, ply, length, mover, action, batch.returns[index])


class ReplayedMatches(NamedTuple):
    """Match m is log[offsets[m]:offsets[m + 1]] on boards[which[m]]; positions are kept of seats with kept[m, seat]."""

    which: Array
    numbers: Array
    kept: Array
    log: Array
    offsets: Array


class PositionRows(NamedTuple):
    """Room for positions that are kept."""

    states: Array
    match: Array
    ply: Array
    mover: Array
    action: Array


def _room(game: Game, count: int) -> PositionRows:
    return PositionRows(np.zeros(count, game.State), *(np.zeros(count, np.int64) for _ in range(4)))


class _Bundle:
    """Functions as a zero-size value for compiled code."""

    def __init__(self, **members: Callable[..., Any]):
        self._numba_type_ = bundle_type("samples", members)
        vars(self).update(members)


@cache
def _rule(pick: Pick) -> _Bundle:
    return _Bundle(pick=pick)


@cache
def _reader(describe: Callable[..., Any]) -> _Bundle:
    return _Bundle(describe=describe)


def replay(
    game: Any, rule: Any, boards: Any, matches: Any, rows: Any, seed: Any, states: Any, acts: Any, rng: Any, cursor: Any
) -> None:  # fmt: skip
    """Replay matches from cursor[0] on and fill rows from cursor[1] on, until there are no more of one or the other.

    With room in `acts` every move is checked; at the first that is not legal, cursor[2] becomes 1 and it ends.
    """
    state = states[0]
    while cursor[0] < matches.which.shape[0]:
        match, row = cursor[0], cursor[1]
        board, first = boards[matches.which[match]], matches.offsets[match]
        set_stream(rng, seed, matches.numbers[match], 0)
        zero(state)
        game.setup(board, state)
        for place in range(first, matches.offsets[match + 1]):
            mover, action = game.to_move(board, state), np.int64(matches.log[place])
            if acts.shape[0] and (mover == OVER or not contains(acts, game.legal(board, state, acts), action)):
                cursor[2] = 1
                return
            if mover >= 0 and matches.kept[match, mover] and rule.pick(board, state, mover, action, place - first, rng):
                if row == rows.match.shape[0]:
                    return
                copy(rows.states[row], state)
                rows.match[row], rows.ply[row], rows.mover[row], rows.action[row] = match, place - first, mover, action
                row += 1
            game.apply(board, state, action)
        cursor[0], cursor[1] = match + 1, row


# ---------------------------------------------------------------- looking at them


def described(samples: Samples, describe: Callable[..., Any], width: int, kind: Any = np.float32) -> Array:
    """kind[rows, width]: what the compiled ``describe(board, state, mover, out)`` writes of every row."""
    out = np.zeros((len(samples), width), kind)
    reader, where = _reader(describe), (samples.boards, samples.which)
    compiled(describe_all)(samples.game, reader, *where, samples.states, samples.mover, out)
    return out


def describe_all(game: Any, reader: Any, boards: Any, which: Any, states: Any, movers: Any, out: Any) -> None:
    """The kernel: `game` is here so that its rules are part of what the cached code is known by."""
    for row in range(which.shape[0]):
        reader.describe(boards[which[row]], states[row], movers[row], out[row])


def observed(samples: Samples, observer: Observer) -> Array:
    """What the movers see of every row, as an observer shows it: [rows, *observer.shape]."""
    out = observer.zeros(len(samples))
    where = (samples.boards, samples.which, samples.states, samples.mover)
    compiled(observe_all)(samples.game, *where, np.zeros(1, samples.game.State), observer.slots, out)
    return out


def observe_all(
    game: Any, boards: Any, which: Any, states: Any, movers: Any, views: Any, slots: Any, out: Any
) -> None:  # fmt: skip
    for row in range(which.shape[0]):
        board = boards[which[row]]
        see(game, board, states[row], views[0], movers[row])
        observe(game, board, views[0], movers[row], slots, out[row])
