"""Kuhn poker: three cards, one bet, and a bluff now and then.

A complete game with hidden information in one file, to be copied as a start for your own. Try it with

    turnsmith check examples/kuhn.py
    turnsmith play examples/kuhn.py

The deck is a jack, a queen and a king. Both seats put in 1 and get a card each that only they see. Seat 0 checks or
bets 1; facing a bet one calls or folds; after a check the other may bet. If nobody folds the higher card wins the pot.
Whoever folds, or wins because the other folds, shows no card.
"""

from __future__ import annotations

import numpy as np

from turnsmith import sources
from turnsmith.game import CHANCE, OVER, board_record, record
from turnsmith.rng import below

CARDS = 3
PASS, BET = 0, 1  # a pass is a check, or a fold where the other has bet; a bet is also a call

# `cards` are card + 1, so that 0 can mean: not dealt, or not to be seen. A value that no card has is what makes hiding
# simple. `dealt` says how many cards are dealt: it is known to all, so it must not be read off the cards.
# `moves` are action + 1. They are public, and both seats remember them: what a seat could know belongs to the state.
Board = board_record()
State = record(cards=(np.int8, 2), dealt=np.int8, moves=(np.int8, 3), made=np.int8)


def source(options, seed):
    return {}


def tables(source):
    sources.fields(source)  # a description may come from anybody: refuse what does not belong there
    boards = np.zeros(1, Board)
    board = boards[0]
    board.seats, board.actions, board.outcomes, board.low, board.high = 2, 2, CARDS, -2.0, 2.0
    return boards


# ---------------------------------------------------------------- the rules, which are compiled


def setup(board, state):
    pass


def is_over(state):
    """After two moves unless they are a check and a bet, and after three."""
    return state.made == 3 or (state.made == 2 and not (state.moves[0] == PASS + 1 and state.moves[1] == BET + 1))


def to_move(board, state):
    if state.dealt < 2:
        return CHANCE  # dealing is a move of chance: one card at a time, so that a match can be replayed
    return OVER if is_over(state) else int(state.made) & 1


def legal(board, state, out):
    """Chance deals any card that is left. This must also work on a view, so it asks only for what the mover sees."""
    if state.dealt < 2:
        count = 0
        for card in range(CARDS):
            if state.cards[0] != card + 1:
                out[count] = card
                count += 1
        return count
    if is_over(state):
        return 0
    out[0] = PASS
    out[1] = BET
    return 2


def weights(board, state, out):
    left = CARDS - int(state.dealt)
    for index in range(left):
        out[index] = 1.0 / left


def apply(board, state, action):
    if state.dealt < 2:
        state.cards[state.dealt] = action + 1
        state.dealt += 1
    else:
        state.moves[state.made] = action + 1
        state.made += 1


def folded(state):
    """The seat that folded: whose last move is a pass after a bet. -1 if nobody did."""
    last = int(state.made) - 1
    return last & 1 if last > 0 and state.moves[last] == PASS + 1 and state.moves[last - 1] == BET + 1 else -1


def returns(board, state, out):
    """After a fold the cards do not matter, which is as well: nobody sees both of them then."""
    loser = folded(state)
    stake = 1.0
    if loser < 0:
        loser = 0 if state.cards[0] < state.cards[1] else 1
        stake = 2.0 if state.moves[int(state.made) - 1] == BET + 1 else 1.0
    out[loser] = -stake
    out[1 - loser] = stake


# ---------------------------------------------------------------- hidden information
#
# A player never gets the state, only its view: a copy from which `hide` has blanked what the seat may not see. All that
# a search needs is a way back from a view to states that could be the true one: `resample` draws one of them. Where
# they can be listed, as here, `believe` and `reveal` do so, and searches are the quicker for it.


def hide(board, state, viewer):
    """Blank the other's card, unless both were shown: at the end, and only if nobody folded.

    Blank every field that follows from a hidden one, too; here none does. Hiding twice must change nothing more.
    """
    if to_move(board, state) != OVER or folded(state) >= 0:
        state.cards[1 - viewer] = 0


def resample(board, view, viewer, rng):
    """Give the other a random card that is not the viewer's own. Hiding it again must give the same view back."""
    card = below(rng, CARDS)
    while card + 1 == view.cards[viewer]:
        card = below(rng, CARDS)
    reveal(board, view, viewer, card)


def believe(board, view, viewer, out):
    """List the worlds that fit the view, as numbers of your choice: here the other's card. All count as equally likely,
    because the rules deal them so; what the other's moves tell of its card is for players to work out."""
    count = 0
    for card in range(CARDS):
        if card + 1 != view.cards[viewer]:
            out[count] = card
            count += 1
    return count


def reveal(board, view, viewer, world):
    """Fill one of those worlds in."""
    view.cards[1 - viewer] = world + 1


# ---------------------------------------------------------------- for people, plain Python; all of it works on views


def faces_bet(state):
    return state.made > 0 and state.moves[int(state.made) - 1] == BET + 1


def words(board, state, action):
    if state.dealt < 2:
        return "JQK"[action]
    return (("check", "bet"), ("fold", "call"))[bool(faces_bet(state))][action]


def ending(board, state):
    return f"seat {folded(state)} folded" if folded(state) >= 0 else "the higher card wins"


def text(board, state):
    return "\n".join(f"seat {seat}  {'?JQK'[int(state.cards[seat])]}" for seat in range(2))


def picture(board, state):
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 150" font-size="22" text-anchor="middle">']
    out.append('<rect width="240" height="150" rx="10" fill="#2f6b4f"/>')
    for seat in range(2):
        x = 50 + 140 * seat
        out.append(f'<rect x="{x - 22}" y="14" width="44" height="62" rx="6" fill="#ffffff"/>')
        out.append(f'<text x="{x}" y="53">{"?JQK"[int(state.cards[seat])]}</text>')
    if to_move(board, state) >= 0:
        for action in range(2):
            word, x = words(board, state, action), 65 + 110 * action
            out.append(f'<g data-word="{word}" style="cursor:pointer">')
            out.append(f'<rect x="{x - 50}" y="96" width="100" height="38" rx="6" fill="#f6f1e7"/>')
            out.append(f'<text x="{x}" y="122">{word}</text></g>')
    return "".join(out) + "</svg>"
