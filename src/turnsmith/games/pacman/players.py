"""The players of Pac-Man by name; each has a file of its own but the one that follows a script."""

from __future__ import annotations

from dataclasses import dataclass

from turnsmith.common.settings import setting
from turnsmith.games.pacman.fuzzy import Fuzzy
from turnsmith.games.pacman.ghosts import OriginalGhosts
from turnsmith.games.pacman.junctions import JunctionSearch
from turnsmith.games.pacman.negamax import PacmanLearned, PacmanNegamax
from turnsmith.games.pacman.rules import LETTERS, STAY
from turnsmith.games.pacman.sarsa import Sarsa
from turnsmith.games.pacman.zero import PacmanZero
from turnsmith.play.player import Decision, Player
from turnsmith.play.position import PositionView


@dataclass(frozen=True, repr=False)
class Scripted(Player):
    moves: str = setting("")
    """The letters of each turn, turns parted by a stroke: `ad/ss/nw`; when they are over, everybody stays."""

    name = "scripted"
    summary = "moves given beforehand, then standing still"

    def act(self, position: PositionView) -> Decision:
        turn = int(position.state.ply) // 2
        said = [text for text in self.moves.split("/") if text.strip()]
        units = int(position.state.pacmans if position.mover == 0 else position.state.ghosts)
        action = position.parse(said[turn] if turn < len(said) else LETTERS[STAY] * units)
        return Decision(action, position.words(action))


PLAYERS = {
    kind.name: kind
    for kind in (Scripted, OriginalGhosts, Fuzzy, JunctionSearch, Sarsa, PacmanNegamax, PacmanLearned, PacmanZero)
}
LEVELS = {
    "easy": "random",
    "medium": "negamax:depth=2",
    "hard": "learned:depth=4",
    "expert": "learned:time=0.5",
    "trained": "zero:simulations=400",
}
