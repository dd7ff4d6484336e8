"""Go: superko by brute force, chains kept from move to move, and what playouts leave alone."""

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.compile.rng import stream
from turnsmith.games.go import rules
from turnsmith.games.go.shapes import AROUND, shape_bits


def stones_of(position):
    return position.state.stones.tobytes()


@pytest.mark.parametrize("size", [2, 3, 5])
def test_no_position_of_the_board_comes_again(size):
    """By plain superko a move is legal if the game without superko has it and it leads to a new position, no other."""
    plain, strict = ts.load(f"go:size={size},repetition=draw"), ts.load(f"go:size={size}")
    random, refused = np.random.default_rng(1), 0
    for _ in range(60 if size < 5 else 12):
        position, seen, history = strict.start(), set(), []
        while position.outcome is None:
            other, expected = ts.position(plain, 0, history), []
            if other.outcome is not None:
                break
            for action in other.actions.tolist():
                after = ts.position(plain, 0, [*history, action])
                if action == size * size or stones_of(after) not in seen:
                    expected.append(action)
                else:
                    refused += 1
            assert position.actions.tolist() == expected
            history.append(int(random.choice(expected)))
            position.push(history[-1])
            seen.add(stones_of(position))
    assert refused > 0 or size == 5


def test_positions_that_forbid_other_moves_have_another_hash():
    """The same stones after other positions may have other legal moves, so searches must not take them for one."""
    game = ts.load("go:size=3")
    one, other = (ts.position(game, 0, moves) for moves in ([0, 1, 2, 3], [2, 1, 0, 3]))
    assert stones_of(one) == stones_of(other)
    hashes = {int(rules.hash(position.board, position.state)) for position in (one, other)}
    assert len(hashes) == 2


def test_a_rollout_fills_no_eye_of_its_own():
    """With two eyes in the corner and nothing else to do, it passes, though filling them is legal."""
    game = ts.load("go:size=3")
    black, white = [3, 1, 4, 5, 6, 7], [9] * 6  # black holds all but a1, c1, and the upper right corner
    position = ts.position(game, 0, [move for pair in zip(black, white, strict=True) for move in pair][:-1])
    position.push("pass")
    assert position.mover == 0
    drawn = {int(rules.rollout(position.board, position.state, stream(seed))) for seed in range(40)}
    assert {0, 2, 8} <= set(position.actions.tolist())
    assert drawn == {9}


def test_a_rollout_takes_what_is_in_danger():
    """The stone put last has one liberty left: it is nearly always taken."""
    game = ts.load("go:size=5")
    position = ts.position(game, 0, [7, 20, 11, 21, 13, 12])  # white in the middle of three black stones
    drawn = [int(rules.rollout(position.board, position.state, stream(seed))) for seed in range(100)]
    assert drawn.count(17) > 85


def test_shapes_are_the_same_for_both_colours():
    """A cut is a cut whoever makes it; an empty board has none."""
    bits = np.unpackbits(shape_bits().view(np.uint8), bitorder="little")
    codes = np.arange(len(bits))
    low, high = codes & 0x5555, codes >> 1 & 0x5555
    swapped = np.where(True, (high & ~low) | (low & ~high) << 1 | (low & high) | (low & high) << 1, 0)
    assert (bits == bits[swapped]).all()
    assert not bits[0]
    assert 0 < bits.sum() < len(bits) // 4
    assert len(AROUND) == 8
