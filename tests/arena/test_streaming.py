"""Tables counted as games stream by: the same numbers in any order, in memory that does not grow with the games."""

import contextlib
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnsmith as ts
from turnsmith.arena import tally as tallying
from turnsmith.arena.schedule import Missing, Seatings, seatings
from turnsmith.arena.statistics import above, clustered_mean, clustered_rate
from turnsmith.arena.store import Store
from turnsmith.arena.streaming import InOrder, stream
from turnsmith.arena.table import Table
from turnsmith.arena.tournament import distinct, follow, planned, streamed
from turnsmith.contract.outcome import Goal


@settings(deadline=None, max_examples=60)
@given(
    players=st.integers(1, 5),
    seats=st.integers(1, 4),
    groups=st.integers(1, 40),
    goal=st.sampled_from([Goal(), Goal("score"), Goal("score", ("x", "y", "x", "y")), Goal(lambda got: [0])]),
    seed=st.integers(0, 99),
)
def test_sums_give_the_numbers_that_all_matches_give(players, seats, groups, goal, seed):
    """Rates, means and pairs of whole groups, as the statistics of every single match have them."""
    goal = Goal(goal.winner, goal.roles[:seats])
    rng, sits = np.random.default_rng(seed), seatings(players, seats, groups * seats, seed)
    returns = rng.integers(-2, 3, sits.shape).astype(np.float64) + sits
    names = [str(player) for player in range(players)]
    found = Table(
        game="x", players=names, seed=0, seconds=0.0, seating=sits, returns=returns,
        culprits=np.full(len(sits), -1), reasons={}, goal=goal,
    ).to_dict()  # fmt: skip
    member, won = np.arange(len(sits)) // seats, goal.won(returns)
    together = np.unique(np.sort(sits, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    roles = list(dict.fromkeys(goal.role(seat) for seat in range(seats)))
    role = np.array([roles.index(goal.role(seat)) for seat in range(seats)])
    for index, row in enumerate(found["players"]):
        match, seat = np.nonzero(sits == index)
        strata = together[match] * len(roles) + role[seat]
        assert same(row, clustered_mean(returns[match, seat], member[match], strata).rounded())
        if row["rate"] is not None:
            points = goal.points(won)[match, seat]
            assert same(row, clustered_rate(points, member[match], together[match]).rounded())
    for seat, row in enumerate(found["seats"]):
        assert same(row, clustered_mean(returns[:, seat], member, together * players + sits[:, seat]).rounded())
    finish = won.astype(np.float64) if goal.kind == "rule" else returns
    for row in found["pairs"]:
        mine, theirs = sits == int(row["player"]), sits == int(row["against"])
        met = np.flatnonzero(mine.any(axis=1) & theirs.any(axis=1))
        assert row["games"] == len(met)
        shares = above(finish[met], mine[met], theirs[met])
        assert same(row, clustered_rate(shares, member[met], together[met]).rounded())


def same(row, wanted):
    return all(
        row[name] == (None if value is None else pytest.approx(value, abs=2e-6)) for name, value in wanted.items()
    )


@settings(deadline=None)
@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=12), seed=st.integers(0, 99), twice=st.booleans())
def test_results_are_passed_on_in_order_and_once(sizes, seed, twice):
    """Whatever order batches come in, and if some come twice; what is missing is known at any time."""
    ends = np.cumsum([0, *sizes])
    batches = [np.arange(low, high) for low, high in itertools.pairwise(ends)]
    rng, order, seen = np.random.default_rng(seed), InOrder(), []
    for place in rng.permutation(np.repeat(np.arange(len(batches)), 1 + twice)):
        for first, (numbers,) in order.add(batches[place], batches[place]):
            assert first == len(seen)
            seen += numbers.tolist()
        known = {number for low, high in order.spans() for number in range(low, high)}
        missing = Missing(order.spans(), int(ends[-1]))
        assert missing[:].tolist() == sorted(set(range(ends[-1])) - known)
        assert order.done == len(known)
    assert seen == list(range(ends[-1]))


def test_seatings_are_the_same_all_at_once_and_one_by_one():
    """Who sits where can be asked of any match alone."""
    lazy = Seatings(5, 3, 1000, 7)
    rows = seatings(5, 3, 1000, 7)
    numbers = np.random.default_rng(1).permutation(1000)
    assert np.array_equal(lazy[numbers], rows[numbers])
    assert np.array_equal(lazy[17], rows[17])
    assert lazy[999].tolist() == rows[999].tolist()


@pytest.mark.parametrize("workers", [1, 3])
def test_the_streamed_table_is_the_table(workers, monkeypatch):
    """Block by block, on any number of workers, the document of all matches; forfeits too."""
    monkeypatch.setattr(tallying, "BLOCK", 64)
    for text, players in (("pig:players=3,target=20", ["random"] * 4), ("connect_four", ["random", "random"])):
        whole, small = (f(text, players, games=1001, seed=5, workers=workers) for f in (ts.arena, streamed))
        assert timeless(whole) == timeless(small)
        assert str(small).splitlines()[1:] == str(whole).splitlines()[1:]


def timeless(table):
    return {name: value for name, value in table.to_dict().items() if "second" not in name}


def test_a_stream_that_was_stopped_ends_the_same(tmp_path):
    """Left in the middle and gone on with, once with gaps: every game once, the table of one go."""
    game, players = ts.load("connect_four"), ["random", "random"]
    fresh = streamed(game, players, games=30_000, seed=2, store=f"{tmp_path}/fresh.db", keep="none")
    with contextlib.closing(Store(f"{tmp_path}/s.db")) as store:
        plan = planned(game, players, 30_000, seed=2)
        steps = stream(plan, 30_000, distinct(["random", "random"]), 2, store, "none")
        while next(steps)[0] < 2000:
            pass
        steps.close()
        run = store.runs()[0]
        assert 2000 <= run["games"] < 30_000
        list(follow(plan, 30_000, 1, store, "none"))
        again = streamed(game, players, games=30_000, seed=2, store=store, keep="none")
        assert store.runs()[0]["games"] == 30_000
    assert timeless(again) == timeless(fresh)


def test_what_is_held_does_not_grow_with_games():
    """What a tally holds after many games is what it held after few, forfeits included."""

    def held(games):
        counted = tallying.Tally(3, 2, Goal())
        for first in range(0, games, 10_000):
            rows = Seatings(3, 2, games, 1)[first : first + 10_000]
            counted.add(rows, np.where(rows == 0, 1.0, -1.0), np.full(len(rows), 1))
        counted = counted.complete()
        assert counted.games == counted.forfeited.sum() == games
        sums = [each.nbytes for kind in counted._kinds.values() for each in kind.sums.values()]
        rest = (counted._waiting, counted._orders, counted.forfeits, counted.values)
        return sum(sums), sum(len(rows) for rows, _ in counted._rated), *map(len, rest)

    assert held(400_000) == held(100_000)
