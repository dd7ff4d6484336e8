"""The public names of turnsmith, each with the module it lives in.

Some names are also names of folders: ``turnsmith.arena`` is the package with the tournaments, and calling it plays one.
There is one object of each name, so ``turnsmith.arena(…)`` and ``turnsmith.arena.store`` both mean the same package.
"""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

HOMES = {
    "BadInput": "common.errors",
    "CHANCE": "contract.game",
    "CompiledPlayer": "play.player",
    "Decision": "play.player",
    "Game": "contract.game",
    "Match": "arena.match",
    "OVER": "contract.game",
    "Outcome": "contract.outcome",
    "Player": "play.player",
    "Position": "play.position",
    "Report": "check.report",
    "Table": "arena.table",
    "arena": "arena.tournament",
    "board_record": "contract.records",
    "cfr": "search.cfr",
    "check": "check.checking",
    "exploitability": "search.exploitability",
    "games": "contract.registry",
    "load": "contract.loading",
    "load_match": "arena.match",
    "perft": "play.perft",
    "play": "arena.match",
    "player": "play.player",
    "players": "play.player",
    "position": "play.position",
    "record": "contract.records",
    "taste": "maps.making.maker",
}
"""Public name -> module below ``turnsmith``. The module is imported when the name is first used: that takes seconds."""


def value_of(name: str) -> Any:
    """The object behind a public name, of a folder the function that calling it runs."""
    return getattr(import_module(f"turnsmith.{HOMES[name]}"), name)


BESIDES = {
    "arena.Match": "arena.match",
    "arena.Streamed": "arena.table",
    "arena.Table": "arena.table",
    "arena.load_match": "arena.match",
    "arena.play": "arena.match",
    "arena.streamed": "arena.tournament",
    "check.Report": "check.report",
}
"""Names that such a folder gives besides the function of its own name, and the modules they live in."""


class _CallablePackage(ModuleType):
    """A package that is also a public function, which is its attribute by the same name too."""

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._function())

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._function()(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        own = self.__name__.rpartition(".")[2]
        if name == own:  # from turnsmith.arena import arena
            return self._function()
        if home := BESIDES.get(f"{own}.{name}"):
            return getattr(import_module(f"turnsmith.{home}"), name)
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")

    def _function(self) -> Any:
        return value_of(self.__name__.rpartition(".")[2])


def make_callable(package: str) -> None:
    """Let calling a package run the public function of its name."""
    sys.modules[package].__class__ = _CallablePackage
