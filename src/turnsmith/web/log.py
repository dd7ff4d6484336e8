"""The log of a match: every move in words, as each person may read them at this moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnsmith.game import OVER
from turnsmith.position import Position


@dataclass
class Line:
    """One move: whose it was, its words as each seat may read them ("" for hidden), and the truth."""

    mover: int
    words: list[str]
    truth: str


class Log:
    """The lines of a match; words are kept for the seats of `readers`, and for all once it is over.

    A move that somebody could not read when it was made stays hidden from them until what they see leaves no other.
    That is looked at when a round of commitments ends, for these, and at the end of the game, for all: in between it
    would tell people what they have to work out themselves.
    """

    def __init__(self, readers: Sequence[int] = ()):
        self.lines: list[Line] = []
        self.readers = readers
        self._open: list[int] = []
        """The lines of commitments that wait for the end of their round."""

    def extend(self, position: Position) -> None:
        """Add the moves of a position that are new."""
        seats = range(int(position.board.seats))
        for before, action in position.trail(len(self.lines)):
            words = [before.told(action, seat) if seat in self.readers else "" for seat in seats]
            if before.mover >= 0 and position.game.rewinds:
                self._open.append(len(self.lines))
            self.lines.append(Line(before.mover, words, before.words(action)))
        if position.mover == OVER and position.game.hides and self.readers:
            self._uncover(position, range(len(self.lines)), seats)
        elif self._open and position.is_rewound:
            self._uncover(position, self._open, self.readers)
            self._open.clear()

    def _uncover(self, position: Position, lines: Sequence[int], readers: Sequence[int]) -> None:
        """Tell the readers those moves that what they see now leaves no doubt about."""
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

    def _read(self, line: Line, viewer: int | None) -> str:
        if viewer is None or (viewer < 0 and all(line.words)):  # below 0: what everybody knows
            return line.truth
        return line.words[viewer] if viewer >= 0 else ""
