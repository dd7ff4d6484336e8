"""What of Tactics leaves for other engines: a matrix with all that its inputs and actions mean."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from turnsmith.adapters.export import Export
from turnsmith.games.tactics import terms
from turnsmith.games.tactics.matrix import Matrix, matrix_text
from turnsmith.games.tactics.rules import cell_name, unit_name
from turnsmith.nets.linear_policy import Action, Input, LinearPolicy, Origin, WinRate

if TYPE_CHECKING:
    from turnsmith.contract.game import Game
    from turnsmith.play.player import Player
    from turnsmith.play.position import PositionView


def configuration_digest(game: Game) -> str:
    """Of every number of the rules, as the description of a board holds them."""
    table = game.describe(0)["config"]
    return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()


def policy_of(game: Game, player: Player) -> LinearPolicy:
    """The matrix of a player; what a JSON file said of its win rate is kept."""
    assert isinstance(player, Matrix)
    contents = player.contents()
    known = contents.policy.origin.winrate if contents.policy else None
    rate = known or (None if contents.winrate is None else WinRate(contents.winrate))
    inputs = [Input(name, meaning, 1.0 if name == "one" else 0.0) for name, meaning in terms.INPUTS.items()]
    actions = tuple(Action(name, meaning) for name, meaning in terms.ACTIONS.items())
    origin = Origin(game.text_name, repr(player), configuration_digest(game), winrate=rate)
    return LinearPolicy(tuple(inputs[: len(contents.entries)]), actions, contents.entries, origin, terms.TERMS)


def text_of(policy: LinearPolicy) -> str:
    """The matrix as a file of one item a line."""
    rate = policy.origin.winrate
    return matrix_text(policy.matrix, rate.rate if rate else None)


def position_of(look: PositionView) -> dict[str, Any]:
    """All soldiers, by name: where they are, column and row counted from 0, and in what state."""
    board, view = look.board, look.state
    soldiers = {}
    for unit in range(2 * int(board.team)):
        row, column = divmod(int(view.cell[unit]), int(board.side))
        soldiers[unit_name(unit)] = {
            "cell": cell_name(board, view.cell[unit]),
            "column": column,
            "row": row,
            "hp": int(view.hp[unit]),
            "ammo": int(view.ammo[unit]),
            "taking_cover": bool(view.taking[unit]),
            "cooling": [int(turns) for turns in view.cooling[unit]],
        }
    acting = {"round": int(view.turn) + 1, "soldier": unit_name(view.unit), "points": int(view.points)}
    return {**acting, "soldiers": soldiers}


EXPORTS = {"matrix": Export("inputs times one matrix", policy_of, position_of, {".txt": text_of})}
