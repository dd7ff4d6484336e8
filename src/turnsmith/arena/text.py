"""The results of an arena as tables for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table as Grid

if TYPE_CHECKING:
    from turnsmith.arena.table import Told


def table_text(table: Told) -> Group:
    found = table.to_dict()
    speed = f", {found['games_per_second']:,.0f} games/s" if table.seconds else ""
    title = f"{table.game}: {table.games:,} games, seed {table.seed}{speed}"
    rows = found["players"]
    parts: list[Any] = [f"{title}; nobody wins", _scores(table, rows)] if table.is_by_score else [title, _wins(rows)]
    if table.seats == 2 and (table.is_by_score or len(table.tally.values) > 3):
        parts += _meetings(table, found)  # how much one got says more than who got more
    elif found["pairs"] and (len(table.players) > 2 or table.seats > 2):
        cells = {(p["player"], p["against"]): f"{100 * p['rate']:.1f}/{p['games']}" for p in found["pairs"]}
        parts.append("% of games in which row ended above column / games of both")
        parts.append(_cross(table.players, lambda row, column: cells.get((row, column), "")))
    parts.append("by seat   " + "   ".join(_seat(seat, table) for seat in found["seats"]))
    parts += [f"forfeit: match {f['match']}, {f['player']} {f['reason']}" for f in found["forfeits"][:10]]
    forfeits = int(table.tally.forfeited.sum())
    if forfeits > 10:
        parts.append(f"… and {forfeits - 10:,} more forfeits")
    return Group(*parts)


def _grid(left: Sequence[str], right: Sequence[str]) -> Grid:
    grid = Grid(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for column in left:
        grid.add_column(column, overflow="fold", min_width=10)
    for column in right:
        grid.add_column(column, justify="right", no_wrap=True)
    return grid


def _wins(rows: list[dict[str, Any]]) -> Grid:
    grid = _grid(["player"], ["games", "wins", "draws", "rate", "95 %", "mean return", "rating"])
    for row in sorted(rows, key=lambda row: -row["rate"]):
        counts = (f"{row[key]:,}" for key in ("games", "wins", "draws"))
        reach = f"{100 * row['low']:.1f}–{100 * row['high']:.1f}"
        grid.add_row(row["name"], *counts, f"{100 * row['rate']:.1f} %", reach, _mean(row), _rating(row))
    return grid


def _scores(table: Told, rows: list[dict[str, Any]]) -> Grid:
    """A row for every player in every role, the best of a role first."""
    sign = table.goal.sign(table.seats)
    columns = ["games", "mean cost" if sign < 0 else "mean score", *(["rating"] if "rating" in rows[0] else [])]
    with_roles = len(set(table.goal.roles)) > 1
    grid = _grid(["role", "player"] if with_roles else ["player"], columns)
    for role in range(len(rows[0]["roles"]) if with_roles else 1):
        ranked = [(row, row["roles"][role] if with_roles else row) for row in rows]
        for row, got in sorted((pair for pair in ranked if pair[1]["games"]), key=lambda pair: -pair[1]["mean_return"]):
            names = [got["role"], row["name"]] if with_roles else [row["name"]]
            grid.add_row(*names, f"{got['games']:,}", _mean(got, sign), *([_rating(row)] if "rating" in row else []))
    return grid


def _mean(row: dict[str, Any], sign: float = 1.0) -> str:
    if row["mean_return"] is None:
        return ""
    reach = "" if row["mean_low"] is None else f" ± {row['mean_high'] - row['mean_return']:.3f}"
    return f"{sign * row['mean_return']:.3f}{reach}"


def _rating(row: dict[str, Any]) -> str:
    return f"{row['rating']['mu']:.1f} ± {2 * row['rating']['sigma']:.1f}" if "rating" in row else ""


def _seat(seat: dict[str, Any], table: Told) -> str:
    role = f" {seat['role']}" if seat["role"] else ""
    return f"{seat['seat']}{role}: " + (
        _mean(seat, table.goal.sign(table.seats)) if table.is_by_score else f"{100 * seat['rate']:.1f} %"
    )


def _meetings(table: Told, found: dict[str, Any]) -> list[Any]:
    def cell(meeting: dict[str, Any]) -> str:
        reach = "" if meeting["low"] is None else f"±{meeting['mean_return'] - meeting['low']:.3f}"
        return f"{meeting['mean_return']:.3f}{reach}"

    cells = {tuple(meeting["seats"]): cell(meeting) for meeting in found["meetings"]}
    first, second = (table.goal.role(seat) or f"seat {seat}" for seat in (0, 1))
    title = f"mean return of {first} (columns) against {second} (rows)"
    return [title, _cross(table.players, lambda row, column: cells.get((column, row), ""))]


def _cross(names: Sequence[str], cell: Callable[[str, str], str]) -> Grid:
    grid = Grid(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    grid.add_column("")
    for name in names:
        grid.add_column(name, justify="right")
    for name in names:
        grid.add_row(name, *(cell(name, other) for other in names))
    return grid
