"""How codes and answers are written: colours a, b, c, …; a code `a a b b`, an answer `2+1` (red + white)."""

from __future__ import annotations

from turnsmith.common.errors import BadInput
from turnsmith.games.mastermind.codes import peg
from turnsmith.languages import _, counted

LETTERS = "abcdefghijkl"


def code_text(board, code):
    """The pegs of a code as letters, a space between them."""
    return " ".join(LETTERS[int(peg(board, code, place))] for place in range(board.pegs))


def answer_text(board, answer):
    """Red and white of an answer number."""
    return f"{int(board.red[answer])}+{int(board.white[answer])}"


def remaining_text(codes):
    """How many codes are left."""
    return counted("{:,} code remains", "{:,} codes remain", codes).format(codes)


def read_code(board, text):
    """The number of the code a person wrote, spaces or not."""
    pegs = text.lower().replace(" ", "")
    known = LETTERS[: int(board.colors)]
    if len(pegs) != board.pegs or any(letter not in known for letter in pegs):
        said = counted(
            "'{text}' is not a code here; write {pegs} letter of {first} to {last}",
            "'{text}' is not a code here; write {pegs} letters of {first} to {last}",
            int(board.pegs),
        )
        raise BadInput(said.format(text=text, pegs=int(board.pegs), first=known[0], last=known[-1]))
    return sum(known.index(letter) * int(board.power[place]) for place, letter in enumerate(pegs))


def read_answer(board, text):
    """The number of the answer a person wrote."""
    red, plus, white = (part.strip() for part in text.partition("+"))
    if not (plus and red.isdecimal() and white.isdecimal()):
        raise BadInput(_("'{}' is not an answer; write red+white, such as 1+2").format(text))
    pegs = int(board.pegs)
    if int(red) + int(white) > pegs:
        said = _("the answer {text} counts {counts} pegs, but a code has {pegs}")
        raise BadInput(said.format(text=text, counts=int(red) + int(white), pegs=pegs))
    if (int(red), int(white)) == (pegs - 1, 1):
        said = _("the answer {} cannot exist: if all other pegs are right, the last one cannot be misplaced")
        raise BadInput(said.format(text))
    return next(n for n in range(board.answers) if answer_text(board, n) == f"{int(red)}+{int(white)}")
