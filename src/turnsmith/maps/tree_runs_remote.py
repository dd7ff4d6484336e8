"""Trees on other machines: settings as plain data, the trees that chunks begin with, and tensors on their way back."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from turnsmith.cluster import Cluster
from turnsmith.cluster.jobs import Job, Piece
from turnsmith.cluster.parcel import packed, unpacked
from turnsmith.cluster.sending import Sent, code_of, relocated, sent, unfolded
from turnsmith.common.arrays import Array
from turnsmith.compile.digest import digest
from turnsmith.maps import tree_kernels
from turnsmith.maps.tree_runs import Nursery, TreeSettings

MOST_CHUNKS = 8
"""Of a task."""


def grown_away(cluster: Cluster, nursery: Nursery, starts: list[int]) -> Iterator[tuple[int, dict[str, Array]]] | None:
    """The chunks that begin with these trees, by their place in the list; None of trees that cannot be sent for."""
    going = sent(nursery.game, [nursery.opponent] if nursery.opponent else [])
    return None if going is None else _chunks(cluster, Grown(nursery, going), starts)


def _chunks(cluster: Cluster, job: Grown, starts: list[int]) -> Iterator[tuple[int, dict[str, Array]]]:
    def part(first: int, count: int) -> bytes:
        return packed(starts[first : first + count])

    for result in cluster.spread(job, len(starts), part, MOST_CHUNKS):
        for place, piece in enumerate(result.pieces):
            yield result.first + place, unpacked(piece.same)[1]


@dataclasses.dataclass
class Grown:
    """A job whose units are chunks of trees."""

    nursery: Nursery
    going: Sent | None = None
    kind = "trees"

    @property
    def repeats(self) -> bool:
        return not getattr(self.nursery.opponent, "time", 0)

    def sent(self) -> bytes:
        assert self.going is not None
        return packed([self.going.document, dataclasses.asdict(self.nursery.settings)], **self.going.arrays)

    @staticmethod
    def received(raw: bytes) -> Job:
        (document, chosen), files = unpacked(raw)
        paths = unfolded(document, files)
        who = relocated(chosen["player"], paths) if chosen["player"] else ""
        return Grown(Nursery(TreeSettings(**{**chosen, "game": relocated(document["game"], paths), "player": who})))

    def code(self) -> str:
        nursery = self.nursery
        players = [nursery.opponent] if nursery.opponent else []
        return digest(
            code_of(nursery.game, players), nursery.growth._numba_type_.name, tree_kernels.grow_trees, Nursery.grow
        )

    def warm_up(self, part: bytes) -> None:
        (start, *_), _ = unpacked(part)
        self.nursery.grow(np.array([start]))

    def work(self, part: bytes) -> Iterator[Piece]:
        starts, _ = unpacked(part)
        for start in starts:
            yield Piece(packed(None, **self.nursery.chunk(start)))
