"""Elimination: orders that are known by hand, relative ratings, and what is refused."""

import numpy as np
import pytest

from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import interpreted
from turnsmith.compile.rng import stream
from turnsmith.maps.taste import elimination
from turnsmith.maps.taste.elimination import by_infection, by_mean, by_softmin, desirability, in_turns, turns


def line(*numbers):
    return np.array(numbers, float)[:, None]


POOL = line(0, 1, 3, 10, 11, 14)
ENDS = line(0, 10)


def test_by_mean():
    """The mean of 0 and 10 is 5: the middle goes first, as it does wherever the bad lie on the rim."""
    assert by_mean(ENDS, POOL).tolist() == [2, 1, 0, 3, 4, 5]  # 3 is 2 away, then 1, 0 and 10, 11, 14
    assert by_mean(ENDS, POOL, np.array([1.0, 4.0])).tolist() == [3, 4, 2, 5, 1, 0]  # the mean is 8


def test_in_turns():
    """Both ends remove their own first, then their nearest, and the last take what is left."""
    assert in_turns(ENDS, POOL).tolist() == [0, 3, 1, 4, 2, 5]
    assert in_turns(line(0), POOL).tolist() == [0, 1, 2, 3, 4, 5]
    assert in_turns(line(0, 0), line(4, 4, 1)).tolist() == [2, 0, 1]


def test_turns_of_weights():
    """Weight 2 is used twice a round, weight 1/2 in every other round, and only ratios count."""
    assert turns(np.ones(3), 7).tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert turns(np.array([2.0, 1.0]), 7).tolist() == [0, 0, 1, 0, 0, 1, 0]
    assert turns(np.array([1.0, 0.5]), 6).tolist() == turns(np.array([2e9, 1e9]), 6).tolist() == [0, 0, 1, 0, 0, 1]
    assert turns(np.array([1 / 49, 1 / 7]), 16).tolist() == ([1] * 6 + [0, 1]) * 2
    assert in_turns(ENDS, POOL, np.array([2.0, 1.0])).tolist() == [0, 1, 3, 2, 4, 5]
    assert in_turns(ENDS, POOL, np.array([0.0, 1.0])).tolist() == in_turns(line(10), POOL).tolist()


def test_by_softmin():
    """Cold, the nearest of all goes first; hot, turns are even; and the same seed draws the same."""
    assert by_softmin(line(0, 9), line(5, 1, 8.5, 2), temperature=1e-3).tolist() == [2, 1, 3, 0]
    first = [by_softmin(ENDS, POOL, np.array([3.0, 1.0]), 1e6, seed)[0] for seed in range(400)]
    assert np.mean(np.array(first) == 0) == pytest.approx(0.75, abs=0.07)
    assert sorted(by_softmin(ENDS, POOL)) == list(range(6))
    assert by_softmin(ENDS, POOL, seed=5).tolist() == by_softmin(ENDS, POOL, seed=5).tolist()
    chance = 1 / (1 + np.exp(-1.0))  # the nearest are at distances 1 and 2
    drawn = [by_softmin(line(0, 10), line(1, 12), seed=seed)[0] for seed in range(400)]
    assert np.mean(np.array(drawn) == 0) == pytest.approx(chance, abs=0.07)


def test_by_infection():
    """Each infected one infects its nearest at once; who recovered infects nobody."""
    chain = line(1, 2.5, 5, 10, 20)
    # step 1: 0 infects 1. step 2: 0 and 1 both infect 2.5. step 3: all infect 5. then 10, then 20
    assert by_infection(line(0), chain).tolist() == [0, 1, 2, 3, 4]
    two_sides = line(-1, -3, 1.5, 2)
    # step 1: 0 infects -1. step 2: 0 infects 1.5, -1 infects -3 (2 away, 1.5 is 2.5 away). step 3: 2
    assert by_infection(line(0), two_sides).tolist() == [0, 2, 1, 3]
    away = line(1, 2, -4, 3.1, 4.2, 5.3)
    # with recovery 1 only 0 and the last one infect: the chain runs off, 0 infects -4 once that is its nearest
    assert by_infection(line(0), away, recovery=1).tolist() == [0, 1, 3, 4, 2, 5]
    # weight 2: the two nearest in the first step
    assert by_infection(line(0), line(4, 2, 1), np.array([2.0])).tolist() == [2, 1, 0]
    assert by_infection(line(0, 10), POOL, np.array([1.0, 1 / 3])).tolist()[:2] == [0, 1]
    assert by_infection(line(0, 10), POOL, np.array([0.2, 0.1])).tolist()[0] == 0


def test_compiled_and_interpreted_agree():
    """The loops mean the same in Python."""
    random = np.random.default_rng(3)
    bad, pool = random.standard_normal((7, 3)), random.standard_normal((50, 3))
    weights = random.integers(1, 3, 7).astype(float)
    apart = np.sqrt(elimination.squares(bad, pool))
    nearest, order = elimination.nearest_first(apart), np.zeros(50, np.int64)
    interpreted(elimination._removed)(nearest, turns(weights, 50), order)
    assert order.tolist() == in_turns(bad, pool, weights).tolist()
    interpreted(elimination._drawn_turns)(nearest, apart, weights, 1.0, stream(4), order)
    assert order.tolist() == by_softmin(bad, pool, weights, 1.0, 4).tolist()


@pytest.mark.parametrize("number", elimination.ELIMINATIONS)
def test_every_order_is_whole(number):
    """All of a pool is removed once, the known bad before most, whatever the weights are."""
    random = np.random.default_rng(number)
    pool = random.standard_normal((300, 4))
    pool[:60] += 9.0
    order = elimination.ELIMINATIONS[number](pool[:9], pool, random.integers(1, 3, 9).astype(float))
    assert sorted(order.tolist()) == list(range(300))
    assert (desirability(order)[:9] < 0.2).all()
    assert len(elimination.ELIMINATIONS[number](pool[:9], pool[:0])) == 0


def test_bad_input():
    """What cannot be used is refused with one line."""
    for arguments in ((ENDS, np.zeros((3, 2))), (ENDS, POOL, np.zeros(2)), (ENDS, POOL, np.array([1.0, np.nan]))):
        with pytest.raises(BadInput):
            in_turns(*arguments)
    with pytest.raises(BadInput, match="nothing is known"):
        by_mean(np.zeros((0, 1)), POOL)
    with pytest.raises(BadInput, match="above 0"):
        by_softmin(ENDS, POOL, temperature=0.0)
    with pytest.raises(BadInput, match="1 or more"):
        by_infection(ENDS, POOL, recovery=0)
