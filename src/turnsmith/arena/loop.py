"""The compiled match loop: whole matches of compiled players, any roster, many matches a call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import borrow, inlined, now, zero
from turnsmith.compile.rng import set_stream
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.contract.records import record
from turnsmith.play.player import HEADER
from turnsmith.play.roster import ask_player, member
from turnsmith.play.step import draw_outcome, see

FINISHED, ILLEGAL, TOO_SLOW, RAISED, LOG_FULL = 0, 1, 2, 3, 4
"""How a match stands: it ended, a seat forfeits, or the log has to be longer to go on."""
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

Progress = record(match=np.int64, logged=np.int64, number=np.int64, length=np.int64)
"""How far a chunk is.

match: the number of matches that are done, and so the row that is played.
logged: the actions of the matches that are done, in the log.
number: the seat that decides right now, so that the caller knows the seat to blame for an exception that passes
through; of broken rules the number in question.
length: the length of the log by then, the actions of the match under way included.
"""


class MatchList(NamedTuple):
    """The matches of a chunk, a row each."""

    which: Array
    """int32[matches]: the number of the board."""
    seating: Array
    """int32[matches, seats]: the number of the player in each seat."""
    openings: Array
    """int32[matches, length]: actions made before anybody decides; -1 ends them."""
    starts: Array
    """uint64[matches]: the seed of chance before the first decision."""
    seeds: Array
    """uint64[matches]: the seed of all that is random from then on."""


class MatchBuffers(NamedTuple):
    """Memory that the matches of a chunk use one after another."""

    states: Array
    """State[5]: the position in [1] and the view of the seat that decides in [3]; the others are guards."""
    acts: Array
    """int32[max(actions, outcomes)]: legal actions."""
    chances: Array
    """float64[max(actions, outcomes)]: the probabilities of outcomes."""
    scores: Array
    """float64[seats]: the returns of each seat, for itself."""
    memory: Array
    """uint8[seats, bytes]: lent to the player in each seat."""
    report: Array
    """float64[POLICY]: the value, work and depth that players report."""
    rng: Array
    """uint64[1]: one stream, set anew for each use."""


class MatchResults(NamedTuple):
    """What became of the matches of a chunk, a row each."""

    returns: Array
    """float64[matches, seats]: the return of each seat, for itself."""
    status: Array
    """int32[matches]: FINISHED, ILLEGAL, TOO_SLOW or RAISED; of a match that is not done LOG_FULL or one of BROKEN."""
    culprits: Array
    """int32[matches]: the seat that forfeits, -1 for none."""
    plies: Array
    """int64[matches]: how many actions were made, chance included."""
    nanoseconds: Array
    """int64[matches]: how long it took."""
    log: Array
    """int32[room]: the actions of all matches, one after another."""


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


def play_matches(game, boards, matches, roster, buffers, results, limit, progress):
    """Play the rest of a chunk, from row progress[0].match on; returns how many of its matches are done.

    boards: Board[boards]; matches: MatchList; roster: Roster; buffers: MatchBuffers; results: MatchResults
    limit: int64, nanoseconds that a decision may take, 0 for any
    progress: Progress[1]

    It returns early where the log is full, so that the caller makes it longer, and where rules are found broken:
    status[match] is then LOG_FULL or one of BROKEN.
    """
    matches, roster, buffers, results = borrow(matches), borrow(roster), borrow(buffers), borrow(results)
    going = progress[0]
    while going.match < matches.which.shape[0]:
        match, begun = going.match, now()
        board = boards[matches.which[match]]
        verdict, number, used = play_match(game, board, matches, match, roster, buffers, results.log, limit, going)
        results.status[match] = verdict
        if verdict >= LOG_FULL:
            going.number, going.length = number, used
            return match
        if verdict == FINISHED:
            write_returns(game, board, buffers, results.returns[match])
        else:
            forfeit(board, number, results.returns[match])
        results.culprits[match] = number
        results.plies[match] = used - going.logged
        results.nanoseconds[match] = now() - begun
        going.logged = used
        going.match = match + 1
    return going.match


@inlined
def play_match(game, board, matches, match, roster, buffers, log, limit, going):
    """Play row `match` of the list from its start; returns its verdict, the number in question and the log's length.

    The number is the seat that forfeits, -1 for none, or what is wrong with the rules; see BROKEN.
    """
    state, first = buffers.states[1], going.logged
    begin_match(game, board, buffers)
    chance_seed, opening, used = matches.starts[match], 0, first
    stop = min(log.shape[0], first + MOST_MOVES)
    mover = np.int64(game.to_move(board, state))
    while mover != OVER:
        if used == stop:
            return (LOG_FULL, -1, used) if stop == log.shape[0] else (ENDLESS, MOST_MOVES, used)
        if opening < matches.openings.shape[1] and matches.openings[match, opening] >= 0:
            action = np.int64(matches.openings[match, opening])
            opening += 1
            count = game.legal(board, state, buffers.acts)
            if count > buffers.acts.shape[0] or not contains(buffers.acts, count, action):
                return NO_OPENING, action, used
        elif mover == CHANCE:
            set_stream(buffers.rng, chance_seed, used - first, 0)
            action = np.int64(draw_outcome(game, board, state, buffers.acts, buffers.chances, buffers.rng))
            if action < 0 or action >= board.outcomes:
                return NO_OUTCOME, action, used
        else:
            if mover < 0 or mover >= matches.seating.shape[1]:
                return NO_SEAT, mover, used
            chance_seed = matches.seeds[match]  # from here on every match has chance of its own
            set_stream(buffers.rng, chance_seed, used - first, mover + 1)
            player = member(roster, matches.seating[match, mover], matches.which[match])
            verdict, action = let_decide(game, board, player, mover, buffers, limit, going, used)
            if verdict != FINISHED:
                return verdict, (action if verdict == NO_MOVES else mover), used
        log[used] = action
        used += 1
        game.apply(board, state, action)
        mover = np.int64(game.to_move(board, state))
    return FINISHED, -1, used


@inlined
def begin_match(game, board, buffers):
    """Make states[1] the first position, and let all players forget the last match."""
    zero(buffers.states[1])
    game.setup(board, buffers.states[1])
    for seat in range(buffers.memory.shape[0]):
        for place in range(HEADER):  # a slice assignment would take numba another second to compile
            buffers.memory[seat, place] = 0


@inlined
def let_decide(game, board, player, mover, buffers, limit, going, used):
    """Let a player decide for the seat `mover`; returns FINISHED and its action, or why the match cannot go on.

    With NO_MOVES comes the number of moves that the rules list. `used`: the log's length, noted with the seat before
    the player is asked.
    """
    acts, view = buffers.acts, buffers.states[3]
    see(game, board, buffers.states[1], view, mover)
    count = np.int64(game.legal(board, view, acts))
    if count < 1 or count > acts.shape[0]:
        return NO_MOVES, count
    going.number, going.length = mover, used
    asked = now() if limit else 0
    action = ask_player(game, board, view, acts[:count], player, buffers.memory[mover], buffers.report, buffers.rng)
    if limit and now() - asked > limit:
        return TOO_SLOW, action
    return (FINISHED if contains(acts, count, action) else ILLEGAL), action


@inlined
def write_returns(game, board, buffers, out):
    """The returns of the position at the end, into `out` (float64[seats])."""
    for seat in range(out.shape[0]):
        buffers.scores[seat] = np.nan  # so that a seat that is left out shows
    game.returns(board, buffers.states[1], buffers.scores)
    for seat in range(out.shape[0]):
        out[seat] = buffers.scores[seat]
