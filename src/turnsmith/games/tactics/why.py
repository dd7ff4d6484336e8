"""Why players of Tactics decide as they do: the numbers they looked at, and what each action was worth to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import compiled
from turnsmith.games.tactics import scan as places
from turnsmith.games.tactics.cells import CONTEXTS, DEPTH, KINDS, note_contexts, score_actions
from turnsmith.games.tactics.cells import WIDTH as MOST_INPUTS
from turnsmith.games.tactics.matrix import COLUMNS, HEIGHT, INPUTS, WIDTH, fill_actions, fill_inputs, suitability
from turnsmith.games.tactics.rules import COVER, MOVE, RELOAD, SHOOT, barred, unit_name
from turnsmith.games.tactics.scan import PLACES, look, scan_moves
from turnsmith.languages import _, marked
from turnsmith.play.inspection import Choice, Inspection

if TYPE_CHECKING:
    from turnsmith.games.tactics.automata import Static
    from turnsmith.games.tactics.cells import CellsPlayer
    from turnsmith.games.tactics.matrix import Matrix
    from turnsmith.play.position import PositionView


def read_position(boards, views, acts, caution, scan, inputs, actions):
    """All that players look at, from arrays of one record each."""
    board, view = boards[0], views[0]
    look(board, view, acts, scan)
    scan_moves(board, view, acts, caution, scan)
    fill_inputs(board, view, scan, inputs)
    fill_actions(board, scan, actions)


def read(position: PositionView, caution: float = 1.0) -> tuple[Array, Array, Array]:
    """Of the seat to move: the scan, the inputs of a matrix, and the action each column stands for (-1 for none)."""
    scan, inputs, actions = np.zeros(PLACES, np.int64), np.zeros(HEIGHT), np.zeros(WIDTH, np.int64)
    views = position.view(position.mover)
    compiled(read_position)(position.boards, views, position.actions, caution, scan, inputs, actions)
    return scan, inputs, actions


def reasons(board: Any, view: Any) -> dict[str, str]:
    """Why each of COLUMNS would be impossible, if it is."""
    who, left = unit_name(view.unit), int(view.points) - int(board.shot_points)
    leaving = _("{} has no free cell to go to with the points for a shot left").format(who)
    spent = _("a move of {} leaves no points for a shot").format(who)
    near = barred(board, view, MOVE) or (leaving if left > 0 else spent)
    fire, free = _("{} has no line of fire to any enemy within its range"), _("{} has no free cell to go to")
    return {
        "reload": barred(board, view, RELOAD) or "",
        "shoot": barred(board, view, SHOOT) or fire.format(who),
        "attack move": near,
        "defence move": barred(board, view, MOVE) or free.format(who),
        "balanced move": near,
        "take cover": barred(board, view, COVER) or "",
        "skip": "",
    }


NOTE = marked("the possible action with the greatest sum of input × weight is played, the first of equals")


def inspect_matrix(player: Matrix, position: PositionView) -> Inspection:
    """Every column's suitability as the sum of input times weight, and why what is impossible is."""
    _scan, inputs, actions = read(position)
    matrix = player.contents().entries
    rows, flat = len(matrix), matrix.reshape(-1)
    names, why = [_(name) for name in INPUTS[:rows]], reasons(position.board, position.state)
    choices = [
        Choice(
            _(name),
            position.words(int(action)) if action >= 0 else "",
            float(suitability(flat, rows, inputs, column)),
            dict(zip(names, (inputs[:rows] * matrix[:, column]).tolist(), strict=True)),
            "" if action >= 0 else why[name],
        )
        for column, (name, action) in enumerate(zip(COLUMNS, actions.tolist(), strict=True))
    ]
    seen = dict(zip(names, inputs[:rows].tolist(), strict=True))
    return Inspection(seen, tuple(choices), _(NOTE))


def inspect_automaton(player: Static, position: PositionView) -> Inspection:
    """The numbers and thresholds that the rules compare, and which of them fired."""
    from turnsmith.games.tactics.automata import Character

    scan, _inputs, actions = read(position, player.caution)
    view, settings = position.state, player.prepare(position.game, position.boards).params
    unit, living = int(view.unit), max(1, int(scan[places.LIVING]))
    seen = {
        _("hp"): int(view.hp[unit]),
        _("ammo"): int(view.ammo[unit]),
        _("points"): int(view.points),
        _("chance now (%)"): int(scan[places.HIT]),
        _("chance from the attack cell (%)"): int(scan[places.ATTACK_HIT]),
        _("chance from the balanced cell (%)"): int(scan[places.BALANCED_HIT]),
        _("exposure now (%)"): round(int(scan[places.EXPOSED]) / living, 2),
        _("exposure at the defence cell (%)"): round(int(scan[places.DEFENCE_EXPOSED]) / living, 2),
        _("round"): int(view.turn) + 1,
        **{
            _("setting {}").format(name): value
            for name, value in zip(Character.names or (), settings.tolist(), strict=False)
        },
    }
    why = reasons(position.board, view)
    choices = (
        Choice(_(name), position.words(action) if action >= 0 else "", None, {}, "" if action >= 0 else why[name])
        for name, action in zip(COLUMNS, actions.tolist(), strict=True)
    )
    return Inspection(seen, tuple(choices), player.act(position).note)


def read_actions(boards, views, acts, weights, scores, kinds, inputs, contexts):
    """All that `cells` weighs, from arrays of one record each."""
    score_actions(boards[0], views[0], acts, weights, scores, kinds, inputs)
    note_contexts(boards[0], views[0], contexts)


SUMS = marked(
    "the action with the greatest sum of inputs × weights is played; a weight changes with what is shown below"
)


def inspect_cells(player: CellsPlayer, position: PositionView) -> Inspection:
    """Every legal action's score as the sum of its inputs times their weights in this position."""
    acts = position.actions
    scores, kinds = np.zeros(len(acts)), np.zeros(len(acts), np.int8)
    inputs, contexts = np.zeros((len(acts), MOST_INPUTS)), np.zeros(DEPTH)
    weights, views = player.weights_of(), position.view(position.mover)
    compiled(read_actions)(position.boards, views, acts, weights, scores, kinds, inputs, contexts)
    table = weights.reshape(len(KINDS), MOST_INPUTS, DEPTH) @ contexts
    choices = []
    for index, kind in enumerate(kinds.tolist()):
        name = list(KINDS)[kind] if kind >= 0 else "skip"
        parts = {
            f"{_(each)} {inputs[index, place]:.4g}": float(inputs[index, place] * table[kind, place])
            for place, each in enumerate(KINDS.get(name, ()))
        }
        choices.append(Choice(_(name), position.words(int(acts[index])), float(scores[index]), parts))
    return Inspection(dict(zip(map(_, CONTEXTS), contexts.tolist(), strict=True)), tuple(choices), _(SUMS))
