"""Six ways to reward a guess: what learners by reward are paid.

Every guess that does not break the code starts at -1, breaking it gives +1.

1. finish: no more than that.
2. basic: +0.15 for each white, +0.24 for each red, but nothing for a foolish guess: one made before, one with a colour
   that an answer without any peg ruled out, or with other colours than those of a guess whose answer had all pegs.
3. possible: +0.5 when the guess might have been the code.
4. removed: + the share of the possible codes that the answer removed.
5. removed-basic: 4 and 2 together; with two pegs, the pegs count twice.
6. removed-relative: r as by 4, then -r / pegs more for each red and -r / (1.5 · pegs) for each white, nothing for a
   foolish guess: so it stays below 0.
"""

from __future__ import annotations

from turnsmith.games.mastermind.codes import color_counts, times

REWARDS = ("finish", "basic", "possible", "removed", "removed-basic", "removed-relative")
FINISH, BASIC, POSSIBLE, REMOVED, REMOVED_BASIC, REMOVED_RELATIVE = range(1, 7)


def is_foolish(board, state, turn):
    """Whether the guess of a turn was made before, or has colours that earlier answers ruled out."""
    guess = state.guesses[turn]
    mine = color_counts(board, guess)
    for earlier in range(turn):
        if state.guesses[earlier] == guess:
            return True
        theirs = color_counts(board, state.guesses[earlier])
        pegs = board.red[state.answers[earlier]] + board.white[state.answers[earlier]]
        for colour in range(board.colors):
            has, had = times(mine, colour) > 0, times(theirs, colour) > 0
            if has and ((pegs == 0 and had) or (pegs == board.pegs and not had)):
                return True
    return False


def reward_of(board, state, kind, was_possible, before, after):
    """The reward of the last guess; before, after: how many codes were possible."""
    turn = state.turns - 1
    answer = state.answers[turn]
    if answer == board.answers - 1:
        return 1.0
    red, white = board.red[answer], board.white[answer]
    reward = -1.0
    if kind == POSSIBLE and was_possible:
        reward += 0.5
    if kind >= REMOVED:
        reward += (before - after) / before
    if kind in (BASIC, REMOVED_BASIC, REMOVED_RELATIVE) and not is_foolish(board, state, turn):
        if kind == REMOVED_RELATIVE:
            reward -= reward * (red / board.pegs + white / (1.5 * board.pegs))
        else:
            twice = 2.0 if kind == REMOVED_BASIC and board.pegs == 2 else 1.0
            reward += twice * (0.24 * red + 0.15 * white)
    return reward
