"""The steps every loop is made of: draw chance, pick at random, look at a position, let a player decide.

The functions at the top are called from compiled code; the kernels below them are called from Python with arrays of
one board and one state. Buffers: `acts` is int32[max(actions, outcomes)], `chances` float64 of the same length.
"""

from __future__ import annotations

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled, copy, inlined, light, word, words_in, zero
from turnsmith.compile.rng import below, unit
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.play.erased import by_table
from turnsmith.play.roster import PreparedPlayer, ask_player


def draw_outcome(game, board, state, acts, chances, rng):
    """A random outcome of the chance move at hand; -1 if the rules list none, or more than there can be."""
    if game.samples:
        return game.sample(board, state, rng)
    return outcome_at(game, board, state, acts, chances, unit(rng))


def outcome_at(game, board, state, acts, chances, left):
    """The outcome of the chance move at hand that a number 0..1 stands for, or -1, as above."""
    count = game.legal(board, state, acts)
    if count < 1 or count > acts.shape[0]:
        return -1
    game.weights(board, state, chances)
    for index in range(count - 1):
        left -= chances[index]
        if left < 0.0:
            return int(acts[index])
    return int(acts[count - 1])


@inlined
def resolve_chance(game, board, state, acts, chances, rng):
    """Let chance move until a seat decides or the game is over; returns that seat, or OVER.

    The loops of searches write this out: counting references to the buffers would cost them a third of their speed.
    """
    mover = game.to_move(board, state)
    while mover == CHANCE:
        game.apply(board, state, draw_outcome(game, board, state, acts, chances, rng))
        mover = game.to_move(board, state)
    return mover


def pick_action(game, board, state, acts, rng):
    """A uniform legal action of the seat at hand."""
    if game.picks:
        return game.pick(board, state, rng)
    return int(acts[below(rng, game.legal(board, state, acts))])


def random_action(game, board, state, mover, acts, chances, rng):
    """What `mover` does at random: an outcome of chance, or a uniform legal action of a seat."""
    if mover == CHANCE:
        return draw_outcome(game, board, state, acts, chances, rng)
    return pick_action(game, board, state, acts, rng)


def playout(game, board, state, acts, chances, rng):
    """Play at random to the end; returns the number of moves, chance included."""
    moves = 0
    mover = game.to_move(board, state)
    while mover != OVER:
        if mover == CHANCE:  # written out: a call of ``random_action`` would take this loop several times as long
            action = draw_outcome(game, board, state, acts, chances, rng)
        else:
            action = pick_action(game, board, state, acts, rng)
        game.apply(board, state, action)
        moves += 1
        mover = game.to_move(board, state)
    return moves


def see(game, board, state, view, viewer):
    """Copy `state` into `view` and blank what the viewer may not see."""
    copy(view, state)
    if game.hides:
        game.hide(board, view, viewer)


# ---------------------------------------------------------------- kernels


def begin(game, boards, states):
    """Make states[0] the first position."""
    zero(states[0])
    game.setup(boards[0], states[0])


def look(game, boards, states, acts, chances, returns):
    """Who moves, and how many legal actions stand in `acts`; `chances` or `returns` where they apply."""
    board, state = boards[0], states[0]
    mover = game.to_move(board, state)
    if mover == OVER:
        game.returns(board, state, returns)
        return mover, 0
    count = game.legal(board, state, acts)
    if mover == CHANCE:
        game.weights(board, state, chances)
    return mover, count


def advance(game, boards, states, action):
    """Apply one action, unchecked."""
    game.apply(boards[0], states[0], action)


def sample_chance(game, boards, states, acts, chances, rng):
    """Draw the outcome of the chance move at hand."""
    return draw_outcome(game, boards[0], states[0], acts, chances, rng)


def show_to(game, boards, states, views, viewer):
    """Fill views[0] with what `viewer` sees of states[0]."""
    see(game, boards[0], states[0], views[0], viewer)


def rewind(game, boards, states):
    """Undo the open commitments of states[0]."""
    game.rewind(boards[0], states[0])


def tells(game, boards, states, spare, acts, moves, room, viewer):
    """Whether what `viewer` sees after `moves` would be different had any other legal first move come before the rest.

    acts: the legal first moves; spare: 3 states; room: int32, as long as `acts` may ever be.
    """
    board = boards[0]
    made, other = spare[1], spare[2]
    copy(spare[0], states[0])
    for index in range(moves.shape[0]):
        game.apply(board, spare[0], np.int64(moves[index]))
    see(game, board, spare[0], made, viewer)
    for first in range(acts.shape[0]):
        if acts[first] == moves[0]:
            continue
        copy(spare[0], states[0])
        game.apply(board, spare[0], np.int64(acts[first]))
        index = 1
        while index < moves.shape[0] and may_follow(game, board, spare[0], moves[index], room):
            game.apply(board, spare[0], np.int64(moves[index]))
            index += 1
        if index == moves.shape[0]:
            see(game, board, spare[0], other, viewer)
            same = True
            for place in range(words_in(made)):
                same = same and word(made, place) == word(other, place)
            if same:
                return False
    return True


def may_follow(game, board, state, action, room):
    """Whether an action is legal here, for whoever is to move."""
    if game.to_move(board, state) == OVER:
        return False
    found = False
    for index in range(game.legal(board, state, room)):
        found = found or room[index] == action
    return found


SHORT = (begin, look, advance, sample_chance, show_to, rewind, tells)
"""Kernels that take microseconds, but as long as a broken rule likes: only among busy threads should they keep Python's
lock (``keep_gil``), for then nobody hears of a Ctrl-C."""
light(*SHORT, instead=by_table)


def ask(game, boards, views, acts, where, data, memory, params, report, rng):
    """The decision of the compiled player at address `where`; the other arguments are those of ``decide``."""
    return ask_player(game, boards[0], views[0], acts, PreparedPlayer(where, data, params), memory, report, rng)


def playouts(game, boards, count, acts, chances, rng):
    """Random games from the start, one after another; returns the number of moves."""
    board = boards[0]
    states = np.empty(1, game.State)
    moves = 0
    for _ in range(count):
        state = states[0]  # inside the loop: a record does not keep its array alive, the array's next use does
        zero(state)
        game.setup(board, state)
        moves += playout(game, board, state, acts, chances, rng)
    return moves


def forecast(game, boards, states, scratch_states, count, acts, chances, returns, out, rng):
    """The mean returns of `count` random games from states[0], one number a seat into `out`."""
    board = boards[0]
    for seat in range(board.seats):
        out[seat] = 0.0
    for _ in range(count):
        state = scratch_states[0]
        copy(state, states[0])
        playout(game, board, state, acts, chances, rng)
        game.returns(board, state, returns)
        for seat in range(board.seats):
            out[seat] += returns[seat] / count


def estimate(game, boards, states, out):
    """The game's own guess of the returns from states[0], into `out`."""
    game.evaluate(boards[0], states[0], out)


light(estimate, instead=by_table)


def perft(game, boards, states, depth, acts):
    """How many sequences of `depth` moves there are from states[0], outcomes of chance being moves too; -1 if the rules
    list none where there must be some, or more than there can be.

    The stack: states, and the rows of `acts` (int32[depth, most moves]), one a ply; the last moves are not made.
    """
    board = boards[0]
    if depth < 1:
        return 1
    counts = np.zeros(depth, np.int64)
    cursors = np.zeros(depth, np.int64)
    leaves = 0
    ply = 0
    counts[0] = moves_listed(game, board, states[0], acts[0])
    while ply >= 0:
        if counts[ply] < 0:
            return -1
        if ply == depth - 1:
            leaves += counts[ply]
            ply -= 1
        elif cursors[ply] == counts[ply]:
            ply -= 1
        else:
            copy(states[ply + 1], states[ply])
            game.apply(board, states[ply + 1], acts[ply, cursors[ply]])
            cursors[ply] += 1
            ply += 1
            cursors[ply] = 0
            counts[ply] = moves_listed(game, board, states[ply], acts[ply])
    return leaves


def moves_listed(game, board, state, acts):
    """How many moves there are, listed in `acts`: 0 at the end, -1 if that many cannot be."""
    if game.to_move(board, state) == OVER:
        return 0
    count = game.legal(board, state, acts)
    return count if 0 < count <= acts.shape[0] else -1


# ---------------------------------------------------------------- for Python


def look_at(game: Game, boards: Array, states: Array, acts: Array, chances: Array, returns: Array) -> tuple[int, int]:
    """``look``, compiled, whose answer can be relied upon: a seat, CHANCE or OVER, and a number of moves."""
    mover, count = map(int, compiled(look)(game, boards, states, acts, chances, returns))
    if mover != OVER and not CHANCE <= mover < len(returns):
        raise broken_rules(game, f"to_move says {mover}, which is neither a seat nor CHANCE nor OVER")
    if mover != OVER and not 0 < count <= len(acts):
        raise broken_rules(game, f"legal lists {count} moves, where at least one and at most {len(acts)} can be")
    return mover, count


def broken_rules(game: Game, fault: str) -> BadInput:
    """Why nobody can play on: the rules do what the contract forbids."""
    return BadInput(f"{game.text_name}: {fault}; 'turnsmith check {game.text_name}' says more")


def buffers(boards: Array) -> tuple[Array, Array]:
    """`acts` and `chances`, large enough for a board."""
    actions, outcomes = (int(boards[name][0]) for name in ("actions", "outcomes"))  # a record's attributes are slow
    return np.zeros(max(actions, outcomes, 1), np.int32), np.zeros(max(outcomes, 1), np.float64)
