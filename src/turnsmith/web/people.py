"""Who sits where, for people: names, colours and faces."""

from __future__ import annotations

from collections.abc import Sequence

from turnsmith.drawing import SEAT_COLORS
from turnsmith.game import Game


def colors_of(game: Game) -> Sequence[str]:
    """The colours of the seats, as the game draws them."""
    return game.seat_colors or SEAT_COLORS
