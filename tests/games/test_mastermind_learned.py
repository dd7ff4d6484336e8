"""The Mastermind player that learned: both its scores, boards it grew up to, files that are no models, its training."""

import json
from functools import cache

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.evaluate import evaluate
from turnsmith.contract.trainings import TrainingContext
from turnsmith.games.mastermind.learned import SHIPPED, Model, read_model
from turnsmith.nets.dense import Net, read_net
from turnsmith.studies.mastermind import learning
from turnsmith.studies.mastermind import trainings as declares
from turnsmith.web.server.bounds import refuse_files


@cache
def exact(text):
    """Its exact result on a board."""
    game = ts.load(text)
    return ts.player("learned", game).exact(game, game.board())


def test_it_breaks_every_code_in_few_guesses():
    """Over all 1296 secrets, and after first guesses that are forced on it, it needs hardly more than the best."""
    found = exact("mastermind")
    assert (found.games, found.max) == (1296, 6)
    assert float(found.mean) <= 4.38  # 4.3403 is least
    forced = evaluate("mastermind", "learned", seed=77, openings=2)
    assert forced.evaluation.games == 2 * 1296
    assert forced.evaluation.max <= 7
    assert max(forced.by_opening) < 4.6


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [("colors=4,pegs=2", 45, 45), ("colors=4,pegs=4", 905, 907), ("colors=6,pegs=3", 854, 862)],
)
def test_smaller_boards(text, least, most):
    """One model plays every board up to its size, at or next to the least sum of guesses there is."""
    assert least <= exact(f"mastermind:{text}").total <= most


def test_its_answers_are_those_of_the_rules():
    """Nobody told it, but of all pairs of codes of every board it answers none wrong."""
    model = read_model(SHIPPED)
    for pegs in range(1, 5):
        assert learning.wrong_answers(model.table(6, pegs), 6, pegs) == 0
    assert learning.wrong_answers(np.roll(model.table(6, 2), 1, axis=1), 6, 2) > 0


def test_an_impossible_history_confuses_but_does_not_stop_it():
    """A maker may lie: then it goes by the codes that disagree with the fewest answers."""
    game = ts.load("mastermind:colors=3,pegs=2")
    who = ts.player("learned", game)
    ready = who.prepare(game, game.board())
    views = np.zeros(1, game.State)
    views[0].turns, views[0].dealt = 3, 1
    views[0].guesses[:3] = [1, 1, 8]  # ab is half right, and not at all; cc is wrong
    views[0].answers[:3] = [3, 0, 0]
    report, rng = np.zeros(8), np.zeros(1, np.uint64)
    acts, memory = np.arange(9, dtype=np.int32), np.zeros(ready.memory, np.uint8)
    guess = who.decider()(game, game.board()[0], views[0], acts, ready.data, memory, ready.params, report, rng)
    assert guess in (0, 4)  # aa or bb, against one answer each


def test_it_knows_how_long_it_will_take():
    """What it expects at the start is what it needs; and one of two codes that are left takes half a guess more."""
    game = ts.load("mastermind")
    who = ts.player("learned", game)
    assert who.act(game.start(1)).value == pytest.approx(-float(exact("mastermind").mean), abs=0.05)
    small = ts.load("mastermind:colors=2,pegs=2")
    position = ts.position(small, history=[1, 0])  # aa was right in one place: ab or ba
    assert ts.player("learned", small).act(position).value == -2.5


def test_too_large_boards_are_refused():
    """What it has not learned it does not play, and nobody is sent to a training that would refuse the same board."""
    for text in ("colors=7,pegs=4", "colors=6,pegs=5"):
        game = ts.load(f"mastermind:{text}")
        with pytest.raises(ts.BadInput, match=r"more than 6 colors and 4 pegs cannot be learned; take fewer$"):
            ts.player("learned", game).check(game, game.board())
    with pytest.raises(ValueError, match="colors=7 must be 2 to 6"):
        declares.LearnedSettings(colors=7)


def test_strangers_name_no_files():
    """A server reads no file of a stranger's choice for it."""
    game = ts.load("mastermind")
    with pytest.raises(ts.BadInput, match="file"):
        refuse_files(ts.player(f"learned:file={SHIPPED}", game))
    refuse_files(ts.player("learned", game))
    with pytest.raises(ts.BadInput, match=r"file=/srv/models.*of-mine/learned\.onnx does not come"):
        refuse_files(ts.player(f"learned:file=/srv/models/{'quite-' * 12}long/of-mine/learned.onnx", game))


@pytest.mark.parametrize("break_it", ["points", "order", "colors", "nothing"])
def test_files_that_are_no_models_are_refused(break_it, tmp_path):
    """A net of other sizes, or with senseless points, is refused by name before anything is planned with it."""
    net = read_net(SHIPPED)
    about = json.loads(json.dumps(net.about))
    if break_it == "points":
        about["points"]["4"][3][1] = "many"
    elif break_it == "order":
        about["points"]["2"].reverse()
    elif break_it == "colors":
        about["colors"] = 5
    else:
        about = {}
    Net(net.layers, net.last, about).write(tmp_path / "wrong.onnx", "wrong")
    game = ts.load("mastermind")
    with pytest.raises(ts.BadInput, match=r"wrong.onnx is no model of Mastermind; train one: turnsmith train"):
        ts.player(f"learned:file={tmp_path / 'wrong.onnx'}", game).check(game, game.board())


def test_a_small_training_learns_the_game(tmp_path):
    """From three hundred random games on a small board: no answer wrong, and the least number of guesses."""
    few = {"colors": 4, "pegs": 2, "games": 300, "steps": 400, "hidden": "64-32", "rounds": 2, "openings": 8}
    settings = declares.LearnedSettings(**few, to=tmp_path / "mine.onnx")
    done = learning.train(settings, TrainingContext(tmp_path / "run"))
    assert done.document["wrong"] == {1: 0, 2: 0}
    game = ts.load("mastermind:colors=4,pegs=2")
    assert ts.player(f"learned:file={tmp_path / 'mine.onnx'}", game).exact(game, game.board()).total == 45
    assert len((tmp_path / "run" / "curve.jsonl").read_text().splitlines()) == 3
    assert "| wrong answers | 0 |" in (tmp_path / "run" / "card.md").read_text()


def test_what_it_says_of_time_comes_from_play():
    """Points are means of what games took by the codes left, never falling; a model that errs still comes to an end."""
    seen = np.zeros((2, 17))
    seen[:, 1], seen[:, 2], seen[:, 3] = (4, 4), (6, 4), (4, 3)
    assert learning.points_of(seen) == [(1, 1.0), (2, 1.5), (3, 1.5)]
    silly = np.zeros((16, 16), np.uint8)  # every code gives the same answer to every guess
    mean, _ = learning.play_inside(silly, 5, Model([], 4, 2, {2: [(1, 1.0)]}).costs(16, 2), np.array([3]))
    assert mean == 20.0


def test_settings_are_checked():
    """Sizes of layers and the name of the file are refused at once."""
    for wrong in ({"hidden": "64-x"}, {"hidden": "9999"}, {"to": learning.Path("model.pt")}):
        with pytest.raises(ts.BadInput):
            declares.LearnedSettings(**wrong)
