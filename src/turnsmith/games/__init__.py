"""The games that come with turnsmith. This folder is the registry: a file or folder dropped in here is a game.

Other packages declare games of theirs as entry points, see ``turnsmith.installed``.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

from turnsmith.texts import parsing


def games() -> dict[str, str]:
    """Name and first sentence of every game, ours first, then those of other packages."""
    from turnsmith.installed import sentences

    ours = built_in()
    return {**ours, **sentences(frozenset(ours))}


def built_in() -> dict[str, str]:
    """Name and first sentence of every game that comes with turnsmith, without importing any."""
    found = {}
    for path in sorted(Path(__file__).parent.iterdir()):
        file = path / "__init__.py" if path.is_dir() else path
        if file.exists() and file.suffix == ".py" and not path.name.startswith("_"):
            found[path.stem] = _first_sentence(file, file.stat().st_mtime_ns)
    return found


@lru_cache(maxsize=256)
def _first_sentence(file: Path, changed: int) -> str:
    with parsing:
        tree = ast.parse(file.read_text("utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0]
