"""A real cluster of three nodes on this machine, one of which dies in the middle."""

import contextlib
import json
import os
import secrets
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest

import turnsmith as ts

NODE = {"num_cpus": 1, "object_store_memory": 100_000_000, "include_dashboard": False, "node_ip_address": "127.0.0.1"}


@pytest.fixture(scope="module")
def three_nodes():
    """A cluster that talks to nobody but itself, and is gone after these tests."""
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    quiet["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # on the loopback interface alone
    before = {name: os.environ.get(name) for name in quiet}
    os.environ.update(quiet)
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args=NODE)
    try:
        nodes.victim, nodes.other = (nodes.add_node(**NODE) for _ in range(2))
        nodes.wait_for_nodes()
        yield nodes
    finally:
        nodes.shutdown()
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def stored(path):
    """Matches in the store so far."""
    with contextlib.suppress(sqlite3.OperationalError), sqlite3.connect(path) as db:
        return db.execute("select coalesce(sum(games), 0) from batches").fetchone()[0]
    return 0


def test_nothing_is_lost_and_nothing_is_repeated_when_a_node_is_killed(three_nodes, tmp_path):
    """An arena on three nodes, one killed while it plays: every match once, and the table of one machine."""
    players = "mcts:simulations=1000,random"
    command = [sys.executable, "-m", "turnsmith", "arena", "connect_four", "--players", players, "--games", "200"]
    command += ["--seed", "4", "--json", "--store", f"sqlite:///{tmp_path}/s.db"]
    arena = subprocess.Popen(
        [*command, "--runner", "ray", "--address", three_nodes.address], stdout=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while stored(tmp_path / "s.db") < 30 and arena.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    three_nodes.remove_node(three_nodes.victim, allow_graceful=False)
    done = stored(tmp_path / "s.db")
    try:
        found = json.loads(arena.communicate(timeout=60)[0])
    finally:
        arena.kill()
    assert 30 <= done < 200
    with sqlite3.connect(tmp_path / "s.db") as db:
        assert db.execute("select sum(games) from batches").fetchone() == (200,)
    here = ts.arena("connect_four", players.split(","), games=200, seed=4, workers=2)
    wanted = here.to_dict()
    for part in ("players", "pairs", "seats", "meetings"):
        assert found[part] == wanted[part]
    again = ts.arena("connect_four", players.split(","), games=200, seed=4, store=f"sqlite:///{tmp_path}/s.db")
    assert np.array_equal(again.returns, here.returns)
