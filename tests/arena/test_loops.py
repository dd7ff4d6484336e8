"""The compiled loop, the same loop interpreted, and the Python loop play the same matches."""

import json
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena import loop, runners
from turnsmith.arena.runners import ArenaPlan, play_compiled, play_each, run
from turnsmith.arena.schedule import seatings
from turnsmith.compile.kernel import interpreted

BAD_COMPANY = str(Path(__file__).parent.parent / "games_for_tests" / "bad_company.py")
ROSTERS = {
    "connect_four": ["random", "negamax:depth=3", "mcts:simulations=30"],
    "pig:target=20": ["random", "expectimax:depth=2", "mcts:simulations=30"],
    "pig:target=15,players=3": ["random", "maxn:depth=1", "mcts:simulations=30"],
    "mastermind:colors=4,pegs=2": ["knuth"],
}


def plan_for(text, names, games, seed=5, limit=0.0):
    game = ts.load(text)
    players = [ts.player(name, game) for name in names]
    return ArenaPlan(game, players, seatings(len(players), int(game.board()[0].seats), games, seed), seed, limit)


def same(one, other):
    return (
        np.array_equal(one.returns, other.returns)
        and np.array_equal(one.log, other.log)
        and np.array_equal(one.offsets, other.offsets)
    )


@pytest.mark.parametrize("text", ROSTERS)
def test_three_loops_one_match(text):
    """For every game and a mixed roster, all three loops make the same moves."""
    plan = plan_for(text, ROSTERS[text], 6)
    numbers = np.arange(6, dtype=np.int64)
    compiled = play_compiled(plan, numbers)
    assert compiled.offsets[-1] > 0
    assert same(compiled, play_each(plan, numbers))
    assert same(play_compiled(plan, numbers[:2]), play_compiled(plan, numbers[:2], interpreted(loop.play_matches)))


def test_any_order_and_any_number_of_workers():
    """Matches are named by their number: neither the order nor the threads change them."""
    plan = plan_for("pig:players=4", ["random"] * 4, 500)
    whole = play_compiled(plan, np.arange(500, dtype=np.int64)).returns
    backwards = play_compiled(plan, np.arange(499, -1, -1, dtype=np.int64)).returns[::-1]
    threaded = np.zeros_like(whole)
    for batch in run(plan, np.arange(500, dtype=np.int64), workers=3):
        threaded[batch.numbers] = batch.returns
    assert np.array_equal(whole, backwards)
    assert np.array_equal(whole, threaded)


def test_long_matches_outgrow_the_log():
    """A log that is too small is enlarged and the match it cut short is played again."""
    plan = plan_for("pig:target=1000", ["random", "random"], 4)
    batch = play_compiled(plan, np.arange(4, dtype=np.int64))
    assert batch.offsets[1] > 1024
    assert same(batch, play_each(plan, np.arange(4, dtype=np.int64)))


def test_openings_are_played_first():
    """Forced first moves stand at the beginning of the match, in both loops."""
    plan = plan_for("connect_four", ["random", "random"], 2)
    plan.openings = np.array([[3, 3, -1], [0, 1, 2]], np.int32)
    batch = play_compiled(plan, np.arange(2, dtype=np.int64))
    assert batch.log[:2].tolist() == [3, 3]
    assert batch.log[batch.offsets[1] :][:3].tolist() == [0, 1, 2]
    assert same(batch, play_each(plan, np.arange(2, dtype=np.int64)))


@pytest.mark.parametrize(
    ("name", "reason"),
    [("raiser", "raised ValueError: I give up"), ("cheater", "illegal move"), ("python-raiser", "raised RuntimeError")],
)
def test_bad_players_forfeit_and_the_arena_goes_on(name, reason):
    """Whoever raises or cheats loses that game, is named with the reason, and everybody else plays on."""
    table = ts.arena(BAD_COMPANY, ["random", name, "random"], games=24, seed=3)
    found = table.to_dict()
    mine = next(p for p in found["players"] if p["name"] == name)
    assert table.games == 24
    assert mine["forfeits"] == len(found["forfeits"]) > 0
    assert all(f["player"] == name and reason in f["reason"] for f in found["forfeits"])
    assert next(p for p in found["pairs"] if p["player"] == "random" and p["against"] == "random #2")["games"] == 8
    for forfeit in found["forfeits"]:
        assert table.returns[forfeit["match"]][forfeit["seat"]] == -1


@pytest.mark.parametrize("name", ["dawdler", "python-first:nap=5"])
def test_time_limits_are_enforced(name):
    """A move that takes longer than the limit forfeits the game, and busy Python code is interrupted."""
    table = ts.arena(BAD_COMPANY, ["random", name], games=2, limit=0.02)
    assert [f["player"] for f in table.to_dict()["forfeits"]] == [name, name]
    assert all("longer than 0.02 s" in f["reason"] for f in table.to_dict()["forfeits"])
    assert table.seconds < 5


def test_python_players_in_processes():
    """Rosters with Python players give the same table in processes as in line."""
    alone = ts.arena(BAD_COMPANY, ["python-first", "random"], games=6, seed=2)
    spread = ts.arena(BAD_COMPANY, ["python-first", "random"], games=6, seed=2, workers=2)
    assert np.array_equal(alone.returns, spread.returns)


def test_processes_are_told_who_sits_where_match_by_match(monkeypatch):
    """However many matches there are, nobody asks for more of them than are under way, nor for their openings."""
    monkeypatch.setattr(runners, "CHUNK_SECONDS", 0.0)  # a match at a time
    plan = plan_for(BAD_COMPANY, ["python-first", "random"], 20)
    plan.openings = np.array([[0, -1], [1, -1]], np.int32)[np.arange(20) % 2]
    alone, asked = play_each(plan, np.arange(20)), []

    class Watched:
        shape, rows = plan.seating.shape, plan.seating

        def __len__(self):
            return len(self.rows)

        def __getitem__(self, wanted):
            asked.append(len(self.rows[wanted]))
            return self.rows[wanted]

    plan.seating = Watched()
    batches = list(run(plan, np.arange(20), workers=2))
    assert max(asked) == 1
    found = {int(batch.numbers[0]): (batch.returns[0].tolist(), batch.log.tolist()) for batch in batches}
    for row, number in enumerate(alone.numbers.tolist()):
        actions = alone.log[alone.offsets[row] : alone.offsets[row + 1]].tolist()
        assert found[number] == (alone.returns[row].tolist(), actions)


def test_a_seat_that_cannot_play_is_refused_before_any_game():
    """A player that refuses the game stops the arena with its sentence."""
    with pytest.raises(ts.BadInput, match="cannot play pig"):
        ts.arena("pig", ["negamax", "random"], games=2)


def test_boards_that_come_again_are_joined_once(monkeypatch):
    """Chunk after chunk on the same few boards copies them once, and plays the same matches as one large chunk."""
    plan = plan_for("pacman:map=ten", ["random", "random"], 120)
    joins = []
    monkeypatch.setattr(runners, "_joined", lambda *given, join=runners._joined: joins.append(1) or join(*given))
    chunks = [play_compiled(plan, np.arange(first, first + 4)) for first in range(0, 120, 4)]
    assert len(joins) <= 2 * 10  # data and settings, at most once for every board
    whole = play_compiled(plan_for("pacman:map=ten", ["random", "random"], 120), np.arange(120))
    assert np.array_equal(np.concatenate([chunk.log for chunk in chunks]), whole.log)
    sources = [json.loads(chunk.sources())[place] for chunk in chunks for place in chunk.which]
    assert sources == [json.loads(whole.sources())[place] for place in whole.which]


def test_remembered_boards_are_bounded_by_bytes(monkeypatch):
    """A run forgets the oldest boards, with what was prepared there, beyond so many bytes."""
    plan = plan_for("pacman:map=ten", ["random", "random"], 200)
    size = plan.game.board().nbytes
    monkeypatch.setattr(runners, "MOST_BYTES", 3 * size)
    bounded = [play_compiled(plan, np.arange(first, first + 2)).log for first in range(0, 60, 2)]
    assert sum(site.size for site in plan._sites.values()) <= 4 * size
    assert len(plan._joined.place if plan._joined else ()) <= 3
    whole = play_compiled(plan_for("pacman:map=ten", ["random", "random"], 200), np.arange(60))
    assert np.array_equal(np.concatenate(bounded), whole.log)
