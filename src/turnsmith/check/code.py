"""What stands in the code of the rules that must not: found by reading it, with the line."""

from __future__ import annotations

import builtins
import dis
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

_RANDOM = ("random", "secrets", "numpy.random")
_GENERATORS = (random.Random, np.random.RandomState, np.random.Generator)


def forbidden(rule: Callable[..., Any]) -> Iterator[str]:
    """Sentences on what a rule, or a function it calls, uses and must not."""
    for function, line, words, value in _reached(rule, set()):
        where = f"{function.__name__} ({Path(function.__code__.co_filename).name}, line {line})"
        if value is print or value is input:
            yield f"{where} uses {words}; rules run millions of times, and only look at the board and the state"
        elif _is_random(value):
            yield f"{where} uses {words}; chance is a move of CHANCE, and sample, pick and resample use turnsmith.rng"


def _is_random(value: Any) -> bool:
    home = getattr(value, "__module__", None)
    return home in _RANDOM or isinstance(getattr(value, "__self__", None), _GENERATORS)


def _reached(function: Any, seen: set[FunctionType]) -> Iterator[tuple[FunctionType, int | None, str, Any]]:
    """All that a function and those it calls find by name: who, in which line, by which words, what."""
    if not isinstance(function, FunctionType) or function in seen or not _is_own(function):
        return
    seen.add(function)
    words, value = "", None
    for instruction in dis.get_instructions(function):
        name = instruction.argval
        if instruction.opname == "LOAD_GLOBAL":
            words, value = name, function.__globals__.get(name, getattr(builtins, name, None))
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(value, ModuleType):
            words, value = f"{words}.{name}", getattr(value, name, None)
        else:
            value = None
            continue
        if not isinstance(value, ModuleType):
            yield function, instruction.positions.lineno if instruction.positions else None, words, value
            yield from _reached(value, seen)


def _is_own(function: FunctionType) -> bool:
    """Whether a function is a game's, not a library's."""
    root, _, rest = (function.__module__ or "").partition(".")
    if root == "turnsmith":
        return rest.startswith("games.")
    return root not in sys.stdlib_module_names and root not in ("numpy", "numba")
