"""A mind that weighs everything it may do: every cell in reach, every shot, reloading, taking cover.

An action is of a kind and has the inputs of that kind, numbers such as the best chance from a cell and how exposed one
is there. Its score is the sum of inputs times weights, and the greatest wins; skipping has none, 0. A weight is itself
a sum: what it is always, and what it gains with the share of hit points lost, the lead in soldiers, and time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.common.settings import FileName, setting
from turnsmith.compile.kernel import scratch
from turnsmith.games.tactics.maps import CELLS
from turnsmith.games.tactics.rules import chance_of
from turnsmith.languages import marked
from turnsmith.nets.files import write_json
from turnsmith.play.player import CompiledPlayer, Prepared

if TYPE_CHECKING:
    from turnsmith.play.inspection import Inspection
    from turnsmith.play.position import PositionView

MOVE, LAST_MOVE, SHOT, LAST_SHOT, RELOAD, COVER = range(6)
PLACE = (
    marked("one"),
    marked("hit"),
    marked("kill"),
    marked("exposed"),
    marked("danger"),
    marked("shelter"),
    marked("away"),
    marked("height"),
    marked("crowd"),
)
"""Of a cell: the best chance from there, and the best chance to kill; how many hits are to be expected if all enemies
fire, as they stand and after their best move; how much cover is there; steps to the nearest enemy, by the side of the
map; its height, by ten levels; mean steps to the own soldiers, by the side."""
FIRE = (marked("one"), marked("hit"), marked("kill"), marked("hurt"), marked("threat"))
"""Of a shot: its chance, its chance to kill; the share of hit points that the target lacks; its chance to hit back."""
WAIT = (marked("one"), marked("empty"), marked("exposed"), marked("danger"))
"""Of what is done on the spot: the share of shots that the magazine lacks; exposure and danger here."""
KINDS = {
    marked("move"): PLACE,
    marked("last move"): PLACE,
    marked("shot"): FIRE,
    marked("last shot"): FIRE,
    marked("reload"): WAIT,
    marked("cover"): WAIT,
}
"""The inputs of each kind of action. A last move leaves no points for a shot, a last shot none at all."""
CONTEXTS = (marked("always"), marked("weak"), marked("lead"), marked("time"))
WIDTH, DEPTH = len(PLACE), len(CONTEXTS)
ROWS = len(KINDS) * WIDTH
SIXTEENTHS = 16
"""Chances to kill are counted in parts of a percent."""


# ---------------------------------------------------------------- what is looked at


def note_contexts(board, view, out):
    """The numbers of CONTEXTS."""
    unit = np.int64(view.unit)
    seat = unit & 1
    out[0] = 1.0
    out[1] = 1.0 - view.hp[unit] / board.hp[unit]
    out[2] = (np.int64(view.alive[seat]) - np.int64(view.alive[1 - seat])) / board.team
    out[3] = min(1.0, 4.0 * view.turn / board.rounds)


def weigh(board, view, weights, rows):
    """rows[kind * WIDTH + input]: the weight in this position."""
    context = scratch(DEPTH, np.float64)
    note_contexts(board, view, context)
    for row in range(ROWS):
        total = 0.0
        for place in range(DEPTH):
            total += weights[row * DEPTH + place] * context[place]
        rows[row] = total


def deadliness(board, kind, hp):
    """How many sixteenths of the damages of a class of soldiers kill one with so many points."""
    low, high = np.int64(board.damage[kind, 0]), np.int64(board.damage[kind, 1])
    return max(0, min(high - low + 1, high + 1 - np.int64(hp))) * SIXTEENTHS // (high - low + 1)


def survey(board, view, first, last, hit, kill, exposed, danger, nearest, crowd):
    """The numbers of PLACE that change, of all cells from `first` up to `last`, as whole numbers."""
    unit = np.int64(view.unit)
    kind = np.uint64(board.kind[unit])
    for cell in range(first, last):
        hit[cell], kill[cell], exposed[cell], danger[cell], nearest[cell], crowd[cell] = 0, 0, 0, 0, 255, 0
    for other in range(2 * np.int64(board.team)):
        if view.hp[other] == 0 or other == unit:
            continue
        at = np.uint64(view.cell[other])
        if (other ^ unit) & 1 == 0:
            for cell in range(first, last):
                crowd[cell] += board.steps_to[at, cell]
            continue
        its = np.uint64(board.kind[other])
        for cell in range(first, last):
            exposed[cell] += board.threat[its, at, cell]
            danger[cell] += board.danger[its, at, cell]
            steps = board.steps_to[at, cell]
            nearest[cell] = steps if steps < nearest[cell] else nearest[cell]
        if view.ammo[unit] > 0:
            deadly = np.uint16(deadliness(board, kind, view.hp[other]))
            taken = np.uint8(board.taking if view.taking[other] else 0)
            note_shots(board, board.odds[kind, at], first, last, taken, deadly, hit, kill)


def note_shots(board, odds, first, last, taken, deadly, hit, kill):
    """The best chances from every cell, one more enemy being looked at."""
    least, most, none = np.uint8(board.least), np.uint8(board.most), np.uint8(0)
    for cell in range(first, last):
        raw = odds[cell]
        chance = np.uint8(raw - taken) if raw > taken else none
        chance = chance if chance > least else least
        chance = chance if chance < most else most
        chance = chance if raw > 0 else none
        hit[cell] = chance if chance > hit[cell] else hit[cell]
        deaths = np.uint16(np.uint16(chance) * deadly)
        kill[cell] = deaths if deaths > kill[cell] else kill[cell]


# ---------------------------------------------------------------- scores


def score_actions(board, view, acts, weights, scores, kinds, inputs):
    """scores[i]: what acts[i] is worth; kinds[i], inputs[i]: its kind (-1 for skipping) and what its weights are
    multiplied by. `inputs` may be of one row, which is then used for all."""
    unit, cells, team = np.int64(view.unit), np.int64(board.cells), np.int64(board.team)
    cell, side, points = np.int64(view.cell[unit]), np.int64(board.side), np.int64(view.points)
    pace = np.int64(board.pace[board.kind[unit]])
    rows = scratch(ROWS, np.float64)
    weigh(board, view, weights, rows)
    hit, kill = scratch(CELLS, np.uint8), scratch(CELLS, np.uint16)
    exposed, danger = scratch(CELLS, np.uint16), scratch(CELLS, np.uint16)
    nearest, crowd = scratch(CELLS, np.uint8), scratch(CELLS, np.uint16)
    row, reach = cell // side, pace * points
    first, last = np.uint64(max(0, row - reach) * side), np.uint64(min(side, row + reach + 1) * side)
    survey(board, view, first, last, hit, kill, exposed, danger, nearest, crowd)
    close = pace * (points - np.int64(board.shot_points))
    comrades = max(1, np.int64(view.alive[unit & 1]) - 1)
    empty = 1.0 - view.ammo[unit] / board.magazine[unit]
    for index in range(acts.shape[0]):
        act = np.int64(acts[index])
        line = inputs[min(index, inputs.shape[0] - 1)]
        line[0] = 1.0
        if act < cells:
            to = np.uint64(act)
            kind = MOVE if np.int64(board.steps[cell, to]) <= close else LAST_MOVE
            line[1], line[2] = hit[to] * 0.01, kill[to] * (0.01 / SIXTEENTHS)
            line[3], line[4] = exposed[to] * 0.01, danger[to] * 0.01
            line[5], line[6] = board.shelter[to] * 0.25, nearest[to] / side
            line[7], line[8] = board.heights[to] * 0.1, crowd[to] / (side * comrades)
            used = len(PLACE)
        elif act < cells + team:
            kind = SHOT if points > board.shot_points else LAST_SHOT
            note_shot(board, view, unit, 2 * (act - cells) + 1 - (unit & 1), line)
            used = len(FIRE)
        else:
            kind = act - cells - team + RELOAD
            line[1], line[2], line[3] = empty, exposed[np.uint64(cell)] * 0.01, danger[np.uint64(cell)] * 0.01
            used = len(WAIT)
        score = 0.0
        if kind > COVER:
            kind = -1
        else:
            for place in range(used):
                score += rows[kind * WIDTH + place] * line[place]
        scores[index], kinds[index] = score, kind


def note_shot(board, view, unit, enemy, line):
    """The numbers of FIRE."""
    chance = chance_of(board, view, unit, enemy) * 0.01
    line[1] = chance
    line[2] = chance * deadliness(board, board.kind[unit], view.hp[enemy]) / SIXTEENTHS
    line[3] = 1.0 - view.hp[enemy] / board.hp[enemy]
    line[4] = board.threat[board.kind[enemy], view.cell[enemy], view.cell[unit]] * 0.01


def best_of(board, view, acts, scores):
    """The place of the greatest score; of equal moves the one that either side would take seen from its own corner."""
    best, seat = 0, np.int64(view.unit) & 1
    for index in range(1, acts.shape[0]):
        is_equal_move = scores[index] == scores[best] and acts[index] < board.cells
        if scores[index] > scores[best] or (
            is_equal_move and board.rank[seat, acts[index]] < board.rank[seat, acts[best]]
        ):
            best = index
    return best


MOST_ACTIONS = CELLS + 16


def choose(board, view, acts, weights):
    """The action of the greatest score."""
    scores, kinds = scratch(MOST_ACTIONS, np.float64), scratch(MOST_ACTIONS, np.int8)
    inputs = scratch(WIDTH, np.float64).reshape(1, WIDTH)
    score_actions(board, view, acts, weights, scores, kinds, inputs)
    return np.int64(acts[best_of(board, view, acts, scores)])


def decide_by_cells(game, board, view, acts, data, memory, params, report, rng):
    return choose(board, view, acts, data.view(np.float64))


# ---------------------------------------------------------------- weights and their files

SHIPPED = Path(__file__).with_name("cells.json")
USED = np.array([place < len(names) for names in KINDS.values() for place in range(WIDTH) for _ in CONTEXTS])
"""Which of all weights belong to an input: the genes of evolution."""
HAND = {
    "move": {"one": 0.5, "hit": 2.0, "exposed": -0.5, "danger": -0.2, "shelter": 0.2, "away": -1.0},
    "last move": {"one": 0.5, "hit": 0.3, "exposed": -0.5, "danger": -0.2, "shelter": 0.2, "away": -1.0},
    "shot": {"one": 1.0, "hit": 2.0, "kill": 1.0},
    "last shot": {"one": 1.0, "hit": 2.0, "kill": 1.0},
    "reload": {"one": -0.5, "empty": 3.0},
    "cover": {"one": 0.1, "exposed": 0.3, "danger": 0.3},
}
"""Weights by hand, where evolution begins."""


def genes_of(weights: Array) -> Array:
    """Only the weights that belong to an input."""
    return np.asarray(weights[USED])


def weights_of(genes: Array) -> Array:
    """float64[kinds * inputs * contexts]: all weights, those without an input 0."""
    found = np.zeros(len(USED))
    found[USED] = genes
    return found


def table_of(weights: Array) -> dict[str, Any]:
    """The weights by kind, input and context, for people and files."""
    table = np.asarray(weights).reshape(len(KINDS), WIDTH, DEPTH)
    return {
        kind: {name: dict(zip(CONTEXTS, table[row, place].tolist(), strict=True)) for place, name in enumerate(names)}
        for row, (kind, names) in enumerate(KINDS.items())
    }


def weights_in(table: Any, said: str, missing: float | None = None) -> Array:
    """float64[kinds * inputs * contexts] of a table as ``table_of`` gives it; what lacks is `missing`, or refused."""
    found = np.zeros((len(KINDS), WIDTH, DEPTH))
    for row, (kind, names) in enumerate(KINDS.items()):
        for place, name in enumerate(names):
            for column, context in enumerate(CONTEXTS):
                value = table
                for key in (kind, name, context):
                    value = value.get(key) if isinstance(value, dict) else None
                value = missing if value is None else value
                if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < LARGEST:
                    raise BadInput(f"{said}: weights, {kind}, {name}, {context} must be a number, not {shown(value)}")
                found[row, place, column] = value
    return found.reshape(-1)


LARGEST = 1e9
START = weights_in({k: {n: {"always": w} for n, w in v.items()} for k, v in HAND.items()}, "by hand", 0.0)


def write_weights(path: Path, genes: Array, rate: float) -> None:
    """Write weights, and the share of games they won against `static`."""
    write_json(path, {"turnsmith": "tactics cells", "win_rate": rate, "weights": table_of(weights_of(genes))})


def read_weights(path: Path) -> Array:
    """float64[kinds * inputs * contexts] of such a file; damage is refused by name."""
    if not path.is_file():
        raise BadInput(f"there is no file {path}; give weights that `turnsmith train tactics cells` left")
    try:
        document = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        document = None
    if not isinstance(document, dict) or document.get("turnsmith") != "tactics cells":
        raise BadInput(f"{path} holds no weights of Tactics; give a file that `turnsmith train tactics cells` left")
    return weights_in(document.get("weights"), str(path))


# ---------------------------------------------------------------- players


@dataclass(frozen=True, repr=False)
class CellsPlayer(CompiledPlayer):
    name = "cells"
    summary = "weighs every cell in reach, every shot and what else it may do, by weights found in a league"
    decide = decide_by_cells
    board_independent = True
    file: Annotated[str, FileName()] = setting("")
    """The path of a file of weights (.json) to take instead of the shipped ones."""

    def weights_of(self) -> Array:
        """float64[kinds * inputs * contexts]"""
        return read_weights(Path(self.file) if self.file else SHIPPED)

    def prepare(self, game, boards):
        return Prepared.of(data=self.weights_of())

    def inspect(self, position: PositionView) -> Inspection:
        from turnsmith.games.tactics.why import inspect_cells

        return inspect_cells(self, position)


@dataclass(frozen=True, repr=False)
class WeightedCells(CellsPlayer):
    """`cells` with weights that are in no file."""

    name = "weighted"
    weights: tuple[float, ...] = ()

    def weights_of(self) -> Array:
        return np.array(self.weights, np.float64)
