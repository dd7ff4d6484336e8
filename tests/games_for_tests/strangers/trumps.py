"""Trumps: three players, a hand of cards each, and as many tricks as you can get.

The deck has 24 cards, from nine to ace in four suits. After the deal one more card is turned up: its suit is trump.
Seat 0 leads first. The others follow suit if they can, and play any card if they cannot. The highest trump takes the
trick, or the highest card of the suit that was led if there is no trump. Who takes a trick leads the next. Every trick
is a point. Nobody sees the others' cards, nor the rest of the deck, but everybody remembers who could not follow.
"""

from dataclasses import asdict, dataclass
from math import comb

import numpy as np

from turnsmith.game import (
    CHANCE,
    OVER,
    below,
    board_record,
    drawing,
    even_chances,
    list_bits,
    new_board,
    pick_bit,
    popcount,
    record,
    setting,
    sources,
)
from turnsmith.languages import player_name

SEATS, SUITS, RANKS = 3, 4, 6
CARDS = SUITS * RANKS  # a card is suit · 6 + rank
DECK, SUIT = (1 << CARDS) - 1, (1 << RANKS) - 1


@dataclass(frozen=True)
class Options:
    hand: int = setting(6, 2, 7)
    """Cards in a hand."""


Board = board_record(hand=np.int64, ways=(np.int64, (CARDS + 1) ** 2))
State = record(
    hands=(np.uint64, SEATS), gone=np.uint64, table=(np.int8, SEATS), last=(np.int8, SEATS), tricks=(np.int8, SEATS),
    voids=(np.int8, SEATS), turned=np.int8, dealt=np.int8, leader=np.int8, out=np.int8,
)  # fmt: skip
"""`hands` and `gone` (cards that were played) are sets of bits. `table`, the seats' cards of the open trick, `last`,
those of the trick before, and `turned` are card + 1. `voids`: the suits that a seat is known not to have, as bits.
`out`: how many cards lie on the table. `ways` on the board: at 25 · n + k, how many ways to choose k of n."""
seat_fields = ("hands", "table", "last", "tricks", "voids")
seat_values = ("leader",)


def source(options, seed):
    return asdict(options)


def tables(source):
    hand = sources.options(source, Options).hand
    ways = [comb(n, k) for n in range(CARDS + 1) for k in range(CARDS + 1)]
    return new_board(Board, SEATS, actions=CARDS, outcomes=CARDS, low=0.0, high=float(hand), hand=hand, ways=ways)


# ---------------------------------------------------------------- the rules, which are compiled


def tricks_made(state):
    return int(state.tricks[0]) + int(state.tricks[1]) + int(state.tricks[2])


def to_move(board, state):
    if state.turned == 0:
        return CHANCE
    return OVER if tricks_made(state) == board.hand else (int(state.leader) + int(state.out)) % SEATS


def suit(number):
    return np.uint64(SUIT) << np.uint64(number * RANKS)


def turned_card(state):
    return np.uint64(1) << np.uint64(int(state.turned) - 1) if state.turned else np.uint64(0)


def hidden_cards(state):
    """The cards that are in no hand that can be seen, nor played, nor turned up."""
    shown = state.hands[0] | state.hands[1] | state.hands[2] | state.gone | turned_card(state)
    return np.uint64(DECK) & ~shown


def legal(board, state, out):
    seat = to_move(board, state)
    if seat == OVER:
        return 0
    if seat == CHANCE:
        return list_bits(hidden_cards(state), out)
    own = state.hands[seat]
    if state.out:
        following = own & suit((int(state.table[state.leader]) - 1) // RANKS)
        if following:
            return list_bits(following, out)
    return list_bits(own, out)


def weights(board, state, out):
    even_chances(CARDS - int(state.dealt), out)


def apply(board, state, action):
    bit = np.uint64(1) << np.uint64(action)
    if state.turned == 0:
        if state.dealt == SEATS * board.hand:
            state.turned = action + 1
        else:
            state.hands[state.dealt % SEATS] |= bit
            state.dealt += 1
        return
    seat = to_move(board, state)
    if state.out:
        led = (int(state.table[state.leader]) - 1) // RANKS
        if action // RANKS != led:
            state.voids[seat] |= 1 << led
    state.hands[seat] &= ~bit
    state.gone |= bit
    state.table[seat] = action + 1
    state.out += 1
    if state.out == SEATS:
        taker = strongest(state)
        for other in range(SEATS):
            state.last[other] = state.table[other]
            state.table[other] = 0
        state.tricks[taker] += 1
        state.leader, state.out = taker, 0


def strongest(state):
    """Who takes the trick."""
    trump = (int(state.turned) - 1) // RANKS
    led = (int(state.table[state.leader]) - 1) // RANKS
    best, taker = -1, 0
    for seat in range(SEATS):
        card = int(state.table[seat]) - 1
        rank = card % RANKS
        if card // RANKS == trump:
            rank += 2 * RANKS
        elif card // RANKS == led:
            rank += RANKS
        if rank > best:
            best, taker = rank, seat
    return taker


def returns(board, state, out):
    for seat in range(SEATS):
        out[seat] = state.tricks[seat]


def hide(board, state, viewer):
    """The rest of the deck is nowhere in the state. At the end all hands are empty, and the rest stays unknown."""
    for seat in range(SEATS):
        if seat != viewer:
            state.hands[seat] = 0


def cards_held(board, state, seat):
    """How many cards a seat has, which all can count."""
    if state.turned == 0:
        return (int(state.dealt) + SEATS - 1 - seat) // SEATS
    return int(board.hand) - tricks_made(state) - int(state.table[seat] != 0)


def can_hold(state, seat):
    """The cards of the suits that a seat may still have."""
    cards = np.uint64(DECK)
    for number in range(SUITS):
        if (int(state.voids[seat]) >> number) & 1:
            cards &= ~suit(number)
    return cards


def give(state, seat, cards, number, rng):
    """Some of these cards, any as likely, go to a seat."""
    for _ in range(number):
        bit = np.uint64(1) << np.uint64(pick_bit(cards, rng))
        state.hands[seat] |= bit
        cards &= ~bit


def resample(board, view, viewer, rng):
    """Every deal that keeps to the known voids is as likely.

    Cards are those that both others may hold, or only one, or neither: these are in the rest of the deck. The deals
    with `i` cards of the second kind for one, and `j` for the other, are counted, and one of them is drawn."""
    one, other = (viewer + 1) % SEATS, (viewer + 2) % SEATS
    cards, wide = hidden_cards(view), int(CARDS + 1)
    both = cards & can_hold(view, one) & can_hold(view, other)
    only_one, only_other = cards & can_hold(view, one) & ~both, cards & can_hold(view, other) & ~both
    for_one, for_other = cards_held(board, view, one), cards_held(board, view, other)
    shared, mine, theirs = np.int64(popcount(both)), np.int64(popcount(only_one)), np.int64(popcount(only_other))
    total, wanted = 0, -1
    for turn in range(2):  # count all deals, then go to the one that was drawn
        total = 0
        for i in range(min(mine, for_one) + 1):
            for j in range(min(theirs, for_other) + 1):
                rest = shared - (for_one - i)
                if rest < for_other - j or rest > shared:
                    continue
                deals = board.ways[wide * mine + i] * board.ways[wide * shared + for_one - i]
                total += deals * board.ways[wide * theirs + j] * board.ways[wide * rest + for_other - j]
                if turn and total > wanted:
                    give(view, one, only_one, i, rng)
                    give(view, one, both, for_one - i, rng)
                    give(view, other, only_other, j, rng)
                    give(view, other, both & ~view.hands[one], for_other - j, rng)
                    return
        wanted = below(rng, total)


# ---------------------------------------------------------------- for people; all of it works on views
lesson = (
    ("You see your own cards. One card is turned up: its suit is trump.", ()),
    ("Follow the suit that was led if you can. If you cannot, play anything.", ()),
    ("The highest trump takes the trick, else the highest card of the suit led.", ()),
    ("Every trick is a point. Click the card you play.", ()),
)
NAMES = tuple(f"{rank}{sign}" for sign in "♣♦♥♠" for rank in "9TJQKA")


def words(board, state, action):
    return NAMES[action]


def shorthand(board, state, text):
    """`kh` is the king of hearts."""
    return text[:-1].upper() + "♣♦♥♠"["cdhs".index(text[-1].lower())] if text[-1:].lower() in tuple("cdhs") else text


def ending(board, state):
    return "all tricks are taken"


def rows(board, state):
    seat_to_move = to_move(board, state)
    for seat in range(SEATS):
        held = [NAMES[card] for card in drawing.bits(int(state.hands[seat]))]
        cards = held or ["?"] * cards_held(board, state, seat)
        yield f"{player_name(seat)}, tricks: {int(state.tricks[seat])}", cards, seat == seat_to_move
    for title, cards in (("table", state.table), ("last trick", state.last), ("trump", [state.turned])):
        yield title, [NAMES[int(card) - 1] if card else "" for card in cards], False


def text(board, state):
    return drawing.cards_text(rows(board, state))


def picture(board, state):
    moves = drawing.pieces(legal, words, board, state) if to_move(board, state) >= 0 else {}
    return drawing.cards_svg(rows(board, state), moves)
