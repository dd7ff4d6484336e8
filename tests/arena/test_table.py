"""Tables: ranked by wins, or by mean return in the same role; pairs and ratings however many sit down."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.statistics import above, clustered_mean, ratings
from turnsmith.arena.store import Store
from turnsmith.arena.table import Table
from turnsmith.arena.tournament import stored_table, streamed
from turnsmith.contract.outcome import Goal


def test_random_and_negamax_differ_in_pacman_and_are_ranked_by_role():
    """Nobody wins; in each role negamax has the better mean, beyond the intervals, and is listed first."""
    table = ts.arena("pacman:map=small", ["random", "negamax:depth=3"], games=16, seed=1)
    found = table.to_dict()
    random, negamax = found["players"]
    assert (found["winner"], found["roles"]) == ("score", ["pacmans", "ghosts"])
    assert random["wins"] is random["draws"] is random["rate"] is random["low"] is random["high"] is None
    for weak, strong in zip(random["roles"], negamax["roles"], strict=True):
        assert weak["role"] == strong["role"]
        assert weak["games"] == strong["games"] == 8
        assert weak["mean_high"] < strong["mean_low"]
    assert "rating" not in random
    assert found["pairs"] == []
    lines = [line.split()[:2] for line in str(table).splitlines() if line.strip().startswith(("pacmans ", "ghosts "))]
    assert [player for _, player in lines] == ["negamax:depth=3", "random"] * 2
    assert [role for role, _ in lines] == ["pacmans", "pacmans", "ghosts", "ghosts"]
    assert max(map(len, str(table).splitlines())) <= 110


def test_costs_are_shown_with_the_sign_turned():
    """Mastermind's table lists guesses, the fewest first; JSON keeps the returns."""
    table = ts.arena("mastermind:colors=4,pegs=2", ["random", "knuth"], games=40)
    rows = [line.split() for line in str(table).splitlines() if line.strip().startswith(("random", "knuth"))]
    assert [row[0] for row in rows] == ["knuth", "random"]
    assert 2 < float(rows[0][2]) < float(rows[1][2])
    assert all(row["mean_return"] < 0 for row in table.to_dict()["players"])


def test_the_mean_return_has_an_interval_everywhere():
    """Players, roles and seats, where there are games enough."""
    for text in ("connect_four", "pig:players=3,target=20", "mastermind:colors=4,pegs=2"):
        found = ts.arena(text, ["random", "random"], games=60).to_dict()
        for row in found["players"] + found["seats"]:
            assert row["mean_low"] <= row["mean_return"] <= row["mean_high"]
    once = ts.arena("connect_four", ["random", "random"], games=1).to_dict()
    assert once["players"][0]["mean_low"] is None


def test_mean_intervals_know_which_games_shared_a_start():
    """Games that copy each other count once, a planned mix of roles not at all."""
    rng = np.random.default_rng(1)
    starts = rng.normal(size=400)
    alone = clustered_mean(starts, np.arange(400), np.zeros(400))
    copied = clustered_mean(np.repeat(starts, 3), np.repeat(np.arange(400), 3), np.zeros(1200))
    assert copied.high - copied.low == pytest.approx(alone.high - alone.low, rel=0.01)
    roles = np.tile([0, 1], 200)
    mixed = clustered_mean(starts + 10 * roles, np.arange(400), np.zeros(400))
    told = clustered_mean(starts + 10 * roles, np.arange(400), roles)
    assert told.high - told.low < 0.3 * (mixed.high - mixed.low)


def test_mean_intervals_cover_the_truth_about_95_times_in_100():
    """Drawn many times, they contain the true mean as often as they say."""
    rng, hits = np.random.default_rng(2), 0
    for _ in range(400):
        values = rng.normal(size=(80, 1)) + rng.normal(size=(80, 3)) + np.array([0.0, 5.0, -5.0])
        found = clustered_mean(values.reshape(-1), np.repeat(np.arange(80), 3), np.tile(np.arange(3), 80))
        hits += found.low <= 0.0 <= found.high
    assert 0.915 <= hits / 400 <= 0.985


def test_ratings_move_with_copies():
    """With fewer players than seats the better player is rated higher; who meets only itself stays where it was."""
    found = ts.arena("pig:players=4,target=30", ["mcts:simulations=60", "random"], games=200).to_dict()["players"]
    strong, weak = (row["rating"] for row in found)
    assert strong["mu"] - strong["sigma"] > 25 > weak["mu"] + weak["sigma"]
    assert ratings(np.zeros((9, 3), np.int32), np.tile([2.0, 1.0, 0.0], (9, 1)), 1) == [(25.0, 25 / 3)]


def test_pairs_compare_two_players_in_the_same_game():
    """Row above column: every copy of one against every copy of the other, ties half, only games of both."""
    seating = np.array([[0, 1, 2], [0, 1, 1], [2, 0, 0]])
    returns = np.array([[3.0, 2.0, 1.0], [1.0, 2.0, 0.0], [0.0, 0.0, 5.0]])
    table = Table(
        game="x", players=["a", "b", "c"], seed=0, seconds=0.0, seating=seating, returns=returns,
        culprits=np.full(3, -1), reasons={}, goal=Goal(),
    )  # fmt: skip
    pairs = {(p["player"], p["against"]): (p["games"], p["rate"]) for p in table.to_dict()["pairs"]}
    assert pairs["a", "b"] == (2, 0.75)  # 1 in the first, 1 of 2 in the second
    assert pairs["a", "c"] == (2, 0.875)  # 1, and a tie and a win
    assert pairs["b", "c"] == (1, 1.0)
    assert pairs["b", "a"] == (2, 0.25)
    assert above(returns[2:], seating[2:] == 0, seating[2:] == 2).tolist() == [0.75]


def test_row_against_column_is_not_the_rows_overall_rate():
    """At tables of four, a weak player is above random and below a strong one."""
    players = ["mcts:simulations=300", "mcts:simulations=20", "random"]
    found = ts.arena("pig:players=3,target=30", players, games=240, seed=2).to_dict()
    pairs = {(p["player"], p["against"]): p for p in found["pairs"]}
    assert pairs[players[1], "random"]["rate"] > 0.5 > pairs[players[1], players[0]]["rate"]


def test_games_that_went_alike_are_counted_and_feign_no_certainty(tmp_path):
    """Ten games of players that always do the same are one; their returns do not vary, and no ± 0 is told of them."""
    game = str(Path(__file__).parent.parent / "games_for_tests" / "bad_company.py")
    players, store = ["python-first", "python-first"], str(tmp_path / "s.db")
    table = ts.arena(game, players, games=10, store=store)
    found = table.to_dict()
    assert found["different"] == 1
    assert "10 games (1 different), seed 0" in str(table)
    assert all(row["mean_low"] is None for row in found["seats"])
    assert "± 0.000" not in str(table)
    again = ts.arena(game, players, games=10, store=store)
    assert again.different == 1  # as the store has them
    assert stored_table(Store(store), Store(store).runs()[0]["run"]).different == 1
    assert streamed(game, players, 10).different == 1
    varied = ts.arena("pig:target=20", ["random", "random"], games=30)
    assert varied.different == 30
    assert "different" not in str(varied)
    for _ in range(2):  # played now, or before: their moves are not kept
        seeds = ts.arena("pig:target=20", ["random", "random"], games=30, store=str(tmp_path / "n.db"), keep="none")
        assert seeds.different is None


def test_slow_games_have_a_speed():
    """Less than a game a second is told with its digits, and not as none."""
    table = ts.arena("pig:target=20", ["random", "random"], games=2)
    slow = replace(table, seconds=480.0)
    assert slow.to_dict()["games_per_second"] == 0.00417
    assert "0.0042 games/s" in str(slow)
