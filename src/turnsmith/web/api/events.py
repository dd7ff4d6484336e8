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

from turnsmith.common.errors import BadInput
from turnsmith.contract.game import CHANCE
from turnsmith.web.host import Host
from turnsmith.web.jobs.tournaments import Tournament
from turnsmith.web.match.changes import Listener, listening
from turnsmith.web.match.live_match import LiveMatch
from turnsmith.web.server.workers import Busy

MOST, MOST_EACH = 256, 32
"""Listeners at once, and those of one client."""
LONGEST = 3600.0
"""Seconds of one stream; listeners ask again and go on."""
AGAIN, ALIVE, TICK = 0.1, 15.0, 1.0
"""Seconds after which a busy server is asked again, between signs of life, and between looks at a clock."""
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

ToldMove = tuple[int, str]
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
    known: list[ToldMove] | None = None
    begun, version, over = time.monotonic(), -1, False
    last_turn: dict[str, Any] = {}
    marks = Marks()
    with match.watched(not keys), listening(match.changes, host.closing) as listener:
        while not over and time.monotonic() - begun < LONGEST:
            async for sign in _until_changed(host, match, version, listener):
                yield sign
            if host.is_closing:
                return
            version = match.version
            try:
                lines, turn, end = await host.do(client, lambda: _now(match, keys))
                ids = marks.of(lines)
            except Busy:
                version = -1
                await asyncio.sleep(AGAIN)
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
            if turn != last_turn:
                last_turn = turn
                yield event("turn", turn)
        if over:
            yield event("end", end or {}, f"{ids[-1]}-end")


def has_all(match: LiveMatch, keys: Sequence[str], last: str) -> bool:
    """Whether the match is over and a listener with this Last-Event-ID has been told everything."""
    lines, _, end = _now(match, keys)
    return end is not None and last == f"{Marks().of(lines)[-1]}-end"


async def _until_changed(host: Host, match: LiveMatch, version: int, listener: Listener) -> AsyncIterator[str]:
    """Wait for another version of the match, or for a second of a clock, with signs of life meanwhile."""
    while match.version == version and not host.is_closing:
        if await listener.changed(TICK if match.minutes else ALIVE):
            continue
        if match.minutes:
            return
        yield ": still here\n\n"


def _now(match: LiveMatch, keys: Sequence[str]) -> tuple[list[ToldMove], dict[str, Any], dict[str, Any] | None]:
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
        sentence = outcome.said(match.owned(keys))
        ended = {"returns": list(outcome.returns), "ending": outcome.ending, "said": sentence}
        return lines, turn, {**ended, "winners": list(outcome.winners)}


class Marks:
    """The ids of events: after so many moves, how many they are and a digest of what they say."""

    def __init__(self) -> None:
        self._begin([])

    def _begin(self, lines: list[ToldMove]) -> None:
        self._lines, self._digest = lines, hashlib.blake2b(digest_size=6)
        self._found = [f"0-{self._digest.hexdigest()}"]

    def of(self, lines: list[ToldMove]) -> list[str]:
        """The id after no move, after the first, …; what has not changed is not read again."""
        if self._lines != lines[: len(self._lines)]:
            self._begin([])
        for number, line in enumerate(lines[len(self._lines) :], start=len(self._lines) + 1):
            self._digest.update(json.dumps(line).encode())
            self._found.append(f"{number}-{self._digest.hexdigest()}")
        self._lines = lines
        return self._found


def _resumed(lines: Sequence[ToldMove], ids: Sequence[str], last: str) -> list[ToldMove] | None:
    """What a listener with this Last-Event-ID knows, if all of it still stands; None for nothing."""
    known = {mark: number for number, mark in enumerate(ids)}
    number = known.get(last.removesuffix("-end"))
    return None if number is None else list(lines[:number])


def news(known: Sequence[ToldMove], lines: Sequence[ToldMove], ids: Sequence[str]) -> Iterator[str]:
    """From what a listener knows to what it may know: moves taken back, moves that came out, new moves."""
    keep = 0
    while keep < min(len(known), len(lines)) and _agree(known[keep], lines[keep]):
        keep += 1
    if keep < len(known):
        yield event("undo", {"moves": keep})
    for number, (before, line) in enumerate(zip_longest(known[:keep], lines), start=1):
        if before != line:
            data = {"number": number, "by": "chance" if line[0] == CHANCE else line[0], "words": line[1] or None}
            yield event("told" if before else "move", data, ids[number])


def _agree(before: ToldMove, now: ToldMove) -> bool:
    """Whether a line is what it was, or what was hidden has come out."""
    return before[0] == now[0] and before[1] in ("", now[1])


# ---------------------------------------------------------------- arenas


async def of_arena(host: Host, this: Tournament) -> AsyncIterator[str]:
    """How far an arena is, whenever that has changed, until it ends."""
    begun = time.monotonic()
    last_progress: dict[str, Any] = {}
    with listening(host.tournaments.changes, host.closing, gap=AGAIN) as listener:
        while time.monotonic() - begun < LONGEST and not host.is_closing:
            now = this.progress()
            if now != last_progress:
                last_progress = now
                yield event("progress" if now["running"] else "end", now)
            if not now["running"]:
                return
            if not await listener.changed(ALIVE):
                yield ": still here\n\n"
