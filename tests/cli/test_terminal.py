"""What a terminal shows: tables at 80 columns and fewer, CSV, a greeting, completion, and the doctor."""

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys
import threading
import time

import pytest
from rich.console import Console
from typed import turnsmith

import turnsmith as ts
from turnsmith.cli import progress

LONG = [f"mcts:simulations={count}" for count in (2, 3, 4, 5)]


def shown(table, width):
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(table)
    return console.file.getvalue()


@pytest.fixture(scope="module")
def table():
    return ts.arena("connect_four", [*LONG, "random"], games=200)


@pytest.mark.parametrize("width", [30, 40, 80, 200])
def test_no_number_and_no_name_is_cut(table, width):
    """Every player's name is there whole, and every number of the table; no line is wider than the terminal."""
    text = shown(table, width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    words = text.split()
    for row in table.to_dict()["players"]:
        assert row["name"] in words
        assert f"{100 * row['low']:.1f}–{100 * row['high']:.1f}" in words
        assert f"{row['rating']['mu']:.1f}" in words
    for pair in table.to_dict()["pairs"]:
        assert f"{100 * pair['rate']:.1f}/{pair['games']}" in words


def test_letters_only_where_names_are_too_long(table):
    """In a wide terminal players go by their names; in a narrow one by letters, the best is A."""
    best = max(table.to_dict()["players"], key=lambda row: row["rate"])["name"]
    assert re.search(rf"^ A  {re.escape(best)}$", shown(table, 80), re.M)
    assert re.search(rf"^ {re.escape(best)} +\d", shown(table, 200), re.M)
    assert not re.search(r"^ A ", shown(table, 200), re.M)


def test_arena_as_csv(tmp_path):
    """One row a player, the numbers of the JSON, nothing else on stdout; both at once is refused."""
    words = ("arena", "connect_four", "--players", "random,mcts:simulations=2", "--games", "20", "--store", "none")
    rows = list(csv.DictReader(io.StringIO(turnsmith(*words, "--csv", cwd=tmp_path).stdout)))
    document = json.loads(turnsmith(*words, "--json", cwd=tmp_path).stdout)
    assert [row["name"] for row in rows] == [row["name"] for row in document["players"]]
    for row, player in zip(rows, document["players"], strict=True):
        assert float(row["rate"]) == player["rate"]
        assert float(row["rating_mu"]) == player["rating"]["mu"]
    refused = turnsmith(*words, "--csv", "--json", cwd=tmp_path)
    assert refused.returncode == 2
    assert "give one of them" in refused.stderr


def test_the_name_alone_greets(tmp_path):
    """It says what one can do, every command of it exists, and no line is wider than 80 columns."""
    ran = turnsmith(cwd=tmp_path)
    assert ran.returncode == 0
    assert max(map(len, ran.stdout.splitlines())) <= 80
    named = re.findall(r"^  turnsmith (\w+)", ran.stdout, re.M)
    assert {"play", "serve", "arena", "doctor"} <= set(named)
    listed = turnsmith("--help", cwd=tmp_path).stdout
    assert all(re.search(rf"\b{name}\b", listed) for name in named)


def test_the_doctor_finds_what_is_there(tmp_path, monkeypatch):
    """Versions, cores, cache and extras; a folder that cannot be used is a problem with its cure, and not a crash."""
    found = json.loads(turnsmith("doctor", "--json", cwd=tmp_path).stdout)
    assert set(found) == {"here", "libraries", "compiled code", "extras", "programs", "problems"}
    assert "missing" not in found["libraries"].values()
    assert int(found["here"]["cores"]) >= 1
    monkeypatch.setenv("COLUMNS", "80")
    told = turnsmith("doctor", cwd=tmp_path)
    assert told.returncode == 0
    assert "numba" in told.stdout
    monkeypatch.setattr("turnsmith.cli.doctor.EXTRAS", {"learn": ("to learn", ("no-such-library",))})
    assert (
        "lacks no-such-library (to learn): pip install 'turnsmith[learn]'" in turnsmith("doctor", cwd=tmp_path).stdout
    )
    monkeypatch.setattr("turnsmith.compile.self_test.self_test", lambda: ["it forgot how to add"])
    assert "it forgot how to add; reinstall" in turnsmith("doctor", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("words", "found"),
    [("turnsmith bal", ["balance"]), ("turnsmith play connect", ["connect_four"]), ("turnsmith arena pig --key", [])],
)
def test_a_shell_completes(words, found, tmp_path):
    """Commands, options and games, as bash asks for them."""
    asked = {"_TURNSMITH_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    command = [sys.executable, "-m", "turnsmith"]
    ran = subprocess.run(command, cwd=tmp_path, env={**os.environ, **asked}, capture_output=True, text=True)
    assert ran.stdout.split() == found


def test_whoever_waits_is_told_what_is_done(monkeypatch):
    """Off a terminal a line says soon, and then again and again, which command is at what."""
    monkeypatch.delenv(progress.QUIET, raising=False)
    monkeypatch.setattr(progress, "FIRST", 0.01)
    monkeypatch.setattr(progress, "EVERY", 0.01)
    said = io.StringIO()

    def wait_for(what, times=1):
        deadline = time.monotonic() + 60
        while said.getvalue().count(what) < times and time.monotonic() < deadline:
            time.sleep(0.01)
        assert said.getvalue().count(what) >= times

    with contextlib.redirect_stderr(said), progress.speaking(["levels", "nim.py", "--json"]):
        wait_for("levels nim.py (0 s)\n", 2)
        with progress.progress_bar("nim", hidden=True) as tell:
            tell.say("laws")
            wait_for("nim: laws (")
            tell(3, 1000)
            wait_for("nim: laws, 3 of 1,000 (", 2)
    assert not progress._at_work
    for words, quiet in ((["maps", "rate"], ""), (["levels", "nim.py"], "1")):  # the first speaks by itself
        monkeypatch.setenv(progress.QUIET, quiet)
        with progress.speaking(words):
            assert not [each for each in threading.enumerate() if each.name == "speaking"]
