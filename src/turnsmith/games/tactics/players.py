"""The players of Tactics, weakest first."""

from __future__ import annotations

from turnsmith.games.tactics.automata import Camper, Rusher, Sniper, Static
from turnsmith.games.tactics.cells import Cells
from turnsmith.games.tactics.master import Master
from turnsmith.games.tactics.matrix import Matrix

PLAYERS = {kind.name: kind for kind in (Rusher, Matrix, Sniper, Static, Camper, Cells, Master)}
LEVELS = {"easy": "rusher", "medium": "static", "hard": "camper"}
