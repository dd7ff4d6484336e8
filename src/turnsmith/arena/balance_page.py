"""The balance of a game as one HTML page: tables with bars and small plots, nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from turnsmith.languages import _, counted, language, retold, worded

Row = dict[str, Any]
Points = Sequence[tuple[Any, ...]]
"""A value and the ends of its interval."""
Fair = Sequence[float | None]

STYLE = """
:root { --ink: #1d2430; --soft: #66707f; --line: #dfe3e8; --paper: #fff; --bar: #3b78c4; --mark: #10305c;
  --fair: #c2571a }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --soft: #9aa5b4; --line: #333c49; --paper: #14181f; --bar: #5b93dd; --mark: #d9e6f7;
    --fair: #f0945a } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.2rem; max-width: 60rem; background: var(--paper); color: var(--ink);
  font: 16px/1.45 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; border-top: 1px solid var(--line); padding-top: 1rem }
p { margin: .3rem 0 .8rem; max-width: 44rem }
.soft, small, caption { color: var(--soft) }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .7rem; margin: 1.2rem 0 0 }
.card { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem; overflow-wrap: anywhere }
.card b { display: block; font-size: 1.45rem; line-height: 1.25 }
.card small { display: block; line-height: 1.3 }
.warn { border-left: 4px solid var(--fair); padding-left: .8rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th { text-align: left; font-weight: 600; font-size: .85rem; color: var(--soft) }
th, td { padding: .28rem .6rem .28rem 0; border-bottom: 1px solid var(--line); vertical-align: middle }
td.n, th.n { text-align: right } td.n { white-space: nowrap }
td.bar { width: 38%; min-width: 6rem }
td.bar svg { display: block; width: 100%; height: 1.1rem }
td.name { overflow-wrap: break-word; min-width: 7rem; max-width: 20rem }
.reach { margin-left: .6rem }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem; margin: .8rem 0 }
figure { margin: 0; break-inside: avoid }
figcaption { font-weight: 600; font-size: .9rem }
figure svg { display: block; width: 100%; max-width: 30rem; height: auto }
svg text { font: 11px system-ui, sans-serif; fill: var(--soft) }
.b { fill: var(--bar) } .i { stroke: var(--mark); stroke-width: 1.6 } .f { stroke: var(--fair); stroke-dasharray: 4 3 }
.l { stroke: var(--bar); fill: none; stroke-width: 2 } .g { stroke: var(--line) }
footer { margin-top: 2.5rem; font-size: .85rem; color: var(--soft) }
@media (max-width: 34rem) { body { padding: .9rem } td.bar { min-width: 4rem; width: 26% }
  td.name { min-width: 4.6rem; max-width: 9rem } th, td { padding-right: .4rem } th { white-space: normal }
  .reach { display: block; margin: 0; font-size: .72rem } .many td.bar, .many th.bar { display: none } }
@media print { body { max-width: none; font-size: 11pt } h2 { break-after: avoid } tr { break-inside: avoid } }
"""


def page(found: Row) -> str:
    """The page of a document of ``balance``, which is also in it as JSON."""
    data = json.dumps(found).replace("<", "\\u003c")
    parts = (_head, _seats, _length, _endings, _actions, _boards, _players, _vary, _foot)
    body = "\n".join(filter(None, (part(found) for part in parts)))
    return (
        f'<!doctype html>\n<html lang="{language()}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_title(found)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n"
        f'<script type="application/json" id="document">{data}</script>\n</body>\n</html>\n'
    )


# ---------------------------------------------------------------- sections


def _title(found: Row) -> str:
    return escape(_("Balance of {game}").format(game=found["game"]))


def _head(found: Row) -> str:
    names = ", ".join(escape(player["name"]) for player in found["players"])
    who = _("{names} in all seats") if len(found["players"]) == 1 else _("{names}: everybody meets everybody")
    who = who.format(names=names)
    first, moves = found["first"], found["length"]["moves"]
    cards = []
    if first["rate"] is not None:
        share, won, draws = _("; an equal share is {share}"), first["won"], found["draws"]
        fair = share.format(share=_percent(first["fair"])) if first["fair"] else ""
        decided = _("; {share} of those with a winner").format(share=_percent(_of_decided(won, draws)))
        cards.append((_percent(won["rate"]), _("of games are won by the first to decide"), f"{_reach(won)}{decided}"))
        cards.append((_percent(draws["rate"]), _("draws"), _reach(draws)))
        explained = _("of the points go to the first to decide: a win is 1, a draw is shared")
        cards.append((_percent(first["rate"]), explained, f"{_reach(first)}{fair}"))
    elif first["games"]:
        cards.append((_mean(found, first), _who_scores(found), _mean_reach(found, first)))
    if moves["games"]:
        median = moves["median"]
        cards.append((f"{median['value']:,}", _("moves a game, median"), _to(median["low"], median["high"])))
        most = moves["most_of_95"]
        cards.append((f"{most['value']:,}", _("moves at most in 95 % of games"), _to(most["low"], most["high"])))
    shown = "".join(f'<div class="card"><b>{b}</b>{what}<small>{reach}</small></div>' for b, what, reach in cards)
    warn = ""
    if found["different_games"] < found["games"] / 2:
        warn = _(
            "Only {count:,} of these games differ. If the players hardly vary, the intervals are too narrow: let games "
            "begin with random moves ({option})."
        ).format(count=found["different_games"], option="<code>--opening 4</code>")
        warn = f'<p class="warn">{warn}</p>'
    about = _("{games:,} games, seed {seed}; {who}").format(games=found["games"], seed=found["seed"], who=who)
    return f'<h1>{_title(found)}</h1><p class="soft">{about}</p>{warn}<div class="cards">{shown}</div>'


def _seats(found: Row) -> str:
    rows = found["seats"]
    named = [_seat(row["seat"]) + (" · " + escape(_(row["role"])) if row["role"] else "") for row in rows]
    if found["first"]["rate"] is None:
        quantiles = [tuple(sorted(found["sign"] * q for q in row["quantiles"])) for row in rows]
        columns: list[tuple[str, list[str]]] = [
            (_mean_score(found), [_mean_with_reach(found, row) for row in rows]),
            (_("5 % of games at most"), [f"{q[0]:,.4g}" for q in quantiles]),
            (_("median"), [f"{q[1]:,.4g}" for q in quantiles]),
            (_("95 % of games at most"), [f"{q[2]:,.4g}" for q in quantiles]),
        ]
        body = _table(_("seat"), named, columns)
    else:
        lines = [(_("the first to decide"), found["first"]), *zip(named, rows, strict=True)]
        begins = ["", *(f"{row['begins']:,}" for row in rows)]
        bars = [_bar(row, found["first"]["fair"]) for _name, row in lines]
        shares = [(_("points"), [_share(row) for _name, row in lines])]
        body = _table("", [name for name, _row in lines], [*shares, (_("begins"), begins)], bars)
    if len(rows) == 1:
        return f"<h2>{_('Score')}</h2>{body}"
    note = _("Behind a number is its 95 % interval, which a thin line shows on bars.")
    if found["first"]["fair"]:
        note += " " + _("A win is a point, and those who tie share it; the dashed line is an equal share.")
    return f"<h2>{_('Seats')}</h2><p>{note}</p>{body}"


def _length(found: Row) -> str:
    rows = found["length"]
    if not rows["moves"]["games"]:
        return ""
    measures = ((_("median"), "median"), (_("95 % of games at most"), "most_of_95"), (_("mean"), "mean"))
    kinds = {"moves": _("moves"), "decisions": _("decisions")}
    columns = []
    for kind, row in rows.items():
        values = [_with_reach(f"{row[name]['value']:,.5g}", _ends(row[name])) for _title, name in measures]
        columns.append((kinds[kind], [*values, _to(row["least"], row["most"])]))
    titles = [*(title for title, _name in measures), _("all games")]
    kinds = {"moves": _("moves, chance included"), "decisions": _("decisions of players")}
    drawn = [(kinds[kind], rows[kind]["histogram"]) for kind in rows]
    if rows["moves"]["histogram"] == rows["decisions"]["histogram"]:
        drawn = [(_("moves, all of them decisions"), rows["moves"]["histogram"])]
    plots = "".join(f"<figure><figcaption>{name}</figcaption>{_histogram(bars)}</figure>" for name, bars in drawn)
    return f'<h2>{_("Length")}</h2>{_table("", titles, columns)}<div class="plots">{plots}</div>'


def _endings(found: Row) -> str:
    rows, looked = found["endings"]["rows"], found["endings"]["games"]
    note = "" if looked == found["games"] else f"<p>{_('Of the first {count:,} games.').format(count=looked)}</p>"
    named = [_with_example(*(retold(row[name]) or row[name] for name in ("ending", "example"))) for row in rows]
    shares = [(_("games"), [f"{row['games']:,}" for row in rows]), *_shares(rows)]
    return f"<h2>{_('Why games ended')}</h2>{note}{_table('', named, shares, [_bar(row) for row in rows])}"


def _actions(found: Row) -> str:
    actions = found["actions"]
    rows = actions["rows"]
    if not rows:
        return ""
    looked = _("Shares of the {decisions:,} decisions of {games:,} games, then in percent of each quarter of a game.")
    note = looked.format(decisions=actions["decisions"], games=actions["games"])
    if actions["read"] < actions["decisions"]:
        note += " " + _("{read:,} of them were read, evenly spread, each for those around it.").format(
            read=actions["read"]
        )
    quarters = [
        (title, [_percent(row["quarters"][quarter]).removesuffix(" %") for row in rows])
        for quarter, title in enumerate((_("1st"), _("2nd"), _("3rd"), _("4th")))
    ]
    named = [_with_example(worded(row["action"]), worded(row["example"])) for row in rows]
    table = _table("", named, [*_shares(rows), *quarters], [_bar(row) for row in rows])
    return f"<h2>{_('What was played')}</h2><p>{note}</p>{table}"


def _boards(found: Row) -> str:
    boards = found["boards"]
    if boards["different"] < 2:
        return ""
    head, text = f"<h2>{_('Boards')}</h2>", _("{count:,} different boards were played.")
    text = f"{text.format(count=boards['different'])}{_spread(found)}"
    if not boards["judged"]:
        text += " " + _(
            "None was played often enough for a row of its own: play more games, or on fewer boards if the game has an "
            "option for that."
        )
        return f"{head}<p>{text}</p>"
    text += " " + _(
        "On {outside:,} of the {judged:,} that were played often the interval leaves out the value of all boards "
        "together; if boards did not differ, it would on one in twenty."
    ).format(outside=boards["outside"], judged=boards["judged"])
    rows = boards["rows"]
    if boards["judged"] > len(rows):
        text += " " + _(
            "Listed are those on which the first to decide gets least and most: picked so, they look extreme."
        )
    named = [escape(row["source"] or _("board of match {match}").format(match=row["match"])) for row in rows]
    firsts = [row["first"] for row in rows]
    columns = [
        (_("games"), [f"{first['games']:,}" for first in firsts]),
        (_("moves"), [f"{r['median_moves']:g}" for r in rows]),
    ]
    if found["first"]["rate"] is None:
        values = [_mean_with_reach(found, first) for first in firsts]
        columns = [(_who_scores(found), values), *columns]
        return f"{head}<p>{text}</p>{_table('', named, columns)}"
    columns = [*_shares(firsts), *columns]
    bars = [_bar(first, found["first"]["rate"]) for first in firsts]
    return f"{head}<p>{text}</p>{_table('', named, columns, bars)}"


def _spread(found: Row) -> str:
    """How much boards differ, in a sentence."""
    spread, by_score = found["boards"]["spread"], found["first"]["rate"] is None
    if spread is None:
        return ""
    value, low, high = (f"{spread[name] * (1 if by_score else 100):.3g}" for name in ("value", "low", "high"))
    text = _(
        "From board to board the score that the first to decide may expect has a standard deviation of {value} ({low} "
        "to {high}); chance within a board is not in it."
    )
    if not by_score:
        text = _(
            "From board to board the share of points, in percent, that the first to decide may expect has a standard "
            "deviation of {value} ({low} to {high}); chance within a board is not in it."
        )
    return " " + text.format(value=f"<b>{value}</b>", low=low, high=high)


def _players(found: Row) -> str:
    rows = found["players"]
    if len(rows) < 2:
        return ""
    named, by_score = [escape(row["name"]) for row in rows], found["first"]["rate"] is None
    columns = [(_("games"), [f"{row['games']:,}" for row in rows])]
    bars = None
    if by_score:
        columns.append((_mean_score(found), [_mean_with_reach(found, row) for row in rows]))
    else:
        bars, columns = [_bar(row, found["first"]["fair"]) for row in rows], [*_shares(rows), *columns]
    parts = [_table("", named, columns, bars)]
    cells = {(pair["player"], pair["against"]): _share(pair) for pair in found["pairs"]}
    title = _("How often the row ended above the column, ties half.")
    if not cells:
        sign = found["sign"]
        for meeting in found["meetings"]:
            reach = "" if meeting["low"] is None else _to(*(f"{sign * meeting[end]:.4g}" for end in ("low", "high")))
            cells[meeting["seats"][0], meeting["seats"][1]] = _with_reach(f"{sign * meeting['mean_return']:.4g}", reach)
        roles = [_(role) for role in found["roles"]] or [_seat(0), _seat(1)]
        title = _("{what} of {one} (rows) against {other} (columns).")
        title = title.format(what=_mean_score(found).capitalize(), one=escape(roles[0]), other=escape(roles[-1]))
    if cells:
        names = [row["name"] for row in rows]
        across = [(escape(name), [cells.get((row, name), "–") for row in names]) for name in names]
        parts.append(f"<p>{title}</p>{_table('', named, across)}")
    return f"<h2>{_('Who beats whom')}</h2>{''.join(parts)}"


def _vary(found: Row) -> str:
    vary = found["vary"]
    if not vary:
        return ""
    rows, key = vary["rows"], escape(vary["key"])
    values, by_score = [row["value"] for row in rows], found["first"]["rate"] is None
    plots: list[tuple[str, Points, Fair | None]] = []
    medians = [row["length"]["moves"].get("median") or {} for row in rows]
    lengths = [(m.get("value"), m.get("low"), m.get("high")) for m in medians]
    if by_score:
        sign = found["sign"]
        names = ("mean_return", "mean_low", "mean_high")
        firsts = [tuple(None if (v := row["first"][n]) is None else sign * v for n in names) for row in rows]
        plots += [(_who_scores(found), firsts, None)]
        columns = [(_who_scores(found), [_mean_with_reach(found, row["first"]) for row in rows])]
    else:
        shares = [[_hundredfold(row[name]) for row in rows] for name in ("first", "draws")]
        fair = [None if row["first"]["fair"] is None else 100 * row["first"]["fair"] for row in rows]
        title = _("% of points of the first to decide")
        plots += [(title, shares[0], fair), (_("% draws"), shares[1], None)]
        columns = [
            (title, [_share(row["first"]) for row in rows]),
            (_("draws"), [_share(row["draws"]) for row in rows]),
        ]
    plots.append((_("moves a game, median"), lengths, None))
    columns.append(
        (_("moves a game, median"), [_with_reach(f"{m['value']:,}", _ends(m)) if m else "" for m in medians])
    )
    drawn = "".join(
        f"<figure><figcaption>{title}</figcaption>{_line(values, points, fair)}</figure>"
        for title, points, fair in plots
    )
    note = _("{games:,} games with each value, of the same seed.").format(games=rows[0]["games"])
    head = _("What {key} changes").format(key=key)
    table = _table(key, [escape(value) for value in values], columns)
    return f'<h2>{head}</h2><p>{note}</p><div class="plots">{drawn}</div>{table}'


def _foot(found: Row) -> str:
    lines = [
        _(
            "Every start is played in all rotations of the players; games of one start are not independent, and all "
            "95 % intervals know it."
        )
    ]
    lost = len(found["forfeits"])
    if lost:
        lines.append(
            counted("{count:,} game was forfeited.", "{count:,} games were forfeited.", lost).format(count=lost)
        )
    lines.append(_("The numbers of this page are in it as JSON, too ({place}).").format(place="<code>#document</code>"))
    return f"<footer>{' '.join(lines)} {_('Made by turnsmith.')}</footer>"


# ---------------------------------------------------------------- numbers


def _percent(rate: float | None) -> str:
    return "–" if rate is None else f"{100 * rate:.1f} %"


def _seat(seat: int) -> str:
    """People count from 1."""
    return _("seat {seat}").format(seat=seat + 1)


def _of_decided(won: Row, draws: Row) -> float | None:
    """The share of wins among the games that somebody won."""
    return float(won["rate"] / (1 - draws["rate"])) if draws["rate"] < 1 else None


def _to(low: float | str, high: float | str) -> str:
    low, high = (end if isinstance(end, str) else f"{end:,.5g}" for end in (low, high))
    return _("{low} to {high}").format(low=low, high=high)


def _reach(row: Row) -> str:
    return "" if row["low"] is None else _to(f"{100 * row['low']:.1f}", f"{100 * row['high']:.1f}")


def _ends(row: Row) -> str:
    return "" if row["low"] is None else _to(row["low"], row["high"])


def _hundredfold(row: Row) -> tuple[float | None, ...]:
    return tuple(None if row[name] is None else 100 * row[name] for name in ("rate", "low", "high"))


def _mean_score(found: Row) -> str:
    return _("mean cost") if found["sign"] < 0 else _("mean score")


def _who_scores(found: Row) -> str:
    if len(found["seats"]) == 1:
        return _mean_score(found)
    return _("mean cost of the first to decide") if found["sign"] < 0 else _("mean score of the first to decide")


def _mean(found: Row, row: Row) -> str:
    return "–" if row["mean_return"] is None else f"{found['sign'] * row['mean_return']:,.4g}"


def _mean_reach(found: Row, row: Row) -> str:
    if row["mean_low"] is None:
        return ""
    low, high = sorted(found["sign"] * row[name] for name in ("mean_low", "mean_high"))
    return _to(f"{low:,.4g}", f"{high:,.4g}")


def _shares(rows: Sequence[Row]) -> list[tuple[str, list[str]]]:
    return [(_("share"), [_share(row) for row in rows])]


def _share(row: Row) -> str:
    return _with_reach(_percent(row["rate"]), _reach(row))


def _mean_with_reach(found: Row, row: Row) -> str:
    return _with_reach(_mean(found, row), _mean_reach(found, row))


def _with_reach(value: str, reach: str) -> str:
    """A number and its interval: behind it, or below where there is little room."""
    return f'<span>{value}</span><small class="reach">{reach}</small>' if reach else value


def _with_example(name: str, example: str) -> str:
    return escape(name) if name == example else f"{escape(name)} <small>{_('e.g.')} {escape(example)}</small>"


# ---------------------------------------------------------------- drawing


def _table(
    corner: str, names: Sequence[str], columns: Sequence[tuple[str, list[str]]], bars: Sequence[str] | None = None
) -> str:
    """Rows with a name, a bar if there are some, and a number a column; all of it HTML already."""
    heads = "".join(f'<th class="n">{title}</th>' for title, _cells in columns)
    lines = []
    for index, name in enumerate(names):
        bar = f'<td class="bar">{bars[index]}</td>' if bars else ""
        cells = "".join(f'<td class="n">{cells[index]}</td>' for _title, cells in columns)
        lines.append(f'<tr><td class="name">{name}</td>{bar}{cells}</tr>')
    bar = '<th class="bar"></th>' if bars else ""
    many = ' class="many"' if len(columns) > 3 else ""
    return f'<div class="wide"><table{many}><tr><th>{corner}</th>{bar}{heads}</tr>{"".join(lines)}</table></div>'


def _bar(row: Row, fair: float | None = None) -> str:
    """A share from 0 to 1 with its interval, as wide as its cell."""
    drawn = f'<rect class="b" y="5" width="{100 * row["rate"]:.2f}" height="10" rx=".4"/>'
    if fair is not None:
        drawn += _stroke("f", 100 * fair, 0, 100 * fair, 20)
    drawn += _stroke("i", 100 * row["low"], 10, 100 * row["high"], 10)
    return f'<svg viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">{drawn}</svg>'


def _stroke(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    ends = f'x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}"'
    return f'<line class="{kind}" {ends} vector-effect="non-scaling-stroke"/>'


WIDE, TALL, LEFT, FOOT = 340, 170, 44, 24
"""Of a plot, and of the room for the numbers of its axes."""


def _frame(inside: str, low: float, high: float, height: Callable[[float], float]) -> str:
    """A plot with lines at a few round values."""
    lines = ""
    for value in _ticks(low, high):
        lines += _stroke("g", LEFT, height(value), WIDE, height(value))
        lines += f'<text x="{LEFT - 5}" y="{height(value) + 4:.1f}" text-anchor="end">{value:,.4g}</text>'
    return f'<svg viewBox="0 0 {WIDE} {TALL}" role="img">{lines}{inside}</svg>'


def _ticks(low: float, high: float) -> list[float]:
    """Three to seven round values within a range.

    >>> _ticks(0, 100), _ticks(0.41, 0.47)
    ([0.0, 20.0, 40.0, 60.0, 80.0, 100.0], [0.41, 0.42, 0.43, 0.44, 0.45, 0.46, 0.47])
    """
    step = 10.0 ** (len(f"{int((high - low) * 1e6)}") - 7)
    step *= next(factor for factor in (0.2, 0.5, 1, 2, 5, 10) if (high - low) / (factor * step) <= 6)
    first = int(-(-low // step))
    return [round(step * index, 9) for index in range(first, int(high / step + 1e-9) + 1)]


def _scale(low: float, high: float) -> Callable[[float], float]:
    return lambda value: 8 + (TALL - FOOT - 8) * (high - value) / (high - low)


def _histogram(bars: Sequence[Row]) -> str:
    most = max(bar["games"] for bar in bars)
    height, width = _scale(0, most), (WIDE - LEFT) / len(bars)
    drawn = ""
    for index, bar in enumerate(bars):
        top = height(bar["games"])
        left, span = LEFT + width * index, f"{bar['start']}–{bar['end']}" if bar["start"] < bar["end"] else bar["start"]
        drawn += (
            f'<rect class="b" x="{left + 0.5:.2f}" y="{top:.2f}" width="{max(width - 1, 0.5):.2f}" '
            f'height="{height(0) - top:.2f}"><title>{_bar_says(span, bar["games"])}</title></rect>'
        )
    for index in sorted({0, len(bars) // 2, len(bars) - 1}):
        where = "end" if index == len(bars) - 1 and index else "start" if index == 0 else "middle"
        at = {"start": LEFT, "end": WIDE, "middle": LEFT + width * (index + 0.5)}[where]
        shown = bars[index]["end" if where == "end" else "start"]
        drawn += f'<text x="{at:.1f}" y="{TALL - 6}" text-anchor="{where}">{shown:,}</text>'
    return _frame(drawn, 0, most, height)


def _bar_says(span: object, games: int) -> str:
    return counted("{span}: {games:,} game", "{span}: {games:,} games", games).format(span=span, games=games)


def _line(values: Sequence[str], points: Points, fair: Fair | None) -> str:
    """A point with its interval for every value, joined by lines; `fair` as a dashed line."""
    known = [number for point in points for number in point if number is not None]
    known += [number for number in fair or () if number is not None]
    if not known:
        return ""
    low, high = min(known), max(known)
    margin = 0.08 * (high - low) or max(abs(high), 1.0) * 0.1
    low, high = (max(0.0, low - margin) if low >= 0 else low - margin), high + margin
    height, xs = _scale(low, high), _places(values)
    drawn = ""
    if fair and all(number is not None for number in fair):
        for index in range(len(fair) - 1):
            drawn += _stroke("f", xs[index], height(fair[index] or 0), xs[index + 1], height(fair[index + 1] or 0))
    shown = [(x, value, *ends) for x, (value, *ends) in zip(xs, points, strict=True) if value is not None]
    drawn += f'<polyline class="l" points="{" ".join(f"{x:.1f},{height(y):.1f}" for x, y, *_ends in shown)}"/>'
    for x, value, least, most in shown:
        if least is not None and most is not None:
            drawn += _stroke("i", x, height(least), x, height(most))
        drawn += f'<circle class="b" cx="{x:.1f}" cy="{height(value):.1f}" r="3.5"/>'
    every = -(-len(values) // 8)
    for index in range(0, len(values), every):
        drawn += f'<text x="{xs[index]:.1f}" y="{TALL - 6}" text-anchor="middle">{escape(values[index][:10])}</text>'
    return _frame(drawn, low, high, height)


def _places(values: Sequence[str]) -> list[float]:
    """Where values stand from left to right: numbers to scale, words evenly."""
    try:
        numbers = [float(value) for value in values]
    except ValueError:
        numbers = [float(index) for index in range(len(values))]
    low, high = min(numbers), max(numbers)
    left, right = LEFT + 14, WIDE - 14
    return [left + (right - left) * ((number - low) / (high - low) if high > low else 0.5) for number in numbers]
