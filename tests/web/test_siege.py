"""What people do to live matches while players think, in any order; ``bench/`` runs the same for hours."""

import json
import os
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "bench"


def run(script, *words):
    """What a script of the bench counted; it ends with 1, or by a signal, where something went wrong."""
    command = [sys.executable, str(BENCH / script), *words]
    known = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
    ended = subprocess.run(command, env=known, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 0, f"{ended.returncode}: {ended.stdout[-3000:]} {ended.stderr[-3000:]}"
    return json.loads(ended.stdout)


def test_nothing_that_people_do_harms_a_match_or_its_players():
    """Moves, undos, hand-overs, resignations, rematches, hints, strangers and returns, with bounds checks."""
    tried = run("live_machine.py", "--examples", "6", "--steps", "40", "--seed", "1")
    assert tried["steps"] > 100, tried
    assert tried["undos during a thought"] > 0, tried


def test_a_besieged_server_stays_alive():
    """Undos during thoughts, several matches at once, hostile requests and eight clients at random: nobody forfeits."""
    came = run("web_siege.py", "--undos", "16", "--matches", "6", "--hostile", "300", "--minutes", "0.1")
    assert came["alive"], came
    assert came["forfeits"] == 0
    assert came["counts"]["undos during a thought"] == 16
    assert not any(name.startswith("innocent") for name in came["counts"]), came["counts"]
