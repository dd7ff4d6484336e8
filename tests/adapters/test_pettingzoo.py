"""Games as environments of PettingZoo: its own tests for every game, and determinism over whole episodes."""

import re
import warnings
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, render_test, seed_test
from pettingzoo.test.seed_test import parallel_seed_test

import turnsmith as ts
from turnsmith.adapters import pettingzoo as doors

TESTS = Path(__file__).parent.parent
GOOFSPIEL = str(TESTS / "games_for_tests" / "goofspiel.py")
SHELLS = str(TESTS / "games_for_tests" / "shells.py")
SMALL = {  # options with which an episode is short
    "connect_four": {"width": 4, "height": 4, "connect": 3},
    "othello": {"size": 4},
    "pig": {"target": 12, "players": 5},
    "mastermind": {"colors": 3, "pegs": 2, "maker": "seat"},
    "dicewars": {"players": 3, "maps": 3},
    "pacman": {"t_max": 12},
    "tactics": {"size": 8, "team": 1, "turn.rounds": 4, "maps": 2},
    "homeguard": {"size": 7, "maps": 3},
}
KNOWN_WARNINGS = "|".join(
    [
        "Observation is not a NumPy array",  # with a mask it is a dict; PettingZoo keeps a list of its own games that do so
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


@pytest.mark.parametrize("name", [*ts.games(), GOOFSPIEL, SHELLS])
def test_every_game_passes_the_tests_of_aec(name):
    """Agents, spaces, rewards, ends, seeds and rendering are as PettingZoo wants them."""
    make = partial(doors.env, name, **SMALL.get(name, {}))
    api_test(make(), num_cycles=30)
    seed_test(make, num_cycles=30)
    render_test(make)


@pytest.mark.parametrize("name", ["homeguard", GOOFSPIEL, SHELLS])
def test_simultaneous_games_pass_the_tests_of_parallel(name):
    """The same for all seats at once."""
    make = partial(doors.parallel_env, name, **SMALL.get(name, {}))
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
