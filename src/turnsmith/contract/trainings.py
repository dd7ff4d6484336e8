"""What can be trained, declared: a game names its trainings, the command line runs them.

A game says ``TRAININGS = {"league": Training(...), ...}`` in its ``trainings.py``, or in its one file. The fields of a
training's `Settings` are the options of ``turnsmith train GAME NAME``. To declare is cheap: whatever is heavy is
imported inside `train`.
"""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnsmith.common.errors import BadInput
from turnsmith.common.settings import written

if TYPE_CHECKING:
    from turnsmith.contract.game import Game

RESERVED = ("folder", "workers", "runner", "address", "json", "game")
"""Options that every training has, or that are no settings."""


@dataclass(frozen=True)
class TrainingResult:
    """What came of a training: the document of ``--json``, and what people read instead."""

    document: Any
    text: str


def hear_nothing(*said: Any) -> None:
    """Progress and lines that nobody follows."""


@dataclass(frozen=True)
class TrainingContext:
    """What a training is lent: where to keep its files, how many threads, and whom to tell how it goes."""

    folder: Path = Path()
    workers: int = 1
    progress: Callable[[int, int], None] = hear_nothing
    """(done, total)"""
    tell: Callable[[str], None] = hear_nothing
    """(line), for people; said to nobody under ``--json``"""
    command: str = ""
    """What trains the same again, for the card of the run."""
    game_text: str = ""

    @cached_property
    def game(self) -> Game:
        """The game that was named."""
        from turnsmith.contract.loading import load

        return load(self.game_text)


@dataclass(frozen=True)
class Training:
    """One thing that can be trained."""

    summary: str
    """A sentence, for the help."""
    Settings: type
    """A frozen dataclass: each field an option, ranges by ``setting``, the docstring under it the help;
    one without a default must be given, and an underscore at the end of its name is left out (``from_``)."""
    train: Callable[[Any, TrainingContext], TrainingResult]
    """(settings, work): given the same folder again, it goes on where it was stopped."""
    folder: str = ""
    """Where work is kept by default, `{game}` standing for the game's name; "" for a training that keeps nothing."""

    def __post_init__(self) -> None:
        kind = self.Settings
        if not dataclasses.is_dataclass(kind) or not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            raise BadInput("the Settings of a Training must be a frozen dataclass; write @dataclass(frozen=True)")
        taken = [field.name for field in dataclasses.fields(kind) if written(field.name) in RESERVED]
        if taken:
            raise BadInput(f"a setting of a Training cannot be called '{taken[0]}'; choose another name")


def trainings(home: str) -> dict[str, Training]:
    """What the game of this name, or in this file, lets be trained; none of its rules is imported for it."""
    from turnsmith.contract.homes import part_of

    declared = getattr(part_of(home, "trainings", "declares"), "TRAININGS", {})
    if not isinstance(declared, dict) or not all(isinstance(training, Training) for training in declared.values()):
        raise BadInput(f"{home}: TRAININGS must be a dict of Training by name, not {declared!r:.60}")
    return declared


def option_of(name: str) -> str:
    """The option a setting is given by.

    >>> option_of("exploiter_trials"), option_of("from_")
    ('--exploiter-trials', '--from')
    """
    return "--" + written(name).replace("_", "-")


def command_line(words: Sequence[str], settings: Any) -> str:
    """The command that trains with these settings: the words and what differs from the defaults."""
    words = ["turnsmith", "train", *words]
    for field in dataclasses.fields(settings):
        value, option = getattr(settings, field.name), option_of(field.name)
        if value == field.default or value is None:
            continue
        if isinstance(value, bool):
            words.append(option if value else option.replace("--", "--no-", 1))
        else:
            words += [option, str(value)]
    return shlex.join(words)
