"""The log of a match: every move in words, as each person may read them at this moment."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from turnsmith.contract.game import CHANCE, OVER
from turnsmith.languages import language, worded
from turnsmith.play.position import Position, PositionView

ROLLS_BACK = 100
"""Moves among which the dice that fell last are looked for."""


@dataclass
class LoggedMove:
    """One move: whose it was, its words as each seat may read them ("" for hidden), and the truth."""

    mover: int
    words: list[str]
    truth: str


@dataclass(frozen=True)
class LogEntry:
    """A line for people: what somebody did and what chance made of it, where the game tells that in one.

    number: counted from 1; first, last: the moves it is made of; said: "" where it is hidden from the reader.
    """

    number: int
    first: int
    last: int
    mover: int
    said: str


@dataclass(frozen=True)
class Roll:
    """Dice that fell: the number of the move of chance, and rows of a seat and its faces."""

    number: int
    rows: list[tuple[int, list[int]]]


class Log:
    """The lines of a match; words are kept for the seats of `readers`, and for all once it is over.

    A move that somebody could not read when it was made stays hidden from them until what they see leaves no other.
    That is looked at when a round of commitments ends, for these, and at the end of the game, for all: in between it
    would tell people what they have to work out themselves.
    """

    def __init__(self, readers: Sequence[int] = ()):
        self.lines: list[LoggedMove] = []
        self.readers = readers
        self._open: list[int] = []
        """The lines of commitments that wait for the end of their round."""
        self._begins: list[int] = []
        """The lines with which an entry begins."""
        self._said: dict[tuple[str, int | None, int, int], str] = {}
        """What readers of a language were told of the moves from one to another."""

    def extend(self, position: Position) -> None:
        """Add the moves of a position that are new."""
        seats = range(int(position.board.seats))
        for before, action in position.trail(len(self.lines)):
            words = [before.told(action, seat) if seat in self.readers else "" for seat in seats]
            if before.mover >= 0 and position.game.rewinds:
                self._open.append(len(self.lines))
            answers = before.mover == CHANCE and bool(self._begins) and self.lines[self._begins[-1]].mover >= 0
            if position.game.tell is None or not answers:
                self._begins.append(len(self.lines))
            self.lines.append(LoggedMove(before.mover, words, before.words(action)))
        if position.mover == OVER and position.game.hides and self.readers:
            self._uncover(position, range(len(self.lines)), seats)
        elif self._open and position.is_rewound:
            self._uncover(position, self._open, self.readers)
            self._open.clear()

    def _uncover(self, position: Position, lines: Sequence[int], readers: Sequence[int]) -> None:
        """Tell the readers those moves that what they see now leaves no doubt about."""
        self._said.clear()
        for number in lines:
            line = self.lines[number]
            for reader in readers:
                if not line.words[reader]:
                    before, action = next(position.trail(number))
                    then = position.history[number + 1 :]
                    line.words[reader] = before.told(action, reader) or before.told(action, reader, then)

    def read_by(self, viewer: int | None) -> list[tuple[int, str]]:
        """Mover and words of every move; the words are "" where the viewer may not know them, None knows all."""
        return [(line.mover, self._read(line, viewer)) for line in self.lines]

    def _read(self, line: LoggedMove, viewer: int | None) -> str:
        if viewer is None or (viewer < 0 and all(line.words)):  # below 0: what everybody knows
            return line.truth
        return line.words[viewer] if viewer >= 0 else ""

    def entries(self, position: Position, viewer: int | None, most: int, until: int | None = None) -> list[LogEntry]:
        """The latest entries among the first `until` moves as a viewer may read them, the newest last."""
        end = len(self.lines) if until is None else min(until, len(self.lines))
        count = bisect_left(self._begins, end)
        bounds = [*self._begins[max(0, count - most) : count], end]
        entries = []
        for number, (first, last) in enumerate(pairwise(bounds), start=count - len(bounds) + 2):
            key = (language(), viewer, first, last)
            if key not in self._said:
                self._said[key] = self._tell(position, viewer, first, last)
            sentence = self._said[key]
            entries.append(LogEntry(number, first, last - 1, self.lines[first].mover, sentence))
        return entries

    def _tell(self, position: Position, viewer: int | None, first: int, last: int) -> str:
        """The moves from `first` up to `last` in one line: the game's, or the words themselves if some are hidden."""
        words = [self._read(line, viewer) for line in self.lines[first:last]]
        tell = position.game.tell
        if tell is None or not all(words) or self.lines[first].mover == CHANCE:
            return ", ".join(map(worded, filter(None, words)))
        trail = islice(position.trail(first), last - first)
        return str(tell(position.board, [(seen_as(before, viewer).state, action) for before, action in trail]))

    def last_roll(self, position: Position, viewer: int | None, until: int | None = None) -> Roll | None:
        """The dice that fell last, if the viewer may know them and the game shows dice."""
        roll, end = position.game.roll, len(self.lines) if until is None else min(until, len(self.lines))
        if roll is None:
            return None
        for number in range(end - 1, max(-1, end - 1 - ROLLS_BACK), -1):
            line = self.lines[number]
            if line.mover == CHANCE and self._read(line, viewer):
                before, action = next(position.trail(number))
                rows = roll(position.board, seen_as(before, viewer).state, action)
                if rows:
                    return Roll(number, [(int(seat), [int(face) for face in faces]) for seat, faces in rows])
        return None


def seen_as(look: PositionView, viewer: int | None) -> PositionView:
    """A position through the eyes of a viewer: a seat, None who sees all, or below 0 what every seat sees."""
    for seat in (
        range(int(look.board.seats)) if viewer is not None and viewer < 0 else [] if viewer is None else [viewer]
    ):
        look = look.seen_by(seat)
    return look
