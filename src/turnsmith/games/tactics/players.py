"""The players of Tactics, weakest first."""

from __future__ import annotations

from turnsmith.games.tactics.automata import Camper, Rusher, Sniper, Static
from turnsmith.games.tactics.cells import CellsPlayer
from turnsmith.games.tactics.master import TacticsMaster
from turnsmith.games.tactics.matrix import Matrix
from turnsmith.games.tactics.personality import Personality

PLAYERS = {
    kind.name: kind for kind in (Rusher, Personality, Sniper, Static, Camper, Matrix, CellsPlayer, TacticsMaster)
}
LEVELS = {
    "beginner": "random",
    "easy": "personality:aggression=0.95,cover=0.35",
    "medium": "static",
    "hard": "personality:aggression=0.45,cover=0.7",
    "expert": "cells",
}
