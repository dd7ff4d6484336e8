"""The players of Homeguard, weakest first. Both look one round ahead, and at nothing but the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from turnsmith.contract.game import Game
from turnsmith.games.homeguard.minds import greedy_move, maximin_move
from turnsmith.games.homeguard.rules import lead
from turnsmith.languages import _
from turnsmith.play.player import VALUE, CompiledPlayer


def decide_greedily(game, board, view, acts, data, memory, params, report, rng):
    seat = game.to_move(board, view)
    move, gain = greedy_move(board, view, seat, acts)
    report[VALUE] = share(board, lead(view, seat) + gain)
    return move


def decide_by_maximin(game, board, view, acts, data, memory, params, report, rng):
    seat = game.to_move(board, view)
    move, gain = maximin_move(board, view, seat, acts)
    report[VALUE] = share(board, lead(view, seat) + gain)
    return move


def share(board, score):
    """A score as a share of what wins."""
    return min(1.0, max(-1.0, score / (board.kills * board.hp)))


@dataclass(frozen=True, repr=False)
class OneRound(CompiledPlayer):
    board_independent = True

    def refuses(self, game: Game, board: Any) -> str | None:
        refusal = _("it moves both soldiers at once; play with moves=joint, or take mcts")
        return refusal if game.joint is not None else None


@dataclass(frozen=True, repr=False)
class Greedy(OneRound):
    name = "greedy"
    summary = "the best score after its move if the opponent stands still; without any, nearer to the opponent"
    decide = decide_greedily


@dataclass(frozen=True, repr=False)
class Maximin(OneRound):
    name = "maximin"
    summary = "the best score after the worst joint reply of the opponent"
    decide = decide_by_maximin


PLAYERS = {kind.name: kind for kind in (Greedy, Maximin)}
LEVELS = {"easy": "random", "medium": "greedy", "hard": "maximin", "expert": "mcts:simulations=20000,leaf=evaluate"}
