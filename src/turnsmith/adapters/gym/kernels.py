"""Episodes of many games in arrays, compiled: the learner's action, then chance and opponents up to its next decision.

Every random number is that of the match, as ``seat`` has it: stream (match, ply, 0) for chance, (match, ply, s + 1) for
seat s. So these episodes are the ones that ``Env`` plays in Python, to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from turnsmith.adapters.table import ALL, ANY, EPISODE, LEARNER, MAP
from turnsmith.arena.loop import forfeit
from turnsmith.batch import clear, decision
from turnsmith.game import CHANCE, OVER, Array
from turnsmith.kernel import borrow, zero
from turnsmith.observe import observe
from turnsmith.rng import begin, below, set_stream
from turnsmith.step import draw_outcome, see

SAME_STEP, NEXT_STEP, DISABLED = range(3)
LOSE, RANDOM, REFUSE = range(3)
PLAYS, WAITS, CHOSEN = range(3)
"""An environment plays, is over and waits for a reset, or is to be reset now."""
MOST_MISSED = 1000
"""Episodes in a row in which the learner may have nothing to decide."""


class Course(NamedTuple):
    """Where each environment is: its seed, its next episode, the match it plays and how many moves that has; the
    learner's seat, or ALL; whether it plays, waits or is chosen."""

    seeds: Array
    episodes: Array
    matches: Array
    plies: Array
    learners: Array
    waits: Array


class Seen(NamedTuple):
    """What is handed out, a row an environment. `movers` decide, `actors` did; `finals` are the last observations of
    episodes that have ended."""

    movers: Array
    actors: Array
    rewards: Array
    returns: Array
    ended: Array
    forfeits: Array
    mask: Array
    observations: Array
    finals: Array
    slots: Array


def first_illegal(course, seen, actions):
    """The first environment whose action is not legal, but for those that wait for a reset; -1 if there is none."""
    mask, waits = borrow(seen.mask), borrow(course.waits)
    for number in range(actions.shape[0]):
        action = actions[number]
        if waits[number] == PLAYS and not (0 <= action < mask.shape[1] and mask[number, action]):
            return number
    return -1


def go_on(game, world, seated, course, seen, actions, mode, illegal, seat):
    """One action an environment, or none where one waits: it begins anew. Without actions, only those chosen begin.

    This is one long function because handing the four tuples on would take longer than a move of a fast game.
    """
    boards, which, states, streams = (
        borrow(world.boards),
        borrow(world.which),
        borrow(world.states),
        borrow(world.streams),
    )
    acts, chances, views, memory = borrow(world.acts), borrow(world.chances), borrow(world.views), borrow(seated.memory)
    seeds, episodes, matches = borrow(course.seeds), borrow(course.episodes), borrow(course.matches)
    plies, learners, waits = borrow(course.plies), borrow(course.learners), borrow(course.waits)
    movers, actors, mask, slots = borrow(seen.movers), borrow(seen.actors), borrow(seen.mask), borrow(seen.slots)
    rewards, returns, ended, forfeits = (
        borrow(seen.rewards), borrow(seen.returns), borrow(seen.ended), borrow(seen.forfeits)
    )  # fmt: skip
    observations, finals = borrow(seen.observations), borrow(seen.finals)
    for number in range(states.shape[0]):
        if actions.shape[0] == 0 and waits[number] != CHOSEN:
            continue
        state = states[number]
        ended[number], forfeits[number], rewards[number] = 0, 0, 0.0

        # 1. The action. Where one is not legal the episode is forfeited, or another is made.
        mover, has_acted = np.int64(OVER), waits[number] == PLAYS
        if has_acted:
            action = np.int64(actions[number])
            is_legal = 0 <= action < mask.shape[1] and mask[number, action] != 0
            if illegal == RANDOM and not is_legal:  # the random player's
                rng = streams[number, movers[number] + 1 : movers[number] + 2]
                set_stream(rng, matches[number], plies[number], movers[number] + 1)
                action = np.int64(acts[below(rng, game.legal(boards[which[number]], state, acts))])
                is_legal = True
            if is_legal:
                game.apply(boards[which[number]], state, action)
                plies[number] += 1
                mover = np.int64(game.to_move(boards[which[number]], state))
            else:
                forfeits[number] = 1

        # 2. The end of the episode, chance, the opponents, until the learner decides. Episodes in which it has nothing
        # to decide are passed over.
        waits[number] = PLAYS
        missed = 0
        while mover < 0 or (learners[number] != ALL and mover != learners[number]):
            board = boards[which[number]]
            if mover == OVER:
                if has_acted:
                    has_acted = False
                    ended[number], actors[number] = 1, movers[number]
                    if forfeits[number]:
                        forfeit(board, actors[number], returns[number])
                    else:
                        game.returns(board, state, returns[number])
                    rewards[number] = returns[number, actors[number]]
                    if mode != SAME_STEP:
                        waits[number] = WAITS
                        break
                    write(game, board, state, views, actors[number], slots, finals[number])
                if missed == MOST_MISSED:
                    raise ValueError("the learner's seat never decides anything")
                missed += 1
                match = seeds[number]
                if episodes[number] > 0:
                    match = begin(match, episodes[number], EPISODE)
                episodes[number] += 1
                matches[number], plies[number], learners[number] = match, 0, seat
                if boards.shape[0] > 1:
                    set_stream(streams[number, :1], match, 0, MAP)
                    which[number] = below(streams[number, :1], boards.shape[0])
                if seat == ANY:
                    set_stream(streams[number, :1], match, 0, LEARNER)
                    learners[number] = below(streams[number, :1], returns.shape[1])
                clear(memory, number)
                zero(state)
                game.setup(boards[which[number]], state)
            else:
                rng = streams[number, mover + 1 : mover + 2]  # chance's is the first
                set_stream(rng, matches[number], plies[number], mover + 1)
                if mover == CHANCE:
                    action = np.int64(draw_outcome(game, board, state, acts, chances, rng))
                else:
                    place = (mover - learners[number] - 1) % returns.shape[1]
                    action = np.int64(decision(game, world, seated, number, mover, place))
                game.apply(board, state, action)
                plies[number] += 1
            mover = np.int64(game.to_move(boards[which[number]], state))

        # 3. What may be done there, and what is seen. Where the episode is over all may be done, for none counts: so no
        # learner divides by zero.
        board = boards[which[number]]
        for action in range(mask.shape[1]):
            mask[number, action] = 1 if waits[number] == WAITS else 0
        if waits[number] == PLAYS:
            movers[number] = mover
            for index in range(game.legal(board, state, acts)):
                mask[number, acts[index]] = 1
        write(game, board, state, views, movers[number], slots, observations[number])


def write(game, board, state, views, viewer, slots, out):
    """What a seat sees, into one observation."""
    if game.hides:
        see(game, board, state, views[0], viewer)
        observe(game, board, views[0], viewer, slots, out)
    else:
        observe(game, board, state, viewer, slots, out)
