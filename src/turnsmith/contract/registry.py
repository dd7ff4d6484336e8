"""Every game there is: the folder ``games/`` is the registry, and other packages add theirs by entry points."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

from turnsmith.common.settings import parsing

GAMES = Path(__file__).parent.parent / "games"
"""A file or folder dropped in there is a game."""


def games() -> dict[str, str]:
    """Name and first sentence of every game, ours first, then those of other packages."""
    from turnsmith.contract.installed import sentences

    ours = built_in()
    return {**ours, **sentences(frozenset(ours))}


def built_in() -> dict[str, str]:
    """Name and first sentence of every game that comes with turnsmith, without importing any."""
    sentences = {}
    for path in sorted(GAMES.iterdir()):
        file = path / "__init__.py" if path.is_dir() else path
        if file.exists() and file.suffix == ".py" and not path.name.startswith("_"):
            sentences[path.stem] = _first_sentence(file, file.stat().st_mtime_ns)
    return sentences


@lru_cache(maxsize=256)
def _first_sentence(file: Path, changed: int) -> str:
    with parsing:
        tree = ast.parse(file.read_text("utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0]
