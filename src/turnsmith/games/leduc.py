"""Leduc poker: six cards, one of them yours, one on the table, two rounds of betting.

The deck has two jacks, two queens and two kings. Both seats put in 1 and get a card each that only they see. After a
round of betting a third card is laid open on the table, and a second round follows. Seat 0 begins either round. One
checks or raises; facing a raise one calls, folds or raises once more. A raise is 2 in the first round and 4 in the
second, and there are at most two in a round. If nobody folds, a pair with the open card wins, else the higher card;
equal cards take back what they put in. Returns are what a seat wins. Whoever folds, or wins by it, shows no card.
"""

from __future__ import annotations

import numpy as np

from turnsmith import sources
from turnsmith.game import CHANCE, OVER, board_record, record
from turnsmith.rng import below

CARDS = 6
FOLD, CALL, RAISE = range(3)
RAISES, LONGEST = 2, 4  # of a round: raises, and moves (check, raise, raise, call)
MOST = 13.0  # 1 + two raises of 2 and two of 4

Board = board_record()
State = record(
    cards=(np.int8, 2), table=np.int8, dealt=np.int8, paid=(np.int8, 2), moves=(np.int8, 2 * LONGEST), made=np.int8,
    raises=np.int8, second=np.int8, seat=np.int8, folded=np.int8, over=np.int8,
)  # fmt: skip
"""`cards` and `table`: a card plus 1, 0 where it is not dealt or not to be seen; `dealt`: how many of the three are.

`moves`: each an action plus 1, the second round's from LONGEST on: what was bet is known to both and tells something of
the cards, so it belongs to what they see. `made`: moves of this round; `second`: whether this is the second round.
"""


def source(options, seed):
    return {}


def tables(source):
    sources.fields(source)
    boards = np.zeros(1, Board)
    board = boards[0]
    board.seats, board.actions, board.outcomes, board.low, board.high = 2, 3, CARDS, -MOST, MOST
    return boards


def setup(board, state):
    state.paid[0] = 1
    state.paid[1] = 1


def to_move(board, state):
    if state.over:
        return OVER
    return CHANCE if state.dealt < 2 + int(state.second) else int(state.seat)


def legal(board, state, out):
    """Chance deals any card that is still in the deck. One need not fold to nothing, so that is not a move."""
    if state.over:
        return 0
    count = 0
    if to_move(board, state) == CHANCE:
        for card in range(CARDS):
            if in_deck(state, card):
                out[count] = card
                count += 1
        return count
    if state.paid[0] != state.paid[1]:
        out[0] = FOLD
        count = 1
    out[count] = CALL
    count += 1
    if state.raises < RAISES:
        out[count] = RAISE
        count += 1
    return count


def in_deck(state, card):
    return state.cards[0] != card + 1 and state.cards[1] != card + 1 and state.table != card + 1


def weights(board, state, out):
    left = 0
    for card in range(CARDS):
        left += in_deck(state, card)
    for index in range(left):
        out[index] = 1.0 / left


def apply(board, state, action):
    if to_move(board, state) == CHANCE:
        if state.dealt < 2:
            state.cards[state.dealt] = action + 1
        else:
            state.table = action + 1
        state.dealt += 1
        return
    seat = int(state.seat)
    other, facing = 1 - seat, state.paid[0] != state.paid[1]
    state.moves[int(state.second) * LONGEST + int(state.made)] = action + 1
    state.made += 1
    state.seat = other
    if action == FOLD:
        state.folded = seat + 1
        state.over = 1
    elif action == RAISE:
        state.paid[seat] = state.paid[other] + (4 if state.second else 2)
        state.raises += 1
    else:
        state.paid[seat] = state.paid[other]
        if facing or seat == 1:  # a raise is called, or both have checked: the round is over
            state.over = state.second
            state.seat, state.made, state.raises, state.second = 0, 0, 0, 1


def strength(state, seat):
    """A pair is above any single card; the two cards of a rank have numbers next to each other."""
    rank = (int(state.cards[seat]) - 1) // 2
    return rank + (CARDS if rank == (int(state.table) - 1) // 2 else 0)


def returns(board, state, out):
    out[0] = 0.0
    if state.folded:
        loser = int(state.folded) - 1
        out[0] = float(state.paid[loser]) * (2 * loser - 1)
    else:
        lead = strength(state, 0) - strength(state, 1)
        out[0] = float(state.paid[0]) * (1 if lead > 0 else -1 if lead < 0 else 0)
    out[1] = -out[0]


# ---------------------------------------------------------------- hidden information


def hide(board, state, viewer):
    """The other's card is hidden until both are shown; after a fold they never are."""
    if state.over and not state.folded:
        return
    for seat in range(2):
        if seat != viewer:
            state.cards[seat] = 0


def believe(board, view, viewer, out):
    """World k: the other holds card k, any that is not seen; all are as likely before one thinks of the betting."""
    count = 0
    for card in range(CARDS):
        if in_deck(view, card):
            out[count] = card
            count += 1
    return count


def reveal(board, view, viewer, world):
    view.cards[1 - viewer] = world + 1


def resample(board, view, viewer, rng):
    card = below(rng, CARDS)
    while not in_deck(view, card):
        card = below(rng, CARDS)
    reveal(board, view, viewer, card)


# ---------------------------------------------------------------- for people


def _name(card):
    """A card of `cards` or `table`."""
    return f"{'JQK'[(int(card) - 1) // 2]}{'♠♥'[(int(card) - 1) % 2]}"


lesson = (
    ("Six cards, two suits. You get one and see only that.", ()),
    ("Bet in two rounds: check or call, raise, fold.", ("raise",)),
    ("Between them a card is laid on the table.", ("check", "check")),
    ("A pair with the table wins, else the higher card.", ("check", "check", "raise")),
    ("Click what you do.", ()),
)


def words(board, state, action):
    if to_move(board, state) == CHANCE:
        return _name(action + 1)
    facing = state.paid[0] != state.paid[1]
    return ("fold", "call" if facing else "check", "raise")[action]


def refusal(board, state, text):
    if text == "fold" and state.paid[0] == state.paid[1]:
        return "there is nothing to fold to: check instead"
    if text == "raise" and state.raises == RAISES:
        return f"there are at most {RAISES} raises in a round"
    return None


def shorthand(board, state, text):
    """Many say call for check, and the other way round, and bet for the first raise."""
    facing = state.paid[0] != state.paid[1]
    return {"call": "call" if facing else "check", "check": "call" if facing else "check", "bet": "raise"}.get(
        text, text
    )


def ending(board, state):
    if state.folded:
        return f"seat {int(state.folded) - 1} folded"
    return f"{_name(state.cards[0])} against {_name(state.cards[1])}, with {_name(state.table)} on the table"


def _betting(state):
    """The moves of the two rounds as people write them."""
    rounds = []
    for second in range(2):
        said, raised = [], False
        for move in state.moves[second * LONGEST : (second + 1) * LONGEST]:
            if move:
                said.append(("fold", "call" if raised else "check", "raise")[int(move) - 1])
                raised = raised or move == RAISE + 1
        rounds.append(", ".join(said))
    return rounds


def text(board, state):
    def shown(card, is_dealt):
        return f"[bold]{_name(card)}[/]" if card else "[dim]hidden[/]" if is_dealt else "[dim]–[/]"

    lines = [
        f"seat {seat}  {shown(state.cards[seat], state.dealt > seat)}  in the pot {int(state.paid[seat])}"
        for seat in range(2)
    ]
    first, second = _betting(state)
    return "\n".join(
        [*lines, f"table   {shown(state.table, False)}", f"betting {first}{' / ' + second if second else ''}"]
    )


def _draw_card(x, y, card, is_dealt, key):
    place = f'x="{x}" y="{y}" width="64" height="92" rx="8"'
    if not is_dealt:
        return f'<rect {place} fill="none" stroke="#ffffff" stroke-opacity="0.35" stroke-dasharray="5 5"/>'
    if not card:
        return f'<rect data-key="{key}" {place} fill="#30638e" stroke="#ffffff" stroke-width="4"/>'
    colour = "#22262b" if (int(card) - 1) % 2 == 0 else "#d1495b"
    return (
        f'<g data-key="{key}"><rect {place} fill="#ffffff"/>'
        f'<text x="{x + 32}" y="{y + 58}" fill="{colour}" font-size="32">{_name(card)}</text></g>'
    )


def picture(board, state):
    out = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 420 290" '
        'font-family="sans-serif" font-size="15" text-anchor="middle">',
        '<rect width="420" height="290" rx="14" fill="#2f6b4f"/>',
    ]
    mover = to_move(board, state)
    for seat in range(2):
        x = 40 + 276 * seat
        out.append(_draw_card(x, 44, state.cards[seat], state.dealt > seat, f"card {seat}"))
        weight = "bold" if seat == mover else "normal"
        out.append(f'<text x="{x + 32}" y="30" fill="#ffffff" font-weight="{weight}">seat {seat}</text>')
        out.append(f'<text x="{x + 32}" y="158" fill="#ffffff">pays {int(state.paid[seat])}</text>')
    out.append(_draw_card(178, 44, state.table, state.dealt > 2, "table"))
    out.append('<text x="210" y="30" fill="#ffffff">table</text>')
    for line, said in enumerate(_betting(state)):
        out.append(f'<text x="210" y="{188 + 20 * line}" fill="#d8e6de">{said}</text>')
    if mover >= 0:
        acts = np.zeros(3, np.int32)
        for index in range(legal(board, state, acts)):
            word, x = words(board, state, int(acts[index])), 30 + 122 * int(acts[index])
            out.append(f'<g data-word="{word}" style="cursor:pointer">')
            out.append(f'<rect x="{x}" y="236" width="112" height="36" rx="6" fill="#f6f1e7"/>')
            out.append(f'<text x="{x + 56}" y="259" fill="#333333">{word}</text></g>')
    return "".join(out) + "</svg>"
