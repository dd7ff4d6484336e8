"""The balance of a game: who wins from which seat, how long it lasts, why it ends and what is played.

The same is found with every value of an option that is varied. Every share has a 95 % interval that knows which games
share a start.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.arena.groups import OTHERS, examples, grouped
from turnsmith.arena.review import ENDINGS as NOTED
from turnsmith.arena.review import QUARTERS, Review
from turnsmith.arena.statistics import (
    clustered_mean,
    clustered_quantile,
    clustered_rate,
    clustered_ratio,
    spread_between,
)
from turnsmith.arena.table import NO_RATE, Count, Table
from turnsmith.arena.tournament import follow, planned
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown, suggestion
from turnsmith.common.settings import as_texts, build, gathering, written_fields
from turnsmith.contract.game import Game
from turnsmith.contract.loading import load
from turnsmith.play.player import Player

if TYPE_CHECKING:
    from turnsmith.arena.store import Store

Progress = Callable[[int, int], None]

BOARDS = 10
"""Boards that have a row: half of them those that favour whoever begins least, half most."""
STARTS = 4
"""Starts that a board must have been played from to have one."""
ENDINGS, ACTIONS = 8, 12
"""Groups of endings and of actions that are told apart."""
BINS = 24
"""Bars of a histogram."""
MOST_VALUES = 50
"""Values of a number that is varied."""


@dataclass(frozen=True)
class Balance:
    """What was found. ``to_dict`` is for programs, ``page`` for people; both say the same."""

    table: Table
    review: Review
    key: str = ""
    """The option that was varied, and what was found with each of its values."""
    varied: tuple[tuple[str, Balance], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """One JSON document (docs/how-to/balance.md)."""
        return {**_Numbers(self).all(), "vary": self._vary()}

    def _vary(self) -> dict[str, Any] | None:
        if not self.varied:
            return None
        rows = []
        for value, other in self.varied:
            numbers = _Numbers(other)
            lengths = {name: numbers.length(values, False) for name, values in numbers.lengths().items()}
            row = {"value": value, "game": other.table.game, "games": other.table.games, "seats": other.table.seats}
            rows.append({**row, "first": numbers.first(), "draws": numbers.draws(), "length": lengths})
        return {"key": self.key, "rows": rows}

    def page(self) -> str:
        """One HTML page that needs nothing from elsewhere."""
        from turnsmith.arena.balance_page import page

        return page(self.to_dict())


def balance(
    game: Game | str,
    players: Sequence[str | Player],
    games: int = 1000,
    *,
    seed: int = 0,
    workers: int = 1,
    opening: int = 0,
    store: Store | str | None = None,
    vary: str = "",
    progress: Progress | None = None,
) -> Balance:
    """Let players meet and look at the game: one player sits in all seats, of several everybody meets everybody.

    `vary` is KEY=A..B, KEY=A..B..STEP or KEY=A|B|C, where KEY is an option of the game or a number of its
    configuration (with a point in it, such as turn.rounds): as many games with every value.
    """
    game = load(game) if isinstance(game, str) else game
    if workers < 1:
        raise BadInput(f"workers={workers} must be at least 1")
    key, variants = varieties(game, vary) if vary else ("", [])
    plans = [planned(kind, players, games, seed, opening=opening) for kind in (game, *(kind for _, kind in variants))]
    with contextlib.ExitStack() as until_done:
        if isinstance(store, str):
            from turnsmith.arena.store import Store

            store = until_done.enter_context(contextlib.closing(Store(store)))
        results = []
        for index, plan in enumerate(plans):
            before, total = index * games, len(plans) * games
            results.append(_played(plan, games, workers, store, _shifted(progress, before, total)))
    values = [value for value, _ in variants]
    base, *others = (Balance(table, review) for table, review in results)
    return dataclasses.replace(base, key=key, varied=tuple(zip(values, others, strict=True)))


def _shifted(progress: Progress | None, before: int, total: int) -> Progress:
    return lambda done, _: progress(before + done, total) if progress else None


def _played(plan: Any, games: int, workers: int, store: Store | None, progress: Progress) -> tuple[Table, Review]:
    """The games of a plan, from the store as far as it has them."""
    review = Review(plan, games)
    if store is not None:
        for _, batch in store.batches(store.open_run(plan)):
            review.add(batch, checked=True)
    for done, latest in follow(plan, games, workers, store, seen=review.add):
        table = latest
        progress(done, games)
    plan.forget_boards()  # many values of an option are as many plans
    if not review.is_seen.all():
        lacking = int((~review.is_seen).sum())
        raise BadInput(f"{lacking:,} of these games were stored without their moves; name another --store, or none")
    return table, review


# ---------------------------------------------------------------- varying a number


def varieties(game: Game, vary: str) -> tuple[str, list[tuple[str, Game]]]:
    """The option that KEY=A..B[..STEP] or KEY=A|B|C names, and the game with each of its values."""
    key, equals, span = (part.strip() for part in vary.partition("="))
    if not equals or not key or not span:
        raise BadInput(
            f"--vary {shown(vary)} must be KEY=A..B, KEY=A..B..STEP or KEY=A|B|C, such as target=20..100..20"
        )
    has = list(written_fields(type(game.options))) if game.options is not None else []
    if key not in has and not ("." in key and has and gathering(type(game.options))):
        hint = f"; its settings: {', '.join(has)}" if has else "; it has no settings"
        raise BadInput(f"--vary {shown(vary)}: {game.name} has no setting '{shown(key)}'{suggestion(key, has)}{hint}")
    return key, [(value, _with(game, key, value)) for value in values_of(span)]


def values_of(span: str) -> list[str]:
    """What A..B, A..B..STEP or A|B|C stands for.

    >>> values_of("20..100..40"), values_of("0.5..1..0.25"), values_of("small|tiny")
    (['20', '60', '100'], ['0.5', '0.75', '1'], ['small', 'tiny'])
    """
    option = f"--vary {shown(span)}"
    if ".." not in span:
        values = [value.strip() for value in span.split("|")]
    else:
        ends = span.split("..")
        if len(ends) not in (2, 3) or not all(re.fullmatch(r"-?\d{1,12}(\.\d{1,9})?", end.strip()) for end in ends):
            raise BadInput(f"{option} must be numbers A..B or A..B..STEP, such as 2..6 or 20..100..20")
        low, high, step = (float(end) for end in (*ends, "1")[:3])
        if step <= 0 or low > high:
            raise BadInput(f"{option} must go up, by a step above 0")
        count = int((high - low) / step + 1e-9) + 1
        if count > MOST_VALUES:
            raise BadInput(f"{option} is {count:,} values; at most {MOST_VALUES} are played, take a greater step")
        values = [f"{round(low + index * step, 9):.9f}".rstrip("0").rstrip(".") for index in range(count)]
    if not all(values) or len(values) > MOST_VALUES or len(set(values)) < len(values):
        raise BadInput(f"{option} must be at most {MOST_VALUES} different values with | between them")
    return values


def _with(game: Game, key: str, value: str) -> Game:
    """The same game with another value of one option, or of one number of its configuration."""
    options = build(type(game.options), as_texts(game.options) | {key: value}, game.name)
    return load(dataclasses.replace(game, options=options, alias="").loads_by)


# ---------------------------------------------------------------- counting


class _Numbers:
    """What a report says of one run."""

    def __init__(self, found: Balance):
        self.table, self.review = found.table, found.review
        self.count = Count(found.table)
        self.whole = ~found.review.forfeited
        """Games that came to their end."""

    def all(self) -> dict[str, Any]:
        table, review = self.table, self.review
        arena = table.to_dict()
        whole = {name: self.length(values, True) for name, values in self.lengths().items()}
        return {
            "turnsmith": "balance",
            **{name: arena[name] for name in ("game", "winner", "roles", "games", "seed")},
            "seats": [{**row, **self._of_seat(row["seat"])} for row in arena["seats"]],
            "different_games": review.different_games,
            "sign": table.goal.sign(table.seats),
            "first": self.first(),
            "draws": self.draws(),
            "length": whole,
            "endings": self.endings(),
            "actions": self.actions(),
            "boards": self.boards(),
            **{name: arena[name] for name in ("players", "pairs", "meetings", "forfeits")},
        }

    def _of_seat(self, seat: int) -> dict[str, Any]:
        """How often a seat begins, and what 5, 50 and 95 % of its games bring at most."""
        values = np.quantile(self.table.returns[:, seat], (0.05, 0.5, 0.95), method="inverted_cdf")
        return {"begins": int((self.review.first == seat).sum()), "quantiles": [round(float(v), 6) for v in values]}

    def first(self, among: Array | None = None) -> dict[str, Any]:
        """What whoever decides first gets: a share of the points, where a win is one and those who tie share it, how
        often it wins, and a mean return. `fair` is an equal share of the points."""
        count, table = self.count, self.table
        chosen = (self.review.first >= 0) if among is None else among & (self.review.first >= 0)
        match = np.flatnonzero(chosen)
        seat, groups, tables = self.review.first[match], count.groups[match], count.tables[match]
        rate: dict[str, Any] = dict(NO_RATE)
        won: dict[str, Any] = dict(NO_RATE)
        if not table.is_by_score:
            wins = count.won[match, seat] & ~self.drawn()[match]
            rate = clustered_rate(count.points[match, seat], groups, tables).rounded()
            won = clustered_rate(wins.astype(np.float64), groups, tables).rounded()
        strata = tables * len(table.players) + table.seating[match, seat]
        mean = clustered_mean(table.returns[match, seat], groups, strata)
        fair = round(1 / table.seats, 6) if table.goal.kind == "highest" and table.seats > 1 else None
        return {"games": len(match), **rate, "fair": fair, "won": won, **mean.rounded()}

    def draws(self) -> dict[str, Any]:
        """How many games are drawn."""
        if self.table.is_by_score:
            return dict(NO_RATE)
        return dict(clustered_rate(self.drawn().astype(np.float64), self.count.groups, self.count.tables).rounded())

    def drawn(self) -> Array:
        """Games without a winner, or with several who share it."""
        winners = self.count.won.sum(axis=1)
        return np.asarray(winners == 0 if self.table.goal.kind == "rule" else winners > 1)

    def lengths(self) -> dict[str, Array]:
        return {"moves": self.review.moves, "decisions": self.review.decisions}

    def length(self, values: Array, with_histogram: bool) -> dict[str, Any]:
        """Of games that came to their end: mean, median, and what 95 % do not exceed."""
        if not self.whole.any():
            return {"games": 0}
        kept, groups, tables = values[self.whole], self.count.groups[self.whole], self.count.tables[self.whole]
        mean = clustered_mean(kept.astype(np.float64), groups, tables)
        summary: dict[str, Any] = {"games": len(kept), "least": int(kept.min()), "most": int(kept.max())}
        ends = (mean.mean, mean.low, mean.high)
        rounded = (round(end, 3) if np.isfinite(end) else None for end in ends)
        summary["mean"] = dict(zip(("value", "low", "high"), rounded, strict=True))
        for name, share in (("median", 0.5), ("most_of_95", 0.95)):
            summary[name] = {end: int(at) for end, at in vars(clustered_quantile(kept, share, groups, tables)).items()}
        if with_histogram:
            summary["histogram"] = _histogram(kept)
        return summary

    def endings(self) -> dict[str, Any]:
        """Why games ended, those that were noted; a forfeit is an ending too."""
        review, table = self.review, self.table
        ending_of = {**review.endings, **{m: f"forfeit: {why}" for m, why in table.reasons.items() if m < NOTED}}
        noted = np.array(sorted(ending_of), np.int64)
        often = Counter(ending_of.values())
        groups = grouped(often, ENDINGS)
        shown_by, rows = examples(groups, often), []
        for group in dict.fromkeys(groups.values()):
            hits = np.array([groups[ending_of[m]] == group for m in noted.tolist()], np.float64)
            rate = clustered_rate(hits, self.count.groups[noted], self.count.tables[noted])
            row = {"ending": group, "example": shown_by[group], "games": int(hits.sum()), **rate.rounded()}
            rows.append(row)
        return {"games": len(noted), "rows": sorted(rows, key=_commonest("ending"))}

    def actions(self) -> dict[str, Any]:
        """How often each kind of action was taken, in all of a game and in each quarter of its decisions."""
        spoken = list(self.review.spoken())
        often: Counter[str] = Counter()
        for move in spoken:
            often[move.words] += move.weight
        groups = grouped(often, ACTIONS, by_first_piece=True)
        names = list(dict.fromkeys(groups.values()))
        place = {name: index for index, name in enumerate(names)}
        matches, row_of = np.unique(np.array([move.match for move in spoken], np.int64), return_inverse=True)
        counts = np.zeros((len(matches), QUARTERS, len(names)))
        for row, move in zip(row_of.tolist(), spoken, strict=True):
            counts[row, move.quarter, place[groups[move.words]]] += move.weight
        shown_by, rows = examples(groups, often), []
        by_quarter = counts.sum(axis=(0, 2))
        for index, name in enumerate(names):
            whole = counts.sum(axis=(1, 2))
            rate = clustered_ratio(counts[:, :, index].sum(axis=1), whole, self.count.groups[matches])
            quarters = counts[:, :, index].sum(axis=0)
            shares = [round(float(q / n), 6) if n else None for q, n in zip(quarters, by_quarter, strict=True)]
            rows.append({"action": name, "example": shown_by[name], **rate.rounded(), "quarters": shares})
        looked = {"games": len(matches), "decisions": sum(often.values()), "read": len(spoken)}
        return {**looked, "rows": sorted(rows, key=_commonest("action"))}

    def boards(self) -> dict[str, Any]:
        """Boards that were played often enough to say something of each: those that favour the beginner least and most.

        `outside` of `judged` boards have an interval that does not hold what all boards together have: of boards that
        do not differ, one in twenty. `spread`: the standard deviation over boards of what the beginner may expect.
        """
        review, seats = self.review, self.table.seats
        different = review.different_boards
        summary: dict[str, Any] = {"different": different, "spread": None, "judged": 0, "outside": 0, "rows": []}
        if different < 2:
            return summary
        summary["spread"] = self._spread()
        often = np.bincount(review.board, minlength=different)
        judged = np.flatnonzero(often >= STARTS * seats)
        measure = "mean_return" if self.table.is_by_score else "rate"
        low, high = ("mean_low", "mean_high") if self.table.is_by_score else ("low", "high")
        overall = self.first()[measure]
        rows = []
        for board in judged.tolist():
            first = self.first(review.board == board)
            rows.append((first[measure], int(np.argmax(review.board == board)), first))
            if overall is not None and first[low] is not None:
                summary["outside"] += not first[low] <= overall <= first[high]
        rows = sorted((row for row in rows if row[0] is not None), key=lambda row: row[:2])
        if len(rows) > BOARDS:
            rows = rows[: BOARDS // 2] + rows[-BOARDS // 2 :]
        summary["judged"] = len(judged)
        summary["rows"] = [self._board(match, first) for _, match, first in rows]
        return summary

    def _spread(self) -> dict[str, float] | None:
        """How much boards differ in what whoever decides first may expect there."""
        count, table = self.count, self.table
        match = np.flatnonzero(self.review.first >= 0)
        seat = self.review.first[match]
        strata = count.tables[match] * len(table.players) + table.seating[match, seat]
        worth = table.returns if table.is_by_score else count.points
        spread = spread_between(worth[match, seat], self.review.board[match], strata)
        return spread.rounded() if spread else None

    def _board(self, match: int, first: dict[str, Any]) -> dict[str, Any]:
        """The first match that was played on a board, and what describes it, if that is short."""
        plan, here = self.review.plan, self.review.board == self.review.board[match]
        (source,) = json.loads(plan.sources(plan.sites(np.array([match // plan.seats]))))
        text = json.dumps(source)
        median = float(np.median(self.review.moves[here]))
        return {"match": match, "source": text if len(text) <= 80 else None, "first": first, "median_moves": median}


def _commonest(name: str) -> Callable[[dict[str, Any]], Any]:
    """The order of rows: the commonest first, what was put together last."""
    return lambda row: (row[name] == OTHERS, -row["rate"], row[name])


def _histogram(values: Array) -> list[dict[str, int]]:
    """At most BINS bars of whole numbers, `start` to `end` both included."""
    low, high = int(values.min()), int(values.max())
    width = -(-(high - low + 1) // BINS)
    counts = np.bincount((values - low) // width)
    starts = [low + index * width for index in range(len(counts))]
    return [{"start": s, "end": min(high, s + width - 1), "games": int(n)} for s, n in zip(starts, counts, strict=True)]
