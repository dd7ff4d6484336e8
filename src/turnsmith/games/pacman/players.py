"""The players of Pac-Man."""

from __future__ import annotations

from turnsmith.games.pacman.negamax import Negamax

PLAYERS = {kind.name: kind for kind in (Negamax,)}
