"""Games of other packages, found by their entry points of the group ``turnsmith.games`` and imported when used.

An entry point's value is a module, or a package laid out as our own game folders are. To list games must stay quick: a
game is imported once to see that it can be, and its sentence is kept in the user's cache until one of its files
changes. What is broken is named on stderr and left out; a name that one of our own games has stays that game's.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from turnsmith.common.errors import BadInput
from turnsmith.common.files import write_text
from turnsmith.compile.cache import cache_folder

GROUP = "turnsmith.games"
_NAME = re.compile(r"[A-Za-z][\w-]*")


def modules(ours: frozenset[str]) -> Mapping[str, str]:
    """The module of every game that a package declares, but for names that are taken; nothing is imported."""
    return {name: entry.module for name, entry in _sorted_out(ours)[0].items()}


@cache
def sentences(ours: frozenset[str]) -> Mapping[str, str]:
    """The first sentence of every game of a package that can be imported; the others are named on stderr."""
    declared, faults = _sorted_out(ours)
    kept, refused = {}, [*faults]
    for name, entry in declared.items():
        try:
            kept[name] = _sentence(name, entry.module)
        except BadInput as error:
            refused.append((entry, str(error)))
    for entry, why in refused:
        package = entry.dist.name if entry.dist else "a package"
        sys.stderr.write(f"turnsmith: '{entry.name}' of {package} is left out: {why}\n")
    return kept


@cache
def _sorted_out(ours: frozenset[str]) -> tuple[dict[str, EntryPoint], list[tuple[EntryPoint, str]]]:
    """The entry points that may be games, by name, and the others with what is wrong with them."""
    declared: dict[str, EntryPoint] = {}
    refused = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        if not _NAME.fullmatch(entry.name):
            refused.append((entry, "it must be called by letters, digits, _ and -"))
        elif entry.name in ours:
            refused.append((entry, "turnsmith has a game of that name"))
        elif entry.name in declared:
            refused.append((entry, "another package has a game of that name"))
        elif entry.attr:
            refused.append((entry, f"'{entry.value}' must be the name of a module, without a colon"))
        else:
            declared[entry.name] = entry
    return declared, refused


def _sentence(name: str, module: str) -> str:
    kept = cache_folder() / "installed" / _stamp(name, module)
    with contextlib.suppress(OSError, ValueError):
        return kept.read_text("utf-8")
    from turnsmith.contract.loading import load_untried  # imports much, and is needed only the first time

    sentence = load_untried(name).doc.partition("\n")[0]
    with contextlib.suppress(OSError):  # then it is imported again next time
        write_text(kept, sentence)
    return sentence


def _stamp(name: str, module: str) -> str:
    """Changes when a file of the game changes, as far as that can be told without reading it."""
    file = _file(module)
    files = sorted(file.parent.glob("*.py")) if file.name == "__init__.py" else [file]
    seen = [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in files]
    return hashlib.sha256(repr((name, sys.version_info[:2], seen)).encode()).hexdigest()[:32]


def _file(module: str) -> Path:
    """Where a module is, found without importing the packages it is in."""
    pieces, place, origin = module.split("."), None, None
    for depth in range(len(pieces)):
        name = ".".join(pieces[: depth + 1])
        specs = (finder.find_spec(name, place) for finder in sys.meta_path)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is None:
            raise BadInput(f"there is no module {name}")
        place, origin = spec.submodule_search_locations, spec.origin
    if not origin or not Path(origin).is_file():
        raise BadInput(f"{module} is no file of Python code")
    return Path(origin)
