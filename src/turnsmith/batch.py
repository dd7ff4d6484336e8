"""Many games at once: reset, step, observe and mask over arrays, compiled. For learners, and for doors to other tools.

Chance moves by itself, seats that were given to players are moved by them, and a game that ends begins again in the
same step. Nothing is allocated a step: every array of a ``Batch`` is written in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from turnsmith.game import CHANCE, OVER, Array, Game, load
from turnsmith.kernel import borrow, call_address, compiled, zero
from turnsmith.observe import Observer, View, observe, observer
from turnsmith.player import HEADER, POLICY, CompiledPlayer, Player, Prepared, player
from turnsmith.rng import below, set_stream
from turnsmith.step import draw_outcome, pick_action, see
from turnsmith.texts import BadInput

MANY_BOARDS = 64
"""Boards among which games begin, where a game's boards differ."""
MOST_MEMORY = 4 << 30
"""Bytes that players may ask for in all games together."""


class World(NamedTuple):
    """The games of a batch: where each is played, what stands there, and its streams (chance first, then the seats)."""

    boards: Array
    which: Array
    states: Array
    streams: Array
    views: Array
    acts: Array
    chances: Array
    returns: Array


class Seated(NamedTuple):
    """Players in some of the seats: addresses (0 where there is none), tables a board, settings, memory a game."""

    wheres: Array
    data: Array
    data_spans: Array
    params: Array
    params_spans: Array
    memory: Array
    report: Array


class Seen(NamedTuple):
    """What a learner is given of every game."""

    movers: Array
    rewards: Array
    ended: Array
    mask: Array
    observations: Array
    slots: Array


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
        self.seen = Seen(self.movers, self.rewards, self.ended, self.mask, self.observations, self.observer.slots)
        self.reset()

    @property
    def states(self) -> Array:
        """The records of all games, the truth."""
        return self.world.states

    def reset(self) -> None:
        """Begin all games anew, as at first."""
        compiled(reset_all)(self.game, self.world, self.seated, self.seen, np.uint64(self.seed % 2**64))

    def step(self, actions: Array) -> None:
        """Make one decision in every game. If one of them is not legal, nothing happens but the refusal."""
        chosen = np.ascontiguousarray(actions, np.int32)
        if chosen.shape != (self.size,):
            raise BadInput(f"one action a game: {self.size} are needed, {chosen.shape} are given")
        wrong = int(compiled(step_all)(self.game, self.world, self.seated, self.seen, chosen))
        if wrong >= 0:
            raise BadInput(f"game {wrong}: action {chosen[wrong]} is not legal there; see the mask")

    def random_actions(self, out: Array) -> None:
        """A random legal action of every game, drawn from a stream of its own, into `out` (int32[size])."""
        compiled(pick_all)(self.game, self.world, self.movers, out)


def seat_players(game: Game, boards: Array, size: int, players: Mapping[int, str | Player]) -> Seated:
    """Prepare the players of some seats for every board, and their memory for so many games."""
    seats = int(boards["seats"].max())
    wheres, spans = np.zeros(seats, np.int64), np.zeros((seats, len(boards), 2), np.int64)
    settings, parts, params = np.zeros((seats, 2), np.int64), [np.zeros(8, np.uint8)], [np.zeros(1)]
    memory = 0
    for seat, text in sorted(players.items()):
        each = player(text, game)
        if not isinstance(each, CompiledPlayer):
            raise BadInput(f"{each!r} is not compiled, so it cannot play many games at once; let it play one at a time")
        wheres[seat] = each.where(game)
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
        params.append(ready.params)
        settings[seat] = start, start + len(ready.params)
    if memory * size * seats > MOST_MEMORY:
        raise BadInput(f"the players would need {memory * size * seats >> 20:,} MB; make the batch smaller")
    room = np.zeros((size, seats, memory) if memory else (0, seats, HEADER), np.uint8)
    report = np.zeros(POLICY, np.float64)
    return Seated(wheres, np.concatenate(parts), spans, np.concatenate(params), settings, room, report)


def boards_of(game: Game, seed: int, count: int = MANY_BOARDS) -> Array:
    """The boards that games of a seed are played on: one, or many where they differ."""
    if game.describe(seed) == game.describe(seed + 1):
        return game.board(seed)
    return np.concatenate([game.board(seed + number) for number in range(count)])


# ---------------------------------------------------------------- kernels


def reset_all(game, world, seated, seen, seed):
    """Point the streams of all games at their beginnings, and begin."""
    for number in range(world.states.shape[0]):
        for index in range(world.streams.shape[1]):
            set_stream(world.streams[number, index : index + 1], seed, number, index)
    go_on(game, world, seated, seen, np.zeros(0, np.int32))


def step_all(game, world, seated, seen, actions):
    """Make a decision in each game; returns -1, or the first game whose action is not legal, and then does nothing."""
    for number in range(actions.shape[0]):
        action = actions[number]
        if not (0 <= action < seen.mask.shape[1] and seen.mask[number, action]):
            return number
    go_on(game, world, seated, seen, actions)
    return -1


def go_on(game, world, seated, seen, actions):
    """Make one action a game, or begin every game where there are none; then go on to where a learner decides.

    Players may end a game several times before that; the rewards of a step are those of the first end. This is one
    long function because handing the three tuples on would take longer than a move of a fast game.
    """
    boards, which, states = borrow(world.boards), borrow(world.which), borrow(world.states)
    streams, acts, chances = borrow(world.streams), borrow(world.acts), borrow(world.chances)
    movers, rewards, ended = borrow(seen.movers), borrow(seen.rewards), borrow(seen.ended)
    mask, observations, slots = borrow(seen.mask), borrow(seen.observations), borrow(seen.slots)
    wheres, memory = borrow(seated.wheres), borrow(seated.memory)
    for number in range(states.shape[0]):
        state = states[number]
        ended[number] = 0
        for seat in range(rewards.shape[1]):
            rewards[number, seat] = 0.0

        # 1. The decision, then whatever is not a learner's.
        mover = np.int64(OVER)
        if actions.shape[0]:
            game.apply(boards[which[number]], state, np.int64(actions[number]))
            mover = np.int64(game.to_move(boards[which[number]], state))
        while mover < 0 or wheres[mover]:
            board = boards[which[number]]
            if mover == OVER:
                if actions.shape[0] and not ended[number]:
                    ended[number] = 1
                    game.returns(board, state, rewards[number])
                if boards.shape[0] > 1:
                    which[number] = below(streams[number, :1], boards.shape[0])
                clear(memory, number)
                zero(state)
                game.setup(boards[which[number]], state)
            elif mover == CHANCE:
                game.apply(board, state, np.int64(draw_outcome(game, board, state, acts, chances, streams[number, :1])))
            else:
                game.apply(board, state, decision(game, world, seated, number, mover, mover))
            mover = np.int64(game.to_move(boards[which[number]], state))

        # 2. What the learner may do there, and what it sees.
        board = boards[which[number]]
        movers[number] = mover
        for action in range(mask.shape[1]):
            mask[number, action] = 0
        for index in range(game.legal(board, state, acts)):
            mask[number, acts[index]] = 1
        if game.hides:
            view = world.views[0]
            see(game, board, state, view, mover)
            observe(game, board, view, mover, slots, observations[number])
        else:
            observe(game, board, state, mover, slots, observations[number])


def clear(memory, number):
    """Let the players of a game forget the last one."""
    if number < memory.shape[0]:
        for seat in range(memory.shape[1]):
            for place in range(HEADER):
                memory[number, seat, place] = 0


def decision(game, world, seated, number, mover, place):
    """What player number `place` does in a seat."""
    which = world.which[number]
    board, view, acts = world.boards[which], world.views[0], borrow(world.acts)
    see(game, board, world.states[number], view, mover)
    count = game.legal(board, view, acts)
    data, params = borrow(seated.data), borrow(seated.params)
    tables = data[seated.data_spans[place, which, 0] : seated.data_spans[place, which, 1]]
    settings = params[seated.params_spans[place, 0] : seated.params_spans[place, 1]]
    memory, streams, report = borrow(seated.memory), borrow(world.streams), borrow(seated.report)
    rng = streams[number, mover + 1 : mover + 2]
    asked = (game, board, view, acts[:count], tables, memory[number, mover], settings, report, rng)
    action = call_address(seated.wheres[place], asked)
    for index in range(count):
        if acts[index] == action:
            return action
    raise ValueError("a player made an illegal move")


def pick_all(game, world, movers, out):
    """A random action of each game's mover, from the stream of its seat."""
    streams, acts, which = borrow(world.streams), borrow(world.acts), borrow(world.which)
    for number in range(movers.shape[0]):
        rng = streams[number, movers[number] + 1 : movers[number] + 2]
        out[number] = pick_action(game, world.boards[which[number]], world.states[number], acts, rng)
