"""Episodes of many games in arrays, compiled: the learner's action, then chance and opponents up to its next decision.

Every random number is that of the match, as ``seat`` has it: stream (match, ply, 0) for chance, (match, ply, s + 1) for
seat s. So these episodes are the ones that ``Env`` plays in Python, to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from turnsmith.adapters.table import ALL, ANY, EPISODE, LEARNER, MAP
from turnsmith.arena.loop import forfeit
from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import borrow, inlined
from turnsmith.compile.rng import begin, below, set_stream
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.play.batch import begin_game, make_move, mark_legal, other_move, write_observation

SAME_STEP, NEXT_STEP, DISABLED = range(3)
LOSE, RANDOM, REFUSE = range(3)
PLAYS, WAITS, CHOSEN = range(3)
"""An environment plays, is over and waits for a reset, or is to be reset now."""
MOST_MISSED = 1000
"""Episodes in a row in which the learner may have nothing to decide."""


class Course(NamedTuple):
    """Where each environment is."""

    seeds: Array
    """uint64[size]: the seed that it was reset with."""
    episodes: Array
    """int64[size]: the number of its next episode."""
    matches: Array
    """uint64[size]: the seed of the match that it plays."""
    plies: Array
    """int64[size]: how many moves the match has, chance's included."""
    learners: Array
    """int64[size]: the learner's seat, or ALL."""
    waits: Array
    """uint8[size]: PLAYS, WAITS or CHOSEN."""


class EpisodeResults(NamedTuple):
    """What is handed out after a step, a row an environment; ``Episodes`` says more of each."""

    movers: Array
    """int32[size]: the seat that decides."""
    actors: Array
    """int32[size]: of an episode that has ended, the seat that acted last."""
    rewards: Array
    """float64[size]: the actor's return of an episode that ended; else 0."""
    returns: Array
    """float64[size, seats]: the return of each seat, for itself, of the last episode that ended."""
    ended: Array
    """uint8[size]: whether an episode ended."""
    forfeits: Array
    """uint8[size]: whether it ended because the action was not legal."""
    mask: Array
    """int8[size, actions]: 1 for the legal actions."""
    observations: Array
    """float32[size, features] or uint8[size, planes, height, width]: what the mover sees."""
    finals: Array
    """The same of the ends of episodes."""
    slots: Array
    """How the observer writes an observation; see ``observe``."""


class Ways(NamedTuple):
    """How episodes are played."""

    mode: int
    """SAME_STEP, NEXT_STEP or DISABLED: when an episode that ended begins anew."""
    illegal: int
    """LOSE, RANDOM or REFUSE: what comes of an action that is not legal."""
    seat: int
    """The learner's seat, ALL or ANY."""


def first_illegal(course, results, actions):
    """The first environment whose action is not legal, but for those that wait for a reset; -1 if there is none."""
    mask, waits = borrow(results.mask), borrow(course.waits)
    for number in range(actions.shape[0]):
        action = actions[number]
        if waits[number] == PLAYS and not (0 <= action < mask.shape[1] and mask[number, action]):
            return number
    return -1


def go_on(game, world, seated, course, results, ways, actions):
    """One action an environment, or none where one waits: it begins anew. Without actions, only those chosen begin.

    Chance and the opponents move until the learner decides. Episodes in which it has nothing to decide are passed over.
    actions: int64[size], or int64[0]
    """
    world, seated, course, results = borrow(world), borrow(seated), borrow(course), borrow(results)
    learners, seats = course.learners, results.returns.shape[1]
    for number in range(world.states.shape[0]):
        if actions.shape[0] == 0 and course.waits[number] != CHOSEN:
            continue
        results.ended[number], results.forfeits[number], results.rewards[number] = 0, 0, 0.0
        mover, has_acted, missed = np.int64(OVER), course.waits[number] == PLAYS, 0
        if has_acted:
            mover = act(game, world, course, results, number, np.int64(actions[number]), ways.illegal)
        course.waits[number] = PLAYS
        while mover < 0 or (learners[number] != ALL and mover != learners[number]):
            if mover == OVER:
                if has_acted:
                    has_acted = False
                    note_end(game, world, results, number)
                    if ways.mode != SAME_STEP:
                        course.waits[number] = WAITS
                        break
                    actor = results.actors[number]
                    write_observation(game, world, number, actor, results.slots, results.finals[number])
                if missed == MOST_MISSED:
                    raise ValueError("the learner's seat never decides anything")
                missed += 1
                mover = begin_episode(game, world, seated.memory, course, number, ways.seat, seats)
            else:
                set_stream(stream_of(world, number, mover), course.matches[number], course.plies[number], mover + 1)
                place = (mover - learners[number] - 1) % seats
                mover = make_move(game, world, number, other_move(game, world, seated, number, mover, place))
                course.plies[number] += 1
        hand_out(game, world, course, results, number, mover)


# ---------------------------------------------------------------- steps


@inlined
def stream_of(world, number, mover):
    """The random stream of a seat or of chance in one game."""
    return world.streams[number, mover + 1 : mover + 2]


@inlined
def act(game, world, course, results, number, action, illegal):
    """Make the learner's action; returns the seat to move then, or CHANCE, or OVER.

    Where the action is not legal the episode is forfeited, or another is made.
    """
    actor, mask = np.int64(results.movers[number]), results.mask
    is_legal = 0 <= action < mask.shape[1] and mask[number, action] != 0
    if illegal == RANDOM and not is_legal:  # the random player's
        rng = stream_of(world, number, actor)
        set_stream(rng, course.matches[number], course.plies[number], actor + 1)
        count = game.legal(world.boards[world.which[number]], world.states[number], world.acts)
        action = np.int64(world.acts[below(rng, count)])
        is_legal = True
    if not is_legal:
        results.forfeits[number] = 1
        return np.int64(OVER)
    course.plies[number] += 1
    return make_move(game, world, number, action)


@inlined
def note_end(game, world, results, number):
    """Note the end of an episode for the seat that acted last."""
    board, actor, returns = world.boards[world.which[number]], results.movers[number], results.returns[number]
    results.ended[number], results.actors[number] = 1, actor
    if results.forfeits[number]:
        forfeit(board, actor, returns)
    else:
        game.returns(board, world.states[number], returns)
    results.rewards[number] = returns[actor]


@inlined
def begin_episode(game, world, memory, course, number, seat, seats):
    """Begin the next episode of an environment; returns the seat to move, or CHANCE, or OVER."""
    match, rng = course.seeds[number], stream_of(world, number, CHANCE)
    if course.episodes[number] > 0:
        match = begin(match, course.episodes[number], EPISODE)
    course.episodes[number] += 1
    course.matches[number], course.plies[number], course.learners[number] = match, 0, seat
    if seat == ANY:
        set_stream(rng, match, 0, LEARNER)
        course.learners[number] = below(rng, seats)
    set_stream(rng, match, 0, MAP)
    return begin_game(game, world, memory, number)


@inlined
def hand_out(game, world, course, results, number, mover):
    """What may be done, and what is seen.

    Where an episode is over all may be done, for none counts: so no learner divides by zero.
    """
    for action in range(results.mask.shape[1]):
        results.mask[number, action] = 1 if course.waits[number] == WAITS else 0
    if course.waits[number] == PLAYS:
        results.movers[number] = mover
        mark_legal(game, world, number, results.mask[number])
    write_observation(game, world, number, results.movers[number], results.slots, results.observations[number])
