"""The results of an arena: who is better, by how much, and how sure that is. For people a text, for programs a dict.

Where seats can win, players are ranked by their rate of wins; where returns are scores, by their mean in each role.
"""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from turnsmith.arena.tally import NO_RATE as NO_RATE
from turnsmith.arena.tally import Tally
from turnsmith.arena.verdict import verdict
from turnsmith.common.arrays import Array
from turnsmith.contract.outcome import Goal


@dataclass(frozen=True, kw_only=True)
class TableBase(ABC):
    """A table as a document, and as a text for people, of the counts it has."""

    game: str
    players: list[str]
    """Their names, all different."""
    seed: int
    seconds: float
    reasons: dict[int, str]
    """Why a seat forfeited, by the number of the match."""
    goal: Goal
    different: int | None = None
    """How many of the first 1,000 games are; None where their moves were not kept."""

    @property
    @abstractmethod
    def tally(self) -> Tally:
        """The counts."""

    @property
    def games(self) -> int:
        return self.tally.games

    @property
    def seats(self) -> int:
        return self.tally.seats

    @property
    def is_by_score(self) -> bool:
        return self.goal.is_by_score(self.seats)

    @property
    def speed(self) -> float | None:
        """Games a second; of slow ones three digits, wherever they begin."""
        speed = self.games / self.seconds if self.seconds else None
        return speed and (round(speed, 3) if speed >= 1.0 else float(f"{speed:.3g}"))

    def to_dict(self) -> dict[str, Any]:
        """One JSON document: players with intervals, pairs, seats, ratings and forfeits (docs/reference/arena.md)."""
        tally, names, seats = self.tally, self.players, self.tally.seat_rows()
        return {
            "game": self.game,
            "winner": self.goal.kind,
            "roles": list(self.goal.roles),
            "games": tally.games,
            "different": self.different,
            "seed": self.seed,
            "seconds": round(self.seconds, 6),
            "games_per_second": self.speed,
            "verdict": verdict(seats, tally.games, self.goal.roles),
            "players": tally.player_rows(names),
            "pairs": tally.pair_rows(names),
            "seats": seats,
            "meetings": tally.meeting_rows(names),
            "forfeits": [
                {"match": match, "seat": seat, "player": names[player], "reason": self.reasons.get(match, "")}
                for match, seat, player in tally.forfeits
            ],
        }

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(width=110, color_system=None)
        with console.capture() as capture:
            console.print(self)
        return "\n".join(line.rstrip() for line in capture.get().rstrip().splitlines())

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        from turnsmith.arena.text import table_text

        yield from table_text(self, options.max_width)

    def csv(self) -> str:
        """The players as CSV, one row each and a line of names above; game and verdict on the seats in every row."""
        document = self.to_dict()
        same = {"game": document["game"], "verdict": document["verdict"]}
        rows = [{**columns(row), **same} for row in document["players"]]
        out = io.StringIO()
        writer = csv.DictWriter(out, list(rows[0]) if rows else ["name"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()


@dataclass(frozen=True, kw_only=True)
class Table(TableBase):
    """The results of an arena with those of every match. ``str`` shows them to people, ``to_dict`` to programs."""

    seating: Array
    """int32[matches, seats]: the place in `players` of the player in each seat."""
    returns: Array
    """float64[matches, seats]: the return of each seat, for itself."""
    culprits: Array
    """int32[matches]: the seat that forfeited, -1 for none."""

    @cached_property
    def tally(self) -> Tally:
        tally = Tally(len(self.players), int(self.returns.shape[1]), self.goal)
        tally.add(self.seating, self.returns, self.culprits)
        return tally.complete()


@dataclass(frozen=True, kw_only=True)
class Streamed(TableBase):
    """The results of an arena without those of single matches, so that it takes the same room for any number of them.
    Those so far: the next that comes of the same arena goes on counting."""

    counted: Tally

    @cached_property
    def tally(self) -> Tally:
        return self.counted.complete()


def distinct(names: list[str]) -> list[str]:
    """The same names, with #2, #3, … behind those that come again.

    >>> distinct(["random", "mcts", "random"])
    ['random', 'mcts', 'random #2']
    """
    return [name if (before := names[:i].count(name)) == 0 else f"{name} #{before + 1}" for i, name in enumerate(names)]


def columns(row: dict[str, Any]) -> dict[str, Any]:
    """The row of a player with one column for every number, as CSV has it: `rating_mu`, `pacmans_mean_return`, ….

    >>> columns({"name": "x", "rating": {"mu": 25.0}, "roles": [{"role": "maker", "games": 3}]})
    {'name': 'x', 'rating_mu': 25.0, 'maker_games': 3}
    """
    flat = {name: value for name, value in row.items() if name not in ("rating", "roles")}
    flat.update({f"rating_{name}": value for name, value in row.get("rating", {}).items()})
    for role in row.get("roles", []):
        flat.update({f"{role['role']}_{name}": value for name, value in role.items() if name != "role"})
    return flat


class Count:
    """What a balance report counts from: who won each match, and which matches belong together."""

    def __init__(self, table: Table):
        self.table = table
        self.won = table.goal.won(table.returns)
        self.points = table.goal.points(self.won)
        self.groups = np.arange(table.games) // table.seats
        self.tables = np.unique(np.sort(table.seating, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
