"""Fair tournaments: schedule, play, store, and tables with honest intervals."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from turnsmith.arena.different import count_different
from turnsmith.arena.match import Match as Match
from turnsmith.arena.match import load_match as load_match
from turnsmith.arena.match import play as play
from turnsmith.arena.openings import MOST_MOVES
from turnsmith.arena.runners import Batch, Plan, run, warm_up
from turnsmith.arena.schedule import MOST_SEATED, Seatings
from turnsmith.arena.table import Streamed as Streamed
from turnsmith.arena.table import Table as Table
from turnsmith.game import Game, load
from turnsmith.languages import _
from turnsmith.player import Player, player
from turnsmith.texts import BadInput

if TYPE_CHECKING:
    from turnsmith.arena.store import Keep, Store

T = TypeVar("T")


def arena(
    game: Game | str,
    players: Sequence[str | Player],
    games: int = 100,
    *,
    seed: int = 0,
    workers: int = 1,
    limit: float = 0.0,
    opening: int = 0,
    store: Store | str | None = None,
    keep: Keep = "all",
    progress: Callable[[int, int], None] | None = None,
) -> Table:
    """Let players meet: every start in all rotations of the seats, the same for every run with this seed.

    `limit` is seconds a move; who exceeds it, raises, or moves illegally forfeits that game and the arena goes on.
    `opening` moves of every start are random, the same in all its rotations: players without chance or whims would else
    play one game over and over, and an interval would count it many times.
    With a store, a run that was interrupted continues where it was.
    """
    plan = planned(_loaded(game, workers), players, games, seed, limit, opening)
    with _opened(store) as known:
        return _last(follow(plan, games, workers, known, keep), games, progress)


def streamed(
    game: Game | str,
    players: Sequence[str | Player],
    games: int = 100,
    *,
    seed: int = 0,
    workers: int = 1,
    limit: float = 0.0,
    opening: int = 0,
    store: Store | str | None = None,
    keep: Keep = "all",
    progress: Callable[[int, int], None] | None = None,
) -> Streamed:
    """The table of ``arena`` without the results of single matches: as small for a million games as for a few."""
    from turnsmith.arena.streaming import stream

    plan = planned(_loaded(game, workers), players, games, seed, limit, opening)
    names = distinct([repr(p) for p in plan.players])
    with _opened(store) as known:
        return _last(stream(plan, games, names, workers, known, keep), games, progress)


def _loaded(game: Game | str, workers: int) -> Game:
    if workers < 1:
        raise BadInput(f"workers={workers} must be at least 1")
    return load(game) if isinstance(game, str) else game


@contextlib.contextmanager
def _opened(store: Store | str | None) -> Iterator[Store | None]:
    """A store that is named is closed again."""
    if not isinstance(store, str):
        yield store
        return
    from turnsmith.arena.store import Store

    with contextlib.closing(Store(store)) as opened:
        yield opened


def _last(steps: Iterator[tuple[int, T]], games: int, progress: Callable[[int, int], None] | None) -> T:
    for done, table in steps:
        latest = table
        if progress:
            progress(done, games)
    return latest


def planned(
    game: Game, players: Sequence[str | Player], games: int, seed: int = 0, limit: float = 0.0, opening: int = 0
) -> Plan:
    """What an arena of these players plays; refused where they cannot."""
    known = [player(p, game) for p in players]
    if games < 1 or not 0 <= limit <= 86_400:
        raise BadInput(f"games={games} must be at least 1, limit={limit} seconds 0 to 86400")
    if not 0 <= opening <= MOST_MOVES:
        raise BadInput(f"opening={opening} must be 0 to {MOST_MOVES} random moves")
    if not 0 <= seed < 2**63:
        raise BadInput(f"seed={seed} must be 0 to 2**63 - 1")
    boards = game.board()
    for each in known:
        each.check(game, boards)
    return Plan(game, known, Seatings(len(known), int(boards[0].seats), games, seed), seed, limit, None, opening)


def follow(
    plan: Plan,
    games: int,
    workers: int = 1,
    store: Store | None = None,
    keep: Keep = "all",
    seen: Callable[[Batch], None] | None = None,
) -> Iterator[tuple[int, Table]]:
    """Play an arena, batch by batch: how many games are done, and the table of those done without a gap.

    The first comes before anything is played, or compiled. Whoever stops asking stops the arena. `seen` is shown every
    batch that is played.
    """
    if games * plan.seats > MOST_SEATED:
        raise BadInput(f"games={games} are too many to hold: at most {MOST_SEATED // plan.seats}; see streamed")
    returns = np.zeros((games, plan.seats), np.float64)
    culprits = np.full(games, -1, np.int32)
    reasons: dict[int, str] = {}
    played = np.zeros(games, np.bool_)
    seconds, name, keys = 0.0, "", dict[int, bytes]()
    names, goal = distinct([repr(p) for p in plan.players]), plan.game.goal(plan.game.board()[0])

    def table() -> Table:
        end = games if played.all() else int(np.argmin(played))
        known = {number: why for number, why in reasons.items() if number < end}
        done = (plan.seating[:end], returns[:end].copy(), culprits[:end].copy(), known)
        return Table(plan.game.text_name, names, plan.seed, seconds, *done, goal, count_different(keys, end))

    if store is not None:
        name = store.open_run(plan)
        old = store.results(name, games)
        played[old.numbers], culprits[old.numbers], seconds = True, old.culprits, old.seconds
        if len(old.numbers):
            returns[old.numbers] = old.returns
        reasons.update(old.reasons)
        keys |= old.keys
    yield int(played.sum()), table()
    todo = np.flatnonzero(~played)
    warm_up(plan, todo)
    mark = time.monotonic()
    for batch in run(plan, todo, workers):
        lap = time.monotonic() - mark
        returns[batch.numbers], culprits[batch.numbers], played[batch.numbers] = batch.returns, batch.culprits, True
        reasons.update(batch.reasons)
        if store is None or keep == "all":  # else whoever goes on with the run could not say the same
            keys |= batch.keys
        if store is not None:
            store.add(name, plan, batch, lap, keep)
        if seen:
            seen(batch)
        mark += lap
        seconds += lap
        yield int(played.sum()), table()


def stored_table(store: Store, run: str, load: Callable[[str], Game] = load) -> Streamed:
    """The table of a run as the store has it, from the games done without a gap; `load` gives its game."""
    from turnsmith.arena.streaming import InOrder
    from turnsmith.arena.tally import Tally

    row = next((row for row in store.runs() if row["run"] == run), None)
    if row is None:
        raise BadInput(_("the store has no run '{run}'; see the runs it has").format(run=run[:40]))
    game = load(row["game"])
    board = game.board()[0]
    goal, order, seconds = game.goal(board), InOrder(), 0.0
    tally, reasons, keys = Tally(len(row["players"]), int(board.seats), goal), dict[int, str](), dict[int, bytes]()
    for part in store.parts(run):
        seconds += part.seconds
        reasons.update(part.reasons)
        keys |= part.keys
        columns = (part.matches[name] for name in ("number", "seats", "returns", "culprit"))
        for _place, (seating, returns, culprits) in order.add(*columns):
            tally.add(seating, returns, culprits)
    told = (row["game"], distinct(row["players"]), int(row["seed"]), seconds, tally, reasons, goal)
    return Streamed(*told, count_different(keys, order.end))


def distinct(names: list[str]) -> list[str]:
    """The same names, with #2, #3, … behind those that come again.

    >>> distinct(["random", "mcts", "random"])
    ['random', 'mcts', 'random #2']
    """
    return [name if (before := names[:i].count(name)) == 0 else f"{name} #{before + 1}" for i, name in enumerate(names)]
