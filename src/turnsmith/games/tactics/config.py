"""The configuration: every number of the rules that a designer may want to change, its range checked.

A TOML file gives what differs from the defaults; a wrong key, type or range is refused by its name. The same reader
takes the configuration that the description of a board holds.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from turnsmith.common.errors import BadInput, shown, suggestion
from turnsmith.common.settings import changes_in, setting

CLASSES, MOST_POINTS, TALLEST = 4, 4, 35
"""Soldier classes of one game, points of an activation, the greatest height: what a board has room for."""
SHAPES = {
    "1x1": ((0, 0),),
    "2x1": ((0, 0), (1, 0)),
    "1x2": ((0, 0), (0, 1)),
    "3x1": ((0, 0), (1, 0), (2, 0)),
    "1x3": ((0, 0), (0, 1), (0, 2)),
    "L3": ((0, 0), (1, 0), (0, 1)),
    "2x2": ((0, 0), (1, 0), (0, 1), (1, 1)),
}
"""Cover pieces: columns and rows of their cells from the first."""
NAME = re.compile(r"[a-z][a-z0-9_-]{0,19}")


@dataclass(frozen=True)
class MapSettings:
    """How maps are generated."""

    lowest: int = setting(0, 0, 31)
    """The least height."""
    highest: int = setting(7, 0, 31)
    """The greatest height, before cover is put on the ground."""
    pieces: int = setting(14, 0, 100)
    """Cover pieces in half a map of 24 x 24; larger and smaller maps have them in proportion."""
    tries: int = setting(400, 1, 10_000)
    """Places to try for all of them together."""
    shapes: tuple[str, ...] = tuple(SHAPES)
    """Shapes to choose from, each as likely; one named twice is twice as likely."""
    raises: tuple[int, ...] = (1, 2)
    """Levels a piece may stand above the ground, each as likely."""

    def __post_init__(self) -> None:
        if self.lowest > self.highest:
            raise ValueError(f"lowest={self.lowest} must not be above highest={self.highest}")
        wrong = next((shape for shape in self.shapes if shape not in SHAPES), None)
        if wrong is not None or not 1 <= len(self.shapes) <= 64:
            raise ValueError(f"shapes must be some of {', '.join(SHAPES)}, not {shown(wrong or 'nothing')}")
        if not 1 <= len(self.raises) <= 8 or not all(1 <= level <= 4 for level in self.raises):
            raise ValueError(f"raises={shown(list(self.raises))} must be levels of 1 to 4")


@dataclass(frozen=True)
class Turn:
    """What a soldier may do when it is its turn, and how long a game lasts."""

    points: int = setting(2, 1, MOST_POINTS)
    """Action points of an activation; a move takes one for every started `steps` of the soldier."""
    shoot: int = setting(1, 1, MOST_POINTS)
    """Points of a shot."""
    reload: int = setting(1, 1, MOST_POINTS)
    """Points of filling the magazine."""
    shot_ends: bool = setting(False)
    """Whether a shot ends the activation."""
    rounds: int = setting(40, 1, 1000)
    """Rounds after which the game is a draw; in a round every living soldier acts once."""

    def __post_init__(self) -> None:
        for name in ("shoot", "reload"):
            if getattr(self, name) > self.points:
                raise ValueError(f"{name}={getattr(self, name)} must not be above points={self.points}")


@dataclass(frozen=True)
class Hit:
    """Chances in percent: of a hit, and what changes them."""

    least: int = setting(5, 1, 100)
    """The least chance of a shot that is possible at all."""
    most: int = setting(95, 1, 100)
    """The greatest chance."""
    level: int = setting(5, 0, 100)
    """For every level the shooter stands higher; as much less for every level lower."""
    height: int = setting(20, 0, 100)
    """The most that height gives or takes."""
    half: int = setting(20, 0, 100)
    """Taken off by a side one level higher than the target's cell."""
    full: int = setting(40, 0, 100)
    """Taken off by a side two levels higher or more."""
    taking: int = setting(20, 0, 100)
    """Taken off while the target is taking cover."""

    def __post_init__(self) -> None:
        if self.least > self.most:
            raise ValueError(f"least={self.least} must not be above most={self.most}")


@dataclass(frozen=True)
class Cooldowns:
    """Own activations that must begin before a soldier can do the same again; 1 is once an activation, 0 is free."""

    move: int = setting(0, 0, 100)
    shoot: int = setting(0, 0, 100)
    reload: int = setting(0, 0, 100)
    cover: int = setting(0, 0, 100)


@dataclass(frozen=True)
class Weapon:
    """What a soldier shoots with."""

    magazine: int = setting(4, 1, 100)
    """Shots until it is empty."""
    damage: tuple[int, ...] = (3, 5)
    """The least and the greatest damage of a hit, each between as likely."""
    optimum: int = setting(6, 0, 68)
    """The distance, in cells, at which it is most accurate."""
    bonus: int = setting(15, -100, 100)
    """Percent added at that distance."""
    nearer: int = setting(-3, -100, 100)
    """Percent for every cell nearer than that."""
    farther: int = setting(-4, -100, 100)
    """Percent for every cell farther than that."""
    range: int = setting(18, 1, 68)
    """Beyond this distance it cannot shoot."""

    def __post_init__(self) -> None:
        if len(self.damage) != 2 or not 1 <= self.damage[0] <= self.damage[1] <= 100:
            raise ValueError(f"damage={shown(list(self.damage))} must be the least and the greatest, within 1 to 100")


@dataclass(frozen=True)
class SoldierClass:
    """A class of soldiers."""

    hp: int = setting(10, 1, 100)
    """Damage until it is dead."""
    aim: int = setting(65, 0, 100)
    """Chance of a hit in percent before anything changes it."""
    steps: int = setting(6, 1, 48)
    """Steps for one action point."""
    weapon: str = setting("rifle")
    """One of the weapons."""


@dataclass(frozen=True)
class Automaton:
    """When the player `static` does what."""

    shoot: int = setting(50, 0, 100)
    """It shoots at once with this chance or a better one."""
    better: int = setting(15, 0, 100)
    """It moves before it shoots for so much more chance."""
    poor: int = setting(20, 0, 100)
    """With less chance it would rather take cover."""
    weak: int = setting(50, 0, 100)
    """Percent of its hit points at which it begins to look after itself."""
    safer: int = setting(5, 0, 100)
    """It steps aside if it is exposed by more than so much less there."""


@dataclass(frozen=True, eq=False)
class Config:
    """All of it. The same file gives the same object, so it can be a key."""

    map: MapSettings = MapSettings()
    turn: Turn = Turn()
    hit: Hit = Hit()
    cooldown: Cooldowns = Cooldowns()
    static: Automaton = Automaton()
    weapons: Mapping[str, Weapon] = field(default_factory=lambda: {"rifle": Weapon()})
    soldiers: Mapping[str, SoldierClass] = field(default_factory=lambda: {"trooper": SoldierClass()})
    green: tuple[str, ...] = ("trooper",)
    """The classes of the green soldiers in order, again from the first when there are more soldiers."""
    red: tuple[str, ...] = ()
    """The same for red; as green if empty."""

    def __post_init__(self) -> None:
        for kind, given in (("weapons", list(self.weapons)), ("soldiers", list(self.soldiers))):
            wrong = next((name for name in given if not NAME.fullmatch(name)), None)
            if wrong is not None:
                raise ValueError(f"'{shown(wrong)}' of {kind} is no name; names are small letters, digits, - and _")
            if len(given) > 100:
                raise ValueError(f"there are {len(given)} {kind}; at most 100 are read")
        for name, soldier in self.soldiers.items():
            if soldier.weapon not in self.weapons:
                has = ", ".join(self.weapons)
                raise ValueError(f"soldiers.{name}.weapon={shown(soldier.weapon)} is not one of {has}")
        for team, names in (("green", self.green), ("red", self.red)):
            wrong = next((name for name in names if name not in self.soldiers), None)
            if wrong is not None:
                raise ValueError(f"'{shown(wrong)}' of {team} is not one of {', '.join(self.soldiers)}")
            if len(names) > 8 or (team == "green" and not names):
                raise ValueError(f"{team} names {len(names)} classes; a team has 1 to 8 soldiers")
        if len(self.classes) > CLASSES:
            raise ValueError(f"the teams have {len(self.classes)} classes of soldiers; at most {CLASSES} can meet")

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that the teams have, by number."""
        return tuple(dict.fromkeys((*self.green, *self.red)))

    def classes_of(self, team: int) -> tuple[list[str], list[str]]:
        """The class of every soldier of teams of that size, green and red."""
        green, red = self.green, self.red or self.green
        return [green[i % len(green)] for i in range(team)], [red[i % len(red)] for i in range(team)]


# ---------------------------------------------------------------- reading


def read(given: Any, kind: type = Config, where: str = "") -> Any:
    """The configuration that a table of TOML or JSON is; what it does not name has its default."""
    name = f"'{where}'" if where else "the configuration"
    if not isinstance(given, dict):
        raise BadInput(f"{name} must be a table with keys, not {shown(given)}")
    hints = typing.get_type_hints(kind)
    for key in given:
        if key not in hints:
            near, has = suggestion(str(key), hints), ", ".join(hints)
            raise BadInput(f"{name} has no '{shown(key)}'{near}; it has {has}")
    values = {key: _value(value, hints[key], f"{where}.{key}".lstrip(".")) for key, value in given.items()}
    try:
        return kind(**values)
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(f"{name}: {error}") from None


def _value(value: Any, hint: Any, where: str) -> Any:
    """What a key's value stands for where a field wants `hint`."""
    if dataclasses.is_dataclass(hint):
        return read(value, typing.cast(type, hint), where)
    inside = typing.get_args(hint)
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, list) or not all(type(item) is inside[0] for item in value):
            raise BadInput(f"'{where}' must be a list of {_KINDS[inside[0]]}, not {shown(value)}")
        return tuple(value)
    if inside:  # tables by name, beside those there are without them
        if not isinstance(value, dict):
            raise BadInput(f"'{where}' must be a table with a table for each name, not {shown(value)}")
        usual: dict[str, Any] = {"rifle": Weapon()} if where == "weapons" else {"trooper": SoldierClass()}
        return usual | {name: read(part, inside[1], f"{where}.{name}") for name, part in value.items()}
    return value


_KINDS = {int: "whole numbers", str: "texts"}


# ---------------------------------------------------------------- single numbers

OF_ALL = {"weapon": "weapons", "soldier": "soldiers"}
"""What names a value of all of them: `weapon.damage` is the damage of every weapon."""


def changed(config: Config, changes: str) -> Config:
    """The configuration with single values changed, such as ``turn.rounds=20,weapon.damage=2-4``, in that order.

    A key is that of the TOML file, `weapons.rifle.damage`, or `weapon.damage` for all weapons, `soldier.hp` for all
    classes. A list has `-` between its items; damage of one number is always that.
    """
    table = as_table(config)
    for key, text in changes_in(changes).items():
        places, hint = _places(table, key)
        value = _read_text(text, hint, key)
        if key.endswith(".damage") and len(value) == 1:
            value *= 2
        for place in places:
            place[key.rpartition(".")[2]] = value
    return typing.cast(Config, read(table))


def _places(table: dict[str, Any], key: str) -> tuple[list[dict[str, Any]], Any]:
    """The tables whose value a key is, and the type of that value."""
    section, *rest = key.split(".")
    several, hints = OF_ALL.get(section, section), typing.get_type_hints(Config)
    kind = hints.get(several)
    if not dataclasses.is_dataclass(kind) and not (several in OF_ALL.values() and (section in OF_ALL or rest[1:])):
        named = [f"{kinds}.{name}" for kinds in OF_ALL.values() for name in table[kinds]]
        has = [*(name for name, hint in hints.items() if dataclasses.is_dataclass(hint)), *OF_ALL, *named]
        raise BadInput(
            f"the rules have no '{shown(key)}'{suggestion(key.rpartition('.')[0], has)}; there are {_listed(has)}"
        )
    places = [table[several]]
    if several in OF_ALL.values():
        kind = typing.get_args(kind)[1]
        name = rest.pop(0) if section == several else None
        if name is not None and name not in table[several]:
            raise BadInput(f"the rules have no '{shown(key)}'; {several} are {', '.join(table[several])}")
        places = [table[several][name]] if name is not None else list(table[several].values())
    fields = typing.get_type_hints(kind)
    if len(rest) != 1 or rest[0] not in fields:
        known = [f"{key.removesuffix('.'.join(rest))}{field}" for field in fields]
        raise BadInput(f"the rules have no '{shown(key)}'{suggestion(key, known)}; there are {', '.join(known)}")
    return places, fields[rest[0]]


def _listed(sections: list[str]) -> str:
    return ", ".join(f"{section}.…" for section in sections)


def _read_text(text: str, hint: Any, key: str) -> Any:
    """What a text stands for where a field wants `hint`."""
    if typing.get_origin(hint) is tuple:
        return [_read_text(part, typing.get_args(hint)[0], key) for part in text.split("-")]
    if hint is bool:
        if text not in ("true", "false"):
            raise BadInput(f"{key}={shown(text)} must be true or false")
        return text == "true"
    if hint is int:
        if not re.fullmatch(r"-?\d{1,9}", text):
            raise BadInput(f"{key}={shown(text)} must be a whole number")
        return int(text)
    return text


# ---------------------------------------------------------------- files


def _spread(given: dict[str, Any]) -> dict[str, Any]:
    """A file's table with `[weapon]` and `[soldier]`, which are of all of them, put into each that does not differ."""
    table = dict(given)
    for one, several in OF_ALL.items():
        if one in table:
            kind, usual = typing.get_args(typing.get_type_hints(Config)[several])[1], getattr(USUAL, several)
            common = table.pop(one)
            read(common, kind, one)
            own = table.get(several, {})
            if isinstance(own, dict) and all(isinstance(part, dict) for part in own.values()):
                table[several] = {name: common | own.get(name, {}) for name in {**usual, **own}}
    return table


USUAL = Config()


@lru_cache(maxsize=64)
def _read_file(path: Path, changed: int) -> Config:
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not TOML: {error}") from None
    try:
        return typing.cast(Config, read(_spread(given)))
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


def load(name: str, changes: str = "") -> Config:
    """The configuration of a TOML file, or the usual one without a name, with single values changed."""
    path = Path(name)
    if name and not path.is_file():
        raise BadInput(f"there is no configuration file {name}; give the path of a TOML file")
    config = _read_file(path, path.stat().st_mtime_ns) if name else USUAL
    return _changed(config, changes) if changes else config


_changed = lru_cache(maxsize=64)(changed)


def as_table(config: Config) -> dict[str, Any]:
    """All of a configuration, as JSON holds it."""
    return typing.cast(dict[str, Any], _plain(dataclasses.asdict(config)))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return list(value) if isinstance(value, tuple) else value
