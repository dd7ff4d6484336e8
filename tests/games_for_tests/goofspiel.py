"""Goofspiel: bid cards for prizes, all at the same time.

Two seats hold the cards 1 to `cards`, and so does the pile of prizes. Each round chance turns up a prize; both seats
commit a card, one after the other, and neither sees the other's before both are in. The higher card wins the prize,
equal cards win nobody anything; both are gone. Whoever has more points when all cards are played wins.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from turnsmith import sources
from turnsmith.game import CHANCE, OVER, board_record, record
from turnsmith.rng import below
from turnsmith.texts import setting

CARDS = 10
HIDDEN = -1


@dataclass(frozen=True)
class Options:
    cards: int = setting(3, 2, CARDS)
    """Cards in a hand."""


Board = board_record(cards=np.int64)
State = record(hands=(np.int32, 2), prizes=np.int32, prize=np.int32, bids=(np.int32, 2), points=(np.int32, 2))
"""hands and prizes: bit c for card c; prize: the card turned up or 0; bids: 0, a card, or HIDDEN."""


def source(options, seed):
    return asdict(options)


def tables(source):
    options = sources.options(source, Options)
    boards = np.zeros(1, Board)
    board = boards[0]
    board.seats, board.actions, board.outcomes, board.low, board.high = 2, CARDS + 1, CARDS + 1, -1.0, 1.0
    board.cards = options.cards
    return boards


def setup(board, state):
    every_card = (1 << (int(board.cards) + 1)) - 2
    state.hands[0] = state.hands[1] = state.prizes = every_card


def to_move(board, state):
    if state.prize == 0:
        return CHANCE if state.prizes else OVER
    return 0 if state.bids[0] == 0 else 1


def legal(board, state, out):
    cards = int(state.prizes) if state.prize == 0 else int(state.hands[to_move(board, state)])
    return list_cards(cards, out)


def list_cards(cards, out):
    count = 0
    for card in range(1, CARDS + 1):
        if cards >> card & 1:
            out[count] = card
            count += 1
    return count


def weights(board, state, out):
    left = 0
    for card in range(1, CARDS + 1):
        left += int(state.prizes) >> card & 1
    for index in range(left):
        out[index] = 1.0 / left


def apply(board, state, action):
    if state.prize == 0:
        state.prize = action
        return
    state.bids[to_move(board, state)] = action
    if state.bids[0] != 0 and state.bids[1] != 0:
        if state.bids[0] != state.bids[1]:
            state.points[0 if state.bids[0] > state.bids[1] else 1] += state.prize
        for seat in range(2):
            state.hands[seat] &= ~(1 << int(state.bids[seat]))
            state.bids[seat] = 0
        state.prizes &= ~(1 << int(state.prize))
        state.prize = 0


def returns(board, state, out):
    lead = int(state.points[0]) - int(state.points[1])
    out[0] = 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
    out[1] = -out[0]


def hide(board, state, viewer):
    other = 1 - viewer
    if state.bids[other] != 0:
        state.bids[other] = HIDDEN


def resample(board, view, viewer, rng):
    other = 1 - viewer
    if view.bids[other] == HIDDEN:
        card = 1 + below(rng, CARDS)
        while not int(view.hands[other]) >> card & 1:
            card = 1 + below(rng, CARDS)
        view.bids[other] = card


def believe(board, view, viewer, out):
    """A world is the card the other seat has committed; 0 where it has not."""
    other = 1 - viewer
    if view.bids[other] == HIDDEN:
        return list_cards(int(view.hands[other]), out)
    out[0] = 0
    return 1


def reveal(board, view, viewer, world):
    if world > 0:
        view.bids[1 - viewer] = world


def rewind(board, state):
    state.bids[0] = state.bids[1] = 0


def ending(board, state):
    return "all cards are played"


# ---------------------------------------------------------------- for people


def words(board, state, action):
    return str(action)


def _cards(board, cards):
    return [card for card in range(1, int(board.cards) + 1) if int(cards) >> card & 1]


def _bid(card):
    return "–" if card == 0 else "?" if card == HIDDEN else str(card)


def text(board, state):
    to_come = " ".join(map(str, _cards(board, state.prizes)))
    lines = [f"prize [bold yellow]{int(state.prize) or '–'}[/], prizes left {to_come}"]
    for seat in range(2):
        hand = " ".join(map(str, _cards(board, state.hands[seat])))
        lines.append(f"seat {seat}: {int(state.points[seat])} points, bids {_bid(state.bids[seat])}, holds {hand}")
    return "\n".join(lines)


def picture(board, state):
    mover, width = to_move(board, state), 40 * int(board.cards) + 110
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 190" font-family="sans-serif" font-size="15">',
        f'<rect width="{width}" height="190" rx="10" fill="#e8f0ea"/>',
    ]
    rows = [(f"bids {_bid(state.bids[0])}", state.hands[0], 0), ("prizes", state.prizes, CHANCE)]
    rows.append((f"bids {_bid(state.bids[1])}", state.hands[1], 1))
    for row, (label, cards, owner) in enumerate(rows):
        y = 15 + 58 * row
        out.append(f'<text x="12" y="{y + 28}" fill="#333333">{label}</text>')
        for place, card in enumerate(_cards(board, cards)):
            click = f' data-word="{card}" style="cursor:pointer"' if mover == owner else ""
            fill = "#edae49" if owner == CHANCE and card == state.prize else "#ffffff"
            out.append(f'<g{click}><rect x="{90 + 40 * place}" y="{y}" width="32" height="44" rx="5" fill="{fill}"/>')
            out.append(f'<text x="{102 + 40 * place}" y="{y + 28}" fill="#333333">{card}</text></g>')
    return "".join(out) + "</svg>"
