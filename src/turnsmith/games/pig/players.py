"""The players of Pig: `zero`, which taught itself to race with one other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from turnsmith.play.player import LEVELS as USUAL
from turnsmith.search.alphazero import ShippedAlphaZero


@dataclass(frozen=True, repr=False)
class PigZero(ShippedAlphaZero):
    nets: ClassVar[dict[int, Path]] = {2: Path(__file__).with_name("zero.onnx")}


PLAYERS = {"zero": PigZero}
LEVELS = {**USUAL, "self-taught": "zero:simulations=400"}
