"""Games as environments of PettingZoo: its own tests for every game, and determinism over whole episodes."""

import re
import warnings
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, render_test, seed_test
from pettingzoo.test.seed_test import parallel_seed_test
from short_games import NUMBA_WARNS, SHORT

import turnsmith as ts
from turnsmith.adapters import pettingzoo as doors
from turnsmith.common.errors import BadInput

GOOFSPIEL = "goofspiel"
KNOWN_WARNINGS = "|".join(
    [
        NUMBA_WARNS,
        "Observation is not a NumPy array",  # it is a dict, for the mask; PettingZoo lists its own games that do so
        "probably should be gymnasium.spaces.box",  # the same
        "Observation numpy array is all zeros",  # an empty board, seen by who did not begin
    ]
)


@pytest.fixture(autouse=True)
def only_known_warnings():
    """Whatever else PettingZoo's tests warn of fails."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        yield
    assert [str(each.message) for each in told if not re.search(KNOWN_WARNINGS, str(each.message))] == []


@pytest.mark.parametrize("name", ts.games())
def test_every_game_passes_the_tests_of_aec(name):
    """Agents, spaces, rewards, ends, seeds and rendering are as PettingZoo wants them."""
    make = partial(doors.env, name, **SHORT.get(name, {}))
    api_test(make(), num_cycles=30)
    seed_test(make, num_cycles=30)
    render_test(make)


@pytest.mark.parametrize("name", ["homeguard", GOOFSPIEL])
def test_simultaneous_games_pass_the_tests_of_parallel(name):
    """The same for all seats at once."""
    make = partial(doors.parallel_env, name, **SHORT.get(name, {}))
    parallel_api_test(make(), num_cycles=40)
    parallel_seed_test(partial(make, illegal="random"), num_cycles=40)


def test_homeguard_is_cut_after_max_cycles():
    """Every seat has made so many decisions, in both kinds of environment."""
    made = {"illegal": "random", "maps": 1}
    max_cycles_test(
        SimpleNamespace(
            env=partial(doors.env, "homeguard", **made), parallel_env=partial(doors.parallel_env, "homeguard", **made)
        )
    )


def transcript(env, seed, parallel):
    """All that is seen, done and paid in a whole episode of random legal actions."""
    told, draws = [], np.random.default_rng(3)
    if parallel:
        seen, infos = env.reset(seed=seed)
        told.append((seen, infos))
        while env.agents:
            actions = {agent: int(draws.choice(np.flatnonzero(seen[agent]["action_mask"]))) for agent in env.agents}
            seen, *rest = env.step(actions)
            told.append((actions, seen, *rest))
        return told
    env.reset(seed=seed)
    for agent in env.agent_iter():
        seen, *rest = env.last()
        action = None if any(rest[1:3]) else int(draws.choice(np.flatnonzero(seen["action_mask"])))
        told.append((agent, seen, *rest[:3], action))
        env.step(action)
    return told


@pytest.mark.parametrize(
    ("name", "parallel"),
    [*((name, False) for name in ts.games()), ("homeguard", True), (GOOFSPIEL, True)],
)
def test_whole_episodes_are_the_same_for_the_same_seed(name, parallel):
    """A seed names a whole episode, in a used environment too; another seed, or the next episode, is another."""
    make = partial(doors.parallel_env if parallel else doors.env, name, **SHORT.get(name, {}))
    used, fresh = make(), make()
    transcript(used, 8, parallel)
    one, other = transcript(used, 7, parallel), transcript(fresh, 7, parallel)
    assert len(one) > 1
    assert data_equivalence(one, other, exact=True)
    if name in ("dicewars", "leduc", "pig"):  # chance moves early
        assert not data_equivalence(one, transcript(fresh, 9, parallel), exact=True)
        assert not data_equivalence(one, transcript(fresh, None, parallel), exact=True)


@pytest.mark.parametrize("name", ["pig", "leduc", "homeguard", "tactics"])
def test_an_episode_is_the_match_of_its_seed(name):
    """Who moves, what is legal and what is paid are what a position of that seed says of the same actions."""
    options = {key: value for key, value in SHORT.get(name, {}).items() if key != "maps"}
    env = doors.raw_env(name, **options, maps=1, first_map=5)
    env.reset(seed=5)
    position, draws = env.game.start(5), np.random.default_rng(1)
    while not any(env.terminations.values()):
        assert env.agent_selection == f"player_{position.mover}"
        mask = env.observe(env.agent_selection)["action_mask"]
        assert np.flatnonzero(mask).tolist() == position.actions.tolist()
        for agent in set(env.agents) - {env.agent_selection}:
            assert not env.observe(agent)["action_mask"].any()
        action = int(draws.choice(position.actions))
        env.step(action)
        position.push(action)
    assert list(env.rewards.values()) == list(position.outcome.returns)


def test_parallel_rounds_are_the_turns_of_aec():
    """The same choices, made at once or one after another, come to the same."""
    rounds, turns = doors.parallel_env(GOOFSPIEL), doors.raw_env(GOOFSPIEL)
    seen, _ = rounds.reset(seed=2)
    turns.reset(seed=2)
    draws = np.random.default_rng(5)
    while rounds.agents:
        actions = {agent: int(draws.choice(np.flatnonzero(seen[agent]["action_mask"]))) for agent in rounds.agents}
        for agent in rounds.agents:
            assert turns.agent_selection == agent
            assert (seen[agent]["action_mask"] == turns.observe(agent)["action_mask"]).all()
            turns.step(actions[agent])
        seen, rewards, *_ = rounds.step(actions)
    assert rewards == turns.rewards
    assert any(rewards.values())


def test_illegal_actions_lose_are_replaced_or_are_refused():
    """Who breaks the rules loses, the others win; or something legal is done; or it is an error and nothing happens."""
    env = doors.env("leduc")
    env.reset(seed=1)
    wrong = int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0])
    culprit = env.agent_selection
    env.step(wrong)
    assert env.unwrapped.rewards == {agent: -13.0 if agent == culprit else 13.0 for agent in env.agents}
    assert env.unwrapped.infos[culprit] == {"forfeit": True}
    lenient = doors.raw_env("leduc", illegal="random")
    lenient.reset(seed=1)
    lenient.step(wrong)
    assert not any(lenient.terminations.values())
    strict = doors.raw_env("leduc", illegal="refuse")
    strict.reset(seed=1)
    with pytest.raises(BadInput, match=f"action {wrong} of {culprit} is not legal here"):
        strict.step(wrong)
    assert strict.agent_selection == culprit
    parallel = doors.parallel_env(GOOFSPIEL)
    seen, _ = parallel.reset(seed=1)
    with pytest.raises(BadInput, match="an action of player_1 is missing"):
        parallel.step({"player_0": 0})
    _, rewards, ended, _, infos = parallel.step({"player_0": seen["player_0"]["action_mask"].argmax(), "player_1": 99})
    assert rewards["player_0"] > rewards["player_1"]
    assert all(ended.values())
    assert infos["player_1"] == {"forfeit": True}


def test_games_by_turns_have_no_parallel_environment():
    """One line says why, and what to take instead; also where a seat decides several times in a round."""
    with pytest.raises(BadInput, match=r"connect_four has no simultaneous moves; take its AEC environment"):
        doors.parallel_env("connect_four")
    units = doors.parallel_env("homeguard", moves="unit")
    with pytest.raises(BadInput, match="lets a seat decide twice in a round"):
        units.reset(seed=0)


def test_what_comes_before_the_first_reset_is_refused_in_a_line():
    """The environment without PettingZoo's wrappers says so itself; a wrong setting is named."""
    env = doors.raw_env("connect_four", render_mode="ansi")
    for early in (lambda: env.step(3), lambda: env.observe("player_0"), env.render):
        with pytest.raises(BadInput, match="nothing is being played: reset first"):
            early()
    with pytest.raises(BadInput, match="max_cycles is a whole number, not x"):
        doors.raw_env("connect_four", max_cycles="x")
