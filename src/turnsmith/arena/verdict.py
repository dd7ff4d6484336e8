"""Whether the seats of a game are fair, in one sentence: what an arena's table says of them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

from turnsmith.arena.statistics import Z95
from turnsmith.languages import _, counted, speaking


def verdict(seats: Sequence[dict[str, Any]], games: int, roles: Sequence[str]) -> str:
    """One sentence of the rows `seats` of a table, as ``Told.to_dict`` has them; people count from 1.

    Of three and more seats some interval misses the truth more often than one time in twenty, so each has to be off by
    as much more as makes that one in twenty for all of them together.

    >>> spans = [(0.58, 0.53, 0.63), (0.42, 0.37, 0.47)]
    >>> verdict([{"seat": s, "rate": r, "low": a, "high": b} for s, (r, a, b) in enumerate(spans)], 400, [])
    'Not fair: seat 1 gets 58.0 % of the points (53.0 to 63.0) in 400 games, where an equal share is 50.0 %.'
    """
    if len(seats) == 1:
        return _("One seat: there is nobody to be fair to.")
    if not games:
        return _("No games yet.")
    if seats[0]["rate"] is None and len(set(roles)) > 1:
        text = _("Seats have roles ({roles}) with scores of their own, which are not compared.")
        return text.format(roles=", ".join(map(_, dict.fromkeys(roles))))
    by_wins = seats[0]["rate"] is not None
    keys = ("rate", "low", "high") if by_wins else ("mean_return", "mean_low", "mean_high")
    spans = [tuple(seat[key] for key in keys) for seat in seats]
    if any(end is None for span in spans for end in span):
        return _("{games:,} games are too few to tell whether the seats are fair.").format(games=games)
    fair = sum(span[0] for span in spans) / len(seats)
    wider = NormalDist().inv_cdf(1 - 0.025 / len(seats)) / Z95 if len(seats) > 2 else 1.0
    scale, unit, digits = (100.0, " %", 1) if by_wins else (1.0, "", 3)

    def number(value: float) -> str:
        return f"{scale * value:.{digits}f}"

    off = []
    for seat, (rate, low, high) in zip(seats, spans, strict=True):
        if not rate - wider * (rate - low) <= fair <= rate + wider * (high - rate):
            off.append((round(abs(rate - fair), 9), rate, seat["seat"], low, high))
    share = f"{number(fair)}{unit}"
    if not off:
        most = number(max(max(fair - low, high - fair) for _rate, low, high in spans))
        text = _(
            "No seat is shown to be favoured in {games:,} games: an equal share is {share}, and none is off by more "
            "than {most} in return."
        )
        if by_wins:
            text = _(
                "No seat is shown to be favoured in {games:,} games: an equal share is {share}, and none is off by "
                "more than {most} points."
            )
        return text.format(games=games, share=share, most=most)
    _far, rate, seat, low, high = max(off)
    text = _("Not fair: seat {seat} gets {rate} ({low} to {high}) in {games:,} games, where an equal share is {share}")
    if by_wins:
        text = _(
            "Not fair: seat {seat} gets {rate} of the points ({low} to {high}) in {games:,} games, where an equal "
            "share is {share}"
        )
    span = {"rate": f"{number(rate)}{unit}", "low": number(low), "high": number(high)}
    text = text.format(seat=1 + seat, games=games, share=share, **span)
    more = len(off) - 1
    if len(seats) > 2 and more:
        text += counted(", and {more} more is off", ", and {more} more are off", more).format(more=more)
    return f"{text}."


def is_off(seats: Sequence[dict[str, Any]], games: int, roles: Sequence[str]) -> bool:
    """Whether a seat is shown to be favoured."""
    with speaking("en"):
        return verdict(seats, games, roles).startswith("Not fair")
