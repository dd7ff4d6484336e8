"""An eye: reads pictures of a board of 6 colours, 4 pegs and 10 tries, and says how sure it is of everything."""

from __future__ import annotations

from turnsmith.games.mastermind.pixels import shape_of

COLORS, PEGS, TRIES, ANSWERS = 6, 4, 10, 14
HEIGHT, WIDTH = shape_of(PEGS, TRIES)
