"""Questions to a process of its own, which a game's mistakes may end without harm."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from typing import Any, NoReturn

from turnsmith.check.rules import Fault

_to_parent = sys.stdout


def ask_child(module: str, question: Any, seconds: float, **environment: str) -> Any:
    """What ``answer(question)`` of a module gives in a fresh process; both are what JSON can hold."""
    try:
        child = subprocess.run(
            [sys.executable, "-c", f"from turnsmith.check.child import answer_parent; answer_parent({module!r})"],
            input=json.dumps(question),
            capture_output=True,
            encoding="utf-8",
            errors="replace",  # a game may print anything
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment},
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Fault(f"no answer within {seconds:g} s; a rule may not come to an end") from None
    if child.returncode != 0 or not child.stdout:
        signal = f"it was ended by signal {-child.returncode}" if child.returncode < 0 else ""
        last = (child.stderr.strip().splitlines() or [f"it ended with code {child.returncode}"])[-1]
        raise Fault(f"the process that runs the rules failed: {signal or last}")
    return json.loads(child.stdout.splitlines()[-1])


def answer_parent(module: str) -> None:
    """Answer the question on standard input; whatever the game's own code prints goes nowhere."""
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    _say(importlib.import_module(module).answer(json.load(sys.stdin)))


def answer_now(answer: Any) -> NoReturn:
    """Answer from any thread, and leave code alone that nothing can stop."""
    _say(answer)
    os._exit(0)


def _say(answer: Any) -> None:
    _to_parent.write("\n" + json.dumps(answer) + "\n")
    _to_parent.flush()
