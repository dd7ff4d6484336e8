"""The players of Dice Wars, weakest first."""

from __future__ import annotations

from turnsmith.games.dicewars.field import FIELD
from turnsmith.games.dicewars.master import DicewarsMaster, Fast, Strong
from turnsmith.games.dicewars.maxn import DicewarsMaxn, MaxnNet

PLAYERS = {kind.name: kind for kind in (*FIELD, DicewarsMaxn, MaxnNet, Fast, Strong, DicewarsMaster)}
LEVELS = {"easy": "rand", "medium": "ste", "hard": "strong", "expert": "master"}
