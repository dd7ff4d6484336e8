"""Names of earlier versions: files of games that import them go on working.

New files take all they need from ``turnsmith.game``. An old module is a forward: it stands in ``sys.modules`` from the
start, costs nothing, and looks a name up in its new homes when somebody asks for it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

FORWARDS = {
    "alarm": ("common.alarm",),
    "batch": ("play.batch",),
    "benches": ("studies.speed",),
    "cache": ("compile.cache",),
    "counting": ("play.perft",),
    "digest": ("compile.digest",),
    "drawing": ("contract.drawing",),
    "evaluation": ("play.evaluation",),
    "explain": ("compile.compile_errors",),
    "files": ("common.files",),
    "genes": ("contract.genes",),
    "helpers": ("contract.bits",),
    "inspection": ("play.inspection",),
    "kernel": ("compile.kernel",),
    "levels": ("play.levels",),
    "linear_policy": ("nets.linear_policy",),
    "measure": ("play.timing",),
    "observe": ("play.observe",),
    "outcome": ("contract.outcome",),
    "photo": ("contract.photo",),
    "player": ("play.player",),
    "position": ("play.position",),
    "rng": ("compile.rng",),
    "seat": ("play.seat",),
    "sources": ("contract.sources",),
    "step": ("play.step",),
    "stop": ("play.stop",),
    "texts": ("common.settings", "common.errors"),
    "unitwise": ("contract.unitwise",),
    "evolve.archive": ("nets.archive",),
    "learn.files": ("nets.files",),
    "learn.nets": ("nets.dense",),
    "learn.residual": ("nets.residual",),
    "learn.runtime": ("nets.runtime",),
    "learn.training": ("contract.trainings",),
    "maps.grid": ("contract.grids",),
}
"""Old module -> the modules that hold its names now, all below ``turnsmith``."""
RENAMED = {"Done": "TrainingResult", "Result": "LevelResult", "Work": "TrainingContext"}
"""Old name -> new name, where a module of an earlier version gave authors that name."""


class _Forward(ModuleType):
    """A module of an earlier version, by the names it had."""

    def __getattr__(self, name: str) -> Any:
        name = RENAMED.get(name, name)
        if not name.startswith("__"):
            for home in FORWARDS[self.__name__.partition(".")[2]]:
                module = import_module(f"turnsmith.{home}")
                if hasattr(module, name):
                    return getattr(module, name)
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")


def add_forwards() -> None:
    """Let ``import turnsmith.texts`` and the like find their forwards."""
    for name in FORWARDS:
        old = f"turnsmith.{name}"
        sys.modules.setdefault(
            old, _Forward(old, f"Forwards to {', '.join(FORWARDS[name])}, where its names live now.")
        )
