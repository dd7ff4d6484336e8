"""The results of an arena: who is better, by how much, and how sure that is. For people a text, for programs a dict.

Where seats can win, players are ranked by their rate of wins; where returns are scores, by their mean in each role.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnsmith.arena.statistics import Mean, Rate, above, clustered_mean, clustered_rate, mean_interval, ratings
from turnsmith.game import Array
from turnsmith.outcome import Goal

NO_RATE = {"rate": None, "low": None, "high": None}


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
    goal: Goal

    @property
    def games(self) -> int:
        return len(self.returns)

    @property
    def seats(self) -> int:
        return int(self.returns.shape[1])

    @property
    def is_by_score(self) -> bool:
        return self.goal.is_by_score(self.seats)

    def to_dict(self) -> dict[str, Any]:
        """One JSON document: players with intervals, pairs, seats, ratings and forfeits (docs/arena.md)."""
        count = Count(self)
        forfeits = [
            {"match": m, "seat": seat, "player": self.players[self.seating[m][seat]], "reason": reason}
            for m, reason, seat in ((m, why, int(self.culprits[m])) for m, why in sorted(self.reasons.items()))
        ]
        return {
            "game": self.game,
            "winner": self.goal.kind,
            "roles": list(self.goal.roles),
            "games": self.games,
            "seed": self.seed,
            "seconds": round(self.seconds, 6),
            "games_per_second": round(self.games / self.seconds, 3) if self.seconds else None,
            "players": count.players(),
            "pairs": count.pairs(),
            "seats": count.by_seat(),
            "meetings": self.meetings() if self.seats == 2 else [],
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
            console.print(self)
        return "\n".join(line.rstrip() for line in capture.get().rstrip().splitlines())

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        from turnsmith.arena.text import table_text

        yield from table_text(self, options.max_width)

    def csv(self) -> str:
        """The players as CSV, one row each and a line of names above."""
        rows = [columns(row) for row in self.to_dict()["players"]]
        out = io.StringIO()
        writer = csv.DictWriter(out, list(rows[0]) if rows else ["name"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()


def columns(row: dict[str, Any]) -> dict[str, Any]:
    """The row of a player with one column for every number, as CSV has it: `rating_mu`, `pacmans_mean_return`, ….

    >>> columns({"name": "x", "rating": {"mu": 25.0}, "roles": [{"role": "maker", "games": 3}]})
    {'name': 'x', 'rating_mu': 25.0, 'maker_games': 3}
    """
    found = {name: value for name, value in row.items() if name not in ("rating", "roles")}
    found.update({f"rating_{name}": value for name, value in row.get("rating", {}).items()})
    for each in row.get("roles", []):
        found.update({f"{each['role']}_{name}": value for name, value in each.items() if name != "role"})
    return found


class Count:
    """What the numbers of a table are counted from."""

    def __init__(self, table: Table):
        self.table = table
        self.won = table.goal.won(table.returns)
        self.points = table.goal.points(self.won)
        self.finish = self.won.astype(np.float64) if table.goal.kind == "rule" else table.returns
        self.groups = np.arange(table.games) // table.seats
        self.tables = np.unique(np.sort(table.seating, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
        self.roles = list(dict.fromkeys(table.goal.role(seat) for seat in range(table.seats)))
        self.role_of = np.array([self.roles.index(table.goal.role(seat)) for seat in range(table.seats)])

    @property
    def is_comparable(self) -> bool:
        """Whether the seats of a match can be compared: scores can only within a role."""
        return self.table.seats > 1 and not (self.table.is_by_score and len(self.roles) > 1)

    def rate(self, chosen: Array) -> Rate:
        """How often the chosen seats (bool, matches × seats) won."""
        match, seat = np.nonzero(chosen)
        return clustered_rate(self.points[match, seat], self.groups[match], self.tables[match])

    def mean(self, chosen: Array) -> Mean:
        """What the chosen seats got."""
        match, seat = np.nonzero(chosen)
        strata = self.tables[match] * len(self.roles) + self.role_of[seat]
        return clustered_mean(self.table.returns[match, seat], self.groups[match], strata)

    def players(self) -> list[dict[str, Any]]:
        table = self.table
        skill = ratings(table.seating, self.finish, len(table.players)) if self.is_comparable else []
        alone = self.won if table.goal.kind == "rule" else self.won & (self.won.sum(axis=1, keepdims=True) == 1)
        rows = []
        for index, name in enumerate(table.players):
            mine = table.seating == index
            row: dict[str, Any] = {"name": name, "games": int(mine.sum())}
            if table.is_by_score:
                row.update(wins=None, draws=None, **NO_RATE)
            else:
                row.update(wins=int(alone[mine].sum()), draws=int((self.won & ~alone)[mine].sum()))
                row.update(self.rate(mine).rounded())
            row.update(self.mean(mine).rounded())
            row["forfeits"] = sum(int(table.seating[m][table.culprits[m]] == index) for m in table.reasons)
            if skill:
                row["rating"] = {"mu": round(skill[index][0], 3), "sigma": round(skill[index][1], 3)}
            if table.goal.roles:
                row["roles"] = [self._in_role(mine, role) for role in range(len(self.roles))]
            rows.append(row)
        return rows

    def _in_role(self, mine: Array, role: int) -> dict[str, Any]:
        chosen = mine & (self.role_of == role)
        return {"role": self.roles[role], "games": int(chosen.sum()), **self.mean(chosen).rounded()}

    def pairs(self) -> list[dict[str, Any]]:
        """How often one ended above the other in the matches of both."""
        table, found = self.table, []
        if not self.is_comparable:
            return []
        sits = [(table.seating == index) for index in range(len(table.players))]
        for index, name in enumerate(table.players):
            for other, rival in enumerate(table.players):
                met = np.flatnonzero(sits[index].any(axis=1) & sits[other].any(axis=1))
                if other != index and len(met):
                    shares = above(self.finish[met], sits[index][met], sits[other][met])
                    rate = clustered_rate(shares, self.groups[met], self.tables[met])
                    found.append({"player": name, "against": rival, "games": len(met), **rate.rounded()})
        return found

    def by_seat(self) -> list[dict[str, Any]]:
        table, found = self.table, []
        for seat in range(table.seats):
            rate = NO_RATE
            if not table.is_by_score:
                rate = clustered_rate(self.points[:, seat], self.groups, self.tables).rounded()  # type: ignore[assignment]
            strata = self.tables * len(table.players) + table.seating[:, seat]
            mean = clustered_mean(table.returns[:, seat], self.groups, strata)
            found.append({"seat": seat, "role": table.goal.role(seat) or None, **rate, **mean.rounded()})
        return found
