"""Connect Four: OpenSpiel's rules, and the exact solver against a slow and simple one and published values."""

import functools

import numpy as np
import pyspiel
import pytest

import turnsmith as ts
from turnsmith.game import OVER
from turnsmith.games.connect_four.solver import solve_exact


def random_position(game, length, random):
    """An unfinished position after so many random moves."""
    while True:
        position = game.start()
        while len(position.history) < length and position.mover != OVER:
            position.push(int(random.choice(position.actions)))
        if position.mover != OVER:
            return position


def test_open_spiel_plays_the_same_game():
    """In random games OpenSpiel has the same mover, the same legal moves and the same returns at every position."""
    game, other, random = ts.load("connect_four"), pyspiel.load_game("connect_four"), np.random.default_rng(3)
    for number in range(60):
        position, theirs = game.start(number), other.new_initial_state()
        while not theirs.is_terminal():
            assert (position.mover, position.actions.tolist()) == (theirs.current_player(), theirs.legal_actions())
            action = int(random.choice(position.actions))
            position.push(action)
            theirs.apply_action(action)
        assert list(position.outcome.returns) == theirs.returns()


def simple_score(width, height):
    """The score of a board by plain recursion over columns as texts, with nothing that the solver does."""

    def wins(board, stone):
        for x in range(width):
            for y in range(height):
                for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                    cells = [(x + dx * i, y + dy * i) for i in range(4)]
                    if all(0 <= a < width and 0 <= b < len(board[a]) and board[a][b] == stone for a, b in cells):
                        return True
        return False

    @functools.cache
    def score(board, mover):
        left = width * height - sum(map(len, board))
        if left == 0:
            return 0
        best = -100
        for x in range(width):
            if len(board[x]) < height:
                after = (*board[:x], board[x] + mover, *board[x + 1 :])
                if wins(after, mover):
                    return (left + 1) // 2
                best = max(best, -score(after, "ox"[mover == "o"]))
        return best

    return score


def as_texts(position):
    """The columns of a position from the bottom, as the simple solver has them."""
    columns = [""] * int(position.board.width)
    for ply, action in enumerate(position.history):
        columns[action] += "ox"[ply % 2]
    return tuple(columns)


@pytest.mark.parametrize(
    ("text", "length", "count"), [("connect_four", 34, 30), ("connect_four:width=4,height=5", 9, 3)]
)
def test_a_simple_solver_agrees(text, length, count):
    """On late positions every move has exactly the score that plain recursion finds."""
    game, random = ts.load(text), np.random.default_rng(5)
    score = simple_score(*(int(game.board()[0][name]) for name in ("width", "height")))
    for _ in range(count):
        position = random_position(game, length, random)
        mover = "ox"[len(position.history) % 2]
        found = solve_exact(position, in_stones=True, log2=16)
        assert max(found.values()) == score(as_texts(position), mover)
        assert {w: np.sign(v) for w, v in found.items()} == solve_exact(position, log2=16)


def test_known_boards():
    """Small boards have the values that are known of them: most are drawn, six columns of four are lost."""
    for width, height, value in [(4, 4, 0), (5, 4, 0), (6, 4, -1), (4, 5, 0), (5, 5, 0), (4, 6, 0)]:
        game = ts.load(f"connect_four:width={width},height={height}")
        assert max(solve_exact(game.start()).values()) == value, (width, height)
