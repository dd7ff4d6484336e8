"""Growing trees: equal depth, what is kept and dropped, the same bytes whoever works and however often it stops."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnsmith.cli import main
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import interpreted
from turnsmith.compile.rng import stream
from turnsmith.contract.loading import load
from turnsmith.games.homeguard import minds, rules
from turnsmith.maps import tree_kernels, tree_runs
from turnsmith.maps.tree import PADDING, reachable_best
from turnsmith.maps.tree_runs import Nursery, TreeSettings, read_grown

SMALL = TreeSettings("homeguard", maps=4, per_map=2, iterations=2, branches=6, kept=2, dropout=0.3, seed=7)
PLAN = tree_kernels.GrowthPlan(6, 1, 2, 0.0, 20.0, 2, 6, 4, 10**6)
joint = st.sets(st.integers(0, 35), min_size=1).map(sorted)


def grown(**changes):
    """The trees of small settings with some changed."""
    nursery = Nursery(TreeSettings(**{**vars(SMALL), **changes}))
    return nursery.grow(np.arange(nursery.trees))


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# ---------------------------------------------------------------- one tree


def test_interpreted():
    """The compiled tree is the one that the same rules grow interpreted."""
    nursery = Nursery(SMALL, interpreted(tree_kernels.grow_trees))
    slow, fast = nursery.grow(np.arange(2)), grown(maps=1)
    for name in ("actions", "scores", "best"):
        assert np.array_equal(getattr(slow, name), getattr(fast, name))
    for name, side in slow.sides.items():
        assert np.array_equal(side, fast.sides[name])


def regrown(game, board, state, left):
    """Every branch of a tree by plain recursion: its joint actions and its scores after each round."""
    if left == 0:
        return [((), ())]
    own, others, found = np.zeros(36, np.int32), np.zeros(36, np.int32), []
    answers = rules.list_moves(board, state, rules.ENEMY, others)
    reply, _ = minds.greedy_move(board, state, rules.ENEMY, others[:answers])
    for action in own[: rules.list_moves(board, state, rules.PLAYER, own)].tolist():
        after = state.copy()
        rules.resolve(board, after, action, int(reply))
        score = int(after.dealt[0]) - int(after.dealt[1])
        below = regrown(game, board, after, left - 1)
        found += [((*divmod(action, 6), *actions), (score, *scores)) for actions, scores in below]
    return found


def test_all_branches():
    """Where nothing is pruned, a tree has exactly the branches that plain recursion finds, with their scores."""
    nursery = Nursery(TreeSettings("homeguard:size=7", maps=1, per_map=1, iterations=1, branches=2000, seed=3))
    trees = nursery.grow(np.arange(1))
    boards, _ = nursery.boards(np.arange(1))
    states = np.zeros(1, nursery.game.State)
    board, state = boards.view(np.recarray)[0], states.view(np.recarray)[0]
    rules.setup(board, state)
    there = trees.is_there[0]
    branches = zip(trees.actions[0, there].tolist(), trees.scores[0, there, 1::2].tolist(), strict=True)
    expected = regrown(nursery.game, board, state, 2)
    assert sorted((tuple(actions), tuple(scores)) for actions, scores in branches) == sorted(expected)


def test_equal_depth():
    """Every branch that is there has every layer, with actions of a soldier and scores that fit what was dealt."""
    trees = grown(maps=20, branches=30)
    there = trees.is_there
    assert trees.actions.shape == (40, 30, 8)
    assert there.all()
    assert set(np.unique(trees.actions)) <= set(range(6))
    score = trees.sides["dealt"][..., 0] - trees.sides["taken"][..., 0]
    assert np.array_equal(trees.ends_of_rounds(trees.scores), score)
    assert (trees.sides["positions"][:, :, 0] == [0, 80, 8, 72]).all()


def test_skip():
    """Skipped rounds are played before the tree: all its branches begin there, and games of others go on from there."""
    trees = grown(maps=5, skip=3)
    begins = trees.sides["positions"][:, :, 0]
    assert (begins == begins[:, :1]).all()
    assert (begins[:, 0] != [0, 80, 8, 72]).any(axis=1).all()
    assert len(np.unique(begins[:, 0], axis=0)) > 5
    other = Nursery(TreeSettings("dicewars", maps=2, per_map=2, iterations=1, branches=8, kept=2, seed=1, skip=2))
    plain = Nursery(TreeSettings("dicewars", maps=2, per_map=2, iterations=1, branches=8, kept=2, seed=1))
    assert not np.array_equal(other.grow(np.arange(4)).scores, plain.grow(np.arange(4)).scores)


def test_padding():
    """A tree with fewer branches is filled up, and what is there comes first."""
    trees = grown(iterations=1, branches=2000, kept=0)
    there = trees.is_there
    assert 40 < there.sum(axis=1).min() < there.sum(axis=1).max() < 2000
    assert (np.sort(~there, axis=1) == ~there).all()
    assert (trees.best[~there] == PADDING).all()


def test_best():
    """What could be reached is the best final score among branches that begin the same."""
    trees = grown(maps=20, branches=40)
    assert np.array_equal(trees.best, reachable_best(trees.actions, trees.scores))


def test_drawn_by_score():
    """The first to be drawn is drawn by the softmax of the scores, and nobody twice."""
    draw, score, rng = interpreted(tree_kernels.draw_kept), np.array([0, 20, 40, 0], np.int16), stream(1)
    draws = np.array([draw(score, PLAN._replace(branches=3), rng) for _ in range(3000)])
    assert all(len(set(each)) == 3 for each in draws.tolist())
    weights = np.exp(score / 20.0)
    share, expected = np.bincount(draws[:, 0], minlength=4) / 3000, weights / weights.sum()
    assert np.abs(share - expected).max() < 4 * np.sqrt(0.25 / 3000)
    assert len(draw(score, PLAN, rng)) == 4


# ---------------------------------------------------------------- what is kept and dropped


@given(joint, st.integers(1, 3), st.integers(0, 1000))
def test_kept_actions(acts, kept, seed):
    """Of every layer so many actions stay as are kept, or all where there are no more."""
    out = np.array(acts, np.int32)
    count = interpreted(tree_kernels.keep_some)(out, len(acts), PLAN._replace(kept=kept), stream(seed))
    found = out[:count].tolist()
    firsts = {act // 6 for act in found}
    assert found == sorted(set(found) & set(acts))
    assert len(firsts) == min(kept, len({act // 6 for act in acts}))
    for first in firsts:
        assert sum(act // 6 == first for act in found) == min(kept, sum(act // 6 == first for act in acts))


@given(joint, st.floats(0.0, 0.99), st.integers(0, 1000))
def test_first_action_stays(acts, dropout, seed):
    """Dropout never takes the first action, and puts none in another place."""
    out = np.array(acts, np.int32)
    count = interpreted(tree_kernels.drop_some)(out, len(acts), dropout, stream(seed))
    found = out[:count].tolist()
    assert found[0] == acts[0]
    assert found == sorted(set(found) & set(acts))


def test_dropout_where_pruned():
    """Actions are dropped only in iterations that prune."""
    wide = {"iterations": 1, "branches": 2000, "kept": 0}
    assert np.array_equal(grown(**wide, dropout=0.9).is_there, grown(**wide, dropout=0.0).is_there)
    narrow = grown(iterations=1, branches=40, kept=0, dropout=0.9)
    assert narrow.is_there.sum(axis=1).max() < 40


# ---------------------------------------------------------------- folders


def test_workers(tmp_path, monkeypatch):
    """One thread and three write the same bytes, and every map has the covers of its class."""
    monkeypatch.setattr(tree_runs, "CHUNK", 3)
    for workers in (1, 3):
        tree_runs.grow(SMALL, tmp_path / str(workers), workers)
    assert contents(tmp_path / "1") == contents(tmp_path / "3")
    maps, trees = read_grown(tmp_path / "1")
    assert tree_runs.labels_of(maps, "").tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert maps[0].source["rows"] == maps[1].source["rows"] != maps[2].source["rows"]
    assert maps[0].source["portals"] != maps[1].source["portals"]
    assert np.array_equal(trees.scores, grown().scores)
    assert set(trees.sides) == set(grown().sides)


def test_goes_on(tmp_path, monkeypatch):
    """Growing that was stopped goes on, and ends with the bytes of growing that was not."""
    monkeypatch.setattr(tree_runs, "CHUNK", 3)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tree_runs.grow(SMALL, tmp_path / "stopped", 1, stop)
    begun = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "stopped" / "chunks").iterdir()}
    assert begun
    with pytest.raises(BadInput, match="no trees"):
        read_grown(tmp_path / "stopped")
    for folder in ("stopped", "whole"):
        tree_runs.grow(SMALL, tmp_path / folder, 2)
    assert contents(tmp_path / "stopped") == contents(tmp_path / "whole")
    with pytest.raises(BadInput, match="begun with seed=7"):
        tree_runs.grow(TreeSettings(**{**vars(SMALL), "seed": 8}), tmp_path / "whole")


@pytest.mark.parametrize("game", ["pacman:map=tiny", "connect_four"])
def test_other_games(tmp_path, game):
    """Trees of any game follow one seat; scores are its estimates, and stay where the game is over."""
    settings = TreeSettings(game, maps=2, per_map=2, iterations=2, branches=5, kept=2, player="random", seed=1)
    tree_runs.grow(settings, tmp_path)
    maps, trees = read_grown(tmp_path)
    assert trees.layers_a_round == 1
    assert trees.actions.shape[0] == len(maps) == 4
    assert maps[0].source == maps[1].source
    assert np.abs(trees.scores[trees.is_there]).max() <= tree_kernels.GREATEST
    load(maps[0].game).rebuild(maps[0].source)


def test_another_opponent(tmp_path):
    """Homeguard against a player that its own way does not know grows as any game does, and is read again as such."""
    nursery = Nursery(TreeSettings("homeguard", maps=1, per_map=2, iterations=1, branches=4, player="random"))
    assert nursery.growth is tree_runs.ANY
    tree_runs.grow(nursery.settings, tmp_path)
    maps, trees = read_grown(tmp_path)
    assert trees.layers_a_round == 1
    assert tree_runs.growth_for(maps, trees) is tree_runs.ANY


def test_too_wide(monkeypatch):
    """A tree that would not fit in memory is refused."""
    monkeypatch.setattr(tree_runs, "MOST_BYTES", 2000)
    with pytest.raises(BadInput, match=r"more than .* nodes; keep fewer actions"):
        grown(branches=1000, kept=0)


def test_command(tmp_path, capsys):
    """The command says what it wrote, and refuses in one line what cannot be."""
    words = ["maps", "trees", "homeguard", "--maps", "2", "--per-map", "2", "--kept", "2", "--iterations", "1"]
    with pytest.raises(SystemExit) as end:
        main([*words, "--to", str(tmp_path / "grown"), "--json"])
    assert end.value.code == 0
    assert json.loads(capsys.readouterr().out)["trees"] == 4
    for wrong, said in (
        (["--player", "nobody"], "no player 'nobody'"),
        (["--seat", "1"], "follow seat 0"),
        (["--dropout", "2"], "--dropout"),
        (["--kept", "-1"], "--kept"),
        (["--seed", "5", "--to", str(tmp_path / "grown")], "begun with"),
        (["--to", str(tmp_path / "grown" / "trees")], "is a file"),
    ):
        with pytest.raises(SystemExit) as end:
            main([*words, "--to", str(tmp_path / "other"), *wrong])
        assert end.value.code == 2
        refusal = capsys.readouterr().err
        assert said in refusal
        assert refusal.count("\n") == 1
