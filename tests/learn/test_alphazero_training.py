"""AlphaZero on any game: self-play, fit, gate; it learns a small game, and goes on after a kill with the same files."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.contract.trainings import TrainingContext
from turnsmith.learn import alphazero
from turnsmith.nets.dense import read_net, sizes_of

SMALL = "connect_four:width=4,height=4,connect=3"
SETTINGS = alphazero.AlphaZeroSettings(
    rounds=6, games=256, simulations=24, quick=8, careful=0.5, view="features", hidden="32", rate=0.003, batch=64,
    anchored=20, proof=40, compare=8, minutes=0.1,
)  # fmt: skip


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    game, folder = ts.load(SMALL), tmp_path_factory.mktemp("small")
    done = alphazero.train(
        replace(SETTINGS, to=str(folder / "small.onnx")), TrainingContext(folder, 2, game_text=game.text_name)
    )
    return game, folder, done


def test_it_learns_a_small_game(small):
    """Three in a row on 4 x 4: with few simulations it wins 95 % of games against random, from both seats."""
    game, folder, done = small
    table = ts.arena(game, [f"alphazero:net={folder / 'small.onnx'},simulations=24", "random"], games=200, seed=1)
    assert (table.returns[table.seating == 0] == 1.0).mean() >= 0.95
    curve = [json.loads(line) for line in (folder / "curve.jsonl").read_text().splitlines()]
    assert curve[-1]["value"] < 0.8 * curve[-1]["baseline"]
    assert done.document["proof"]["games"] == 40
    assert "the best player without the net" in done.text
    assert "AlphaZero on" in (folder / "card.md").read_text()


def test_a_killed_training_ends_the_same(small, tmp_path):
    """Stopped after its second round, it goes on and makes the same nets."""
    game, folder, _ = small
    work = TrainingContext(tmp_path, 1, game_text=game.text_name)
    alphazero.train(replace(SETTINGS, rounds=2, proof=0, compare=0), work)
    (tmp_path / "net-1.onnx").unlink()
    alphazero.train(replace(SETTINGS, proof=0, compare=0), work)
    for number in range(6):
        assert (tmp_path / f"net-{number}.onnx").read_bytes() == (folder / f"net-{number}.onnx").read_bytes()


def test_careful_decisions_alone_teach_policies(small):
    """About the share that was asked for; illegal moves are marked; policies of legal ones sum to 1."""
    _, folder, _ = small
    rows = np.load(folder / "rows-5.npz")
    policy, careful = rows["policy"].astype(float), rows["careful"]
    assert 0.4 < careful.mean() < 0.6
    assert np.allclose(np.where(policy >= 0, policy, 0).sum(axis=1), 1.0, atol=0.01)
    assert (policy == -1).any()


def test_more_seats_have_a_value_each(tmp_path):
    """Pig for three: one number a seat; the game has chance."""
    settings = replace(SETTINGS, rounds=1, games=256, simulations=4, quick=2, proof=0, compare=0)
    done = alphazero.train(settings, TrainingContext(tmp_path, 2, game_text="pig:players=3,target=10"))
    net = read_net(Path(done.document["net"]))
    assert sizes_of(net.layers)[-1] == 2 + 3


def test_simultaneous_games_and_wrong_settings_are_refused(tmp_path):
    with pytest.raises(ts.BadInput, match="at the same time"):
        alphazero.learn(ts.load("homeguard"), SETTINGS, TrainingContext(tmp_path))
    with pytest.raises(ts.BadInput, match=r"must end in \.onnx"):
        replace(SETTINGS, to="net.txt")
