"""Write a turn-based game once, in Python; get strong opponents, fair tournaments and maps to your taste."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    sys.tracebacklimit = 0  # the sentence says it all
    raise ImportError(
        f"turnsmith is tested on Python 3.11, 3.12 and 3.13, and numba's inner parts differ between versions; this is "
        f"Python {sys.version_info[0]}.{sys.version_info[1]}: make an environment with one of those"
    )

if TYPE_CHECKING:
    from turnsmith.arena import Match as Match
    from turnsmith.arena import Table as Table
    from turnsmith.arena import arena as arena
    from turnsmith.arena import load_match as load_match
    from turnsmith.arena import play as play
    from turnsmith.check import Report as Report
    from turnsmith.check import check as check
    from turnsmith.counting import perft as perft
    from turnsmith.game import CHANCE as CHANCE
    from turnsmith.game import OVER as OVER
    from turnsmith.game import Game as Game
    from turnsmith.game import board_record as board_record
    from turnsmith.game import load as load
    from turnsmith.game import record as record
    from turnsmith.games import games as games
    from turnsmith.maps.making.maker import taste as taste
    from turnsmith.outcome import Outcome as Outcome
    from turnsmith.player import CompiledPlayer as CompiledPlayer
    from turnsmith.player import Decision as Decision
    from turnsmith.player import Player as Player
    from turnsmith.player import player as player
    from turnsmith.player import players as players
    from turnsmith.position import Position as Position
    from turnsmith.position import position as position
    from turnsmith.search.cfr import cfr as cfr
    from turnsmith.search.exploitability import exploitability as exploitability
    from turnsmith.texts import BadInput as BadInput

# Where each public name lives. Imported when first used, so that `turnsmith games` does not wait for numba.
_HOMES = {
    "Match": "arena",
    "Table": "arena",
    "arena": "arena",
    "load_match": "arena",
    "play": "arena",
    "Report": "check",
    "check": "check",
    "perft": "counting",
    "CHANCE": "game",
    "OVER": "game",
    "Game": "game",
    "board_record": "game",
    "load": "game",
    "record": "game",
    "games": "games",
    "taste": "maps.making.maker",
    "CompiledPlayer": "player",
    "Decision": "player",
    "Player": "player",
    "player": "player",
    "players": "player",
    "Outcome": "outcome",
    "Position": "position",
    "position": "position",
    "cfr": "search.cfr",
    "exploitability": "search.exploitability",
    "BadInput": "texts",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'turnsmith' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module(f"turnsmith.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


class _Public(ModuleType):
    """Keeps ``turnsmith.arena`` the function: importing the folder of that name would put the module in its place."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)
            return
        value.__class__ = _Package
        for below, module in [each for each in vars(value).items() if isinstance(each[1], ModuleType)]:
            setattr(value, below, module)


class _Package(ModuleType):
    """A module that has the name of a public function: modules in it are attributes of the function too, so that
    ``import turnsmith.games.pig.rules as rules`` finds its way, which leads over ``turnsmith.games``."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(value, ModuleType) and value.__name__ == f"{self.__name__}.{name}":
            setattr(vars(self)[self.__name__.rpartition(".")[2]], name, value)


sys.modules[__name__].__class__ = _Public
