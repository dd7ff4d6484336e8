"""Asking players on the server: within a time, stopped when nobody waits any more, and remembered within bounds."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from turnsmith.game import Game
from turnsmith.languages import Sentence, marked
from turnsmith.player import Decision, Player
from turnsmith.position import Look
from turnsmith.seat import Seat
from turnsmith.web.bounds import blaming

QUICK = 0.02
"""Seconds: a player that decides faster need not wait for a thread among the searches."""
MOST_KNOWN = 1000
"""Players whose pace is remembered."""
MOST_BYTES = 128_000_000
"""Of the tables and memories of players in matches, all together."""


class Question:
    """What a player would do. It is put in a worker, and stopped from anywhere when nobody waits for the answer."""

    def __init__(self) -> None:
        self._seat: Seat | None = None
        self._is_stopped = False

    def put(self, who: Player, position: Look, seconds: float, seat: Seat | None = None) -> Decision:
        """The decision within so many seconds; `seat` is the player's own in a match, with what it remembers of it.
        Advice, which has no seat, comes with the player's inspection of what the seat to move sees."""
        begun = time.monotonic()
        self._seat = seat or Seat(who.within(seconds), position.game, position.boards)
        if self._is_stopped:
            self._seat.stop()
        with blaming(f"{who!r} cannot decide here"):
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
    """The tables and memories of the players that were asked last; the others make theirs again when asked."""

    def __init__(self) -> None:
        self._sizes: OrderedDict[Seat, int] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, seat: Seat) -> None:
        with self._lock:
            self._sizes[seat] = seat.size + seat.boards.nbytes
            self._sizes.move_to_end(seat)
            total = sum(self._sizes.values())
            while len(self._sizes) > 1 and (total > MOST_BYTES or len(self._sizes) > MOST_KNOWN):
                oldest, size = self._sizes.popitem(last=False)
                oldest.release()
                total -= size

    def drop(self, seat: Seat) -> None:
        """The match is over."""
        with self._lock:
            self._sizes.pop(seat, None)
            seat.release()


paces, memories = Paces(), Memories()
