"""What a table is counted from: sums that grow with the kinds of groups, never with the games.

Matches are added in the order of their numbers and summed block by block, so the same matches give the same numbers
however they came. Groups of a kind have the same players, each as often in every seat; what varies between them is all
that an interval needs to know, and of that sums and squares are enough.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import numpy as np

from turnsmith.arena.statistics import ALIKE, Z95, Mean, RateWithInterval, above, mean_of, rate_of, ratings
from turnsmith.common.arrays import Array
from turnsmith.contract.outcome import Goal

NO_RATE = {"rate": None, "low": None, "high": None}
BLOCK = 2**15
"""Matches that are summed at once."""
RATED = 2000
"""Matches that ratings are made from, the first."""
LISTED = 1000
"""Forfeits that are told one by one, the first."""


def sums(each: Array) -> Array:
    """Over groups, of what each has, float64[groups, ...]: the sum in [..., 0], that of squares in [..., 1]."""
    return np.stack([each.sum(axis=0), (each**2).sum(axis=0)], axis=-1)


class GroupSums:
    """The sums of one kind of groups. Players are counted as they come in `players`, d of them."""

    def __init__(self, seating: Array):
        self.players = np.unique(seating)
        mine = seating[..., None] == self.players
        self.sits = mine.sum(axis=0)
        """int64[seats, d]: how often a group has whom where."""
        self.met = np.einsum("rd,re->de", mine.any(axis=1).astype(np.int64), mine.any(axis=1).astype(np.int64))
        """int64[d, d]: matches of a group in which both sit."""
        self.groups = 0
        self.sums: dict[str, Array] = {}

    def add(self, seating: Array, returns: Array, goal: Goal, role_of: Array) -> None:
        """Some groups: [groups, matches, seats] each."""
        groups, _, seats = seating.shape
        won = goal.won(returns.reshape(-1, seats)).reshape(returns.shape)
        nobody_wins = goal.is_by_score(seats)
        points = np.zeros(won.shape) if nobody_wins else goal.points(won.reshape(-1, seats)).reshape(returns.shape)
        alone = won if goal.kind == "rule" else won & (won.sum(axis=2, keepdims=True) == 1)
        finish = won.astype(np.float64) if goal.kind == "rule" else returns
        mine = (seating[..., None] == self.players).astype(np.float64)
        by_seat = np.einsum("grs,grsd->gsd", returns, mine)
        in_role = np.stack([by_seat[:, role_of == role].sum(axis=1) for role in range(role_of.max() + 1)], axis=1)
        new = {
            "points": sums(np.einsum("grs,grsd->gd", points, mine)),
            "seat points": sums(points.sum(axis=1)),
            "wins": np.stack([np.einsum("grs,grsd->d", hits, mine) for hits in (alone, won & ~alone)], axis=-1),
            "returns": sums(by_seat.sum(axis=1)),
            "seat returns": sums(returns.sum(axis=1)),
            "in role": sums(in_role),
            "in seat": np.stack([by_seat.sum(axis=0), np.einsum("grs,grsd->sd", returns**2, mine)], axis=-1),
            "above": self._above(finish, mine > 0),
        }
        self.groups += groups
        self.sums = {name: self.sums.get(name, 0.0) + more for name, more in new.items()}

    def _above(self, finish: Array, mine: Array) -> Array:
        """float64[d, d, 2]: how often one ended above another."""
        groups, matches, seats = finish.shape
        often = np.zeros((len(self.players), len(self.players), 2))
        flat, sits = finish.reshape(-1, seats), mine.reshape(-1, seats, len(self.players))
        there = np.asarray(sits.any(axis=1))
        for one in range(len(self.players)):
            for other in range(len(self.players)):
                both = np.flatnonzero(there[:, one] & there[:, other])
                if one != other and len(both):
                    shares = np.zeros(len(flat))
                    shares[both] = above(flat[both], sits[both, :, one], sits[both, :, other])
                    often[one, other] = sums(shares.reshape(groups, matches).sum(axis=1))
        return often


class Tally:
    """The counts of an arena so far."""

    def __init__(self, players: int, seats: int, goal: Goal):
        self.players, self.seats, self.goal = players, seats, goal
        self.roles = list(dict.fromkeys(goal.role(seat) for seat in range(seats)))
        self.role_of = np.array([self.roles.index(goal.role(seat)) for seat in range(seats)])
        self.games = 0
        self.values: set[float] = set()
        """Different returns of the first seat, four of them at most."""
        self.forfeits: list[tuple[int, int, int]] = []
        """Match, seat and player, the first of them."""
        self.forfeited = np.zeros(players, np.int64)
        self._kinds: dict[bytes, GroupSums] = {}
        self._orders: dict[int, Array] = {}
        self._rated: list[tuple[Array, Array]] = []
        self._waiting: list[tuple[Array, Array, Array]] = []
        self._block = max(1, BLOCK // seats) * seats

    def add(self, seating: Array, returns: Array, culprits: Array) -> None:
        """The next matches."""
        self._waiting.append((seating, returns, culprits))
        if sum(len(part[0]) for part in self._waiting) < self._block:
            return
        columns = [np.concatenate(parts) for parts in zip(*self._waiting, strict=True)]
        whole = len(columns[0]) // self._block * self._block
        for first in range(0, whole, self._block):
            self._sum(*(column[first : first + self._block] for column in columns))
        self._waiting = [tuple(column[whole:] for column in columns)] if whole < len(columns[0]) else []  # type: ignore[list-item]

    def complete(self) -> Tally:
        """The same with what waits for the rest of its block."""
        whole = copy.deepcopy(self)
        if whole._waiting:
            whole._sum(*(np.concatenate(parts) for parts in zip(*whole._waiting, strict=True)))
            whole._waiting = []
        return whole

    def _sum(self, seating: Array, returns: Array, culprits: Array) -> None:
        for match in np.flatnonzero(culprits >= 0).tolist():
            seat = int(culprits[match])
            self.forfeited[seating[match, seat]] += 1
            if len(self.forfeits) < LISTED:
                self.forfeits.append((self.games + match, seat, int(seating[match, seat])))
        rated = sum(len(earlier) for earlier, _ in self._rated)
        if rated < RATED and self.is_comparable:
            finish = self.goal.won(returns).astype(np.float64) if self.goal.kind == "rule" else returns
            self._rated.append((seating[: RATED - rated].copy(), finish[: RATED - rated].copy()))
        if len(self.values) < 4:
            self.values |= set(np.unique(returns[:, 0])[:4].tolist())
        self.games += len(seating)
        if self.seats == 2:
            self._meet(seating, returns[:, 0])
        whole = len(seating) // self.seats * self.seats
        for rows, size in ((slice(0, whole), self.seats), (slice(whole, None), len(seating) - whole)):
            if len(seating[rows]):  # the group at the end may lack matches
                self._groups(seating[rows].reshape(-1, size, self.seats), returns[rows].reshape(-1, size, self.seats))

    def _groups(self, seating: Array, returns: Array) -> None:
        sides = np.sort(seating, axis=1), np.sort(np.sort(seating, axis=2), axis=1)  # who sat where, and with whom
        keys = np.concatenate([side.reshape(len(seating), -1) for side in sides], axis=1).astype(np.int32)
        named = keys.view(np.dtype((np.void, keys.shape[1] * 4))).reshape(-1)
        for key in np.unique(named):
            chosen = named == key
            kind = self._kinds.setdefault(key.tobytes(), GroupSums(seating[np.argmax(chosen)]))
            kind.add(seating[chosen], returns[chosen], self.goal, self.role_of)

    def _meet(self, seating: Array, first: Array) -> None:
        orders, which = np.unique(seating[:, 0].astype(np.int64) * self.players + seating[:, 1], return_inverse=True)
        sums = np.stack([np.bincount(which), np.bincount(which, first), np.bincount(which, first**2)], axis=1)
        for order, total in zip(orders.tolist(), sums, strict=True):
            self._orders[order] = self._orders.get(order, 0.0) + total

    # ------------------------------------------------------------ what they come to

    @property
    def is_comparable(self) -> bool:
        """Whether the seats of a match can be compared: scores can only within a role."""
        return self.seats > 1 and not (self.goal.is_by_score(self.seats) and len(self.roles) > 1)

    def _with(self, *players: int) -> Iterable[tuple[GroupSums, list[int]]]:
        """The kinds in which players sit, and their places there."""
        for kind in self._kinds.values():
            places = [int(np.searchsorted(kind.players, player)) for player in players]
            if all(p < len(kind.players) and kind.players[p] == q for p, q in zip(places, players, strict=True)):
                yield kind, places

    def player_rows(self, names: list[str]) -> list[dict[str, Any]]:
        skill = self._skill()
        rows = []
        for index, name in enumerate(names):
            mine = [(kind, place) for kind, (place,) in self._with(index)]
            row: dict[str, Any] = {
                "name": name,
                "games": sum(kind.groups * int(kind.sits[:, d].sum()) for kind, d in mine),
            }
            if self.goal.is_by_score(self.seats):
                row.update(wins=None, draws=None, **NO_RATE)
            else:
                wins, draws = (int(sum(kind.sums["wins"][d, which] for kind, d in mine)) for which in (0, 1))
                row.update(wins=wins, draws=draws)
                row.update(_rate((k.groups, k.sits[:, d].sum(), k.sums["points"][d]) for k, d in mine).rounded())
            row.update(_mean((k.groups, k.sums["returns"][d], self._strata(k, d)) for k, d in mine).rounded())
            row["forfeits"] = int(self.forfeited[index])
            if skill:
                row["rating"] = {"mu": round(skill[index][0], 3), "sigma": round(skill[index][1], 3)}
            if self.goal.roles:
                row["roles"] = [self._in_role(mine, role) for role in range(len(self.roles))]
            rows.append(row)
        return rows

    def _skill(self) -> list[tuple[float, float]]:
        if not self.is_comparable or not self._rated:
            return [(25.0, 25.0 / 3)] * self.players if self.is_comparable else []
        seating, finish = (np.concatenate(parts) for parts in zip(*self._rated, strict=True))
        return ratings(seating, finish, self.players, RATED)

    def _strata(self, kind: GroupSums, place: int, roles: Iterable[int] | None = None) -> list[Array]:
        """Of a player in each role: how many values a group has, their sum and that of their squares."""
        strata = []
        for role in range(len(self.roles)) if roles is None else roles:
            seats = self.role_of == role
            total, squares = kind.sums["in seat"][seats, place].sum(axis=0)
            strata.append(np.array([kind.sits[seats, place].sum(), total, squares]))
        return strata

    def _in_role(self, mine: list[tuple[GroupSums, int]], role: int) -> dict[str, Any]:
        seats = self.role_of == role
        games = sum(kind.groups * int(kind.sits[seats, d].sum()) for kind, d in mine)
        mean = _mean((k.groups, k.sums["in role"][role, d], self._strata(k, d, [role])) for k, d in mine)
        return {"role": self.roles[role], "games": games, **mean.rounded()}

    def pair_rows(self, names: list[str]) -> list[dict[str, Any]]:
        """How often one ended above the other in the matches of both."""
        rows: list[dict[str, Any]] = []
        if not self.is_comparable:
            return rows
        for index, name in enumerate(names):
            for other, rival in enumerate(names):
                both = [(k, d, e) for k, (d, e) in self._with(index, other) if k.met[d, e]] if other != index else []
                if both:
                    games = sum(kind.groups * int(kind.met[d, e]) for kind, d, e in both)
                    rate = _rate((kind.groups, kind.met[d, e], kind.sums["above"][d, e]) for kind, d, e in both)
                    rows.append({"player": name, "against": rival, "games": games, **rate.rounded()})
        return rows

    def seat_rows(self) -> list[dict[str, Any]]:
        rows, kinds = [], list(self._kinds.values())
        for seat in range(self.seats):
            rate: dict[str, Any] = NO_RATE
            if not self.goal.is_by_score(self.seats):
                rate = _rate((k.groups, k.sits[seat].sum(), k.sums["seat points"][seat]) for k in kinds).rounded()
            mean = _mean(
                (k.groups, k.sums["seat returns"][seat], [
                    np.array([k.sits[seat, d], *k.sums["in seat"][seat, d]]) for d in range(len(k.players))
                ])
                for k in kinds
            )  # fmt: skip
            rows.append({"seat": seat, "role": self.goal.role(seat) or None, **rate, **mean.rounded()})
        return rows

    def meeting_rows(self, names: list[str]) -> list[dict[str, Any]]:
        """For every order in which players sat at the table: the mean return of the first seat and its interval."""
        rows = []
        for order, (games, total, squares) in sorted(self._orders.items()):
            mean = total / games
            reach = Z95 * np.sqrt(max(0.0, squares - games * mean**2) / (games - 1) / games) if games > 1 else 0.0
            reach = reach if reach > ALIKE * max(1.0, abs(mean)) else np.inf
            ends = (round(float(end), 6) if np.isfinite(end) else None for end in (mean, mean - reach, mean + reach))
            row = dict(zip(("mean_return", "low", "high"), ends, strict=True))
            seats = [names[order // self.players], names[order % self.players]]
            rows.append({"seats": seats, "games": int(games), **row})
        return rows


def _rate(kinds: Iterable[tuple[int, int, Array]]) -> RateWithInterval:
    """(groups, games of a group, sums of points) of each kind."""
    known = [(groups, int(size), sums) for groups, size, sums in kinds if size]
    games = sum(groups * size for groups, size, _ in known)
    if not games:
        return RateWithInterval(0, 0.0, 0.0, 1.0)
    squares = sum(max(0.0, float(squares - total**2 / groups)) for groups, _, (total, squares) in known)
    rate = float(sum(total for _, _, (total, _) in known)) / games
    return rate_of(games, rate, squares, sum(groups for groups, _, _ in known), len(known))


def _mean(kinds: Iterable[tuple[int, Array, list[Array]]]) -> Mean:
    """(groups, sums of returns, strata) of each kind; a stratum: values of a group, their sum and that of squares."""
    known = [(groups, sums, [stratum for stratum in strata if stratum[0]]) for groups, sums, strata in kinds]
    known = [kind for kind in known if kind[2]]
    games = sum(groups * int(stratum[0]) for groups, _, strata in known for stratum in strata)
    if not games:
        return Mean(0, np.nan, -np.inf, np.inf)
    count, many = sum(groups for groups, _, _ in known), sum(len(strata) for _, _, strata in known)
    mean = float(sum(sums[0] for _, sums, _ in known)) / games
    squares = alone = 0.0
    for groups, (total, squared), strata in known:
        if count > many:  # each stratum has a mean of its own
            squares += max(0.0, squared - total**2 / groups)
            alone += sum(max(0.0, own - part**2 / (groups * values)) for values, part, own in strata)
        else:
            size = sum(values for values, _, _ in strata)
            squares += squared - 2 * mean * size * total + groups * (size * mean) ** 2
            alone += sum(own for _, _, own in strata) - 2 * mean * total + groups * size * mean**2
    return mean_of(games, mean, max(0.0, float(squares)), max(0.0, float(alone)), count, many if count > many else 1)
