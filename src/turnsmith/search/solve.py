"""Solve: the exact values of a small game, by listing every position and iterating values until they stand still.

For one seat, or two opposed ones, who see everything; chance and cycles are welcome: Pig, endgames, puzzles. Play
without end counts as the middle of the range of returns. A board is solved once; deciding is a look-up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import compiled, copy, zero
from turnsmith.compile.rng import GOLDEN
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.contract.records import record
from turnsmith.languages import _
from turnsmith.play.player import POLICY, VALUE, WORK, CompiledPlayer, Prepared, for_any_game
from turnsmith.play.position import PositionView
from turnsmith.play.step import buffers

TOLERANCE = 1e-12  # of the range of returns: the most a value may still change in a sweep when it is called solved
FULL, NOT_OPPOSED = -1, -2
FINISHED = 2**31 - 1
POSITIONS_A_SECOND = 100_000  # that are surely listed and solved in that time

Answer = record(key=np.uint64, action=np.int64, value=np.float64)
"""What is known of a position: its hash, the best action (-1: this place is empty), the return of seat 0."""
Place = record(key=np.uint64, number=np.int64)
"""Where a hash is found again: the number of its position, or -1 where this place is empty."""


class ListedPositions(NamedTuple):
    """Positions, by number. The moves of position p lead to targets[starts[p]:starts[p + 1]].

    chances: the probabilities of these moves, where chance moves; values: the return of seat 0, the middle of the range
    until it is known; choices: which of the moves is best; places: to find a position by its hash.
    """

    states: Array
    movers: Array
    starts: Array
    values: Array
    choices: Array
    places: Array
    targets: Array
    chances: Array


def room_for(game: Game, positions: int) -> ListedPositions:
    """An empty listing for so many positions with eight moves each on average."""
    return ListedPositions(
        states=np.empty(positions, game.State),
        movers=np.empty(positions, np.int8),
        starts=np.empty(positions + 1, np.int32),
        values=np.empty(positions, np.float64),
        choices=np.empty(positions, np.int32),
        places=np.empty(2 * positions, Place),
        targets=np.empty(8 * positions, np.int32),
        chances=np.empty(8 * positions, np.float64),
    )


@for_any_game
def decide(game, board, view, acts, data, memory, params, report, rng):
    answers = data.view(Answer)
    place = spread(game.hash(board, view), answers.shape[0])
    while answers[place].key != game.hash(board, view) or answers[place].action < 0:
        place = (place + 1) % answers.shape[0]
    found = answers[place]
    report[VALUE] = found.value if game.to_move(board, view) == 0 else -found.value
    report[WORK] = answers.shape[0] // 2
    if report.shape[0] > POLICY:
        for index in range(acts.shape[0]):
            report[POLICY + index] = 1.0 if acts[index] == found.action else 0.0
    return found.action


def spread(key, size):
    """A hash as a place in a table of any size."""
    return np.int64((((key * GOLDEN) >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32))


def list_positions(game, boards, listing, acts, weights, out):
    """List every position that can be reached, the nearest first; returns how many, FULL or NOT_OPPOSED."""
    board, states = boards[0], listing.states
    zero(states[0])
    game.setup(board, states[0])
    for place in range(listing.places.shape[0]):
        listing.places[place].number = -1
    number_of(game, board, listing, 0)
    count, moves, position = 1, 0, 0
    while position < count:
        mover = game.to_move(board, states[position])
        listing.movers[position], listing.starts[position], listing.choices[position] = mover, moves, 0
        listing.values[position] = 0.5 * (board.low + board.high)
        if mover == OVER:
            game.returns(board, states[position], out)
            listing.values[position] = out[0]
            if board.seats == 2 and abs(out[0] + out[1]) > 1e-9:
                return NOT_OPPOSED
        else:
            branches = game.legal(board, states[position], acts)
            if mover == CHANCE:
                game.weights(board, states[position], weights)
            if moves + branches > listing.targets.shape[0]:
                return FULL
            for index in range(branches):
                if count == states.shape[0]:
                    return FULL
                copy(states[count], states[position])
                game.apply(board, states[count], np.int64(acts[index]))
                listing.targets[moves] = number_of(game, board, listing, count)
                listing.chances[moves] = weights[index] if mover == CHANCE else 0.0
                if listing.targets[moves] == count:
                    count += 1
                moves += 1
        position += 1
    listing.starts[count] = moves
    return count


def number_of(game, board, listing, new):
    """The number of the position states[new]: that of one listed before, or else `new`, and then it is listed."""
    key, places = game.hash(board, listing.states[new]), listing.places
    place = spread(key, places.shape[0])
    while places[place].number >= 0:
        if places[place].key == key:
            return places[place].number
        place = (place + 1) % places.shape[0]
    places[place].key, places[place].number = key, new
    return np.int64(new)


def components(listing, count, order, ends):
    """Sort the positions into groups from whose members all others of the group can be reached; returns how many.

    Group g is order[ends[g - 1]:ends[g]], and everything its moves lead to is in it or in an earlier group: that is
    the order in which Tarjan's walk through the positions finishes them.
    """
    starts, targets = listing.starts, listing.targets
    path, waiting = np.empty(count, np.int32), np.empty(count, np.int32)
    cursor, lowest, entered = np.empty(count, np.int32), np.empty(count, np.int32), np.zeros(count, np.int32)
    clock, depth, open_ones, done, groups = 0, 0, 0, 0, 0
    position = 0
    while True:
        if entered[position] == 0:
            clock += 1
            entered[position] = lowest[position] = clock
            cursor[position] = starts[position]
            path[depth] = waiting[open_ones] = position
            depth += 1
            open_ones += 1
        elif cursor[position] < starts[position + 1]:
            target = targets[cursor[position]]
            cursor[position] += 1
            if entered[target] == 0:
                position = target
            else:
                lowest[position] = min(lowest[position], entered[target])
        else:
            if lowest[position] == entered[position]:
                member = -1
                while member != position:
                    open_ones -= 1
                    member = waiting[open_ones]
                    entered[member] = FINISHED
                    order[done] = member
                    done += 1
                ends[groups] = done
                groups += 1
            depth -= 1
            if depth == 0:
                return groups
            parent = path[depth - 1]
            lowest[parent] = min(lowest[parent], lowest[position])
            position = parent


def iterate(listing, order, ends, groups, tolerance):
    """Find the values, one group after another, sweeping over each until no value changes by more than `tolerance`.

    A choice changes only for something better, so that among winning moves the one that was seen to win first
    stays: it leads on, where another may lead round in a circle.
    """
    movers, starts, values, targets = listing.movers, listing.starts, listing.values, listing.targets
    first = 0
    for group in range(groups):
        change = np.inf
        while change > tolerance:
            change = 0.0
            for index in range(first, ends[group]):
                position = order[index]
                mover, start, end = movers[position], starts[position], starts[position + 1]
                if mover == OVER:
                    continue
                if mover == CHANCE:
                    value = 0.0
                    for move in range(start, end):
                        value += listing.chances[move] * values[targets[move]]
                else:
                    sign = 1.0 if mover == 0 else -1.0
                    best = kept = sign * values[targets[start + listing.choices[position]]]
                    for move in range(start, end):
                        other = sign * values[targets[move]]
                        best = max(best, other)
                        if other > kept + tolerance:
                            kept = other
                            listing.choices[position] = move - start
                    value = sign * best
                change = max(change, abs(value - values[position]))
                values[position] = value
            if ends[group] - first == 1:
                break
        first = ends[group]


def tabulate(game, boards, listing, count, acts, answers):
    """Fill `answers` with the action and the value of every decision."""
    for place in range(answers.shape[0]):
        answers[place].action = -1
    for position in range(count):
        if listing.movers[position] >= 0:
            key = game.hash(boards[0], listing.states[position])
            place = spread(key, answers.shape[0])
            while answers[place].action >= 0:
                place = (place + 1) % answers.shape[0]
            game.legal(boards[0], listing.states[position], acts)
            answers[place].key, answers[place].value = key, listing.values[position]
            answers[place].action = acts[listing.choices[position]]


@lru_cache(maxsize=4)
def solution(game: Game, board: bytes, limit: int) -> Array:
    """The answers for a board (its bytes), to be found by hash: twice as many places as there are decisions."""
    boards = np.frombuffer(bytearray(board), game.Board)
    acts, weights = buffers(boards)
    out = np.zeros(int(boards[0].seats), np.float64)
    room, count = 1 << 12, FULL
    while count == FULL:
        if room == limit:
            raise BadInput(
                f"solve cannot play {game.text_name}: it has more than {limit:,} positions, or 8 times as many moves; "
                f"raise the limit (solve:limit={10 * limit}) if memory allows, or use another player"
            )
        room = min(8 * room, limit)
        listing = room_for(game, room)
        count = int(compiled(list_positions)(game, boards, listing, acts, weights, out))
    if count == NOT_OPPOSED:
        raise BadInput(f"solve cannot play {game.text_name}: the returns of its seats do not add up to 0; use maxn")
    order, ends = np.empty(count, np.int32), np.empty(count, np.int32)
    groups = compiled(components)(listing, count, order, ends)
    compiled(iterate)(listing, order, ends, groups, TOLERANCE * (boards[0].high - boards[0].low))
    answers = np.zeros(2 * int((listing.movers[:count] >= 0).sum()), Answer)
    compiled(tabulate)(game, boards, listing, count, acts, answers)
    return answers


@dataclass(frozen=True, repr=False)
class Solve(CompiledPlayer):
    name = "solve"
    summary = "perfect play of small games without secrets, chance included"
    tells = "value"
    decide = decide

    limit: int = setting(4_000_000, 1, 100_000_000)
    """The most positions to list; they take some 200 bytes each."""

    def within(self, seconds: float) -> Solve:
        return replace(self, limit=min(self.limit, max(1, int(seconds * POSITIONS_A_SECOND))))

    def refuses(self, game: Game, board: Any) -> str | None:
        if game.hides:
            return "something is hidden from the seats; mcts reckons with that"
        if board.seats > 2:
            return f"it needs one seat or two opposed ones and this game has {board.seats}; maxn plays any number"
        return None

    def prepare(self, game: Game, boards: Array) -> Prepared:
        return Prepared.of(data=solution(game, boards.tobytes(), self.limit))

    def note(self, position: PositionView, action: int, report: Array, memory: Array) -> str:
        return _("solved, as all {work:,} decisions of this game are").format(work=int(report[WORK]))
