"""The players of Trails: `zero`, which taught itself, for three seats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from turnsmith.common.settings import setting
from turnsmith.search.alphazero import ShippedAlphaZero


@dataclass(frozen=True, repr=False)
class TrailsZero(ShippedAlphaZero):
    exploration: float = setting(0.5, 0.0, 100.0)
    """How much a move gains from being likely and visited little: less than in training, where games should differ."""

    nets: ClassVar[dict[int, Path]] = {3: Path(__file__).with_name("zero.onnx")}


PLAYERS = {"zero": TrailsZero}
LEVELS = {
    "easy": "mcts:simulations=30",
    "medium": "maxn:depth=3",
    "hard": "maxn:time=1",
    "self-taught": "zero:simulations=1000",
}
