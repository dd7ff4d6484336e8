"""Fair seatings, honest intervals."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnsmith.arena.schedule import seatings
from turnsmith.arena.statistics import clustered_rate, ratings, wilson
from turnsmith.common.errors import BadInput
from turnsmith.contract.outcome import Goal


@settings(deadline=None, max_examples=60)
@given(players=st.integers(1, 6), seats=st.integers(1, 4), rounds=st.integers(1, 4), seed=st.integers(0, 99))
def test_everyone_sits_everywhere_equally_often(players, seats, rounds, seed):
    """Over whole cycles everyone has as many games in every seat, and a group has the same players throughout."""
    import math

    games = seats * rounds * (math.comb(players, seats) if players >= seats else 1)
    rows = seatings(players, seats, games, seed)
    for seat in range(seats):
        counts = Counter(rows[:, seat].tolist())
        if players >= seats:
            assert len(set(counts.values())) == 1
            assert len(counts) == players
    for group in range(games // seats):
        together = rows[group * seats : (group + 1) * seats]
        assert len({tuple(sorted(row)) for row in together.tolist()}) == 1


def test_impossible_tables_are_refused():
    """No player, or more tables than anyone could play."""
    with pytest.raises(BadInput):
        seatings(0, 2, 10, 0)
    with pytest.raises(BadInput, match="fewer players"):
        seatings(60, 8, 10, 0)


def test_wilson_known_values():
    """Values worked out by hand from the formula."""
    assert wilson(0.0, 10) == pytest.approx((0.0, 0.27754), abs=1e-4)
    assert wilson(0.9, 1000) == pytest.approx((0.87989, 0.91706), abs=1e-4)


def test_games_that_copy_each_other_count_once():
    """When the games of a start always end alike, the interval is as wide as for the starts alone."""
    rng = np.random.default_rng(1)
    starts = rng.integers(0, 2, 500).astype(float)
    copied = clustered_rate(np.repeat(starts, 4), np.repeat(np.arange(500), 4))
    alone = clustered_rate(starts, np.arange(500))
    assert copied.high - copied.low == pytest.approx(alone.high - alone.low, rel=0.01)
    independent = clustered_rate(rng.integers(0, 2, 2000).astype(float), np.repeat(np.arange(500), 4))
    assert independent.high - independent.low < 0.55 * (copied.high - copied.low)


def test_interval_covers_the_truth_about_95_times_in_100():
    """Clustered intervals of a known rate, drawn many times, contain it as often as they say."""
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(400):
        leaning = rng.beta(2, 2, 100)
        points = (rng.random((100, 4)) < leaning[:, None]).astype(float).reshape(-1)
        rate = clustered_rate(points, np.repeat(np.arange(100), 4))
        hits += rate.low <= 0.5 <= rate.high
    assert 0.915 <= hits / 400 <= 0.985


def test_a_known_mix_of_opponents_is_not_random():
    """Who always beats one rival and always loses to another is not uncertain because the two differ."""
    points, groups = np.tile([1.0, 1.0, 0.0, 0.0], 100), np.repeat(np.arange(200), 2)
    mixed = clustered_rate(points, groups)
    told = clustered_rate(points, groups, np.tile([0, 0, 1, 1], 100))
    assert told.high - told.low < 0.8 * (mixed.high - mixed.low)
    assert told.rate == mixed.rate == 0.5


def test_points_are_shared_by_those_who_tie():
    """A tie for the best return shares the point."""
    goal = Goal()
    assert goal.points(goal.won(np.array([[1.0, -1.0], [0.0, 0.0]]))).tolist() == [[1.0, 0.0], [0.5, 0.5]]
    assert goal.points(goal.won(np.array([[2.0, 2.0, 0.0]]))).tolist() == [[0.5, 0.5, 0.0]]


def test_ratings_order_players():
    """Who always wins is rated above who always loses."""
    seating = np.array([[0, 1], [1, 0]] * 50)
    returns = np.array([[1.0, -1.0], [-1.0, 1.0]] * 50)
    (strong, _), (weak, _) = ratings(seating, returns, 2)
    assert strong > weak + 10
