"""Pig: roll for points, hold before a 1 takes them away.

Two seats (or up to 10) race to `target` points. In a turn one rolls a die as often as one dares: 2 to 6 add to the
turn's total, a 1 loses the total and the turn. Holding banks the total. Whoever holds with at least `target` wins.

The best play of two to 100 points is known by value iteration: whoever starts wins 53.06 % of the time.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from turnsmith import sources
from turnsmith.drawing import SEAT_COLORS
from turnsmith.game import CHANCE, OVER, board_record, record
from turnsmith.rng import below, mix
from turnsmith.texts import setting

SEATS = 10


@dataclass(frozen=True)
class Options:
    target: int = setting(100, 2, 1000)
    """Points that win."""
    sides: int = setting(6, 2, 20)
    """Sides of the die; a 1 always loses the turn."""
    players: int = setting(2, 2, SEATS)
    """Players."""


Board = board_record(target=np.int64, sides=np.int64)
State = record(scores=(np.int16, SEATS), seat=np.int16, turn_total=np.int16, rolling=np.int8, won=np.int8)
seat_fields, seat_values = ("scores",), ("seat",)  # learners see the game from their own seat
ROLL, HOLD = 0, 1


def source(options, seed):
    return asdict(options)


def tables(source):
    options = sources.options(source, Options)
    boards = np.zeros(1, Board)
    board = boards[0]
    board.seats, board.actions, board.outcomes, board.low, board.high = options.players, 2, options.sides, -1.0, 1.0
    board.target, board.sides = options.target, options.sides
    return boards


def setup(board, state):
    pass


def to_move(board, state):
    if state.won:
        return OVER
    return CHANCE if state.rolling else int(state.seat)


def legal(board, state, out):
    """Outcome k is the face k + 1. Holding nothing is not a move: one always rolls first."""
    if state.won:
        return 0
    if state.rolling:
        for face in range(board.sides):
            out[face] = face
        return int(board.sides)
    out[0] = ROLL
    out[1] = HOLD
    return 2 if state.turn_total > 0 else 1


def weights(board, state, out):
    for face in range(board.sides):
        out[face] = 1.0 / board.sides


def sample(board, state, rng):
    return below(rng, board.sides)


def apply(board, state, action):
    if state.rolling:
        state.rolling = 0
        if action == 0:
            pass_on(board, state)
        else:
            state.turn_total += action + 1
    elif action == ROLL:
        state.rolling = 1
    else:
        state.scores[state.seat] += state.turn_total
        if state.scores[state.seat] >= board.target:
            state.won = 1
        else:
            pass_on(board, state)


def pass_on(board, state):
    state.turn_total = 0
    state.seat = (state.seat + 1) % board.seats


def returns(board, state, out):
    for seat in range(board.seats):
        out[seat] = -1.0 / (board.seats - 1)
    if state.won:
        out[state.seat] = 1.0


def hash(board, state):
    """States that differ only in points beyond the target are one, which keeps their number finite."""
    missing = max(int(board.target) - int(state.scores[state.seat]), 0)
    total = min(int(state.turn_total), missing)
    key = np.uint64(total * 64 + int(state.seat) * 4 + int(state.rolling) * 2 + int(state.won))
    for seat in range(board.seats):
        key = mix(key) ^ np.uint64(min(int(state.scores[seat]), int(board.target)))
    return mix(key)


def evaluate(board, state, out):
    """Progress towards the target, a turn's total counting half; the leader's share of the difference."""
    total = 0.0
    for seat in range(board.seats):
        points = float(state.scores[seat]) + (0.5 * state.turn_total if seat == state.seat else 0.0)
        out[seat] = min(1.0, points / board.target)
        total += out[seat]
    for seat in range(board.seats):
        others = (total - out[seat]) / (board.seats - 1)
        out[seat] = 0.9 * (out[seat] - others) if out[seat] > others else 0.9 * (out[seat] - others) / (board.seats - 1)


def ending(board, state):
    return f"seat {int(state.seat)} reached {int(state.scores[state.seat])} points"


# ---------------------------------------------------------------- for people


def words(board, state, action):
    if state.rolling:
        return str(action + 1)
    return "roll" if action == ROLL else "hold"


def text(board, state):
    lines = []
    for seat in range(board.seats):
        score, here = int(state.scores[seat]), seat == state.seat
        bar = "█" * round(20 * min(score, board.target) / board.target)
        turn = f"  [yellow]+{int(state.turn_total)}[/]" if here else ""
        lines.append(f"{'[bold]' if here else ''}seat {seat} {score:>4} {bar:<20}{'[/]' if here else ''}{turn}")
    return "\n".join(lines)


lesson = (
    ("Roll the die as often as you dare.", ()),
    ("What you roll adds to the turn total, which is not yours yet.", ("roll",)),
    ("A 1 takes the whole turn total and ends your turn.", ("roll", "roll")),
    ("Hold, and the turn total is banked.", ("roll", "hold")),
    ("The first with enough points wins. Click roll or hold.", ()),
)
seat_colors = SEAT_COLORS


def roll(board, state, outcome):
    return ((int(state.seat), (int(outcome) + 1,)),)


def tell(board, moves):
    """A roll with its face and what it makes of the turn, or what a hold banks."""
    (state, action), *answers = moves
    total, score = int(state.turn_total), int(state.scores[state.seat])
    if action == HOLD:
        return f"held {total}: {score + total} points"
    if not answers:
        return "rolls"
    face = int(answers[0][1]) + 1
    if face == 1:
        return f"rolled a 1: {total} lost" if total else "rolled a 1: nothing this turn"
    return f"rolled {'an' if face in (8, 11, 18) else 'a'} {face}: {total + face} this turn"


def picture(board, state):
    seats, width, left, wide = int(board.seats), 460, 126, 270
    height, total = 34 * seats + 104, int(state.turn_total)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="15">',
        f'<rect width="{width}" height="{height}" rx="10" fill="#f6f1e7"/>',
    ]
    for seat in range(seats):
        y, here = 12 + 34 * seat, seat == state.seat
        done = wide * min(1.0, int(state.scores[seat]) / int(board.target))
        risk = min(wide * total / int(board.target), wide - done) if here else 0.0
        out.append(
            f'<text x="14" y="{y + 17}" font-weight="{"bold" if here else "normal"}" fill="#333333">seat {seat}</text>'
        )
        out.append(f'<rect x="{left}" y="{y}" width="{wide}" height="24" rx="4" fill="#e2d9c6"/>')
        out.append(
            f'<rect data-key="done{seat}" x="{left}" y="{y}" width="{done:.1f}" height="24" rx="4" '
            f'fill="{seat_colors[seat]}"/>'
        )
        out.append(
            f'<rect data-key="risk{seat}" x="{left + done:.1f}" y="{y}" width="{risk:.1f}" height="24" fill="#edae49"/>'
        )
        out.append(f'<text x="{left + wide + 10}" y="{y + 17}" fill="#333333">{int(state.scores[seat])}</text>')
    mover = to_move(board, state)
    if mover != OVER:
        place = f'x="{width / 2:g}" y="{34 * seats + 38}" font-size="18" text-anchor="middle"'
        out.append(f'<text {place} fill="#333333">turn total {total}, {int(board.target)} to win</text>')
    if mover == CHANCE:
        step = 420 / int(board.sides)
        buttons = [(str(face + 1), 20 + face * step, step - 4) for face in range(board.sides)]
    elif mover == OVER:
        buttons = []
    else:
        buttons = [("roll", 60.0, 160.0)] + ([("hold", 240.0, 160.0)] if total > 0 else [])
    for word, x, broad in buttons:
        place = f'x="{x:.1f}" y="{height - 50}" width="{broad:.1f}" height="40"'
        label = f'x="{x + broad / 2:.1f}" y="{height - 25}" text-anchor="middle"'
        out.append(f'<g data-word="{word}" style="cursor:pointer"><rect {place} rx="6" fill="#3d5a3d"/>')
        out.append(f'<text {label} fill="#ffffff">{word}</text></g>')
    return "".join(out) + "</svg>"
