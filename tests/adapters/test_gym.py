"""Games as environments of Gymnasium: its own checks, and the compiled vector environment against one in Python."""

import re
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_match import check_environments_match
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from short_games import NUMBA_WARNS, SHORT

import turnsmith as ts
import turnsmith.adapters.gym as doors
from turnsmith.adapters import rendering
from turnsmith.adapters.table import match_seed
from turnsmith.common.errors import BadInput
from turnsmith.play.player import Decision, Player

ROOT = Path(__file__).parent.parent.parent
NIM = str(ROOT / "examples" / "nim.py")
KNOWN_WARNINGS = "|".join(
    [
        NUMBA_WARNS,
        "space (minimum|maximum) value is -?infinity",  # a game's own features may be any numbers
    ]
)


@pytest.mark.parametrize("name", ts.games())
def test_every_game_passes_check_env(name):
    """Gymnasium's own check of spaces, seeds, determinism, data that is not reused, and rendering."""
    made = gymnasium.make(doors.env_id(name), disable_env_checker=True, **SHORT.get(name, {}), render_mode="ansi")
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


@pytest.mark.parametrize("name", [*ts.games(), NIM])
def test_compiled_environments_are_those_in_python(name):
    """Same seeds, same observations, rewards, ends, masks, infos and texts, over whole episodes and in any seat."""
    settings = {"game": name, "seat": "any", **SHORT.get(name, {})}
    assert match(600 if name == "backgammon" else 40, **settings) > 0


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


def test_the_first_episode_of_a_seed_is_the_match_of_that_seed():
    """An environment reset with a seed plays what ``ts.play`` plays with it; the next episodes have other seeds."""
    match = ts.play("leduc", ["mcts:simulations=5", "random"], seed=11)
    env = doors.Env("leduc", seat=0)
    _, info = env.reset(seed=11)
    for before, action in ts.position("leduc", 11, match.actions).trail():
        if before.mover == 0:
            assert np.flatnonzero(info["action_mask"]).tolist() == before.actions.tolist()
            _, reward, over, _, info = env.step(action)
    assert over
    assert [reward, *info["returns"][1:]] == match.returns
    env.reset()
    starts = {env.reset()[0].tobytes() for _ in range(60)}
    assert len(starts) == 6  # its card
    assert match_seed(11, 0) == 11 != match_seed(11, 1)


def test_maps_never_seen_look_the_same_to_a_learner():
    """Other maps have other boards but the same inputs, so that what was learned on some is tested on others."""
    train, test = (doors.Env("homeguard", maps=4, first_map=first) for first in (0, 1000))
    assert train.observation_space == test.observation_space
    assert train.table.observer.names == test.table.observer.names
    boards = {board.tobytes() for env in (train, test) for board in env.table.boards}
    assert len(boards) == 8
    seen = {train.reset(seed=seed) and train.table.board(seed)[0] for seed in range(40)}
    assert seen == {0, 1, 2, 3}


def test_environments_without_resets_wait_for_them():
    """With autoreset disabled an ended episode is reset by a mask, and the others go on untouched."""
    env = doors.VectorEnv("leduc", 6, autoreset_mode=AutoresetMode.DISABLED, illegal="refuse")
    with pytest.raises(BadInput, match="reset first"):
        env.step(np.zeros(6, np.int64))
    _, info = env.reset(seed=3)
    ended = np.zeros(6, bool)
    while not ended.any():
        _, _, ended, _, info = env.step(info["action_mask"].argmax(1))
    with pytest.raises(BadInput, match="is at the end of its episode: reset it"):
        env.step(np.zeros(6, np.int64))
    before = env.episodes._world.states.copy()
    _, info = env.reset(options={"reset_mask": ended})
    assert info["_action_mask"].tolist() == ended.tolist()
    assert (env.episodes._world.states[~ended] == before[~ended]).all()
    mask = env.action_masks()
    assert mask.any(1).all()
    assert not mask[ended].all(1).any()
    wrong = (~mask).argmax(1)
    with pytest.raises(BadInput, match=r"environment 0: action \d is not legal there"):
        env.step(wrong)


def test_arrays_that_are_not_copied_cannot_be_written_to():
    """What is legal comes from the rules alone: a learner cannot talk compiled code into an illegal move."""
    env = doors.VectorEnv("connect_four", 2, copy=False)
    seen, info = env.reset(seed=0)
    for array in (seen, info["action_mask"], env.episodes.mask):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 1
    kept = doors.VectorEnv("connect_four", 2)
    seen, info = kept.reset(seed=0)
    info["action_mask"][:] = 1
    before = seen.copy()
    kept.step(np.array([3, 3]))
    assert (seen == before).all()


@dataclass(frozen=True, repr=False)
class First(Player):
    name = "first"

    def act(self, position):
        return Decision(int(position.actions[0]), position.legal[0])


def test_players_in_python_sit_in_single_environments():
    """Any player is an opponent of one environment; many at once want compiled ones, and say so."""
    env = doors.Env("connect_four", opponents=First(), seat=1)
    env.reset(seed=1)
    for _ in range(2):
        *_, over, _, _ = env.step(6)
    assert str(env._look).splitlines()[4].split()[0] == str(env._look).splitlines()[5].split()[0] != "·"
    assert not over
    with pytest.raises(BadInput, match="not compiled, so it cannot play many games at once"):
        doors.VectorEnv("connect_four", 2, opponents=First())


@pytest.mark.parametrize(
    ("settings", "cause"),
    [
        ({"game": "conect_four"}, "did you mean 'connect_four'"),
        ({"game": "connect_four", "wdth": 5}, "has no setting 'wdth'"),
        ({"game": "connect_four", "width": 99}, "width=99 must be 2 to 10"),
        ({"game": "connect_four", "seat": 2}, "seat=2 must be 0 to 1"),
        ({"game": "connect_four", "seat": "first"}, "seat=first must be 0 to 1, 'any'"),
        ({"game": "pig:players=3", "opponents": "random,random,random"}, "name one opponent, or 2; 3 are named"),
        ({"game": "connect_four", "opponents": "nobody"}, "there is no player 'nobody'"),
        ({"game": "pig", "view": "planes"}, "pig has no planes"),
        ({"game": "pig", "view": "words"}, "view=words is not one of features, planes"),
        ({"game": "pig", "illegal": "win"}, "illegal=win is not one of lose, random, refuse"),
        ({"game": "pig", "maps": 0}, "maps=0"),
        ({"game": "pig", "maps": "two"}, "maps is a whole number, not two"),
        ({"game": "openspiel:hex", "board_size": 5}, "parameters of openspiel:hex stand in its brackets"),
        ({"game": "pig", "render_mode": "rgb"}, "render_mode=rgb is not one of ansi, human, rgb_array"),
    ],
    ids=str,
)
def test_bad_settings_are_refused_in_one_line(settings, cause):
    """Whatever is wrong with an environment's settings is named, by one environment and by many."""
    for make in (doors.Env, doors.VectorEnv):
        with pytest.raises(BadInput, match=re.escape(cause)) as refused:
            make(**settings)
        assert "\n" not in str(refused.value)


def test_pixels_show_what_the_learner_sees(monkeypatch):
    """One size in every position, as one environment and as many; another position is another picture, and what is
    hidden from the learner stays so. Where nothing draws SVG, the cure is named."""
    one, many = (make("kuhn", render_mode="rgb_array") for make in (doors.Env, doors.VectorEnv))
    one.reset(seed=3), many.reset(seed=3)
    first = one.render()
    assert (first.shape, first.dtype) == ((480, 480, 3), np.uint8)
    assert np.array_equal(many.render()[0], first)
    assert not np.array_equal(first, rendering.pixels(one._look.picture()))  # which shows both cards
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 10
    one.step(0)
    assert one.render().shape == first.shape
    assert not np.array_equal(one.render(), first)
    monkeypatch.setattr(rendering, "HAS_PIXELS", False)
    with pytest.raises(BadInput, match="needs resvg_py and pillow: pip install"):
        doors.Env("kuhn", render_mode="rgb_array")


def test_bad_actions_and_sizes_are_refused():
    """Actions are whole numbers, one an environment, and there is at least one of those."""
    env, one = doors.VectorEnv("connect_four", 3), doors.Env("connect_four")
    env.reset(seed=0)
    one.reset(seed=0)
    for wrong in ([1, 2], [[1], [2], [3]], [0.5, 1.0, 2.0], "abc", None):
        with pytest.raises(BadInput, match="one whole number an environment"):
            env.step(wrong)
    for wrong in (0.5, None, "a", [1, 2]):
        with pytest.raises(BadInput, match="an action is a whole number"):
            one.step(wrong)
    for size in (0, -1, 2.5, True, 1 << 30):
        with pytest.raises(BadInput, match="num_envs="):
            doors.VectorEnv("connect_four", size)
    _, rewards, ended, _, info = env.step(np.array([2**40 + 3, -1, 3]))
    assert (rewards.tolist(), ended.tolist()) == ([-1.0, -1.0, 0.0], [True, True, False])
    assert info["forfeit"].tolist() == [True, True, False]


def test_games_have_ids_and_files_are_made_by_their_path():
    """Every game is registered, options are keyword arguments, and a stranger's file is an environment too."""
    assert {doors.env_id(name) for name in ts.games()} <= set(gymnasium.registry)
    assert gymnasium.make("turnsmith/ConnectFour-v0", width=5).unwrapped.action_space.n == 5
    many = gymnasium.make_vec("turnsmith/Pig-v0", num_envs=4, players=3, opponents="mcts:simulations=2")
    assert isinstance(many, doors.VectorEnv)
    assert (many.table.seats, many.game.text_name) == (3, "pig:players=3")
    env = doors.make(NIM, illegal="random")
    assert env.spec.id == "turnsmith/Nim-v0"
    check_env(env.unwrapped)
    assert doors.make_vec(NIM, 3).reset(seed=1)[0].shape[0] == 3
    theirs = doors.make("openspiel:hex(board_size=3)")
    assert (theirs.spec.id, theirs.action_space.n) == ("turnsmith/OpenspielHex-v0", 9)


def test_seeds_of_a_list_may_be_left_open():
    """Gymnasium's None in a list of seeds is any seed; those that are given are the matches of these seeds."""
    some, all_given = doors.VectorEnv("leduc", 3), doors.VectorEnv("leduc", 3)
    seen, _ = some.reset(seed=[5, None, 7])
    wanted, _ = all_given.reset(seed=[5, 6, 7])
    assert (seen[[0, 2]] == wanted[[0, 2]]).all()
    with pytest.raises(BadInput, match="a seed is a whole number, not x"):
        some.reset(seed=["x", 1, 2])


@pytest.mark.parametrize(
    ("module", "library", "extra"),
    [
        ("turnsmith.adapters.gym", "gymnasium", "gym"),
        ("turnsmith.adapters.gym.sb3", "stable_baselines3.common.vec_env", "learn"),
        ("turnsmith.adapters.pettingzoo", "pettingzoo", "gym"),
    ],
)
def test_a_missing_package_is_named_with_its_cure(module, library, extra):
    """Where a framework is not installed, one line says what to install."""
    program = f"import sys; sys.modules[{library.partition('.')[0]!r}] = None\nimport {module}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert f"{library} is missing: pip install 'turnsmith[{extra}]'" in ran.stderr.splitlines()[-1]
