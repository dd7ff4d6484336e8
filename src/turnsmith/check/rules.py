"""One rule at a time, interpreted or compiled: the window through which the checks look at a game.

States are bytes here. Each call works on a fresh copy, so no rule can spoil a position that is still needed, and a
rule that should only look is caught when it writes. Whatever goes wrong in a game's code becomes a ``Fault``: a
sentence with the function, the file and the line.
"""

from __future__ import annotations

import dataclasses
import sysconfig
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import turnsmith
from turnsmith.check.watch import TooLong, watch
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.compile_errors import CannotCompile
from turnsmith.compile.kernel import interpreted
from turnsmith.compile.rng import set_stream
from turnsmith.contract.game import Game, has_sides
from turnsmith.play import step
from turnsmith.play.observe import View, observe_one, observer

RULES = (
    *("setup", "to_move", "legal", "weights", "apply", "returns", "evaluate", "hash", "sample", "pick"),
    *("hide", "resample", "believe", "reveal", "rewind", "win", "rollout", "loud", "order", "skip"),
)
(SETUP, TO_MOVE, LEGAL, WEIGHTS, APPLY, RETURNS, EVALUATE, HASH, SAMPLE, PICK) = range(10)
(HIDE, RESAMPLE, BELIEVE, REVEAL, REWIND, WIN, ROLLOUT, LOUD, ORDER, SKIP) = range(10, 20)
NO_RULE = -1
"""Asks for nothing, so that all is compiled before any rule runs."""
CHANGING = (SETUP, APPLY, HIDE, RESAMPLE, REVEAL, REWIND, SKIP)
LISTING, NUMBERING = (LEGAL, BELIEVE), (WEIGHTS, RETURNS, EVALUATE)
ANSWERING = {
    "to_move": "",
    "legal": "",
    "hash": "",
    "sample": "samples",
    "pick": "picks",
    "win": "wins",
    "rollout": "rolls_out",
    "believe": "believes",
    "loud": "louds",
    "order": "orders",
    "skip": "skips",
}
"""The rules that return a whole number, and the flag of the game that has them."""
INTERPRETED_SECONDS, COMPILED_SECONDS, PYTHON_SECONDS, COMPILING_SECONDS = 5.0, 30.0, 30.0, 900.0
"""CPU seconds a call may take: of a rule, interpreted or compiled; of a game's other functions; of the compiler."""

# ---------------------------------------------------------------- kernels


def run(
    game: Any,
    boards: Any,
    states: Any,
    rule: int,
    viewer: int,
    number: int,
    listed: Any,
    numbers: Any,
    bits: Any,
    rng: Any,
) -> Any:
    """Run one rule on states[0]. One kernel for all rules, so that they share one cache entry.

    `number` is an action or a world, `listed` int32 and `numbers` float64 are written where a rule has an `out`,
    `bits` uint64[1] takes the hash.
    """
    board, state = boards[0], states[0]
    answer = np.int64(0)
    if rule == SETUP:
        game.setup(board, state)
    elif rule == TO_MOVE:
        answer = np.int64(game.to_move(board, state))
    elif rule == LEGAL:
        answer = np.int64(game.legal(board, state, listed))
    elif rule == WEIGHTS:
        game.weights(board, state, numbers)
    elif rule == APPLY:
        game.apply(board, state, number)
    elif rule == RETURNS:
        game.returns(board, state, numbers)
    elif rule == EVALUATE:
        game.evaluate(board, state, numbers)
    elif rule == HASH:
        bits[0] = game.hash(board, state)
    elif rule == SAMPLE:
        answer = np.int64(step.draw_outcome(game, board, state, listed, numbers, rng))
    elif rule == PICK:
        answer = np.int64(step.pick_action(game, board, state, listed, rng))
    elif rule == HIDE:
        game.hide(board, state, viewer)
    elif rule == RESAMPLE:
        game.resample(board, state, viewer, rng)
    elif rule == BELIEVE:
        answer = np.int64(game.believe(board, state, viewer, listed))
    elif rule == REVEAL:
        game.reveal(board, state, viewer, number)
    elif rule == REWIND:
        game.rewind(board, state)
    elif rule == WIN:
        answer = np.int64(game.win(board, state))
    elif rule == ROLLOUT:
        answer = np.int64(game.rollout(board, state, rng))
    elif rule == LOUD:
        answer = np.int64(game.loud(board, state, number))
    elif rule == ORDER:
        answer = np.int64(game.order(board, state, number))
    elif rule == SKIP:
        answer = np.int64(game.skip(board, state))
    return answer


def run_often(game: Any, boards: Any, states: Any, rule: int, listed: Any, numbers: Any, drawn: Any, rng: Any) -> None:
    """Fill `drawn` int64 with answers of SAMPLE, PICK or ROLLOUT."""
    board, state = boards[0], states[0]
    for index in range(drawn.shape[0]):
        if rule == SAMPLE:
            drawn[index] = step.draw_outcome(game, board, state, listed, numbers, rng)
        elif rule == ROLLOUT:
            drawn[index] = game.rollout(board, state, rng)
        else:
            drawn[index] = step.pick_action(game, board, state, listed, rng)


# ---------------------------------------------------------------- what a game's code does wrong, in a sentence


class Fault(Exception):
    """What is wrong, as a sentence a game's author can act on."""


_OWN_GAMES = Path(turnsmith.__file__).parent / "games"
_NOT_THEIRS = [Path(turnsmith.__file__).parent, *(Path(sysconfig.get_path(p)) for p in ("stdlib", "purelib"))]


def _is_theirs(file: str) -> bool:
    path = Path(file)
    if not path.is_absolute():  # "<frozen importlib>"
        return False
    return path.is_relative_to(_OWN_GAMES) or not any(path.is_relative_to(folder) for folder in _NOT_THEIRS)


def explain(name: str, error: BaseException) -> str:
    """One sentence on an exception out of a game's function: which, where, why."""
    reason = str(error) if isinstance(error, BadInput) else f"{type(error).__name__}: {error}"
    if isinstance(error, CannotCompile):
        return reason
    theirs = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_theirs(frame.filename)]
    where = f" (in {theirs[-1].name}, {Path(theirs[-1].filename).name}, line {theirs[-1].lineno})" if theirs else ""
    if isinstance(error, TooLong):
        return f"{name} does not come to an end{where}"
    if isinstance(error, ValueError) and "read-only" in str(error):
        reason = "it writes into the board, which never changes during a game"
    return f"{name} fails{where}: {' '.join(reason.split())}"


@contextmanager
def blame(name: str, seconds: float = PYTHON_SECONDS) -> Iterator[None]:
    """Turn whatever the game's function `name` raises into a Fault, and stop it if it takes too long."""
    try:
        with watch.over(name, seconds), np.errstate(over="ignore"):  # as compiled, where numbers wrap around
            yield
    except Fault:
        raise
    except (Exception, TooLong) as error:
        raise Fault(explain(name, error)) from error


# ---------------------------------------------------------------- the rules

MOST_POSITIONS = 20_000
"""Of games that have more positions, not all are listed."""


def _answering(game: Game) -> Game:
    """The same game for interpreted code, where a rule that does not return a whole number says so."""

    def checked(name: str, rule: Callable[..., Any]) -> Callable[..., Any]:
        def answer(*arguments: Any) -> Any:
            given = rule(*arguments)
            if not isinstance(given, (int, np.integer, np.bool_)):
                what = "nothing" if given is None else f"a {type(given).__name__}"
                raise Fault(f"{name} returns {what}; it must return a whole number")
            return given

        return answer

    present = [name for name, flag in ANSWERING.items() if not flag or getattr(game, flag)]
    answering: dict[str, Any] = {name: checked(name, getattr(game, name)) for name in present}
    return dataclasses.replace(game, **answering)


class CheckedRules:
    """The rules of a game on the board of one seed, or another board that is given; `how` is ``kernel.interpreted`` or
    ``kernel.compiled``."""

    def __init__(
        self,
        game: Game,
        seed: int,
        how: Callable[[Callable[..., Any]], Callable[..., Any]],
        boards: Array | None = None,
    ):
        self.game = game
        self.seed = seed
        self.how = how
        if boards is None:
            with blame("source"):
                source = game.describe(seed)
            with blame("tables"):
                boards = game.build(source)
        self.boards = boards
        self.seats = int(self.boards[0].seats)
        self.low, self.high = float(self.boards[0].low), float(self.boards[0].high)
        self.by_hash: dict[int, tuple[bytes, int, tuple[int, ...]]] = {}
        """What the checks have seen with each hash: state, mover, legal actions."""
        self._listed = step.buffers(self.boards)[0]
        self._numbers = np.zeros(max(len(self._listed), self.seats), np.float64)
        self._bits = np.zeros(1, np.uint64)
        self._nobody = np.zeros(1, np.uint64)
        self._asked = _answering(game) if how is interpreted else game
        self._seconds = INTERPRETED_SECONDS if how is interpreted else COMPILED_SECONDS
        if how is interpreted:
            self.boards.flags.writeable = False  # so that a rule that writes into it is caught with its line
        else:
            self._call(NO_RULE, bytes(game.State.itemsize), seconds=COMPILING_SECONDS)

    def _call(
        self,
        rule: int,
        state: bytes,
        viewer: int = 0,
        number: int = 0,
        rng: Array | None = None,
        seconds: float | None = None,
    ) -> tuple[int, bytes]:
        states = np.frombuffer(bytearray(state), self.game.State)
        if rule in LISTING:
            self._listed.fill(-1)  # so that a place that a rule leaves out shows
        elif rule in NUMBERING:
            self._numbers.fill(np.nan)
        with blame(RULES[rule], seconds or self._seconds):
            answer = self.how(run)(
                self._asked,
                self.boards,
                states,
                rule,
                viewer,
                number,
                self._listed,
                self._numbers,
                self._bits,
                self._nobody if rng is None else rng,
            )
        after = states.tobytes()
        if rule not in CHANGING and after != state:
            was, now = self.fields(state), self.fields(after)
            changed = [name for name in was if was[name] != now[name]]
            raise Fault(f"{RULES[rule]} changes the state ({', '.join(changed)}); it may only look at it")
        return int(answer), after

    def fields(self, state: bytes) -> dict[str, str]:
        """The fields of a state and what is in them, as texts."""
        values = np.frombuffer(state, self.game.State)[0]
        return {name: str(values[name].tolist()) for name in self.game.State.names or ()}

    def _out(self, rule: int, count: int) -> tuple[int, ...]:
        room = len(self._listed)
        if not 0 <= count <= room:
            raise Fault(f"{RULES[rule]} returned {count}, but must return how many of the {room} places it filled")
        return tuple(self._listed[:count].tolist())

    def stream(self, match: int, index: int = 0) -> Array:
        """A stream of random numbers; interpreted, nothing need be compiled for it."""
        rng = np.zeros(1, np.uint64)
        self.how(set_stream)(rng, np.uint64(self.seed), match, index)
        return rng

    def start(self) -> bytes:
        return self._call(SETUP, bytes(self.game.State.itemsize))[1]

    @cached_property
    def positions(self) -> frozenset[bytes]:
        """All states that moves lead to; none of a game with more than MOST_POSITIONS."""
        reached = {self.start()}
        new = list(reached)
        while new and len(reached) <= MOST_POSITIONS:
            state = new.pop()
            for action in self.legal(state):
                after = self.apply(state, action)
                if after not in reached:
                    reached.add(after)
                    new.append(after)
        return frozenset(reached) if len(reached) <= MOST_POSITIONS else frozenset()

    def mover(self, state: bytes) -> int:
        return self._call(TO_MOVE, state)[0]

    def legal(self, state: bytes) -> tuple[int, ...]:
        return self._out(LEGAL, self._call(LEGAL, state)[0])

    def weights(self, state: bytes, count: int) -> list[float]:
        self._call(WEIGHTS, state)
        return [float(weight) for weight in self._numbers[:count]]

    def apply(self, state: bytes, action: int) -> bytes:
        return self._call(APPLY, state, number=action)[1]

    def returns(self, state: bytes) -> list[float]:
        self._call(RETURNS, state)
        return [float(value) for value in self._numbers[: self.seats]]

    def evaluate(self, state: bytes) -> list[float]:
        self._call(EVALUATE, state)
        return [float(value) for value in self._numbers[: self.seats]]

    def hash(self, state: bytes) -> int:
        self._call(HASH, state)
        return int(self._bits[0])

    def sample(self, state: bytes, rng: Array) -> int:
        return self._call(SAMPLE, state, rng=rng)[0]

    def pick(self, state: bytes, rng: Array) -> int:
        return self._call(PICK, state, rng=rng)[0]

    def win(self, state: bytes) -> int:
        return self._call(WIN, state)[0]

    def rollout(self, state: bytes, rng: Array) -> int:
        return self._call(ROLLOUT, state, rng=rng)[0]

    def loud(self, state: bytes, action: int) -> int:
        return self._call(LOUD, state, number=action)[0]

    def order(self, state: bytes, action: int) -> int:
        return self._call(ORDER, state, number=action)[0]

    def skip(self, state: bytes) -> tuple[int, bytes]:
        """Whether the turn was passed, and the state after that."""
        return self._call(SKIP, state)

    def often(self, rule: int, state: bytes, count: int, rng: Array) -> Array:
        """Many answers of SAMPLE, PICK or ROLLOUT."""
        drawn = np.zeros(count, np.int64)
        states = np.frombuffer(bytearray(state), self.game.State)
        with blame(RULES[rule], COMPILING_SECONDS):
            self.how(run_often)(self.game, self.boards, states, rule, self._listed, self._numbers, drawn, rng)
        return drawn

    def hide(self, state: bytes, viewer: int) -> bytes:
        return self._call(HIDE, state, viewer)[1]

    def resample(self, view: bytes, viewer: int, rng: Array) -> bytes:
        return self._call(RESAMPLE, view, viewer, rng=rng)[1]

    def believe(self, view: bytes, viewer: int) -> tuple[int, ...]:
        return self._out(BELIEVE, self._call(BELIEVE, view, viewer)[0])

    def reveal(self, view: bytes, viewer: int, world: int) -> bytes:
        return self._call(REVEAL, view, viewer, world)[1]

    def rewind(self, state: bytes) -> bytes:
        return self._call(REWIND, state)[1]

    def units(self, state: bytes) -> tuple[int, int]:
        """How many units a joint move is for, and how many pieces each has; interpreted."""
        count = self._ask("units", state)
        with blame("radix"):
            return count, int(self.game.radix(self.boards[0]))  # type: ignore[misc]

    def pieces(self, state: bytes, decided: int, chosen: int) -> tuple[int, ...]:
        """What the next unit may choose; interpreted."""
        out = np.full(len(self._listed), -1, np.int32)
        return tuple(out[: self._ask("pieces", state, decided, chosen, out)].tolist())

    def symmetries(self) -> int:
        """In how many ways positions may be turned; interpreted."""
        with blame("symmetries"):
            return int(self.game.symmetries(self.boards[0]))

    def reflect(self, state: bytes, symmetry: int) -> bytes:
        """A state as it looks by a symmetry; interpreted."""
        out = np.zeros(1, self.game.State)
        self._ask("reflect", state, symmetry, out[0])
        return out.tobytes()

    def reflect_action(self, state: bytes, symmetry: int, action: int) -> int:
        return self._ask("reflect_action", state, symmetry, action)

    def _ask(self, name: str, state: bytes, *arguments: Any) -> int:
        """What a rule that only learners and ``unitwise`` compile says of a state, interpreted."""
        states = np.frombuffer(bytearray(state), self.game.State)
        with blame(name, INTERPRETED_SECONDS):
            answer = int(getattr(self.game, name)(self.boards[0], states[0], *arguments) or 0)
        if states.tobytes() != state:
            raise Fault(f"{name} changes the state; it may only look at it")
        return answer

    def observe(self, kind: View, view: bytes, viewer: int, before: int) -> Array:
        """What a learner sees of a view, written over numbers that are all `before`."""
        with blame(f"{kind[:-1]}_names"):
            known = observer(self.game, self.boards, kind)
        states, out = np.frombuffer(bytearray(view), self.game.State), known.zeros(1)
        out.fill(before)
        with blame(kind):
            self.how(observe_one)(self.game, self.boards, states, viewer, known.slots, out)
        if states.tobytes() != view:
            raise Fault(f"{kind} changes the state; it may only look at it")
        return np.asarray(out[0])

    def say(self, name: str, state: bytes, side: int | None = None) -> str:
        """The answer of a function for people: picture, text, remark or ending."""
        return self._say(name, state, [(side,) if has_sides(getattr(self.game, name)) else ()])[0]

    def words(self, state: bytes, action: int) -> str:
        return self._say("words", state, [(action,)])[0]

    def all_words(self, state: bytes, actions: Sequence[int]) -> list[str]:
        return self._say("words", state, [(action,) for action in actions])

    def of_moves(self, name: str, state: bytes, actions: Sequence[int]) -> list[str]:
        """The answers of a function for people about moves: tip or overlay."""
        return self._say(name, state, [(action,) for action in actions])

    def draft(self, state: bytes, pieces: Sequence[str]) -> str:
        """What is drawn for the pieces of a move in the making."""
        return self._say("draft", state, [(list(pieces),)])[0]

    def tell(self, moves: Sequence[tuple[bytes, int]]) -> str:
        """A line of the log for moves that belong together."""
        pairs = [(np.frombuffer(bytearray(state), self.game.State)[0], action) for state, action in moves]
        with blame("tell"):
            words = self.game.tell(self.boards[0], pairs) if self.game.tell else ""
        if not isinstance(words, str):
            raise Fault(f"tell must return a text, not {type(words).__name__}")
        return words

    def roll(self, state: bytes, outcome: int) -> list[tuple[int, list[int]]]:
        """The dice that an outcome of chance shows."""
        record = np.frombuffer(bytearray(state), self.game.State)[0]
        with blame("roll"):
            rows = self.game.roll(self.boards[0], record, outcome) if self.game.roll else ()
            return [(int(seat), [int(face) for face in faces]) for seat, faces in rows]

    def _say(self, name: str, state: bytes, arguments: Sequence[tuple[Any, ...]]) -> list[str]:
        board, record = self.boards[0], np.frombuffer(bytearray(state), self.game.State)[0]
        function = getattr(self.game, name)
        with blame(name):
            texts = [function(board, record, *extra) for extra in arguments]
        for answer in texts:
            if not isinstance(answer, str):
                raise Fault(f"{name} must return a text, not {type(answer).__name__}")
        return texts
