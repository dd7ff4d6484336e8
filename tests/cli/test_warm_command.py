"""``turnsmith warm`` in real processes, with a cold cache of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

NIM = (Path(__file__).parents[2] / "examples" / "nim.py").read_text()
SLOW = (Path(__file__).parents[1] / "games_for_tests" / "slow_player.txt").read_text()

PLAYED = """
import asyncio
from turnsmith import step
from turnsmith.compile.kernel import compiled_in_this_process, keep_gil
from turnsmith.web.host import Host
from turnsmith.web.server.offered import offer

async def play():
    keep_gil(*step.SHORT)
    offer(["./sticks.py"])
    host = Host("sqlite:///store.db", 2.0)
    match = await host.create("me", "sticks", ["person", "easy"])
    keys = [match.seats[0].key]
    hint = await host.hint("me", match, keys)
    await host.move("me", match, keys, hint.action)
    await host.settled(match, 60)
    print(len(match.position.history), len(compiled_in_this_process))
    host.close()

asyncio.run(play())
"""


def environment(folder):
    return {
        **os.environ,
        "TURNSMITH_CACHE": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }


def warm(folder, *words):
    command = [sys.executable, "-m", "turnsmith", "warm", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment(folder))


def test_what_is_compiled_ahead_is_not_compiled_again(tmp_path):
    """Stopped in the middle, it goes on where it was; then nothing is left to do, nor for a match and a hint."""
    (tmp_path / "sticks.py").write_text(NIM + SLOW)
    words = ["./sticks.py", "--workers", "1"]
    command = [sys.executable, "-m", "turnsmith", "warm", *words]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=environment(tmp_path)) as begun:
        assert begun.stderr.readline().endswith("sticks: rules\n")
        time.sleep(0.5)  # by now it waits for a player that is not prepared before there is a file `go`
        begun.send_signal(signal.SIGINT)
        assert begun.wait(30) == 130
        assert begun.stderr.read() == "stopped\n"

    (tmp_path / "go").touch()
    rows = json.loads(warm(tmp_path, *words, "--json").stdout)
    assert [row["part"] for row in rows] == ["rules", "best", "arena"]
    assert all(row["ready"] and not row["problem"] for row in rows)
    assert rows[0]["compiled"] == 0  # it was there when the first was stopped
    assert rows[2]["compiled"] > 0

    again = warm(tmp_path, *words)
    assert "nothing to compile" in again.stdout
    assert not again.stderr
    played = [sys.executable, "-c", PLAYED]
    ran = subprocess.run(played, cwd=tmp_path, capture_output=True, text=True, env=environment(tmp_path))
    assert ran.stdout == "2 0\n", ran.stderr


def test_no_such_game_is_one_line(tmp_path):
    """Of a game that is not there, it says so and what there is; so of a player."""
    for words, wrong in ((["tictac"], "tictac"), (["pig", "--players", "nobody"], "nobody")):
        ran = warm(tmp_path, *words)
        assert ran.returncode == 2
        assert wrong in ran.stderr
        assert len(ran.stderr.splitlines()) == 1
