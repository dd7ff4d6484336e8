"""Playouts that see one move ahead: a seat that can win at once does, and none lets the next seat win at once.

Random games are blind to both. So in games that end suddenly they praise positions that lose at once (Teytaud and
Teytaud, "On the huge benefit of decisive moves in Monte-Carlo tree search algorithms", 2010). In games that end slowly,
looking ahead finds nothing and costs much: `pays` decides by the wins found so far, or beforehand by a `trial`. Games
with a rule for how to `win` at once are asked always: that costs little.
"""

from __future__ import annotations

import numpy as np

from turnsmith.compile.kernel import copy, inlined
from turnsmith.compile.rng import below, unit
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.play.step import draw_outcome, pick_action
from turnsmith.search.guides import favoured, note_move

UNKNOWN = -1.0  # the result of a position that is not proven
TRIAL = 4096  # moves that are looked at before it is judged
PAYS = 256  # moves looked at for each win that is found, at most
LOOKED, FOUND = range(2)  # places in the counts
TRIED_GAMES = 8


def pays(counts):
    """Whether looking ahead is worth its while, by the moves looked at and the wins found."""
    return counts[LOOKED] < TRIAL or counts[LOOKED] < PAYS * counts[FOUND]


def has_paid(counts):
    """The verdict of a ``trial``."""
    return counts[LOOKED] < PAYS * counts[FOUND]


def trial(game, board, view, key, states, acts, chances, rewards, counts):
    """Whether looking ahead pays from a position on, by random games from there: `counts` is what was looked at and
    found. The random numbers are those of the position's `key`, so every player comes to the same verdict.

    The first game counts the moves there are; of the others, as many positions are looked at as TRIAL allows.
    """
    rng, state, listed = np.empty(1, np.uint64), states[0], np.int64(0)
    rng[0], counts[LOOKED], counts[FOUND] = key, 0, 0
    for number in range(1 + TRIED_GAMES):
        copy(state, view)
        mover = game.to_move(board, state)
        while mover != OVER:
            if mover == CHANCE:
                action = draw_outcome(game, board, state, acts, chances, rng)
            else:
                count = game.legal(board, state, acts)
                if number == 0:
                    listed += count
                elif unit(rng) * TRIED_GAMES * listed < TRIAL:
                    find_win(game, board, state, mover, states[1], acts, count, rewards, counts)
                action = np.int64(acts[below(rng, count)])
            game.apply(board, state, action)
            mover = game.to_move(board, state)
    counts[LOOKED] = max(counts[LOOKED], 1)


def plain_playout(game, board, state, acts, chances, guide, rewards, rng):
    """Play to the end, by the game's own rule for playouts where it has one, and write the returns into `rewards`."""
    mover, plies = game.to_move(board, state), np.int64(0)
    while mover != OVER:
        if mover == CHANCE:
            action = draw_outcome(game, board, state, acts, chances, rng)
        else:
            place = np.int64(-1)
            if guide is not None:
                if is_cut(guide, plies):
                    break
                share = guide.tuning[0].mast
                if share > 0.0:
                    place = favoured(board, guide.tastes, share, mover, acts, game.legal(board, state, acts), rng)
            if place >= 0:
                action = np.int64(acts[place])
            elif game.rolls_out:
                action = np.int64(game.rollout(board, state, rng))
            else:
                action = np.int64(pick_action(game, board, state, acts, rng))
            if guide is not None:
                note_move(board, guide, mover, action)
            plies += 1
        game.apply(board, state, action)
        mover = game.to_move(board, state)
    if mover == OVER:
        game.returns(board, state, rewards)
    else:
        game.evaluate(board, state, rewards)


@inlined
def is_cut(guide, plies):
    """Whether a playout of so many decisions goes no further."""
    return guide.tuning[0].cut > 0.0 and plies >= guide.tuning[0].cut


def place_of_rollout(game, board, state, acts, count, rng):
    """The place among `acts` of a move by the game's own rule for playouts."""
    action, place = game.rollout(board, state, rng), np.int64(0)
    while place + 1 < count and acts[place] != action:
        place += 1
    return place


def sharp_playout(game, board, state, spare, acts, replies, chances, rewards, counts, guide, rng):
    """Play to the end, and write the returns into `rewards`.

    Returns what the first mover gets for certain, of 1: all if it can win at once, nothing if every move lets the next
    seat win at once, else UNKNOWN. `spare`: two states.
    """
    plies = np.int64(0)
    known, first, safe = UNKNOWN, True, False  # safe: the mover is known to have no win at once
    mover = game.to_move(board, state)
    while mover != OVER:
        if mover == CHANCE:
            game.apply(board, state, draw_outcome(game, board, state, acts, chances, rng))
            mover, first, safe = game.to_move(board, state), False, False
            continue
        if guide is not None and is_cut(guide, plies):
            game.evaluate(board, state, rewards)
            return known
        plies += 1
        after, count = spare[0], game.legal(board, state, acts)
        win = np.int64(-1) if safe else find_win(game, board, state, mover, spare[1], acts, count, rewards, counts)
        if win >= 0:
            known = 1.0 if first else known
            if guide is not None:
                note_move(board, guide, mover, win)
            game.apply(board, state, win)
            break
        place = np.int64(-1)
        if guide is not None and guide.tuning[0].mast > 0.0:
            place = favoured(board, guide.tastes, guide.tuning[0].mast, mover, acts, count, rng)
        if place < 0:
            place = place_of_rollout(game, board, state, acts, count, rng) if game.rolls_out else below(rng, count)
        action, tried, next_mover = np.int64(0), np.int64(0), mover
        safe = False
        while tried < count and not safe:
            copy(after, state)
            action = np.int64(acts[place])
            game.apply(board, after, action)
            place = place + 1 if place + 1 < count else np.int64(0)
            next_mover = game.to_move(board, after)
            tried += 1
            if next_mover < 0 or next_mover == mover:
                break
            number = 0 if game.wins else game.legal(board, after, replies)
            safe = find_win(game, board, after, next_mover, spare[1], replies, number, rewards, counts) < 0
        if first and tried == count and not safe and next_mover >= 0 and next_mover != mover:
            known = 0.0
        if guide is not None:
            note_move(board, guide, mover, action)
        copy(state, after)
        mover, first = next_mover, False
    game.returns(board, state, rewards)
    return known


def find_win(game, board, state, mover, after, acts, count, rewards, counts):
    """The least action that ends the game with the highest return for the mover, or -1; a game that knows it need not
    try the `count` moves of `acts`."""
    if game.wins:
        return np.int64(game.win(board, state))
    for index in range(count):
        copy(after, state)
        game.apply(board, after, np.int64(acts[index]))
        if game.to_move(board, after) == OVER:
            game.returns(board, after, rewards)
            if rewards[mover] >= board.high:
                counts[LOOKED] += index + 1
                counts[FOUND] += 1
                return np.int64(acts[index])
    counts[LOOKED] += count
    return np.int64(-1)
