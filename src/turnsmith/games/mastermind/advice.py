"""Advice for a person: which codes remain, what a guess would leave, and where answers went wrong.

A history is a list of (guess, answer) as a person writes them: ``[("aabb", "1+0"), ("abcd", "0+2")]``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled
from turnsmith.games.mastermind.codes import TRIES, feedback, possible
from turnsmith.games.mastermind.notation import answer_text, read_answer, read_code
from turnsmith.languages import _

History = Sequence[tuple[str, str]]


def list_possible(boards, guesses, answers, turns, out):
    """The kernel of `possible`."""
    return possible(boards[0], guesses, answers, turns, out, boards[0].codes)


def count_answers(boards, codes, guess, sizes):
    """Count in `sizes` how many of the codes give each answer to a guess."""
    for index in range(codes.shape[0]):
        sizes[feedback(boards[0], guess, codes[index])] += 1


def codes_left(boards: Array, guesses: Array, answers: Array, turns: int) -> Array:
    """The codes that fit the first `turns` guesses and answers (int32), ascending."""
    out = np.zeros(int(boards[0].codes), np.int32)
    return out[: compiled(list_possible)(boards, guesses, answers, turns, out)].copy()


def outlook(boards: Array, codes: Array, guess: int) -> dict[str, int]:
    """How many of `codes` (int32) each answer to a guess would leave; answers that cannot come are left out."""
    sizes = np.zeros(int(boards[0].answers), np.int64)
    compiled(count_answers)(boards, codes, guess, sizes)
    return {answer_text(boards[0], answer): int(size) for answer, size in enumerate(sizes) if size}


def remaining(boards: Array, history: History) -> Array:
    """The codes that fit what a person reports (int32), ascending.

    Refuses a history that no code fits: it names the first turn that broke it and what could have been answered then.
    """
    board = boards[0]
    if len(history) > TRIES:
        raise BadInput(f"a history of {len(history)} turns is too long; give at most {TRIES}")
    guesses, answers = np.zeros(TRIES, np.int32), np.zeros(TRIES, np.int8)
    left = codes_left(boards, guesses, answers, 0)
    for turn, (guess, answer) in enumerate(history):
        try:
            guesses[turn], answers[turn] = read_code(board, guess), read_answer(board, answer)
        except BadInput as error:
            raise BadInput(_("turn {turn}: {error}").format(turn=turn + 1, error=error)) from None
        choices = outlook(boards, left, int(guesses[turn]))
        left = codes_left(boards, guesses, answers, turn + 1)
        if len(left) == 0:
            text = _("turn {turn}: no code answers {answer} to {guess}; possible there: {choices}")
            if turn == 1:
                text = _("turn {turn}: no code answers {answer} to {guess} and fits turn 1; possible there: {choices}")
            elif turn > 1:
                text = _(
                    "turn {turn}: no code answers {answer} to {guess} and fits turns 1 to {before}; "
                    "possible there: {choices}"
                )
            values = {"answer": answer, "guess": guess, "before": turn, "choices": ", ".join(choices)}
            raise BadInput(text.format(turn=turn + 1, **values))
    return left


def diagnose(boards: Array, history: History) -> str | None:
    """What is wrong with a history, in one sentence, or None when some code fits it."""
    try:
        remaining(boards, history)
    except BadInput as error:
        return str(error)
    return None
