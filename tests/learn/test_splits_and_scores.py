"""Splits that keep games together, and scores with known answers."""

import numpy as np
import pytest

from turnsmith.learn.scores import Z95, calibration_error, fit_sharpness, hits, losses, reach, reliability, softmax
from turnsmith.learn.split import split

GAMES = np.repeat(np.arange(200), 30)


def test_a_split_by_game_keeps_games_whole():
    """No game is on two sides, the shares are 70, 20 and 10 %, and the same seed splits alike."""
    parts = split(GAMES, "game", seed=3)
    assert all(len(set(parts[game == GAMES])) == 1 for game in range(200))
    assert np.bincount(parts[::30]).tolist() == [140, 40, 20]
    assert np.array_equal(parts, split(GAMES, "game", seed=3))
    assert not np.array_equal(parts, split(GAMES, "game", seed=4))


def test_a_split_by_position_leaks():
    """Row by row every game of the test rows is among the training rows too."""
    parts = split(GAMES, "position")
    assert np.bincount(parts).tolist() == [4200, 1200, 600]
    assert set(GAMES[parts == 2]) <= set(GAMES[parts == 0])


def drawn(sharpness, rows=20_000):
    """Counts of four, and outcomes drawn with the chances softmax(sharpness · counts)."""
    random = np.random.default_rng(1)
    counts = random.integers(0, 30, (rows, 4)).astype(np.float64)
    sums = softmax(sharpness * counts).cumsum(axis=1)
    return counts, (random.random((rows, 1)) > sums).sum(axis=1).clip(max=3)


@pytest.mark.parametrize("sharpness", [-0.2, 0.0, 0.15, 2.0])
def test_sharpness_is_found(sharpness):
    """Fitting finds the sharpness that outcomes were drawn with, and no other has less loss on them."""
    counts, truth = drawn(sharpness)
    found = fit_sharpness(counts, truth)
    assert found == pytest.approx(sharpness, rel=0.1, abs=0.01)
    least = losses(softmax(found * counts), truth).mean()
    assert least <= min(losses(softmax((found + away) * counts), truth).mean() for away in (-1e-3, 1e-3))


def test_true_chances_are_calibrated_and_boasts_are_not():
    """Outcomes drawn from the chances leave little calibration error; chances twice as sharp show it."""
    counts, truth = drawn(0.1)
    assert calibration_error(softmax(0.1 * counts), truth) < 0.02
    boasting = softmax(0.2 * counts)
    assert calibration_error(boasting, truth) > 0.08
    table = reliability(boasting, truth)
    assert sum(each.rows for each in table) == len(truth)
    assert all(each.accuracy < each.confidence for each in table if each.low >= 0.5)


def test_intervals_cover_the_truth():
    """The 95 % interval over games holds the true mean about 95 times of 100, though rows of a game are all alike."""
    random = np.random.default_rng(2)
    inside = 0
    for _ in range(400):
        won = np.repeat(random.random(60) < 0.7, 25).astype(np.float64)
        inside += abs(won.mean() - 0.7) <= reach(won, np.repeat(np.arange(60), 25))
    assert 0.90 <= inside / 400 <= 0.98
    alone = np.arange(100) % 2.0
    assert reach(alone, np.arange(100)) == pytest.approx(Z95 * alone.std(ddof=1) / 10)


def test_ties_share_the_credit():
    """A tie of two is half right; a sure miss costs no more than the floor allows."""
    assert hits(np.array([[3, 3, 1], [0, 0, 1]]), np.array([1, 0])).tolist() == [0.5, 0.0]
    assert losses(np.array([[0.0, 1.0]]), np.array([0]))[0] == pytest.approx(-np.log(1e-7))
