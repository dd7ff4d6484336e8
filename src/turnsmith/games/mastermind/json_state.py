"""Mastermind for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from turnsmith.games.mastermind.notation import code_text
from turnsmith.games.mastermind.rules import HIDDEN


@dataclass(frozen=True)
class Guess:
    pegs: list[str]
    """Colours as letters: a, b, c, …"""
    red: int | None
    """Pegs of the right colour in the right place; null while there is no answer."""
    white: int | None
    """Others of a right colour."""


@dataclass(frozen=True)
class Guesses:
    """A position of Mastermind."""

    pegs: int
    colors: int
    tries: int
    guesses: list[Guess]
    secret: list[str] | None
    """The code, where it is to be seen."""


def json_state(board: Any, state: Any) -> Guesses:
    guesses = []
    for turn in range(int(state.turns) + int(state.asked)):
        answer, is_answered = int(state.answers[turn]), turn < state.turns
        red, white = (int(board.red[answer]), int(board.white[answer])) if is_answered else (None, None)
        guesses.append(Guess(code_text(board, state.guesses[turn]).split(), red, white))
    secret = code_text(board, state.secret).split() if state.dealt and state.secret != HIDDEN else None
    return Guesses(int(board.pegs), int(board.colors), int(board.tries), guesses, secret)
