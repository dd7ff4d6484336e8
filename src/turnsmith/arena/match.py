"""One match: a board and a list of integers. Playing one in Python, saving, loading and replaying it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.arena import loop
from turnsmith.common.alarm import alarm
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.files import write_text
from turnsmith.compile.kernel import compiled
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.contract.homes import names_file
from turnsmith.contract.loading import load
from turnsmith.contract.outcome import Outcome
from turnsmith.play import step
from turnsmith.play.player import Player, player
from turnsmith.play.position import Position, PositionView
from turnsmith.play.seat import Seat


@dataclass(frozen=True)
class Match:
    """A finished match. `actions` with the board's `source` replay it: no player and no generator is needed."""

    game: str
    source: Any
    players: list[str]
    seed: int
    actions: list[int]
    returns: list[float]
    ending: str
    seconds: float = field(default=0.0, compare=False)

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; None for one that was broken off."""
        if not self.returns:
            return None
        game = load(self.game)
        return Outcome(tuple(self.returns), self.ending, game.goal(game.rebuild(self.source)[0]))

    def save(self, path: str | Path) -> None:
        """Write the match as JSON, whole or not at all."""
        write_text(Path(path), json.dumps({"turnsmith": "match", **self.__dict__}, indent=1) + "\n")

    def positions(self) -> Iterator[Position]:
        """The match again, one position after another, beginning with the first."""
        game = load(self.game)
        position = Position(game, self.seed, game.rebuild(self.source), draws_chance=False)
        seats = int(position.board.seats)
        if len(self.players) != seats or len(self.returns) not in (0, seats):
            counts = f"{len(self.players)} players and {len(self.returns)} returns"
            raise BadInput(f"the match has {counts} for {seats} seats; the file was changed")
        yield position
        for number, action in enumerate(self.actions):
            try:
                yield position.push(action)
            except BadInput as error:
                raise BadInput(f"move {number + 1} of the match: {error}") from None


MOST_BYTES = 64_000_000
"""A saved match is smaller than this: a million moves take ten."""


def load_match(path: str | Path, trust: bool = False) -> Match:
    """Read a match that ``Match.save`` wrote. If its game is a file, replaying runs it: say `trust`."""
    file = Path(path)
    if not file.is_file():
        raise BadInput(f"there is no file {path}; give the path of a saved match")
    if file.stat().st_size > MOST_BYTES:
        raise BadInput(f"{path} is not a saved match: it is larger than any; see 'turnsmith watch --help'")
    match = read_match(file.read_text("utf-8", "replace"), str(path))
    if names_file(match.game) and not trust:
        raise BadInput(f"{path} would run {match.game}, the file of its game; if you trust it, say so (--trust)")
    return match


def read_match(text: str, name: str) -> Match:
    """The match in a text that ``Match.save`` wrote; `name` is what to call it in a refusal."""
    try:
        document = json.loads(text)
        if document.pop("turnsmith") != "match":
            raise KeyError("turnsmith")
        match = Match(**document)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise BadInput(f"{name} is not a saved match; matches are written by match.save or watch --replay") from None
    for part, is_right in _PARTS.items():
        if not is_right(getattr(match, part)):
            raise BadInput(f"{name} is not a saved match: '{part}' is not what it should be; save it again")
    return match


def _is_whole(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < math.inf


_PARTS: dict[str, Callable[[Any], bool]] = {
    "game": lambda value: isinstance(value, str),
    "players": lambda value: isinstance(value, list) and all(isinstance(name, str) for name in value),
    "seed": lambda value: _is_whole(value, -(2**63), 2**64),
    "actions": lambda value: isinstance(value, list) and all(_is_whole(action, 0, 2**31 - 1) for action in value),
    "returns": lambda value: isinstance(value, list) and all(map(_is_number, value)),
    "ending": lambda value: isinstance(value, str),
    "seconds": _is_number,
}
"""What each part of a saved match must be; of the source only its game can tell."""


@dataclass(frozen=True)
class MatchResult:
    """What came out of one match: how it was scored, and if somebody forfeited, who and why."""

    number: int
    actions: list[int]
    returns: list[float]
    culprit: int = -1
    reason: str = ""
    seconds: float = 0.0


def play_in_python(
    game: Game,
    boards: Array,
    seats: Sequence[Seat],
    seed: int,
    start: int | None = None,
    number: int = 0,
    opening: Sequence[int] = (),
    limit: float = 0.0,
) -> MatchResult:
    """The match loop for rosters with Python players: the same match as by the compiled loop.

    `start` is the seed of the chance before the first decision, where that is another one (see ``schedule``).
    """
    position = PositionView.at_start(game, boards, seed)
    returns = np.zeros(len(seats), np.float64)
    chance = seed if start is None else start
    begun = time.monotonic()

    def end(culprit: int = -1, reason: str = "") -> MatchResult:
        if culprit >= 0:
            loop.forfeit(boards[0], culprit, returns)
        return MatchResult(number, position.history, returns.tolist(), culprit, reason, time.monotonic() - begun)

    while (mover := position.mover) != OVER:
        if len(position.history) == loop.MOST_MOVES:
            raise step.broken_rules(game, loop.BROKEN[loop.ENDLESS].format(loop.MOST_MOVES))
        if len(position.history) < len(opening):
            action = int(opening[len(position.history)])
        elif mover == CHANCE:
            action = position.draw_chance(chance)
        else:
            chance, asked = seed, time.monotonic()
            try:
                with alarm(limit):
                    action = seats[mover].choose(position)
            except TimeoutError:
                return end(mover, f"took longer than {limit:g} s for a move")
            except BadInput:
                raise
            except Exception as error:  # whatever a player does wrong costs it this match, not the arena
                return end(mover, f"raised {type(error).__name__}: {error}")
            if limit and time.monotonic() - asked > limit:
                return end(mover, f"took longer than {limit:g} s for a move")
            if action not in position.actions:
                return end(mover, f"made the illegal move {action}")
        position.advance(action)
    returns[:] = position.returns
    return end()


def play(game: Game | str, players: Sequence[str | Player], seed: int = 0) -> Match:
    """Play one match on the board and with the chance of `seed`.

    >>> match = play("connect_four", ["random", "random"], seed=7)
    >>> match.ending, sum(match.returns)
    ('4 in a row', 0.0)
    """
    game = load(game) if isinstance(game, str) else game
    source = game.describe(seed)
    boards = game.build(source)
    seated = [player(p, game) for p in players]
    if len(seated) != boards[0].seats:
        raise BadInput(f"{game.text_name} has {boards[0].seats} seats; name as many players ({len(seated)} given)")
    for who in seated:
        who.check(game, boards)
    result = play_in_python(game, boards, [Seat(who, game, boards) for who in seated], seed)
    return finished(game, source, [repr(p) for p in seated], seed, result)


def finished(game: Game, source: Any, names: list[str], seed: int, result: MatchResult) -> Match:
    """A result with the words that belong to it."""
    if result.culprit >= 0:
        ending = f"{names[result.culprit]} (seat {result.culprit}) {result.reason}"
    else:
        boards, states = game.build(source), np.zeros(1, game.State)
        compiled(step.begin)(game, boards, states)
        for action in result.actions:
            compiled(step.advance)(game, boards, states, action)
        ending = game.ending(boards[0], states[0])
    return Match(game.text_name, source, names, seed, result.actions, result.returns, ending, round(result.seconds, 6))
