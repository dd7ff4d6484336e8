"""The results of an arena as tables for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text

from turnsmith.arena.different import FIRST

if TYPE_CHECKING:
    from turnsmith.arena.table import TableBase


def table_text(table: TableBase, width: int) -> list[Any]:
    """The parts of a table, none wider than `width` while a number fits there. Where the names of players are too long
    for that, letters stand for them, with a legend; a table that is still too wide goes on below."""
    document = table.to_dict()
    rows, names = document["players"], {name: name for name in table.players}
    parts = _parts(table, document, names, width)
    if max(map(len, parts)) > 1 or _too_wide(parts, width):
        ranked = sorted(rows, key=lambda row: -(row["mean_return"] if table.is_by_score else row["rate"]))
        names = {row["name"]: letter(place) for place, row in enumerate(ranked)}
        parts = _parts(table, document, names, width)
    speed = f", {quick(document['games_per_second'])} games/s" if table.seconds else ""
    title = f"{table.game}: {table.games:,} games{repeated(document)}, seed {table.seed}{speed}"
    title += "; nobody wins" * table.is_by_score
    legend = [Text(f" {sign}  {name}") for name, sign in names.items() if sign != name]
    out: list[Any] = [title, *(["", *legend] if legend else []), *(line for part in parts for line in part)]
    out.append("by seat   " + "   ".join(_seat(seat, table) for seat in document["seats"]))
    out += [f"forfeit: match {f['match']}, {f['player']} {f['reason']}" for f in document["forfeits"][:10]]
    forfeits = int(table.tally.forfeited.sum())
    if forfeits > 10:
        out.append(f"… and {forfeits - 10:,} more forfeits")
    return out


def quick(speed: float) -> str:
    """A number of games a second.

    >>> quick(0.00421), quick(2.5), quick(31234.5)
    ('0.0042', '2.5', '31,234')
    """
    return f"{speed:,.0f}" if speed >= 10 else f"{speed:.2g}"


def repeated(found: dict[str, Any]) -> str:
    """How many games differ, where some do not.

    >>> repeated({"games": 10, "different": 2}), repeated({"games": 5000, "different": 40})
    (' (2 different)', ' (40 different among the first 1,000)')
    """
    compared = min(found["games"], FIRST)
    if found["different"] in (None, compared):
        return ""
    among = f" among the first {FIRST:,}" if found["games"] > FIRST else ""
    return f" ({found['different']:,} different{among})"


def letter(place: int) -> str:
    """A, B, … Z, AA, AB, …

    >>> [letter(place) for place in (0, 25, 26, 701)]
    ['A', 'Z', 'AA', 'ZZ']
    """
    return (letter(place // 26 - 1) if place >= 26 else "") + chr(ord("A") + place % 26)


def _parts(table: TableBase, found: dict[str, Any], names: dict[str, str], width: int) -> list[list[Any]]:
    """Tables with these names for the players, each as the pieces that fit side by side into the width."""
    rows = found["players"]
    parts = [_scores(table, rows, names, width) if table.is_by_score else _wins(rows, names, width)]
    if table.seats == 2 and (table.is_by_score or len(table.tally.values) > 3):
        parts += _meetings(table, found, names, width)  # how much one got says more than who got more
    elif found["pairs"] and (len(table.players) > 2 or table.seats > 2):
        cells = {(p["player"], p["against"]): f"{100 * p['rate']:.1f}/{p['games']}" for p in found["pairs"]}
        parts.append(["% of games in which row ended above column / games of both"])
        parts.append(_cross(names, lambda row, column: cells.get((row, column), ""), width))
    return parts


def _too_wide(parts: list[list[Any]], width: int) -> bool:
    console = Console(width=1_000_000)
    grids = [line for part in parts for line in part if isinstance(line, Grid)]
    return any(Measurement.get(console, console.options, grid).maximum > width for grid in grids)


def _fitted(left: Sequence[str], right: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[Any]:
    """A table with some columns of names and others of numbers; what is too wide goes on in another table below."""
    sizes = [max(map(cell_len, cells)) for cells in zip([*left, *right], *rows, strict=True)]
    room = width - sum(sizes[: len(left)]) - 2 * len(left) - 2
    blocks: list[list[int]] = [[]]
    used = 0
    for column in range(len(left), len(sizes)):
        if blocks[-1] and used + sizes[column] + 2 > room:
            blocks.append([])
            used = 0
        blocks[-1].append(column)
        used += sizes[column] + 2
    grids = []
    for block in blocks:
        grid = Grid(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        for name in left:
            grid.add_column(name, no_wrap=True)
        for column in block:
            grid.add_column(right[column - len(left)], justify="right", no_wrap=True)
        for row in rows:
            grid.add_row(*row[: len(left)], *(row[column] for column in block))
        grids.append(grid)
    return grids


def _wins(rows: list[dict[str, Any]], names: dict[str, str], width: int) -> list[Any]:
    lines = []
    for row in sorted(rows, key=lambda row: -row["rate"]):
        counts = (f"{row[key]:,}" for key in ("games", "wins", "draws"))
        reach = f"{100 * row['low']:.1f}–{100 * row['high']:.1f}"
        lines.append([names[row["name"]], *counts, f"{100 * row['rate']:.1f} %", reach, _mean(row), _rating(row)])
    return _fitted(["player"], ["games", "wins", "draws", "rate", "95 %", "mean return", "rating"], lines, width)


def _scores(table: TableBase, rows: list[dict[str, Any]], names: dict[str, str], width: int) -> list[Any]:
    """A row for every player in every role, the best of a role first."""
    sign = table.goal.sign(table.seats)
    columns = ["games", "mean cost" if sign < 0 else "mean score", *(["rating"] if "rating" in rows[0] else [])]
    with_roles = len(set(table.goal.roles)) > 1
    lines = []
    for role in range(len(rows[0]["roles"]) if with_roles else 1):
        ranked = [(row, row["roles"][role] if with_roles else row) for row in rows]
        for row, got in sorted((pair for pair in ranked if pair[1]["games"]), key=lambda pair: -pair[1]["mean_return"]):
            named = [got["role"], names[row["name"]]] if with_roles else [names[row["name"]]]
            rating = [_rating(row)] if "rating" in row else []
            lines.append([*named, f"{got['games']:,}", _mean(got, sign), *rating])
    return _fitted(["role", "player"] if with_roles else ["player"], columns, lines, width)


def _mean(row: dict[str, Any], sign: float = 1.0) -> str:
    if row["mean_return"] is None:
        return ""
    reach = "" if row["mean_low"] is None else f" ± {row['mean_high'] - row['mean_return']:.3f}"
    return f"{sign * row['mean_return']:.3f}{reach}"


def _rating(row: dict[str, Any]) -> str:
    return f"{row['rating']['mu']:.1f} ± {2 * row['rating']['sigma']:.1f}" if "rating" in row else ""


def _seat(seat: dict[str, Any], table: TableBase) -> str:
    role = f" {seat['role']}" if seat["role"] else ""
    return f"{1 + seat['seat']}{role}: " + (
        _mean(seat, table.goal.sign(table.seats)) if table.is_by_score else f"{100 * seat['rate']:.1f} %"
    )


def _meetings(table: TableBase, found: dict[str, Any], names: dict[str, str], width: int) -> list[list[Any]]:
    def cell(meeting: dict[str, Any]) -> str:
        reach = "" if meeting["low"] is None else f"±{meeting['mean_return'] - meeting['low']:.3f}"
        return f"{meeting['mean_return']:.3f}{reach}"

    cells = {tuple(meeting["seats"]): cell(meeting) for meeting in found["meetings"]}
    first, second = (table.goal.role(seat) or f"seat {1 + seat}" for seat in (0, 1))
    title = f"mean return of {first} (columns) against {second} (rows)"
    return [[title], _cross(names, lambda row, column: cells.get((column, row), ""), width)]


def _cross(names: dict[str, str], cell: Callable[[str, str], str], width: int) -> list[Any]:
    rows = [[sign, *(cell(name, other) for other in names)] for name, sign in names.items()]
    return _fitted([""], list(names.values()), rows, width)
