"""Rules that go wrong only when compiled: the loops look at every number they rely on, and guard what they lend."""

from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena import loop, match
from turnsmith.arena.runners import ArenaPlan, play_compiled
from turnsmith.arena.schedule import seatings
from turnsmith.contract.loading import load_untried

ROGUE = str(Path(__file__).parent.parent / "games_for_tests" / "rogue.py")
FAULTS = {
    "list": "legal writes beyond the end of its list",
    "state": "a rule writes beyond the state",
    "scores": "returns writes beyond the end of its list",
    "no-moves": "legal lists 0 moves, where at least one",
    "many-moves": "legal lists 1000000 moves",
    "seat": "to_move says 1000, which is neither a seat nor CHANCE nor OVER (match 0, after 8 moves)",
    "negative": "to_move says -1000, which is neither a seat",
    "outcome": "chance gives the outcome 99, which is not below board.outcomes (match 0, after 5 moves)",
    "range": "returns gives seat 0 7.0 where board.low..board.high is -1.0..1.0 (match 0)",
    "nothing": "returns gives seat 1 nan where",
    "endless": "the game has not ended after 1,000,000 moves",
}


def played(mistake, **settings):
    """Two matches of random players in the compiled loop."""
    game = load_untried(f"{ROGUE}:mistake={mistake}")
    players = [ts.player("random", game)] * 2
    plan = ArenaPlan(game, players, seatings(2, 2, 2, 1), 1, **settings)
    return play_compiled(plan, np.arange(2, dtype=np.int64))


@pytest.mark.parametrize("mistake", FAULTS)
def test_the_compiled_loop_stops_at_broken_rules(mistake):
    """A table of results never comes of rules that break the contract, and no number is used unseen."""
    with pytest.raises(ts.BadInput) as refused:
        played(mistake)
    assert FAULTS[mistake] in str(refused.value)
    assert f"'turnsmith check {ROGUE}:mistake={mistake}' says more" in str(refused.value)


def test_good_rules_are_not_disturbed():
    """Without a mistake the same game is played to its end."""
    assert played("none").returns.tolist() == [[1.0, -1.0]] * 2


def test_openings_are_moves_too():
    """An opening that is not legal stops the arena instead of being made."""
    with pytest.raises(ts.BadInput, match="the move 9 of the opening is not legal there"):
        played("none", openings=np.array([[0, 9, -1], [0, 1, -1]], np.int32))


@pytest.mark.parametrize("mistake", ["no-moves", "many-moves", "seat", "negative", "endless"])
def test_the_python_loop_stops_at_broken_rules(monkeypatch, mistake):
    """The loop for Python players looks at the same numbers."""
    monkeypatch.setattr(match.loop, "MOST_MOVES", 500)
    game = load_untried(f"{ROGUE}:mistake={mistake}")
    with pytest.raises(ts.BadInput) as refused:
        ts.play(game, ["random", "random"])
    assert FAULTS[mistake].partition("1,000,000")[0].partition(" (")[0] in str(refused.value)


def test_an_outcome_that_cannot_be_is_not_made():
    """What chance draws is looked at before it is applied."""
    with pytest.raises(ts.BadInput, match="chance gives the outcome 99, which legal does not list"):
        ts.play(load_untried(f"{ROGUE}:mistake=outcome"), ["random", "random"])


def test_a_position_stops_at_broken_rules():
    """What a person holds does not show moves that are none."""
    position = load_untried(f"{ROGUE}:mistake=no-moves").start()
    while len(position.history) < 7:
        position.push(0)
    with pytest.raises(ts.BadInput, match="legal lists 0 moves"):
        position.push(0)


def test_matches_of_our_games_are_far_from_endless():
    """The longest match of the games that come with turnsmith is a small part of what counts as endless."""
    game = ts.load("dicewars")
    players = [ts.player("random", game)] * 4
    plan = ArenaPlan(game, players, seatings(4, 4, 40, 1), 1)
    assert np.diff(play_compiled(plan, np.arange(40, dtype=np.int64)).offsets).max() < loop.MOST_MOVES / 20
