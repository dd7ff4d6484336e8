"""How long games of Homeguard are: rounds until the first shot hits, the first soldier dies and somebody wins."""

from __future__ import annotations

from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import compiled, zero
from turnsmith.compile.rng import set_stream
from turnsmith.games.homeguard.minds import greedy_move, maximin_move
from turnsmith.games.homeguard.rules import (
    ENEMY,
    MOVES,
    PLAYER,
    Options,
    State,
    boards_of,
    lead,
    list_moves,
    pick_move,
    resolve,
    setup,
)

MINDS = ("random", "greedy", "maximin")
HIT, KILL, END = range(3)
EARLY = 8
"""Rounds after which the score is looked at."""


def play_on(boards, player, enemy, rounds, scores):
    """Play all rounds on every board, whoever wins; rounds[i]: the first with a hit, a kill and two kills, 0 for none;
    scores[i]: the player's after EARLY rounds."""
    states, moves, rng = np.zeros(1, State), np.zeros(MOVES, np.int32), np.zeros(1, np.uint64)
    for index in range(len(boards)):
        board, state = boards[index], states[0]
        set_stream(rng, np.uint64(index), 0, 0)
        zero(state)
        setup(board, state)
        for turn in range(1, board.rounds + 1):
            first = choose(board, state, PLAYER, player, moves, rng)
            resolve(board, state, first, choose(board, state, ENEMY, enemy, moves, rng))
            note(rounds[index], HIT, turn, state.dealt[PLAYER] + state.dealt[ENEMY] > 0)
            note(rounds[index], KILL, turn, state.kills[PLAYER] + state.kills[ENEMY] > 0)
            note(rounds[index], END, turn, max(state.kills[PLAYER], state.kills[ENEMY]) >= board.kills)
            if turn == EARLY:
                scores[index] = lead(state, PLAYER)


def choose(board, state, seat, mind, moves, rng):
    """The joint move of one of MINDS."""
    if mind == 0:
        return pick_move(board, state, seat, rng)
    count = list_moves(board, state, seat, moves)
    if mind == 1:
        return greedy_move(board, state, seat, moves[:count])[0]
    return maximin_move(board, state, seat, moves[:count])[0]


def note(rounds, what, turn, happened):
    """The first round in which something has happened."""
    if happened and rounds[what] == 0:
        rounds[what] = turn


def lengths(options: Options, games: int, player: str, enemy: str) -> dict[str, Any]:
    """Medians over new maps, each played once; a game without an end within the rounds is longer than any."""
    seeds = range(games)
    boards = boards_of(options, seeds, seeds)
    rounds, scores = np.zeros((games, 3), np.int64), np.zeros(games, np.int64)
    compiled(play_on)(boards, MINDS.index(player), MINDS.index(enemy), rounds, scores)
    return {
        "size": options.size,
        "first hit": median(rounds[:, HIT]),
        "first kill": median(rounds[:, KILL]),
        "end": median(rounds[:, END]),
        "unfinished": round(float((rounds[:, END] == 0).mean()), 4),
        "level after 8 rounds": round(float((scores == 0).mean()), 4),
    }


def median(rounds: Array) -> float:
    return float(np.median(np.where(rounds == 0, np.iinfo(np.int64).max // 4, rounds)))
