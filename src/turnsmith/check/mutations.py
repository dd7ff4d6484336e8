"""Descriptions of boards that somebody tampered with: each is refused with a ValueError, or makes a board one can play
on. Nothing else may happen: no crash, no hang, no other exception.

They are tried in a process of its own, compiled with bounds checks. Description number n is made from (seed, n) by
parent and child alike, so that of a child that died or hung only the number has to be known.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from turnsmith.check.nodes import play, unsound
from turnsmith.check.rules import CheckedRules, Fault, explain
from turnsmith.common.errors import shown
from turnsmith.compile.kernel import compiled
from turnsmith.contract.game import Game
from turnsmith.contract.loading import load_untried

MUTATIONS = 2000
"""Descriptions tried unless told otherwise."""
BASES = 5
"""Descriptions of so many seeds are mutated."""
PLIES, MOST_LISTED = 12, 500_000
"""Random moves on a board that was accepted, unless it has more moves to list than this."""
START_UP, STALLED = 300.0, 20.0
"""Seconds after which a child hangs: compiling, and with one description."""
MUCH = 5000
"""Signs of a text, or items of a list, that are too many for any board."""
MOST_MEMORY = 8 << 30
MOST_DEATHS = 3
"""Children that may die or hang before the rest is left out."""

# ---------------------------------------------------------------- mutations

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 7, 99, 255, 256, 65_536, 1_000_000, 2**31, 2**63, -(2**63), 10**30, -(10**30)),
    *(0.5, -0.0, 1e308, float("nan"), float("inf"), float("-inf")),
    *("", " ", "x", "0", "-1", "nan", "\0", "é", "\ud800", "9" * MUCH, "../x", "a\nb"),
    *([], {}, [[]], [None], [0] * MUCH, {"a": {"b": {}}}, {"": 0}, [[[[[[[[[[0]]]]]]]]]]),
)


def mutated(source: Any, seed: int, number: int) -> Any:
    """The source with one to three things changed."""
    dice = random.Random(f"{seed} {number}")
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        source = _changed_somewhere(source, dice)
    return source


def _changed_somewhere(value: Any, dice: random.Random) -> Any:
    """A copy changed in one place: somewhere inside, where there is something inside, or as a whole."""
    if isinstance(value, (dict, list)) and value and dice.random() < 0.8:
        inside = value.copy()
        place = dice.choice(list(value) if isinstance(value, dict) else range(len(value)))
        inside[place] = _changed_somewhere(value[place], dice)
        return inside
    change = _CHANGES.get(type(value))
    return dice.choice(ODD) if change is None or dice.random() < 0.3 else change(value, dice)


def _change_number(value: float, dice: random.Random) -> Any:
    near = (value + 1, value - 1, 2 * value, -value, value * 1000)
    return dice.choice((*near, value + dice.randrange(-20, 20), float(value), str(value), [value]))


def _change_text(value: str, dice: random.Random) -> Any:
    place = dice.randrange(len(value) + 1)
    sign = dice.choice([*value[:64], *"A0. #PGz9\0é"])
    changes = (
        value[:place] + sign + value[place + 1 :],
        value[:place] + sign + value[place:],
        value[:place] + value[place + 1 :],
        value[:place],
        value[::-1],
        value * 2,
        "".join(dice.sample(value, len(value))),
        value * (MUCH // (len(value) + 1) + 2),
        list(value),
    )
    return dice.choice(changes)


def _change_list(value: list[Any], dice: random.Random) -> Any:
    place = dice.randrange(len(value) + 1)
    item = dice.choice(value or [0])
    changes = (
        value[:place] + value[place + 1 :],
        [*value[:place], item, *value[place:]],
        value[:place],
        dice.sample(value, len(value)),
        value * 2,
        value * (MUCH // (len(value) + 1) + 2),
        [value],
        {str(index): element for index, element in enumerate(value)},
    )
    return dice.choice(changes)


def _change_object(value: dict[str, Any], dice: random.Random) -> Any:
    key = dice.choice(list(value) or [""])
    without = {name: item for name, item in value.items() if name != key}
    renamed = {**without, key.upper() + "x": value.get(key)}
    swapped = dict(zip(value, dice.sample(list(value.values()), len(value)), strict=True))
    return dice.choice((without, {**value, "extra": dice.choice(ODD)}, renamed, swapped, [value], list(value.values())))


_CHANGES: dict[type, Callable[[Any, random.Random], Any]] = {
    int: _change_number,
    float: _change_number,
    str: _change_text,
    list: _change_list,
    dict: _change_object,
}

# ---------------------------------------------------------------- one description


def fault_of(game: Game, source: Any, number: int) -> tuple[str | None, bool]:
    """What is wrong with how a game takes a source, and whether it accepted it."""
    try:
        boards = game.build(source)
    except ValueError:
        return None, False
    except Exception as error:
        return f"{explain('tables', error)}; refuse it with a ValueError that says why", False
    if max(boards[0].actions, boards[0].outcomes) > MOST_LISTED:
        return None, True
    try:
        rules = CheckedRules(game, number, compiled, boards)
        playout, fault = play(rules, number, PLIES)
        fault = fault or next(unsound(rules, playout.movers[-1], playout.legal[-1]), None)
        if fault is None:
            rules.all_words(playout.states[-1], playout.legal[-1][:4])
            rules.say("picture", playout.states[-1])
    except Fault as error:
        fault = str(error)
    return fault and f"it is accepted, but {fault}", True


def difference(base: Any, source: Any) -> str:
    """A mutated description in a sentence: what differs from the one it was made of."""
    if isinstance(base, dict) and isinstance(source, dict):
        changed = {key: value for key, value in source.items() if key not in base or base[key] != value}
        lost = [f"without {key}" for key in base if key not in source]
        return ", ".join([*lost, *(f"{key}={shown(value)}" for key, value in changed.items())])
    return shown(source)


# ---------------------------------------------------------------- many, in another process


MOST_SECONDS = 1e9
"""As good as no bound: JSON knows no infinite numbers."""


def mutation_faults(game: Game, seed: int, count: int, until: float = math.inf) -> Iterator[str | None]:
    """What was wrong with each of `count` mutated descriptions, as far as there is time (``time.monotonic``); a game
    must be one that another process can load."""
    bases = [game.describe(seed + index) for index in range(BASES)]
    first = deaths = 0
    while first < count and deaths < MOST_DEATHS and time.monotonic() < until:
        faults, reached, death = _run_child(game, seed, first, count, until)
        if death is not None and reached < first:
            yield f"the process that tries descriptions {death} before it could begin"
            return
        for number in range(first, reached + 1):
            fault = death if number == reached and death is not None else faults.get(number)
            made_of = bases[number % BASES]
            what = difference(made_of, mutated(made_of, seed, number))
            yield None if fault is None else f"a description with {what} (seed {seed}, number {number}): {fault}"
        first, deaths = reached + 1, deaths + 1


def _run_child(game: Game, seed: int, first: int, count: int, until: float) -> tuple[dict[int, str], int, str | None]:
    """Try descriptions first..count - 1: the faults by number, the last number reached, and how the child died."""
    with tempfile.TemporaryDirectory() as folder:
        notes, errors = Path(folder) / "notes", Path(folder) / "errors"
        asked = {"game": game.loads_by, "seed": seed, "first": first, "count": count, "notes": str(notes)}
        asked["seconds"] = min(until - time.monotonic(), MOST_SECONDS)
        with errors.open("wb") as error_stream:
            child = subprocess.Popen(
                [sys.executable, "-c", "from turnsmith.check.mutations import try_sources; try_sources()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=error_stream,
                env={**os.environ, "NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
            assert child.stdin is not None
            child.stdin.write(json.dumps(asked).encode())
            child.stdin.close()
            hung = _wait(child, notes)
        reached, faults = first - 1, {}
        for line in notes.read_text("utf-8").splitlines() if notes.exists() else []:
            number, _, fault = line.partition(" ")
            reached = int(number)
            if fault:
                faults[reached] = str(json.loads(fault))
        last = (errors.read_text("utf-8", "replace").strip().splitlines() or [""])[-1]
    if hung:
        return faults, reached, "takes too long"
    if child.returncode:
        code = -child.returncode
        name = signal.Signals(code).name if code in set(signal.Signals) else f"code {child.returncode}"
        return faults, reached, f"ends the process ({name}{': ' + last if last else ''})"
    return faults, reached, None


def _wait(child: subprocess.Popen[bytes], notes: Path) -> bool:
    """Wait until the child ends; whether it had to be killed because it did not get on."""
    size, since = 0, time.monotonic()
    try:
        while child.poll() is None:
            time.sleep(0.02)
            now = notes.stat().st_size if notes.exists() else 0
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > (STALLED if size else START_UP):
                return True
        return False
    finally:
        child.kill()
        child.wait()


def try_sources() -> None:
    """In the child: note the number of each description before it is tried, and then what was wrong with it."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # not on every system

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    asked = json.load(sys.stdin)
    until = time.monotonic() + asked["seconds"]
    game, seed = load_untried(asked["game"]), int(asked["seed"])
    bases = [game.describe(seed + index) for index in range(BASES)]
    fault_of(game, bases[0], 0)  # compiles the rules
    with Path(asked["notes"]).open("w", encoding="utf-8") as notes:
        for number in range(asked["first"], asked["count"]):
            if time.monotonic() > until:
                break
            notes.write(f"{number}\n")
            notes.flush()
            fault, _ = fault_of(game, mutated(bases[number % BASES], seed, number), number)
            if fault is not None:
                notes.write(f"{number} {json.dumps(fault)}\n")
