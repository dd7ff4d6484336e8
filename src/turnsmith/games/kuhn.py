"""Kuhn poker: one card each, one bet, and a bluff now and then.

The deck has one card more than there are seats: a jack, a queen and a king for two. All put in 1 and get a card that
only they see. In turn each checks or bets 1; once somebody has bet, all others call or fold in turn, those before the
bettor last. The highest card of those who paid most wins the pot. Cards are shown only if more than one seat is left.
With two seats best play is worth 1/18 to seat 1.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from turnsmith import drawing, sources
from turnsmith.game import CHANCE, OVER, board_record, new_board, record
from turnsmith.rng import below
from turnsmith.texts import setting

SEATS = 10
PASS, BET = 0, 1  # a pass is a check, or a fold where somebody has bet; a bet is also a call
FACES = "123456789TJQK"


@dataclass(frozen=True)
class Options:
    players: int = setting(2, 2, SEATS)
    """Players."""


Board = board_record()
State = record(cards=(np.int8, SEATS), dealt=np.int8, moves=(np.int8, 2 * SEATS), made=np.int8, bettor=np.int8)
"""`cards`: a card plus 1, 0 where it is not dealt or not to be seen; `moves`: an action plus 1; `bettor`: plus 1."""


def source(options, seed):
    return asdict(options)


def tables(source):
    seats = sources.options(source, Options).players
    return new_board(Board, seats, actions=2, outcomes=seats + 1, low=-2.0, high=2.0 * (seats - 1))


def setup(board, state):
    pass


def to_move(board, state):
    if state.dealt < board.seats:
        return CHANCE
    last = int(state.bettor) - 1 if state.bettor else 0  # before this seat comes round again all is decided
    return OVER if state.made == last + board.seats else int(state.made) % int(board.seats)


def holds(board, state, card):
    """Whether a card is in somebody's hand, as far as one sees."""
    found = False
    for seat in range(board.seats):
        found = found or state.cards[seat] == card + 1
    return found


def legal(board, state, out):
    mover, count = to_move(board, state), 0
    if mover == CHANCE:
        for card in range(board.seats + 1):
            if not holds(board, state, card):
                out[count] = card
                count += 1
    elif mover != OVER:
        out[0], out[1], count = PASS, BET, 2
    return count


def weights(board, state, out):
    left = int(board.seats) + 1 - int(state.dealt)
    for index in range(left):
        out[index] = 1.0 / left


def apply(board, state, action):
    if state.dealt < board.seats:
        state.cards[state.dealt] = action + 1
        state.dealt += 1
        return
    if action == BET and not state.bettor:
        state.bettor = state.made + 1
    state.moves[state.made] = action + 1
    state.made += 1


def has_paid(board, state, seat):
    """Whether a seat has put in more than the 1 of the beginning."""
    return state.moves[seat] == BET + 1 or state.moves[seat + board.seats] == BET + 1


def is_in(board, state, seat):
    """Whether a seat has a claim to the pot."""
    return not state.bettor or has_paid(board, state, seat)


def returns(board, state, out):
    """Where one seat is left its card does not matter, which is as well: nobody else sees it."""
    pot, best = 0.0, -1
    for seat in range(board.seats):
        out[seat] = -2.0 if has_paid(board, state, seat) else -1.0
        pot -= out[seat]
        if is_in(board, state, seat) and (best < 0 or state.cards[seat] > state.cards[best]):
            best = seat
    out[best] += pot


def hide(board, state, viewer):
    """The cards of others, but for those who are left when more than one is."""
    left = 0
    for seat in range(board.seats):
        left += is_in(board, state, seat)
    shown = left > 1 and to_move(board, state) == OVER
    for seat in range(board.seats):
        if seat != viewer and not (shown and is_in(board, state, seat)):
            state.cards[seat] = 0


def resample(board, view, viewer, rng):
    for seat in range(view.dealt):
        while not view.cards[seat]:
            card = below(rng, board.seats + 1)
            if not holds(board, view, card):
                view.cards[seat] = card + 1


# ---------------------------------------------------------------- for people


def _face(board, card):
    return FACES[card + len(FACES) - 2 - int(board.seats)] if card else "?"


lesson = (
    ("Everybody pays one and gets one card; you see only yours.", ()),
    ("Check, or bet one more.", ("check",)),
    ("After a bet, call it or fold.", ("bet",)),
    ("Who is left with the highest card takes the pot: bluffing pays.", ("check", "bet")),
    ("Click what you do.", ()),
)


def words(board, state, action):
    if to_move(board, state) == CHANCE:
        return _face(board, action + 1)
    return (("check", "bet"), ("fold", "call"))[bool(state.bettor)][action]


def ending(board, state):
    left = [str(seat) for seat in range(int(board.seats)) if is_in(board, state, seat)]
    return "the highest card wins" if len(left) > 1 else f"seat {left[0]} is left"


def _hands(board, state):
    """Of each seat: its card, and what it has done."""
    for seat in range(int(board.seats)):
        made = [int(move) for move in state.moves[seat :: int(board.seats)] if move]
        yield _face(board, int(state.cards[seat])), " ".join(("passed", "paid")[move - 1] for move in made)


def text(board, state):
    return "\n".join(f"seat {seat}  {card}  {did}" for seat, (card, did) in enumerate(_hands(board, state)))


def picture(board, state):
    out, wide = [], max(250, 70 * int(board.seats))
    for seat, (card, did) in enumerate(_hands(board, state)):
        x = 35 + 70 * seat
        out.append(f'<rect x="{x - 22}" y="30" width="44" height="62" rx="6" fill="#ffffff"/>')
        out += [drawing.label(x, 69, card, font_size=22), drawing.label(x, 110, did, "#ffffff", font_size=12)]
        out.append(drawing.label(x, 20, f"seat {seat}", "#ffffff"))
    moves = [words(board, state, action) for action in range(2)] if to_move(board, state) >= 0 else []
    return drawing.svg(wide, 170, [*out, drawing.buttons(moves, 15, 125)], "#2f6b4f")
