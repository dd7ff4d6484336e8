"""Lessons: games of a teacher, as the rows that a learner of AlphaZero would have made of them.

The teacher is any compiled player. Its moves are what the policy is to learn; what positions are worth is what came
later and, where that is wanted, what it expected. Where the learner moves unit by unit, the teacher still plays the
joint game: its moves are cut into the pieces of their units, one row each. Some moves are made at random, so that games
differ and mistakes are seen punished; those teach values alone.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import borrow, bundle_type, compiled, zero
from turnsmith.compile.rng import below, stream, unit
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.learn.batched_selfplay import PARTS, ROOM, Noted, Played, played_of
from turnsmith.play.player import HEADER, POLICY, VALUE, CompiledPlayer, player
from turnsmith.play.roster import Roster, ask_player, member, roster_of
from turnsmith.play.step import resolve_chance, see

LONGEST_MOVE = 64
"""Rows that the pieces of one move may need."""
RANDOM_MOVES = (0.0, 0.0, 1.0, 3.0)
"""How many random moves a seat makes in a game, one of these drawn for each, times their share: so good players are
seen to meet bad ones, and where that leads."""


def teacher_of(text: str, game: Game, boards: Array) -> CompiledPlayer:
    """The player a text names, if it can teach a game."""
    joint = game.joint or game
    if joint.State != game.State:
        raise BadInput(f"nobody can teach {game.text_name}: its State needs the fields decided and chosen for that")
    found = player(text, joint)
    if not isinstance(found, CompiledPlayer):
        raise BadInput(f"{text} cannot teach, as it does not run compiled; take one of the searches")
    found.check(joint, joint_boards(game, boards))
    return found


def joint_boards(game: Game, boards: Array) -> Array:
    """The boards of the game that a teacher plays."""
    return np.ascontiguousarray(boards["joint"]) if game.joint else boards


class Teaching(NamedTuple):
    """The teacher."""

    roster: Roster
    """Of the teacher alone, on all boards."""
    memory: Array
    """uint8[seats, bytes]: lent to the teacher in each seat."""
    random_moves: float
    """The share of random moves, on average; see RANDOM_MOVES."""


class LessonBuffers(NamedTuple):
    """The buffers of a lesson."""

    acts: Array
    """int32[max(actions, outcomes)]: legal actions."""
    chances: Array
    """float64[max(actions, outcomes)]: the probabilities of outcomes."""
    report: Array
    """float64[POLICY]: the value, work and depth that the teacher reports."""
    random_moves: Array
    """float64[seats]: the share of random moves of every seat, in the game at hand."""
    at: Array
    """int64[2]: the game, and the number of its board plus 1 where it is under way."""


def teach(
    game: Game, boards: Array, teacher: CompiledPlayer, games: int, random_moves: float, seed: int, workers: int,
    progress: Callable[[int, int], None],
) -> Played:  # fmt: skip
    """The rows of so many games, rounded up to a multiple of the batches; `random_moves` is the chance of a random
    move, on average: see RANDOM_MOVES."""
    joint, theirs, done = game.joint or game, joint_boards(game, boards), [0]
    ready = [teacher.prepare(joint, theirs[at : at + 1]) for at in range(len(theirs))]
    memory = max(one.memory for one in ready)
    roster, each = roster_of(teacher, joint, ready), -(-games // PARTS)

    def part(number: int) -> Played:
        own = np.zeros((int(boards[0]["seats"]), memory), np.uint8)
        teaching = Teaching(roster, own, random_moves)
        found = _lessons(game, joint, boards, theirs, teaching, each, stream(seed, number))
        done[0] += 1
        progress(done[0], PARTS)
        return found

    with ThreadPoolExecutor(workers) as threads:
        parts = list(threads.map(part, range(PARTS)))
    columns = {name: np.concatenate([getattr(one, name) for one in parts]) for name in vars(parts[0])}
    columns["game"] = np.concatenate([one.game + number * each for number, one in enumerate(parts)])
    return Played(**columns)


def _lessons(
    game: Game, joint: Game, boards: Array, theirs: Array, teaching: Teaching, games: int, rng: Array
) -> Played:
    seats, actions, wide = int(boards[0]["seats"]), int(boards[0]["actions"]), int(theirs["actions"].max())
    wide = max(wide, int(theirs["outcomes"].max()))
    noted = Noted(
        np.zeros(ROOM, game.State), np.zeros(ROOM, np.int32), np.zeros(ROOM, np.int32), np.zeros(ROOM),
        np.zeros((ROOM, actions), np.float32), np.zeros(ROOM, np.bool_), np.zeros(ROOM, np.int64),
        np.zeros(games, game.State), np.zeros((games, seats)),
    )  # fmt: skip
    buffers = LessonBuffers(
        np.zeros(wide, np.int32), np.zeros(wide), np.zeros(POLICY), np.zeros(seats), np.zeros(2, np.int64)
    )
    kept: list[tuple[Array, ...]] = []
    while buffers.at[0] < games:
        count = compiled(go_on)(game, joint, _cut(joint), boards, theirs, teaching, buffers, noted, rng)
        kept.append(tuple(column[:count].copy() for column in noted[:7]))
    return played_of(kept, noted)


class _Cut:
    """How moves are cut into pieces, for compiled code."""

    def __init__(self, units: Callable[..., Any], radix: Callable[..., Any]):
        self._numba_type_ = bundle_type("cut", {"units": units, "radix": radix})


def _one(board, state):
    return 1


def _all(board):
    return board.actions


@cache
def _cut(joint: Game) -> _Cut:
    return _Cut(joint.units or _one, joint.radix or _all)


# ---------------------------------------------------------------- kernels


def go_on(game, joint, cut, boards, theirs, teaching, buffers, noted, rng):
    """Play one game after another until the room is full; returns the rows that were noted."""
    row, games, at = 0, noted.ends.shape[0], buffers.at
    while at[0] < games and row + LONGEST_MOVE <= noted.mover.shape[0]:
        state = noted.ends[at[0]]
        if at[1] == 0:
            at[1] = 1 + begin(game, boards, state, teaching, buffers, rng)
        which = at[1] - 1
        board, mover = boards[which], np.int64(game.to_move(boards[which], state))
        if mover == OVER:
            game.returns(board, state, noted.returns[at[0]])
            at[0] += 1
            at[1] = 0
        elif mover == CHANCE:
            resolve_chance(game, board, state, buffers.acts, buffers.chances, rng)
        else:
            see(joint, theirs[which], state, noted.views[row], mover)  # of the joint game, until the row is noted
            action, is_random = decide(joint, theirs[which], noted.views[row], which, mover, teaching, buffers, rng)
            noted.mover[row], noted.which[row], noted.full_search[row] = mover, which, not is_random
            noted.thought[row], noted.game[row] = buffers.report[VALUE], at[0]
            row += follow(game, cut, board, theirs[which], action, buffers.acts, state, noted, row)
    return row


def begin(game, boards, state, teaching, buffers, rng):
    """Set up the next game on a board drawn at random; returns its number."""
    which = below(rng, boards.shape[0])
    zero(state)
    game.setup(boards[which], state)
    for seat in range(teaching.memory.shape[0]):
        buffers.random_moves[seat] = teaching.random_moves * RANDOM_MOVES[below(rng, len(RANDOM_MOVES))]
        for place in range(HEADER):
            teaching.memory[seat, place] = 0
    return which


def decide(joint, board, view, which, mover, teaching, buffers, rng):
    """The move to make, and whether it is a random one; what the teacher expects is in the report, nan if it does not
    say."""
    roster, memory, acts, report = borrow(teaching.roster), borrow(teaching.memory), buffers.acts, buffers.report
    count = joint.legal(board, view, acts)
    report[VALUE] = np.nan
    teacher = member(roster, 0, which)
    action = ask_player(joint, board, view, acts[:count], teacher, memory[mover], report, rng)
    if unit(rng) < buffers.random_moves[mover]:
        return np.int64(acts[below(rng, count)]), True
    return np.int64(action), False


def follow(game, cut, board, own, action, acts, state, noted, row):
    """Note the pieces of a move and make it; returns how many there were. What they share is noted in the first row."""
    pieces, radix, place = np.int64(cut.units(own, state)), np.int64(cut.radix(own)), np.int64(1)
    for _ in range(pieces - 1):
        place *= radix
    for at in range(row, row + pieces):
        see(game, board, state, noted.views[at], noted.mover[row])
        noted.mover[at], noted.which[at], noted.full_search[at] = (
            noted.mover[row],
            noted.which[row],
            noted.full_search[row],
        )
        noted.thought[at], noted.game[at] = noted.thought[row], noted.game[row]
        for index in range(noted.policy.shape[1]):
            noted.policy[at, index] = -1.0
        for index in range(game.legal(board, state, acts)):
            noted.policy[at, acts[index]] = 0.0
        chosen = action // place % radix
        noted.policy[at, chosen] = 1.0
        game.apply(board, state, chosen)
        place //= radix
    return pieces
