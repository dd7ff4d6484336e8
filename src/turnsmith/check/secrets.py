"""What every seat sees of every field of the state: a table for the author's eye.

No law can know what was meant to be secret. So the fields are held against their views at the positions of random
games, and moves that were hidden from a seat are replaced by others, to see which open fields tell of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from turnsmith.check.laws import WORLDS_DRAWN, conceivable, decides
from turnsmith.check.nodes import CheckedPosition
from turnsmith.check.rules import CheckedRules
from turnsmith.common.arrays import Array
from turnsmith.contract.game import CHANCE, OVER

REPLAYED, BACK = 4, 40
"""Moves that are replaced for a seat at a position, among so many before it."""
MOST_REPLAYS, MOST_REMEMBERED = 150, 40
"""Positions at which moves are replaced, and at which a seat's memory is asked."""
MOST_TRIED = 2000
"""Moves that are tried to find what a seat could know at a position."""
OPEN, HIDDEN, PARTLY = "open", "hidden", "partly"


@dataclass
class Sight:
    """What one seat sees of one field."""

    seat: int
    elements: int
    """Of the field: 1, or the length of an array."""
    status: str = OPEN
    """Open: always the truth. Hidden: never, where there was something to hide. Partly: some of it, or sometimes."""
    hidden: list[int] = field(default_factory=list)
    """The elements that are never seen, counted from 0."""
    at_times: list[int] = field(default_factory=list)
    """The elements that are hidden at some positions and shown at others."""
    shown: list[str] = field(default_factory=list)
    """Where those are shown."""
    tells_at_once: list[str] = field(default_factory=list)
    """Hidden fields that change together with what the seat sees of this one, when the move is made."""
    tells_later: list[str] = field(default_factory=list)
    """Hidden fields of a move that the seat did not see at all, but which showed in this field some moves later."""

    def __str__(self) -> str:
        if self.status == OPEN:
            parts = [OPEN]
        else:
            parts = [f"hidden{self._named(self.hidden)}"] if self.hidden else []
            if self.at_times:
                parts.append(f"hidden{self._named(self.at_times)}, but shown {' and '.join(self.shown)}")
            parts += ["the rest open"] if len(self.hidden) + len(self.at_times) < self.elements else []
        parts += [f"tells of {', '.join(self.tells_at_once)}"] if self.tells_at_once else []
        parts += [f"tells of {', '.join(self.tells_later)} later"] if self.tells_later else []
        return "; ".join(parts)

    def _named(self, elements: list[int]) -> str:
        return f" [{ranges(elements)}]" if len(elements) < self.elements else ""


@dataclass
class Secrets:
    """The table, and what the checks noticed besides."""

    fields: dict[str, list[Sight]]
    """By field, a sight for each seat."""
    positions: int
    """Positions that were looked at."""
    forgetting: list[str] = field(default_factory=list)
    """Seats whose view knows less than they saw before, in a sentence each."""

    def to_dict(self) -> dict[str, Any]:
        fields = [{"name": name, "seats": [asdict(sight) for sight in seen]} for name, seen in self.fields.items()]
        return {"positions": self.positions, "fields": fields, "forgetting": self.forgetting}

    @property
    def telling(self) -> list[str]:
        """The fields that are open to somebody and tell of hidden ones at once: the first place to look for a leak."""
        return [name for name, seen in self.fields.items() if any(sight.tells_at_once for sight in seen)]


def ranges(numbers: Sequence[int]) -> str:
    """Numbers in a row, shortly.

    >>> ranges([0, 1, 2, 5])
    '0-2, 5'
    """
    rows: list[list[int]] = []
    for number in numbers:
        if rows and number == rows[-1][1] + 1:
            rows[-1][1] = number
        else:
            rows.append([number, number])
    return ", ".join(f"{low}-{high}" if high > low else f"{low}" for low, high in rows)


def survey(nodes: Sequence[CheckedPosition]) -> Secrets:
    """The table of a game that hides something, from positions of random games."""
    rules = nodes[0].rules
    names = [name for name in rules.game.State.names or () if not name.startswith("_")]
    sights: dict[str, list[Sight]] = {name: [] for name in names}
    truth = _states(rules, [node.state for node in nodes])
    movers = np.array([node.mover for node in nodes])
    forgetting: list[str] = []
    for seat in range(rules.seats):
        views = _states(rules, [node.rules.hide(node.state, seat) for node in nodes])
        at_once, later = _telling(nodes, seat)
        for name in names:
            sight = _sight(seat, _elements(truth, name), _elements(views, name), movers)
            sight.tells_at_once, sight.tells_later = sorted(at_once[name]), sorted(later[name] - at_once[name])
            sights[name].append(sight)
        forgetting += _forgetting(nodes, seat)
    return Secrets(sights, len(nodes), forgetting)


def _states(rules: CheckedRules, states: Sequence[bytes]) -> Array:
    return np.frombuffer(b"".join(states), rules.game.State)


def _elements(states: Array, name: str) -> Array:
    """[states, elements] of a field."""
    return states[name].reshape(len(states), -1)


def _sight(seat: int, truth: Array, views: Array, movers: Array) -> Sight:
    """Which elements are hidden, always or at times; [positions, elements] of the truth and of the views.

    An element that holds what stands there when it is hidden has nothing to hide: it counts for neither.
    """
    hidden, sight = truth != views, Sight(seat, truth.shape[1])
    where: dict[str, None] = {}
    for element in np.flatnonzero(hidden.any(axis=0)).tolist():
        blanks = np.unique(views[hidden[:, element], element])
        shown = ~hidden[:, element] & ~np.isin(truth[:, element], blanks)
        (sight.at_times if shown.any() else sight.hidden).append(element)
        where |= dict.fromkeys(_places(seat, movers[shown]))
    sight.shown = list(where)
    if hidden.any():
        sight.status = HIDDEN if len(sight.hidden) == sight.elements else PARTLY
    return sight


def _places(seat: int, movers: Array) -> Iterator[str]:
    """Where something is shown to a seat, by who moves there."""
    if (movers == OVER).any():
        yield "at the end"
    if (movers == seat).any():
        yield "where it moves"
    if (movers == CHANCE).any():
        yield "where chance moves"
    if ((movers >= 0) & (movers != seat)).any():
        yield "where others move"


# ---------------------------------------------------------------- what open fields tell


Telling = defaultdict[str, set[str]]


def _telling(nodes: Sequence[CheckedPosition], seat: int) -> tuple[Telling, Telling]:
    """By field that the seat sees: the hidden fields it tells of when a move is made, and later."""
    at_once: Telling = defaultdict(set)
    later: Telling = defaultdict(set)
    for node in nodes[:: max(1, len(nodes) // MOST_REPLAYS)]:
        for ply in _replaced(node, seat):
            here, there = _otherwise(node, ply)
            secret, seen = _differences(node.rules, seat, node.playthrough.states[ply + 1], here)
            for name in seen if secret else ():
                at_once[name] |= secret - {name}
            if secret and not seen and there is not None:
                for name in _differences(node.rules, seat, node.state, there)[1]:
                    later[name] |= secret - {name}
    return at_once, later


def _replaced(node: CheckedPosition, seat: int) -> Sequence[int]:
    """Some plies before a position at which chance or another seat could have moved otherwise."""
    game = node.playthrough
    plies = [
        ply for ply in range(max(0, node.ply - BACK), node.ply) if game.movers[ply] != seat and len(game.legal[ply]) > 1
    ]
    return node.some(plies, REPLAYED)


def _otherwise(node: CheckedPosition, ply: int) -> tuple[bytes, bytes | None]:
    """The state after another move at a ply, and that after the same moves behind it, None where they are not legal."""
    game, rules = node.playthrough, node.rules
    others = [action for action in game.legal[ply] if action != game.history[ply]]
    here = there = rules.apply(game.states[ply], node.some(others, 1)[0])
    for at in range(ply + 1, node.ply):
        if rules.mover(there) != game.movers[at] or game.history[at] not in rules.legal(there):
            return here, None
        there = rules.apply(there, game.history[at])
    return here, there


def _differences(rules: CheckedRules, seat: int, one: bytes, other: bytes) -> tuple[set[str], set[str]]:
    """The fields of two states with elements that differ though the seat sees no difference, and those whose
    difference it sees."""
    states = _states(rules, [one, other])
    views = _states(rules, [rules.hide(state, seat) for state in (one, other)])
    secret, seen = set(), set()
    for name in rules.game.State.names or ():
        differs, shows = (_elements(pair, name)[0] != _elements(pair, name)[1] for pair in (states, views))
        if (differs & ~shows).any():
            secret.add(name)
        if shows.any():
            seen.add(name)
    return secret, seen


# ---------------------------------------------------------------- what a view forgets


def _forgetting(nodes: Sequence[CheckedPosition], seat: int) -> Iterator[str]:
    """Whether worlds that fit a seat's view contradict what it saw before."""
    where = [node for node in nodes if decides(node) and node.mover == seat]
    tried = against = 0
    for node in where[:: max(1, len(where) // MOST_REMEMBERED)]:
        possible = conceivable(node, MOST_TRIED)
        if possible is None:
            continue
        rng = node.rng(5)
        tried += 1
        against += any(node.rules.resample(node.view, seat, rng) not in possible for _ in range(WORLDS_DRAWN))
    if against:
        yield (
            f"at {against} of {tried} positions seat {seat} has seen before what rules out worlds that resample gives: "
            "its view forgets something, or showed it too early"
        )
