"""Self-play on other machines: a round as plain data, numbers of its parts, and rows on their way back."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np

from turnsmith.cluster import Cluster
from turnsmith.cluster.jobs import Job, Piece
from turnsmith.cluster.parcel import packed, unpacked
from turnsmith.cluster.sending import Sent, code_of, received, sent
from turnsmith.common.arrays import Array
from turnsmith.compile.digest import digest
from turnsmith.learn.selfplay import PARTS, DecisionRows, GameSlots, Round
from turnsmith.play.observe import Observer, Slot
from turnsmith.play.player import CompiledPlayer

NUMBERS = ("each", "noise", "seed")
"""The fields of a round that are numbers."""


def played_away(cluster: Cluster, rounds: Round, progress: Callable[[int, int], None]) -> list[DecisionRows] | None:
    """All parts of a round, in order, played on a cluster; None of a round that cannot be sent."""
    going = sent(rounds.game, [rounds.player])
    if going is None:
        return None
    parts: dict[int, DecisionRows] = {}
    for result in cluster.spread(SelfplayJob(rounds, going), PARTS, lambda first, count: packed([first, count]), PARTS):
        for place, piece in enumerate(result.pieces):
            parts[result.first + place] = DecisionRows(**unpacked(piece.same)[1])
        progress(len(parts), PARTS)
    return [parts[number] for number in range(PARTS)]


@dataclasses.dataclass
class SelfplayJob:
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
        (who,) = [player for player in players if isinstance(player, CompiledPlayer)]
        return SelfplayJob(Round(game, boards.view(game.Board), sees, who, **numbers))

    def code(self) -> str:
        rounds = self.rounds
        return digest(code_of(rounds.game, [rounds.player]), GameSlots, rounds.boards.dtype)

    def warm_up(self, part: bytes) -> None:
        slots = self.rounds.slots(0)
        slots.decide()
        slots.batch.step(slots.choices.actions)

    def work(self, part: bytes) -> Iterator[Piece]:
        (first, count), _ = unpacked(part)
        for number in range(first, first + count):
            yield Piece(packed(None, **vars(self.rounds.part(number))))


def _bytes(records: Array) -> Array:
    return np.ascontiguousarray(records).view(np.uint8)
