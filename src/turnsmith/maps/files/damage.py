"""What files of maps share: refusing what is damaged, by place and reason, and reading JSON that came from anybody."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from turnsmith.common.errors import BadInput, shown
from turnsmith.contract.grids import Form, form_of
from turnsmith.contract.homes import names_file

DEEPEST = 64
"""Levels of lists and objects within each other."""


def refuse(said: str, where: str, reason: str) -> NoReturn:
    """Refuse a file: what it is called, the line, byte or key, and what is wrong there."""
    raise BadInput(f"{said}: {where}: {reason}")


def text_of(data: bytes, said: str) -> str:
    """The text of a file in UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        refuse(said, f"byte {error.start}", "this is no UTF-8; save the file as UTF-8")


def game_and_form(told: Any, said: str, given: str) -> tuple[str, Form]:
    """The game of a file and how its maps look: the game that was given, else the one that the file tells. A game that
    is a file of Python is never run because a file of maps tells so."""
    if not given and (not isinstance(told, str) or not told.strip()):
        raise BadInput(f"{said} does not say of which game it is; say it (--game)")
    game = given or str(told)
    refuse_to_run(game, said, given)
    try:
        return game, form_of(game)
    except BadInput as error:
        raise BadInput(f"{said}: {error}") from None


def refuse_to_run(game: str, said: str, given: str) -> None:
    """Refuse a game that is a file of Python, unless it is the one that was given."""
    if names_file(game) and game != given:
        raise BadInput(f"{said} would run {game}, the file of its game; if you trust it, say --game {game}")


def read_json(data: bytes, said: str) -> Any:
    """What a file of JSON says; numbers that JSON does not have are refused, and so is what is too deep."""

    def no_number(name: str) -> NoReturn:
        raise ValueError(f"{name} is no number of JSON")

    text = text_of(data, said)
    try:
        document = json.loads(text, parse_constant=no_number)
        refuse_depth(document)
        return document
    except json.JSONDecodeError as error:
        refuse(said, f"line {error.lineno}, column {error.colno}", f"this is no JSON: {error.msg}")
    except RecursionError:
        refuse(said, "line 1", f"lists and objects stand within each other too deeply; at most {DEEPEST} are read")
    except ValueError as error:
        refuse(said, "line 1", str(error) if "JSON" in str(error) else "a number has too many digits")


def refuse_depth(found: Any, left: int = DEEPEST) -> None:
    if left == 0:
        raise RecursionError
    if isinstance(found, dict | list):
        for inner in found.values() if isinstance(found, dict) else found:
            refuse_depth(inner, left - 1)


class Lined(dict[str, Any]):
    """An object that stands in a line of its own, as the elements of XML do: refusals name that line."""

    def __init__(self, line: int, **keys: Any):
        super().__init__(**keys)
        self.line = line


class JsonReader:
    """A value of JSON with its place in the file: what is missing or of another type is refused by that place.

    >>> JsonReader({"maps": [{"seed": "x"}]}, "a.json").list("maps")[0].whole("seed", 0, 9)
    Traceback (most recent call last):
    turnsmith.common.errors.BadInput: a.json: maps[0].seed: must be a whole number from 0 to 9, not x
    """

    def __init__(self, value: Any, said: str, place: str = ""):
        self.value, self.said, self.place = value, said, place

    def refuse(self, reason: str) -> NoReturn:
        line = f"line {self.value.line}" if isinstance(self.value, Lined) else ""
        refuse(self.said, line or self.place or "the file", reason)

    @property
    def called(self) -> str:
        """The file and the place, as refusals begin."""
        return f"{self.said}: {self.place}" if self.place else self.said

    def has(self, key: str) -> bool:
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def at(self, key: str) -> JsonReader:
        """What stands under a key."""
        place = f"{self.place}.{key}" if self.place else key
        if isinstance(self.value, Lined):
            place = f"line {self.value.line}, {key}"
        if not isinstance(self.value, dict):
            self.refuse(f"must be an object with '{key}', not {shown(self.value)}")
        if key not in self.value:
            self.refuse(f"'{key}' is missing")
        return JsonReader(self.value[key], self.said, place)

    def items(self) -> list[JsonReader]:
        """The values of a list."""
        if not isinstance(self.value, list):
            self.refuse(f"must be a list, not {shown(self.value)}")
        return [JsonReader(item, self.said, f"{self.place}[{index}]") for index, item in enumerate(self.value)]

    def list(self, key: str) -> list[JsonReader]:
        return self.at(key).items()

    def text(self, key: str) -> str:
        field = self.at(key)
        if not isinstance(field.value, str):
            field.refuse(f"must be a text, not {shown(field.value)}")
        return field.value

    def whole(self, key: str, low: int, high: int) -> int:
        return self.at(key).as_whole(low, high)

    def as_whole(self, low: int, high: int) -> int:
        if type(self.value) is not int or not low <= self.value <= high:
            self.refuse(f"must be a whole number from {low:,} to {high:,}, not {shown(self.value)}")
        return int(self.value)

    def number(self, key: str) -> float:
        return self.at(key).as_number()

    def as_number(self) -> float:
        if type(self.value) not in (int, float) or not abs(self.value) < 1e15:
            self.refuse(f"must be a number, not {shown(self.value)}")
        return float(self.value)

    def object(self, key: str) -> dict[str, Any]:
        field = self.at(key)
        if not isinstance(field.value, dict):
            field.refuse(f"must be an object with keys, not {shown(field.value)}")
        return dict(field.value)

    def only(self, *keys: str) -> None:
        """Refuse keys that mean nothing here."""
        for key in self.value:
            if key not in keys:
                self.refuse(f"there is no '{shown(key)}' here; there may be {', '.join(keys)}")
