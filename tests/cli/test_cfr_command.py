"""`turnsmith cfr` and `turnsmith exploitability`: numbers, files that go on, and refusals."""

import json

import numpy as np
import pytest
from typed import turnsmith

from turnsmith.cli import cfr as command
from turnsmith.search.cfr import Solving

KUHN = "kuhn"


def answer(*words, cwd):
    ran = turnsmith(*words, "--json", cwd=cwd)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_solving_prints_value_and_exploitability(tmp_path):
    """Until an exploitability, and as JSON; what was written plays, and is as exploitable as was said."""
    told = answer("cfr", "leduc", "--until", "0.01", "--to", "leduc.npz", cwd=tmp_path)
    assert told["exploitability"] <= 0.01
    assert told["information_sets"] == 936
    assert told["values"][0] == pytest.approx(-0.0856, abs=0.005)
    found = answer("exploitability", "leduc", "cfr:strategy=leduc.npz", cwd=tmp_path)
    assert found["exploitability"] == told["exploitability"]
    assert found["asks"] is None
    ran = turnsmith("cfr", KUHN, "--iterations", "50", "--method", "mccfr", cwd=tmp_path)
    assert "50 iterations" in ran.stdout
    assert "exploitability" in ran.stdout
    assert ran.stderr == ""
    ran = turnsmith("exploitability", KUHN, "mcts:simulations=2", "--asks", "3", cwd=tmp_path)
    assert "3 decisions counted in each" in ran.stdout
    assert "best answer" in ran.stdout


def test_a_strategy_in_words(tmp_path):
    """The .json has every set as its seat sees it, with a policy in words that adds up to 1: with a king one calls."""
    assert turnsmith("cfr", KUHN, "--method", "lp", "--to", "kuhn.json", cwd=tmp_path).returncode == 0
    document = json.loads((tmp_path / "kuhn.json").read_text())
    assert document["values"] == pytest.approx([-1 / 18, 1 / 18])
    assert len(document["sets"]) == 12
    assert all(sum(row["policy"].values()) == pytest.approx(1.0, abs=1e-5) for row in document["sets"])
    kings = [row["policy"] for row in document["sets"] if "K" in row["sees"] and "call" in row["policy"]]
    assert [policy["call"] for policy in kings] == [1.0, 1.0]


@pytest.mark.parametrize("method", ["cfr+", "mccfr"])
def test_stopped_work_goes_on_and_ends_the_same(method, tmp_path, monkeypatch):
    """Stopped in the middle, given again: every array of the file is that of work that was never stopped."""
    words = ("cfr", KUHN, "--iterations", "9000", "--method", method, "--seed", "4", "--to")
    assert turnsmith(*words, "whole.npz", cwd=tmp_path).returncode == 0
    monkeypatch.setattr(command, "SAVE_EVERY", -1.0)
    real, runs = Solving.run, []

    def run(self, iterations):
        runs.append(iterations)
        if len(runs) == 5:
            raise KeyboardInterrupt
        real(self, iterations)

    monkeypatch.setattr(Solving, "run", run)
    assert turnsmith(*words, "part.npz", cwd=tmp_path).returncode == 130
    half = np.load(tmp_path / "part.npz")
    assert 0 < int(half["iterations"][0]) < 9000
    assert turnsmith(*words, "part.npz", cwd=tmp_path).returncode == 0
    whole, part = np.load(tmp_path / "whole.npz"), np.load(tmp_path / "part.npz")
    assert sorted(whole) == sorted(part)
    assert all(whole[name].tobytes() == part[name].tobytes() for name in whole)


def test_refusals_are_one_line_and_leave_nothing(tmp_path):
    """Wrong methods, endings, games and files: exit code 2, one line, no file."""
    (tmp_path / "other.npz").write_text("something")
    for words, why in {
        ("leduc", "--method", "magic"): "must be one of cfr+, dcfr",
        ("leduc", "--to", "leduc.txt"): "must end in .npz or .json",
        ("leduc", "--to", "nowhere/leduc.npz"): "there is no folder",
        ("leduc", "--to", "other.npz"): "cannot be read",
        ("leduc", "--limit", "100", "--to", "leduc.npz"): "positions and the limit is 100",
        ("mastermind:colors=2,pegs=2", "--to", "leduc.npz"): "has one seat",
        ("leduc", "--iterations", "0"): "--iterations",
    }.items():
        ran = turnsmith("cfr", *words, cwd=tmp_path)
        assert ran.returncode == 2
        assert why in ran.stderr
        assert ran.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["other.npz"]
    assert (tmp_path / "other.npz").read_text() == "something"
