"""The store: nothing lost, nothing twice, everything replayable."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import zlib

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.store import Store, pack, unpack


def test_actions_survive_packing():
    """Compressed actions come back as they were."""
    actions = np.array([0, 5, 1295, 2**31 - 1], np.int32)
    assert unpack(pack(actions)) == actions.tolist()


@pytest.mark.parametrize("how", ["as now", "as before"])
def test_a_stored_match_replays(tmp_path, monkeypatch, how):
    """Every stored match, replayed from its integers, ends with the returns it had; so do those pressed with zlib."""
    if how == "as before":
        monkeypatch.setattr(sys.modules["turnsmith.arena.store"], "_pressed", zlib.compress)
    url = f"sqlite:///{tmp_path}/s.db"
    table = ts.arena("pig:target=20", ["random", "random"], games=6, store=url)
    store = Store(url)
    (run,) = store.runs()
    assert run["games"] == 6
    for number in range(6):
        match = store.match(run["run"], number)
        final = list(match.positions())[-1]
        assert list(final.outcome.returns) == match.returns == table.returns[number].tolist()
        assert match.ending == final.outcome.ending
    store.close()


def test_more_games_continue_a_run(tmp_path):
    """Asking for more games plays only the new ones; asking again plays none."""
    url = f"sqlite:///{tmp_path}/s.db"
    first = ts.arena("connect_four", ["random", "random"], games=10, store=url)
    more = ts.arena("connect_four", ["random", "random"], games=30, store=url)
    again = ts.arena("connect_four", ["random", "random"], games=30, store=url)
    fresh = ts.arena("connect_four", ["random", "random"], games=30)
    assert np.array_equal(first.returns, fresh.returns[:10])
    assert np.array_equal(more.returns, fresh.returns)
    assert np.array_equal(again.returns, fresh.returns)
    assert again.seconds == pytest.approx(more.seconds)
    assert count(tmp_path / "s.db") == 30


def test_a_run_played_by_two_at_once_counts_once(tmp_path):
    """A batch that is stored twice gives the results once, and its matches still replay."""
    url = f"sqlite:///{tmp_path}/s.db"
    fresh = ts.arena("pig:target=20", ["random", "random"], games=8, store=url)
    with sqlite3.connect(tmp_path / "s.db") as db:
        columns = "run, first, last, games, matches, boards, reasons, actions"
        db.execute(f"insert into batches ({columns}) select {columns} from batches")
    with contextlib.closing(Store(url)) as store:
        (run,) = store.runs()
        assert np.array_equal(store.results(run["run"]).returns, fresh.returns)
        assert np.array_equal(store.results(run["run"], 5).numbers, np.arange(5))
        assert store.match(run["run"], 7).returns == fresh.returns[7].tolist()


def test_keep_none_stores_no_moves(tmp_path):
    """With keep=none there are results but no moves, and asking for a replay says so."""
    url = f"sqlite:///{tmp_path}/s.db"
    ts.arena("connect_four", ["random", "random"], games=4, store=url, keep="none")
    store = Store(url)
    with pytest.raises(ts.BadInput, match="keep all"):
        store.match(store.runs()[0]["run"], 0)
    store.close()


def test_a_store_that_cannot_be_opened_is_refused(tmp_path):
    """A folder that is not there, and a word that is no address."""
    for url in (f"sqlite:///{tmp_path}/no/such/folder.db", "nonsense"):
        with pytest.raises(ts.BadInput, match="cannot be opened"):
            ts.arena("connect_four", ["random", "random"], games=2, store=url)


def test_killed_arena_resumes(tmp_path):
    """A run ended by SIGKILL goes on where it was: every game once, the same table as without the kill."""
    command = [
        *(sys.executable, "-m", "turnsmith", "arena", "connect_four", "--players", "mcts:simulations=3000,random"),
        *("--games", "1200", "--seed", "4", "--workers", "2", "--store", f"sqlite:///{tmp_path}/s.db", "--json"),
    ]
    victim = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    deadline = time.monotonic() + 120
    while count(tmp_path / "s.db") < 5 and time.monotonic() < deadline and victim.poll() is None:
        time.sleep(0.02)
    victim.send_signal(signal.SIGKILL)
    assert victim.wait() == -signal.SIGKILL
    before = count(tmp_path / "s.db")
    assert 0 < before < 1200
    resumed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert count(tmp_path / "s.db") == 1200
    fresh = ts.arena("connect_four", ["mcts:simulations=3000", "random"], games=1200, seed=4, workers=2)
    assert resumed["games"] == 1200
    assert resumed["players"] == fresh.to_dict()["players"]


def count(path):
    """Matches in the store so far."""
    try:
        with sqlite3.connect(path) as db:
            return db.execute("select coalesce(sum(games), 0) from batches").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
