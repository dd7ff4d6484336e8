"""Loading: a text such as ``connect_four`` or ``./my_game.py:size=3`` becomes a ``Game``."""

from __future__ import annotations

import dataclasses
import inspect
import re
import typing
import warnings
from pathlib import Path
from typing import Any

from turnsmith.common.errors import BadInput
from turnsmith.common.settings import build, parse
from turnsmith.contract.game import UNIT_MOVES, Game
from turnsmith.contract.homes import (
    OPENSPIEL,
    home_and_settings,
    importing,
    module_of,
    names_file,
    parts_of,
    served,
    title_of,
)
from turnsmith.contract.registry import built_in
from turnsmith.languages import add_beside

CONTRACT = "docs/reference/contract.md"
"""The page that explains every part of a game."""
_REQUIRED = ["Board", "State", "tables", "to_move", "legal", "apply", "returns", "words", "picture"]


def load(text: str) -> Game:
    """The game a text names: ``connect_four``, ``mastermind:colors=4,pegs=2``, ``./my_game.py``, ``openspiel:chess``.

    The rules of others are tried out on their first use: compiled, a mistake in them could write anywhere in memory.
    """
    is_named = not names_file(text) and not text.strip().startswith(OPENSPIEL)
    if is_named and (known := served.get(parse(text)[0])):
        by_name: Game = known[1](text)
        return by_name
    game = load_untried(text)
    if game.home:
        from turnsmith.contract.first_use import try_out

        try_out(game)
    return game


def _let_wrap(modules: set[str]) -> None:
    """Numbers of rules wrap around, as they do compiled: where rules run interpreted, in words and pictures, NumPy need
    not warn of it. Whatever else a program does is none of our business."""
    for name in modules:
        warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning, f"{re.escape(name)}$")


def load_untried(text: str) -> Game:
    """What ``load`` gives, but for the rules of others nobody vouches: to be checked, or checked before."""
    if text.strip().startswith(OPENSPIEL):
        framework: Any = module_of(OPENSPIEL)
        game: Game = framework.game_of(text.strip().removeprefix(OPENSPIEL))
        return game
    file, (home, chosen) = names_file(text), home_and_settings(text)
    module = module_of(home)
    if module.__file__ and home not in built_in():
        add_beside(Path(module.__file__), title_of(Path(module.__file__)))
    with importing(home):
        parts = {name: value for part in parts_of(module) for name, value in vars(part).items()}
    name = title_of(Path(home))
    missing = [m for m in _REQUIRED if m not in parts]
    if missing:
        raise BadInput(f"{home} is not a game yet: it lacks {', '.join(missing)} ({CONTRACT} says what each is)")
    splits = "units" in parts and f"moves={chosen.get('moves')}" == UNIT_MOVES
    if splits and not hasattr(parts.get("Options"), "moves"):
        del chosen["moves"]  # which every game of joint moves has, declared or not
    if "Options" in parts:
        _refuse_bad_options(parts["Options"], name)
        options = build(parts["Options"], chosen, name)
    elif chosen:
        raise BadInput(f"{name} has no settings; write just '{home}'")
    else:
        options = None
    known = {f.name: f.type for f in dataclasses.fields(Game) if f.init}
    own = {"name", "options", "doc", "home", "alias", "joint"}
    given = {key: parts[key] for key in known.keys() - own if key in parts}
    if inspect.isfunction(given["Board"]):  # boards that differ much in size have a record type each
        given["Board"] = given["Board"](options)
    for key, value in given.items():
        if known[key] in ("Rule", "Rule | None") and not callable(value):
            raise BadInput(f"{home}: {key} must be a function, not {value!r} ({CONTRACT} says what it does)")
    _let_wrap({module.__name__, *(value.__module__ for value in given.values() if inspect.isfunction(value))})
    doc = (module.__doc__ or "").strip()
    is_ours = not file and home in built_in()
    game = Game(name=name, options=options, doc=doc, home="" if is_ours else home, **given)
    if not is_ours:
        from turnsmith.play.player import refuse_bad_players

        refuse_bad_players(game)
    if splits:
        from turnsmith.contract.unitwise import unitwise

        return unitwise(game)
    return game


def _refuse_bad_options(kind: Any, name: str) -> None:
    """Options are a frozen dataclass of plain fields with defaults."""
    if not isinstance(kind, type) or not dataclasses.is_dataclass(kind) or not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise BadInput(f"{name}: Options must be a frozen dataclass; write @dataclass(frozen=True) above it")
    try:
        kinds = typing.get_type_hints(kind)
    except Exception as error:
        raise BadInput(f"{name}: Options cannot be read ({type(error).__name__}: {error})") from None
    for field in filter(lambda field: field.init, dataclasses.fields(kind)):
        if field.default is dataclasses.MISSING:
            raise BadInput(f"{name}: Options needs a default for {field.name}")
        plain = kinds[field.name] in (int, float, bool, str) or typing.get_origin(kinds[field.name]) is typing.Literal
        if not plain:
            raise BadInput(
                f"{name}: the option {field.name} must be int, float, bool, str or Literal, not {field.type}"
            )
