"""The players of Dice Wars, weakest first."""

from __future__ import annotations

from turnsmith.games.dicewars.field import FIELD
from turnsmith.games.dicewars.master import Fast, Master, Strong
from turnsmith.games.dicewars.maxn import Maxn, MaxnNet

PLAYERS = {kind.name: kind for kind in (*FIELD, Maxn, MaxnNet, Fast, Strong, Master)}
LEVELS = {"easy": "rand", "medium": "ste", "hard": "strong", "expert": "master"}
