"""The object a person holds: a game in progress, in words. Moves are checked; luck is drawn from the seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnsmith import step
from turnsmith.game import CHANCE, OVER, Array, Game, load
from turnsmith.kernel import compiled
from turnsmith.rng import stream
from turnsmith.texts import BadInput


@dataclass(frozen=True)
class Outcome:
    """How a game ended: one return a seat, and why."""

    returns: tuple[float, ...]
    ending: str

    @property
    def winner(self) -> int | None:
        """The seat with the greatest return, if it is alone."""
        best = max(self.returns)
        leaders = [seat for seat, value in enumerate(self.returns) if value == best]
        return leaders[0] if len(leaders) == 1 and len(self.returns) > 1 else None


class Look:
    """A position to look at: who moves, what is legal, how it looks. What a player is given is one of its own view."""

    def __init__(self, game: Game, boards: Array, states: Array, seed: int = 0):
        self.game = game
        self.boards = boards
        self.seed = seed
        self.history: list[int] = []
        self.memory: dict[str, Any] = {}
        """A Python player's own notes, kept for its seat through a match."""
        self._states = states
        self._acts, self._chances = step.buffers(boards)
        self._look()

    def _look(self) -> None:
        self._returns = np.zeros(int(self.board.seats), np.float64)
        answer = compiled(step.look)(self.game, self.boards, self._states, self._acts, self._chances, self._returns)
        self._mover, self._count = int(answer[0]), int(answer[1])

    @property
    def board(self) -> Any:
        return self.boards[0]

    @property
    def state(self) -> Any:
        """A copy of the record itself."""
        return self._states.copy()[0]

    @property
    def mover(self) -> int:
        """The seat to move, CHANCE or OVER."""
        return self._mover

    @property
    def actions(self) -> Array:
        """The legal action numbers, ascending (int32)."""
        return self._acts[: self._count].copy()

    @property
    def chances(self) -> Array:
        """The probabilities of ``actions`` when luck is to move."""
        return self._chances[: self._count].copy()

    @property
    def legal(self) -> tuple[str, ...]:
        """The legal moves in words."""
        return tuple(self.words(int(action)) for action in self.actions)

    @property
    def outcome(self) -> Outcome | None:
        """None until the game is over."""
        if self._mover != OVER:
            return None
        return Outcome(tuple(float(r) for r in self._returns), self.game.ending(self.board, self._states[0]))

    def forecast(self, games: int = 64) -> list[float]:
        """What each seat may expect here: the game's estimate, or the mean of random games; the truth if over."""
        out = np.zeros(int(self.board.seats), np.float64)
        if self._mover == OVER:
            out[:] = self._returns
        elif self.game.evaluates:
            compiled(step.estimate)(self.game, self.boards, self._states, out)
        else:
            (acts, chances), work = step.buffers(self.boards), np.zeros(1, self.game.State)
            arrays = (self.game, self.boards, self._states, work, games, acts, chances, np.zeros_like(out), out)
            compiled(step.forecast)(*arrays, stream(self.seed, len(self.history), 3))
        return [float(value) for value in out]

    def words(self, action: int) -> str:
        """A move of the side to move, in words."""
        return str(self.game.words(self.board, self._states[0], action))

    def parse(self, text: str) -> int:
        """The action some words name; spaces between the pieces may be left out where that is clear."""
        given = self.game.shorthand(self.board, self._states[0], text) if self.game.shorthand else text
        wanted = " ".join(given.split())
        found = [int(a) for a in self.actions if self.words(int(a)) == wanted]
        if not found:
            squeezed = wanted.replace(" ", "")
            found = [int(a) for a in self.actions if self.words(int(a)).replace(" ", "") == squeezed]
        if len(found) != 1:
            why = self.game.refusal(self.board, self._states[0], text) if self.game.refusal else None
            raise BadInput(why or f"'{text}' is not a legal move here; legal: {self._some_legal()}")
        return found[0]

    def view(self, viewer: int) -> Array:
        """An array of one State as `viewer` sees it."""
        views = np.zeros(1, self.game.State)
        compiled(step.show_to)(self.game, self.boards, self._states, views, viewer)
        return views

    def seen_by(self, viewer: int) -> Look:
        """This position as `viewer` sees it: all that a player may be given."""
        seed = int(stream(self.seed, len(self.history), viewer + 1)[0] >> np.uint64(1))  # the true one tells the luck
        look = Look(self.game, self.boards, self.view(viewer), seed)
        look.history = [-1] * len(self.history)  # how long the game is, not what luck hid
        return look

    def picture(self, viewer: int | None = None) -> str:
        """The position as SVG; as `viewer` sees it, or all there is."""
        return str(self.game.picture(self.board, self._shown(viewer)))

    def text(self, viewer: int | None = None) -> str:
        """The position for a terminal, in rich markup."""
        if self.game.text is None:
            return f"{self.game.text_name} after {len(self.history)} moves"
        return str(self.game.text(self.board, self._shown(viewer)))

    def _shown(self, viewer: int | None) -> Any:
        return (self._states if viewer is None else self.view(viewer))[0]

    def __str__(self) -> str:
        from rich.text import Text

        return Text.from_markup(self.text()).plain

    def _repr_svg_(self) -> str:
        return self.picture()

    def _some_legal(self, most: int = 24) -> str:
        shown = ", ".join(self.words(int(a)) for a in self.actions[:most])
        return shown + (f", … ({self._count} in all)" if self._count > most else "")


class Position(Look):
    """A position with its history, to move on and to take back.

    >>> position = load("connect_four").start()
    >>> position.push("d").push("d").legal
    ('a', 'b', 'c', 'd', 'e', 'f', 'g')
    >>> position.push("x")
    Traceback (most recent call last):
    turnsmith.texts.BadInput: 'x' is not a legal move here; legal: a, b, c, d, e, f, g
    >>> position.pop()
    turnsmith.position('connect_four', seed=0, history=[3])
    """

    def __init__(self, game: Game, seed: int = 0, boards: Array | None = None, luck: bool = True):
        boards = game.board(seed) if boards is None else boards
        states = np.zeros(1, game.State)
        compiled(step.begin)(game, boards, states)
        super().__init__(game, boards, states, seed)
        self.luck = luck
        self._past: list[tuple[int, bytes]] = []  # who moved, and the state before, for each move of the history
        self.settle()

    def __repr__(self) -> str:
        return f"turnsmith.position({self.game.text_name!r}, seed={self.seed}, history={self.history})"

    def push(self, move: str | int) -> Position:
        """Make a move, given in words or as its number, then let luck move. An illegal one changes nothing."""
        if self._mover == OVER:
            raise BadInput(f"the game is over, so '{move}' cannot be played; pop() takes a move back")
        action = self.parse(move) if isinstance(move, str) else int(move)
        if action not in self._acts[: self._count]:
            raise BadInput(f"action {move} is not legal here; legal: {self._some_legal()}")
        self._push(action)
        self.settle()
        return self

    def pop(self) -> Position:
        """Take back the last decision, and the luck that followed it."""
        if all(seat == CHANCE for seat, _ in self._past):
            raise BadInput("there is no move to take back: nobody has decided anything yet")
        seat = CHANCE
        while seat == CHANCE:
            seat, state = self._past.pop()
            self.history.pop()
            self._states = np.frombuffer(bytearray(state), self.game.State)
        self._look()
        return self

    def trail(self, since: int = 0) -> Iterator[tuple[Look, int]]:
        """Every move from number `since` on, luck's too: the position in which it was made, and the action."""
        for number in range(since, len(self.history)):
            states = np.frombuffer(bytearray(self._past[number][1]), self.game.State)
            before = Look(self.game, self.boards, states, self.seed)
            before.history = self.history[:number]
            yield before, self.history[number]

    def _push(self, action: int) -> None:
        self._past.append((self._mover, self._states.tobytes()))
        compiled(step.advance)(self.game, self.boards, self._states, action)
        self.history.append(action)
        self._look()

    def settle(self) -> None:
        """Let luck move, as often as it is its turn."""
        draw = compiled(step.luck)
        while self.luck and self._mover == CHANCE:
            rng = stream(
                self.seed, len(self.history)
            )  # a stream a ply: taking back and playing again meets the same luck
            self._push(int(draw(self.game, self.boards, self._states, self._acts, self._chances, rng)))


def position(game: Game | str, seed: int = 0, history: Sequence[int] | Iterable[int] = ()) -> Position:
    """A position from a list of integers, luck included: what ``repr(position)`` prints."""
    held = Position(load(game) if isinstance(game, str) else game, seed, luck=False)
    for number, action in enumerate(history):
        try:
            held.push(int(action))
        except BadInput as error:
            raise BadInput(f"move {number + 1} of the history: {error}") from None
    held.luck = True
    held.settle()
    return held
