"""Players that weigh attacks by how likely they make one win: `fast`, `strong` and `master`.

All three look at what the own turn can become: attack by attack, won or lost with their true odds, and after every
battle there is the choice to end the turn, judged by the learned value (``value.py``). They differ in how many attacks
ahead they look and how many of the best attacks they look into.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from turnsmith.game import Array
from turnsmith.games.dicewars.field import attacks_in, end_of_turn
from turnsmith.games.dicewars.rules import DECIDE, LOST, SEATS, WON, State, fight
from turnsmith.games.dicewars.value import FEATURES, HIDDEN, INPUTS, SHIPPED, weights_in, worth
from turnsmith.kernel import copy, scratch
from turnsmith.player import VALUE, WORK, CompiledPlayer, Prepared
from turnsmith.rng import below, unit
from turnsmith.texts import BadInput

MOST_AHEAD = 6
ROWS = MOST_AHEAD + 1


class Tools(NamedTuple):
    """What a search carries with it. Rows are numbered by the attacks still to look at; widths[row] of the best are
    looked into, choice[row] is the best of them."""

    weights: Array
    inputs: Array
    chances: Array
    acts: Array
    values: Array
    widths: Array
    choice: Array
    work: Array


def attack(board, view, edge, outcome, room):
    """Copy `view` into `room` and fight there, with the outcome given."""
    copy(room, view)
    room.attacker = board.source[edge]
    room.defender = board.target[edge]
    fight(board, room, outcome)


def odds_of(board, view, edge):
    return board.odds[view.dice[board.source[edge]], view.dice[board.target[edge]]]


def judged(board, view, me, tools):
    tools.work[0] += 1.0
    return worth(board, view, me, tools.weights, tools.inputs, tools.chances)


def weigh(board, view, me, acts, count, values, rooms, tools):
    """values[i]: how likely `me` wins after attack acts[i] and the end of the turn."""
    source, lost = np.int64(-1), 0.0
    for index in range(count):
        edge = np.int64(acts[index])
        if board.source[edge] != source or board.edition != 2020:  # there a lost attack costs the defender too
            source = np.int64(board.source[edge])
            attack(board, view, edge, LOST, rooms[0])
            lost = judged(board, rooms[0], me, tools)
        won = odds_of(board, view, edge)
        attack(board, view, edge, WON, rooms[0])
        values[index] = won * judged(board, rooms[0], me, tools) + (1.0 - won) * lost


def best_of(values, count):
    best = 0
    for index in range(1, count):
        if values[index] > values[best]:
            best = index
    return best


def search(game, board, views, me, ahead, tools):
    """How likely `me` wins from views[0], ending the turn there or after up to `ahead` more attacks."""
    view = views[0]
    best = judged(board, view, me, tools)
    tools.choice[ahead] = end_of_turn(board)
    if ahead == 0 or view.phase != DECIDE:
        return best
    acts, values = tools.acts[ahead], tools.values[ahead]
    count = attacks_in(board, acts[: game.legal(board, view, acts)])
    rooms = scratch(1, State)
    weigh(board, view, me, acts, count, values, rooms, tools)
    for _ in range(min(tools.widths[ahead], count)):
        index = best_of(values, count)
        edge, value = np.int64(acts[index]), values[index]
        values[index] = -1.0  # seen
        if ahead > 1:
            won = odds_of(board, view, edge)
            attack(board, view, edge, WON, rooms[0])
            value = won * search(game, board, rooms, me, ahead - 1, tools)
            attack(board, view, edge, LOST, rooms[0])
            value += (1.0 - won) * search(game, board, rooms, me, ahead - 1, tools)
        if value > best:
            best = value
            tools.choice[ahead] = edge
    return best


def decide(game, board, view, acts, data, memory, params, report, rng):
    """params: attacks to look ahead, how many of the best to look into, how often to move at random; data: the net."""
    ahead, width, noise = np.int64(params[0]), np.int64(params[1]), params[2]
    count = attacks_in(board, acts)
    if noise > 0.0 and unit(rng) < noise:
        return np.int64(acts[below(rng, count)]) if count and unit(rng) < 0.5 else end_of_turn(board)
    inputs, chances, work = scratch(INPUTS, np.float64), scratch(SEATS, np.float64), scratch(1, np.float64)
    widths, choice = scratch(ROWS, np.int64), scratch(ROWS, np.int64)
    for row in range(ahead + 1):
        widths[row] = 1 if row == 1 else width
    widths[ahead] = 1 if ahead == 1 else 2 * width
    lists = np.empty((ahead + 1, board.actions), np.int32)
    values = np.empty((ahead + 1, board.actions), np.float64)
    work[0] = 0.0
    views = scratch(1, State)
    copy(views[0], view)
    tools = Tools(data.view(np.float64), inputs, chances, lists, values, widths, choice, work)
    best = search(game, board, views, np.int64(view.seat), ahead, tools)
    report[VALUE] = (best * np.int64(board.seats) - 1.0) / (np.int64(board.seats) - 1.0)
    report[WORK] = work[0]
    return choice[ahead]


@dataclass(frozen=True, repr=False)
class Fast(CompiledPlayer):
    ahead: int = 1
    """Attacks to look ahead in the own turn, 1 to 6."""
    width: int = 1
    """How many of the best attacks to look into (twice as many at first)."""
    noise: float = 0.0
    """How often to move at random, to see more of the game while learning."""
    file: str = ""
    """A net of one's own (ONNX); the shipped one if empty."""

    name = "fast"
    summary = "the attack after which a learned value is best, or the end of the turn"
    decide = decide
    anywhere = True

    def __post_init__(self):
        if not 1 <= self.ahead <= MOST_AHEAD or self.width < 1:
            raise ValueError(f"ahead={self.ahead} must be 1 to {MOST_AHEAD} and width={self.width} at least 1")

    def prepare(self, game, boards):
        path = Path(self.file) if self.file else SHIPPED
        weights = weights_in(path)
        if len(weights) != FEATURES * HIDDEN + 2 * HIDDEN + 1:
            raise BadInput(f"{path} is not a value of Dice Wars; train one, or leave out file=")
        return Prepared.of(data=weights, params=[self.ahead, self.width, self.noise])

    def line(self, position, action, memory):
        """The attacks it means to make, as far as it looked ahead, if every battle is won."""
        if action >= position.board.edges or self.ahead == 1:
            return (position.words(action),)
        after = position.after([action, WON])
        planned = replace(self, ahead=self.ahead - 1).act(after).line if after.mover == position.mover else ()
        return (position.words(action), *planned)

    def note(self, position, action, report, memory):
        board, state = position.board, position.state
        seats = int(board.seats)
        chance = (float(report[VALUE]) * (seats - 1) + 1) / seats
        battle = f"the battle is won {odds_of(board, state, action):.0%} of the time, " if action < board.edges else ""
        return f"{int(report[WORK]):,} positions judged; {battle}the game about {chance:.0%}"


@dataclass(frozen=True, repr=False)
class Strong(Fast):
    ahead: int = 2
    width: int = 6

    name = "strong"
    summary = "as fast, two attacks ahead"


@dataclass(frozen=True, repr=False)
class Master(Fast):
    ahead: int = 3
    width: int = 6

    name = "master"
    summary = "as fast, three attacks ahead"
