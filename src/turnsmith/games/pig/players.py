"""The players of Pig: `zero`, which taught itself to race with one other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from turnsmith.player import LEVELS as USUAL
from turnsmith.search.alphazero import Zero


@dataclass(frozen=True, repr=False)
class SelfTaught(Zero):
    nets: ClassVar[dict[int, Path]] = {2: Path(__file__).with_name("zero.onnx")}


PLAYERS = {"zero": SelfTaught}
LEVELS = {**USUAL, "self-taught": "zero:simulations=400"}
