"""AlphaZero for Pac-Man: a small net that says, for one unit after another, where it should go and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from turnsmith.common.arrays import Array
from turnsmith.common.settings import FileName, setting
from turnsmith.contract.game import Game
from turnsmith.search.alphazero import AlphaZero, decide_by_net
from turnsmith.search.puct import MOST_CONSIDERED

SHIPPED = Path(__file__).with_name("zero.onnx")


@dataclass(frozen=True, repr=False)
class PacmanZero(AlphaZero):
    name: ClassVar[str] = "zero"
    summary: ClassVar[str] = "AlphaZero, unit by unit: a net that learned from negamax, and a tree search it leads"

    net: Annotated[str, FileName()] = setting("")
    """A net of one's own, made by `turnsmith train alphazero`; empty for the shipped one."""
    exploration: float = setting(0.01, 0.0, 100.0)
    """How much a move gains from being likely and visited little; a dot is a small part of what a game is about."""
    considered: int = setting(0, 0, MOST_CONSIDERED)
    """Moves that race at the root, half of them dropped again and again; 0: all by PUCT, and visits choose, which plays
    better here, where a unit has five moves at most."""
    least_range: float = setting(0.005, 1e-8, 1.0)
    """Differences at the root count as if the best and the worst move were at least so far apart."""
    reduction: float = setting(0.003, 0.0, 1.0)
    """How much less than the position a move not tried yet is expected to bring: two dots of 17 x 20."""

    def decider(self) -> Callable[..., Any]:
        return super().decider() if self.net else decide_by_net

    def file(self, boards: Array) -> Path | None:
        return super().file(boards) or SHIPPED

    def _splits(self, game: Game) -> bool:
        return super()._splits(game) if self.net else game.joint is None
