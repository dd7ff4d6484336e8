"""Where a game's code is: a module of turnsmith, of an installed package, a file, or a framework of others.

The *home* of a game is its name or the path of its file, without settings. This module turns texts into homes and
homes into imported modules; ``loading`` makes games of these.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from turnsmith.common.errors import BadInput, one_line, suggestion
from turnsmith.common.settings import parse
from turnsmith.contract.installed import modules
from turnsmith.contract.registry import built_in, games

OPENSPIEL = "openspiel:"
"""The prefix of a game of OpenSpiel, whose rules are not written to the contract."""
_FILE = re.compile(r"(.+?\.py)(?::(.*))?", re.DOTALL)
"""A path, which may itself hold colons and dots, and the settings behind it."""

FRAMEWORKS = {OPENSPIEL: "turnsmith.adapters.from_openspiel"}
"""Prefix of a text -> the module that reads games of another framework, by its ``game_of(text)``."""
STUDIES = Path(__file__).parent.parent / "studies"

served: dict[str, tuple[str, Callable[[str], Any]]] = {}
"""Name -> home, and the function that loads the game by a text: files that this process knows by a name."""


def serve_as(name: str, home: str, known: Callable[[str], Any]) -> None:
    """Let a file be a game by a name, in this process: `known` gives it with the settings of a text."""
    served[name] = (home, known)


def home_and_settings(text: str) -> tuple[str, dict[str, str]]:
    """A game's name or the path of its file, and its settings.

    >>> home_and_settings("./my_game.py:size=3"), home_and_settings("openspiel:chess")
    (('./my_game.py', {'size': '3'}), ('openspiel:chess', {}))
    """
    if text.strip().startswith(OPENSPIEL):
        return one_line(text), {}
    file = _FILE.fullmatch(text.strip())
    return (file[1], parse(f"x:{file[2] or ''}")[1]) if file else parse(text)


def names_file(text: str) -> bool:
    """Whether loading the game of this text would run a file that does not come with turnsmith."""
    return _FILE.fullmatch(text.strip()) is not None


def title_of(path: Path) -> str:
    """What a game is called: its file, or its folder."""
    return path.resolve().parent.name if path.name == "__init__.py" else path.stem


def parts_of(module: ModuleType) -> list[ModuleType]:
    """A game folder keeps its rules and its picture in files of those names, unless its own file has them; if it likes,
    also what learners see (`sight`) and its state for programs (`json_state`)."""
    if not hasattr(module, "__path__") or hasattr(module, "Board"):
        return [module]
    folder = Path(module.__file__ or "").parent
    further = [part for part in ("sight", "json_state") if (folder / f"{part}.py").exists()]
    return [importlib.import_module(f"{module.__name__}.{part}") for part in ("rules", "picture", *further)]


def part_of(home: str, *names: str) -> ModuleType:
    """The file with one of these names that belongs to a game; where there is none, the game's own module.

    It lies in the game's folder, or for a game of ours in its folder of ``studies/``.
    """
    module = module_of(home)
    for name in names:
        if hasattr(module, "__path__") and (Path(module.__file__ or "").parent / f"{name}.py").exists():
            with importing(home):
                return importlib.import_module(f"{module.__name__}.{name}")
        if home in built_in() and (STUDIES / home / f"{name}.py").exists():
            return importlib.import_module(f"turnsmith.studies.{home}.{name}")
    return module


def module_of(home: str) -> ModuleType:
    home = served[home][0] if home in served else home
    if home.startswith(OPENSPIEL):
        return importlib.import_module(FRAMEWORKS[OPENSPIEL])
    if not home.endswith(".py"):
        ours = frozenset(built_in())
        if home in ours:
            return importlib.import_module(f"turnsmith.games.{home}")
        if home in modules(ours):
            with importing(home):
                return importlib.import_module(modules(ours)[home])
        near, known = suggestion(home, games()), ", ".join(games())
        raise BadInput(f"there is no game '{home}'{near}; there are {known}, or ./file.py")
    path = Path(home).resolve()
    if not path.is_file():
        raise BadInput(f"there is no file {home}; give the path of a game written in Python")
    # A name that is the same in every process: numba would not find cached code of a module called __main__.
    name = f"turnsmith_game_{title_of(path)}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    folder = [str(path.parent)] if path.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=folder)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with importing(home):
            spec.loader.exec_module(module)
    except BadInput:
        del sys.modules[name]
        raise
    return module


@contextmanager
def importing(home: str) -> Iterator[None]:
    """Let a game's file import its neighbours, and say in one line why the code of others cannot be imported."""
    if home in built_in():
        yield
        return
    folder = str(Path(home).resolve().parent)
    if home.endswith(".py"):
        sys.path.insert(0, folder)
    try:
        yield
    except (Exception, SystemExit) as error:
        line = (f"{type(error).__name__}: {error}".splitlines() or [""])[0]
        raise BadInput(f"{home} cannot be imported: {line}") from error
    finally:
        if home.endswith(".py"):
            sys.path.remove(folder)
