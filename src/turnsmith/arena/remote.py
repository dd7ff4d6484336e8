"""Matches on other machines: a plan as plain data, the numbers of a part, and batches on their way back."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from turnsmith.arena.runners import ArenaPlan, KeptBoards, MatchBatch, play_compiled, play_each
from turnsmith.arena.schedule import MatchRows, Some
from turnsmith.cluster import Cluster
from turnsmith.cluster.jobs import Job, Piece
from turnsmith.cluster.parcel import packed, unpacked
from turnsmith.cluster.sending import Sent, code_of, received, sent
from turnsmith.common.arrays import Array
from turnsmith.compile.digest import digest

MOST_MATCHES = 200_000
"""Of a task: what is stored of them is a few megabytes."""
PIECE = 20_000
"""Matches of a piece, and of a row in the store."""
NUMBERS = ("seed", "limit", "random_moves", "repeat")
"""The fields of a plan that are numbers."""


def played_away(cluster: Cluster, plan: ArenaPlan, todo: MatchRows) -> Iterator[MatchBatch] | None:
    """The matches `todo` of a plan, played on a cluster; None of a plan that cannot be sent."""
    going = sent(plan.game, plan.players)
    return None if going is None else _batches(cluster, MatchesJob(plan, going), todo)


def _batches(cluster: Cluster, job: MatchesJob, todo: MatchRows) -> Iterator[MatchBatch]:
    plan = job.plan

    def part(first: int, count: int) -> bytes:
        numbers = np.sort(todo[first : first + count])
        rows = {"numbers": numbers, "seating": plan.seating[numbers]}
        return packed(None, **rows, **({} if plan.openings is None else {"openings": plan.openings[numbers]}))

    for result in cluster.spread(job, len(todo), part, MOST_MATCHES):
        for piece in result.pieces:
            yield read_batch(piece)


@dataclasses.dataclass
class MatchesJob:
    """A job whose units are matches."""

    plan: ArenaPlan
    going: Sent | None = None
    kind = "matches"

    @property
    def repeats(self) -> bool:
        """A time limit may cost one machine a match and another none."""
        return not self.plan.limit and not any(getattr(who, "time", 0) for who in self.plan.players)

    def sent(self) -> bytes:
        assert self.going is not None
        plan = self.plan
        numbers = {name: getattr(plan, name) for name in NUMBERS}
        document = [self.going.document, numbers, plan.kept is not None]
        return packed(document, **self.going.arrays)

    @staticmethod
    def received(raw: bytes) -> Job:
        (document, numbers, keeps), files = unpacked(raw)
        game, players = received(document, files)
        kept = _boards_of(game.digest) if keeps else None
        return MatchesJob(ArenaPlan(game, players, np.zeros((0, 0), np.int32), **numbers, kept=kept))

    def code(self) -> str:
        return digest(code_of(self.plan.game, self.plan.players), play_compiled, play_each)

    def warm_up(self, part: bytes) -> None:
        self._play(self._of(part)[:1])

    def work(self, part: bytes) -> Iterator[Piece]:
        numbers = self._of(part)
        for first in range(0, len(numbers), PIECE):
            yield written_batch(self._play(numbers[first : first + PIECE]))

    def _of(self, part: bytes) -> Array:
        """The numbers of a part, who sits there and how they begin."""
        _, rows = unpacked(part)
        numbers = rows["numbers"]
        self.plan.seating = Some(numbers, rows["seating"])
        self.plan.openings = Some(numbers, rows["openings"]) if "openings" in rows else None
        return numbers

    def _play(self, numbers: Array) -> MatchBatch:
        return play_compiled(self.plan, numbers) if self.plan.is_compiled else play_each(self.plan, numbers)


@functools.lru_cache(maxsize=4)
def _boards_of(game: str) -> KeptBoards:
    """Plans that come one after another share them here too."""
    return KeptBoards()


def written_batch(batch: MatchBatch) -> Piece:
    greatest = batch.log.max(initial=0)
    narrow: Any = np.uint8 if greatest < 2**8 else np.uint16 if greatest < 2**16 else np.int32
    same = packed(
        [batch.sources(), {str(number): why for number, why in sorted(batch.reasons.items())}],
        numbers=batch.numbers, which=batch.which, returns=batch.returns, culprits=batch.culprits,
        log=batch.log.astype(narrow), plies=np.diff(batch.offsets).astype(np.int32),
    )  # fmt: skip
    return Piece(same, packed(None, seconds=batch.seconds.astype(np.float32)))


def read_batch(piece: Piece) -> MatchBatch:
    (sources, reasons), arrays = unpacked(piece.same)
    _, times = unpacked(piece.varies)
    return MatchBatch(
        arrays["numbers"],
        functools.partial(str, sources),
        arrays["which"],
        arrays["returns"],
        arrays["culprits"],
        {int(number): why for number, why in reasons.items()},
        arrays["log"].astype(np.int32),
        np.concatenate([[0], np.cumsum(arrays["plies"])]).astype(np.int64),
        times["seconds"].astype(np.float64),
    )
