"""Nim: take matches from one pile; whoever takes the last match wins (or loses, if you say so).

A complete game in one file, to be copied as a start for your own. Try it with

    turnsmith check examples/nim.py
    turnsmith play examples/nim.py:piles=1-2-3

Two seats take turns. A move is a pile and a number of matches, `b 2`: two matches from pile b.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from turnsmith.game import OVER, board_record, record, setting, sources

MOST_PILES, MOST_MATCHES = 8, 9
NAMES = "abcdefgh"


# What a person may choose, each with its default; `nim.py:misere=true` sets one. Refuse nonsense here.
@dataclass(frozen=True)
class Options:
    piles: str = setting("1-3-5-7")
    """Matches in each pile, 1 to 8 piles of 1 to 9."""
    misere: bool = setting(False)
    """Whoever takes the last match loses."""

    def __post_init__(self) -> None:
        counts = self.piles.split("-")
        fine = all(count.isdigit() and 1 <= int(count) <= MOST_MATCHES for count in counts)
        if not fine or len(counts) > MOST_PILES:
            raise ValueError(f"piles={self.piles} must be up to 8 numbers from 1 to 9 with - between them, like 3-4-5")


# What never changes during a game, and what does. Sizes are fixed, so leave room for the largest game.
Board = board_record(piles=np.int64, misere=np.int64, first=(np.int64, MOST_PILES))
State = record(matches=(np.int64, MOST_PILES), seat=np.int64)


def source(options, seed):
    """The small description of a board that is stored with a match; `seed` would choose a random one."""
    return asdict(options)


def tables(source):
    """The board made from its description."""
    options = sources.options(source, Options)  # anybody may send a description: this checks what it says
    counts = [int(count) for count in options.piles.split("-")]
    boards = np.zeros(1, Board)
    board = boards[0]
    board.seats, board.outcomes, board.low, board.high = 2, 0, -1.0, 1.0
    board.actions = len(counts) * MOST_MATCHES  # an action is one number: pile · 9 + matches taken − 1
    board.piles, board.misere = len(counts), options.misere
    board.first[: len(counts)] = counts
    return boards


# ---------------------------------------------------------------- the rules, which are compiled


def setup(board, state):
    """The state arrives zeroed, so seat 0 is to move."""
    for pile in range(board.piles):
        state.matches[pile] = board.first[pile]


def left(board, state):
    total = 0
    for pile in range(board.piles):
        total += state.matches[pile]
    return total


def to_move(board, state):
    return OVER if left(board, state) == 0 else int(state.seat)


def legal(board, state, out):
    """Ascending, because piles and numbers are counted upwards."""
    count = 0
    for pile in range(board.piles):
        for taken in range(state.matches[pile]):
            out[count] = pile * MOST_MATCHES + taken
            count += 1
    return count


def apply(board, state, action):
    state.matches[action // MOST_MATCHES] -= action % MOST_MATCHES + 1
    state.seat = 1 - state.seat


def returns(board, state, out):
    """The seat to move when nothing is left did not take the last match."""
    loser = 1 - int(state.seat) if board.misere else int(state.seat)
    out[loser] = -1.0
    out[1 - loser] = 1.0


# ---------------------------------------------------------------- for people, plain Python


def words(board, state, action):
    return f"{NAMES[action // MOST_MATCHES]} {action % MOST_MATCHES + 1}"


def ending(board, state):
    return f"seat {1 - int(state.seat)} took the last match"


def text(board, state):
    rows = [f"{NAMES[pile]}  [bold]{'| ' * int(state.matches[pile])}[/]" for pile in range(board.piles)]
    return "\n".join(rows)


def picture(board, state):
    """A click on a pile's letter, then on a match, plays both words: the k-th match means taking k."""
    width, height = 60 + 30 * MOST_MATCHES, 50 * int(board.piles) + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="22">']
    out.append(f'<rect width="{width}" height="{height}" rx="10" fill="#f6f1e7"/>')
    for pile in range(board.piles):
        y, count = 50 * pile + 10, int(state.matches[pile])
        clickable = f' data-word="{NAMES[pile]}" style="cursor:pointer"' if count else ""
        out.append(f'<text x="20" y="{y + 28}" fill="#333333"{clickable}>{NAMES[pile]}</text>')
        for match in range(count):
            x = 60 + 30 * match
            out.append(f'<g data-word="{match + 1}" style="cursor:pointer">')
            out.append(f'<rect x="{x}" y="{y}" width="26" height="44" fill="#f6f1e7"/>')
            out.append(f'<rect x="{x + 10}" y="{y}" width="6" height="40" fill="#d9b97c"/>')
            out.append(f'<circle cx="{x + 13}" cy="{y + 4}" r="5" fill="#d1495b"/></g>')
    return "".join(out) + "</svg>"
