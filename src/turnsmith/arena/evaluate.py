"""Measuring one player of a one-seat game over every start, or over many.

Costs are reported as such: Mastermind's mean is the mean number of guesses.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnsmith import step
from turnsmith.arena.runners import Plan, play_compiled, play_each, warm_up
from turnsmith.arena.schedule import MOST_SEATED
from turnsmith.arena.statistics import Z95
from turnsmith.evaluation import Evaluation
from turnsmith.game import CHANCE, Array, Game, load
from turnsmith.kernel import compiled
from turnsmith.player import Player, player
from turnsmith.texts import BadInput

MOST_STARTS = 1_000_000


@dataclass(frozen=True)
class Measured:
    """An evaluation and what it was measured on; `exact`: all of chance and the player's own dice are counted."""

    game: str
    player: str
    exact: bool
    seconds: float
    evaluation: Evaluation
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        found = self.evaluation
        return {
            "game": self.game,
            "player": self.player,
            "games": found.games,
            "mean": float(found.mean),
            "max": found.max,
            "histogram": {str(value): count for value, count in sorted(found.histogram.items())},
            "exact": self.exact,
            "low": self.low,
            "high": self.high,
            "seconds": round(self.seconds, 6),
        }

    def __rich__(self) -> str:
        found = self.evaluation
        how = "exactly" if self.exact else f"95 % interval {self.low:.4f} – {self.high:.4f}"
        lines = [
            f"[bold]{self.player}[/] on {self.game}: mean [bold]{float(found.mean):.6f}[/] ({how}), max {found.max}"
        ]
        most = max(found.histogram.values())
        for value, count in sorted(found.histogram.items()):
            shown = f"{count:,}" if isinstance(count, int) else f"{count:,.2f}"
            lines.append(f"{value:>6g} {'█' * round(40 * count / most):<40} {shown}")
        return "\n".join([*lines, f"{found.games:,} games, {self.seconds:.3f} s"])


def evaluate(game: Game | str, who: Player | str, games: int | None = None, seed: int = 0) -> Measured:
    """Measure a player over `games` random starts, or over all of them (None)."""
    game = load(game) if isinstance(game, str) else game
    who = player(who, game) if isinstance(who, str) else who
    boards = game.board(seed)
    if boards[0].seats != 1:
        raise BadInput(f"{game.text_name} has {boards[0].seats} seats; evaluate is for one-seat games, use arena")
    who.check(game, boards)
    exact = getattr(who, "exact", None)
    begun = time.monotonic()
    if games is None and exact is not None and (found := exact(game, boards)) is not None:
        mean = float(found.mean)
        return Measured(game.text_name, repr(who), True, time.monotonic() - begun, found, mean, mean)
    openings = _all_starts(game, boards) if games is None else None
    count = games if openings is None else len(openings)
    assert count is not None
    if count > MOST_SEATED:
        raise BadInput(f"--games {count} are too many for one run: at most {MOST_SEATED}")
    plan = Plan(game, [who], np.zeros((count, 1), np.int32), seed, openings=openings)
    numbers = np.arange(count, dtype=np.int64)
    warm_up(plan, numbers)
    begun = time.monotonic()
    batch = play_compiled(plan, numbers) if plan.is_compiled else play_each(plan, numbers)
    if batch.reasons:
        raise BadInput(f"{who!r} {next(iter(batch.reasons.values()))}; a player must finish every game to be measured")
    values = game.goal(boards[0]).sign(1) * batch.returns[:, 0]
    different, counts = np.unique(values, return_counts=True)
    histogram = {(int(v) if v == int(v) else float(v)): int(c) for v, c in zip(different, counts, strict=True)}
    found = Evaluation(count, float(values.sum()), histogram)
    reach = Z95 * float(values.std(ddof=1)) / np.sqrt(count) if count > 1 else 0.0
    mean = float(found.mean)
    return Measured(game.text_name, repr(who), False, time.monotonic() - begun, found, mean - reach, mean + reach)


def _all_starts(game: Game, boards: Array) -> Array:
    """int32[starts, length], ended by -1: every way chance can go before the first decision."""
    acts, chances = step.buffers(boards)
    returns = np.zeros(int(boards[0].seats), np.float64)
    first = np.zeros(1, game.State)
    compiled(step.begin)(game, boards, first)
    open_ends: list[tuple[list[int], Array]] = [([], first)]
    starts: list[list[int]] = []
    while open_ends:
        path, states = open_ends.pop()
        mover, count = step.look_at(game, boards, states, acts, chances, returns)
        if mover != CHANCE:
            starts.append(path)
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
    return rows
