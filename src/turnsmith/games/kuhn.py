"""Kuhn poker: one card each, one bet, and a bluff now and then.

The deck has one card more than there are seats: a jack, a queen and a king for two. All put in 1 and get a card that
only they see. In turn each checks or bets 1; once somebody has bet, all others call or fold in turn, those before the
bettor last. The highest card of those who paid most wins the pot. Cards are shown only if more than one seat is left.
With two seats best play is worth 1/18 to seat 1.
"""

from dataclasses import dataclass

import numpy as np

from turnsmith.common.settings import setting
from turnsmith.contract import drawing, sources
from turnsmith.contract.bits import even_chances, list_bits, pick_bit, unseen
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.contract.records import board_record, new_board, record
from turnsmith.languages import _, marked, player_name

SEATS, PASS, BET = 10, 0, 1  # a pass is a check, or a fold where somebody has bet; a bet is also a call


@dataclass(frozen=True)
class Options:
    players: int = setting(2, 2, SEATS)
    """Players."""


Board = board_record()
State = record(cards=(np.int8, SEATS), dealt=np.int8, moves=(np.int8, 2 * SEATS), made=np.int8, bettor=np.int8)
"""`cards` are card + 1, so that 0 can mean: not dealt, or not to be seen. A value that no card has makes hiding simple.
How many are `dealt` is known to all, so it is not read off the cards. `moves` are action + 1 and `bettor` is seat + 1:
all saw them, and what a seat could remember belongs to the state."""


def tables(source):
    seats = sources.options(source, Options).players
    return new_board(Board, seats, actions=2, outcomes=seats + 1, low=-2.0, high=2.0 * (seats - 1))


def to_move(board, state):
    if state.dealt < board.seats:
        return CHANCE  # dealing is a move of chance, one card at a time: so a match is a list of moves
    last = int(state.bettor) - 1 if state.bettor else 0  # before this seat comes round again all is decided
    return OVER if state.made == last + board.seats else int(state.made) % int(board.seats)


def legal(board, state, out):
    """A seat learns from its view what it may do: nothing here may depend on what is hidden from it."""
    if to_move(board, state) == CHANCE:
        return list_bits(unseen(state.cards, int(board.seats) + 1), out)
    out[0], out[1] = PASS, BET
    return 0 if to_move(board, state) == OVER else 2


def weights(board, state, out):
    even_chances(int(board.seats) + 1 - int(state.dealt), out)


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
    """What a player gets is a copy of the state without the others' cards, but for who is left at the end, if more than
    one is. A field that follows from a hidden one would have to be blanked too. Hiding twice changes nothing more."""
    left = 0
    for seat in range(board.seats):
        left += is_in(board, state, seat)
    shown = left > 1 and to_move(board, state) == OVER
    for seat in range(board.seats):
        if seat != viewer and not (shown and is_in(board, state, seat)):
            state.cards[seat] = 0


def resample(board, view, viewer, rng):
    """The way back, for searches: a state that could be the true one. All deals are as likely; what moves tell of cards
    is for players to work out. Where possible states are few, `believe` and `reveal` list them: leduc.py has these."""
    for seat in range(view.dealt):
        if not view.cards[seat]:
            view.cards[seat] = 1 + pick_bit(unseen(view.cards, int(board.seats) + 1), rng)


# ---------------------------------------------------------------- for people; all of it works on views
lesson = (
    ("Everybody pays one and gets one card; you see only yours.", ()),
    ("Check, or bet one more.", ("check",)),
    ("After a bet, call it or fold.", ("bet",)),
    ("Who is left with the highest card takes the pot: bluffing pays.", ("check", "bet")),
    ("Click what you do.", ()),
)
MOVES = (marked("check"), marked("bet")), (marked("fold"), marked("call"))


def _face(board, card):
    return "123456789TJQK"[int(card) + 11 - int(board.seats)] if card else "?"


def words(board, state, action):
    if to_move(board, state) == CHANCE:
        return _face(board, action + 1)
    return MOVES[bool(state.bettor)][action]


def ending(board, state):
    left = [seat for seat in range(int(board.seats)) if is_in(board, state, seat)]
    return _("the highest card wins") if len(left) > 1 else _("{} is left").format(player_name(left[0]))


def _rows(board, state):
    for seat in range(int(board.seats)):
        did = " ".join((_("passed"), _("paid"))[move - 1] for move in state.moves[seat :: int(board.seats)] if move)
        yield f"{player_name(seat)}  {did}", [_face(board, state.cards[seat])], False


def text(board, state):
    return drawing.cards_text(_rows(board, state))


def picture(board, state):
    moves = drawing.pieces(legal, words, board, state) if to_move(board, state) >= 0 else {}
    return drawing.cards_svg(_rows(board, state), moves)
