"""Lessons of a teacher: rows of the unit game from games of the joint one, and a training that begins with them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.contract.trainings import TrainingContext
from turnsmith.learn import alphazero
from turnsmith.learn import residual_training as residual_net
from turnsmith.learn.batched_selfplay import Played
from turnsmith.learn.lessons import teach, teacher_of
from turnsmith.nets import residual
from turnsmith.play.batch import boards_of

UNITS = "pacman:map=9x10,moves=unit,t_max=24"
TEACHER = "negamax:depth=2,evaluation=voronoi,table=8"
SETTINGS = alphazero.AlphaZeroSettings(
    rounds=2, games=256, simulations=4, quick=2, any_size=True, channels=4, blocks=1, passes=1.0, anchored=0, proof=0,
    compare=0, gated=False, league=False, teacher=TEACHER, lessons=1, whims=0.05,
)  # fmt: skip


def lessons(game: ts.Game, text: str, games: int = 16, workers: int = 1) -> Played:
    boards = boards_of(game, 0)
    return teach(game, boards, teacher_of(text, game, boards), games, 0.1, 3, workers, lambda done, total: None)


def test_rows_follow_from_each_other_by_the_pieces_they_name():
    """Interpreted rules lead from every row to the next by its piece, and from the last to the end that was noted."""
    game = ts.load(UNITS)
    boards, played = boards_of(game, 0), lessons(ts.load(UNITS), TEACHER)
    assert len(np.unique(played.which)) > 5
    assert 0.8 < played.full_search.mean() < 0.97
    assert (np.abs(played.thought) <= 1.0).all()
    assert len(np.unique(played.thought)) > 20
    for row in range(0, len(played.game), 7):
        states, out = np.zeros(1, game.State), np.zeros(5, np.int32)
        states[0] = played.views[row]
        board, state = boards[played.which[row]], states[0]
        legal = out[: game.legal(board, state, out)].tolist()
        assert legal == np.flatnonzero(played.policy[row] >= 0).tolist()
        game.apply(board, state, int(played.policy[row].argmax()))
        last = row + 1 == len(played.game) or played.game[row + 1] != played.game[row]
        assert state.tobytes() == (played.ends[played.game[row]] if last else played.views[row + 1]).tobytes()
    states, wanted = np.zeros(1, game.State), np.zeros(2)
    states[0] = played.ends[0]
    game.returns(boards[0], states[0], wanted)
    assert (played.returns[0] == wanted).all()


def test_lessons_are_the_same_on_any_number_of_threads():
    game = ts.load(UNITS)
    one, two = (vars(lessons(game, TEACHER, workers=workers)) for workers in (1, 2))
    assert all(one[name].tobytes() == two[name].tobytes() for name in one)


def test_a_training_begins_with_lessons_and_another_with_its_net(tmp_path):
    """One lesson, then a round of its own; its net plays the joint game and is where the next training starts."""
    done = alphazero.train(SETTINGS, TrainingContext(tmp_path / "one", 1, game_text=UNITS))
    net = done.document["net"]
    joint = ts.load("pacman:map=tiny,t_max=24")
    table = ts.arena(joint, [f"alphazero:net={net},simulations=4", "original-ghosts"], games=4, seed=1)
    assert (np.abs(table.returns[:, 0]) <= 1.0).all()
    fresh = residual_net.Residual(12, None, 4, 1, 5, 1)
    residual_net.begin_with(fresh, tmp_path / "one" / "net-1.onnx")
    planes = np.random.default_rng(1).integers(0, 2, (3, 12, 10, 9), np.uint8)
    import torch

    said = residual.read_planes_net(tmp_path / "one" / "net-1.onnx")(planes)
    assert np.allclose(fresh(torch.from_numpy(planes)).detach().numpy(), said, atol=1e-4)
    with pytest.raises(ts.BadInput, match="another shape"):
        residual_net.begin_with(residual_net.Residual(12, None, 8, 1, 5, 1), tmp_path / "one" / "net-1.onnx")


def test_every_round_has_boards_of_its_own_and_its_rows_are_seen_on_them(tmp_path):
    """Two rounds on eight mazes each; interpreted legal moves of what is learned from fit its board, killed or not."""
    settings = replace(SETTINGS, rounds=2, lessons=2, boards=8, view="features", hidden="8", falling=True)
    alphazero.train(settings, TrainingContext(tmp_path / "one", 1, game_text=UNITS))
    game, parts = ts.load(UNITS), [dict(np.load(tmp_path / "one" / f"rows-{number}.npz")) for number in (0, 1)]
    boards = [alphazero.round_boards(game, settings, number) for number in (0, 1)]
    assert len({board.tobytes() for each in boards for board in each}) == 16
    sample, all_boards = alphazero.joined(parts, boards), np.concatenate(boards)
    assert set(sample.which.tolist()) == set(range(16))
    out, states = np.zeros(5, np.int32), np.zeros(1, game.State)
    for row in range(0, len(sample.which), 997):
        states[0] = sample.views[row]
        legal = out[: game.legal(all_boards[sample.which[row]], states[0], out)].tolist()
        assert legal == np.flatnonzero(sample.policy[row] >= 0).tolist()

    killed = TrainingContext(tmp_path / "two", 1, game_text=UNITS)
    alphazero.train(replace(settings, rounds=1), killed)
    alphazero.train(settings, killed)
    assert (tmp_path / "two" / "net-1.onnx").read_bytes() == (tmp_path / "one" / "net-1.onnx").read_bytes()


def test_who_cannot_teach_is_refused():
    game = ts.load(UNITS)
    with pytest.raises(ts.BadInput, match="does not run compiled"):
        teacher_of("scripted", game, boards_of(game, 0))
    with pytest.raises(ts.BadInput, match="cannot play"):
        teacher_of("expectimax", ts.load("pig:players=3"), boards_of(ts.load("pig:players=3"), 0))


def test_a_net_of_planes_need_not_foretell_the_end(tmp_path):
    """Nothing teaches that part then, and the next round goes on from the checkpoint all the same."""
    settings = replace(SETTINGS, ends=0.0, lessons=2)
    done = alphazero.train(settings, TrainingContext(tmp_path, 1, game_text=UNITS))
    assert residual.read_planes_net(Path(done.document["net"])).outputs == 6
