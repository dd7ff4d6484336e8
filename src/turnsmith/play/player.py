"""Players: who decides. A player is a frozen dataclass whose settings are its fields and whose repr is its name.

A compiled player gives a plain function ``decide(game, board, view, acts, data, memory, params, report, rng)`` that
is compiled once a game and called by address, so any roster of them plays in one compiled loop:

* ``board``, ``view``: records; the view hides what the seat may not see
* ``acts``: int32[n], the legal actions, ascending
* ``data``: uint8, read-only, prepared for the board (tables, trees, weights)
* ``memory``: uint8, private to the seat during a match; its first 64 bytes are zero when the match starts, and the
  last 8 of those are the flag by which the player is stopped (see STOP)
* ``params``: float64, the settings (data, never types: tuning compiles nothing), read by name (see ``numbers``)
* ``report``: float64, value, work and depth, then the policy over `acts` where the caller left room for it
* ``rng``: uint64[1], the seat's own stream, a new one at every decision

A Python player (nets, people, remote engines) overrides ``act`` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numba
import numpy as np
from numba import types

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, suggestion
from turnsmith.common.settings import build, names_files, parse, show
from turnsmith.compile.digest import digest, with_files
from turnsmith.compile.kernel import address
from turnsmith.contract.game import Game
from turnsmith.contract.records import record

if TYPE_CHECKING:
    from turnsmith.play.inspection import Inspection
    from turnsmith.play.position import PositionView

VALUE, WORK, DEPTH, POLICY = 0, 1, 2, 3
"""Places in a report: the mover's expected return, nodes or simulations, depth reached; the policy starts at POLICY."""

HEADER, STOP = 64, 56
"""Bytes of a seat's memory that are zero when a match starts. The eight from STOP on are a flag: ``kernel.is_set`` of
memory[STOP:HEADER].view(np.int64) says that the player should answer at once with the best it has."""


@dataclass(frozen=True)
class Decision:
    """What a player chose: the action and its words, the return it expects, a policy by words, a remark, and the line
    of play it expects, in words, its own move first."""

    action: int
    words: str
    value: float | None = None
    policy: dict[str, float] | None = None
    note: str = ""
    line: tuple[str, ...] = ()
    inspection: Inspection | None = None
    """How it weighed what it might do, where somebody asked for that and the player tells: see ``Player.inspect``."""


@dataclass(frozen=True)
class Prepared:
    """What a compiled player needs for one board."""

    data: Array
    memory: int
    params: Array
    asks: tuple[CompiledPlayer, ...] = ()
    """Players that it asks by address: as many params, the first ones, are where these decide."""

    def linked(self, where: Callable[[CompiledPlayer], int]) -> Array:
        """The params with these addresses of the players that it asks."""
        if not self.asks:
            return self.params
        return np.concatenate([[float(where(asked)) for asked in self.asks], self.params[len(self.asks) :]])

    @staticmethod
    def of(data: Array | None = None, memory: int = 0, params: Array | list[float] | None = None) -> Prepared:
        """`params` as ``filled`` gives them. Sizes are rounded up, so that many of them in one block all begin where
        any number may begin."""
        raw = np.zeros(0, np.uint8) if data is None else np.ascontiguousarray(data).view(np.uint8).reshape(-1)
        raw = np.concatenate([raw, np.zeros(-len(raw) % 8, np.uint8)]) if len(raw) % 8 else raw
        return Prepared(raw, HEADER + -(-memory // 64) * 64, np.array([0.0] if params is None else params, np.float64))


def numbers(*names: str) -> np.dtype[Any]:
    """The record of a player's numbers: ``decide`` reads ``params.view(Settings)[0].depth`` where Settings is
    ``numbers("depth", …)``. A view is refused where there are fewer numbers, so none is read past the end."""
    return record(**dict.fromkeys(names, np.float64))


def filled(kind: np.dtype[Any], player: object, /, **others: float) -> Array:
    """float64: the numbers that the record `kind` names, given here or settings of the player by that name."""
    values = [others[name] if name in others else getattr(player, name) for name in kind.names or ()]
    return np.array(values, np.float64)


@dataclass(frozen=True, repr=False)
class Player:
    """Anything that chooses among legal moves."""

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""

    def __repr__(self) -> str:
        return show(self.name, self)

    def refuses(self, game: Game, board: Any) -> str | None:
        """Why this player cannot play on this board, as a sentence, or None."""
        return None

    def within(self, seconds: float) -> Player:
        """The same player, who answers in about so many seconds at the latest if it can stop at will."""
        return self

    def chosen_for(self, game: Game) -> Player:
        """The player that this one stands for in a game: itself, unless it is chosen for every game anew."""
        return self

    def act(self, position: PositionView) -> Decision:
        """Choose for the seat to move. In a match, `position` is what that seat sees and nothing more."""
        raise TypeError(f"{type(self).__name__} must say how it chooses: override act, or subclass CompiledPlayer")

    def inspect(self, position: PositionView) -> Inspection | None:
        """The numbers behind its decision for the seat to move, or None of a player that does not tell. As for ``act``,
        `position` is what that seat sees and nothing more."""
        return None

    def whole_policy(self, listing: Any) -> Array | None:
        """float64[sequences] of a game whose information sets are listed (``information_sets.Listing``): how likely it
        plays each when it gets there. None of a player that has to be asked."""
        return None

    def digest(self) -> str:
        """Changes when anything changes that this player decides with: code, settings, files that they name."""
        return digest(type(self), with_files(self))

    def asks(self, game: Game) -> Sequence[Player]:
        """Players that this one asks in turn."""
        return ()

    def check(self, game: Game, boards: Array) -> None:
        reason = self.refuses(game, boards[0])
        if reason:
            raise BadInput(f"{self!r} cannot play {game.text_name}: {reason}")


@dataclass(frozen=True, repr=False)
class CompiledPlayer(Player):
    """A player whose ``decide`` runs inside the compiled match loop."""

    decide: ClassVar[Callable[..., Any]]
    board_independent: ClassVar[bool] = False
    """Whether it plays on every board of a game, or on none, and prepares the same for all; it is asked only once."""
    tells: ClassVar[str] = ""
    """What it reports besides its move: a "policy" over all moves, only the "value" of the position, or nothing."""

    def check(self, game: Game, boards: Array) -> None:
        """As for any player; files that it is told to decide with are read, so that a bad one is refused before a match
        begins."""
        super().check(game, boards)
        for who in (self, *self.asks(game)):
            if isinstance(who, CompiledPlayer) and names_files(who):
                who.prepare(game, boards)

    def prepare(self, game: Game, boards: Array) -> Prepared:
        """Tables, memory and settings for one board."""
        return Prepared.of()

    def decider(self) -> Callable[..., Any]:
        """The function that decides: ``decide``, or another where a setting chooses between two."""
        return type(self).decide

    def decider_in(self, game: Game) -> Callable[..., Any]:
        """The same in a game, where that has a say."""
        return self.decider()

    def where(self, game: Game) -> int:
        """The address of the deciding function compiled for a game."""
        return address_of(self.decider_in(game), game)

    def digest(self) -> str:
        """As for any player; only what decides, and ``prepare`` before it, have a say."""
        return digest(self.decider(), type(self).prepare, with_files(self))

    def decides_with(self, game: Game, ready: Prepared) -> list[Any]:
        """What it prepared, as far as that decides: for the digest of a run."""
        return [ready.data, ready.memory, ready.params]

    def act(self, position: PositionView) -> Decision:
        """Choose with a fresh memory. In a match, a ``Seat`` asks and keeps the memory."""
        from turnsmith.play.seat import Seat

        return Seat(self, position.game, position.boards).ask(position)

    def note(self, position: PositionView, action: int, report: Array, memory: Array) -> str:
        """A remark for people on a decision just made; `memory` is as ``decide`` left it."""
        return f"{int(report[WORK]):,} positions, depth {int(report[DEPTH])}" if report[WORK] else ""

    def report_room(self, position: PositionView) -> int:
        """How many numbers it has to tell of how it weighed what it might do, behind those of ``POLICY`` on: 0 of a
        player that does not tell."""
        return 0

    def weighed(self, position: PositionView, action: int, report: Array, memory: Array) -> Inspection | None:
        """What a decision just made weighed, from a report with ``report_room``; `memory` is as ``decide`` left it."""
        return None

    def line(self, position: PositionView, action: int, memory: Array) -> tuple[str, ...]:
        """The play a decision just made expects, in words, itself first; `memory` is as ``decide`` left it."""
        return ()


def address_of(decide: Callable[..., Any], game: Game) -> int:
    """The address of a deciding function compiled for a game."""
    addresses = game._numba_type_.addresses
    if decide not in addresses:  # asking numba takes milliseconds even when nothing is compiled
        addresses[decide] = address(decide, decide_signature(game._numba_type_, game.Board, game.State))
    return int(addresses[decide])


def at(game: Game) -> Callable[[CompiledPlayer], int]:
    """Where players decide whose code is compiled for this game, for ``Prepared.linked``."""
    return lambda who: who.where(game)


def decide_signature(game: Any, board: np.dtype[Any], state: np.dtype[Any]) -> Any:
    """The signature of a deciding function for a game of this type, and its records."""
    raw, floats = types.uint8[::1], types.float64[::1]
    records = (numba.from_dtype(board), numba.from_dtype(state))
    return types.int64(game, *records, types.int32[::1], raw, raw, floats, floats, types.uint64[::1])


def for_any_game(decide: Callable[..., Any]) -> Callable[..., Any]:
    """Say of a deciding function that it knows a game by its rules alone, no field of its board beyond the header and
    none of its states: then it is compiled once for all games (see ``tiers``)."""
    decide.is_for_any_game = True  # type: ignore[attr-defined]
    return decide


def player(text: str | Player, game: Game | None = None) -> Player:
    """The player a text names: one of the searches, one of the game's own, or a level such as ``hard``."""
    if isinstance(text, Player):
        return text.chosen_for(game) if game else text
    name, settings = parse(text)
    known = players(game)
    if name in known:
        return _built(known[name], settings, name, game)
    named = {level: who for level, who in level_names(game).items() if level not in known} if game else {}
    if name in named and not settings:
        name, settings = parse(named[name])
    if name not in known:
        whose = f"for {game.name} " if game else ""
        cure = f", and the levels {', '.join(named)}" if game else ", or name the game too: player(text, game)"
        meant = suggestion(name, [*known, *named])
        raise BadInput(f"there is no player '{name}'{meant}; {whose}there are {', '.join(known)}{cure}")
    return _built(known[name], settings, name, game)


def _built(kind: type[Player], settings: dict[str, str], name: str, game: Game | None) -> Player:
    made: Player = build(kind, settings, name)
    return made.chosen_for(game) if game else made


BEST = "best"
"""The text of who advises people, and is the strongest level of every game: a second of the best player there is."""
LEVELS = {
    "beginner": "random",
    "easy": "mcts:simulations=30",
    "medium": "mcts:simulations=1000",
    "hard": "best:time=0.1",
}
"""Of games that name none; above them stands `BEST`."""


def refuse_bad_players(game: Game) -> None:
    """Refuse a game whose PLAYERS or LEVELS nobody could play against."""
    home = game.home or game.name
    for name, kind in game.players().items():
        wanted = f"{home}: PLAYERS['{name}'] must be"
        if not (isinstance(kind, type) and issubclass(kind, Player)):
            raise BadInput(f"{wanted} a class derived from Player or CompiledPlayer, not {kind!r:.60}")
        if "__dataclass_params__" not in vars(kind):
            raise BadInput(f"{wanted} a frozen dataclass; write @dataclass(frozen=True, repr=False) above it")
        if kind.name != name:
            raise BadInput(f"{wanted} called '{name}' by itself too; it has name = '{kind.name}'")
        if issubclass(kind, CompiledPlayer) and not callable(getattr(kind, "decide", None)):
            raise BadInput(f"{wanted} given a decide function; docs/reference/contract.md lists its arguments")
    for level, text in game.levels().items():
        if not isinstance(text, str):
            raise BadInput(f"{home}: LEVELS['{level}'] must be the text of a player, not {text!r:.60}")
        try:
            player(text, game)
        except BadInput as error:
            raise BadInput(f"{home}: LEVELS['{level}'] names no player: {error}") from None


def level_names(game: Game) -> dict[str, str]:
    """Names of difficulty and their players, easiest first: measured ones, and what the game declares besides."""
    from turnsmith.play.levels import ladder, measured

    own = {level.name: level.player for level in ladder(game).levels} if measured(game) else {}
    return {**own, **{name: text for name, text in (game.levels() or LEVELS).items() if name not in own}}


def levels(game: Game, boards: Array) -> dict[str, str]:
    """Names of difficulty and their players on a board, easiest first: measured, declared, or searches that think more
    and more."""
    from turnsmith.play.levels import ladder

    return {level.name: level.player for level in ladder(game, boards).levels}


def players(game: Game | None = None) -> dict[str, type[Player]]:
    """Every player by name; a game's own come first and may take the name of a search."""
    from turnsmith.search import SEARCHES

    own = game.players() if game else {}
    return {**own, **{name: kind for name, kind in SEARCHES.items() if name not in own}}
