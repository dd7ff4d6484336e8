"""Levels: players that err as people do, ladders measured, kept and read, and the rung that suits a person."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.elo import fit
from turnsmith.arena.ladder import Aims, candidates, chosen, filled, measure, measure_declared, named
from turnsmith.arena.store import Store
from turnsmith.play.choice import Choice, Race, beside, publish_choice
from turnsmith.play.levels import (
    Chance,
    Ladder,
    Level,
    LevelResult,
    PlayerRecord,
    adapted,
    document_of,
    expected,
    keep,
    ladder,
    read,
    read_results,
    strength,
)
from turnsmith.play.player import levels

NIM = Path(__file__).parents[2] / "examples" / "nim.py"
RUNGS = ["random", "softmax:temperature=0.3,player.simulations=30", "mcts:simulations=200"]
QUICK = Aims(seconds=1.0, reach=0.1, most=96, seed=3)


@pytest.fixture
def nim(tmp_path, monkeypatch):
    """A copy of a game of one's own, for files beside it; races of the same rules elsewhere are unknown."""
    monkeypatch.setattr("turnsmith.play.choice._cached", lambda game: tmp_path / "races.json")
    file = tmp_path / "sticks.py"
    file.write_text(NIM.read_text())
    return ts.load(f"{file}")


def measured_in(game, path, aims=QUICK):
    found, games = measure(game, RUNGS, aims, Store(str(path)))
    return found, games


def test_softmax_draws_by_policy_and_by_value():
    """The better a move looks the more likely it is, and at temperature 0 the best is played."""
    game = ts.load("tic_tac_toe")
    position = ts.position(game, history=[0, 3, 1, 4])  # one move wins at once, another lets the other win
    for asked in ("player=negamax,player.depth=3", "player.simulations=200"):
        cold = ts.player(f"softmax:{asked},temperature=0", game).act(position)
        warm = ts.player(f"softmax:{asked},temperature=0.2", game).act(position)
        assert cold.action == 2
        assert math.isclose(sum(warm.policy.values()), 1.0, abs_tol=1e-3)
        assert max(warm.policy, key=warm.policy.get) == cold.words
    hot = ts.player("softmax:temperature=1000,player.simulations=50", game).act(position)
    assert min(hot.policy.values()) > 0.19  # five moves


def test_softmax_by_value_is_the_softmax_of_values():
    """By hand: values of moves by the asked player's own answers in what they lead to."""
    game = ts.load("tic_tac_toe")
    position = ts.position(game, history=[4, 0])
    values = []
    for action in position.actions.tolist():
        after = ts.position(game, history=[4, 0, action])
        values.append((1.0 - ts.player("solve", game).act(after).value) / 2.0)
    wanted = np.exp(np.array(values) / 0.25)
    policy = ts.player("softmax:player=solve,temperature=0.25", game).act(position).policy
    found = [policy[position.words(action)] for action in position.actions.tolist()]
    assert found == pytest.approx((wanted / wanted.sum()).tolist(), abs=1e-3)


@pytest.mark.parametrize(
    ("text", "why"),
    {
        "softmax:player=nobody": "there is no player 'nobody'",
        "softmax:player=random": "does not tell what moves are worth",
        "softmax:player=softmax": "does not tell what moves are worth",
        "softmax:foo.depth=1": "begin with player.",
        "softmax:player.speed=1": "has no setting 'speed'",
        "softmax:temperature=-1": "must be 0 to",
    }.items(),
)
def test_softmax_refuses(text, why):
    game = ts.load("tic_tac_toe")
    with pytest.raises(ts.BadInput, match=why):
        ts.player(text, game).check(game, game.board())


def test_values_are_no_help_where_something_is_hidden():
    game = ts.load("kuhn")
    with pytest.raises(ts.BadInput, match="only in open games"):
        ts.player("softmax:player=expectimax", game).check(game, game.board())


def test_ratings_find_the_strengths_again():
    """From exact shares of won games the differences in rating come back."""
    true = np.array([0.0, 180.0, 420.0, 900.0])
    games = np.full((4, 4), 1e6) * (1 - np.eye(4))
    points = games * np.array([[expected(a - b) for b in true] for a in true])
    ratings, _ = fit(points, games)
    assert ratings - ratings[0] == pytest.approx(true, abs=1.0)


def test_rungs_are_even_and_the_strongest_is_among_them():
    ratings = np.array([0.0, 30.0, 190.0, 230.0, 400.0, 610.0, 790.0, 1010.0])
    found = chosen(ratings, range(8), [(1, 0.0)] * 8)
    assert found == [0, 2, 4, 5, 6, 7]
    assert named(ratings, found) == [0, 2, 4, 6, 7]
    assert chosen(ratings, range(8), [(0 if n in (1, 3) else 1, 0.0) for n in range(8)])[:2] == [1, 3]


def test_declared_levels_are_measured_by_their_own_names(tmp_path):
    """Nobody else is looked for, and who declares fewer than two levels is told so."""
    file = tmp_path / "sticks.py"
    file.write_text(NIM.read_text() + '\nLEVELS = {"mild": "random", "fierce": "mcts:simulations=200"}\n')
    found, games = measure_declared(ts.load(f"{file}"), QUICK, Store(str(tmp_path / "one.db")))
    assert [(each.name, each.player, each.stars) for each in found.levels] == [
        ("mild", "random", 1),
        ("fierce", "mcts:simulations=200", 5),
    ]
    assert found.rungs == found.levels
    assert games <= 96
    with pytest.raises(ts.BadInput, match="declares fewer than two levels"):
        measure_declared(ts.load(f"{NIM}"), QUICK, Store(str(tmp_path / "one.db")))


def test_the_levels_of_tactics_are_those_that_were_measured():
    """One truth: the file's names and players are the declared ones, the document's opponent among them."""
    game = ts.load("tactics")
    shown = {**game.levels(), "strongest": "best"}
    assert levels(game, game.board()) == {each.name: each.player for each in ladder(game).levels} == shown
    assert game.levels()["medium"] == "static"


def test_gaps_between_rungs_are_filled_where_somebody_fits():
    ratings = np.array([0.0, 150.0, 310.0, 350.0, 700.0, 1000.0])
    assert filled(ratings, [0, 3, 4, 5], range(6)) == [0, 1, 3, 4, 5]


def test_a_ladder_is_measured_kept_and_followed(nim, tmp_path):
    """The same seed gives the same ladder, work that was begun goes on, and the game's levels are the measured ones."""
    found, games = measured_in(nim, tmp_path / "one.db")
    measured_in(nim, tmp_path / "two.db", Aims(1.0, 0.1, 24, 3))  # as if it had been stopped
    again, _ = measured_in(nim, tmp_path / "two.db")
    assert again == found
    assert games <= 3 * 96
    assert [each.player for each in found.rungs] == RUNGS
    ratings = [each.rating for each in found.rungs]
    assert ratings == sorted(ratings)
    assert ratings[0] == 0.0
    top = found.levels[-1]
    assert (top.name, top.stars) == ("hard", 5)
    seen = top.chances["random"]
    assert seen.low <= seen.rate <= seen.high
    assert seen.rate > 0.6
    assert seen.high - seen.low <= 0.25

    path = keep(nim, document_of(found, seed=3))
    assert path == beside(nim, "levels") == tmp_path / "sticks.levels.json"
    assert ladder(nim).rungs[:-1] == found.rungs == read(path).rungs
    named = zip(("easy", "medium", "hard", "strongest"), [*RUNGS, "best"], strict=True)
    assert levels(nim, nim.board()) == dict(named)
    assert repr(ts.player("hard", nim)) == RUNGS[2]
    assert found.against(top, found.levels[0]).endswith("% against ★")


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        '{"turnsmith": "levels", "game": "x", "rungs": []}',
        '{"turnsmith": "levels", "game": "x", "rungs": [{"name": "easy"}]}',
        '{"turnsmith": "levels", "game": "x", "rungs": [{"name": "easy", "player": "random", "rating": NaN, '
        '"low": 0, "high": 0, "chances": {}}]}',
    ],
)
def test_broken_files_are_refused_in_one_line(nim, text):
    beside(nim, "levels").write_text(text)
    with pytest.raises(ts.BadInput, match="does not hold levels; delete it"):
        ladder(nim)


def test_a_level_whose_player_is_gone_is_refused(nim):
    gone = Ladder("x", (Level("easy", "vanished:depth=3", 5, rating=0.0, low=0.0, high=0.0),), True)
    keep(nim, document_of(gone))
    with pytest.raises(ts.BadInput, match="no player 'vanished:depth=3' any more; measure them again"):
        ladder(nim)


def test_above_all_levels_stands_the_best_player(nim, tmp_path):
    """It takes no measured level away, and stands for whoever would play as the best does."""
    rungs = tuple(Level(name, text, at, rating=0.0, low=0.0, high=0.0) for name, text, at in (("easy", "mcts", 5),))
    keep(nim, document_of(Ladder("sticks", rungs)))
    assert levels(nim, nim.board()) == {"easy": "mcts", "strongest": "best"}
    assert ts.player("strongest", nim) == ts.player("best:time=1", nim)


def test_slow_players_have_tiers_of_their_own(nim, tmp_path):
    """The best player at 0.1 s meets the strongest level, the one at 1 s that; the slower is what `strongest` tells."""
    speeds = {"mcts": 1000.0, "negamax": 1000.0}
    races = [Race(seconds, who, [*speeds]) for seconds, who in ((0.1, "negamax"), (1.0, "mcts"))]
    publish_choice(nim, Choice(nim.text_name, nim.digest, races, speeds))
    aims = Aims(seconds=0.05, reach=0.4, most=24, slow=8)
    found, _games = measure(nim, RUNGS[:2], aims, Store(str(tmp_path / "games.db")))
    tiers = {rung.tier: rung for rung in found.rungs if rung.tier}
    assert {tier: rung.player for tier, rung in tiers.items()} == {
        0.1: "negamax:nodes=100,table=12",
        1.0: "mcts:simulations=1000",
    }
    assert tiers[1.0].chances["negamax:nodes=100,table=12"].games == 4
    assert [rung.name for rung in tiers.values()] == ["", ""]

    keep(nim, document_of(found))
    top = ladder(nim).levels[-1]
    assert (top.name, top.player, top.rating) == ("strongest", "best", tiers[1.0].rating)
    below = next(rung for rung in ladder(nim).rungs if rung.tier == 0.1)
    assert below.chances["best"].rate + top.chances[below.player].rate == pytest.approx(1.0)


def test_where_nobody_can_be_beaten_there_are_no_levels_to_measure(tmp_path):
    game = ts.load("mastermind")
    with pytest.raises(ts.BadInput, match="one seat, so there is nobody to win against"):
        measure(game, RUNGS, QUICK, Store(str(tmp_path / "x.db")))


def test_candidates_play_and_depend_on_no_clock():
    game = ts.load("connect_four")
    found = candidates(game, ["perfect:time=0.5"])
    assert found[0] == "random"
    assert found[-1] == "perfect:time=0.5"
    assert len(found) == len(set(found))
    assert not any("time=" in text for text in found[:-1])
    with pytest.raises(ts.BadInput, match="there is no player 'nobody'"):
        candidates(game, ["nobody"])


# ---------------------------------------------------------------- a level that adapts

TEN = tuple(Level("", f"rung{n}", rating=100.0 * n, low=0.0, high=0.0) for n in range(11))


@pytest.mark.parametrize("true", [150.0, 520.0, 900.0])
def test_the_adaptive_level_lets_a_person_win_about_half(true):
    """People of a known strength, simulated: after some games the rung is near it, and half of the games are won."""
    random, results = np.random.default_rng(int(true)), []
    for _ in range(60):
        rung = adapted(Ladder("x", TEN), results)
        results.append(LevelResult(rung.rating, float(random.random() < expected(true - rung.rating))))
    assert abs(adapted(Ladder("x", TEN), results).rating - true) <= 200.0
    assert 0.3 <= np.mean([each.points for each in results[20:]]) <= 0.7
    rating, reach = strength(TEN, results)
    assert abs(rating - true) < 1.5 * reach


def test_somebody_unknown_begins_in_the_middle_and_defeat_leads_down():
    assert adapted(Ladder("x", TEN), []).rating == 500.0
    assert adapted(Ladder("x", TEN), [LevelResult(500.0, 0.0)] * 3).rating < 500.0
    with pytest.raises(ts.BadInput, match="not measured; run 'turnsmith levels pig' first"):
        adapted(Ladder("pig", (Level("easy", "random"),)), [])


def test_results_are_kept_and_nonsense_is_not_taken(tmp_path):
    record = PlayerRecord(tmp_path / "deep" / "record.json")
    assert record.results("pig") == []
    record.add("pig", LevelResult(266.0, 1.0))
    record.add("go", LevelResult(0.0, 0.5))
    assert record.results("pig") == [LevelResult(266.0, 1.0)]
    record.path.write_text("[3")
    with pytest.raises(ts.BadInput, match="delete it to begin anew"):
        record.results("pig")
    assert read_results("m1x 266:1 7:7 nan:1 -40:0.5 999999:1 3") == [LevelResult(266.0, 1.0), LevelResult(-40.0, 0.5)]
    assert read_results({"a": 1}) == []


def test_chances_read_well():
    assert str(Chance(0.76, 0.7, 0.81, 200)) == "76% (70%–81%)"
    json.dumps(document_of(Ladder("x", TEN)))


def test_levels_measured_with_other_options_give_way_where_few_of_them_play():
    """For three players hardly a level of Pig for two can play; those that the game declares do."""
    two, three = (ts.load(text) for text in ("pig", "pig:players=3"))
    assert ladder(two, two.board()).is_measured
    found = ladder(three, three.board())
    assert not found.is_measured
    assert {"beginner", "easy", "medium"} <= {level.name for level in found.levels}
