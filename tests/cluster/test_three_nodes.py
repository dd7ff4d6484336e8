"""A real cluster of three nodes on this machine, one of which dies in the middle."""

import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.runners import KeptBoards
from turnsmith.cli import main
from turnsmith.cluster import cluster
from turnsmith.evolve.fitness import FitnessArena, every_seat
from turnsmith.learn import selfplay
from turnsmith.maps.tree_runs import TreeSettings, grow
from turnsmith.play.batch import boards_of
from turnsmith.play.observe import observer
from turnsmith.studies.tactics.evolution import Static, candidate

ROOT = Path(__file__).parent.parent.parent
NODE = {"num_cpus": 1, "object_store_memory": 100_000_000, "include_dashboard": False, "node_ip_address": "127.0.0.1"}


@pytest.fixture(scope="module")
def three_nodes():
    """A cluster that talks to nobody but itself, and is gone after these tests."""
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args=NODE)
    try:
        nodes.victim, nodes.other = (nodes.add_node(**NODE) for _ in range(2))
        nodes.wait_for_nodes()
        yield nodes
    finally:
        nodes.shutdown()


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
    deadline = time.monotonic() + 300
    while stored(tmp_path / "s.db") < 30 and arena.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    done = stored(tmp_path / "s.db")
    three_nodes.remove_node(three_nodes.victim, allow_graceful=False)
    try:
        found = json.loads(arena.communicate(timeout=300)[0])
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


def test_a_cluster_that_is_gone_is_a_sentence_and_what_is_stored_stays(tmp_path):
    """Its own node killed in the middle: one line, exit code 2, and the same command has the games that were stored."""
    players, store = "mcts:simulations=20000,random", tmp_path / "s.db"
    words = ["arena", "connect_four", "--players", players, "--games", "5000", "--store", str(store)]
    with subprocess.Popen(
        [sys.executable, "-m", "turnsmith", *words, "--runner", "ray", "--workers", "1"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as arena:  # fmt: skip
        try:
            deadline = time.monotonic() + 300
            while not stored(store) and arena.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            found = subprocess.run(
                ["pgrep", "-P", str(arena.pid), "-f", "raylet/raylet"], capture_output=True, text=True
            )
            os.kill(int(found.stdout.split()[0]), signal.SIGKILL)
            said = arena.communicate(timeout=120)[1]
        finally:
            arena.kill()
    assert (arena.returncode, said.count("\n")) == (2, 1)
    assert "the Ray cluster is gone" in said
    assert "give the same command" in said
    done = stored(store)
    assert done > 0
    assert ts.arena("connect_four", players.split(","), games=1, store=f"sqlite:///{store}").returns.shape == (1, 2)


def own_game(folder):
    """A game of one's own in two files."""
    source = (ROOT / "examples" / "nim.py").read_text()
    (folder / "own_nim.py").write_text(source.replace("import numpy as np", "import numpy as np\nimport own_words", 1))
    (folder / "own_words.py").write_text("HELLO = 1\n")
    return str(folder / "own_nim.py")


def self_play():
    game = ts.load("connect_four")
    boards = boards_of(game, 1)
    who = ts.player("negamax:depth=2", game)
    rows = selfplay.play(game, boards, observer(game, boards), who, 256, 0.1, 3, 2, lambda done, total: None)
    return [column.tobytes() for column in vars(rows).values()]


def evolution():
    """Candidates that no text names, on boards that are kept."""
    ground, rng = FitnessArena(ts.load("tactics:pool=4"), workers=2, kept=KeptBoards()), np.random.default_rng(1)
    candidates = [candidate(rng.normal(size=(20, 7))) for _ in range(3)]
    return ground.scores(candidates, [Static()], every_seat(1, 2, 8), 7).tolist()


def trees(folder):
    files = grow(TreeSettings("homeguard", maps=60, per_map=10, iterations=2, branches=16, seed=3), folder, 2)
    return [(file.name, file.read_bytes()) for file in files]


def test_files_of_ones_own_self_play_evolution_and_trees(three_nodes, tmp_path):
    """They give on a cluster what they give here, and none of them was played here instead."""
    nim = own_game(tmp_path)

    def everything(place):
        yield ts.arena(nim, ["random", "random"], games=40, seed=1).returns.tolist()
        yield self_play()
        yield evolution()
        yield trees(tmp_path / place)

    with cluster("ray", three_nodes.address) as found:
        there, kinds = [], []
        for each in everything("there"):
            there.append(each)
            kinds.append(found.latest.job.kind)
    assert kinds == ["matches", "selfplay", "matches", "trees"]
    for here, away in zip(everything("here"), there, strict=True):
        assert here == away


def test_the_page_runs(three_nodes, tmp_path, monkeypatch, capsys):
    """The Python of docs/how-to/cluster.md and its commands, but for the training, which takes an hour."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "how-to" / "cluster.md").read_text().replace("10.0.0.1:6379", three_nodes.address)
    (block,) = re.findall(r"```python\n(.*?)```", page, re.S)
    exec(compile(block, "cluster.md", "exec"), {})
    assert "pig: 200 games" in capsys.readouterr().out
    commands = re.findall(rf"\$ turnsmith (.*--address {three_nodes.address})", page)
    assert len(commands) == 3
    for line in commands[:2]:
        with contextlib.suppress(SystemExit):
            main(line.split())
        assert re.search(r"60 games|200 trees", capsys.readouterr().out), line
