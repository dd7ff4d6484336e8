"""Write a turn-based game once, in Python; get strong opponents, fair tournaments and maps to your taste."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if not (3, 11) <= sys.version_info[:2] <= (3, 13) and "TURNSMITH_UNTESTED" not in os.environ:
    sys.tracebacklimit = 0  # the sentence says it all
    raise ImportError(
        f"turnsmith is tested on Python 3.11, 3.12 and 3.13, and numba's inner parts differ between versions; this is "
        f"Python {sys.version_info[0]}.{sys.version_info[1]}: make an environment with one of those"
    )

from turnsmith.forwards import add_forwards
from turnsmith.public import HOMES, value_of

if TYPE_CHECKING:
    from turnsmith.arena.match import Match as Match
    from turnsmith.arena.match import load_match as load_match
    from turnsmith.arena.match import play as play
    from turnsmith.arena.table import Table as Table
    from turnsmith.arena.tournament import arena as arena
    from turnsmith.check.checking import check as check
    from turnsmith.check.report import Report as Report
    from turnsmith.common.errors import BadInput as BadInput
    from turnsmith.contract.game import CHANCE as CHANCE
    from turnsmith.contract.game import OVER as OVER
    from turnsmith.contract.game import Game as Game
    from turnsmith.contract.loading import load as load
    from turnsmith.contract.outcome import Outcome as Outcome
    from turnsmith.contract.records import board_record as board_record
    from turnsmith.contract.records import record as record
    from turnsmith.contract.registry import games as games
    from turnsmith.maps.making.maker import taste as taste
    from turnsmith.play.perft import perft as perft
    from turnsmith.play.player import CompiledPlayer as CompiledPlayer
    from turnsmith.play.player import Decision as Decision
    from turnsmith.play.player import Player as Player
    from turnsmith.play.player import player as player
    from turnsmith.play.player import players as players
    from turnsmith.play.position import Position as Position
    from turnsmith.play.position import position as position
    from turnsmith.search.cfr import cfr as cfr
    from turnsmith.search.exploitability import exploitability as exploitability

__all__ = sorted(HOMES)

add_forwards()


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'turnsmith' has no attribute '{name}'")
    if name in ("arena", "check", "games", "play"):  # folders that can be called
        return import_module(f"turnsmith.{name}")
    value = value_of(name)
    globals()[name] = value
    return value
