"""Fair tournaments: schedule, play, store, and tables with honest intervals."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from turnsmith.arena.different import count_different
from turnsmith.arena.match import Match as Match
from turnsmith.arena.match import load_match as load_match
from turnsmith.arena.match import play as play
from turnsmith.arena.openings import MOST_MOVES
from turnsmith.arena.runners import ArenaPlan
from turnsmith.arena.schedule import Seatings
from turnsmith.arena.streaming import InOrder, stream
from turnsmith.arena.streaming import follow as follow
from turnsmith.arena.table import Streamed as Streamed
from turnsmith.arena.table import Table as Table
from turnsmith.arena.table import distinct as distinct
from turnsmith.arena.tally import Tally
from turnsmith.common.errors import BadInput
from turnsmith.contract.game import Game
from turnsmith.contract.loading import load
from turnsmith.languages import _
from turnsmith.play.player import Player, player

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
) -> ArenaPlan:
    """What an arena of these players plays; refused where they cannot."""
    known = [player(p, game) for p in players]
    if games < 1 or not 0 <= limit <= 86_400:
        raise BadInput(f"games={games} must be at least 1, limit={limit} seconds 0 to 86400")
    if not 0 <= opening <= MOST_MOVES:
        raise BadInput(f"opening={opening} must be 0 to {MOST_MOVES} random moves")
    if not 0 <= seed < 2**63:
        raise BadInput(f"seed={seed} must be 0 to 2**63 - 1")
    boards = game.board()
    for who in known:
        who.check(game, boards)
    return ArenaPlan(game, known, Seatings(len(known), int(boards[0].seats), games, seed), seed, limit, None, opening)


def stored_table(store: Store, run: str, load: Callable[[str], Game] = load) -> Streamed:
    """The table of a run as the store has it, from the games done without a gap; `load` gives its game."""
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
    return Streamed(
        game=row["game"],
        players=distinct(row["players"]),
        seed=int(row["seed"]),
        seconds=seconds,
        counted=tally,
        reasons=reasons,
        goal=goal,
        different=count_different(keys, order.end),
    )
