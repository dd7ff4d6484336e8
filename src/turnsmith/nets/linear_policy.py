"""A linear policy as a document: inputs times a matrix is a score for each action; the greatest possible one is played.

The document names every input and action with its exact meaning and says where the matrix comes from, so that another
program can compute the same. It is JSON; reading is strict, and refuses by key with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, one_line, shown

KIND, VERSION = "linear policy", 1
MOST_BYTES = 1_000_000
"""A document is smaller than this."""
LARGEST = 1e30
"""No entry is larger: sums stay finite in single precision too. Only ratios matter, so a matrix can be scaled."""
MOST_INPUTS = 1000


@dataclass(frozen=True)
class Input:
    """A number the policy looks at; always within `low` to `high`, so one with no room between is a constant."""

    name: str
    meaning: str
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class Action:
    """A column of the matrix: what is done if it scores best."""

    name: str
    meaning: str


@dataclass(frozen=True)
class WinRate:
    """The share of decided games that it won, with the ends of its 95 % interval where they are known."""

    rate: float
    low: float | None = None
    high: float | None = None
    games: int | None = None
    draws: int | None = None
    against: str | None = None
    seed: int | None = None

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.rate:.1%} of decided games"
        whom = f" {self.games} games against {self.against}" if self.against else f" {self.games} games"
        return f"{self.rate:.1%} ({self.low:.1%} to {self.high:.1%}) of{whom}, {self.draws} draws left out"


@dataclass(frozen=True)
class Origin:
    """Where a policy comes from."""

    game: str
    """The text of the game it was exported for."""
    player: str
    """The text of the player."""
    configuration: str = ""
    """A digest of the numbers of the rules it was exported for; "" for a game that has none."""
    version: str = ""
    """The turnsmith that wrote it."""
    winrate: WinRate | None = None


@dataclass(frozen=True)
class LinearPolicy:
    """Inputs, actions and float64[inputs, actions]; `terms` explains words that several meanings use."""

    inputs: tuple[Input, ...]
    actions: tuple[Action, ...]
    matrix: Array
    origin: Origin
    terms: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = (len(self.inputs), len(self.actions))
        if self.matrix.shape != size or self.matrix.dtype != np.float64:
            raise BadInput(f"the matrix is {self.matrix.shape}, not {size}: a row an input, a column an action")
        if not (np.abs(self.matrix) <= LARGEST).all():
            raise BadInput(f"the matrix has an entry beyond {LARGEST:g}; divide all entries: only ratios matter")

    def document(self) -> dict[str, Any]:
        """What the JSON file says."""
        return {
            "turnsmith": KIND,
            "version": VERSION,
            "origin": asdict(self.origin),
            "terms": dict(self.terms),
            "inputs": [asdict(entry) for entry in self.inputs],
            "actions": [asdict(action) for action in self.actions],
            "matrix": self.matrix.tolist(),
        }


def json_lines(document: Mapping[str, Any]) -> str:
    """JSON with a line a key, and a line an item where that is a list or an object: for people and for `diff`."""
    lines = []
    for key, value in document.items():
        text = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list) and value:
            text = "[\n" + ",\n".join(f"    {json.dumps(item, ensure_ascii=False)}" for item in value) + "\n  ]"
        elif isinstance(value, dict) and value:
            items = (f"{json.dumps(name)}: {json.dumps(item, ensure_ascii=False)}" for name, item in value.items())
            text = "{\n" + ",\n".join(f"    {item}" for item in items) + "\n  }"
        lines.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


# ---------------------------------------------------------------- reading


def read_policy(path: Path) -> LinearPolicy:
    """Read a document that ``json_lines`` of a policy wrote; what is wrong is refused by key, with the reason."""
    if not path.is_file():
        raise BadInput(f"there is no file {path}; give the path of an exported policy")
    if path.stat().st_size > MOST_BYTES:
        raise BadInput(f"{path} is larger than any policy; at most {MOST_BYTES:,} bytes are read")
    try:
        document = json.loads(path.read_bytes().decode("utf-8"), object_pairs_hook=_once)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not JSON ({error}); export it again") from None
    try:
        return _policy(document)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        twice = next(key for number, (key, _) in enumerate(pairs) if key in dict(pairs[:number]))
        raise BadInput(f"the key '{shown(twice)}' stands twice in one object")
    return document


def _policy(document: Any) -> LinearPolicy:
    if not isinstance(document, dict) or document.get("turnsmith") != KIND:
        raise BadInput(f'this is no policy: "turnsmith" must be "{KIND}"; turnsmith export writes them')
    if document.get("version") != VERSION:
        raise BadInput(f"version must be {VERSION}, not {shown(document.get('version'))}; export it again")
    keys = _keys(document, "", ("turnsmith", "version", "origin", "inputs", "actions", "matrix"), ("terms",))
    terms = keys.get("terms", {})
    if not isinstance(terms, dict):
        raise BadInput(f"terms must be an object, not {shown(terms)}")
    inputs = tuple(_input(item, f"inputs[{number}]") for number, item in enumerate(_list(keys, "inputs", MOST_INPUTS)))
    actions = tuple(_named(action, f"actions[{n}]") for n, action in enumerate(_list(keys, "actions", MOST_INPUTS)))
    _refuse_twice("inputs", [entry.name for entry in inputs])
    _refuse_twice("actions", [action.name for action in actions])
    rows = _list(keys, "matrix", MOST_INPUTS)
    if len(rows) != len(inputs):
        raise BadInput(f"matrix has {len(rows)} rows for {len(inputs)} inputs; it must have a row an input")
    matrix = [_row(row, f"matrix[{number}]", len(actions)) for number, row in enumerate(rows)]
    meanings = {_text(name, "terms"): _text(text, f"terms.{name}") for name, text in terms.items()}
    return LinearPolicy(inputs, actions, np.array(matrix, np.float64), _origin(keys["origin"]), meanings)


def _keys(value: Any, where: str, needed: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Any]:
    """The object, if it has these keys and no others."""
    needed, optional = tuple(needed), tuple(optional)
    if not isinstance(value, dict):
        raise BadInput(f"{where} must be an object, not {shown(value)}")
    dot = f"{where}." if where else ""
    for key in needed:
        if key not in value:
            raise BadInput(f"{dot}{key} is missing")
    for key in value:
        if key not in needed and key not in optional:
            raise BadInput(f"{dot}{shown(key)} is no key here; there are {', '.join((*needed, *optional))}")
    return value


def _list(keys: dict[str, Any], name: str, most: int) -> list[Any]:
    items = keys[name]
    if not isinstance(items, list) or not 1 <= len(items) <= most:
        raise BadInput(f"{name} must be a list of 1 to {most} items, not {shown(items)}")
    return items


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{where} must be a text, not {shown(value)}")
    try:
        return one_line(value)
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None


def _number(value: Any, where: str, low: float = -LARGEST, high: float = LARGEST) -> float:
    if type(value) not in (int, float) or not low <= value <= high:
        raise BadInput(f"{where} must be a number from {low:g} to {high:g}, not {shown(value)}")
    return float(value)


def _row(value: Any, where: str, width: int) -> list[float]:
    if not isinstance(value, list) or len(value) != width:
        raise BadInput(f"{where} must be a list of {width} numbers, one an action, not {shown(value)}")
    return [_number(item, f"{where}[{number}]") for number, item in enumerate(value)]


def _input(value: Any, where: str) -> Input:
    keys = _keys(value, where, ("name", "meaning", "low", "high"))
    name, meaning = _text(keys["name"], f"{where}.name"), _text(keys["meaning"], f"{where}.meaning")
    return Input(name, meaning, _number(keys["low"], f"{where}.low"), _number(keys["high"], f"{where}.high"))


def _named(value: Any, where: str) -> Action:
    keys = _keys(value, where, ("name", "meaning"))
    return Action(_text(keys["name"], f"{where}.name"), _text(keys["meaning"], f"{where}.meaning"))


def _refuse_twice(where: str, names: list[str]) -> None:
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise BadInput(f"{where} has '{shown(twice)}' twice")


def _origin(value: Any) -> Origin:
    keys = _keys(value, "origin", ("game", "player"), ("configuration", "version", "winrate"))
    texts = {name: _text(text, f"origin.{name}") for name, text in keys.items() if name != "winrate"}
    rate = keys.get("winrate")
    return Origin(**texts, winrate=None if rate is None else _winrate(rate))


def _winrate(value: Any) -> WinRate:
    where = "origin.winrate"
    keys = _keys(value, where, ("rate",), (part.name for part in fields(WinRate) if part.name != "rate"))
    parts: dict[str, Any] = {"rate": _number(keys["rate"], f"{where}.rate")}
    for name in ("low", "high"):
        if keys.get(name) is not None:
            parts[name] = _number(keys[name], f"{where}.{name}", 0.0, 1.0)
    for name in ("games", "draws", "seed"):
        if keys.get(name) is not None:
            if type(keys[name]) is not int or not 0 <= keys[name] < 2**63:
                raise BadInput(f"{where}.{name} must be a whole number from 0 on, not {shown(keys[name])}")
            parts[name] = keys[name]
    if keys.get("against") is not None:
        parts["against"] = _text(keys["against"], f"{where}.against")
    return WinRate(**parts)
