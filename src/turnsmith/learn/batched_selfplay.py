"""Games of AlphaZero with itself, many at once: the positions at which their simulations stop are judged together.

Every game goes on until it has to ask the net; then all that wait are asked in one batch. Games are played in a fixed
number of batches, each from its own streams, on as many threads as there are; so the same seed gives the same games
with any number of threads. A rival, an older net, may play some of the seats; nobody learns from what it does.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import borrow, compiled, copy, zero
from turnsmith.compile.rng import below, stream, unit
from turnsmith.contract.game import OVER, Game
from turnsmith.play.observe import Observer, observe
from turnsmith.play.player import HEADER, POLICY, VALUE, filled
from turnsmith.play.step import pick_action, resolve_chance, see
from turnsmith.search.alphazero import AlphaZero
from turnsmith.search.puct import (
    LONGEST,
    Buffers,
    Search,
    Settings,
    begin,
    choose,
    goings,
    is_determined,
    know_nothing,
    take,
    understand,
    units_for,
    walk,
)
from turnsmith.search.tree import SLOT, UNIT, open_tree, tree_in

PARTS, SLOTS = 8, 32
"""Batches, and games at once in each."""
ROOM = 4096
"""Decisions that are noted before they are fetched."""
MOST_UNITS = 1 << 16
BEGIN, RUN, IDLE = range(3)
Judge = Callable[[Array], Array]
"""(observations) -> what a net says of them."""


@dataclass(frozen=True)
class Played:
    """One row a decision, game by game in the order of play; and how every game ended."""

    views: Array
    """State[rows]: what the mover saw."""
    mover: Array
    """int32[rows]"""
    which: Array
    """int32[rows]: the number of the board."""
    thought: Array
    """float64[rows]: the return that the mover expected."""
    policy: Array
    """float32[rows, actions]: the chances that the search gave to all moves, -1 for those that are not legal."""
    full_search: Array
    """bool[rows]: whether it thought long."""
    game: Array
    """int64[rows]: the number of the game."""
    ends: Array
    """State[games]: the last positions."""
    returns: Array
    """float64[games, seats]"""


class SelfplaySlots(NamedTuple):
    """Games on the way. `owners` play them: the learner and, where there is one, its rival."""

    boards: Array
    which: Array
    states: Array
    streams: Array
    views: Array
    phase: Array
    played: Array
    full_search: Array
    memory: Array
    going: Array
    at: Array
    line: Array
    noise: Array
    before: Array
    worlds: Array
    room: Buffers
    report: Array
    inputs: Array
    asked: Array
    slots: Array


class Noted(NamedTuple):
    """Decisions that were made, and ends of games."""

    views: Array
    mover: Array
    which: Array
    thought: Array
    policy: Array
    full_search: Array
    game: Array
    ends: Array
    returns: Array


class SelfplaySettings(NamedTuple):
    """How games are played: settings of the search, simulations of a quick and of a full search, the share of
    full ones, games a slot, random moves at the start of a game at most, and whether a rival plays."""

    settings: Array
    quick: int
    simulations: int
    share: float
    each: int
    openings: int
    rivals: bool


def play(
    game: Game, boards: Array, sees: Observer, net: Judge | None, rival: Judge | None, manner: SelfplaySettings,
    seed: int, workers: int, progress: Callable[[int, int], None],
) -> Played:  # fmt: skip
    """manner.each games in every slot of every batch; a rival plays in the last of the batches."""
    done = [0]

    def part(number: int) -> Played:
        meets = rival is not None and number == PARTS - 1
        owners = [net, rival] if meets else [net]
        found = _play(game, boards, sees, owners, manner._replace(rivals=meets), stream(seed, number))
        done[0] += 1
        progress(done[0], PARTS)
        return found

    with ThreadPoolExecutor(workers) as threads:
        parts = list(threads.map(part, range(PARTS)))
    shift = np.cumsum([0, *(len(part.ends) for part in parts[:-1])])
    columns = {name: np.concatenate([getattr(p, name) for p in parts]) for name in vars(parts[0])}
    columns["game"] = np.concatenate([part.game + far for part, far in zip(parts, shift, strict=True)])
    return Played(**columns)


def manner_of(player: AlphaZero, quick: int, share: float, each: int, openings: int = 0) -> SelfplaySettings:
    params = filled(Settings, player, simulations=float(player.simulations), units=0.0)
    return SelfplaySettings(params, quick, player.simulations, share, each, openings, False)


def _play(
    game: Game, boards: Array, sees: Observer, owners: list[Judge | None], manner: SelfplaySettings, rng: Array
) -> Played:
    many = len(owners)
    units = units_for(game, boards, 4 * max(manner.simulations, manner.quick), MOST_UNITS)
    settings = manner.settings.copy()
    settings.view(Settings)[0]["units"] = units
    manner = manner._replace(settings=settings)
    slots, seats, actions = _slots(game, boards, sees, many, units), int(boards[0]["seats"]), int(boards[0]["actions"])
    slots.streams[:] = [stream(int(rng[0]), number)[0] for number in range(SLOTS)]
    games, rows = manner.each * SLOTS, ROOM
    noted = Noted(
        np.zeros(rows, game.State), np.zeros(rows, np.int32), np.zeros(rows, np.int32), np.zeros(rows),
        np.zeros((rows, actions), np.float32), np.zeros(rows, np.bool_), np.zeros(rows, np.int64),
        np.zeros(games, game.State), np.zeros((games, seats)),
    )  # fmt: skip
    kept: list[tuple[Array, ...]] = []
    waiting, count = np.zeros(many, np.int64), np.zeros(1, np.int64)
    none = np.zeros((0, 0), np.float32)
    while True:
        compiled(gather)(game, slots, manner, noted, waiting, count)
        ends = bool((slots.phase == IDLE).all())
        if count[0] == ROOM or ends:
            kept.append(tuple(column[: count[0]].copy() for column in noted[:7]))
            count[0] = 0
        if ends:
            break
        for owner, judge in enumerate(owners):
            if waiting[owner]:
                said = none if judge is None else judge(slots.inputs[owner, : waiting[owner]])
                compiled(spread)(game, slots, manner, owner, waiting[owner], said)
    return played_of(kept, noted)


def played_of(kept: list[tuple[Array, ...]], noted: Noted) -> Played:
    """What was noted, game by game."""
    columns = [np.concatenate(column) for column in zip(*kept, strict=True)]
    order = np.argsort(columns[-1], kind="stable")
    named = dict(zip(Noted._fields, (column[order] for column in columns), strict=False))
    return Played(**named, ends=noted.ends, returns=noted.returns)


def _slots(game: Game, boards: Array, sees: Observer, owners: int, units: int) -> SelfplaySlots:
    board = boards[0]
    wide = max(int(boards["actions"].max()), int(boards["outcomes"].max()))
    room = Buffers(
        np.zeros(wide, np.int32), np.zeros(wide), np.zeros(int(board["seats"])), np.zeros(wide), np.zeros(wide)
    )
    return SelfplaySlots(
        boards, np.zeros(SLOTS, np.int64), np.zeros(SLOTS, game.State), np.zeros(SLOTS, np.uint64),
        np.zeros(2, game.State), np.zeros(SLOTS, np.int64), np.full(SLOTS, -1, np.int64), np.zeros(SLOTS, np.bool_),
        np.zeros((SLOTS, owners, HEADER + units * (UNIT + SLOT)), np.uint8), goings(SLOTS),
        np.zeros((SLOTS, 2), game.State), np.zeros((SLOTS, LONGEST, 3), np.int64), np.zeros((SLOTS, wide)),
        np.zeros((SLOTS, wide), np.int64), np.zeros((SLOTS, wide), np.int32), room,
        np.zeros(POLICY + int(board["actions"])), np.zeros((owners, SLOTS, *sees.shape), sees.dtype),
        np.zeros((owners, SLOTS), np.int64), sees.slots,
    )  # fmt: skip


# ---------------------------------------------------------------- kernels


def gather(game, slots, manner, noted, waiting, count):
    """Let every game go on until it has to ask, and write what it asks about; waiting: how many ask each owner."""
    settings = manner.settings.view(Settings)[0]
    for owner in range(waiting.shape[0]):
        waiting[owner] = 0
    streams = borrow(slots.streams)
    for slot in range(slots.states.shape[0]):
        rng, asks = streams[slot : slot + 1], False
        while not asks and slots.phase[slot] != IDLE and count[0] < ROOM:
            if slots.played[slot] < 0:
                start(game, slots, slot, manner, rng)
            board, view = slots.boards[slots.which[slot]], slots.views[0]
            mover = np.int64(game.to_move(board, slots.states[slot]))
            see(game, board, slots.states[slot], view, mover)
            owner = owner_of(slots, manner, slot, mover)
            if slots.phase[slot] == BEGIN:
                slots.full_search[slot] = unit(rng) < manner.share
                limit = np.int64(manner.simulations if slots.full_search[slot] else manner.quick)
                memory = borrow(slots.memory)
                open_tree(memory[slot, owner], np.int64(settings.units), is_determined(game, board), rng)
                search = search_in(slots, slot, owner, settings)
                asks = begin(game, board, view, search, slots.room, limit, settings, rng)
                slots.phase[slot] = RUN
            elif slots.going[slot].done < slots.going[slot].limit:
                asks = walk(game, board, view, search_in(slots, slot, owner, settings), slots.room, settings, rng)
            else:
                search = search_in(slots, slot, owner, settings)
                action = choose(board, search, slots.room, False, False, slots.report)
                if owner == 0:
                    note(slots, slot, search, manner, mover, view, noted, count)
                go_on(game, slots, slot, action, manner, noted, rng)
        if asks:
            state, mover = slots.at[slot, 0], slots.going[slot].mover
            board = slots.boards[slots.which[slot]]
            if game.hides:
                see(game, board, state, slots.views[1], mover)
                observe(game, board, slots.views[1], mover, slots.slots, slots.inputs[owner, waiting[owner]])
            else:
                observe(game, board, state, mover, slots.slots, slots.inputs[owner, waiting[owner]])
            slots.asked[owner, waiting[owner]] = slot
            waiting[owner] += 1


def spread(game, slots, manner, owner, waiting, said):
    """Give every game that asked its answer; no columns: nobody knows anything."""
    settings = manner.settings.view(Settings)[0]
    for place in range(waiting):
        slot = slots.asked[owner, place]
        board, search = slots.boards[slots.which[slot]], search_in(slots, slot, owner, settings)
        if said.shape[1] == 0:
            count = know_nothing(game, board, search.states[0], slots.room)
        else:
            count = understand(game, board, search.states[0], search.going[0].mover, said[place], slots.room)
        take(search, slots.room, count)


def search_in(slots, slot, owner, settings):
    """The decision that a slot is at."""
    memory, at, line = borrow(slots.memory), borrow(slots.at), borrow(slots.line)
    noise, before, worlds, going = borrow(slots.noise), borrow(slots.before), borrow(slots.worlds), borrow(slots.going)
    tree = tree_in(memory[slot, owner], np.int64(settings.units))
    return Search(tree, going[slot : slot + 1], at[slot], line[slot], noise[slot], before[slot], worlds[slot])


def owner_of(slots, manner, slot, mover):
    """Who plays a seat: the learner has one, another in every game, where there is a rival."""
    number = slots.played[slot] + slot
    return 1 if manner.rivals and mover != number % slots.boards[0].seats else 0


def start(game, slots, slot, manner, rng):
    """Begin the next game of a slot, up to its first decision, with some random moves, unless they end it."""
    slots.played[slot] = max(slots.played[slot], 0)
    if slots.boards.shape[0] > 1:
        slots.which[slot] = below(rng, slots.boards.shape[0])
    board, state = slots.boards[slots.which[slot]], slots.states[slot]
    left = below(rng, manner.openings + 1) if manner.openings else 0
    while True:
        zero(state)
        game.setup(board, state)
        leave_to_chance(game, slots, slot, rng)
        for _ in range(left):
            if game.to_move(board, state) != OVER:
                game.apply(board, state, pick_action(game, board, state, slots.room.moves, rng))
                leave_to_chance(game, slots, slot, rng)
        if game.to_move(board, state) != OVER:
            break
        left -= 1
    for owner in range(slots.memory.shape[1]):
        for place in range(HEADER):
            slots.memory[slot, owner, place] = 0


def leave_to_chance(game, slots, slot, rng):
    board, state = slots.boards[slots.which[slot]], slots.states[slot]
    resolve_chance(game, board, state, slots.room.moves, slots.room.chances, rng)


def note(slots, slot, search, manner, mover, view, noted, count):
    """Note a decision."""
    row = count[0]
    count[0] += 1
    copy(noted.views[row], view)
    noted.mover[row], noted.which[row], noted.full_search[row] = mover, slots.which[slot], slots.full_search[slot]
    noted.thought[row] = slots.report[VALUE]
    noted.game[row] = slots.played[slot] * slots.states.shape[0] + slot
    for action in range(noted.policy.shape[1]):
        noted.policy[row, action] = -1.0
    for index in range(search.going[0].count):
        action = search.tree.priors[search.going[0].root + 2 + index].action
        noted.policy[row, action] = slots.report[POLICY + index]


def go_on(game, slots, slot, action, manner, noted, rng):
    """Make a move, and begin the next game where this one is over."""
    board, state = slots.boards[slots.which[slot]], slots.states[slot]
    game.apply(board, state, action)
    leave_to_chance(game, slots, slot, rng)
    slots.phase[slot] = BEGIN
    if game.to_move(board, state) == OVER:
        number = slots.played[slot] * slots.states.shape[0] + slot
        copy(noted.ends[number], state)
        game.returns(board, state, noted.returns[number])
        slots.played[slot] += 1
        if slots.played[slot] == manner.each:
            slots.phase[slot] = IDLE
        else:
            start(game, slots, slot, manner, rng)
