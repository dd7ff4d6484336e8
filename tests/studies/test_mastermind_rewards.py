"""The six rewards of Mastermind, one guess at a time against what was written down, and learning by them."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

import turnsmith as ts
from turnsmith.contract.trainings import TrainingContext
from turnsmith.games.mastermind.notation import read_code
from turnsmith.games.mastermind.pixels import GROUND
from turnsmith.learn import run
from turnsmith.nets.files import read_arrays
from turnsmith.studies.mastermind import ppo
from turnsmith.studies.mastermind import trainings as declares
from turnsmith.studies.mastermind.rewarded import RewardedGames
from turnsmith.studies.mastermind.rewards import REWARDS


def paid(kind, text, secret, *guesses):
    """What each guess is paid in a game with a known secret."""
    games = RewardedGames(text, 1, kind, (0, 0))
    board = games.boards[0]
    games.states[0].secret = read_code(board, secret)
    found = []
    for guess in guesses:
        games.step(np.array([read_code(board, guess)]))
        found.append(round(float(games.rewards[0]), 4))
    return found


@pytest.mark.parametrize(
    ("kind", "rewards"),
    [(1, [-1, -1, -1, 1]), (2, [-1 + 0.24 + 0.15, -1, -1 + 3 * 0.24, 1]), (3, [-0.5, -1, -0.5, 1])],
)
def test_rewards_by_hand(kind, rewards):
    """Secret abde: aabc has 1 + 1 and is played twice; abdf has three red; then the code itself."""
    given = paid(kind, "mastermind", "abde", "aabc", "aabc", "abdf", "abde")
    assert given == pytest.approx(rewards, abs=1e-4)


def test_colours_that_cannot_be():
    """A colour of a guess without pegs, or one outside a guess with all of them, takes the pegs' reward away."""
    assert paid(2, "mastermind", "abcd", "eeff", "abce", "badc", "abcf", "abdc") == pytest.approx(
        [-1, -1, -1 + 4 * 0.15, -1, -1 + 2 * 0.24 + 2 * 0.15], abs=1e-4
    )


def test_shares_of_removed_codes():
    """On four colours and two pegs: ab leaves 4 of 16 codes when one is misplaced and one absent (0+1)."""
    share = 12 / 16  # of ca, da, bc and bd is the code
    text = "mastermind:colors=4,pegs=2"
    assert paid(4, text, "ca", "ab", "ca") == pytest.approx([share - 1, 1], abs=1e-4)
    assert paid(5, text, "ca", "ab", "ab") == pytest.approx([share - 1 + 2 * 0.15, -1], abs=1e-4)
    assert paid(6, text, "ca", "ab") == pytest.approx([(share - 1) * (1 - 1 / 3)], abs=1e-4)


def test_relative_rewards_stay_below_nothing():
    """Until the code is broken reward 6 never pays; reward 5 does."""
    games = {kind: RewardedGames("mastermind", 64, kind, (3, 1)) for kind in (5, 6)}
    random, most = np.random.default_rng(0), {5: -1.0, 6: -1.0}
    for _ in range(30):
        guesses = random.integers(0, 1296, 64)
        for kind, each in games.items():
            each.step(guesses)
            going = each.rewards < 1.0
            most[kind] = max(most[kind], float(each.rewards[going].max()))
    assert most[6] <= 0.0 < most[5]


def test_what_is_seen_is_the_history():
    """Ten turns of four colours, red and white: 340 bits, those of the turns so far set, and none in a new game."""
    games = RewardedGames("mastermind", 1, 1, (0, 0))
    games.states[0].secret = read_code(games.boards[0], "abcd")
    assert games.seen.shape == (1, 340)
    games.step(np.array([read_code(games.boards[0], "abdf")]))
    assert np.flatnonzero(games.seen[0]).tolist() == [0, 7, 15, 23, 24 + 2, 29 + 1]
    games.step(np.array([read_code(games.boards[0], "abcd")]))
    assert games.lengths[0] == 2
    assert not games.seen.any()


@pytest.fixture
def undrawn(monkeypatch):
    """Curves are not drawn, which takes longer than such a training; those of other trainings are."""
    monkeypatch.setattr(run, "plot", lambda *_: b"")


FEW = {"colors": 2, "pegs": 2, "steps": 3072, "games": 16, "horizon": 8, "batch": 64, "hidden": 24, "leg": 1024}


def test_it_learns_from_reward(tmp_path):
    """On a board of four codes games get shorter from reward alone: 3.7 guesses by lot, 2.0 at best."""
    more = {"steps": 16384, "games": 32, "leg": 2048, "batch": 128, "epochs": 2, "rate": 1e-2, "reward": "finish"}
    done = ppo.train(declares.PpoSettings(**{**FEW, **more}), TrainingContext(tmp_path)).document
    lengths = [json.loads(line)["length"] for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    assert lengths[0] > 3.3
    assert lengths[-1] < 2.5
    assert 2.0 <= done["mean"] < 2.6


@pytest.mark.parametrize("reward", [*REWARDS, "6"])
def test_rewards_by_number_and_name(reward):
    """Both name the same."""
    kind = declares.PpoSettings(reward=reward).kind
    assert REWARDS[kind - 1] == reward or str(kind) == reward
    with pytest.raises(ts.BadInput, match="must be 1 to 6, or one of finish, basic"):
        declares.PpoSettings(reward=reward + "x")


@pytest.mark.usefixtures("undrawn")
def test_more_steps_go_on_where_fewer_ended(tmp_path):
    """A run of two legs continued to three is the run of three legs."""
    three = declares.PpoSettings(**FEW)
    ppo.train(replace(three, steps=2048), TrainingContext(tmp_path / "first"))
    for folder in ("first", "whole"):
        ppo.train(three, TrainingContext(tmp_path / folder))
    first, whole = (read_arrays(tmp_path / folder / "leg-2.npz") for folder in ("first", "whole"))
    assert all(np.array_equal(first[name], whole[name]) for name in whole)
    assert (tmp_path / "first" / "curve.jsonl").read_text() == (tmp_path / "whole" / "curve.jsonl").read_text()
    assert not (tmp_path / "whole" / "leg-1.npz").exists()


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(("by", "see"), [("own", "pictures"), ("sb3", "history"), ("sb3", "pictures")])
def test_every_other_way_goes_on(tmp_path, by, see):
    """By pictures and by stable-baselines3: the second leg is the same after the first was read."""
    few = {**FEW, "games": 8, "batch": 64, "epochs": 1, "leg": 64, "by": by, "see": see, "zero": "wood"}
    for folder, steps in (("first", 64), ("first", 128), ("whole", 128)):
        done = ppo.train(declares.PpoSettings(**few | {"steps": steps}), TrainingContext(tmp_path / folder)).document
    first, whole = (read_arrays(tmp_path / folder / "leg-1.npz") for folder in ("first", "whole"))
    assert all(np.array_equal(first[name], whole[name]) for name in whole)
    assert np.abs(whole["exp_avg0"]).max() > 0
    assert 1 <= done["mean"] <= 10


def test_stable_baselines3_gets_rows_and_no_secrets():
    """Of each game it can ask what was seen, paid and took; everything else is said not to be there."""
    from turnsmith.studies.mastermind.ppo_sb3 import RewardedVecEnv

    envs = RewardedVecEnv(declares.PpoSettings(games=3, reward="1"), 0)
    first = envs.games.states["secret"].copy()
    assert not envs.reset().any()
    assert first.tolist() != envs.games.states["secret"].tolist()
    envs.step(np.zeros((3, 4), np.int64))
    assert envs.get_attr("rewards", [0, 2]) == envs.games.rewards[[0, 2]].tolist()
    assert len(envs.get_attr("seen", 1)) == 1
    for name in ("states", "unheard_of"):
        assert not envs.has_attr(name)
    with pytest.raises(AttributeError, match="make them anew"):
        envs.set_attr("kind", 2)
    with pytest.raises(AttributeError, match="has no method action_masks"):
        envs.env_method("action_masks")


def test_pictures_do_not_show_the_secret():
    """Two games that differ in the secret alone look the same before the first guess, and not after an answer."""
    games = RewardedGames("mastermind", 2, 1, (0, 0), "pictures")
    games.states["secret"] = [read_code(games.boards[0], code) for code in ("abcd", "eeff")]
    games.look()
    assert np.array_equal(*games.seen)
    games.step(np.full(2, read_code(games.boards[0], "abce")))
    assert not np.array_equal(*games.seen)


@pytest.mark.parametrize("by", ["own", "sb3"])
def test_wood_can_be_nothing_to_the_net(by):
    """A picture of plain wood then tells it no more than its own first numbers, all 0; a black one does not."""
    bare = torch.from_numpy(np.tile(GROUND, (1, 142, 44, 1)))
    values = {}
    for zero in ("black", "wood"):
        learner = ppo.learner_class(by)(
            declares.PpoSettings(colors=4, pegs=2, see="pictures", zero=zero), bare.shape[1:]
        )
        values[zero] = abs(float(learner(bare)[1].detach()[0]))
    assert values["wood"] < 1e-6 < values["black"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"see": "pictures", "pegs": 1}, "take 2 pegs or more"),
        ({"games": 1, "horizon": 1}, "leaves one guess alone"),
        ({"games": 3, "horizon": 3, "batch": 4}, "leaves one guess alone"),
    ],
)
def test_settings_that_cannot_learn(wrong, said):
    """They would end in a net of nothing but NaN, or in a traceback."""
    with pytest.raises(ts.BadInput, match=said):
        declares.PpoSettings(**wrong)
