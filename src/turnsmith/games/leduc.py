"""Leduc poker: six cards, one of them yours, one on the table, two rounds of betting.

The deck has two jacks, two queens and two kings. Both seats put in 1 and get a card each that only they see. After a
round of betting a third card is laid open on the table, and a second round follows. Seat 0 begins either round. One
checks or raises; facing a raise one calls, folds or raises once more. A raise is 2 in the first round and 4 in the
second, and there are at most two in a round. If nobody folds, a pair with the open card wins, else the higher card;
equal cards take back what they put in. Returns are what a seat wins. Whoever folds, or wins by it, shows no card.
"""

import numpy as np

from turnsmith.contract import drawing, sources
from turnsmith.contract.bits import even_chances, list_bits, pick_bit, unseen
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.contract.records import board_record, new_board, record
from turnsmith.languages import _, marked, player_name

CARDS, TABLE, FOLD, CALL, RAISE = 6, 2, 0, 1, 2
RAISES, LONGEST = 2, 4  # of a round: raises, and moves (check, raise, raise, call)
Board = board_record()
State = record(
    cards=(np.int8, 3), dealt=np.int8, paid=(np.int8, 2), moves=(np.int8, 2 * LONGEST), made=np.int8,
    raises=np.int8, second=np.int8, seat=np.int8, folded=np.int8, over=np.int8,
)  # fmt: skip
"""`cards`: of the seats and on the TABLE, a card plus 1, 0 where it is not dealt or not to be seen; `moves`: actions
plus 1, the second round's from LONGEST on; `made`: moves of this round; `folded`: the seat that did, plus 1."""


def tables(source):
    sources.fields(source)
    return new_board(Board, seats=2, actions=3, outcomes=CARDS, low=-1 - 6 * RAISES, high=1 + 6 * RAISES)


def setup(board, state):
    state.paid[0] = state.paid[1] = 1


def to_move(board, state):
    return OVER if state.over else CHANCE if state.dealt < 2 + int(state.second) else int(state.seat)


def legal(board, state, out):
    """Chance deals any card that is still in the deck. One need not fold to nothing, so that is not a move."""
    if to_move(board, state) == CHANCE:
        return list_bits(unseen(state.cards, CARDS), out)
    moves = (1 << CALL) + int(state.paid[0] != state.paid[1]) * (1 << FOLD) + int(state.raises < RAISES) * (1 << RAISE)
    return 0 if state.over else list_bits(np.uint64(moves), out)


def weights(board, state, out):
    even_chances(CARDS - int(state.dealt), out)


def apply(board, state, action):
    if to_move(board, state) == CHANCE:
        state.cards[state.dealt] = action + 1
        state.dealt += 1
        return
    seat = int(state.seat)
    state.moves[int(state.second) * LONGEST + int(state.made)] = action + 1
    state.made, state.seat = state.made + 1, 1 - seat
    if action == FOLD:
        state.folded, state.over = seat + 1, 1
    elif action == RAISE:
        state.paid[seat] = state.paid[1 - seat] + (4 if state.second else 2)
        state.raises += 1
    else:
        state.paid[seat] = state.paid[1 - seat]
        if state.made > 1:  # a raise is called, or both have checked: the round is over
            state.over = state.second
            state.seat, state.made, state.raises, state.second = 0, 0, 0, 1


def strength(state, seat):
    """A pair is above any single card; the two cards of a rank have numbers next to each other."""
    rank = (int(state.cards[seat]) - 1) // 2
    return rank + (CARDS if rank == (int(state.cards[TABLE]) - 1) // 2 else 0)


def returns(board, state, out):
    """After a fold the cards do not matter, which is as well: nobody sees both of them then."""
    lead = 2 * int(state.folded) - 3 if state.folded else strength(state, 0) - strength(state, 1)
    out[0] = np.sign(lead) * min(state.paid[0], state.paid[1])
    out[1] = -out[0]


def hide(board, state, viewer):
    """The other's card is hidden until both are shown; after a fold they never are."""
    if state.folded or not state.over:
        state.cards[1 - viewer] = 0


def believe(board, view, viewer, out):
    """World k: the other holds card k, any that is not seen; all are as likely before one thinks of the betting."""
    return list_bits(unseen(view.cards, CARDS), out)


def reveal(board, view, viewer, world):
    view.cards[1 - viewer] = world + 1


def resample(board, view, viewer, rng):
    if view.dealt > 1 - viewer and view.cards[1 - viewer] == 0:  # dealt, and not to be seen
        view.cards[1 - viewer] = 1 + pick_bit(unseen(view.cards, CARDS), rng)


# ---------------------------------------------------------------- for people
lesson = (
    ("Six cards, two suits. You get one and see only that.", ()),
    ("Bet in two rounds: check or call, raise, fold.", ("raise",)),
    ("Between them a card is laid on the table.", ("check", "check")),
    ("A pair with the table wins, else the higher card.", ("check", "check", "raise")),
    ("Click what you do.", ()),
)


def _face(card):
    return f"{'JQK'[(int(card) - 1) // 2]}{'♠♥'[(int(card) - 1) % 2]}" if card else "?"


def words(board, state, action):
    if to_move(board, state) == CHANCE:
        return _face(action + 1)
    return (marked("fold"), "check" if state.paid[0] == state.paid[1] else "call", marked("raise"))[action]


def ending(board, state):
    who = player_name(state.folded - 1)
    return _("{} folded").format(who) if state.folded else _("a pair wins, else the higher card")


def _rows(state):
    names = [*(_("{}, pays {}").format(player_name(seat), int(state.paid[seat])) for seat in range(2)), _("table")]
    for place in (0, TABLE, 1):
        yield names[place], [_face(state.cards[place]) if state.dealt > place else ""], False


def _betting(state):
    said = [("", _("fold"), _("stay"), _("raise"))[move] for move in state.moves]  # to stay is to check or to call
    return " / ".join(filter(None, (" ".join(filter(None, each)) for each in (said[:LONGEST], said[LONGEST:]))))


def text(board, state):
    return drawing.cards_text(_rows(state), _betting(state))


def picture(board, state):
    moves = drawing.pieces(legal, words, board, state) if to_move(board, state) >= 0 else {}
    return drawing.cards_svg(_rows(state), moves, _betting(state))
