"""Reading the description of a board, which may come from anybody: every key, type, size and value is checked here,
before compiled code sees what was made of it. All refuse with one line that names what is wrong.

>>> source = {"players": 4, "owners": "0123"}
>>> whole(source, "players", 2, 8), text(source, "owners", 40, "01234567")
(4, '0123')
>>> whole({"players": 99}, "players", 2, 8)
Traceback (most recent call last):
turnsmith.common.errors.BadInput: players=99 must be 2 to 8
"""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

from turnsmith.common.errors import BadInput, shown
from turnsmith.common.settings import checked

T = TypeVar("T")


def fields(source: Any, *names: str) -> dict[str, Any]:
    """The source, if it is an object with exactly these keys."""
    for name in names:
        _value(source, name)
    for key in _object(source):
        if key not in names:
            has = ", ".join(names) or "nothing"
            raise BadInput(f"the description of the board has no '{shown(key)}'; it has {has}")
    return _object(source)


def options(source: Any, kind: type[T]) -> T:
    """The options that a source is, where a game needs no more than those to make its board.

    Those that are not named have their defaults: an older description is read when a game gets another option.
    """
    usual = {field.name: field.default for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    given = fields({**usual, **_object(source)}, *usual)
    try:
        return kind(**given)
    except ValueError as error:
        raise BadInput(str(error)) from None


def whole(source: Any, name: str, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    return int(_checked(source, name, int, low, high))


def flag(source: Any, name: str) -> bool:
    """True or false."""
    return bool(_checked(source, name, bool))


def text(source: Any, name: str, longest: int, signs: str = "") -> str:
    """A text of at most so many characters, all of them among `signs` if some are given."""
    value = str(_checked(source, name, str))
    if len(value) > longest:
        raise BadInput(f"{name} has {len(value):,} characters; at most {longest:,} are read")
    wrong = next((sign for sign in value if sign not in signs), None) if signs else None
    if wrong is not None:
        raise BadInput(f"{name} holds '{shown(wrong)}'; it may hold {shown(signs)}")
    return value


def rows(source: Any, name: str, most: int, longest: int) -> list[str]:
    """A list of 1 to `most` texts, each of 1 to `longest` characters."""
    value = _value(source, name)
    if not isinstance(value, list) or not all(isinstance(row, str) for row in value):
        raise BadInput(f"{name} must be a list of texts, one a row, not {shown(value)}")
    if not 1 <= len(value) <= most:
        raise BadInput(f"{name} has {len(value):,} rows; it must have 1 to {most}")
    for number, row in enumerate(value, start=1):
        if not 1 <= len(row) <= longest:
            raise BadInput(f"row {number} of {name} has {len(row):,} characters; it must have 1 to {longest}")
    return value


def _object(source: Any) -> dict[str, Any]:
    if not isinstance(source, dict):
        raise BadInput(f"the description of a board is an object with keys, not {shown(source)}")
    return source


def _value(source: Any, name: str) -> Any:
    if name not in _object(source):
        raise BadInput(f"the description of the board lacks '{name}'")
    return source[name]


def _checked(source: Any, name: str, kind: Any, low: Any = None, high: Any = None) -> Any:
    try:
        return checked(_value(source, name), kind, low, high, name)
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(str(error)) from None
