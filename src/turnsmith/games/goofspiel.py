"""Goofspiel: bid cards for prizes, all at the same time.

Two seats hold the cards 1 to `cards`, and so does the pile of prizes. Each round chance turns up a prize; both seats
commit a card, one after the other, and neither sees the other's before both are in. The higher card wins the prize,
equal cards win nobody anything; both are gone. Whoever has more points when all cards are played wins.
"""

from dataclasses import dataclass

import numpy as np

from turnsmith.common.settings import setting
from turnsmith.compile.kernel import popcount
from turnsmith.contract import drawing, sources
from turnsmith.contract.bits import even_chances, list_bits, pick_bit
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.contract.records import board_record, new_board, record
from turnsmith.languages import _, counted

CARDS, HIDDEN = 13, -1


@dataclass(frozen=True)
class Options:
    cards: int = setting(13, 2, CARDS)
    """Cards in a hand."""


Board = board_record(cards=np.int64)
State = record(hands=(np.int32, 2), prizes=np.int32, prize=np.int8, bids=(np.int8, 2), points=(np.int16, 2),
               bid_before=(np.int8, (2, CARDS)))  # fmt: skip
"""hands, prizes: bit c is card c + 1; prize: what is turned up, or 0; bids: 0, a card, HIDDEN; bid_before: by round."""


def tables(source):
    cards = sources.options(source, Options).cards
    return new_board(Board, seats=2, actions=cards, outcomes=cards, cards=cards)


def setup(board, state):
    state.hands[0] = state.hands[1] = state.prizes = (1 << int(board.cards)) - 1


def to_move(board, state):
    if state.prize == 0:
        return CHANCE if state.prizes else OVER
    return 0 if state.bids[0] == 0 else 1


def held(board, state):
    """What whoever moves may choose from: the hand of a seat, or the prizes; bits."""
    return np.uint64(state.prizes if state.prize == 0 else state.hands[to_move(board, state)])


def legal(board, state, out):
    return list_bits(held(board, state), out)  # number c is card c + 1


def pick(board, state, rng):
    return pick_bit(held(board, state), rng)


sample = pick  # every prize is as likely


def weights(board, state, out):
    even_chances(np.int64(popcount(np.uint64(state.prizes))), out)


def apply(board, state, action):
    if state.prize == 0:
        state.prize = action + 1
        return
    state.bids[to_move(board, state)] = action + 1
    if state.bids[0] == 0 or state.bids[1] == 0:
        return
    if state.bids[0] != state.bids[1]:
        state.points[0 if state.bids[0] > state.bids[1] else 1] += state.prize
    now = int(board.cards) - np.int64(popcount(np.uint64(state.prizes)))
    for seat in range(2):
        state.hands[seat] &= ~(1 << int(state.bids[seat]) - 1)
        state.bid_before[seat, now], state.bids[seat] = state.bids[seat], 0
    state.prizes, state.prize = state.prizes & ~(1 << int(state.prize) - 1), 0


def returns(board, state, out):
    out[0] = np.sign(int(state.points[0]) - int(state.points[1]))
    out[1] = -out[0]


def hide(board, state, viewer):
    if state.bids[1 - viewer] != 0:
        state.bids[1 - viewer] = HIDDEN


def resample(board, view, viewer, rng):
    if view.bids[1 - viewer] == HIDDEN:
        view.bids[1 - viewer] = 1 + pick_bit(np.uint64(view.hands[1 - viewer]), rng)


def believe(board, view, viewer, out):
    """A world is the card the other seat has committed; where it has not, there is one."""
    return list_bits(np.uint64(view.hands[1 - viewer] if view.bids[1 - viewer] == HIDDEN else 1), out)


def reveal(board, view, viewer, world):
    if view.bids[1 - viewer] == HIDDEN:
        view.bids[1 - viewer] = world + 1


def rewind(board, state):
    state.bids[0] = state.bids[1] = 0


# ---------------------------------------------------------------- for people
lesson = (
    ("A prize is turned up, from 1 to the number of cards.", ()),
    ("Both bid a card from their hand, in secret.", ("5",)),
    ("The higher card takes the prize; of equal ones nobody gets it.", ("5", "7")),
    ("Each card is played once.", ("5", "7", "1", "2")),
    ("More points win. Click the card you bid.", ()),
)


def ending(board, state):
    won = sorted(map(int, state.points), reverse=True)
    return counted("all cards are played, {} point to {}", "all cards are played, {} points to {}", won[0]).format(*won)


def words(board, state, action):
    return str(action + 1)


def _rows(board, state):
    mover, seats = to_move(board, state), []
    for seat in range(2):
        bid = "–" if not state.bids[seat] else "?" if state.bids[seat] == HIDDEN else int(state.bids[seat])
        points, cards = int(state.points[seat]), [str(card + 1) for card in drawing.bits(state.hands[seat])]
        said = counted("{} point, bids {}", "{} points, bids {}", points).format(points, bid)
        seats.append((said, cards, seat == mover))
    prizes = [str(card + 1) for card in drawing.bits(state.prizes)]
    return [seats[0], (_("prize {}").format(int(state.prize) or "–"), prizes, mover == CHANCE), seats[1]]


def text(board, state):
    return drawing.cards_text(_rows(board, state))


def picture(board, state):
    return drawing.cards_svg(_rows(board, state), drawing.pieces(legal, words, board, state))
