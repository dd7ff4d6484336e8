"""Nothing that only POSIX systems have is needed to import the package or to play."""

import contextlib
import os
import subprocess
import sys
import threading
import time

import pytest

from turnsmith.common.alarm import alarm

WITHOUT_POSIX = """
import os, signal, sys, time

for module, names in {
    os: ("getuid", "geteuid", "getgid", "getegid", "fork", "killpg", "setsid", "getpgid"),
    signal: ("SIGALRM", "SIGKILL", "SIGUSR1", "SIGHUP", "setitimer", "ITIMER_REAL", "alarm", "pthread_kill"),
    time: ("CLOCK_MONOTONIC", "clock_gettime", "clock_gettime_ns"),
}.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
sys.modules.update(dict.fromkeys(("resource", "fcntl", "pwd", "grp", "termios")))

from dataclasses import dataclass

import turnsmith as ts
from turnsmith import kernel
from turnsmith.play.player import Decision, Player

def ask(out):
    out[0] = kernel.now()

import numpy as np
out, before = np.zeros(1, np.int64), kernel.now()
kernel.compiled(ask)(out)
print(before <= out[0] <= kernel.now())

match = ts.play("connect_four", ["random", "random"], seed=3)
print(len(match.actions) >= 7, sum(match.returns) == 0.0)

@dataclass(frozen=True, repr=False)
class Endless(Player):
    name = "endless"

    def act(self, position):
        while True:
            pass

table = ts.arena("connect_four", [Endless(), "random"], games=2, limit=0.2)
print(table.culprits.tolist() == [0, 1])
"""


def test_without_what_only_posix_has_matches_are_played_and_limits_hold(tmp_path):
    """Without users, alarms and their clock, the package imports, plays by the clock, and stops an endless player."""
    environment = {**os.environ, "TURNSMITH_CACHE": str(tmp_path / "cache")}
    answer = subprocess.run([sys.executable, "-c", WITHOUT_POSIX], env=environment, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.split() == ["True"] * 4


def work_for(seconds):
    """Python code that takes so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(100))


@pytest.mark.parametrize("where", ["main", "thread"])
def test_an_alarm_ends_python_code_in_any_thread(where):
    """What takes too long is interrupted, what does not is left alone, and nothing rings later."""
    heard = []

    def ring():
        with alarm(0):
            heard.append("never")
        for _ in range(200):
            with contextlib.suppress(TimeoutError), alarm(0.001):
                pass
        with alarm(60):
            work_for(0.01)
        try:
            with alarm(0.05):
                work_for(60)
        except TimeoutError:
            heard.append("late")
        work_for(0.1)
        heard.append("well")

    if where == "main":
        ring()
    else:
        thread = threading.Thread(target=ring)
        thread.start()
        thread.join()
    assert heard == ["never", "late", "well"]
