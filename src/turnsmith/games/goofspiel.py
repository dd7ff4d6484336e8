"""Goofspiel: bid cards for prizes, all at the same time.

Two seats hold the cards 1 to `cards`, and so does the pile of prizes. Each round chance turns up a prize; both seats
commit a card, one after the other, and neither sees the other's before both are in. The higher card wins the prize,
equal cards win nobody anything; both are gone. Whoever has more points when all cards are played wins.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from turnsmith import drawing, sources
from turnsmith.game import CHANCE, OVER, board_record, new_board, record
from turnsmith.kernel import nth_bit, popcount
from turnsmith.rng import below
from turnsmith.texts import setting

CARDS = 13
HIDDEN = -1


@dataclass(frozen=True)
class Options:
    cards: int = setting(13, 2, CARDS)
    """Cards in a hand."""


Board = board_record(cards=np.int64)
State = record(hands=(np.int32, 2), prizes=np.int32, prize=np.int8, bids=(np.int8, 2), points=(np.int16, 2),
               bid_before=(np.int8, (2, CARDS)))  # fmt: skip
"""hands, prizes: bit c for card c + 1; prize: the card turned up, or 0; bids: 0, a card, or HIDDEN; bid_before: the
cards of all rounds before, which everybody saw."""


def source(options, seed):
    return asdict(options)


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
    """What whoever moves may choose from: the hand of a seat, or the prizes."""
    return int(state.prizes) if state.prize == 0 else int(state.hands[to_move(board, state)])


def list_cards(cards, out):
    count = 0
    for card in range(CARDS):
        if cards >> card & 1:
            out[count] = card
            count += 1
    return count


def legal(board, state, out):
    """Number c is card c + 1."""
    return list_cards(held(board, state), out)


def draw_card(cards, rng):
    bits = np.uint64(cards)
    return nth_bit(bits, below(rng, np.int64(popcount(bits))))


def pick(board, state, rng):
    return draw_card(held(board, state), rng)


def sample(board, state, rng):
    return draw_card(held(board, state), rng)


def weights(board, state, out):
    left = np.int64(popcount(np.uint64(state.prizes)))
    for index in range(left):
        out[index] = 1.0 / left


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
    state.prizes &= ~(1 << int(state.prize) - 1)
    state.prize = 0


def returns(board, state, out):
    lead = int(state.points[0]) - int(state.points[1])
    out[0] = 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
    out[1] = -out[0]


def hide(board, state, viewer):
    if state.bids[1 - viewer] != 0:
        state.bids[1 - viewer] = HIDDEN


def resample(board, view, viewer, rng):
    if view.bids[1 - viewer] == HIDDEN:
        view.bids[1 - viewer] = 1 + draw_card(int(view.hands[1 - viewer]), rng)


def believe(board, view, viewer, out):
    """A world is the card the other seat has committed; where it has not, there is one."""
    return list_cards(int(view.hands[1 - viewer]) if view.bids[1 - viewer] == HIDDEN else 1, out)


def reveal(board, view, viewer, world):
    if view.bids[1 - viewer] == HIDDEN:
        view.bids[1 - viewer] = world + 1


def rewind(board, state):
    state.bids[0] = state.bids[1] = 0


# ---------------------------------------------------------------- for people


def ending(board, state):
    return f"all cards are played, {int(max(state.points))} points to {int(min(state.points))}"


lesson = (
    ("A prize is turned up, from 1 to the number of cards.", ()),
    ("Both bid a card from their hand, in secret.", ("5",)),
    ("The higher card takes the prize; of equal ones nobody gets it.", ("5", "7")),
    ("Each card is played once.", ("5", "7", "1", "2")),
    ("More points win. Click the card you bid.", ()),
)


def words(board, state, action):
    return str(action + 1)


def _rows(board, state):
    """Label, cards and owner of what lies on the table."""
    bids = ["–" if not bid else "?" if bid == HIDDEN else int(bid) for bid in state.bids]
    named = [(f"{int(state.points[seat])} points, bids {bids[seat]}", state.hands[seat], seat) for seat in range(2)]
    for said, cards, owner in [named[0], (f"prize {int(state.prize) or '–'}", state.prizes, CHANCE), named[1]]:
        yield said, [card + 1 for card in range(CARDS) if int(cards) >> card & 1], owner


def text(board, state):
    return "\n".join(f"{said:<22} {' '.join(map(str, cards))}" for said, cards, _ in _rows(board, state))


def picture(board, state):
    out, mover = [], to_move(board, state)
    for row, (said, cards, owner) in enumerate(_rows(board, state)):
        out.append(drawing.label(12, 43 + 58 * row, said, text_anchor="start"))
        for place, card in enumerate(cards):
            fill = "#edae49" if owner == CHANCE and card == state.prize else "#ffffff"
            x, y = 170 + 40 * place, 15 + 58 * row
            plate = f'<rect x="{x}" y="{y}" width="32" height="44" rx="5" fill="{fill}"/>'
            part = plate + drawing.label(x + 16, y + 28, card)
            out.append(drawing.clickable(str(card), part) if owner == mover else part)
    return drawing.svg(180 + 40 * int(board.cards), 190, out, "#e8f0ea")
