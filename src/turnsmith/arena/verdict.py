"""Whether the seats of a game are fair, in one sentence: what an arena's table says of them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

from turnsmith.arena.statistics import Z95


def verdict(seats: Sequence[dict[str, Any]], games: int, roles: Sequence[str], first: int = 0) -> str:
    """One sentence of the rows `seats` of a table, as ``Told.to_dict`` has them; `first` is what the first is called.

    Of three and more seats some interval misses the truth more often than one time in twenty, so each has to be off by
    as much more as makes that one in twenty for all of them together.

    >>> spans = [(0.58, 0.53, 0.63), (0.42, 0.37, 0.47)]
    >>> verdict([{"seat": s, "rate": r, "low": a, "high": b} for s, (r, a, b) in enumerate(spans)], 400, [])
    'Not fair: seat 0 wins 58.0 % (53.0 to 63.0) in 400 games, where an equal share is 50.0 %.'
    """
    if len(seats) == 1:
        return "One seat: there is nobody to be fair to."
    if not games:
        return "No games yet."
    if seats[0]["rate"] is None and len(set(roles)) > 1:
        return f"Seats have roles ({', '.join(dict.fromkeys(roles))}) with scores of their own, which are not compared."
    by_wins = seats[0]["rate"] is not None
    keys = ("rate", "low", "high") if by_wins else ("mean_return", "mean_low", "mean_high")
    spans = [tuple(seat[key] for key in keys) for seat in seats]
    if any(end is None for span in spans for end in span):
        return f"{games:,} games are too few to tell whether the seats are fair."
    fair = sum(rate for rate, _, _ in spans) / len(seats)
    wider = NormalDist().inv_cdf(1 - 0.025 / len(seats)) / Z95 if len(seats) > 2 else 1.0
    scale, unit, shown = (100.0, " %", "wins") if by_wins else (1.0, "", "gets")
    digits = 1 if by_wins else 3

    def number(value: float) -> str:
        return f"{scale * value:.{digits}f}"

    off = []
    for seat, (rate, low, high) in zip(seats, spans, strict=True):
        if not rate - wider * (rate - low) <= fair <= rate + wider * (high - rate):
            off.append((round(abs(rate - fair), 9), rate, seat["seat"], low, high))
    share = f"an equal share is {number(fair)}{unit}"
    if not off:
        most = max(max(fair - low, high - fair) for _, low, high in spans)
        points = "points" if by_wins else "in return"
        reach = f"none is off by more than {number(most)} {points}"
        return f"No seat is shown to be favoured in {games:,} games: {share}, and {reach}."
    _, rate, seat, low, high = max(off)
    others = (
        f", and {len(off) - 1} more {'is' if len(off) == 2 else 'are'} off" if len(seats) > 2 and len(off) > 1 else ""
    )
    span = f"({number(low)} to {number(high)})"
    return (
        f"Not fair: seat {first + seat} {shown} {number(rate)}{unit} {span} in {games:,} games, where {share}{others}."
    )
