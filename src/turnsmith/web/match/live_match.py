"""One match on the server: a board, a list of integers and who sits where.

A seat is a person or a player. Each person's seat has a key: whoever has the key moves for the seat and sees what the
seat may see, nothing else: ``viewer`` says through whose eyes the holder looks, and ``look``, ``words`` and ``log``
give those eyes only what has been through the game's own ``hide``.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from turnsmith.arena import loop
from turnsmith.arena.match import Match as Record
from turnsmith.common.errors import BadInput
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.contract.outcome import Outcome
from turnsmith.languages import Sentence, _, marked, speaking
from turnsmith.play.player import Decision, Player, player
from turnsmith.play.position import Position, PositionView
from turnsmith.play.seat import Seat
from turnsmith.web.match.asking import PlayerQuestion, memories, paces
from turnsmith.web.match.changes import Listeners
from turnsmith.web.match.log import Log, seen_as
from turnsmith.web.match.partial_move import go_on
from turnsmith.web.server.bounds import MOST_PLIES, Refused, described, replay

PERSON = "person"
TAKEN_BACK = ("culprit", "reason", "request", "was_helped", "stand_ins", "notice", "since", "thoughts")
"""What a change that cannot be written leaves as it was, besides the moves and the seats."""
EVERYBODY = -1
"""The viewer who sees what every seat sees, and nothing else."""
HANDED_PACE = 0.8
"""Seconds between moves while a player stands in for a person."""
BYTES_A_LINE, BYTES_A_THOUGHT = 350, 2000
"""What a move takes beside its state: words, numbers, what Python needs for them; and what a player reports of one."""
DESERTED = 60.0
"""Seconds after which a match that nobody looks at waits until somebody does."""
MOST_THOUGHTS = 1000
"""Decisions of one match whose reports are kept, the latest."""
LOST = {
    "resigned": marked("seat {seat} resigned"),
    "ran out of time": marked("seat {seat} ran out of time"),
    "gave up": marked("seat {seat} gave up: {why}"),
}
"""Why a match was lost before its end: as it is kept, up to a colon, and as people read it."""


@dataclass
class Participant:
    """Who sits here. A person's seat has a key, or an invitation for whoever takes it first; `seconds` is time used,
    `nickname` what people call them."""

    who: str
    key: str = ""
    seconds: float = 0.0
    invitation: str = ""
    nickname: str = ""
    taken: str = ""
    """The invitation by which somebody came."""

    @property
    def is_person(self) -> bool:
        return self.who == PERSON


@dataclass
class UndoRequest:
    """A wish to go back to the position after `count` moves: whose it is, and the seats that agree."""

    by: int
    count: int
    agreed: set[int]


@dataclass
class LiveMatch:
    """One match. Its methods are called from any thread and hold the lock while they change something."""

    name: str
    game: Game
    source: Any
    seed: int
    seats: list[Participant]
    by_hand: bool = False
    """Chance is entered by a person too, as when playing along on a real board."""
    minutes: float = 0.0
    """How long each person may think in all; 0 is no limit."""
    hints: bool = False
    """Whether people who play against each other may ask for advice; agreed when the match is set up."""
    pace: float = 0.0
    """Seconds between two moves of players, for people to follow."""
    is_record: bool = False
    """It was played elsewhere and is only looked at; it may be unfinished."""
    culprit: int = -1
    reason: str = ""
    version: int = 0
    """Counts changes, so that pages know whether to draw again."""
    turn: int = 0
    """Counts changes of the position and of who decides there: a thought of an earlier turn is nobody's any more."""
    rematch: LiveMatch | None = None
    """The next match of the same people, once somebody has asked for it."""
    shift: int = 0
    """How many seats further everybody sits there."""
    owner: str = ""
    """The address that made the match; its players' thinking counts as that client's."""
    waiting: Sentence | str = ""
    """What is being waited for, in words, while a player thinks."""
    was_helped: bool = False
    """Somebody asked for advice, let a player move, or took a move back: it does not tell how strong a person is."""
    created: float = field(default_factory=time.time)
    log: Log = field(init=False)
    seated: dict[int, Seat] = field(default_factory=dict)
    """The players that have been asked, with their memory of this match."""
    stand_ins: dict[int, str] = field(default_factory=dict)
    """Players who move for people, by seat, until these take their seats back."""
    thoughts: dict[int, Decision] = field(default_factory=dict)
    """What players reported of their decisions, by the number of moves before; until the server ends."""
    notice: Sentence | str = ""
    """Why a person has got a seat back that they had handed over."""
    position: Position = field(init=False)
    request: UndoRequest | None = None
    """Somebody asks to take a move back."""
    since: float = field(default_factory=time.monotonic)
    """When the present mover's clock began."""
    onlookers: int = 0
    """How many look on who have no seat here: pages and programs."""
    present: int = 0
    """How many look at all."""
    seen: float = field(default_factory=time.monotonic)
    """When somebody last asked for the match, or stopped looking at it."""
    thinking: tuple[int, Seat] | None = None
    """The seat whose player thinks about the position at hand, if one does."""
    changes: Listeners = field(default_factory=Listeners)
    """Tells pages and programs of every change, and of who waits or looks on."""
    lock: threading.RLock = field(default_factory=threading.RLock)
    _words: tuple[int, tuple[str, ...]] = (-1, ())

    def __post_init__(self) -> None:
        boards = described(self.game, self.source)
        if len(self.seats) != boards[0].seats:
            raise BadInput(
                _("{game} has {seats} seats; say who sits in each of them").format(
                    game=self.game.text_name, seats=boards[0].seats
                )
            )
        self.position = Position(self.game, self.seed, boards, draws_chance=False)
        self.log = Log(self.people)

    # ------------------------------------------------------------ playing

    @contextmanager
    def tentatively(self) -> Iterator[None]:
        """Hold the match while it is changed and written; what fails on the way has not happened."""
        with self.lock:
            before = {name: copy(getattr(self, name)) for name in TAKEN_BACK}
            seats, history, turn = [copy(seat) for seat in self.seats], list(self.position.history), self.turn
            try:
                yield
            except BaseException:
                for seat, kept in zip(self.seats, seats, strict=True):
                    vars(seat).update(vars(kept))
                if self.position.history != history:
                    self._stand_after(history)
                vars(self).update(before)
                if self.turn != turn:  # a thought may have been stopped for this: it begins anew
                    self._turned()
                raise

    def changed(self) -> None:
        """Count a change, and tell of it."""
        self.version += 1
        self.changes.tell()

    def begin(self, actions: Sequence[int] = ()) -> None:
        """Make the moves of a stored match, or let chance make the first ones of a new one."""
        replay(self.position, actions, "move")
        if not self.by_hand and not self.is_record:
            self.position.draws_chance = True
            self.position.settle()
        self.log.extend(self.position)

    def push(self, move: str | int) -> None:
        """Make a move of the seat at hand, and let chance answer."""
        with self.lock:
            self.check_clock()
            if self.over:
                raise Refused(_("the game is over; start another"))
            if len(self.position.history) >= MOST_PLIES:
                raise Refused(_("the match has {most:,} moves; it ends here").format(most=MOST_PLIES))
            mover, used = self.mover, self.running
            self.position.push(move)
            if mover >= 0:
                self.seats[mover].seconds += used
            self.since = time.monotonic()
            self.log.extend(self.position)
            self.request = None
            self._turned()

    def play_on(self, seconds: float) -> None:
        """Let the player at hand decide, and make its move unless the match has changed meanwhile."""
        with self.lock:
            if not self.waits_for_player or self.thinking:  # the seat was taken back, or its player is asked already
                return
            seat, turn = self.mover, self.turn
            is_quick = self.waits_for_quick_player  # it has moved before anybody could read that it thinks
        try:
            with self.lock:
                who = player(self.decider(seat), self.game)
                if seat not in self.seated:
                    self.seated[seat] = Seat(who.within(seconds), self.game, self.position.boards)
                self.waiting = paces.expectation(who, self.game)  # before anything that may have to be compiled
                if not is_quick:
                    self.changes.tell()
                self.thinking = seat, self.seated[seat]
                position, asked = self.position.after(()), self.seated[seat]
            decision = PlayerQuestion().put(who, position, seconds, asked)
            with self.lock:
                if self.turn == turn:
                    self.thinking = None
                    at = len(self.position.history)
                    self.push(decision.action)
                    self.thoughts[at] = decision
                    if len(self.thoughts) > MOST_THOUGHTS:
                        del self.thoughts[min(self.thoughts)]
        except Exception as error:  # whatever a player does wrong costs it this match, not the server
            with self.lock:
                if self.turn != turn:  # the seat was taken back, or a move: nobody waits for this one any more
                    return
                self.thinking = None
                if seat in self.stand_ins:
                    self._replace(seat, "")
                    self.notice = Sentence(marked("you have your seat back: {error}"), error=error)
                else:
                    self.culprit, self.reason = seat, f"gave up: {error}"
                self._turned()
        finally:
            self.waiting = ""
            self.changes.tell()

    def _turned(self) -> None:
        """The position is another one, or another decides: whoever thinks is stopped, its seat and memory are left to
        the thought, and the next one begins anew."""
        self.turn += 1
        if self.thinking is not None:
            number, asked = self.thinking
            self.thinking = None
            asked.stop()
            self._unseat(number)
        if self.over:
            for number in list(self.seated):
                self._unseat(number)
        self.changed()

    def _unseat(self, number: int) -> None:
        """Drop the player of a seat with all that it remembers."""
        if number in self.seated:
            memories.drop(self.seated.pop(number))

    def advise(self, who: Player, seconds: float, question: PlayerQuestion, begun: str = "") -> Decision:
        """What a player would do in the place of the one to move, from what that seat sees; with a move that is
        `begun`, how it would go on."""
        with self.lock:
            if self.over or self.mover < 0:
                raise Refused(_("nobody is to decide here, so there is nothing to advise"))
            position, self.was_helped = self.position.after(()), True
        return go_on(who, position, self.source, begun, lambda who, look: question.put(who, look, seconds))

    def hand_over(self, keys: Sequence[str], who: Player | None) -> None:
        """Let a player move for the asker from now on, or take the seats back."""
        with self.lock:
            mine = self.owned(keys)
            if not mine:
                raise Refused(_("you have no seat to hand over"))
            if who is not None and (self.over or self.by_hand):
                raise Refused(_("the game is over") if self.over else _("here every move is entered by hand"))
            self.was_helped = self.was_helped or who is not None
            for seat in mine:
                self._replace(seat, repr(who) if who else "")
            self.notice = ""
            self.changed()

    def _replace(self, seat: int, who: str) -> None:
        """Let a player stand in for a person, "" for nobody."""
        if self.stand_ins.get(seat, "") == who:
            return
        self.stand_ins.pop(seat, None)
        if who:
            self.stand_ins[seat] = who
        if self.thinking is not None and self.thinking[0] == seat:
            self._turned()
        self._unseat(seat)

    def take_seat(self, invitation: str, nickname: str = "") -> str:
        """The key of the seat an invitation is for. It is good for one person: the first."""
        with self.lock:
            self.refuse_taken(invitation)
            seat = next(seat for seat in self.seats if seat.invitation == invitation)
            seat.key, seat.invitation, seat.taken = secrets.token_urlsafe(12), "", invitation
            seat.nickname = nickname
            self.since = time.monotonic()
            self.changed()
            return seat.key

    def refuse_taken(self, invitation: str) -> None:
        """Say so where somebody has come by this invitation already, or there is none such."""
        if any(seat.invitation and seat.invitation == invitation for seat in self.seats):
            return
        for number, seat in enumerate(self.seats, start=1):
            if seat.taken and seat.taken == invitation:
                raise Refused(
                    _(
                        "this invitation has been taken: {name} sits there now; if that is you, go back to the page "
                        "that opened then, otherwise ask for another invitation"
                    ).format(name=seat.nickname or _("player {number}").format(number=number))
                )
        raise Refused(_("this invitation is not for this match; ask for the right link"))

    def undo(self, keys: Sequence[str]) -> None:
        """Take back the asker's last decision and what followed, where that is fair: see ``unfair``.

        Otherwise the other people are asked, and it is done once each of them has called this too.
        """
        with self.lock:
            mine, refusal = self.owned(keys), self.unfair(keys)
            for seat in set(mine) & set(self.stand_ins):
                self._replace(seat, "")
            if self.request and not set(mine) <= self.request.agreed:
                self.request.agreed |= set(mine)
            elif refusal is None:
                self.request = UndoRequest(mine[0], self._last_own(keys), set(self.people))
            elif self.asks_others(keys):
                self.request = UndoRequest(mine[0], self._last_own(keys), set(mine))
            else:
                raise Refused(refusal)
            if self.request.agreed >= set(self.people):
                self._return_to(self.request.count)
            self.changed()

    def resign(self, keys: Sequence[str]) -> None:
        """Give up, for the seat to move if it is the asker's; that ends the match."""
        with self.lock:
            mine = self.owned(keys)
            if not mine:
                raise Refused(_("you have no seat here to give up"))
            if self.over or self.by_hand:
                raise Refused(_("the game is over") if self.over else _("here every move is entered by hand"))
            self.culprit, self.reason = self.mover if self.mover in mine else mine[0], "resigned"
            self.request = None
            self._turned()

    def decline(self, keys: Sequence[str]) -> None:
        """Say no to whoever asks to take a move back."""
        with self.lock:
            if self.owned(keys):
                self.request = None
                self.changed()

    def asks_others(self, keys: Sequence[str]) -> bool:
        """Whether a move that cannot fairly be taken back could be if the other people agree."""
        mine = self.owned(keys)
        others = set(self.people) - set(mine)
        missing = any(self.seats[seat].invitation for seat in others)
        return bool(others) and not missing and self._last_own(keys) >= 0 and self.culprit < 0 and not self.request

    def _return_to(self, count: int) -> None:
        """Go back to the position after `count` moves."""
        self._stand_after(self.position.history[:count])
        self.request, self.was_helped = None, True
        self.thoughts = {at: decision for at, decision in self.thoughts.items() if at < count}
        self.culprit, self.reason = -1, ""
        self.since = time.monotonic()
        self._turned()
        for seat in self.seated.values():
            seat.forget()

    def _stand_after(self, actions: Sequence[int]) -> None:
        """Let these be the moves that were made."""
        position = Position(self.game, self.seed, self.position.boards, draws_chance=False)
        for action in actions:
            position.push(action)
        position.draws_chance = not self.by_hand
        self.position, self.log = position, Log(self.people)
        self.log.extend(position)

    def unfair(self, keys: Sequence[str]) -> str | None:
        """Why the asker may not take a move back without asking anybody, or None.

        Fair is what gives no knowledge away: the moves taken back must hold no chance that was drawn and no answer of
        another person, and nothing may have been hidden from the asker, as it may have been uncovered. Where the asker
        enters everything by hand, all of it may be entered again.
        """
        mine, keep = self.owned(keys), self._last_own(keys)
        if not mine or keep < 0:
            return _("you have no move to take back")
        if self.culprit >= 0:
            return _("the game was lost: {why}").format(why=self.lost)
        if self.by_hand and len(mine) == len(self.seats):
            return None
        for line in self.log.lines[keep:]:
            if line.mover == CHANCE:
                return _("chance has answered that move, so it cannot be taken back")
            if line.mover not in mine and self.seats[line.mover].is_person:
                return _("another person has moved since, so it cannot be taken back")
        looks = [self.position, *(before for before, _action in self.position.trail(keep))]
        if not any(all(look.sees_all(seat) for look in looks) for seat in mine):
            return _("something is hidden from you, and the move may have uncovered some of it")
        return None

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [i for i, seat in enumerate(self.seats) if seat.is_person]

    def _last_own(self, keys: Sequence[str]) -> int:
        """The number of the last move of the asker, -1 for none."""
        mine = {*self.owned(keys), *([CHANCE] if self.by_hand else [])}
        return max((number for number, line in enumerate(self.log.lines) if line.mover in mine), default=-1)

    def check_clock(self) -> None:
        """End the match when the person to move has no time left."""
        if not self.minutes:
            return
        with self.lock:
            if self.over or self.mover < 0 or not self.seats[self.mover].is_person:
                return
            if self.clocks()[self.mover] > 60 * self.minutes:
                self.culprit, self.reason = self.mover, "ran out of time"
                self._turned()

    @property
    def weight(self) -> int:
        """About how many bytes the match takes in memory: its board, and a state and a line for every move."""
        lines = len(self.log.lines) * (self.game.State.itemsize + BYTES_A_LINE)
        return int(self.position.boards.nbytes + lines + len(self.thoughts) * BYTES_A_THOUGHT)

    @property
    def running(self) -> float:
        """Seconds the mover has thought about this move. No clock runs until everybody is there."""
        if self.over or any(seat.invitation for seat in self.seats):
            return 0.0
        return time.monotonic() - self.since

    def clocks(self) -> list[float]:
        """Seconds each seat has used."""
        return [seat.seconds + (self.running if i == self.mover else 0.0) for i, seat in enumerate(self.seats)]

    # ------------------------------------------------------------ looking

    @property
    def mover(self) -> int:
        return self.position.mover

    @property
    def over(self) -> bool:
        return self.is_record or self.culprit >= 0 or self.mover == OVER

    @property
    def waits_for_player(self) -> bool:
        return not self.over and self.mover >= 0 and self.decider(self.mover) != PERSON

    @property
    def waits_for_quick_player(self) -> bool:
        """Whether the player to move took next to no time when it was last asked in such a game."""
        return self.waits_for_player and paces.is_quick(self.decider(self.mover), self.game)

    def decider(self, seat: int) -> str:
        """Who decides for a seat now: PERSON, or the text of a player."""
        return self.stand_ins.get(seat, self.seats[seat].who)

    @property
    def tempo(self) -> float:
        """Seconds between two moves of players: who lets one play on wants to see it, and to take over again."""
        return max(self.pace, HANDED_PACE) if self.stand_ins else self.pace

    @property
    def outcome(self) -> Outcome | None:
        if self.culprit >= 0:
            returns = np.zeros(len(self.seats), np.float64)
            loop.forfeit(self.position.board, self.culprit, returns)
            return Outcome(tuple(float(r) for r in returns), self.lost, self.game.goal(self.position.board))
        return self.position.outcome

    @property
    def lost(self) -> str:
        """Who lost the match before its end, and why, in words."""
        kind, _colon, why = self.reason.partition(": ")
        sentence = _(LOST[kind]) if kind in LOST else f"seat {{seat}} {kind}"
        return sentence.format(seat=self.culprit, why=why)

    def owned(self, keys: Sequence[str]) -> list[int]:
        """The seats whose keys these are."""
        seats = [i for i, seat in enumerate(self.seats) if seat.key and seat.key in keys]
        if len(seats) < len(set(keys)):
            raise Refused(_("this link has no seat in this match; ask for the right one"))
        return seats

    def may_move(self, keys: Sequence[str]) -> bool:
        """Whether the asker is to move now."""
        mine = self.owned(keys)
        entering = self.mover == CHANCE and self.by_hand and bool(mine)
        return not self.over and ((self.mover in mine and self.mover not in self.stand_ins) or entering)

    def may_ask(self, keys: Sequence[str]) -> str | None:
        """Why the asker may not have advice, or None: against other people it is fair only if all agreed to it."""
        if set(self.people) - set(self.owned(keys)) and not self.hints:
            return _("another person plays, and hints were not agreed on when the match was set up")
        return None

    def may_study(self, viewer: int | None) -> str | None:
        """Why a viewer may not ask players about positions of the match, or None: nobody may be helped by it, and it
        would tell who does not see all what is hidden."""
        if self.people and not self.over:
            return _("people are still playing")
        return None if viewer is None else _("something stays hidden from you, and a player would tell it")

    def viewer(self, keys: Sequence[str]) -> int | None:
        """Through which seat's eyes the asker looks: EVERYBODY sees what all seats see, None sees all there is.

        Someone with several seats sees the one to move. What the rules do not uncover at the end stays hidden; players
        among themselves hide nothing.
        """
        mine = self.owned(keys)
        if mine and not self.over:
            return self.mover if self.mover in mine else mine[0]
        if not self.game.hides or not self.people or self.is_record:
            return None
        if not self.over:
            raise Refused(_("something is hidden in this game, so only those who play may look until it is over"))
        if all(self.position.sees_all(seat) for seat in range(len(self.seats))):
            return None
        return mine[0] if len(mine) == 1 else EVERYBODY

    def side(self, keys: Sequence[str]) -> int | None:
        """From whose side the asker sees the board: their own; None for who has no seat, or several at one screen."""
        mine = self.owned(keys)
        return mine[0] if len(mine) == 1 else None

    def tells_all(self, keys: Sequence[str]) -> bool:
        """Whether the asker may have all moves and the seed: it is over, and what stays hidden is nobody else's."""
        return self.over and (self.viewer(keys) is None or set(self.people) <= set(self.owned(keys)))

    def look(self, viewer: int | None, ply: int | None = None) -> PositionView:
        """The position, or the one after `ply` moves, as a viewer sees it."""
        with self.lock:
            at: PositionView = self.position
            if ply is not None and ply < len(self.position.history):
                at = next(self.position.trail(ply))[0]
            return seen_as(at, viewer)

    @contextmanager
    def watched(self, is_onlooker: bool = True) -> Iterator[None]:
        """While somebody looks on, or at a seat of their own. To be used from the event loop."""
        self.onlookers += is_onlooker
        self.present += 1
        self.changes.tell()
        try:
            yield
        finally:
            self.onlookers -= is_onlooker
            self.present -= 1
            self.seen = time.monotonic()
            self.changes.tell()

    @property
    def is_deserted(self) -> bool:
        """Whether nobody has looked for a while: then players need not go on."""
        return not self.present and time.monotonic() - self.seen > DESERTED

    def words(self) -> tuple[str, ...]:
        """All legal moves in words, as the seat to move sees them."""
        with self.lock:
            if self._words[0] != self.version:
                look = self.look(self.mover) if self.mover >= 0 else self.look(None)
                self._words = (self.version, () if self.over else look.legal)
            return self._words[1]

    def record(self) -> Record:
        """The match for a file. It holds the seed and what chance hid, so only a finished one is given away."""
        with speaking("en"):  # files are for everybody
            outcome = self.outcome
        returns, ending = (list(outcome.returns), outcome.ending) if outcome else ([], "unfinished")
        seconds = round(sum(self.clocks()), 3)
        who = [seat.who for seat in self.seats]
        history = list(self.position.history)
        return Record(self.game.text_name, self.source, who, self.seed, history, returns, ending, seconds)
