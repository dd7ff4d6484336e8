"""The compiled match loop: whole matches of compiled players, any roster, many matches a call."""

from __future__ import annotations

import numpy as np

from turnsmith.game import CHANCE, OVER
from turnsmith.kernel import borrow, call_address, now, zero
from turnsmith.player import HEADER
from turnsmith.rng import set_stream
from turnsmith.step import draw_outcome, see

FINISHED, ILLEGAL, TOO_SLOW, RAISED, LOG_FULL = 0, 1, 2, 3, 4
NO_SEAT, NO_MOVES, NO_OUTCOME, NO_OPENING, ENDLESS = 5, 6, 7, 8, 9
BROKEN = {
    NO_SEAT: "to_move says {}, which is neither a seat nor CHANCE nor OVER",
    NO_MOVES: "legal lists {} moves, where at least one and at most board.actions can be",
    NO_OUTCOME: "chance gives the outcome {}, which is not below board.outcomes",
    NO_OPENING: "the move {} of the opening is not legal there",
    ENDLESS: "the game has not ended after {:,} moves; let it end some time, for example as a draw",
}
"""What nobody at the table can help: the rules are broken, and the arena stops."""

MOST_MOVES = 1_000_000
"""A match that is longer counts as endless."""


def contains(acts, count, action):
    """Whether `action` is among the first `count` of the ascending `acts`."""
    if count <= 64:  # no guessing which half: a few comparisons at once
        found = False
        for index in range(count):
            found |= acts[index] == action
        return found
    low, high = 0, count
    while low < high:
        middle = (low + high) >> 1
        if acts[middle] < action:
            low = middle + 1
        else:
            high = middle
    return low < count and acts[low] == action


def forfeit(board, culprit, returns):
    """The culprit gets the least return, everybody else the greatest."""
    for seat in range(board.seats):
        returns[seat] = board.low if seat == culprit else board.high


def play_matches(
    game,
    boards,
    states,
    which,
    seating,
    openings,
    starts,
    seeds,
    limit,
    wheres,
    data,
    data_spans,
    params,
    params_spans,
    memory,
    rng,
    acts,
    chances,
    report,
    log,
    returns,
    status,
    culprits,
    plies,
    nanoseconds,
    scores,
    cursor,
):
    """Play matches cursor[0], cursor[0] + 1, … of the chunk; returns how many of the chunk are done.

    A match m has a board which[m], players seating[m, seat], openings[m], actions to make first (-1 ends them), and
    two seeds: starts[m] for the chance before the first decision, seeds[m] for everything else. Player p is at address
    wheres[p]; its tables for board b are data[data_spans[p, b, 0]:data_spans[p, b, 1]], its settings likewise in
    params. memory[seat] is lent to whoever sits there; states[1] and states[3] are used, `rng` is one stream, a new one
    for each use, `scores` a number a seat. `limit`: nanoseconds a decision, 0 for none.

    Results go to row m of returns, status, culprits, plies and nanoseconds, and all actions of all matches, one after
    another, to `log`, whose used length is cursor[1]. cursor[2] is the seat that decides right now and cursor[3] the
    log's length by then, so that the caller knows whom to blame for an exception that passes through. Rules found
    broken stop it: status[m] is one of BROKEN, cursor[2] the number in question and cursor[3] the log's length.
    """
    state, view = states[1], states[3]
    seats = int(boards[0].seats)
    data, params, memory, acts, report = borrow(data), borrow(params), borrow(memory), borrow(acts), borrow(report)
    rng, chances = borrow(rng), borrow(chances)

    while cursor[0] < which.shape[0]:
        match = cursor[0]
        board = boards[which[match]]
        begun = now()
        used = cursor[1]
        zero(state)
        game.setup(board, state)
        chance_seed = starts[match]
        for seat in range(seats):
            for place in range(HEADER):  # a slice assignment would take numba another second to compile
                memory[seat, place] = 0
        opening = 0
        verdict = FINISHED
        culprit = -1
        mover = game.to_move(board, state)
        stop = min(log.shape[0], cursor[1] + MOST_MOVES)
        while mover != OVER:
            if used == stop:
                verdict, culprit = (LOG_FULL, -1) if stop == log.shape[0] else (ENDLESS, MOST_MOVES)
                break
            if opening < openings.shape[1] and openings[match, opening] >= 0:
                action = np.int64(openings[match, opening])
                opening += 1
                count = game.legal(board, state, acts)
                if count > acts.shape[0] or not contains(acts, count, action):
                    verdict, culprit = NO_OPENING, action
                    break
            elif mover == CHANCE:
                set_stream(rng, chance_seed, used - cursor[1], 0)
                action = np.int64(draw_outcome(game, board, state, acts, chances, rng))
                if action < 0 or action >= board.outcomes:
                    verdict, culprit = NO_OUTCOME, action
                    break
            else:
                if mover < 0 or mover >= seats:
                    verdict, culprit = NO_SEAT, mover
                    break
                chance_seed = seeds[match]  # from here on every match has chance of its own
                set_stream(rng, chance_seed, used - cursor[1], mover + 1)
                see(game, board, state, view, mover)
                count = game.legal(board, view, acts)
                if count < 1 or count > acts.shape[0]:
                    verdict, culprit = NO_MOVES, count
                    break
                seated = seating[match, mover]
                cursor[2] = mover
                cursor[3] = used
                tables = data[data_spans[seated, which[match], 0] : data_spans[seated, which[match], 1]]
                settings = params[params_spans[seated, 0] : params_spans[seated, 1]]
                asked = now() if limit else 0
                action = call_address(
                    wheres[seated],
                    (game, board, view, acts[:count], tables, memory[mover], settings, report, rng),
                )
                if limit and now() - asked > limit:
                    verdict, culprit = TOO_SLOW, mover
                    break
                if not contains(acts, count, action):
                    verdict, culprit = ILLEGAL, mover
                    break
            log[used] = action
            used += 1
            game.apply(board, state, action)
            mover = game.to_move(board, state)

        if verdict >= LOG_FULL:
            status[match] = verdict
            cursor[2], cursor[3] = culprit, used
            return match
        if verdict == FINISHED:
            for seat in range(seats):
                scores[seat] = np.nan  # so that a seat that is left out shows
            game.returns(board, state, scores)
            for seat in range(seats):
                returns[match, seat] = scores[seat]
        else:
            forfeit(board, culprit, returns[match])
        status[match] = verdict
        culprits[match] = culprit
        plies[match] = used - cursor[1]
        nanoseconds[match] = now() - begun
        cursor[1] = used
        cursor[0] = match + 1
    return cursor[0]
