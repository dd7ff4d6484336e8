"""What can be done on another machine, and the half of it that is done there.

A job is a pure function over parts: what it gives for a part follows from the job and the part alone, whoever works it
out and how often. Jobs and parts arrive as plain data. An answer carries what decided it: the digest of the code and
the versions it ran on, so that nobody takes a result of other rules, or of another compiler, for one of their own.
"""

from __future__ import annotations

import functools
import importlib
import json
import platform
from collections.abc import Iterator
from importlib.metadata import version
from typing import NamedTuple, Protocol

from turnsmith.common.errors import BadInput

KINDS = {
    "matches": "turnsmith.arena.remote:MatchesJob",
    "selfplay": "turnsmith.learn.selfplay_remote:SelfplayJob",
    "trees": "turnsmith.maps.tree_runs_remote:Grown",
}
"""Jobs by name: module and class."""


class Piece(NamedTuple):
    """Some of what a part gives."""

    same: bytes
    """What is the same whoever works it out."""
    varies: bytes = b""
    """What is not: times."""


class Job(Protocol):
    """Work of one kind. `sent` gives what `received` makes it from again."""

    kind: str

    @property
    def repeats(self) -> bool:
        """Whether the same part always gives the same; not where a clock decides."""

    def sent(self) -> bytes: ...

    @staticmethod
    def received(raw: bytes) -> Job: ...

    def code(self) -> str:
        """Changes when anything changes that decides what comes out."""

    def warm_up(self, part: bytes) -> None:
        """Compile what the part needs, so that others on this machine find it compiled."""

    def work(self, part: bytes) -> Iterator[Piece]: ...


class PartAnswer(NamedTuple):
    """What a machine says to a part."""

    stamp: str
    """JSON: the code and the versions of what worked."""
    refusal: str
    """Why it cannot be done, in a sentence; "" if it was."""
    pieces: list[tuple[bytes, bytes]]


def stamp_of(job: Job) -> str:
    """What decides a result besides the job itself."""
    known = {name: version(name) for name in ("turnsmith", "numba", "numpy", "llvmlite")}
    return json.dumps({"code": job.code(), **known, "python": platform.python_version()})


def answer(kind: str, raw: bytes, part: bytes, wanted: str, only_warm_up: bool) -> PartAnswer:
    """Do a part of a job that was sent here; nothing is done where the stamp is another than is wanted."""
    stamp = ""
    try:
        job, stamp = _known(kind, raw)
        if stamp != wanted:
            return PartAnswer(stamp, "", [])
        if only_warm_up:
            job.warm_up(part)
            return PartAnswer(stamp, "", [])
        return PartAnswer(stamp, "", [(piece.same, piece.varies) for piece in job.work(part)])
    except BadInput as error:
        return PartAnswer(stamp, str(error), [])


@functools.lru_cache(maxsize=4)
def _known(kind: str, raw: bytes) -> tuple[Job, str]:
    """Parts of one job come one after another, and share what it prepares."""
    module, _, name = KINDS[kind].partition(":")
    job: Job = getattr(importlib.import_module(module), name).received(raw)
    return job, stamp_of(job)


def difference(mine: str, theirs: str) -> str:
    """Where two stamps differ, in words.

    >>> difference('{"code": "a", "numba": "0.68"}', '{"code": "a", "numba": "0.67"}')
    'numba 0.67 there, 0.68 here'
    """
    here, there = json.loads(mine), json.loads(theirs or "{}")
    name = next(name for name in reversed(here) if here[name] != there.get(name))  # versions say more than the code
    if name == "code":
        return "other code of the game, of a player or of turnsmith there"
    return f"{name} {there.get(name, 'unknown')} there, {here[name]} here"
