"""Compiled and interpreted code play the same matches, for every game there is."""

from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena import loop
from turnsmith.arena.runners import ArenaPlan, play_compiled
from turnsmith.arena.schedule import seatings
from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.compile.rng import stream
from turnsmith.play import step

TESTS = Path(__file__).parent
GAMES = [*ts.games(), str(TESTS.parent / "examples" / "nim.py"), *map(str, (TESTS / "games_for_tests").glob("*.py"))]


def named(text):
    """A short name for a test."""
    return Path(text).stem


@pytest.mark.parametrize("text", GAMES, ids=named)
def test_random_matches(text):
    """The match loop makes the same moves and pays the same returns, move for move, in both worlds."""
    game = ts.load(text)
    seats = int(game.board()[0].seats)
    plan = ArenaPlan(game, [ts.player("random")] * seats, seatings(seats, seats, 4 * seats, seed=9), seed=9)
    numbers = np.arange(3, dtype=np.int64)
    one, other = play_compiled(plan, numbers), play_compiled(plan, numbers, interpreted(loop.play_matches))
    assert one.log.tolist() == other.log.tolist()
    assert one.returns.tolist() == other.returns.tolist()
    assert len(one.log) > 0
    assert not one.reasons


def playouts(how, text):
    """Moves of random playouts, and where they leave the stream."""
    game, rng = ts.load(text), stream(4)
    boards = game.board()
    acts, chances = step.buffers(boards)
    return how(step.playouts)(game, boards, 3, acts, chances, rng), int(rng[0])


@pytest.mark.parametrize("text", GAMES, ids=named)
def test_random_playouts(text):
    """Playouts through pick and sample take as many moves and as much chance in both worlds."""
    assert playouts(interpreted, text) == playouts(compiled, text)


def perft(how, text, depth):
    """How many sequences of moves there are."""
    game = ts.load(text)
    boards, states = game.board(), np.zeros(depth + 1, game.State)
    compiled(step.begin)(game, boards, states)
    acts = np.zeros((depth + 1, len(step.buffers(boards)[0])), np.int32)
    return int(how(step.perft)(game, boards, states, depth, acts))


@pytest.mark.parametrize(
    ("text", "depth", "count"),
    [
        ("connect_four", 4, 2401),
        ("connect_four:width=3,height=2", 6, 90),  # nobody can win: the orders of three columns, two stones each
        ("pig", 3, 1 + 5 * 2),  # roll; a 1 leaves only rolling, five faces leave two choices
        (str(TESTS.parent / "examples" / "nim.py") + ":piles=2-2", 2, 10),  # by hand: 2 · (1 + 2 or 2) + the mirror
    ],
)
def test_perft(text, depth, count):
    """The number of move sequences is the known one, in both worlds."""
    assert perft(compiled, text, depth) == count
    assert perft(interpreted, text, depth) == count
