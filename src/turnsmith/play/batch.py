"""Many games at once: reset, step, observe and mask over arrays, compiled. For learners, and for doors to other tools.

Chance moves by itself, seats that were given to players are moved by them, and a game that ends begins again in the
same step. Nothing is allocated a step: every array of a ``Batch`` is written in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import borrow, compiled, inlined, zero
from turnsmith.compile.rng import below, set_stream
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.contract.loading import load
from turnsmith.play.observe import Observer, View, observe, observer
from turnsmith.play.player import HEADER, POLICY, CompiledPlayer, Player, Prepared, at, player
from turnsmith.play.roster import Roster, ask_player, member
from turnsmith.play.step import draw_outcome, pick_action, see

MANY_BOARDS = 64
"""Boards among which games begin, where a game's boards differ."""
MOST_MEMORY = 4 << 30
"""Bytes that players may ask for in all games together."""


class World(NamedTuple):
    """The games of a batch, and the buffers that they use one after another."""

    boards: Array
    """Board[boards]: those that games are played on."""
    which: Array
    """int64[games]: the number of each game's board."""
    states: Array
    """State[games]: the position of each game, the truth."""
    streams: Array
    """uint64[games, 1 + seats]: the random streams of each game, chance's first."""
    views: Array
    """State[1]: what one seat sees."""
    acts: Array
    """int32[max(actions, outcomes)]: legal actions."""
    chances: Array
    """float64[max(actions, outcomes)]: the probabilities of outcomes."""
    returns: Array
    """float64[seats]: the return of each seat, for itself."""


class Seated(NamedTuple):
    """Players beside the learner."""

    roster: Roster
    """Of the seats, or of the seats after the learner's; address 0 where nobody sits."""
    memory: Array
    """uint8[games, seats, bytes]: lent to the players; no games where there are no players."""
    report: Array
    """float64[POLICY]: the value, work and depth that players report."""


class StepResults(NamedTuple):
    """What a learner is given of every game after a step; ``Batch`` says more of each."""

    movers: Array
    """int32[games]: the seat that decides next."""
    rewards: Array
    """float64[games, seats]: the return of each seat, for itself, of a game that ended; else 0."""
    ended: Array
    """uint8[games]: whether a game ended."""
    mask: Array
    """uint8[games, actions]: 1 for the legal actions."""
    observations: Array
    """float32[games, features] or uint8[games, planes, height, width]: what the mover sees."""
    slots: Array
    """How the observer writes an observation; see ``observe``."""


class Batch:
    """`size` games, each waiting for a decision of a seat that no player has.

    >>> batch = Batch("connect_four", 3)
    >>> batch.observations.shape, batch.mask.shape, batch.movers.tolist()
    ((3, 171), (3, 7), [0, 0, 0])
    >>> batch.step(np.array([3, 0, 6]))
    >>> batch.movers.tolist(), batch.ended.tolist()
    ([1, 1, 1], [0, 0, 0])
    """

    movers: Array
    """int32[size]: the seat that decides next."""
    rewards: Array
    """float64[size, seats]: the returns of a game that ended in the last step, else 0."""
    ended: Array
    """uint8[size]: whether a game ended in the last step; what is seen of it is then the next one's start."""
    mask: Array
    """uint8[size, actions]: 1 for the legal actions."""
    observations: Array
    """What the mover sees: float32[size, features] or uint8[size, planes, height, width]."""

    def __init__(
        self,
        game: Game | str,
        size: int,
        seed: int = 0,
        players: Mapping[int, str | Player] | None = None,
        view: View = "features",
        boards: Array | None = None,
        sees: Observer | None = None,
    ):
        game = load(game) if isinstance(game, str) else game
        if size < 1:
            raise BadInput(f"size={size} must be at least 1")
        self.game, self.size, self.seed = game, size, seed
        self.boards = boards_of(game, seed) if boards is None else boards
        self.seats, self.actions = int(self.boards["seats"].max()), int(self.boards["actions"].max())
        if (self.boards["seats"] != self.seats).any():
            raise BadInput("the boards of a batch must have the same number of seats")
        wide = max(self.actions, int(self.boards["outcomes"].max()), 1)
        self.observer = observer(game, self.boards, view) if sees is None else sees
        self.world = World(
            self.boards,
            np.zeros(size, np.int64),
            np.zeros(size, game.State),
            np.zeros((size, self.seats + 1), np.uint64),
            np.zeros(1, game.State),
            np.zeros(wide, np.int32),
            np.zeros(wide, np.float64),
            np.zeros(self.seats, np.float64),
        )
        players = players or {}
        if not set(players) <= set(range(self.seats)) or len(players) == self.seats:
            last = self.seats - 1
            raise BadInput(f"players sit in some of the seats 0 to {last}, and one seat at least is the learner's")
        self.seated = seat_players(game, self.boards, size, players)
        self.movers, self.ended = np.zeros(size, np.int32), np.zeros(size, np.uint8)
        self.rewards = np.zeros((size, self.seats), np.float64)
        self.mask, self.observations = np.zeros((size, self.actions), np.uint8), self.observer.zeros(size)
        handed = (self.movers, self.rewards, self.ended, self.mask, self.observations)
        self.results = StepResults(*handed, self.observer.slots)
        self.reset()

    @property
    def states(self) -> Array:
        """The records of all games, the truth."""
        return self.world.states

    def reset(self) -> None:
        """Begin all games anew, as at first."""
        compiled(reset_all)(self.game, self.world, self.seated, self.results, np.uint64(self.seed % 2**64))

    def step(self, actions: Array) -> None:
        """Make one decision in every game. If one of them is not legal, nothing happens but the refusal."""
        chosen = np.ascontiguousarray(actions, np.int32)
        if chosen.shape != (self.size,):
            raise BadInput(f"one action a game: {self.size} are needed, {chosen.shape} are given")
        wrong = int(compiled(step_all)(self.game, self.world, self.seated, self.results, chosen))
        if wrong >= 0:
            raise BadInput(f"game {wrong}: action {chosen[wrong]} is not legal there; see the mask")

    def random_actions(self, out: Array) -> None:
        """A random legal action of every game, drawn from a stream of its own, into `out` (int32[size])."""
        compiled(pick_all)(self.game, self.world, self.movers, out)


def seat_players(game: Game, boards: Array, size: int, players: Mapping[int, str | Player]) -> Seated:
    """Prepare the players of some seats for every board, and their memory for so many games."""
    seats = int(boards["seats"].max())
    addresses, spans = np.zeros(seats, np.int64), np.zeros((seats, len(boards), 2), np.int64)
    settings, parts, params = np.zeros((seats, 2), np.int64), [np.zeros(8, np.uint8)], [np.zeros(1)]
    memory = 0
    for seat, text in sorted(players.items()):
        each = player(text, game)
        if not isinstance(each, CompiledPlayer):
            raise BadInput(f"{each!r} is not compiled, so it cannot play many games at once; let it play one at a time")
        addresses[seat] = each.where(game)
        ready: Prepared | None = None
        for number in range(len(boards)):
            if ready is None or not each.board_independent:
                each.check(game, boards[number : number + 1])
                ready = each.prepare(game, boards[number : number + 1])
                parts.append(ready.data)
            end = sum(map(len, parts))
            spans[seat, number] = end - len(ready.data), end
            memory = max(memory, ready.memory)
        assert ready is not None
        start = sum(map(len, params))
        params.append(ready.linked(at(game)))
        settings[seat] = start, start + len(ready.params)
    if memory * size * seats > MOST_MEMORY:
        raise BadInput(f"the players would need {memory * size * seats >> 20:,} MB; make the batch smaller")
    room = np.zeros((size, seats, memory) if memory else (0, seats, HEADER), np.uint8)
    roster = Roster(addresses, np.concatenate(parts), spans, np.concatenate(params), settings)
    return Seated(roster, room, np.zeros(POLICY, np.float64))


def boards_of(game: Game, seed: int, count: int = MANY_BOARDS) -> Array:
    """The boards that games of a seed are played on: one, or many where they differ."""
    if game.describe(seed) == game.describe(seed + 1):
        return game.board(seed)
    return np.concatenate([game.board(seed + number) for number in range(count)])


# ---------------------------------------------------------------- kernels


def reset_all(game, world, seated, results, seed):
    """Point the streams of all games at their beginnings, and begin."""
    for number in range(world.states.shape[0]):
        for index in range(world.streams.shape[1]):
            set_stream(world.streams[number, index : index + 1], seed, number, index)
    go_on(game, world, seated, results, np.zeros(0, np.int32))


def step_all(game, world, seated, results, actions):
    """Make a decision in each game; returns -1, or the first game whose action is not legal, and then does nothing."""
    for number in range(actions.shape[0]):
        action = actions[number]
        if not (0 <= action < results.mask.shape[1] and results.mask[number, action]):
            return number
    go_on(game, world, seated, results, actions)
    return -1


def go_on(game, world, seated, results, actions):
    """Make one action a game, or begin every game where there are none; then go on to where a learner decides.

    Players may end a game several times before that; the rewards of a step are those of the first end.
    actions: int32[games], or int32[0]
    """
    world, seated, results = borrow(world), borrow(seated), borrow(results)
    for number in range(world.states.shape[0]):
        results.ended[number] = 0
        for seat in range(results.rewards.shape[1]):
            results.rewards[number, seat] = 0.0
        mover = np.int64(OVER)
        if actions.shape[0]:
            mover = make_move(game, world, number, np.int64(actions[number]))
        while mover < 0 or seated.roster.addresses[mover]:
            if mover == OVER:
                if actions.shape[0] and not results.ended[number]:
                    results.ended[number] = 1
                    game.returns(world.boards[world.which[number]], world.states[number], results.rewards[number])
                mover = begin_game(game, world, seated.memory, number)
            else:
                mover = make_move(game, world, number, other_move(game, world, seated, number, mover, mover))
        results.movers[number] = mover
        for action in range(results.mask.shape[1]):
            results.mask[number, action] = 0
        mark_legal(game, world, number, results.mask[number])
        write_observation(game, world, number, mover, results.slots, results.observations[number])


# ---------------------------------------------------------------- steps, which the environments of ``gym`` take too


@inlined
def begin_game(game, world, memory, number):
    """Begin a game on a board that is drawn from its stream of chance; returns the seat to move, or CHANCE, or OVER."""
    if world.boards.shape[0] > 1:
        world.which[number] = below(world.streams[number, :1], world.boards.shape[0])
    if number < memory.shape[0]:
        for seat in range(memory.shape[1]):
            for place in range(HEADER):  # the players forget the last game
                memory[number, seat, place] = 0
    board, state = world.boards[world.which[number]], world.states[number]
    zero(state)
    game.setup(board, state)
    return np.int64(game.to_move(board, state))


@inlined
def make_move(game, world, number, action):
    """Apply one action, unchecked; returns the seat to move then, or CHANCE, or OVER."""
    board, state = world.boards[world.which[number]], world.states[number]
    game.apply(board, state, action)
    return np.int64(game.to_move(board, state))


@inlined
def other_move(game, world, seated, number, mover, place):
    """The outcome that chance draws, or the action of player number `place` in the seat `mover`.

    Both draw from the stream of the game that is the mover's.
    """
    which, rng = world.which[number], world.streams[number, mover + 1 : mover + 2]  # chance's is the first
    board, state, view, acts = world.boards[which], world.states[number], world.views[0], world.acts
    if mover == CHANCE:
        return np.int64(draw_outcome(game, board, state, acts, world.chances, rng))
    see(game, board, state, view, mover)
    count, memory = game.legal(board, view, acts), seated.memory[number, mover]
    player = member(seated.roster, place, which)
    action = ask_player(game, board, view, acts[:count], player, memory, seated.report, rng)
    for index in range(count):
        if acts[index] == action:
            return action
    raise ValueError("a player made an illegal move")


@inlined
def mark_legal(game, world, number, row):
    """Set row (uint8 or int8[actions]) to 1 for each legal action of a game."""
    for index in range(game.legal(world.boards[world.which[number]], world.states[number], world.acts)):
        row[world.acts[index]] = 1


@inlined
def write_observation(game, world, number, viewer, slots, out):
    """What a seat sees of a game, into one observation."""
    board, state = world.boards[world.which[number]], world.states[number]
    if game.hides:
        see(game, board, state, world.views[0], viewer)
        observe(game, board, world.views[0], viewer, slots, out)
    else:
        observe(game, board, state, viewer, slots, out)


def pick_all(game, world, movers, out):
    """A random action of each game's mover, from the stream of its seat."""
    streams, acts, which = borrow(world.streams), borrow(world.acts), borrow(world.which)
    for number in range(movers.shape[0]):
        rng = streams[number, movers[number] + 1 : movers[number] + 2]
        out[number] = pick_action(game, world.boards[which[number]], world.states[number], acts, rng)
