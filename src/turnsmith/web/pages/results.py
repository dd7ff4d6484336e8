"""The table of an arena on the page: who won how often, or what everybody got, with pairs, ratings and seats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from turnsmith.arena.different import FIRST
from turnsmith.arena.verdict import is_off, verdict
from turnsmith.languages import _, counted, marked

LABEL = {"width": 125, "overflow": "truncate", "color": "#888"}
"""Of an axis: grey reads on light and on dark ground."""


class Results:
    """The table of an arena, with pairs, ratings and seats."""

    def __init__(self, run: str):
        self.run = run
        self.verdict = ui.label().classes("verdict")
        self.seats = ui.echart({}).classes("w-full")
        self.table = (
            ui.table(columns=[], rows=[]).classes("w-full numbers wide-table").props("flat bordered tabindex=0")
        )
        with ui.row().classes("gap-1"):
            for kind, link in (("CSV", f"/api/runs/{run}/csv"), ("JSON", f"/api/runs/{run}")):
                button = ui.button(kind, icon="download").props("flat dense no-caps tag=a")
                button.props.update(href=link, download=f"arena.{kind.lower()}")
            button = ui.button(_("First match"), icon="visibility").props("flat dense no-caps tag=a")
            button.props.update(href=f"/watch/run/{run}/0")
        with ui.element("div").classes("halves"):
            self.cross = ui.echart({}).classes("w-full").style("height: 300px")
            self.skill = ui.echart({}).classes("w-full").style("height: 300px")
        self.forfeits = ui.label().classes("small numbers")

    def show(self, found: dict[str, Any]) -> None:
        rows = ranked(found)
        self.table.columns = [
            {"name": name, "label": _(name), "field": name, "align": "left" if name in ("role", "player") else "right"}
            for name in rows[0]
        ]
        self.table.rows = rows
        self.table.update()
        self.cross.visible = len(found["players"]) > 1 and bool(found["pairs"] or found["meetings"])
        for chart, options in (
            (self.cross, heat_map(found)),
            (self.skill, bars(found)),
            (self.seats, seat_bars(found)),
        ):
            chart.options.clear()
            chart.options.update(options)
            chart.update()
        sentence = verdict(found["seats"], found["games"], found["roles"])
        self.verdict.set_text(" ".join(filter(None, [sentence, alike(found)])))
        self.verdict.classes(**{"add" if is_off(found["seats"], found["games"], found["roles"]) else "remove": "off"})
        one_role = len(set(found["roles"])) < 2  # scores of different roles are not compared
        self.seats.visible = len(found["seats"]) > 1 and (one_role or not is_by_score(found))
        self.seats.style(f"height: {60 + 30 * len(found['seats'])}px")
        count = len(found["forfeits"])
        self.forfeits.set_text(
            counted("{count} game was forfeited.", "{count} games were forfeited.", count).format(count=count)
            if count
            else ""
        )


def alike(found: dict[str, Any]) -> str:
    """How many games differ, where some went alike."""
    compared, different = min(found["games"], FIRST), found["different"]
    if different in (None, compared):
        return ""
    sentence = _("Different games among the first {compared:,}: {different:,}.")
    return sentence.format(compared=compared, different=different)


def is_by_score(found: dict[str, Any]) -> bool:
    """Whether nobody wins: returns are scores."""
    return bool(found["players"][0]["rate"] is None)


def sign(found: dict[str, Any]) -> float:
    """What a return is multiplied by to be shown: who is alone at the table has costs, the fewer the better."""
    return -1.0 if found["winner"] == "cost" and len(found["seats"]) == 1 else 1.0


def seat_name(found: dict[str, Any], seat: int) -> str:
    """People count from 1."""
    name = _("seat {seat}").format(seat=seat + 1)
    return f"{name} ({_(found['roles'][seat])})" if found["roles"] else name


def told(found: dict[str, Any], row: dict[str, Any]) -> str:
    """The rate of wins of a row with its interval, or the mean return where nobody wins."""
    if not is_by_score(found):
        return f"{100 * row['rate']:.1f} % ({100 * row['low']:.1f} – {100 * row['high']:.1f})"
    return mean(found, row)


def mean(found: dict[str, Any], row: dict[str, Any]) -> str:
    """The mean return of a row and how far it may be off."""
    if row["mean_return"] is None:
        return ""
    reach = "" if row["mean_low"] is None else f" ± {row['mean_high'] - row['mean_return']:.3f}"
    return f"{sign(found) * row['mean_return']:.3f}{reach}"


def ranked(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of the table, by columns, best first: by wins, or by the mean return in each role where nobody wins."""
    if not is_by_score(found):
        return [
            {
                marked("player"): row["name"],
                **{key: row[key] for key in (marked("games"), marked("wins"), marked("draws"))},
                marked("rate"): f"{100 * row['rate']:.1f} %",
                "95 %": f"{100 * row['low']:.1f} – {100 * row['high']:.1f}",
                marked("mean return"): mean(found, row),
            }
            for row in sorted(found["players"], key=lambda row: -row["rate"])
        ]
    score = marked("mean cost") if sign(found) < 0 else marked("mean score")
    return [
        {**({marked("role"): _(role)} if role else {}), "player": name, "games": row["games"], score: mean(found, row)}
        for role, name, row in in_roles(found)
    ]


def in_roles(found: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Role, player and result of everybody in every role they played, the best of a role first."""
    roles = list(dict.fromkeys(found["roles"]))
    if len(roles) < 2:
        return [("", row["name"], row) for row in sorted(found["players"], key=lambda row: -row["mean_return"])]
    rows = [(got["role"], row["name"], got) for row in found["players"] for got in row["roles"] if got["games"]]
    return sorted(rows, key=lambda row: (roles.index(row[0]), -row[2]["mean_return"]))


def heat_map(found: dict[str, Any]) -> dict[str, Any]:
    """How often the row ended above the column; where nobody wins, what the first seat got from the second."""
    names = [row["name"] for row in found["players"]]
    place = {name: index for index, name in enumerate(names)}
    title, low, high = _("row above column, % of the games of both"), 0.0, 100.0
    cells = [[place[p["against"]], place[p["player"]], round(100 * p["rate"], 1)] for p in found["pairs"]]
    if not cells and found["meetings"]:
        first, second = (seat_name(found, seat) if not found["roles"] else _(found["roles"][seat]) for seat in (0, 1))
        title = _("mean return of {first} (rows) against {second} (columns)").format(first=first, second=second)
        cells = [[place[m["seats"][1]], place[m["seats"][0]], round(m["mean_return"], 3)] for m in found["meetings"]]
        low, high = (end(cell[2] for cell in cells) for end in (min, max))
    shades = {"min": low, "max": max(high, low + 1e-9), "show": False}
    return {
        "animation": False,
        "title": {"text": title, "textStyle": {"fontSize": 13, "color": "#888"}},
        "grid": {"left": 135, "right": 10, "top": 34, "bottom": 60},
        "tooltip": {},
        "xAxis": {"type": "category", "data": names, "axisLabel": {**LABEL, "rotate": 25, "width": 90}},
        "yAxis": {"type": "category", "data": names, "inverse": True, "axisLabel": LABEL},
        "visualMap": {**shades, "inRange": {"color": ["#c1694f", "#f5f0e1", "#30638e"]}},
        "series": [{"type": "heatmap", "data": cells, "label": {"show": True}}],
    }


def bars(found: dict[str, Any]) -> dict[str, Any]:
    """Ratings with two standard deviations to either side; mean returns with their intervals where nobody wins."""
    if is_by_score(found) or "rating" not in found["players"][0]:
        title = _("mean cost") if sign(found) < 0 else _("mean score")
        ends = ("mean_low", "mean_return", "mean_high")
        spans = []
        for role, name, row in in_roles(found):
            known = sorted(sign(found) * (row["mean_return"] if row[end] is None else row[end]) for end in ends)
            spans.append((f"{name} ({_(role)})" if role else name, *known))
    else:
        title = _("rating")
        best = sorted(found["players"], key=lambda row: -row["rating"]["mu"])
        skills = [(row["name"], row["rating"]["mu"], 2 * row["rating"]["sigma"]) for row in best]
        spans = [(name, mu - reach, mu, mu + reach) for name, mu, reach in skills]
    low, high = min(span[1] for span in spans), max(span[3] for span in spans)
    margin = 0.05 * (high - low) or 1.0
    lines = [[{"coord": [round(span[end], 3), index]} for end in (1, 3)] for index, span in enumerate(spans)]
    line = {"symbol": "none", "silent": True, "label": {"show": False}, "data": lines, "animation": False}
    axis = {"type": "value", "min": round(low - margin, 2), "max": round(high + margin, 2), "axisLabel": LABEL}
    return {
        "animation": False,
        "title": {"text": title, "textStyle": {"fontSize": 13, "color": "#888"}},
        "grid": {"left": 135, "right": 20, "top": 34, "bottom": 30},
        "tooltip": {},
        "xAxis": axis,
        "yAxis": {"type": "category", "data": [span[0] for span in spans], "inverse": True, "axisLabel": LABEL},
        "series": [
            {
                "type": "scatter",
                "data": [[round(span[2], 3), index] for index, span in enumerate(spans)],
                "symbolSize": 11,
                "markLine": {**line, "lineStyle": {"type": "solid", "width": 3}},
            }
        ],
    }


def seat_bars(found: dict[str, Any]) -> dict[str, Any]:
    """What each seat won, with its interval, against an equal share; or what it got, where nobody wins."""
    by_wins, seats = not is_by_score(found), found["seats"]
    keys, scale = (
        (("rate", "low", "high"), 100.0) if by_wins else (("mean_return", "mean_low", "mean_high"), sign(found))
    )
    digits = 1 if by_wins else 3
    spans = [
        [round(scale * (seat[keys[0]] if seat[key] is None else seat[key]), digits) for key in keys] for seat in seats
    ]
    low, high = (end(value for span in spans for value in span) for end in (min, max))
    margin = 0.05 * (high - low) or 1.0
    title = _("mean return by seat, against that of all")
    if by_wins:
        title = _("wins by seat, %, against an equal share")
    return {
        "animation": False,
        "title": {"text": title, "textStyle": {"fontSize": 13, "color": "#888"}},
        "grid": {"left": 135, "right": 20, "top": 30, "bottom": 24},
        "tooltip": {},
        "xAxis": {
            "type": "value",
            "axisLabel": LABEL,
            "min": 0 if by_wins else round(low - margin, 2),
            "max": round(high + margin, 1 if by_wins else 2),
        },
        "yAxis": {
            "type": "category",
            "data": [seat_name(found, seat["seat"]) for seat in seats],
            "inverse": True,
            "axisLabel": LABEL,
        },
        "series": [_spans(spans), _equal_share(sum(span[0] for span in spans) / len(seats), digits)],
    }


STILL = {"symbol": "none", "silent": True, "animation": False}


def _spans(spans: Sequence[Sequence[float]]) -> dict[str, Any]:
    """A bar a seat with its interval as a line; `spans`: the value and both ends."""
    ends = [[{"coord": [span[end], index]} for end in (1, 2)] for index, span in enumerate(spans)]
    line = {"type": "solid", "width": 3, "color": "#888"}
    return {
        "type": "bar",
        "name": _("seat"),
        "data": [span[0] for span in spans],
        "color": "#30638e",
        "barMaxWidth": 18,
        "label": {"show": True, "position": "insideLeft", "color": "#ffffff"},
        "markLine": {**STILL, "label": {"show": False}, "data": ends, "lineStyle": line},
    }


def _equal_share(fair: float, digits: int) -> dict[str, Any]:
    """A dashed line where all bars would end if all seats were alike."""
    label = {"show": True, "formatter": f"{fair:.{digits}f}", "color": "#b5532b"}
    line = {"type": "dashed", "width": 2, "color": "#b5532b"}
    mark = {**STILL, "label": label, "data": [{"xAxis": round(fair, 3)}], "lineStyle": line}
    return {"type": "line", "name": _("equal share"), "data": [], "markLine": mark}
