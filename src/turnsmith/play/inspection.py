"""Why a player decides as it does, as numbers: the answer of ``Player.inspect``.

An inspection has what the player looked at, by name, and a row for each thing it weighed: the score, what it is the sum
of, or why it is impossible. Any player may give one; the terminal and the page show it alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from turnsmith.languages import _


@dataclass(frozen=True)
class Choice:
    """One thing a player weighs, such as a kind of action or a cell."""

    name: str
    words: str = ""
    """The move it stands for here; "" where it is impossible."""
    score: float | None = None
    """What the player compares: the greatest possible one is played, the first of equals. None where it does not."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """What the score is the sum of, by the names of inputs or others; those not named are 0."""
    impossible: str = ""
    """Why it cannot be done here, in a few words; "" where it can."""
    told: str = ""
    """What else there is to say of the score, in a few words, such as that it is a bound."""

    def largest(self, most: int | None = None) -> list[tuple[str, float]]:
        """The parts that count most, largest first; those of no weight are left out.

        >>> Choice("shoot", parts={"one": 0.5, "hp": 0.0, "distance": -2.0}).largest(1)
        [('distance', -2.0)]
        """
        parts = sorted(((name, part) for name, part in self.parts.items() if part), key=lambda pair: -abs(pair[1]))
        return parts[:most]


@dataclass(frozen=True)
class Inspection:
    """What a player looked at and how it weighed what it might do, from the view of the seat to move."""

    inputs: Mapping[str, float]
    """The numbers it looked at, by name."""
    choices: tuple[Choice, ...]
    """In the player's own order."""
    note: str = ""
    """A sentence on how they were compared."""

    def ranked(self) -> list[Choice]:
        """The possible ones first, best first, equals in the player's order; those without a score as they stand,
        or last where others have one."""
        least = min((choice.score for choice in self.choices if choice.score is not None), default=0.0)

        def rank(choice: Choice) -> tuple[bool, float, bool]:
            return bool(choice.impossible), -(least if choice.score is None else choice.score), choice.score is None

        return sorted(self.choices, key=rank)

    def part_told(self, name: str, part: float) -> str:
        """One part of a score in words, as a product where it is that of an input.

        >>> Inspection({"hp": 0.5}, ()).part_told("hp", -1.0)
        'hp 0.5 × -2 = -1'
        """
        value = self.inputs.get(name)
        if not value:
            return f"{_(name)} {part:+.4g}"
        return f"{_(name)} {short(value)} × {short(part / value)} = {part:+.4g}"

    def told(self, choice: Choice, most: int | None = None) -> str:
        """The largest parts of a score in words.

        >>> Inspection({"hp": 0.5}, ()).told(Choice("skip", parts={"hp": -1.0, "wait": 2.0, "cold": 0.1}), 2)
        'wait +2, hp 0.5 × -2 = -1, 1 more'
        """
        pieces = [*filter(None, [choice.told]), *(self.part_told(*part) for part in choice.largest(most))]
        left = len(choice.largest()) - len(choice.largest(most))
        return ", ".join([*pieces, _("{count} more").format(count=left)] if left else pieces)


def short(value: float) -> str:
    """A number for people: four digits that count.

    >>> short(1.0), short(0.123456), short(-20)
    ('1', '0.1235', '-20')
    """
    return f"{value:.4g}"
