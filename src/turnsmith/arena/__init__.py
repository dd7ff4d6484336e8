"""Fair tournaments: schedule, play, store, and tables with honest intervals."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.arena.match import Match as Match
from turnsmith.arena.match import load_match as load_match
from turnsmith.arena.match import play as play
from turnsmith.arena.runners import Plan, run, warm_up
from turnsmith.arena.schedule import seatings
from turnsmith.arena.statistics import Rate, clustered_rate, mean_interval, ratings, shares
from turnsmith.game import Array, Game, load
from turnsmith.player import Player, player
from turnsmith.texts import BadInput

if TYPE_CHECKING:
    from turnsmith.arena.store import Keep, Store


@dataclass(frozen=True)
class Table:
    """The results of an arena. ``str`` shows them to people, ``to_dict`` to programs."""

    game: str
    players: list[str]
    seed: int
    seconds: float
    seating: Array
    returns: Array
    culprits: Array
    reasons: dict[int, str]

    @property
    def games(self) -> int:
        return len(self.returns)

    def to_dict(self) -> dict[str, Any]:
        """One JSON document: players with intervals, pairs, seats, ratings and forfeits."""
        points = shares(self.returns)
        seats = self.returns.shape[1]
        groups = np.arange(self.games) // seats
        tables = np.unique(np.sort(self.seating, axis=1), axis=0, return_inverse=True)[1].reshape(-1)

        def rate_where(chosen: Array) -> Rate:
            match, seat = np.nonzero(chosen)
            return clustered_rate(points[match, seat], groups[match], tables[match])

        best = self.returns == self.returns.max(axis=1, keepdims=True)
        alone = best & (best.sum(axis=1, keepdims=True) == 1)
        skill = ratings(self.seating, self.returns, len(self.players)) if seats > 1 else []
        rows, pairs = [], []
        for index, name in enumerate(self.players):
            mine = self.seating == index
            rate = rate_where(mine)
            row: dict[str, Any] = {
                "name": name,
                "games": rate.games,
                "wins": int(alone[mine].sum()),
                "draws": int((best & ~alone)[mine].sum()),
                **rate.rounded(),
                "mean_return": round(float(self.returns[mine].mean()), 6) if rate.games else None,
                "forfeits": sum(int(self.seating[m][self.culprits[m]] == index) for m in self.reasons),
            }
            if skill:
                row["rating"] = {"mu": round(skill[index][0], 3), "sigma": round(skill[index][1], 3)}
            rows.append(row)
            for other, rival in enumerate(self.players):
                met = mine.any(axis=1) & (self.seating == other).any(axis=1)
                if other != index and met.any():
                    pair = {"player": name, "against": rival, "games": int(met.sum())}
                    pairs.append({**pair, **rate_where(mine & met[:, None]).rounded()})
        by_seat = [{"seat": s, **clustered_rate(points[:, s], groups, tables).rounded()} for s in range(seats)]
        forfeits = [
            {"match": m, "seat": seat, "player": self.players[self.seating[m][seat]], "reason": reason}
            for m, reason, seat in ((m, why, int(self.culprits[m])) for m, why in sorted(self.reasons.items()))
        ]
        return {
            "game": self.game,
            "games": self.games,
            "seed": self.seed,
            "seconds": round(self.seconds, 6),
            "games_per_second": round(self.games / self.seconds, 3) if self.seconds else None,
            "players": rows,
            "pairs": pairs,
            "seats": by_seat,
            "meetings": self.meetings() if seats == 2 else [],
            "forfeits": forfeits,
        }

    def meetings(self) -> list[dict[str, Any]]:
        """For every order in which players sat at the table: the mean return of the first seat and its interval."""
        orders, which = np.unique(self.seating, axis=0, return_inverse=True)
        found = []
        for index, order in enumerate(orders):
            first = self.returns[which.reshape(-1) == index, 0]
            mean, low, high = (round(end, 6) if np.isfinite(end) else None for end in mean_interval(first))
            seats = [self.players[player] for player in order]
            found.append({"seats": seats, "games": len(first), "mean_return": mean, "low": low, "high": high})
        return found

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(width=110, color_system=None)
        with console.capture() as capture:
            for part in self.__rich__().renderables:
                console.print(part)
        return capture.get().rstrip()

    def __rich__(self) -> Any:
        from rich.box import SIMPLE_HEAD
        from rich.console import Group
        from rich.table import Table as Grid

        found = self.to_dict()
        speed = f", {found['games_per_second']:,.0f} games/s" if self.seconds else ""
        grid = Grid(
            title=f"{self.game}: {self.games:,} games, seed {self.seed}{speed}",
            title_justify="left",
            box=SIMPLE_HEAD,
            pad_edge=False,
        )
        graded = self._is_graded()
        last = "rating" if self.returns.shape[1] > 1 and not graded else "mean return"
        for column in ("player", "games", "wins", "draws", "rate", "95 % interval", last):
            grid.add_column(column, justify="left" if column == "player" else "right", no_wrap=True)
        for row in sorted(found["players"], key=lambda r: -r["rate"]):
            if last == "rating":
                end = f"{row['rating']['mu']:.1f}±{2 * row['rating']['sigma']:.1f}"
            else:
                end = f"{row['mean_return']:+.3f}"
            reach = f"{100 * row['low']:.1f}–{100 * row['high']:.1f}"
            counts = (f"{row[k]:,}" for k in ("games", "wins", "draws"))
            grid.add_row(row["name"], *counts, f"{100 * row['rate']:.1f} %", reach, end)
        parts: list[Any] = [grid]
        if graded:
            parts.append(self._meeting_grid(found))
        elif len(self.players) > 2:
            parts.append(self._pair_grid(found))
        seats = "   ".join(f"{s['seat']}: {100 * s['rate']:.1f} %" for s in found["seats"])
        parts.append(f"by seat   {seats}")
        parts += [f"forfeit: match {f['match']}, {f['player']} {f['reason']}" for f in found["forfeits"][:10]]
        if len(found["forfeits"]) > 10:
            parts.append(f"… and {len(found['forfeits']) - 10} more forfeits")
        return Group(*parts)

    def _is_graded(self) -> bool:
        """Whether two seats get more than won, drawn and lost, so that how much they got says more than who won."""
        return self.returns.shape[1] == 2 and len(np.unique(self.returns[:, 0])) > 3

    def _meeting_grid(self, found: dict[str, Any]) -> Any:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as Grid

        def cell(meeting: dict[str, Any]) -> str:
            reach = "" if meeting["low"] is None else f"±{meeting['mean_return'] - meeting['low']:.3f}"
            return f"{meeting['mean_return']:.3f}{reach}"

        cells = {tuple(meeting["seats"]): cell(meeting) for meeting in found["meetings"]}
        title = "mean return of seat 0 (columns) against seat 1 (rows)"
        grid = Grid(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        grid.add_column("")
        for name in self.players:
            grid.add_column(name, justify="right")
        for name in self.players:
            grid.add_row(name, *(cells.get((other, name), "") for other in self.players))
        return grid

    def _pair_grid(self, found: dict[str, Any]) -> Any:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as Grid

        cells = {(p["player"], p["against"]): f"{100 * p['rate']:.1f}/{p['games']}" for p in found["pairs"]}
        grid = Grid(
            title="row's rate / games that also had the column", title_justify="left", box=SIMPLE_HEAD, pad_edge=False
        )
        grid.add_column("")
        for name in self.players:
            grid.add_column(name, justify="right")
        for name in self.players:
            grid.add_row(name, *(cells.get((name, other), "") for other in self.players))
        return grid


def arena(
    game: Game | str,
    players: Sequence[str | Player],
    games: int = 100,
    *,
    seed: int = 0,
    workers: int = 1,
    limit: float = 0.0,
    store: Store | str | None = None,
    keep: Keep = "all",
    progress: Callable[[int, int], None] | None = None,
) -> Table:
    """Let players meet: every start in all rotations of the seats, the same for every run with this seed.

    `limit` is seconds a move; who exceeds it, raises, or moves illegally forfeits that game and the arena goes on.
    With a store, a run that was interrupted continues where it was.
    """
    game = load(game) if isinstance(game, str) else game
    known = [player(p, game) for p in players]
    if games < 1 or workers < 1 or limit < 0:
        raise BadInput(f"games={games} and workers={workers} must be at least 1, limit={limit} at least 0")
    if not 0 <= seed < 2**63:
        raise BadInput(f"seed={seed} must be 0 to 2**63 - 1")
    boards = game.board()
    for each in known:
        each.check(game, boards)
    plan = Plan(game, known, seatings(len(known), int(boards[0].seats), games, seed), seed, limit)
    with contextlib.ExitStack() as until_done:
        if isinstance(store, str):
            from turnsmith.arena.store import Store

            store = until_done.enter_context(contextlib.closing(Store(store)))
        for done, table in follow(plan, games, workers, store, keep):
            latest = table
            if progress:
                progress(done, games)
    return latest


def follow(
    plan: Plan, games: int, workers: int = 1, store: Store | None = None, keep: Keep = "all"
) -> Iterator[tuple[int, Table]]:
    """Play an arena, batch by batch: how many games are done, and the table of those done without a gap.

    The first comes before anything is played, or compiled. Whoever stops asking stops the arena.
    """
    returns = np.zeros((games, plan.seats), np.float64)
    culprits = np.full(games, -1, np.int32)
    reasons: dict[int, str] = {}
    played = np.zeros(games, np.bool_)
    seconds, name = 0.0, ""
    names = distinct([repr(p) for p in plan.players])

    def table() -> Table:
        end = games if played.all() else int(np.argmin(played))
        known = {number: why for number, why in reasons.items() if number < end}
        done = (plan.seating[:end], returns[:end].copy(), culprits[:end].copy(), known)
        return Table(plan.game.text_name, names, plan.seed, seconds, *done)

    if store is not None:
        name = store.open_run(plan)
        old = store.results(name, games)
        played[old.numbers], culprits[old.numbers], seconds = True, old.culprits, old.seconds
        if len(old.numbers):
            returns[old.numbers] = old.returns
        reasons.update(old.reasons)
    yield int(played.sum()), table()
    todo = np.flatnonzero(~played)
    warm_up(plan, todo)
    mark = time.monotonic()
    for batch in run(plan, todo, workers):
        lap = time.monotonic() - mark
        returns[batch.numbers], culprits[batch.numbers], played[batch.numbers] = batch.returns, batch.culprits, True
        reasons.update(batch.reasons)
        if store is not None:
            store.add(name, plan, batch, lap, keep)
        mark += lap
        seconds += lap
        yield int(played.sum()), table()


def stored_table(store: Store, run: str) -> Table:
    """The table of a run as the store has it, from the games done without a gap."""
    row = next((row for row in store.runs() if row["run"] == run), None)
    if row is None:
        raise BadInput(f"the store has no run '{run[:40]}'; see the runs it has")
    found = store.results(run)
    end = int(np.argmin(np.append(found.numbers, -1) == np.arange(len(found.numbers) + 1)))
    known = {number: why for number, why in found.reasons.items() if number < end}
    done = (found.seating[:end], found.returns[:end], found.culprits[:end], known)
    return Table(row["game"], distinct(row["players"]), int(row["seed"]), found.seconds, *done)


def distinct(names: list[str]) -> list[str]:
    """The same names, with #2, #3, … behind those that come again.

    >>> distinct(["random", "mcts", "random"])
    ['random', 'mcts', 'random #2']
    """
    return [name if (before := names[:i].count(name)) == 0 else f"{name} #{before + 1}" for i, name in enumerate(names)]
