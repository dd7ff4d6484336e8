"""The object a person holds: a game in progress, in words. Moves are checked; chance is drawn from the seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import stream
from turnsmith.contract.game import CHANCE, OVER, Game, shown_from
from turnsmith.contract.loading import load
from turnsmith.contract.outcome import Outcome
from turnsmith.languages import _
from turnsmith.play import step

SHOWN_NUMBERS = 64
"""Numbers of a field that a game without a text of its own shows in a terminal."""


class Fields:
    """A record to be read by Python, each field fetched once: NumPy's own attributes cost microseconds every time.

    What people are shown (words, pictures, tips) is made of these. They cannot be written to.
    """

    def __init__(self, record: Any):
        self.__dict__["_record"] = record

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # NumPy would take the record's memory by one of these and forget its fields
            raise AttributeError(name)
        record = self._record
        value = np.void.__getitem__(record, name) if name in record.dtype.fields else getattr(record, name)
        if isinstance(value, np.void):
            value = Fields(value)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"'{name}' cannot be set here: what shows a position must not change it")

    def __getitem__(self, name: str) -> Any:
        return self._record[name]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self._record, dtype)


class RulesAnswer(NamedTuple):
    """What the rules say of a position; `chances`, one an action, and `returns`, one a seat, where they apply."""

    mover: int
    actions: Array
    chances: Array
    returns: Array


class PositionView:
    """A position to look at: who moves, what is legal, how it looks. What a player is given is one of its own view."""

    def __init__(self, game: Game, boards: Array, states: Array, seed: int = 0, board: Any = None):
        self.game = game
        self.boards = boards
        self.board: Any = Fields(boards[0]) if board is None else board
        """The record of the board; what reads it is shared among looks at the same game."""
        self.seed = seed
        self.history: list[int] = []
        self.memory: dict[str, Any] = {}
        """A Python player's own notes, kept for its seat through a match."""
        self._moved_to(states)

    @staticmethod
    def at_start(game: Game, boards: Array, seed: int = 0) -> PositionView:
        """The first position on a board, before anything has happened."""
        states = np.zeros(1, game.State)
        compiled(step.begin)(game, boards, states)
        return PositionView(game, boards, states, seed)

    def _moved_to(self, states: Array) -> None:
        self._states = states
        self._state = Fields(states[0])
        self._known_facts: RulesAnswer | None = None
        self._is_narrow = False

    @property
    def _facts(self) -> RulesAnswer:
        """What the rules say of the position, worked out when somebody asks."""
        if self._known_facts is None:
            (acts, chances), returns = step.buffers(self.boards), np.zeros(int(self.board.seats), np.float64)
            mover, count = step.look_at(self.game, self.boards, self._states, acts, chances, returns)
            self._known_facts = RulesAnswer(mover, acts[:count], chances[:count], returns)
        return self._known_facts

    @property
    def state(self) -> Any:
        """A copy of the record itself."""
        return self._states.copy()[0]

    @property
    def mover(self) -> int:
        """The seat to move, CHANCE or OVER."""
        return self._facts.mover

    @property
    def actions(self) -> Array:
        """The legal action numbers, ascending (int32)."""
        return self._facts.actions.copy()

    @property
    def chances(self) -> Array:
        """The probabilities of ``actions`` when chance is to move."""
        return self._facts.chances.copy()

    @property
    def legal(self) -> tuple[str, ...]:
        """The legal moves in words."""
        return tuple(self._worded(self._facts.actions))

    @property
    def returns(self) -> Array:
        """One number a seat, when the game is over."""
        return self._facts.returns.copy()

    @property
    def outcome(self) -> Outcome | None:
        """None until the game is over."""
        if self.mover != OVER:
            return None
        ending = self.game.ending(self.board, self._state)
        return Outcome(tuple(self._facts.returns.tolist()), ending, self.game.goal(self.board))

    def forecast(self, games: int = 64) -> list[float]:
        """What each seat may expect here: the game's estimate, or the mean of random games; the truth if over."""
        out = np.zeros(int(self.board.seats), np.float64)
        if self.mover == OVER:
            out[:] = self._facts.returns
        elif self.game.evaluates:
            compiled(step.estimate)(self.game, self.boards, self._states, out)
        else:
            (acts, chances), work = step.buffers(self.boards), np.zeros(1, self.game.State)
            arrays = (self.game, self.boards, self._states, work, games, acts, chances, np.zeros_like(out), out)
            compiled(step.forecast)(*arrays, stream(self.seed, len(self.history), 3))
        return [float(value) for value in out]

    def words(self, action: int) -> str:
        """A move of the side to move, in words."""
        return str(self.game.words(self.board, self._state, action))

    def after(self, actions: Iterable[int]) -> PositionView:
        """What comes of some moves, chance's too, unchecked. Not for a view of a game that hides what they meet."""
        look = PositionView(self.game, self.boards, self._states.copy(), self.seed, self.board)
        look.history = list(self.history)
        for action in actions:
            look.advance(action)
        return look

    def narrowed(self, actions: Sequence[int]) -> PositionView:
        """The same position with fewer moves to choose from, as its mover sees it, too."""
        look = self.after(())
        look._narrow(np.array(actions, np.int32))
        return look

    def _narrow(self, actions: Array) -> None:
        self._known_facts, self._is_narrow = self._facts._replace(actions=actions), True

    def advance(self, action: int) -> None:
        """Make a move here, unchecked."""
        compiled(step.advance)(self.game, self.boards, self._states, action)
        self.history.append(action)
        self._moved_to(self._states)

    def draw_chance(self, seed: int) -> int:
        """What chance draws here in a match of this seed. A stream a ply: who takes back meets the same chance."""
        acts, chances = step.buffers(self.boards)
        rng = stream(seed, len(self.history))
        outcome = int(compiled(step.sample_chance)(self.game, self.boards, self._states, acts, chances, rng))
        if outcome not in self._facts.actions:
            raise step.broken_rules(self.game, f"chance gives the outcome {outcome}, which legal does not list")
        return outcome

    def resolve_chance(self, seed: int) -> None:
        """Let chance move, as often as it is its turn, as in a match of this seed."""
        while self.mover == CHANCE:
            self.advance(self.draw_chance(seed))

    def spelled(self, actions: Iterable[int]) -> tuple[str, ...]:
        """Moves made one after another from here, unchecked, in words."""
        words, look = [], self
        for action in actions:
            words.append(look.words(action))
            look = look.after([action])
        return tuple(words)

    @property
    def is_rewound(self) -> bool:
        """Whether no commitment is open: everybody has made their simultaneous move, or nobody yet."""
        states = self._states.copy()
        compiled(step.rewind)(self.game, self.boards, states)
        return bool(states.tobytes() == self._states.tobytes())

    def sees_all(self, viewer: int) -> bool:
        """Whether nothing is hidden from `viewer` here."""
        return not self.game.hides or self.view(viewer).tobytes() == self._states.tobytes()

    def told(self, action: int, viewer: int, then: Sequence[int] = ()) -> str:
        """A move in words as `viewer` may read them after it and the moves `then`; "" if what it sees there would not
        tell the move from another."""
        game = self.game
        if game.hides and self.mover != viewer:
            spare, (room, _chances) = np.zeros(3, game.State), step.buffers(self.boards)
            moves = np.array([action, *then], np.int32)
            arrays = (self.boards, self._states, spare, self._facts.actions, moves, room)
            if not compiled(step.tells)(game, *arrays, viewer):
                return ""
        return str(game.words(self.board, self._shown(viewer), action))

    def _worded(self, actions: Array) -> list[str]:
        words, board, state = self.game.words, self.board, self._state
        return [str(words(board, state, action)) for action in actions.tolist()]

    def parse(self, text: str) -> int:
        """The action some words name; spaces between the pieces may be left out where that is clear."""
        given = self.game.shorthand(self.board, self._state, text) if self.game.shorthand else text
        wanted = " ".join(given.split())
        known = list(zip(self.actions.tolist(), self.legal, strict=True))
        matching = [action for action, words in known if words == wanted]
        if not matching:
            squeezed = wanted.replace(" ", "")
            matching = [action for action, words in known if words.replace(" ", "") == squeezed]
        if len(matching) != 1:
            why = self.game.refusal(self.board, self._state, text) if self.game.refusal else None
            message = _("'{text}' is not a legal move here; legal: {legal}")
            raise BadInput(why or message.format(text=text, legal=self._some_legal()))
        return int(matching[0])

    def view(self, viewer: int) -> Array:
        """An array of one State as `viewer` sees it."""
        views = np.zeros(1, self.game.State)
        compiled(step.show_to)(self.game, self.boards, self._states, views, viewer)
        return views

    def seen_by(self, viewer: int) -> PositionView:
        """This position as `viewer` sees it: all that a player may be given."""
        # The true seed would tell how chance will go.
        seed = int(stream(self.seed, len(self.history), viewer + 1)[0] >> np.uint64(1))
        look = PositionView(self.game, self.boards, self.view(viewer), seed, self.board)
        look.history = [-1] * len(self.history)  # how long the game is, not what chance hid
        if self._is_narrow and viewer == self.mover:
            look._narrow(self.actions)
        return look

    def picture(self, viewer: int | None = None, side: int | None = None) -> str:
        """The position as SVG: what `viewer` sees, or all there is, from its side or that of another seat."""
        return shown_from(self.game.picture, self.board, self._shown(viewer), viewer if side is None else side)

    def text(self, viewer: int | None = None, side: int | None = None) -> str:
        """The position for a terminal, in rich markup; without the game's own, the numbers of its record."""
        if self.game.text is not None:
            return shown_from(self.game.text, self.board, self._shown(viewer), viewer if side is None else side)
        shown = (self._states if viewer is None else self.view(viewer))[0]
        count = len(self.history)
        lines = [f"{self.game.text_name} after {count} move{'' if count == 1 else 's'}"]
        for name in (name for name in self.game.State.names or () if not name.startswith("_")):
            numbers = np.asarray(shown[name]).reshape(-1).tolist()
            more = f" … ({len(numbers)} in all)" if len(numbers) > SHOWN_NUMBERS else ""
            lines.append(f"  {name} {' '.join(map(str, numbers[:SHOWN_NUMBERS]))}{more}")
        return "\n".join(lines)

    def _shown(self, viewer: int | None) -> Any:
        return self._state if viewer is None or not self.game.hides else Fields(self.view(viewer)[0])

    def __str__(self) -> str:
        from rich.text import Text

        return Text.from_markup(self.text()).plain

    def _repr_svg_(self) -> str:
        return self.picture()

    def _some_legal(self, most: int = 24) -> str:
        actions = self._facts.actions
        shown = ", ".join(self._worded(actions[:most]))
        return (
            _("{shown}, … ({count} in all)").format(shown=shown, count=len(actions)) if len(actions) > most else shown
        )


class Position(PositionView):
    """A position with its history, to move on and to take back.

    >>> position = load("connect_four").start()
    >>> position.push("d").push("d").legal
    ('a', 'b', 'c', 'd', 'e', 'f', 'g')
    >>> position.push("x")
    Traceback (most recent call last):
    turnsmith.common.errors.BadInput: 'x' is not a legal move here; legal: a, b, c, d, e, f, g
    >>> position.pop()
    turnsmith.position('connect_four', seed=0, history=[3])
    """

    def __init__(self, game: Game, seed: int = 0, boards: Array | None = None, draws_chance: bool = True):
        boards = game.board(seed) if boards is None else boards
        states = np.zeros(1, game.State)
        compiled(step.begin)(game, boards, states)
        super().__init__(game, boards, states, seed)
        self.draws_chance = draws_chance
        self._past: list[tuple[int, bytes]] = []  # who moved, and the state before, for each move of the history
        self.settle()

    def __repr__(self) -> str:
        return f"turnsmith.position({self.game.text_name!r}, seed={self.seed}, history={self.history})"

    def push(self, move: str | int) -> Position:
        """Make a move, given in words or as its number, then let chance move. An illegal one changes nothing."""
        if self.mover == OVER:
            raise BadInput(
                _("the game is over, so '{move}' cannot be played; pop() takes a move back").format(move=move)
            )
        action = self.parse(move) if isinstance(move, str) else int(move)
        if action not in self._facts.actions:
            message = _("action {move} is not legal here; legal: {legal}")
            raise BadInput(message.format(move=move, legal=self._some_legal()))
        self._push(action)
        self.settle()
        return self

    def pop(self) -> Position:
        """Take back the last decision, and the chance that followed it."""
        if all(seat == CHANCE for seat, _state in self._past):
            raise BadInput(_("there is no move to take back: nobody has decided anything yet"))
        seat = CHANCE
        while seat == CHANCE:
            seat, state = self._past.pop()
            self.history.pop()
        self._moved_to(np.frombuffer(bytearray(state), self.game.State))
        return self

    def trail(self, since: int = 0) -> Iterator[tuple[PositionView, int]]:
        """Every move from number `since` on, chance's too: the position in which it was made, and the action."""
        for number in range(since, len(self.history)):
            states = np.frombuffer(bytearray(self._past[number][1]), self.game.State)
            before = PositionView(self.game, self.boards, states, self.seed, self.board)
            before.history = self.history[:number]
            yield before, self.history[number]

    def _push(self, action: int) -> None:
        self._past.append((self.mover, self._states.tobytes()))
        self.advance(action)

    def settle(self) -> None:
        """Let chance move, as often as it is its turn."""
        while self.draws_chance and self.mover == CHANCE:
            self._push(self.draw_chance(self.seed))


def position(game: Game | str, seed: int = 0, history: Sequence[int] | Iterable[int] = ()) -> Position:
    """A position from a list of integers, chance included: what ``repr(position)`` prints."""
    held = Position(load(game) if isinstance(game, str) else game, seed, draws_chance=False)
    for number, action in enumerate(history):
        try:
            held.push(int(action))
        except BadInput as error:
            raise BadInput(f"move {number + 1} of the history: {error}") from None
    held.draws_chance = True
    held.settle()
    return held
