"""Games as environments of Gymnasium: its own checks, and the compiled vector environment against one in Python."""

import re
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_match import check_environments_match
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import turnsmith as ts
import turnsmith.adapters.gym as doors

ROOT = Path(__file__).parent.parent.parent
NIM = str(ROOT / "examples" / "nim.py")
SHELLS = str(ROOT / "tests" / "games_for_tests" / "shells.py")
SMALL = {  # options with which an episode is short; every game must be here
    "connect_four": {"width": 4, "height": 4, "connect": 3},
    "othello": {"size": 4},
    "pig": {"target": 12, "players": 3},
    "mastermind": {"colors": 3, "pegs": 2},
    "dicewars": {"players": 3, "maps": 3},
    "pacman": {"t_max": 12},
    "tactics": {"size": 8, "team": 1, "turn.rounds": 4, "maps": 2},
    "homeguard": {"size": 7, "maps": 3},
}
KNOWN_WARNINGS = "|".join(
    [
        "space (minimum|maximum) value is -?infinity",  # a game's own features may be any numbers
    ]
)


@pytest.mark.parametrize("name", ts.games())
def test_every_game_passes_check_env(name):
    """Gymnasium's own check of spaces, seeds, determinism, data that is not reused, and rendering."""
    made = gymnasium.make(doors.env_id(name), disable_env_checker=True, **SMALL.get(name, {}), render_mode="ansi")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        check_env(made.unwrapped)
    assert [str(each.message) for each in told if not re.search(KNOWN_WARNINGS, str(each.message))] == []
    assert isinstance(made.unwrapped.render(), str)


class WithMasks(gymnasium.vector.VectorWrapper):
    """What Gymnasium's matcher can compare: it steps by masks where asked, as it would else hardly meet a legal move,
    and hands out what ended in `info`, as the matcher knows only one environment."""

    def __init__(self, env, masked):
        super().__init__(env)
        self.masked, self.episodes = masked, 0

    def reset(self, **settings):
        seen, info = self.env.reset(**settings)
        self.mask = info["action_mask"]
        return seen, info

    def step(self, actions):
        if self.masked:
            counts = np.maximum(self.mask.sum(1), 1)
            actions = np.array([np.flatnonzero(m)[a % c] for m, a, c in zip(self.mask, actions, counts, strict=True)])
        seen, rewards, terminated, truncated, info = self.env.step(actions)
        self.mask, self.episodes = info["action_mask"], self.episodes + int(terminated.sum())
        return seen, rewards, False, False, {**info, "terminated": terminated, "truncated": truncated}


def match(steps, masked=True, count=3, mode=AutoresetMode.NEXT_STEP, **settings):
    """Compare the compiled environments with as many in Python; how many episodes ended."""
    fast = WithMasks(doors.VectorEnv(num_envs=count, autoreset_mode=mode, render_mode="ansi", **settings), masked)
    one = [lambda: doors.Env(render_mode="ansi", **settings)] * count
    slow = WithMasks(SyncVectorEnv(one, autoreset_mode=mode), masked)
    check_environments_match(fast, slow, steps, seed=5)
    assert fast.unwrapped.metadata["autoreset_mode"] == mode
    return fast.episodes


@pytest.mark.parametrize("name", [*ts.games(), NIM, SHELLS])
def test_compiled_environments_are_those_in_python(name):
    """Same seeds, same observations, rewards, ends, masks, infos and texts, over whole episodes and in any seat."""
    settings = {"game": name, "seat": "any", **SMALL.get(name, {})}
    assert match(40, **settings) > 0


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
@pytest.mark.parametrize(
    "settings",
    [
        {"game": "leduc", "seat": 1},
        {"game": "connect_four", "seat": "all", "view": "planes"},
        {"game": "connect_four", "opponents": "mcts:simulations=8", "width": 4, "height": 4},
        {"game": "pig:target=12", "players": 4, "opponents": "random,mcts:simulations=4,random", "seat": 2},
        {"game": "leduc", "masked": False},
        {"game": "leduc", "masked": False, "illegal": "random"},
    ],
    ids=str,
)
def test_both_ways_of_starting_again_match(settings, mode):
    """With searches as opponents, planes, self-play and illegal actions, both autoreset modes are Gymnasium's."""
    assert match(40, mode=mode, **settings) > 2
