"""``turnsmith levels`` and the opponent that adapts, as people type them."""

import json
import os
import subprocess
import sys
from pathlib import Path

NIM = (Path(__file__).parents[2] / "examples" / "nim.py").read_text()
QUICK = ("--seconds", "0.0005", "--most", "24", "--reach", "0.3", "--workers", "1", "--store", "games.db")


def turnsmith(*words, cwd, answers=""):
    command = [sys.executable, "-m", "turnsmith", *words]
    known = {**os.environ, "TURNSMITH_RECORD": str(cwd / "record.json")}
    return subprocess.run(command, cwd=cwd, input=answers, capture_output=True, text=True, env=known)


def test_levels_are_measured_shown_and_played(tmp_path):
    """A game of one's own: measured and kept beside it, the same again, shown, met in the terminal and remembered."""
    file = tmp_path / "sticks.py"
    file.write_text(NIM)
    words = ("levels", "sticks.py:piles=1-2", *QUICK)
    ran = turnsmith(*words, "--json", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found == json.loads((tmp_path / "sticks.levels.json").read_text())
    assert next(rung["rating"] for rung in found["rungs"]) == 0.0
    assert json.loads(turnsmith(*words, "--json", cwd=tmp_path).stdout) == found
    shown = turnsmith("levels", "sticks.py:piles=1-2", "--show", cwd=tmp_path)
    assert "★" in shown.stdout
    assert found["rungs"][-1]["player"] in shown.stdout

    played = turnsmith(
        "play", "sticks.py:piles=1-2", "--vs", "adaptive", "--seed", "1", cwd=tmp_path, answers="b 1\na 1\nb 1\n"
    )
    assert "by 0 games; you meet" in played.stdout, played.stdout + played.stderr
    kept = json.loads((tmp_path / "record.json").read_text())["sticks"]
    assert kept.split(":")[1] in ("0", "1")
    helped = turnsmith("play", "sticks.py:piles=1-2", "--vs", "adaptive", cwd=tmp_path, answers="hint\nb 2\na 1\n")
    assert "by 1 game; you meet" in helped.stdout
    assert json.loads((tmp_path / "record.json").read_text())["sticks"] == kept


def test_wrong_inputs_are_refused_in_one_line(tmp_path):
    """Cause and cure, exit code 2, and nothing is written."""
    (tmp_path / "sticks.py").write_text(NIM)
    for words, why in {
        ("levels", "mastermind"): "one seat, so there is nobody to win against",
        ("levels", "sticks.py", "--players", "nobody"): "there is no player 'nobody'",
        ("levels", "sticks.py", "--to", "no/where.json"): "there is no folder",
        ("levels", "sticks.py", "--reach", "0"): "0.01",
        ("play", "sticks.py", "--vs", "adaptive"): "are not measured; run 'turnsmith levels",
    }.items():
        ran = turnsmith(*words, cwd=tmp_path)
        assert ran.returncode == 2, ran.stdout
        assert why in ran.stderr
        assert len(ran.stderr.splitlines()) == 1
    assert not [each for each in tmp_path.iterdir() if each.suffix in (".json", ".db")]
