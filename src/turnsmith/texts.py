"""Games and players as texts, ``name:key=value,key=value``: one form for the command line, the store and Python."""

from __future__ import annotations

import ast
import dataclasses
import difflib
import functools
import inspect
import itertools
import textwrap
import typing
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


class BadInput(ValueError):
    """Something a person gave cannot be used; the message is one line that names the cause and the cure."""


def parse(text: str) -> tuple[str, dict[str, str]]:
    """Split a text into its name and its settings.

    >>> parse("mcts:simulations=400,exploration=1.2")
    ('mcts', {'simulations': '400', 'exploration': '1.2'})
    """
    name, _, rest = text.strip().partition(":")
    settings: dict[str, str] = {}
    for piece in filter(None, (p.strip() for p in rest.split(","))):
        key, equals, value = piece.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise BadInput(f"'{piece}' in '{text}' is not a setting; write key=value")
        if key.strip() in settings:
            raise BadInput(f"'{key.strip()}' stands twice in '{text}'; give it once")
        settings[key.strip()] = value.strip()
    if not name.strip():
        raise BadInput(f"'{text}' has no name; write name or name:key=value")
    return name.strip(), settings


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


def build(kind: type[T], settings: Mapping[str, str], what: str) -> T:
    """Make the dataclass `kind` from texts, refusing unknown keys and values of the wrong type."""
    hints = _hints(kind)  # type: ignore[arg-type]
    fields = [f.name for f in dataclasses.fields(kind) if f.init]  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in fields:
            has = ", ".join(fields) or "none"
            raise BadInput(f"{what} has no setting '{key}'{suggestion(key, fields)}; its settings: {has}")
        values[key] = _convert(value, hints[key], f"{what}: {key}={value}")
    try:
        return kind(**values)
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(f"{what}: {error}") from None


@functools.lru_cache(maxsize=1024)
def _hints(kind: type) -> dict[str, Any]:
    """The types of a class's fields; Python works them out anew every time it is asked."""
    return typing.get_type_hints(kind)


def _convert(value: str, hint: Any, where: str) -> Any:
    if typing.get_origin(hint) is typing.Literal:
        choices = {str(choice): choice for choice in typing.get_args(hint)}
        if value not in choices:
            raise BadInput(f"{where} is not one of {', '.join(choices)}")
        return choices[value]
    if hint is bool:
        if value not in ("true", "false"):
            raise BadInput(f"{where} must be true or false")
        return value == "true"
    kinds = {int: "a whole number", float: "a number", str: "a text"}
    try:
        number = hint(value)
    except ValueError:
        raise BadInput(f"{where} must be {kinds.get(hint, hint)}") from None
    if isinstance(number, float) and number != number:
        raise BadInput(f"{where} must be a number")
    return number


@dataclasses.dataclass(frozen=True)
class FileName:
    """Marks a text setting that may name a file, ``Annotated[str, FileName(("main",))]``; `names` are those of what
    comes with turnsmith. A server reads nothing else for strangers."""

    names: tuple[str, ...] = ()


def file_names(kind: type) -> dict[str, FileName]:
    """The settings of a dataclass that may name files."""
    hints = typing.get_type_hints(kind, include_extras=True)
    marked = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {name: mark for name, marks in marked.items() for mark in marks if isinstance(mark, FileName)}


@dataclasses.dataclass(frozen=True)
class Setting:
    """One field of a dataclass of settings: its type, its default, and the docstring under it."""

    name: str
    kind: Any
    default: Any
    help: str

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
    hints = _hints(kind)
    return [
        Setting(f.name, hints[f.name], f.default, helps.get(f.name, "")) for f in dataclasses.fields(kind) if f.init
    ]


def _field_help(kind: type) -> dict[str, str]:
    """The docstring under each field of a dataclass."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    found = {}
    for field, after in itertools.pairwise([*body, ast.Pass()]):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            said = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            found[field.target.id] = " ".join(str(said).split())
    return found


def show(name: str, settings: Any) -> str:
    """The text of a dataclass of settings: its name and what differs from the defaults."""
    changed = []
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        if field.init and value != field.default:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            text = text.removesuffix(".0") if isinstance(value, float) else text
            changed.append(f"{field.name}={text}")
    return name + (":" + ",".join(changed) if changed else "")


def suggestion(word: str, known: Iterable[str]) -> str:
    """A hint for a misspelt word, or nothing."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""
