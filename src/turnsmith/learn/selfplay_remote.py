"""Self-play on other machines: a round as plain data, numbers of its parts, and rows on their way back."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np

from turnsmith.cluster import Cluster
from turnsmith.cluster.jobs import Job, Piece
from turnsmith.cluster.parcel import packed, unpacked
from turnsmith.cluster.sending import Sent, code_of, received, sent
from turnsmith.digest import digest
from turnsmith.game import Array
from turnsmith.learn.selfplay import PARTS, Round, Rows, Slots
from turnsmith.observe import Observer, Slot
from turnsmith.player import CompiledPlayer

NUMBERS = ("each", "noise", "seed")
"""The fields of a round that are numbers."""


def played_away(cluster: Cluster, rounds: Round, progress: Callable[[int, int], None]) -> list[Rows] | None:
    """All parts of a round, in order, played on a cluster; None of a round that cannot be sent."""
    going = sent(rounds.game, [rounds.player])
    if going is None:
        return None
    found: dict[int, Rows] = {}
    for result in cluster.spread(Games(rounds, going), PARTS, lambda first, count: packed([first, count]), PARTS):
        for place, piece in enumerate(result.pieces):
            found[result.first + place] = Rows(**unpacked(piece.same)[1])
        progress(len(found), PARTS)
    return [found[number] for number in range(PARTS)]


@dataclasses.dataclass
class Games:
    """A job whose units are the parts of a round."""

    rounds: Round
    going: Sent | None = None
    kind = "selfplay"

    @property
    def repeats(self) -> bool:
        return not getattr(self.rounds.player, "time", 0)

    def sent(self) -> bytes:
        assert self.going is not None
        rounds, sees = self.rounds, self.rounds.sees
        numbers = {name: getattr(rounds, name) for name in NUMBERS}
        seen = [sees.kind, list(sees.shape), list(sees.names)]
        raw = {"boards": _bytes(rounds.boards), "slots": _bytes(sees.slots)}
        return packed([self.going.document, numbers, seen], **raw, **self.going.arrays)

    @staticmethod
    def received(raw: bytes) -> Job:
        (document, numbers, (kind, shape, names)), arrays = unpacked(raw)
        boards, slots = arrays.pop("boards"), arrays.pop("slots")
        game, players = received(document, arrays)
        sees = Observer(game, kind, tuple(shape), tuple(names), slots.view(Slot))
        (who,) = [each for each in players if isinstance(each, CompiledPlayer)]
        return Games(Round(game, boards.view(game.Board), sees, who, **numbers))

    def code(self) -> str:
        rounds = self.rounds
        return digest(code_of(rounds.game, [rounds.player]), Slots, rounds.boards.dtype)

    def warm_up(self, part: bytes) -> None:
        slots = self.rounds.slots(0)
        slots.decide()
        slots.batch.step(slots.actions)

    def work(self, part: bytes) -> Iterator[Piece]:
        (first, count), _ = unpacked(part)
        for number in range(first, first + count):
            yield Piece(packed(None, **vars(self.rounds.part(number))))


def _bytes(records: Array) -> Array:
    return np.ascontiguousarray(records).view(np.uint8)
