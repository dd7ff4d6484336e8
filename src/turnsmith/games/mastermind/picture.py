"""Mastermind for people: words, the board as SVG and as coloured text. Every peg carries its letter."""

from __future__ import annotations

import numpy as np

from turnsmith.compile.kernel import compiled
from turnsmith.contract.game import OVER
from turnsmith.games.mastermind.advice import codes_left, diagnose, outlook
from turnsmith.games.mastermind.codes import ANSWERS, peg
from turnsmith.games.mastermind.notation import LETTERS, answer_text, code_text, remaining_text
from turnsmith.games.mastermind.rules import HIDDEN, legal, to_move
from turnsmith.languages import _, counted

lesson = (
    ("A row of coloured pegs is hidden. Find it.", ()),
    ("Guess: any colours, also the same twice.", ("a a b b",)),
    ("A red pin: a peg of the right colour in the right place.", ("a a b b", "c c d d")),
    ("A white pin: the right colour, but elsewhere.", ("a b c d",)),
    ("Click colours from left to right; fewer guesses are better.", ()),
)
by_hand = {"maker": "seat"}  # on a real board somebody else answers, and the page must not know the secret

FILLS = ["#d55e00", "#0072b2", "#f0e442", "#009e73", "#cc79a7", "#e6e6e6"]
FILLS += ["#56b4e9", "#8c564b", "#e69f00", "#4d4d4d", "#b2df8a", "#6a3d9a"]
DARK_LETTER = set("cfgik")
WOOD, HOLE, RED, WHITE = "#7a5230", "#5c3c21", "#c1121f", "#fdfdfd"


def words(board, state, action):
    return answer_text(board, action) if state.asked else code_text(board, action)


def refusal(board, state, text):
    """Why an answer cannot be: the turn it breaks, and what could have been answered there."""
    if not state.asked:
        return None
    turns = range(int(state.turns))
    history = [(code_text(board, state.guesses[t]), answer_text(board, state.answers[t])) for t in turns]
    history.append((code_text(board, state.guesses[state.turns]), text))
    return diagnose(np.asarray(board).reshape(1), history)


def list_legal(boards, states, out):
    """The kernel of `legal`: searching for codes that fit an answer takes too long interpreted."""
    return legal(boards[0], states[0], out)


def _answers_to_give(board, state):
    """The legal answers of the maker, in words."""
    boards, states = np.asarray(board).reshape(1), np.asarray(state).reshape(1)
    out = np.zeros(ANSWERS, np.int32)
    return [answer_text(board, int(a)) for a in out[: compiled(list_legal)(boards, states, out)]]


def tip(board, state, action):
    """Whether a guess may be the code; how many codes an answer leaves."""
    left = _left(board, state)
    if state.asked:
        leaves = outlook(np.asarray(board).reshape(1), left, int(state.guesses[state.turns]))
        return _("leaves {:,}").format(leaves.get(answer_text(board, action), 0))
    return _("may be it") if action in left else _("cannot be it")


def remark(board, state, most=18):
    """The codes that fit all answers so far."""
    left = _left(board, state)
    shown = ", ".join(code_text(board, int(code)).replace(" ", "") for code in left[:most])
    return f"{remaining_text(len(left))}: {shown}{', …' if len(left) > most else ''}"


def _left(board, state):
    return codes_left(np.asarray(board).reshape(1), state.guesses, state.answers, int(state.turns))


def _rows(board, state):
    """Code and answer of each guess, the answer None while the maker has not given it."""
    rows = [(int(state.guesses[turn]), int(state.answers[turn])) for turn in range(state.turns)]
    return [*rows, (int(state.guesses[state.turns]), None)] if state.asked else rows


def _letter_color(letter):
    return "#000000" if letter in DARK_LETTER else "#ffffff"


# ---------------------------------------------------------------- terminal


def text(board, state):
    def pegs(code):
        letters = code_text(board, code).split()
        return "".join(f"[bold {_letter_color(x)} on {FILLS[LETTERS.index(x)]}] {x} [/]" for x in letters)

    lines = []
    for number, (code, answer) in enumerate(_rows(board, state), start=1):
        line = f"{number:>2}  {pegs(code)}"
        if answer is not None:
            red, white = int(board.red[answer]), int(board.white[answer])
            pins = f"[{RED}]{'●' * red}[/]{'○' * white}[dim]{'·' * (int(board.pegs) - red - white)}[/]"
            line += f"  {pins}  {answer_text(board, answer)}"
        lines.append(line)
    if state.secret != HIDDEN:
        lines.append(f" =  {pegs(int(state.secret))}  {_('the code')}")
    if to_move(board, state) != OVER:
        left = int(board.tries - state.turns)
        last = LETTERS[int(board.colors) - 1]
        said = counted(
            "colours a to {last}, {left} of {tries} try left",
            "colours a to {last}, {left} of {tries} tries left",
            int(board.tries),
        )
        lines.append(f"[dim]{said.format(last=last, left=left, tries=int(board.tries))}[/]")
    return "\n".join(lines)


# ---------------------------------------------------------------- SVG


def _height(row):
    """Where the pegs of a guess stand."""
    return 87 + 46 * row


def _draw_peg(x, y, letter):
    return (
        f'<circle cx="{x}" cy="{y}" r="17" fill="{FILLS[LETTERS.index(letter)]}" stroke="#222222"/>'
        f'<text x="{x}" y="{y + 6}" fill="{_letter_color(letter)}">{letter}</text>'
    )


def _draw_row(letters, y):
    return "".join(_draw_peg(60 + 44 * place, y, letter) for place, letter in enumerate(letters))


def draft(board, state, pieces):
    """The pegs of the guess in the making, in its row."""
    return "" if state.asked else _draw_row(pieces, _height(int(state.turns)))


def picture(board, state):
    pegs, tries, colors = int(board.pegs), int(board.tries), int(board.colors)
    mover, rows = to_move(board, state), _rows(board, state)
    answers = _answers_to_give(board, state) if state.asked else []
    buttons = answers if state.asked else [] if mover == OVER else list(LETTERS[:colors])
    pin_columns = -(-pegs // 2)
    width = max(40 + pegs * 44 + pin_columns * 18 + 24, 44 * min(8, max(colors, 4)) + 20)
    across = (width - 20) // 44  # buttons in a row
    foot = _height(tries) - 11
    height = foot + 44 * -(-max(len(buttons), 1) // across) + 8
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="17" text-anchor="middle">',
        f'<rect width="{width}" height="{height}" rx="12" fill="{WOOD}"/>',
        f'<rect x="8" y="8" width="{width - 16}" height="46" rx="8" fill="{HOLE}"/>',
    ]

    def draw_code(code, y):
        return _draw_row([LETTERS[int(peg(board, code, place))] for place in range(pegs)], y)

    if state.secret != HIDDEN:
        out.append(draw_code(int(state.secret), 31))
    else:
        marks = (60 + 44 * place for place in range(pegs))
        out.extend(f'<text x="{x}" y="38" fill="#d8c3a5" font-size="22">?</text>' for x in marks)
    for row in range(tries):
        y = _height(row)
        out.append(f'<text x="22" y="{y + 6}" fill="#d8c3a5" font-size="14">{row + 1}</text>')
        if row < len(rows):
            code, answer = rows[row]
            out.append(draw_code(code, y))
            red, white = (0, 0) if answer is None else (int(board.red[answer]), int(board.white[answer]))
        else:
            red, white = 0, 0
            out.extend(f'<circle cx="{60 + 44 * place}" cy="{y}" r="6" fill="{HOLE}"/>' for place in range(pegs))
        for pin in range(pegs):
            fill = RED if pin < red else WHITE if pin < red + white else HOLE
            x, dy = 40 + pegs * 44 + 18 * (pin % pin_columns) + 12, -9 if pin < pin_columns else 9
            out.append(f'<circle cx="{x}" cy="{y + dy}" r="6" fill="{fill}" stroke="#222222"/>')
    for index, word in enumerate(buttons):
        x, y = 32 + 44 * (index % across), foot + 20 + 44 * (index // across)
        if state.asked:
            shape = (
                f'<rect x="{x - 20}" y="{y - 16}" width="40" height="32" rx="6" fill="#f2e8cf"/>'
                f'<text x="{x}" y="{y + 5}" fill="#222222" font-size="14">{word}</text>'
            )
        else:
            shape = _draw_peg(x, y, word)
        out.append(f'<g data-word="{word}" style="cursor:pointer">{shape}</g>')
    return "".join(out) + "</svg>"
