"""Asking players on the server: within a time, stopped when nobody waits any more, and remembered within bounds."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from turnsmith.contract.game import Game
from turnsmith.languages import Sentence, marked
from turnsmith.play.player import Decision, Player
from turnsmith.play.position import PositionView
from turnsmith.play.seat import Seat
from turnsmith.play.stop import within_memory
from turnsmith.web.server.bounds import blaming

QUICK = 0.02
"""Seconds: a player that decides faster need not wait for a thread among the searches."""
MOST_KNOWN = 1000
"""Players whose pace is remembered."""
MOST_BYTES = 512_000_000
"""Of the tables and memories of players in matches, all together, but for what players that think cannot do without."""
SHARES = 4
"""A player may take one of so many parts of that when there is room for it, and half of its part when there is none."""


class PlayerQuestion:
    """What a player would do. It is put in a worker, and stopped from anywhere when nobody waits for the answer."""

    def __init__(self) -> None:
        self._seat: Seat | None = None
        self._is_stopped = False

    def put(self, who: Player, position: PositionView, seconds: float, seat: Seat | None = None) -> Decision:
        """The decision within so many seconds; `seat` is the player's own in a match, with what it remembers of it.
        Advice, which has no seat, comes with the player's inspection of what the seat to move sees."""
        begun = time.monotonic()
        self._seat = seat or Seat(who.within(seconds), position.game, position.boards)
        if self._is_stopped:
            self._seat.stop()
        with blaming(f"{who!r} cannot decide here"), memories.lent(self._seat, keeps=seat is not None):
            decision = self._seat.ask(position, seconds) if seat else self._seat.explain(position, seconds)
        paces.note(who, position.game, time.monotonic() - begun)
        return decision

    def stop(self) -> None:
        """Let the player answer at once, if it has been asked yet or will be."""
        self._is_stopped = True
        if self._seat is not None:
            self._seat.stop()


class Paces:
    """How long players took when they were last asked in a game."""

    def __init__(self) -> None:
        self._took: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, who: Player, game: Game, seconds: float) -> None:
        with self._lock:
            self._took[game.digest, repr(who)] = seconds
            self._took.move_to_end((game.digest, repr(who)))
            while len(self._took) > MOST_KNOWN:
                self._took.popitem(last=False)

    def is_known(self, who: Player, game: Game) -> bool:
        """Whether a player has been asked in this process, so that nothing of it is left to compile."""
        return (game.digest, repr(who)) in self._took

    def is_quick(self, who: str, game: Game) -> bool:
        """Whether the player of this text took next to no time."""
        return self._took.get((game.digest, who), QUICK) < QUICK

    def expectation(self, who: Player, game: Game) -> Sentence:
        """What to tell a person who waits for a player: the first time in a process it may have to be compiled."""
        if (game.digest, repr(who)) in self._took:
            return Sentence(marked("{who} is thinking"), who=repr(who))
        return Sentence(marked("{who} gets ready; its code is compiled once on every machine"), who=repr(who))


class Memories:
    """The tables and memories of all players that were asked. Players that think keep theirs, and so do the others
    that were asked last; the rest make theirs again when asked. What room is left is shared by those who ask."""

    def __init__(self) -> None:
        self._sizes: OrderedDict[Seat, int] = OrderedDict()
        self._asked: set[Seat] = set()
        self._lock = threading.Lock()

    @contextmanager
    def lent(self, seat: Seat, keeps: bool = True) -> Iterator[None]:
        """While a player is asked: it prepares what there is room for. `keeps`: it will be asked again."""
        share = MOST_BYTES // SHARES
        with self._lock:
            self._asked.add(seat)
            self._note(seat, seat.size or share)
            self._make_room()
            left = MOST_BYTES - sum(self._sizes.values())
            room = min(share, max(share + left, share // 2))
            self._sizes[seat] = seat.size or room
        try:
            with within_memory(room):
                yield
        finally:
            with self._lock:
                self._asked.discard(seat)
                if keeps and seat in self._sizes:  # unless the match has dropped it meanwhile
                    self._note(seat, seat.size + seat.boards.nbytes)
                    self._make_room()
                else:
                    self._sizes.pop(seat, None)

    def _note(self, seat: Seat, size: int) -> None:
        self._sizes[seat] = size
        self._sizes.move_to_end(seat)

    def _make_room(self) -> None:
        """Let go of what the players asked longest ago have, but for those that think and the very last one."""
        idle = [seat for seat in list(self._sizes)[:-1] if seat not in self._asked]
        while idle and (sum(self._sizes.values()) > MOST_BYTES or len(self._sizes) > MOST_KNOWN):
            oldest = idle.pop(0)
            oldest.release()
            del self._sizes[oldest]

    def drop(self, seat: Seat) -> None:
        """The match is over, or the seat another's."""
        with self._lock:
            self._sizes.pop(seat, None)
            seat.release()


paces, memories = Paces(), Memories()
