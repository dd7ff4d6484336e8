"""Games and players as texts, ``name:key=value,key=value``: one form for the command line, the store and Python."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import itertools
import math
import numbers
import re
import sys
import textwrap
import threading
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from turnsmith.common.errors import BadInput, one_line, shown, suggestion
from turnsmith.languages import _, marked

T = TypeVar("T")

parsing = threading.Lock()
"""Held while Python source is parsed: CPython 3.11 raises a SystemError when two threads do so at once."""


def parse(text: str) -> tuple[str, dict[str, str]]:
    """Split a text into its name and its settings.

    >>> parse("mcts:simulations=400,exploration=1.2")
    ('mcts', {'simulations': '400', 'exploration': '1.2'})
    """
    text = one_line(text)
    name, _colon, rest = text.partition(":")
    settings: dict[str, str] = {}
    for piece in filter(None, (p.strip() for p in rest.split(","))):
        key, equals, value = piece.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise BadInput(f"'{shown(piece)}' in '{shown(text)}' is not a setting; write key=value")
        if key.strip() in settings:
            raise BadInput(f"'{shown(key.strip())}' stands twice in '{shown(text)}'; give it once")
        settings[key.strip()] = value.strip()
    if not name.strip():
        raise BadInput(f"'{shown(text)}' has no name; write name or name:key=value")
    return name.strip(), settings


def lasting(seconds: float) -> str:
    """A duration for people who wait.

    >>> lasting(3.2), lasting(75.0), lasting(115.0), lasting(600.0)
    ('5 s', '1 min 20 s', '2 min', '10 min')
    """
    whole = max(5, round(seconds / 5) * 5)
    if whole < 60:
        return f"{whole} s"
    step = 10 if whole < 300 else 60
    minutes, rest = divmod(-(-whole // step) * step, 60)
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def split(listing: str) -> list[str]:
    """Split a comma list; a piece that is only ``key=value`` belongs to the item before it.

    >>> split("mcts:simulations=200,exploration=2,negamax:depth=4,random")
    ['mcts:simulations=200,exploration=2', 'negamax:depth=4', 'random']
    """
    items: list[str] = []
    for piece in filter(None, (p.strip() for p in listing.split(","))):
        if items and "=" in piece and ":" not in piece:
            items[-1] += ("," if ":" in items[-1] else ":") + piece
        else:
            items.append(piece)
    return items


# ---------------------------------------------------------------- settings


def written(field: str) -> str:
    """How a field of a dataclass of settings is written: without an underscore at its end, which it has where Python,
    or its class, means something else by that word.

    >>> written("from_"), written("simulations")
    ('from', 'simulations')
    """
    return field.rstrip("_")


def written_fields(kind: type) -> dict[str, str]:
    """What can be set in a dataclass, as it is written, and the name of the field."""
    return {written(field.name): field.name for field in dataclasses.fields(kind) if field.init}


class _Ranged:
    """A field of a dataclass that refuses values of another type or outside its range, however the object is made.

    A dataclass takes what a descriptor says of the class for the default, and hands it every value an object gets.
    """

    def __init__(self, default: Any, low: Any, high: Any):
        self.default, self.low, self.high = default, low, high

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self.default if instance is None else instance.__dict__[self.name]

    def __set__(self, instance: Any, value: Any) -> None:
        kind: type = type(instance)
        hint = _hints(kind)[self.name]
        instance.__dict__[self.name] = checked(value, hint, self.low, self.high, written(self.name))


def setting(default: T, low: T | None = None, high: T | None = None) -> T:
    """A field of a dataclass of settings, whose type and range the dataclass itself checks; help names the range.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Options:
    ...     players: int = setting(2, 2, 10)
    >>> Options(players=11)
    Traceback (most recent call last):
    ValueError: players=11 must be 2 to 10
    """
    return _Ranged(default, low, high)  # type: ignore[return-value]


def _range(kind: type, name: str) -> tuple[Any, Any]:
    """The least and the greatest value of a field, None where it has none."""
    declared = inspect.getattr_static(kind, name, None)
    return (declared.low, declared.high) if isinstance(declared, _Ranged) else (None, None)


def checked(value: Any, hint: Any, low: Any, high: Any, name: str) -> Any:
    """The value as its type, refused with the reason if it is of another, not finite or out of range."""
    given = f"{name}={shown(value)}"
    if typing.get_origin(hint) is typing.Literal:
        choices = typing.get_args(hint)
        if not any(value == choice and type(value) is type(choice) for choice in choices):
            known = ", ".join(str(choice) for choice in choices if choice != "")
            raise ValueError(_("{said} is not one of {known}").format(said=given, known=known))
        return value
    if not isinstance(value, bool):  # a number of NumPy's, or a whole number where any number will do
        if hint is int and isinstance(value, numbers.Integral):
            value = int(value)
        if hint is float and isinstance(value, numbers.Real):
            value = _as_float(value)
    if hint in _KINDS and type(value) is not hint:
        raise ValueError(_("{said} must be {kind}").format(said=given, kind=_(_KINDS[hint])))
    if hint is str:
        one_line(value)
    if hint is float and value != value:
        raise ValueError(_("{said} must be {kind}").format(said=given, kind=_("a number")))
    if hint in _WIDEST:
        least, most = _WIDEST[hint]
        low, high = least if low is None else low, most if high is None else high
        if not low <= value <= high:
            span = dict(zip(("low", "high"), _ends(low, high), strict=True))
            raise ValueError(_("{said} must be {low} to {high}").format(said=given, **span))
    return value


def _as_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # a whole number greater than any float
        return math.copysign(math.inf, number > 0 or -1)


_KINDS = {
    int: marked("a whole number"),
    float: marked("a number"),
    str: marked("a text"),
    bool: marked("true or false"),
}
_WIDEST: dict[Any, tuple[Any, Any]] = {
    int: (-(2**63), 2**63 - 1),
    float: (-sys.float_info.max, sys.float_info.max),
}


def _ends(low: Any, high: Any) -> list[str]:
    """The ends of a range in words; numbers too long to read are left to their short form."""
    return [f"{end:,}".removesuffix(".0") if abs(end) < 10**15 else f"{end:.3g}" for end in (low, high)]


def build(kind: type[T], settings: Mapping[str, str], what: str) -> T:
    """Make the dataclass `kind` from texts, refusing unknown keys and values of the wrong type or out of range."""
    hints = _hints(kind)  # type: ignore[arg-type]
    fields = written_fields(kind)
    values: dict[str, Any] = {}
    try:
        for key, value in gathered(kind, settings).items():
            if key not in fields:
                near, has = suggestion(key, fields), ", ".join(fields) or "none"
                raise BadInput(f"{what} has no setting '{shown(key)}'{near}; its settings: {has}")
            field = fields[key]
            read = _convert(value, hints[field], f"{key}={shown(value)}")
            values[field] = checked(read, hints[field], *_range(kind, field), key)
        return kind(**values)
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(f"{what}: {error}") from None


@functools.lru_cache(maxsize=1024)
def _hints(kind: type) -> dict[str, Any]:
    """The types of a class's fields; Python works them out anew every time it is asked."""
    return typing.get_type_hints(kind)


def _convert(value: str, hint: Any, said: str) -> Any:
    """What a text stands for where a field wants `hint`."""
    if typing.get_origin(hint) is typing.Literal:
        return {str(choice): choice for choice in typing.get_args(hint)}.get(value, value)
    if hint is bool:
        return {"true": True, "false": False}.get(value, value)
    try:
        return hint(value)
    except (ValueError, OverflowError):
        kind = _(_KINDS[hint]) if hint in _KINDS else hint
        raise ValueError(_("{said} must be {kind}").format(said=said, kind=kind)) from None


@dataclasses.dataclass(frozen=True)
class FileName:
    """Marks a text setting that may name a file, ``Annotated[str, FileName(("main",))]``; `names` are those of what
    comes with turnsmith. A server reads nothing else for strangers."""

    names: tuple[str, ...] = ()


def file_names(kind: type) -> dict[str, FileName]:
    """The settings of a dataclass that may name files."""
    return _marked(kind, FileName)


def names_files(settings: Any) -> bool:
    """Whether an instance of such a dataclass has a setting that may name a file, and is not the default."""
    return any(getattr(settings, name) != getattr(type(settings), name) for name in file_names(type(settings)))


def _marked(kind: type, wanted: type[T]) -> dict[str, T]:
    """The settings of a dataclass with a mark of some sort."""
    hints = typing.get_type_hints(kind, include_extras=True)
    marked = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {name: mark for name, marks in marked.items() for mark in marks if isinstance(mark, wanted)}


# ---------------------------------------------------------------- numbers inside a configuration


@dataclasses.dataclass(frozen=True)
class Changes:
    """Marks the one text setting that gathers all settings with a point in their key, ``Annotated[str, Changes()]``.

    In ``game:size=8,turn.rounds=20,hit.half=10`` it is "turn.rounds=20,hit.half=10", for the game to read
    (``changes_in``). So every number of a configuration has a key, and any game that names one is a text.
    """


def gathering(kind: type) -> str:
    """The name of the setting that gathers those with a point in their key; "" if there is none."""
    return _gathering(kind)


@functools.lru_cache(maxsize=1024)
def _gathering(kind: type) -> str:
    return next(iter(_marked(kind, Changes)), "")


def field_of(kind: type, key: str) -> str:
    """The field of a dataclass that a key of a text sets."""
    return (gathering(kind) if "." in key else "") or key


def changes_in(text: str) -> dict[str, str]:
    """What a setting that gathers others says, key by key, in the order given.

    >>> changes_in("turn.rounds=20,hit.half=10")
    {'turn.rounds': '20', 'hit.half': '10'}
    """
    changes = parse(f"changes:{text}")[1]
    plain = next((key for key in changes if "." not in key), None)
    if plain is not None:
        raise BadInput(f"'{shown(plain)}' of the changes '{shown(text)}' must have a point, such as turn.rounds")
    return changes


def gathered(kind: type, settings: Mapping[str, str]) -> dict[str, str]:
    """The settings by field: those with a point in their key behind each other in the one that gathers them."""
    texts: dict[str, str] = {}
    for key, value in settings.items():
        field = field_of(kind, key)
        text = value if field == key else f"{key}={value}"
        texts[field] = f"{texts[field]},{text}" if field in texts else text
    return texts


@dataclasses.dataclass(frozen=True)
class Setting:
    """One field of a dataclass of settings: how it is written, its type, its default, and the docstring under it."""

    name: str
    """As it is written."""
    kind: Any
    default: Any
    about: str
    """The docstring."""
    low: Any = None
    high: Any = None
    field: str = ""
    """Its name in the dataclass."""

    @property
    def help(self) -> str:
        """The docstring, and the range if there is one, in the language that is spoken."""
        return " ".join(filter(None, (_(self.about), self.span)))

    @property
    def span(self) -> str:
        """The range in words, "" if there is none."""
        if self.low is None:
            return ""
        low, high = _ends(self.low, self.high)
        return _("{low} to {high}.").format(low=low, high=high)

    @property
    def label(self) -> str:
        """What a person calls it: the docstring up to its first stop.

        >>> Setting("dice", int, 3, "Dice at the start: three on every area.").label, Setting("t_max", int, 3, "").label
        ('Dice at the start', 'T max')
        """
        label = re.split(r"[:.;,(]", _(self.about), maxsplit=1)[0].strip() or self.name.replace("_", " ")
        return label[:1].upper() + label[1:]

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values of a ``Literal``, else none."""
        return typing.get_args(self.kind) if typing.get_origin(self.kind) is typing.Literal else ()


def settings(kind: type) -> list[Setting]:
    """What can be set in a dataclass, inherited fields first."""
    helps: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if dataclasses.is_dataclass(base):
            helps.update(_field_help(base))
    listed = []
    for field in (f for f in dataclasses.fields(kind) if f.init):
        low, high = _range(kind, field.name)
        about = helps.get(field.name, "")
        hint = _hints(kind)[field.name]
        listed.append(Setting(written(field.name), hint, field.default, about, low, high, field.name))
    return listed


@functools.lru_cache(maxsize=1024)
def _field_help(kind: type) -> dict[str, str]:
    """The docstring under each field of a dataclass."""
    with parsing:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    helps = {}
    for field, after in itertools.pairwise([*body, ast.Pass()]):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            if text:
                helps[field.target.id] = " ".join(str(text).split())
    return helps


def show(name: str, settings: Any, base: Any = None) -> str:
    """The text of a dataclass of settings: its name and what differs from the defaults, or from another such object."""
    changed = [f"{key}={value}" for key, value in as_texts(settings, base).items()]
    return name + (":" + ",".join(changed) if changed else "")


def as_texts(settings: Any, base: Any = None) -> dict[str, str]:
    """What differs from the defaults, or from another such object, as ``build`` takes it."""
    changed: dict[str, str] = {}
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        if not field.init or value == (field.default if base is None else getattr(base, field.name)):
            continue
        if value and field.name == gathering(type(settings)):
            changed |= changes_in(value)
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value)
        changed[written(field.name)] = text.removesuffix(".0") if isinstance(value, float) else text
    return changed
