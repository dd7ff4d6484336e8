"""Ctrl-C in a real process, in the midst of compiled rules that never come back."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import turnsmith as ts

ROGUE = str(Path(__file__).parent.parent / "games_for_tests" / "rogue.py")
LOOP = f"{ROGUE}:mistake=loop"


@pytest.fixture(scope="module", autouse=True)
def _is_tried_out_and_compiled():
    """With other options than those it was tried out with, nobody but Ctrl-C stops it."""
    ts.arena(ROGUE, ["random", "random"], games=2)
    ts.play(ROGUE, ["random", "random"])


def started(*words):
    """A command that is where it never comes back from."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = subprocess.Popen(
        [sys.executable, "-m", "turnsmith", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    while cpu_seconds(command.pid) < 4.5:  # a start takes less, so it is in the loop
        time.sleep(0.2)
        assert command.poll() is None, command.communicate()
    return command


def cpu_seconds(process):
    """How long a process has been at work."""
    told = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(
    "words",
    [
        ("arena", LOOP, "--players", "random,random", "--games", "50", "--store", "none"),
        ("watch", LOOP, "--players", "random,random"),
    ],
    ids=["arena", "watch"],
)
def test_ctrl_c_ends_rules_that_never_come_back(words):
    """One Ctrl-C is enough: one line, exit code 130, after a short grace."""
    with started(*words) as command:
        command.send_signal(signal.SIGINT)
        out, err = command.communicate(timeout=30)
    assert (command.returncode, out, err) == (130, b"", b"stopped\n")


def test_a_second_ctrl_c_does_not_wait():
    """Whoever presses twice is not kept waiting: the process ends while the first would still be in its grace."""
    with started("watch", LOOP, "--players", "random,random") as command:
        command.send_signal(signal.SIGINT)
        time.sleep(0.1)
        command.send_signal(signal.SIGINT)
        out, err = command.communicate(timeout=30)
    assert (command.returncode, out, err) == (130, b"", b"stopped\n")
