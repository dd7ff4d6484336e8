"""Server-sent events: what happens in a match or an arena, as it happens, to programs that listen.

A stream of a match tells every move once, in order. Each event has an id that names all the listener knows by then, so
whoever lost the connection goes on where it was by sending it as Last-Event-ID, as browsers do by themselves.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import zip_longest
from typing import Any

from fastapi.responses import StreamingResponse

from turnsmith.game import CHANCE
from turnsmith.texts import BadInput
from turnsmith.web.host import Host
from turnsmith.web.live_match import LiveMatch
from turnsmith.web.tournaments import Tournament
from turnsmith.web.workers import Busy

MOST, MOST_EACH = 256, 32
"""Listeners at once, and those of one client."""
LONGEST = 3600.0
"""Seconds of one stream; listeners ask again and go on."""
STEP, ALIVE = 0.1, 15.0
"""Seconds between two looks for news, and between signs of life."""
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

Line = tuple[int, str]
"""Of a log: who moved, and the words, "" while they are hidden."""


class Listeners:
    """Who listens, by address."""

    def __init__(self) -> None:
        self._of: Counter[str] = Counter()

    def refuse_more(self, client: str) -> None:
        if self._of[client] >= MOST_EACH:
            raise Busy(f"you listen {MOST_EACH} times already; close a stream before you open another")
        if self._of.total() >= MOST:
            raise Busy(f"{MOST} programs listen already; try again later, or ask for the match now and then")

    @contextmanager
    def one_more(self, client: str) -> Iterator[None]:
        self.refuse_more(client)
        self._of[client] += 1
        try:
            yield
        finally:
            self._of[client] -= 1
            self._of += Counter()  # which forgets clients that are gone


listeners = Listeners()


def streamed(client: str, told: AsyncIterator[str]) -> StreamingResponse:
    """An answer that goes on as long as there is something to tell."""
    listeners.refuse_more(client)

    async def content() -> AsyncIterator[str]:
        with suppress(Busy), listeners.one_more(client):  # many may have been let in at once
            async for text in told:
                yield text

    return StreamingResponse(content(), headers=HEADERS, media_type="text/event-stream")


def event(kind: str, data: dict[str, Any], mark: str = "") -> str:
    """One event as it goes over the wire."""
    named = f"id: {mark}\n" if mark else ""
    return f"event: {kind}\n{named}data: {json.dumps(data)}\n\n"


# ---------------------------------------------------------------- matches


async def of_match(host: Host, client: str, match: LiveMatch, keys: Sequence[str], last: str) -> AsyncIterator[str]:
    """Every move as the holder of these keys may read it, whose turn it is, and at last the end."""
    known: list[Line] | None = None
    begun, version, over = time.monotonic(), -1, False
    told: dict[str, Any] = {}
    marks = Marks()
    with match.watched(not keys):
        while not over and time.monotonic() - begun < LONGEST:
            async for sign in _until_changed(host, match, version):
                yield sign
            if host.is_closing:
                return
            version = match.version
            try:
                lines, turn, end = await host.do(client, lambda: _now(match, keys))
                ids = marks.of(lines)
            except Busy:
                version = -1
                await asyncio.sleep(STEP)
                continue
            except BadInput:  # a move was taken back, and who looks on may not look any more
                return
            if known is None:
                known = _resumed(lines, ids, last)
                if known is None:
                    known = []
                    if last:
                        yield event("undo", {"moves": 0})
            for text in news(known, lines, ids):
                yield text
            known, over = lines, end is not None
            if turn != told:
                told = turn
                yield event("turn", turn)
        if over:
            yield event("end", end or {}, f"{ids[-1]}-end")


def has_all(match: LiveMatch, keys: Sequence[str], last: str) -> bool:
    """Whether the match is over and a listener with this Last-Event-ID has been told everything."""
    lines, _, end = _now(match, keys)
    return end is not None and last == f"{Marks().of(lines)[-1]}-end"


async def _until_changed(host: Host, match: LiveMatch, version: int) -> AsyncIterator[str]:
    """Wait for another version of the match, or for a second of a clock, with signs of life meanwhile."""
    begun = mark = time.monotonic()
    while match.version == version and not host.is_closing:
        if match.minutes and time.monotonic() - begun > 1.0:
            return
        await asyncio.sleep(STEP)
        if time.monotonic() - mark > ALIVE:
            mark = time.monotonic()
            yield ": still here\n\n"


def _now(match: LiveMatch, keys: Sequence[str]) -> tuple[list[Line], dict[str, Any], dict[str, Any] | None]:
    """The log, whose turn it is, and how it ended. To be called in a worker."""
    with match.lock:
        match.check_clock()
        lines, outcome = match.log.read_by(match.viewer(keys)), match.outcome
        turn = {
            "moves": len(lines),
            "mover": match.mover if match.mover >= 0 and not match.over else None,
            "your_turn": match.may_move(keys),
            "over": match.over,
        }
        if not match.over:
            return lines, turn, None
        if outcome is None:  # a record that breaks off
            return lines, turn, {"returns": None, "ending": match.reason or "unfinished", "said": "", "winners": []}
        said = outcome.said(match.owned(keys))
        ended = {"returns": list(outcome.returns), "ending": outcome.ending, "said": said}
        return lines, turn, {**ended, "winners": list(outcome.winners)}


class Marks:
    """The ids of events: after so many moves, how many they are and a digest of what they say."""

    def __init__(self) -> None:
        self._begin([])

    def _begin(self, lines: list[Line]) -> None:
        self._lines, self._digest = lines, hashlib.blake2b(digest_size=6)
        self._found = [f"0-{self._digest.hexdigest()}"]

    def of(self, lines: list[Line]) -> list[str]:
        """The id after no move, after the first, …; what has not changed is not read again."""
        if self._lines != lines[: len(self._lines)]:
            self._begin([])
        for number, line in enumerate(lines[len(self._lines) :], start=len(self._lines) + 1):
            self._digest.update(json.dumps(line).encode())
            self._found.append(f"{number}-{self._digest.hexdigest()}")
        self._lines = lines
        return self._found


def _resumed(lines: Sequence[Line], ids: Sequence[str], last: str) -> list[Line] | None:
    """What a listener with this Last-Event-ID knows, if all of it still stands; None for nothing."""
    known = {mark: number for number, mark in enumerate(ids)}
    number = known.get(last.removesuffix("-end"))
    return None if number is None else list(lines[:number])


def news(known: Sequence[Line], lines: Sequence[Line], ids: Sequence[str]) -> Iterator[str]:
    """From what a listener knows to what it may know: moves taken back, moves that came out, new moves."""
    keep = 0
    while keep < min(len(known), len(lines)) and _agree(known[keep], lines[keep]):
        keep += 1
    if keep < len(known):
        yield event("undo", {"moves": keep})
    for number, (before, line) in enumerate(zip_longest(known[:keep], lines), start=1):
        if before != line:
            told = {"number": number, "by": "chance" if line[0] == CHANCE else line[0], "words": line[1] or None}
            yield event("told" if before else "move", told, ids[number])


def _agree(before: Line, now: Line) -> bool:
    """Whether a line is what it was, or what was hidden has come out."""
    return before[0] == now[0] and before[1] in ("", now[1])


# ---------------------------------------------------------------- arenas


async def of_arena(host: Host, this: Tournament) -> AsyncIterator[str]:
    """How far an arena is, whenever that has changed, until it ends."""
    begun = mark = time.monotonic()
    told: dict[str, Any] = {}
    while time.monotonic() - begun < LONGEST and not host.is_closing:
        running, now = this.is_running, this.progress()
        if now != told:
            told, mark = now, time.monotonic()
            yield event("progress" if running else "end", now)
        if not running:
            return
        await asyncio.sleep(STEP)
        if time.monotonic() - mark > ALIVE:
            mark = time.monotonic()
            yield ": still here\n\n"
