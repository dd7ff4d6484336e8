"""Connect Four: OpenSpiel's rules, and the exact solver against a slow and simple one and published values."""

import functools

import numpy as np
import pyspiel
import pytest

import turnsmith as ts
from turnsmith.contract.game import OVER
from turnsmith.games.connect_four import openings
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


# ---------------------------------------------------------------- the perfect player


def test_perfect_keeps_the_value_of_every_position():
    """In middle games `perfect` makes a move that the solver calls best, and says what the position is worth."""
    game, random = ts.load("connect_four"), np.random.default_rng(8)
    perfect = ts.player("perfect", game)
    for _ in range(40):
        position = random_position(game, int(random.integers(14, 40)), random)
        values, decision = solve_exact(position), perfect.act(position)
        assert decision.value == values[decision.words] == max(values.values())


def test_perfect_wins_as_soon_and_loses_as_late_as_it_can():
    """Late in the game it takes the quickest win, or the slowest loss."""
    game, random = ts.load("connect_four"), np.random.default_rng(9)
    perfect = ts.player("perfect", game)
    for _ in range(40):
        position = random_position(game, 26, random)
        values = solve_exact(position, in_stones=True, log2=18)
        if max(values.values()) != 0:
            assert values[perfect.act(position).words] == max(values.values())


def test_the_first_moves_have_their_known_values():
    """Whoever begins wins with d and with nothing else; c and e are drawn, a, b, f and g lose."""
    game = ts.load("connect_four")
    perfect = ts.player("perfect", game)
    begin = perfect.act(game.start())
    assert (begin.words, begin.value) == ("d", 1.0)
    worth = {first: -perfect.act(game.start().push(first)).value for first in "abcdefg"}
    assert worth == {"a": -1, "b": -1, "c": 0, "d": 1, "e": 0, "f": -1, "g": -1}


def test_perfect_never_lets_a_won_game_slip():
    """Whoever begins and plays perfectly wins every game, against searches too."""
    for opponent in ("mcts:simulations=300", "random", "negamax:depth=6"):
        for seed in range(2):
            assert ts.play("connect_four", ["perfect", opponent], seed=seed).returns[0] == 1.0


def test_perfect_refuses_boards_it_cannot_solve():
    """It solves small boards, and says of the others why not."""
    small = ts.load("connect_four:width=5,height=5")
    assert ts.player("perfect", small).act(small.start()).value == 0.0
    for text, reason in [("width=8,height=6", "at most 50"), ("connect=5", "four in a row"), ("width=6", "of 7 x 6")]:
        game = ts.load(f"connect_four:{text}")
        with pytest.raises(ts.BadInput, match=reason):
            ts.player("perfect", game).act(game.start())


def middle_game():
    """A position of 20 stones: the mover's, and all."""
    position = random_position(ts.load("connect_four"), 20, np.random.default_rng(1))
    stones = [int(bits) for bits in position.state.stones]
    return stones[0], stones[0] | stones[1]


def test_an_opening_table_goes_on_where_it_was_killed(tmp_path):
    """A run that is stopped again and again ends with the bytes of one that is not, and solves nothing twice."""
    whole, pieces, start = tmp_path / "whole.bin", tmp_path / "pieces.bin", middle_game()
    openings.compute(whole, 4, 16, start=start)
    rounds = 0

    def stop(*how_far):
        raise KeyboardInterrupt

    while rounds < 100:
        rounds += 1
        try:
            openings.compute(pieces, 4, 16, most=20, tell=stop, start=start)
            break
        except KeyboardInterrupt:
            continue
    assert 3 < rounds < 100
    assert pieces.read_bytes() == whole.read_bytes()


def test_opening_tables_hold_the_solvers_values(tmp_path):
    """Every entry is the exact value of its position, with a column that keeps it."""
    game, file, start = ts.load("connect_four"), tmp_path / "table.bin", middle_game()
    openings.compute(file, 2, 16, start=start)
    position = random_position(game, 20, np.random.default_rng(1))
    values = solve_exact(position)
    column, value = openings.look_up(openings.read(file), *map(np.uint64, start))
    assert values["abcdefg"[column]] == value == max(values.values())
    flipped = [np.uint64(openings.flip(bits)) for bits in start]
    assert openings.look_up(openings.read(file), *flipped) == (6 - column, value)
    assert openings.look_up(openings.read(file), np.uint64(0), np.uint64(0)) == (-1, 0)


def test_a_damaged_opening_table_is_refused(tmp_path):
    """One changed byte, a cut file and a missing one are each refused in one line that names the cure."""
    content = openings.FILE.read_bytes()
    for name, changed in {
        "flipped": content[:-3] + bytes([content[-3] ^ 1]) + content[-2:],
        "cut": content[:-5],
    }.items():
        (tmp_path / name).write_bytes(changed)
        with pytest.raises(ts.BadInput, match="is damaged or no opening table; turnsmith train connect_four openings"):
            openings.read(tmp_path / name)
    with pytest.raises(ts.BadInput, match="cannot be read"):
        openings.read(tmp_path / "missing")
