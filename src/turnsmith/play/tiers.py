"""Two tiers of compiled code, which decide the same for the same seed.

* **The first** is compiled once for all games (``erased``); a game compiles only its rules. It answers soon.
* **The second** is compiled for one game and runs at full speed. It takes seconds for every player of every game.

``code_for`` is asked for the code of players on a game, and nobody else chooses: it gives the second tier where that is
at hand, else the first, else the second after all. A match may change tiers between two decisions, on the same memory.
Where work is long enough to pay for compiling, ``within_tier(SECOND)`` says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from turnsmith.common.arrays import Array
from turnsmith.compile.erasure import Blob, erased_type
from turnsmith.compile.kernel import address, compiled
from turnsmith.contract.game import Game
from turnsmith.play import step
from turnsmith.play.erased import BLOB_HEADER, BOARD, ErasedGame, can_erase, erased
from turnsmith.play.player import CompiledPlayer, Prepared, at, decide_signature

LOOK_AGAIN = 1.0
"""Seconds after which a match looks again whether somebody has compiled the second tier meanwhile."""

FIRST, SECOND = 1, 2
_wanted: ContextVar[int] = ContextVar("tier", default=0)
_any_game_signature = decide_signature(erased_type, BOARD, Blob)


class Code(NamedTuple):
    """The code of players for a game, in one of the tiers."""

    game: Game | ErasedGame
    """The game as this code takes it."""
    where: Callable[[CompiledPlayer], int]
    """The addresses of deciding functions in this tier, of the players and of those that they ask."""

    @property
    def tier(self) -> int:
        return FIRST if isinstance(self.game, ErasedGame) else SECOND

    def boards(self, boards: Array) -> Array:
        """Boards as this code takes them."""
        return self.game.boards(boards) if isinstance(self.game, ErasedGame) else boards

    def states(self, states: Array) -> Array:
        """States as this code takes them: themselves, or copies."""
        return self.game.states(states) if isinstance(self.game, ErasedGame) else states

    def size_of(self, state: np.dtype[Any]) -> int:
        """Bytes in use of a state as this code takes it."""
        return state.itemsize + (BLOB_HEADER if isinstance(self.game, ErasedGame) else 0)

    def decide(
        self, player: CompiledPlayer, boards: Array, views: Array, acts: Array, ready: Prepared, *rest: Any
    ) -> int:
        """What the player decides; `rest`: the memory, report and rng of ``decide``."""
        memory, report, rng = rest
        arguments = (acts, self.where(player), ready.data, memory, ready.linked(self.where), report, rng)
        if isinstance(self.game, ErasedGame):
            return int(self.game.run(step.ask, boards, views, *arguments))
        return int(compiled(step.ask)(self.game, boards, views, *arguments))


@contextmanager
def within_tier(tier: int) -> Iterator[None]:
    """Within the block, code is of this tier: of the first where there is one."""
    token = _wanted.set(tier)
    try:
        yield
    finally:
        _wanted.reset(token)


def wanted_tier() -> int:
    """The tier that ``within_tier`` asks for here, or 0: threads do not inherit it."""
    return _wanted.get()


def code_for(game: Game, *players: CompiledPlayer) -> Code:
    """The code of players for a game: the fastest that is at hand, else what is compiled soonest."""
    wanted = _wanted.get()
    has_first = wanted != SECOND and can_erase(game) and has_first_tier(game, *players)
    if has_first and (wanted == FIRST or not is_second_kept(game, *players)):
        return Code(erased(game), lambda who: _address_for_any_game(who.decider_in(game)))
    return Code(game, at(game))


def has_first_tier(game: Game, *players: CompiledPlayer) -> bool:
    """Whether players, and all that they ask, decide by a game's rules alone."""
    return all(hasattr(decide, "is_for_any_game") for decide in _deciders(game, players))


def is_second_kept(game: Game, *players: CompiledPlayer) -> bool:
    """Whether the second tier of players on a game is at hand; the disk is looked at now and then."""
    kind = game._numba_type_
    return all(decide in kind.addresses or _is_kept(game, decide) for decide in _deciders(game, players))


def _deciders(game: Game, players: Sequence[CompiledPlayer]) -> Iterator[Callable[..., Any]]:
    """The deciding functions of players and of those that they ask."""
    for player in players:
        for who in (player, *player.asks(game)):
            assert isinstance(who, CompiledPlayer), f"{player!r} asks {who!r}, which is not compiled"
            yield who.decider_in(game)


def _is_kept(game: Game, decide: Callable[..., Any]) -> bool:
    kind, now = game._numba_type_, time.monotonic()
    if now < kind.looked_for.get(decide, -LOOK_AGAIN) + LOOK_AGAIN:
        return False
    kind.looked_for[decide] = now
    signature = decide_signature(kind, game.Board, game.State)
    return bool(compiled(decide).is_kept(signature) and compiled(step.ask).is_kept(_ask_signature(game)))


def _ask_signature(game: Game) -> tuple[Any, ...]:
    """Of ``step.ask`` for one game."""
    records = [types.Array(numba.from_dtype(kind), 1, "C") for kind in (game.Board, game.State)]
    raw, floats = types.uint8[::1], types.float64[::1]
    rest = (types.int32[::1], types.int64, raw, raw, floats, floats, types.uint64[::1])
    return (game._numba_type_, *records, *rest)


def _address_for_any_game(decide: Callable[..., Any]) -> int:
    addresses = _addresses_for_any_game
    if decide not in addresses:
        addresses[decide] = address(decide, _any_game_signature)
    return addresses[decide]


_addresses_for_any_game: dict[Callable[..., Any], int] = {}
