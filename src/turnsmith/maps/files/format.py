"""A format of map files, as ``maps/files`` and the games declare it."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import ModuleType


@dataclass(frozen=True)
class Format:
    """A format. Its module has `write(maps, name)`, which gives files by what is put behind the name ("" for the file
    itself), and `read(data, said, game)`, which gives maps; `game` is "" where only the file can say it."""

    module: str
    """Below ``turnsmith``."""
    endings: tuple[str, ...]
    about: str
    many: bool = False
    """Whether a file holds several maps."""
    recognised: bool = False
    """Whether a content can be of no other format, whatever its file is called: the module's `is_one(data)` says."""

    @property
    def code(self) -> ModuleType:
        return importlib.import_module(f"turnsmith.{self.module}")
