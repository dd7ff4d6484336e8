"""Dice Wars: tuning the value by play."""

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.games.dicewars import tuning, value
from turnsmith.games.dicewars.declares import TuneSettings
from turnsmith.learn.nets import flat, read_onnx
from turnsmith.learn.training import Work


@pytest.fixture
def shipped():
    return read_onnx(value.SHIPPED)


def tune(folder, generations, games=4):
    settings = TuneSettings(from_=value.SHIPPED, generations=generations, games=games, seed=7)
    return tuning.tune(settings, Work(folder))


def test_the_same_games_are_won_by_the_same_net(shipped):
    """A net in memory wins the games the same net wins from its file, and a turned one wins others."""
    games = tuning.won(shipped, 40, seed=5, workers=2)
    plan = tuning.Plan(
        ts.load("dicewars"),
        [ts.player(p, ts.load("dicewars")) for p in ("fast", *tuning.OPPONENTS)],
        tuning.seating(40, 5, 1),
        5,
    )
    expected = np.zeros(40)
    for batch in tuning.run(plan, np.arange(40), 1):
        expected[batch.numbers] = batch.returns[plan.seating[batch.numbers] == 0] > 0
    assert games.tolist() == expected.tolist()
    assert 0 < games.sum() < 40
    other = tuning.won(tuning.turned(shipped, np.full(value.HIDDEN, -1.0)), 40, seed=5, workers=2)
    assert other.tolist() != games.tolist()


def test_candidates_are_turned_towards_what_wins(shipped, tmp_path, monkeypatch):
    """With a contest that the second net of a kind wins, the tuned net is nearer to it; stopped runs go on the same."""
    wanted = tuning.turned(shipped, np.linspace(-0.3, 0.3, value.HIDDEN))
    asked = []

    def contest(layers, games, seed, workers):
        asked.append(seed)
        return np.array([-np.abs(flat(layers) - flat(wanted)).sum()])

    monkeypatch.setattr(tuning, "won", contest)
    tune(tmp_path / "stopped", 10)
    done = len(asked)
    again = tune(tmp_path / "stopped", 40)
    assert len(asked) == 4 * done
    whole = tune(tmp_path / "whole", 40)
    assert again.read_bytes() == whole.read_bytes()
    assert contest(read_onnx(whole), 4, 0, 1) > 0.7 * contest(shipped, 4, 0, 1)
    assert len(set(asked[:done])) == 10  # new games for every generation


def test_other_settings_are_refused(shipped, tmp_path, monkeypatch):
    """A folder goes on only with what it was begun with."""
    monkeypatch.setattr(tuning, "won", lambda layers, games, seed, workers: np.array([flat(layers).sum()]))
    tune(tmp_path, 1)
    with pytest.raises(ts.BadInput, match="begun with games=4; use the same"):
        tune(tmp_path, 1, games=8)


def test_the_gain_has_an_interval(monkeypatch, tmp_path):
    """Before and after are compared in the same games, the gain with its own interval."""
    outcomes = iter([np.tile([1.0, 0.0, 0.0, 0.0], 8), np.tile([1.0, 1.0, 0.0, 0.0], 8)])
    monkeypatch.setattr(tuning, "won", lambda *_: next(outcomes))
    found = tuning.compare(value.SHIPPED, value.SHIPPED, 32, 1, 1)
    assert found["gain"] == {"rate": 0.25, "low": 0.25, "high": 0.25}
    assert (found["before"]["rate"], found["after"]["rate"], found["games"]) == (0.25, 0.5, 32)
