"""All matches of the server: made, found again, and kept in the store after every move."""

from __future__ import annotations

import secrets
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from turnsmith.arena.match import Match as Record
from turnsmith.arena.store import Store
from turnsmith.common.errors import BadInput
from turnsmith.contract.game import Game
from turnsmith.languages import _
from turnsmith.play.player import player
from turnsmith.web.match.ladder import called
from turnsmith.web.match.live_match import PERSON, LiveMatch, Participant
from turnsmith.web.match.match_store import MatchStore
from turnsmith.web.match.people import clean
from turnsmith.web.server.bounds import MOST_PLIES, NotFound, known_player, source_of
from turnsmith.web.server.offered import known_game

MOST_HELD, MOST_HELD_BYTES = 300, 50_000_000
"""Matches held in memory, and what they may take together; the others wait in the store."""
TIDY = 200
"""After so many new matches, and when the server starts, the store is tidied."""


@dataclass(frozen=True)
class MatchTerms:
    """How a new match is played, and by whom."""

    by_hand: bool = False
    """A person enters chance too, as on a real board."""
    minutes: float = 0.0
    """For each person to think in all; 0 is no limit."""
    pace: float = 0.0
    """Seconds between two moves of players."""
    hints: bool = False
    """Whether people who play against each other may ask for advice."""
    actions: Sequence[int] = ()
    """Moves that are made already."""
    owner: str = ""
    """The address that asks for the match."""
    invited: Sequence[int] = ()
    """Seats that get an invitation instead of a key, so that not even the owner can look there."""
    names: Sequence[str] = ()
    """What people call those who sit there, "" for what they are called by themselves."""
    board_seed: int | None = None
    """Of the board alone, so that it may be known before."""


def participants(game: Game, seats: Sequence[str], invited: Sequence[int]) -> list[Participant]:
    """Those who sit at a new table: people with keys or invitations, and players."""
    table = []
    for who in seats:
        known = PERSON if who == PERSON else repr(known_player(who, game))
        table.append(Participant(known, secrets.token_urlsafe(12) if who == PERSON else ""))
    for number in invited:
        table[number].key, table[number].invitation = "", secrets.token_urlsafe(12)
    return table


def name_all(match: LiveMatch, names: Sequence[str] = ()) -> None:
    """Give everybody at the table a name of their own; people without one keep none."""
    taken: set[str] = set()
    for place, seat in enumerate(match.seats):
        own = "" if seat.is_person else called(seat.who, match.game, match.position.boards)
        name = clean(names[place]) if place < len(names) else ""
        first = name = name or own
        number = 2
        while name in taken:
            name, number = f"{first} {number}", number + 1
        seat.nickname = name
        taken |= {name} - {""}


class Matches:
    """All matches of a store; the latest are held in memory."""

    def __init__(self, store: Store):
        self.arenas, self.store = store, MatchStore(store)
        self.store.tidy()
        self._held: OrderedDict[str, LiveMatch] = OrderedDict()
        self._alive: weakref.WeakValueDictionary[str, LiveMatch] = weakref.WeakValueDictionary()
        self._lock = threading.Lock()
        self._made = 0

    def create(
        self, game: str, seats: Sequence[str], seed: int | None = None, source: Any = None, **terms: Any
    ) -> LiveMatch:
        """A new match; a seat is ``person`` or the text of a player. Without a seed, chance is unknown to all.

        terms: fields of ``MatchTerms``.
        """
        asked, loaded = MatchTerms(**terms), known_game(game)
        seed = secrets.randbelow(2**53) if seed is None else seed
        if not 0 <= seed < 2**63:
            raise BadInput(_("seed={seed} must be 0 to 2**63 - 1").format(seed=seed))
        given = source_of(loaded, seed if asked.board_seed is None else asked.board_seed, source)
        match = LiveMatch(
            secrets.token_urlsafe(8),
            loaded,
            given,
            seed,
            participants(loaded, seats, asked.invited),
            by_hand=asked.by_hand,
            minutes=asked.minutes,
            hints=asked.hints,
            pace=asked.pace,
            owner=asked.owner,
        )
        for seat in match.seats:
            if not seat.is_person:
                player(seat.who, loaded).check(loaded, match.position.boards)
        name_all(match, asked.names)
        match.begin(asked.actions)
        self.keep(match)
        self._made += 1
        if self._made % TIDY == 0:
            self.store.tidy()
        return match

    def again(self, match: LiveMatch) -> LiveMatch:
        """A rematch, the same for all who ask: everybody a seat further, another board and other chance."""
        with match.lock:
            if match.rematch is None:
                match.shift = int(not match.by_hand and len(match.seats) > 1)
                table = [match.seats[place - match.shift] for place in range(len(match.seats))]
                seats, names = [seat.who for seat in table], [seat.nickname for seat in table]
                asked: dict[str, Any] = {"by_hand": match.by_hand, "minutes": match.minutes, "pace": match.pace}
                asked |= {"hints": match.hints, "names": names}
                match.rematch = self.create(match.game.text_name, seats, owner=match.owner, **asked)
                match.changed()
            return match.rematch

    def adopt(self, record: Record, name: str = "") -> LiveMatch:
        """A recorded match, to be looked at; checked move by move. One of our store has its name already."""
        seats = [Participant(str(who)[:200]) for who in record.players]
        game = known_game(record.game)
        source = record.source if name else source_of(game, record.seed, record.source)
        name = name or secrets.token_urlsafe(8)
        if len(record.actions) > MOST_PLIES:
            raise BadInput(
                _("the match has {actions:,} moves; at most {most:,} are shown").format(
                    actions=len(record.actions), most=MOST_PLIES
                )
            )
        match = LiveMatch(name, game, source, record.seed, seats, is_record=True)
        match.begin(record.actions)
        ended = match.position.outcome
        if ended is None and record.returns:  # somebody forfeited; the record says so in words
            match.reason = record.ending
        self.keep(match)
        return match

    def of_run(self, run: str, number: int) -> LiveMatch:
        """A match of an arena in the store, to be looked at."""
        name = f"{run[:12]}-{number}"
        try:
            return self.get(name)
        except NotFound:
            pass
        try:
            record = self.arenas.match(run, number)
        except BadInput as error:
            raise NotFound(str(error)) from None
        return self.adopt(record, name)

    @contextmanager
    def changing(self, match: LiveMatch) -> Iterator[None]:
        """Change a match and write it: what the store does not take has not happened."""
        with match.tentatively():
            yield
            self.store.put(match)
        self._hold(match)

    def keep(self, match: LiveMatch) -> None:
        """Write a match to the store, and hold it."""
        self.store.put(match)
        self._hold(match)

    def get(self, name: str) -> LiveMatch:
        """The match of this name, from memory or from the store."""
        match = self.held(name) or self.store.take(name)
        if match is None:
            raise NotFound(
                _("there is no match '{name}'; the link is wrong, or its store is another one").format(name=name[:40])
            )
        return self._hold(match)

    def held(self, name: str) -> LiveMatch | None:
        """The match of this name if it is in memory: one of the latest, or one that somebody still looks at."""
        with self._lock:
            if name in self._held:
                self._held.move_to_end(name)
            return self._alive.get(name)

    def _hold(self, match: LiveMatch) -> LiveMatch:
        with self._lock:
            held = self._alive.setdefault(match.name, match)  # two may have read it from the store at once
            self._held[match.name] = held
            self._held.move_to_end(match.name)
            weight = sum(other.weight for other in self._held.values())
            while len(self._held) > 1 and (len(self._held) > MOST_HELD or weight > MOST_HELD_BYTES):
                weight -= self._held.popitem(last=False)[1].weight
            return held
