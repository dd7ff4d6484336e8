"""The first use of a game's file: its rules are tried out, interpreted, in a process of its own.

Compiled rules are trusted: a mistake in them can write anywhere in memory, or never come back. So before a file is
compiled for the first time, Python itself, which looks at every index, plays a second or two of random games. What
passed is remembered by a digest of all its functions: later uses cost nothing, until one of them changes.
"""

from __future__ import annotations

import contextlib
import dataclasses
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from turnsmith.common.errors import BadInput
from turnsmith.compile.digest import digest
from turnsmith.compile.kernel import cache_folder

if TYPE_CHECKING:
    from turnsmith.contract.game import Game

_passed: set[tuple[str, str]] = set()


def try_out(game: Game) -> None:
    """Refuse a game whose rules break the contract, unless they were tried out before."""
    if not _is_remembered("tried", _key(game)):
        from turnsmith.check.tryout import fault_of

        fault = fault_of(game.loads_by)
        if fault:
            raise BadInput(f"{game.home}: {fault}; 'turnsmith check {game.home}' says more")
    remember(game)


def remember(game: Game, what: str = "tried") -> None:
    """Note that a game's rules keep the contract; "checked": that they also stood tampered descriptions of boards."""
    key = _key(game)
    if (what, key) not in _passed:
        _passed.add((what, key))
        with contextlib.suppress(OSError):  # then they are tried out again next time
            folder = cache_folder() / what
            folder.mkdir(exist_ok=True)
            (folder / key).touch()


def is_checked(game: Game) -> bool:
    """Whether a game is ours, or has passed ``turnsmith check`` as it is now."""
    return not game.home or _is_remembered("checked", _key(game))


def _is_remembered(what: str, key: str) -> bool:
    try:
        return (what, key) in _passed or (cache_folder() / what / key).exists()
    except OSError:
        return False


def _key(game: Game) -> str:
    aside = ("name", "options", "doc", "home", "alias")
    parts = [getattr(game, field.name) for field in dataclasses.fields(game) if field.init and field.name not in aside]
    return digest(_checks(), *parts)


@cache
def _checks() -> str:
    """Other checks may find what these did not."""
    return digest(*sorted((Path(__file__).parent.parent / "check").glob("*.py")))
