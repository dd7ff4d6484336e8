"""The best player of a game: candidates that race, what is kept of it, and the player that `best` stands for."""

import json
from pathlib import Path

import pytest

import turnsmith as ts
from turnsmith.arena.race import Contest, RaceSettings, find_best, lines_of, rate_of_meeting
from turnsmith.play import choice
from turnsmith.play.choice import Choice, Meeting, Race, beside, choice_of, keep_choice, publish_choice
from turnsmith.search.best import candidates

NIM = Path(__file__).parents[2] / "examples" / "nim.py"
QUICK = {"patience": 3.0, "budgets": (0.0005,), "more": ("random",), "seed": 5}


@pytest.fixture
def nim(tmp_path, monkeypatch):
    """A copy of a game of one's own, for files to be written beside it, of which nothing is known yet."""
    monkeypatch.setattr(choice, "_cached", lambda game: tmp_path / f"kept-{game.digest}.json")
    file = tmp_path / "sticks.py"
    file.write_text(NIM.read_text())
    return ts.load(f"{file}")


def test_a_race_drops_who_is_weaker_and_goes_on_where_it_was_stopped(nim):
    """The random player falls behind; a second run adds to what the first has played, and keeps every start."""
    first = find_best(nim, RaceSettings(**QUICK))
    race = first.races[0]
    assert "random" in race.entrants
    assert race.best != "random"
    _leader, left = Contest(nim, race, first.speeds, RaceSettings()).standing()
    assert "random" not in left
    before = race.starts
    again = find_best(nim, RaceSettings(**QUICK))
    assert again.races[0].starts >= before > 0
    assert choice_of(nim) == again
    assert "random" in lines_of(again)[0]


def test_a_race_can_be_stopped_between_two_starts(nim):
    stops = iter([False, True])
    stopped = find_best(nim, RaceSettings(**QUICK, is_stopped=lambda: next(stops, True)))
    assert stopped.races[0].starts <= 1
    assert choice_of(nim) == stopped


def test_one_slow_start_does_not_upset_what_a_faster_race_has_shown(nim):
    """Twenty do: what quick games say of slow ones counts little."""
    both, speeds = ["mcts", "negamax"], {"mcts": 5000.0, "negamax": 1e6}
    faster = Race(0.004, "mcts", both, [Meeting(*both, 100, 75.0, 60.0)])

    def leader(starts, points, before):
        race = Race(0.1, "mcts", both, [Meeting(*both, starts, points, points)])
        return Contest(nim, race, speeds, RaceSettings(), before).standing()[0]

    assert [leader(1, 0.0, None), leader(1, 0.0, faster), leader(20, 2.0, faster)] == ["negamax", "mcts", "negamax"]


def test_best_stands_for_the_winner_at_the_nearest_time(nim):
    """By the clock it is given a time, by CPU seconds as much work as was measured; tables grow with it."""
    races = [Race(0.004, "mcts", ["mcts", "negamax"]), Race(1.0, "negamax", ["mcts", "negamax"])]
    keep_choice(nim, Choice(nim.text_name, nim.digest, races, {"mcts": 5000.0, "negamax": 1e6}))
    assert repr(ts.player("best:seconds=0.01", nim)) == "mcts:simulations=50"
    assert repr(ts.player("best:time=0.5", nim)) == "negamax:time=0.5,table=19"
    assert repr(ts.player("best:seconds=2", nim)) == "negamax:nodes=2000000,table=21"
    assert ts.player("best", nim) == ts.player("best:time=1", nim)
    decision = ts.player("best:seconds=0.01").act(nim.start(1))
    assert decision.words in nim.start(1).legal


def test_choices_of_other_rules_are_guesses_and_own_races_go_first(nim):
    """What lies beside the game counts for its options whatever its rules were; what was raced here goes before."""
    stale = Choice(nim.text_name, "of other rules", [Race(0.1, "mcts", ["mcts"])], {"mcts": 1000.0})
    assert publish_choice(nim, stale) == beside(nim, "best")
    assert choice_of(nim) == stale
    fresh = Choice(nim.text_name, nim.digest, [Race(0.1, "negamax", ["negamax"])], {"negamax": 1000.0})
    keep_choice(nim, fresh)
    assert choice_of(nim) == fresh


def test_who_has_met_nobody_is_guessed():
    """An author's own player first; else the estimate of the game, looked at move by move; else random games."""
    guesses = {name: repr(ts.player("best", ts.load(name))).partition(":")[0] for name in ("breakthrough", "leduc")}
    texts = {name: candidates(ts.load(name), ts.load(name).board()) for name in ("tic_tac_toe", "leduc", "pig")}
    assert texts["tic_tac_toe"][0] == "mcts"
    assert any(text.startswith("solve") for text in texts["tic_tac_toe"])
    assert any(text.startswith("cfr") for text in texts["leduc"])
    assert "expectimax" in texts["pig"]
    assert set(guesses) == {"breakthrough", "leduc"}


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-9],
        lambda text: text.replace('"best": "mcts"', '"best": "nobody"'),
        lambda text: text.replace('"points": 1.0', '"points": NaN'),
        lambda text: text.replace('"mcts": 50.0', '"mcts": -1'),
        lambda _text: json.dumps({"turnsmith": "levels"}),
    ],
)
def test_a_damaged_choice_is_refused_in_one_line(nim, damage):
    race = Race(0.1, "mcts", ["mcts", "negamax"], [Meeting("mcts", "negamax", 2, 1.0, 0.5)])
    written = Choice(nim.text_name, nim.digest, [race], {"mcts": 50.0})
    path = publish_choice(nim, written)
    path.write_text(damage(path.read_text()))
    with pytest.raises(ts.BadInput, match="does not say who plays best; delete it"):
        ts.player("best", nim)
    path.rename(keep_choice(nim, written))
    assert choice_of(nim) is None  # in the cache it is found out again


def test_the_interval_of_a_meeting_knows_its_starts():
    """Starts that always end even say more than starts that swing."""
    steady, swinging = Meeting("a", "b", 20, 10.0, 5.0), Meeting("a", "b", 20, 10.0, 10.0)
    wide = rate_of_meeting(swinging, "a")
    assert wide.low < rate_of_meeting(steady, "a").low <= 0.5 <= wide.high
    assert rate_of_meeting(Meeting("a", "b", 4, 3.0, 2.5), "b").rate == 0.25


def test_two_limits_at_once_are_refused():
    with pytest.raises(ts.BadInput, match="time by the clock or seconds counted in work"):
        ts.player("best:time=1,seconds=1")
