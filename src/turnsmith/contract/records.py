"""Record types: what boards and states are made of.

A record is one NumPy element with named fields. It is zeroed, aligned and a multiple of 8 bytes long, so that compiled
code copies it as plain memory and Python reads ``state.field`` alike.
"""

from __future__ import annotations

import ast
import sys
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import parsing

HEADER = {"seats": np.int64, "actions": np.int64, "outcomes": np.int64, "low": np.float64, "high": np.float64}
"""The fields with which every board begins."""

_RESERVED = set(dir(np.recarray)) | set(dir(np.record))  # state.size would be the record's own size, not your field


def _is_reserved(name: str) -> bool:
    return name in _RESERVED or name.startswith("_")


def _reserved_in(caller: FrameType | None, names: list[str]) -> str:
    """The names that no field can have, all of the file that makes a record, with their lines; of `names` at least."""
    while caller is not None and caller.f_code.co_filename == __file__:
        caller = caller.f_back
    file = Path(caller.f_code.co_filename if caller is not None else "")
    lines = {name: 0 for name in names if _is_reserved(name)}
    with suppress(OSError, SyntaxError, ValueError), parsing:
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("record"):
                lines |= {word.arg: word.lineno for word in node.keywords if word.arg and _is_reserved(word.arg)}
    in_order = sorted(lines.items(), key=itemgetter(1))
    fields = [f"'{name}' (line {line})" if line else f"'{name}'" for name, line in in_order]
    return (f"{file.name}: " if any(lines.values()) else "") + f"no field can be called {', '.join(fields)}"


def record(**fields: Any) -> np.dtype[Any]:
    """A record type: ``record(stones=(np.uint64, 2), ply=np.int64)``. Zeroed, aligned, a multiple of 8 bytes.

    >>> record(size=np.int64, ply=np.int64)
    Traceback (most recent call last):
    turnsmith.common.errors.BadInput: no field can be called 'size': NumPy records own these names; choose others
    """
    if any(map(_is_reserved, fields)):
        raise BadInput(f"{_reserved_in(sys._getframe(1), list(fields))}: NumPy records own these names; choose others")
    described = []
    for name, kind in fields.items():
        scalar, shape = kind if isinstance(kind, tuple) else (kind, ())
        try:
            kind = np.dtype((scalar, shape))
        except (TypeError, ValueError) as error:
            raise BadInput(f"field '{name}': {error}; write a NumPy type, or (type, length)") from None
        if kind.base == np.bool_:
            raise BadInput(f"field '{name}': bool fields do not compile; use np.int8")
        if kind.base.kind not in "iuf":
            raise BadInput(f"field '{name}': {kind.base} does not compile; use whole or floating-point numbers")
        described.append((name, np.dtype(scalar), shape))
    aligned: dict[str, Any] = dict(np.dtype(described, align=True).fields or {})
    whole: list[tuple[str, Any, Any]] = []  # NumPy copies only fields, so what is between them must be fields too
    end = 0
    for name, kind, shape in described:
        if aligned[name][1] > end:
            whole.append((f"_gap{end}", np.dtype(np.uint8), (aligned[name][1] - end,)))
        whole.append((name, kind, shape))
        end = aligned[name][1] + aligned[name][0].itemsize
    if end % 8:
        whole.append((f"_gap{end}", np.dtype(np.uint8), (8 - end % 8,)))
    return np.dtype((np.record, whole))


def board_record(**fields: Any) -> np.dtype[Any]:
    """A record type for boards: it begins with what every loop needs to know of a game.

    seats: how many; actions: one more than the largest action number; outcomes: the same for chance moves;
    low, high: the least and the greatest return.

    >>> board_record(seats=np.int64)
    Traceback (most recent call last):
    turnsmith.common.errors.BadInput: every board has 'seats' already; leave it out
    """
    taken = [name for name in fields if name in HEADER]
    if taken:
        raise BadInput(f"every board has {', '.join(map(repr, taken))} already; leave it out")
    return record(**HEADER, **fields)


def new_board(
    kind: np.dtype[Any],
    seats: int,
    actions: int,
    outcomes: int = 0,
    low: float = -1.0,
    high: float = 1.0,
    **fields: Any,
) -> Array:
    """An array of one board of this record type, with its header and other fields filled: what ``tables`` returns."""
    boards = np.zeros(1, kind)
    for name, value in {"seats": seats, "actions": actions, "outcomes": outcomes, "low": low, "high": high}.items():
        boards[name] = value
    for name, value in fields.items():
        boards[0][name] = value
    return boards
