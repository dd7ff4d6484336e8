"""The rules of Mastermind: the secret is chance's one move (or a second seat's answers), the rest is guesses."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from turnsmith.common.settings import setting
from turnsmith.compile.kernel import scratch
from turnsmith.compile.rng import below, mix
from turnsmith.contract import sources
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.contract.records import board_record, record
from turnsmith.games.mastermind.codes import (
    ANSWERS,
    COLORS,
    ONE,
    PEGS,
    TRIES,
    answer_table,
    feedback,
    pick_possible,
    possible,
)
from turnsmith.languages import _, counted, marked

MOST_CODES = 2**24
BREAKER, MAKER = 0, 1
HIDDEN = -1


@dataclass(frozen=True)
class Options:
    colors: int = setting(6, 2, COLORS)
    """Colours."""
    pegs: int = setting(4, 1, PEGS)
    """Pegs of a code."""
    tries: int = setting(10, 2, TRIES)
    """Guesses at most."""
    maker: Literal["chance", "seat"] = setting("chance")
    """Who answers: chance deals a secret, or a second seat answers every guess."""

    def __post_init__(self) -> None:
        if self.colors**self.pegs > MOST_CODES:
            codes, most = self.colors**self.pegs, MOST_CODES
            told = _("{colors} colors on {pegs} pegs make {codes:,} codes; take fewer of either (at most {most:,})")
            raise ValueError(told.format(colors=self.colors, pegs=self.pegs, codes=codes, most=most))


Board = board_record(
    colors=np.int64,
    pegs=np.int64,
    tries=np.int64,
    codes=np.int64,
    answers=np.int64,
    maker=np.int64,  # 1 when a seat answers
    power=(np.int64, PEGS),  # what a colour at this place adds to a code's number
    numbers=(np.int64, (PEGS + 1) ** 2),  # red · (pegs + 1) + red and white together -> number of the answer
    red=(np.int64, ANSWERS),
    white=(np.int64, ANSWERS),
)
State = record(
    guesses=(np.int32, TRIES),
    answers=(np.int8, TRIES),
    turns=np.int64,  # guesses that have been answered
    secret=np.int32,
    dealt=np.int8,
    asked=np.int8,  # guesses[turns] waits for the maker's answer
)


def source(options, seed):
    return asdict(options)


def tables(source):
    options = sources.options(source, Options)
    boards = np.zeros(1, Board)
    board = boards[0]
    pegs, answers = options.pegs, answer_table(options.pegs)
    board.colors, board.pegs, board.tries = options.colors, pegs, options.tries
    board.codes, board.answers = options.colors**pegs, len(answers)
    board.maker = 1 if options.maker == "seat" else 0
    board.power[:pegs] = [options.colors ** (pegs - 1 - place) for place in range(pegs)]
    for number, (red, white) in enumerate(answers):
        board.red[number], board.white[number] = red, white
        board.numbers[red * (pegs + 1) + red + white] = number
    board.numbers[pegs * (pegs + 1) + pegs - 1] = len(answers) - 1  # strategies do not count the last equal peg
    if board.maker:
        board.seats, board.actions, board.outcomes = 2, max(board.codes, board.answers), 0
        board.low, board.high = -options.tries, options.tries
    else:
        board.seats, board.actions, board.outcomes = 1, board.codes, board.codes
        board.low, board.high = -options.tries, -1.0
    return boards


def setup(board, state):
    state.secret = HIDDEN


def is_broken(board, state):
    return state.turns > 0 and state.answers[state.turns - 1] == board.answers - 1


def to_move(board, state):
    if state.turns == board.tries or is_broken(board, state):
        return OVER
    if board.maker:
        return MAKER if state.asked else BREAKER
    return BREAKER if state.dealt else CHANCE


def legal(board, state, out):
    """Any code may be dealt or guessed; an answer must leave a code that fits the whole history."""
    if to_move(board, state) == OVER:
        return 0
    if not state.asked:
        for code in range(board.codes):
            out[code] = code
        return int(board.codes)
    answers = scratch(TRIES, np.int8)
    one = scratch(1, np.int32)
    for turn in range(state.turns):
        answers[turn] = state.answers[turn]
    count = 0
    for answer in range(board.answers):
        answers[state.turns] = answer
        if possible(board, state.guesses, answers, state.turns + 1, one, 1) > 0:
            out[count] = answer
            count += 1
    return count


def weights(board, state, out):
    for code in range(board.codes):
        out[code] = 1.0 / board.codes


def sample(board, state, rng):
    return below(rng, board.codes)


def pick(board, state, rng):
    if not state.asked:
        return below(rng, board.codes)
    answers = scratch(ANSWERS, np.int32)
    return np.int64(answers[below(rng, legal(board, state, answers))])


def apply(board, state, action):
    if state.asked:
        state.asked = 0
        state.answers[state.turns] = action
        state.turns += 1
    elif board.maker:
        state.guesses[state.turns] = action
        state.asked = 1
    elif not state.dealt:
        state.secret = action
        state.dealt = 1
    else:
        state.guesses[state.turns] = action
        state.answers[state.turns] = feedback(board, action, state.secret)
        state.turns += 1


def returns(board, state, out):
    out[BREAKER] = -float(state.turns)
    if board.maker:
        out[MAKER] = float(state.turns)


def hide(board, state, viewer):
    """The secret comes out when the game is over."""
    if to_move(board, state) != OVER:
        state.secret = HIDDEN


def resample(board, view, viewer, rng):
    if view.dealt and view.secret == HIDDEN:
        view.secret = pick_possible(board, view.guesses, view.answers, view.turns, rng)


def believe(board, view, viewer, out):
    """A world is a secret; where nothing is hidden there is one world."""
    if view.dealt and view.secret == HIDDEN:
        return possible(board, view.guesses, view.answers, view.turns, out, board.codes)
    out[0] = view.secret
    return 1


def reveal(board, view, viewer, world):
    view.secret = world


def hash(board, state):
    """The order of the answered guesses does not matter to what follows. No turn is number 0, which mixes to 0."""
    turns = np.uint64(0)
    for turn in range(state.turns):
        turns += mix(np.uint64(state.guesses[turn]) * np.uint64(ANSWERS) + np.uint64(state.answers[turn]) + ONE)
    asked = np.uint64(state.guesses[state.turns]) + ONE if state.asked else np.uint64(0)
    dealt = np.uint64(np.int64(state.secret) + 2) if state.dealt else np.uint64(0)
    return mix(mix(mix(turns) + asked) + dealt)


winner = "cost"  # guesses


def roles(board):
    return [marked("breaker"), marked("maker")][: board.seats]


def ending(board, state):
    if is_broken(board, state):
        said = counted("broken in {} guess", "broken in {} guesses", int(state.turns))
    else:
        said = counted("not broken in {} guess", "not broken in {} guesses", int(state.turns))
    return said.format(int(state.turns))
