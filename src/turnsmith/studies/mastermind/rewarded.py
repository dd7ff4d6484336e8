"""Many games of Mastermind at once that pay for every guess: what learners by reward are trained in.

They see a game's history, a bit a number (for each turn the colour at each place, then red, then white), or nothing but
a picture of the board (``pixels``). A game that is over makes room for the next.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import compiled, copy, zero
from turnsmith.compile.rng import below, stream
from turnsmith.contract.game import OVER
from turnsmith.contract.loading import load
from turnsmith.games.mastermind.codes import feedback, peg
from turnsmith.games.mastermind.pixels import pixels, shape_of
from turnsmith.studies.mastermind.rewards import POSSIBLE, reward_of

See = Literal["history", "pictures"]


def begin_game(game, board, state, left, secret):
    """Deal a secret; returns how many codes are possible, all of them in `left`."""
    zero(state)
    game.setup(board, state)
    game.apply(board, state, secret)
    for code in range(board.codes):
        left[code] = code
    return board.codes


def begin_all(game, boards, states, left, counts, rng):
    """Deal a game to every row: a kernel."""
    board = boards[0]
    for row in range(states.shape[0]):
        counts[row] = begin_game(game, board, states[row], left[row], below(rng, board.codes))


def step_all(game, boards, states, left, counts, rng, kind, guesses, rewards, lengths):
    """Make a guess in every game; lengths[row] is how many it took if it is over, else 0, and then the next begins."""
    board = boards[0]
    follows = kind >= POSSIBLE
    for row in range(states.shape[0]):
        state, guess = states[row], guesses[row]
        game.apply(board, state, guess)
        before, after, was_possible = counts[row], 0, False
        if follows:
            answer = state.answers[state.turns - 1]
            for index in range(before):
                code = left[row, index]
                was_possible = was_possible or code == guess
                if feedback(board, guess, code) == answer:
                    left[row, after] = code
                    after += 1
            counts[row] = after
        rewards[row] = reward_of(board, state, kind, was_possible, before, after)
        lengths[row] = 0
        if game.to_move(board, state) == OVER:
            lengths[row] = state.turns
            counts[row] = begin_game(game, board, state, left[row], below(rng, board.codes))


def describe_history(board, state, out):
    """Fill out (float32): tries · (pegs · colors + 2 · (pegs + 1)) bits."""
    for place in range(out.shape[0]):
        out[place] = 0.0
    wide = board.pegs * board.colors + 2 * (board.pegs + 1)
    for turn in range(state.turns):
        first = turn * wide
        for place in range(board.pegs):
            out[first + place * board.colors + peg(board, state.guesses[turn], place)] = 1.0
        first += board.pegs * board.colors
        out[first + board.red[state.answers[turn]]] = 1.0
        out[first + board.pegs + 1 + board.white[state.answers[turn]]] = 1.0


def describe_all(game, boards, states, views, seen):
    """The histories of many games, float32[rows, bits]: a kernel."""
    for row in range(states.shape[0]):
        describe_history(boards[0], states[row], seen[row])


def picture_all(game, boards, states, views, seen):
    """Pictures of many games, uint8[rows, height, 3 · width], secrets hidden: a kernel."""
    for row in range(states.shape[0]):
        copy(views[0], states[row])
        game.hide(boards[0], views[0], 0)
        pixels(boards[0], views[0], seen[row])


def deal_all(game, boards, states):
    """Deal every secret once: a kernel."""
    for row in range(states.shape[0]):
        zero(states[row])
        game.setup(boards[0], states[row])
        game.apply(boards[0], states[row], row)


def guess_all(game, boards, states, going, guesses):
    """Make a guess in those games that go on, and note whether they still do: a kernel."""
    for row in range(states.shape[0]):
        if going[row]:
            game.apply(boards[0], states[row], guesses[row])
            going[row] = game.to_move(boards[0], states[row]) >= 0


class ObservedGames:
    """What is seen of many games on a board: `seen`, float32[rows, bits] or uint8[rows, height, width, 3]."""

    def __init__(self, text: str, rows: int, see: See):
        self.game = load(text)
        self.boards = self.game.board()
        board = self.boards[0]
        self.seen: Array
        self.states, self._views = np.zeros(rows, self.game.State), np.zeros(1, self.game.State)
        if see == "history":
            bits = int(board.tries) * (int(board.pegs * board.colors) + 2 * (int(board.pegs) + 1))
            self._kernel, self.seen = describe_all, np.zeros((rows, bits), np.float32)
        else:
            self._kernel = picture_all
            self.seen = np.zeros((rows, *shape_of(int(board.pegs), int(board.tries)), 3), np.uint8)

    def look(self) -> None:
        """Write `seen` anew."""
        flat = self.seen.reshape(*self.seen.shape[:2], -1) if self.seen.ndim > 2 else self.seen
        compiled(self._kernel)(self.game, self.boards, self.states, self._views, flat)


class RewardedGames(ObservedGames):
    """`rows` games at once on a board, paying rewards of a kind."""

    def __init__(self, text: str, rows: int, kind: int, seed: tuple[int, int], see: See = "history"):
        super().__init__(text, rows, see)
        self.left, self.counts = np.zeros((rows, int(self.boards[0].codes)), np.int32), np.zeros(rows, np.int64)
        self.kind, self.rng = kind, stream(*seed)
        self.rewards, self.lengths = np.zeros(rows, np.float32), np.zeros(rows, np.int64)
        self.deal()

    def deal(self) -> None:
        """Begin all games anew, with other secrets."""
        compiled(begin_all)(*self._all())
        self.look()

    def _all(self) -> tuple[Any, ...]:
        return self.game, self.boards, self.states, self.left, self.counts, self.rng

    def step(self, guesses: Array) -> None:
        """Make int64[rows] guesses; `rewards`, `lengths` (0 while a game goes on) and `seen` are written anew."""
        compiled(step_all)(*self._all(), self.kind, guesses, self.rewards, self.lengths)
        self.look()


class EverySecret(ObservedGames):
    """One game for every secret of a board."""

    def __init__(self, text: str, see: See):
        super().__init__(text, int(load(text).board()[0].codes), see)
        self.going = np.ones(len(self.states), np.uint8)
        compiled(deal_all)(self.game, self.boards, self.states)
        self.look()

    def step(self, guesses: Array) -> None:
        """Make int64[secrets] guesses in the games that go on."""
        compiled(guess_all)(self.game, self.boards, self.states, self.going, guesses)
        self.look()
