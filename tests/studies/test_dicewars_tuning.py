"""Dice Wars: tuning the value by play."""

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.runners import ArenaPlan, play_compiled
from turnsmith.contract.trainings import TrainingContext
from turnsmith.games.dicewars import value
from turnsmith.nets.dense import flat, read_onnx
from turnsmith.studies.dicewars import tuning
from turnsmith.studies.dicewars.trainings import TuneSettings


@pytest.fixture
def shipped():
    return read_onnx(value.SHIPPED)


def tune(folder, generations, games=4):
    settings = TuneSettings(from_=value.SHIPPED, generations=generations, games=games, seed=7)
    return tuning.tune(settings, TrainingContext(folder))


def test_the_same_games_are_won_by_the_same_net(shipped):
    """A net in memory wins the games the same net wins from its file, and a turned one wins others."""
    nets = [shipped, tuning.turned(shipped, np.full(value.HIDDEN, -1.0))]
    games, other = tuning.won(nets, 40, seed=5, workers=2)
    game, tables = ts.load("dicewars"), tuning.seating(40, 5, 1)
    plan = ArenaPlan(game, [ts.player(text, game) for text in ("fast", *tuning.OPPONENTS)], tables, 5)
    batch = play_compiled(plan, np.arange(40))
    assert games.tolist() == (batch.returns[tables == 0] > 0).tolist()
    assert 0 < games.sum() < 40
    assert other.tolist() != games.tolist()


def test_candidates_are_turned_towards_what_wins(shipped, tmp_path, monkeypatch):
    """With a contest that the second net of a kind wins, the tuned net is nearer to it; stopped runs go on the same."""
    wanted = tuning.turned(shipped, np.linspace(-0.3, 0.3, value.HIDDEN))
    asked = []

    def contest(nets, games, seed, workers):
        asked.append(seed)
        return np.array([[-np.abs(flat(layers) - flat(wanted)).sum()] for layers in nets])

    monkeypatch.setattr(tuning, "won", contest)
    tune(tmp_path / "stopped", 10)
    done = len(asked)
    again = tune(tmp_path / "stopped", 40)
    assert len(asked) == 4 * done
    whole = tune(tmp_path / "whole", 40)
    assert again.read_bytes() == whole.read_bytes()
    now, before = contest([read_onnx(whole), shipped], 4, 0, 1)
    assert now > 0.7 * before
    assert len(set(asked[:done])) == 10  # new games for every generation


def test_other_settings_are_refused(shipped, tmp_path, monkeypatch):
    """A folder goes on only with what it was begun with."""
    monkeypatch.setattr(tuning, "won", lambda nets, *_: np.array([[flat(layers).sum()] for layers in nets]))
    tune(tmp_path, 1)
    with pytest.raises(ts.BadInput, match="begun with games=4; use the same"):
        tune(tmp_path, 1, games=8)


def test_the_gain_has_an_interval(monkeypatch, tmp_path):
    """Before and after are compared in the same games, the gain with its own interval."""
    monkeypatch.setattr(tuning, "won", lambda *_: np.tile([[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]], 8))
    found = tuning.compare(value.SHIPPED, value.SHIPPED, 32, 1, 1)
    assert found["gain"] == {"rate": 0.25, "low": 0.25, "high": 0.25}
    assert (found["before"]["rate"], found["after"]["rate"], found["games"]) == (0.25, 0.5, 32)
