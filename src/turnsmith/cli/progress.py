"""How far a command is, for whoever waits: a bar where a person is looking, and where none moves a line on stderr, soon
and then now and then."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

FIRST, EVERY = 8.0, 30.0
"""Seconds until the first line, and between two."""
QUIET = "TURNSMITH_QUIET"
"""Set in the environment, it keeps these lines away: where stderr is read, or sent as mail."""
SPEAK_THEMSELVES = ({"play"}, {"watch"}, {"replay"}, {"serve"}, {"warm"}, {"bench"}, {"maps", "rate"})
"""Commands, by their first words."""


class Progress:
    """What is done of the work at hand: (done, total), and in words."""

    def __init__(self, title: str) -> None:
        self.title, self.doing = title, ""
        self.done = self.total = 0
        self.bar: Any = None
        """Shows the same, where there is one."""

    def __call__(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        self._show()

    def say(self, doing: str) -> None:
        """What comes now, of which nothing is done yet."""
        self.doing, self.done, self.total = doing, 0, 0
        self._show()

    def __str__(self) -> str:
        counted = f"{self.done:,} of {self.total:,}" if self.total else ""
        return ", ".join(filter(None, [": ".join(filter(None, [self.title, self.doing])), counted]))

    def _show(self) -> None:
        if self.bar is not None:
            title = ": ".join(filter(None, [self.title, self.doing]))
            self.bar.update(0, description=title, completed=self.done, total=self.total or None)


_at_work: list[Progress] = []
"""What is under way, the innermost last."""


@contextlib.contextmanager
def progress_bar(title: str, hidden: bool = False) -> Iterator[Progress]:
    """A bar on stderr where a person is looking; yields what to call with (done, total)."""
    from rich.console import Console

    work, console = Progress(title), Console(stderr=True)
    _at_work.append(work)
    try:
        if hidden or not console.is_terminal:
            yield work
            return
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns: list[Any] = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
        with Bar(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True) as bar:
            bar.add_task(title, total=None)
            work.bar = bar
            yield work
            work.bar = None
    finally:
        _at_work.remove(work)


ANNOUNCED = ({"play"}, {"watch"}, {"arena"}, {"train"}, {"evaluate"}, {"balance"}, {"levels"}, {"explain"})
"""Commands that say what they compile, where that takes longer than a second."""


def announce_compiling(words: list[str]) -> None:
    """Let a command say once, on stderr, what is compiled."""
    if os.environ.get(QUIET) or "--json" in words or set(words[:1]) not in ANNOUNCED:
        return
    from turnsmith.compile import announce

    announce.listener = lambda what: print(f"turnsmith: {what} …", file=sys.stderr, flush=True)


@contextlib.contextmanager
def speaking(words: list[str]) -> Iterator[None]:
    """Say on stderr that a command is at work, where nothing else shows it."""
    if os.environ.get(QUIET) or any(set(words[: len(command)]) == command for command in SPEAK_THEMSELVES):
        yield
        return
    is_over, begun = threading.Event(), time.monotonic()

    def speak() -> None:
        wait = FIRST
        while not is_over.wait(wait):
            wait = EVERY
            if not any(work.bar for work in _at_work):
                what = str(_at_work[-1]) if _at_work else " ".join(words[:2])
                with contextlib.suppress(OSError, ValueError):  # nobody to tell it to
                    print(f"{what} ({time.monotonic() - begun:.0f} s)", file=sys.stderr, flush=True)

    speaker = threading.Thread(target=speak, name="speaking", daemon=True)
    speaker.start()
    try:
        yield
    finally:
        is_over.set()
        speaker.join()  # so that nothing comes behind the answer
