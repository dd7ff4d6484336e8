"""Players that weigh attacks by how likely they make one win: `fast`, `strong` and `master`.

All three look at what the own turn can become: attack by attack, won or lost with their true odds, and after every
battle there is the choice to end the turn. `fast` lets the learned value (``value.py``) judge that end; the others deal
the dice and play everybody's replies first (``rounds.py``), many times. They differ in that, in how many attacks ahead
they look, and in how many of the best attacks they look into.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import FileName, setting
from turnsmith.compile.kernel import copy, is_set, scratch
from turnsmith.compile.rng import below, draw, mix, unit
from turnsmith.games.dicewars.field import attacks_in, end_of_turn
from turnsmith.games.dicewars.rounds import outlook
from turnsmith.games.dicewars.rules import DECIDE, LOST, SEATS, WON, State, fight, hash
from turnsmith.games.dicewars.value import INPUTS, SHIPPED, weights_in, worth
from turnsmith.languages import _, counted
from turnsmith.play.player import VALUE, WORK, CompiledPlayer, Prepared, filled, numbers
from turnsmith.search.limits import stop_flag

MOST_AHEAD, MOST_WIDTH, MOST_ROUNDS = 6, 1000, 1_000_000
ROWS = MOST_AHEAD + 1
Settings = numbers("ahead", "width", "rounds", "noise")


class MasterBuffers(NamedTuple):
    """What a search writes to and decides by. Rows are numbered by the attacks still to look at.

    The search looks into widths[row] of the best attacks; choice[row] is the best of them. `keys` and `known` are a
    table of what positions are worth: attacks made in another order often lead to the same one. Replies are played
    `rounds` times, from the stream `draws` on.
    """

    weights: Array
    inputs: Array
    chances: Array
    acts: Array
    values: Array
    widths: Array
    choice: Array
    work: Array
    keys: Array
    known: Array
    rounds: int
    draws: Array
    replies: Array
    stop: Array


def attack(board, view, edge, outcome, room):
    """Copy `view` into `room` and fight there, with the outcome given."""
    copy(room, view)
    room.attacker = board.source[edge]
    room.defender = board.target[edge]
    fight(board, room, outcome)


def odds_of(board, view, edge):
    return board.odds[view.dice[board.source[edge]], view.dice[board.target[edge]]]


def place_of(key, buffers):
    """Where the table keeps this key, if it does."""
    return np.int64(key & np.uint64(buffers.keys.shape[0] - 1))


def judged(board, view, me, buffers):
    """What the value gives for the end of the turn."""
    key = hash(board, view)
    place = place_of(key, buffers)
    if buffers.keys[place] != key:
        buffers.work[0] += 1.0
        buffers.keys[place] = key
        buffers.known[place] = worth(board, view, me, buffers.weights, buffers.inputs, buffers.chances)
    return buffers.known[place]


def foreseen(game, board, view, me, buffers):
    """What the end of the turn is worth: as the value gives it, or after some rounds of the others' replies."""
    if buffers.rounds == 0 or view.phase != DECIDE or is_set(buffers.stop):
        return judged(board, view, me, buffers)
    key = mix(hash(board, view))
    place = place_of(key, buffers)
    if buffers.keys[place] != key:
        buffers.work[0] += buffers.rounds
        buffers.keys[place] = key
        rng = scratch(1, np.uint64)
        rng[0] = buffers.draws[0]  # the same for all, so that they differ by what they are
        buffers.known[place] = outlook(
            game,
            board,
            view,
            me,
            buffers.rounds,
            buffers.weights,
            buffers.inputs,
            buffers.chances,
            buffers.replies,
            buffers.stop,
            rng,
        )
    return buffers.known[place]


def weigh(board, view, me, acts, count, values, rooms, buffers):
    """values[i]: how likely `me` wins after attack acts[i] and the end of the turn."""
    source, lost = np.int64(-1), 0.0
    for index in range(count):
        edge = np.int64(acts[index])
        if board.source[edge] != source or board.edition != 2020:  # there a lost attack costs the defender too
            source = np.int64(board.source[edge])
            attack(board, view, edge, LOST, rooms[0])
            lost = judged(board, rooms[0], me, buffers)
        won = odds_of(board, view, edge)
        attack(board, view, edge, WON, rooms[0])
        values[index] = won * judged(board, rooms[0], me, buffers) + (1.0 - won) * lost


def best_of(values, count):
    best = 0
    for index in range(1, count):
        if values[index] > values[best]:
            best = index
    return best


def search(game, board, views, me, ahead, buffers):
    """How likely `me` wins from views[0], ending the turn there or after up to `ahead` more attacks.

    Once it is stopped it looks into no more attacks, and takes for the best one what the value alone says of it.
    """
    view = views[0]
    best = foreseen(game, board, view, me, buffers)
    buffers.choice[ahead] = end_of_turn(board)
    if ahead == 0 or view.phase != DECIDE:
        return best
    key = mix(hash(board, view) + np.uint64(ahead))
    place = place_of(key, buffers)
    if buffers.keys[place] == key:
        return buffers.known[place]
    acts, values = buffers.acts[ahead], buffers.values[ahead]
    count = attacks_in(board, acts[: game.legal(board, view, acts)])
    rooms = scratch(1, State)
    weigh(board, view, me, acts, count, values, rooms, buffers)
    for _attack in range(min(buffers.widths[ahead], count)):
        index = best_of(values, count)
        edge, value = np.int64(acts[index]), values[index]
        values[index] = -1.0  # seen
        is_stopped = is_set(buffers.stop)
        if (ahead > 1 or buffers.rounds > 0) and not is_stopped:
            won = odds_of(board, view, edge)
            attack(board, view, edge, WON, rooms[0])
            value = won * search(game, board, rooms, me, ahead - 1, buffers)
            attack(board, view, edge, LOST, rooms[0])
            value += (1.0 - won) * search(game, board, rooms, me, ahead - 1, buffers)
        if value > best:
            best = value
            buffers.choice[ahead] = edge
        if is_stopped:
            return best
    buffers.keys[place] = key
    buffers.known[place] = best
    return best


def decide(game, board, view, acts, data, memory, params, report, rng):
    """params: Settings; data: the net."""
    settings = params.view(Settings)[0]
    ahead, width, rounds = np.int64(settings.ahead), np.int64(settings.width), np.int64(settings.rounds)
    count = attacks_in(board, acts)
    if settings.noise > 0.0 and unit(rng) < settings.noise:
        return np.int64(acts[below(rng, count)]) if count and unit(rng) < 0.5 else end_of_turn(board)
    if count == 0:
        rounds = np.int64(0)  # there is nothing to choose
    inputs, chances, work = scratch(INPUTS, np.float64), scratch(SEATS, np.float64), scratch(1, np.float64)
    widths, choice = scratch(ROWS, np.int64), scratch(ROWS, np.int64)
    for row in range(ahead + 1):
        widths[row] = 1 if row == 1 and rounds == 0 else width
    widths[ahead] = 1 if ahead == 1 and rounds == 0 else 2 * width
    lists = np.empty((ahead + 1, board.actions), np.int32)
    values = np.empty((ahead + 1, board.actions), np.float64)
    work[0] = 0.0
    views = scratch(1, State)
    copy(views[0], view)
    places = 1 if ahead == 1 and rounds == 0 else 1 << min(16, 6 + 3 * ahead)  # one ahead, no position comes twice
    keys, known = np.zeros(places, np.uint64), np.empty(places, np.float64)
    draws, replies = scratch(1, np.uint64), np.empty(board.actions, np.int32)
    draws[0] = draw(rng)
    net = data.view(np.float64)
    stop = stop_flag(memory)
    buffers = MasterBuffers(
        net, inputs, chances, lists, values, widths, choice, work, keys, known, rounds, draws, replies, stop
    )
    best = search(game, board, views, np.int64(view.seat), ahead, buffers)
    report[VALUE] = (best * np.int64(board.seats) - 1.0) / (np.int64(board.seats) - 1.0)
    report[WORK] = work[0]
    return choice[ahead]


@dataclass(frozen=True, repr=False)
class Fast(CompiledPlayer):
    ahead: int = setting(1, 1, MOST_AHEAD)
    """Attacks to look ahead in the own turn."""
    width: int = setting(1, 1, MOST_WIDTH)
    """How many of the best attacks to look into (twice as many at first)."""
    rounds: int = setting(0, 0, MOST_ROUNDS)
    """How often the others' replies are played out before the value judges an end of the turn; 0: it judges at once."""
    noise: float = setting(0.0, 0.0, 1.0)
    """How often to move at random, to see more of the game while learning."""
    file: Annotated[str, FileName()] = setting("")
    """A net of one's own (ONNX); the shipped one if empty."""

    name = "fast"
    summary = "the attack after which a learned value is best, or the end of the turn"
    decide = decide
    board_independent = True

    def prepare(self, game, boards):
        path = Path(self.file) if self.file else SHIPPED
        return Prepared.of(data=weights_in(path), params=filled(Settings, self))

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
        judged = int(report[WORK])
        said = counted("{:,} position judged", "{:,} positions judged", judged).format(judged)
        if action >= board.edges:
            return f"{said}; {_('the game about {:.0%}').format(chance)}"
        told = _("the battle is won {battle:.0%} of the time, the game about {game:.0%}")
        return f"{said}; {told.format(battle=odds_of(board, state, action), game=chance)}"


@dataclass(frozen=True, repr=False)
class Strong(Fast):
    width: int = setting(3, 1, MOST_WIDTH)
    rounds: int = setting(64, 0, MOST_ROUNDS)

    name = "strong"
    summary = "as fast, but it plays out what the others do next before the value judges"


@dataclass(frozen=True, repr=False)
class DicewarsMaster(Fast):
    ahead: int = setting(2, 1, MOST_AHEAD)
    width: int = setting(2, 1, MOST_WIDTH)
    rounds: int = setting(128, 0, MOST_ROUNDS)

    name = "master"
    summary = "as strong, two attacks ahead and more often"
