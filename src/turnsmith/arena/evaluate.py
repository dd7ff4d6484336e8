"""Measuring one player of a one-seat game over every start, or over many.

Costs are reported as such: Mastermind's mean is the mean number of guesses.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnsmith.arena.review import ends_of
from turnsmith.arena.runners import ArenaPlan, play_compiled, play_each, warm_up
from turnsmith.arena.schedule import MOST_SEATED
from turnsmith.arena.statistics import Z95
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled
from turnsmith.contract.game import CHANCE, Game
from turnsmith.contract.loading import load
from turnsmith.play import step
from turnsmith.play.evaluation import Evaluation
from turnsmith.play.player import Player, player
from turnsmith.play.position import Position

MOST_STARTS = 1_000_000


@dataclass(frozen=True)
class MeasuredEvaluation:
    """An evaluation and what it was measured on; `exact`: all of chance and the player's own dice are counted."""

    game: str
    player: str
    exact: bool
    seconds: float
    evaluation: Evaluation
    low: float
    high: float
    openings: tuple[str, ...] = ()
    """First moves that were forced, in words, each before every start."""
    by_opening: tuple[float, ...] = ()
    """The mean after each of them."""

    def to_dict(self) -> dict[str, Any]:
        result = self.evaluation
        forced = {"openings": dict(zip(self.openings, self.by_opening, strict=True))} if self.openings else {}
        return {
            "game": self.game,
            "player": self.player,
            **forced,
            "games": result.games,
            "mean": float(result.mean),
            "max": result.max,
            "histogram": {str(value): count for value, count in sorted(result.histogram.items())},
            "endings": dict(result.endings),
            "exact": self.exact,
            "low": self.low,
            "high": self.high,
            "seconds": round(self.seconds, 6),
        }

    def __rich__(self) -> str:
        result = self.evaluation
        how = "exactly" if self.exact else f"95 % interval {self.low:.4f} – {self.high:.4f}"
        lines = [
            f"[bold]{self.player}[/] on {self.game}: mean [bold]{float(result.mean):.6f}[/] ({how}), max {result.max}"
        ]
        most = max(result.histogram.values())
        for value, count in sorted(result.histogram.items()):
            lines.append(f"{value:>6g} {'█' * round(40 * count / most):<40} {_number(count)}")
        if result.endings:
            ends = (f"{_number(count)} {words}" for words, count in result.endings.items())
            lines.append(f"of those with {result.max:g}: {', '.join(ends)}")
        if self.openings:
            means = (f"{words} {mean:.4f}" for words, mean in zip(self.openings, self.by_opening, strict=True))
            lines.append(f"after the openings {', '.join(means)}")
        return "\n".join([*lines, f"{result.games:,} games, {self.seconds:.3f} s"])


def evaluate(
    game: Game | str, who: Player | str, games: int | None = None, seed: int = 0, openings: int = 0
) -> MeasuredEvaluation:
    """Measure a player over `games` random starts, or over all of them (None).

    With `openings`, so many different first moves are drawn, and each is forced on the player in every start: what it
    knows by heart does not help it there. The interval is then that over openings.
    """
    game = load(game) if isinstance(game, str) else game
    who = player(who, game) if isinstance(who, str) else who
    boards = game.board(seed)
    if boards[0].seats != 1:
        raise BadInput(f"{game.text_name} has {boards[0].seats} seats; evaluate is for one-seat games, use arena")
    who.check(game, boards)
    exact = getattr(who, "exact", None)
    begun = time.monotonic()
    if openings:
        if games is not None:
            raise BadInput("forced openings are made in all starts; leave --games out, or give all")
        return _after_openings(game, who, boards, seed, openings)
    if games is None and exact is not None and (result := exact(game, boards)) is not None:
        mean = float(result.mean)
        return MeasuredEvaluation(game.text_name, repr(who), True, time.monotonic() - begun, result, mean, mean)
    first_moves = _all_starts(game, boards)[0] if games is None else None
    count = games if first_moves is None else len(first_moves)
    assert count is not None
    values, endings, seconds = _play(game, who, boards, seed, count, first_moves)
    result, reach = _counted(values, endings), _reach(values)
    mean = float(result.mean)
    return MeasuredEvaluation(game.text_name, repr(who), False, seconds, result, mean - reach, mean + reach)


def _after_openings(game: Game, who: Player, boards: Array, seed: int, openings: int) -> MeasuredEvaluation:
    """Every start after each of so many random first moves."""
    starts, acts = _all_starts(game, boards)
    if not 1 <= openings <= len(acts):
        raise BadInput(f"--openings {openings} must be 1 to {len(acts)}, the first moves there are")
    if openings * len(starts) > MOST_SEATED:
        raise BadInput(f"--openings {openings} make too many games for one run: at most {MOST_SEATED}")
    drawn = np.random.default_rng(seed).choice(acts, openings, replace=False)
    rows = np.column_stack([np.tile(starts, (openings, 1)), np.full(openings * len(starts), -1, np.int32)])
    rows[np.arange(len(rows)), (rows < 0).argmax(axis=1)] = np.repeat(drawn, len(starts))
    values, endings, seconds = _play(game, who, boards, seed, len(rows), rows)
    means, result = values.reshape(openings, -1).mean(axis=1), _counted(values, endings)
    mean, reach = float(result.mean), _reach(means)
    first = Position(game, seed, boards)
    by_move = tuple(first.words(int(action)) for action in drawn), tuple(round(float(value), 6) for value in means)
    return MeasuredEvaluation(game.text_name, repr(who), False, seconds, result, mean - reach, mean + reach, *by_move)


def _play(
    game: Game, who: Player, boards: Array, seed: int, count: int, first_moves: Array | None
) -> tuple[Array, dict[str, int], float]:
    """float64[count]: what each game scores; how those with the worst score end; and the seconds they took."""
    if count > MOST_SEATED:
        raise BadInput(f"--games {count} are too many for one run: at most {MOST_SEATED}")
    plan = ArenaPlan(game, [who], np.zeros((count, 1), np.int32), seed, openings=first_moves)
    numbers = np.arange(count, dtype=np.int64)
    warm_up(plan, numbers)
    begun = time.monotonic()
    batch = play_compiled(plan, numbers) if plan.is_compiled else play_each(plan, numbers)
    if batch.reasons:
        raise BadInput(f"{who!r} {next(iter(batch.reasons.values()))}; a player must finish every game to be measured")
    values, seconds, ends = (
        game.goal(boards[0]).sign(1) * batch.returns[:, 0],
        time.monotonic() - begun,
        ends_of(plan, batch),
    )
    worst = np.flatnonzero(values == values.max()).tolist()
    counts = Counter(str(game.ending(ends.boards[ends.which[row]], ends.states[row])) for row in worst)
    return values, dict(counts), seconds


def _number(count: float) -> str:
    return f"{count:,}" if isinstance(count, int) else f"{count:,.2f}"


def _counted(values: Array, endings: dict[str, int]) -> Evaluation:
    different, counts = np.unique(values, return_counts=True)
    histogram = {(int(v) if v == int(v) else float(v)): int(c) for v, c in zip(different, counts, strict=True)}
    return Evaluation(len(values), float(values.sum()), histogram, endings)


def _reach(values: Array) -> float:
    """Half of the 95 % interval of the mean."""
    return Z95 * float(values.std(ddof=1)) / float(np.sqrt(len(values))) if len(values) > 1 else 0.0


def _all_starts(game: Game, boards: Array) -> tuple[Array, Array]:
    """int32[starts, length], ended by -1: every way chance can go before the first decision; and the decisions that
    are legal then, whichever way it went."""
    acts, chances = step.buffers(boards)
    returns = np.zeros(int(boards[0].seats), np.float64)
    first = np.zeros(1, game.State)
    compiled(step.begin)(game, boards, first)
    open_ends: list[tuple[list[int], Array]] = [([], first)]
    starts: list[list[int]] = []
    legal: Array | None = None
    while open_ends:
        path, states = open_ends.pop()
        mover, count = step.look_at(game, boards, states, acts, chances, returns)
        if mover != CHANCE:
            starts.append(path)
            if legal is None or not np.array_equal(legal, acts[:count]):
                legal = acts[:count].copy() if legal is None else np.intersect1d(legal, acts[:count])
            continue
        if np.ptp(chances[:count]) > 1e-12:
            raise BadInput(f"the starts of {game.text_name} are not equally likely; give --games a number")
        if len(starts) + len(open_ends) + count > MOST_STARTS:
            raise BadInput(f"{game.text_name} has more than {MOST_STARTS:,} starts; give --games a number")
        for outcome in acts[:count].tolist()[::-1]:
            after = states.copy()
            compiled(step.advance)(game, boards, after, outcome)
            open_ends.append(([*path, outcome], after))
    rows = np.full((len(starts), max(map(len, starts))), -1, np.int32)
    for row, path in enumerate(starts):
        rows[row, : len(path)] = path
    assert legal is not None
    return rows, legal
