"""The bench of the first minute: a person in a real browser who moves and sees the reply; ``bench/`` runs all games."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from turnsmith.compile.cache import cache_folder

BENCH = Path(__file__).parents[2] / "bench" / "first_minute.py"


def run(*words):
    command = [sys.executable, str(BENCH), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def test_a_row_tells_what_a_newcomer_waited_for(tmp_path):
    """Page, board, reply and turn in seconds, with the processor's; the cache is that of the tests."""
    file, table = tmp_path / "rows.json", tmp_path / "rows.md"
    ended = run("--games", "tic_tac_toe", "--cache", str(cache_folder()), "--json", str(file), "--to", str(table))
    assert ended.returncode == 0, ended.stderr
    measured = json.loads(file.read_text())
    assert {"cores", "cpu", "python", "numba", "load", "mode"} <= measured["header"].keys()
    (row,) = measured["rows"]
    assert (row["game"], row["late"], row["problem"]) == ("tic_tac_toe", "", "")
    assert 0 < row["server"] < row["page"], row
    assert row["board"] > 0
    assert 0 < row["reply"] <= row["turn"], row
    assert 0 < row["cpu_reply"] <= row["cpu"], row
    assert row["opponents"]
    assert table.read_text() == ended.stdout
    assert "| tic_tac_toe |" in ended.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--games", "chess"], "there is no 'chess'; there are"),
        (["--patience", "0"], "--patience 0 must be"),
        (["--patience", "soon"], "invalid float value: 'soon'"),
        (["--tree", "nowhere"], "--tree nowhere has no src/turnsmith"),
        (["--python", "./no-python"], "./no-python cannot be run"),
        (["--prepare", "turnsmith no-such-command"], "'turnsmith no-such-command' ended with 2"),
        (["--json", "nowhere/rows.json"], "nowhere/rows.json cannot be written"),
    ],
)
def test_wrong_input_is_refused_in_one_line(words, said):
    ended = run(*words)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert said in ended.stderr
    assert ended.stderr.count("\n") == 1
