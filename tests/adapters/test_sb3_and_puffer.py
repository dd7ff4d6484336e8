"""The same games for stable-baselines3 and in PufferLib's layout; MaskablePPO learns to beat random moves."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from turnsmith.adapters.gym import Env, PufferEnv, SB3VecEnv, VectorEnv
from turnsmith.common.errors import BadInput

SMALL = {"game": "connect_four", "width": 5, "height": 4, "connect": 3, "seat": "any"}


def test_the_vector_environment_is_that_of_single_ones():
    """Observations, rewards, ends, last observations and masks are those of stable-baselines3's own DummyVecEnv."""
    fast, slow = SB3VecEnv(num_envs=4, **SMALL), DummyVecEnv([lambda: Env(**SMALL)] * 4)
    check_env(Env(**SMALL))
    ended, draws = 0, np.random.default_rng(1)
    for envs in (fast, slow):
        envs.seed(9)
    assert (fast.reset() == slow.reset()).all()
    for _ in range(60):
        masks = np.stack(fast.env_method("action_masks"))
        assert masks.dtype == bool
        assert (masks == np.stack(slow.env_method("action_masks"))).all()
        actions = (draws.random(masks.shape) * (masks + 0.02)).argmax(1)  # some are not legal
        mine, theirs = fast.step(actions), slow.step(actions)
        for one, other in zip(mine[:3], theirs[:3], strict=True):
            assert one.dtype == other.dtype
            assert (one == other).all()
        for number in np.flatnonzero(mine[2]):
            one, other = mine[3][number], theirs[3][number]
            assert (one["terminal_observation"] == other["terminal_observation"]).all()
            assert one["returns"].tolist() == other["returns"].tolist()
            assert (one["forfeit"], one["TimeLimit.truncated"]) == (other["forfeit"], False)
            ended += 1
    assert ended > 10
    assert fast.has_attr("action_masks")
    assert not fast.has_attr("unheard_of")
    assert VecMonitor(fast).env_is_wrapped(VecMonitor) == [False] * 4
    with pytest.raises(AttributeError, match="make them anew"):
        fast.set_attr("seat", 1)


def share_won(act, games=1024):
    """The mean of wins and half draws in games that no training has seen, one an environment; its standard error."""
    envs = VectorEnv(num_envs=games, illegal="refuse", **SMALL)
    (seen, _), won = envs.reset(seed=10**6), np.full(games, np.nan)
    while np.isnan(won).any():
        seen, rewards, ended, _, _ = envs.step(act(seen, envs.action_masks()))
        won = np.where(ended & np.isnan(won), (rewards + 1) / 2, won)
    return won.mean(), won.std() / games**0.5


def test_maskable_ppo_learns_to_beat_random_moves():
    """A few seconds of sb3-contrib's MaskablePPO win far more than random moves do in the same games."""
    torch = pytest.importorskip("torch")
    from sb3_contrib import MaskablePPO

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        envs = SB3VecEnv(num_envs=64, **SMALL)
        settings = {"n_steps": 64, "batch_size": 1024, "n_epochs": 4, "learning_rate": 2e-3, "gamma": 1.0}
        model = MaskablePPO("MlpPolicy", envs, seed=1, device="cpu", **settings).learn(24_576)
        learned, error = share_won(lambda seen, masks: model.predict(seen, action_masks=masks, deterministic=True)[0])
    finally:
        torch.set_num_threads(threads)
    draws = np.random.default_rng(0)
    random, _ = share_won(lambda seen, masks: (draws.random(masks.shape) * masks).argmax(1))
    assert 0.4 < random < 0.6
    assert learned - 1.96 * error > 0.75


def test_the_layout_of_pufferlib_is_written_in_place():
    """The arrays of a buffer are those of the environment, and hold what the vector environment hands out."""
    names = {"rewards": np.float32, "terminals": bool, "truncations": bool, "masks": bool, "actions": np.int32}
    buf = {name: np.zeros(5, kind) for name, kind in names.items()}
    buf["observations"] = np.zeros((5, 83), np.float32)
    mine, other = (
        PufferEnv(num_envs=5, buf=buf, report_every=20, **SMALL),
        VectorEnv(num_envs=5, autoreset_mode=AutoresetMode.SAME_STEP, **SMALL),
    )
    seen, infos = mine.reset(seed=4)
    assert infos == []
    assert (seen == other.reset(seed=4)[0]).all()
    reports, rewards, count = [], 0.0, 0
    for _ in range(40):
        actions = mine.action_mask.argmax(1)
        got, wanted = mine.step(actions), other.step(actions)
        for name, one, expected in zip(
            ("observations", "rewards", "terminals", "truncations"), got, wanted, strict=False
        ):
            assert one is buf[name]
            assert (one == expected).all()
        assert (mine.action_mask == wanted[4]["action_mask"]).all()
        rewards, count = rewards + float(wanted[1].sum()), count + int(wanted[2].sum())
        reports += got[4]
    assert buf["masks"].all()
    assert buf["actions"].tolist() == actions.tolist()
    assert sum(report["n"] for report in reports) == count > 0
    assert sum(report["n"] * report["episode_return"] for report in reports) == pytest.approx(rewards)
    mine.async_reset(seed=4)
    mine.send(mine.action_mask.argmax(1))
    assert mine.recv()[0] is buf["observations"]
    with pytest.raises(BadInput, match=r"one action an agent: 5 are needed, not \(2,\)"):
        mine.step(np.zeros(2, np.int32))
    with pytest.raises(BadInput, match="leave out autoreset_mode"):
        SB3VecEnv(num_envs=2, autoreset_mode="SameStep", **SMALL)
    buf["rewards"] = np.zeros(5, np.float64)
    with pytest.raises(BadInput, match=r"buf\['rewards'\] must be float32\(5,\); it is float64\(5,\)"):
        PufferEnv(num_envs=5, buf=buf, **SMALL)
