"""Backgammon: race your checkers home by dice, and hit the other's on the way.

Seats name the points from their own side: checkers go from 24 down to 1 and then off. Chance rolls who begins, then
two dice a turn, each played by one checker, a double twice over. A point with two or more of the other's checkers is
closed; a single one is hit and starts again from the bar, and nothing else may move before it has. Checkers go off when
all are on 6 or below, by the exact number, or by a larger one from the farthest point. Both dice must be played if that
can be done, else the larger if it can. Whoever has all 15 off wins, 1 point, or more with `most`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from turnsmith import drawing, sources
from turnsmith.game import CHANCE, OVER, board_record, new_board, record
from turnsmith.kernel import copy, scratch
from turnsmith.texts import setting

CHECKERS, BAR, OFF, PASS = 15, 25, 0, 0
START = ((24, 2), (13, 5), (8, 3), (6, 5))
PAIRS = np.array([(high, low) for low in range(1, 7) for high in range(low + 1, 7)], np.int8)


@dataclass(frozen=True)
class Options:
    most: int = setting(1, 1, 3)
    """The most points of a win: 2 if the other has none off, 3 if one of theirs is also on the bar or in your home."""


Board = board_record(most=np.int64)
State = record(checkers=(np.int8, (2, 26)), dice=(np.int8, 2), again=np.int8, begun=np.int8, seat=np.int8)
"""`checkers`: of each seat, on its own points; 0 is off, 25 the bar. `dice`: the larger first, 0 when played; `again`:
the number of a double that is to be played a second time."""


def source(options, seed):
    return asdict(options)


def tables(source):
    most = sources.options(source, Options).most
    return new_board(Board, seats=2, actions=2 * BAR + 2, outcomes=30, low=-most, high=most, most=most)


def setup(board, state):
    for seat in range(2):
        for point, count in START:
            state.checkers[seat, point] = count


def to_move(board, state):
    if state.checkers[0, OFF] == CHECKERS or state.checkers[1, OFF] == CHECKERS:
        return OVER
    return int(state.seat) if state.dice[0] or state.dice[1] else CHANCE


def can_step(state, start, die):
    """Whether the seat to move may play a die from a point of its own."""
    own = state.checkers[int(state.seat)]
    if die == 0 or own[start] == 0 or (own[BAR] and start != BAR):
        return False
    if start > die:
        return state.checkers[1 - int(state.seat), BAR - (start - die)] < 2
    behind = 0
    for point in range(7 if start == die else start + 1, BAR):
        behind += own[point]
    return behind == 0


def step(state, start, which):
    """Play a die; whose turn it is stays."""
    seat = int(state.seat)
    end = max(start - int(state.dice[which]), OFF)
    state.checkers[seat, start] -= 1
    state.checkers[seat, end] += 1
    if end > OFF and state.checkers[1 - seat, BAR - end]:
        state.checkers[1 - seat, BAR - end] = 0
        state.checkers[1 - seat, BAR] += 1
    state.dice[which] = 0


def merit(state, start, which):
    """0 for what cannot be played; only steps of the highest merit may be: 3 if the other die can be played after it,
    else 2 for the larger die."""
    if not can_step(state, start, int(state.dice[which])):
        return 0
    if state.dice[1 - which] == 0:
        return 1
    if state.dice[0] == state.dice[1] and which == 1:
        return 0
    after = scratch(1, State)
    copy(after[0], state)
    step(after[0], start, which)
    for point in range(1, BAR + 1):
        if can_step(after[0], point, int(state.dice[1 - which])):
            return 3
    return 2 - which


def legal(board, state, out):
    """A step's number is 2 · point, and 1 more with the smaller die. Outcomes: pairs, then doubles; of the first roll,
    2 · pair + who begins."""
    mover, count, best = to_move(board, state), 0, 1
    if mover == CHANCE:
        for count in range(21 if state.begun else 30):
            out[count] = count
        return 21 if state.begun else 30
    if mover == OVER:
        return 0
    for action in range(2, 2 * BAR + 2):
        found = merit(state, action // 2, action % 2)
        if found > best:
            best, count = found, 0
        if found == best:
            out[count] = action
            count += 1
    out[count] = out[count] if count else PASS
    return max(count, 1)


def weights(board, state, out):
    for index in range(21 if state.begun else 30):
        out[index] = (2 if index < 15 else 1) / 36 if state.begun else 1 / 30


def apply(board, state, action):
    if state.dice[0] == 0 and state.dice[1] == 0:
        pair = action if state.begun else action // 2
        state.seat = state.seat if state.begun else action % 2
        state.again = max(pair - 14, 0)
        for which in range(2):
            state.dice[which] = state.again if state.again else PAIRS[pair, which]
        state.begun = 1
        return
    if action == PASS:
        state.dice[0] = state.dice[1] = state.again = 0
    else:
        step(state, action // 2, action % 2)
    if state.dice[0] == 0 and state.dice[1] == 0 and to_move(board, state) != OVER:
        state.dice[0] = state.dice[1] = state.again
        state.seat, state.again = state.seat if state.again else 1 - state.seat, 0


def returns(board, state, out):
    winner = 0 if state.checkers[0, OFF] == CHECKERS else 1
    behind, points = 0, 1
    for point in range(19, BAR + 1):
        behind += state.checkers[1 - winner, point]
    if state.checkers[1 - winner, OFF] == 0:
        points = 3 if behind else 2
    out[winner] = min(points, board.most)
    out[1 - winner] = -out[winner]


def evaluate(board, state, out):
    """By the race: how many points of dice the seats still need."""
    lead = 0
    for point in range(1, BAR + 1):
        lead += point * (int(state.checkers[1, point]) - int(state.checkers[0, point]))
    out[0] = lead / (60.0 + abs(lead))
    out[1] = -out[0]


# ---------------------------------------------------------------- for people

lesson = (
    ("Two dice say how far two checkers go, towards your own home.", ()),
    ("A point with two or more checkers of the other is closed to you.", ()),
    ("A single one is hit, and must begin again from the bar.", ()),
    ("When all of yours are home, bear them off. Who is done first wins.", ()),
    ("Click a checker, then where it goes.", ()),
)
seat_colors = ("#22262b", "#d1495b")


def ending(board, state):
    return f"seat {0 if state.checkers[0, OFF] == CHECKERS else 1} has all checkers off"


def words(board, state, action):
    if to_move(board, state) == CHANCE:
        pair = action if state.begun else action // 2
        roll = f"{action - 14}-{action - 14}" if pair > 14 else "-".join(map(str, PAIRS[pair].tolist()))
        return roll if state.begun else f"seat-{action % 2} {roll}"
    start, die, other = action // 2, int(state.dice[action % 2]), int(state.dice[1 - action % 2])
    is_second = start <= die < other  # both dice take this checker off: one of them is named
    return "pass" if action == PASS else f"{_name(start)} {f'off-{die}' if is_second else _name(start - die)}"


def roll(board, state, outcome):
    said = words(board, state, outcome)
    seat = int(state.seat) if state.begun else int(said.partition(" ")[0][-1])
    return ((seat, tuple(int(die) for die in said.rpartition(" ")[2].split("-"))),)


def shorthand(board, state, text):
    return text.replace("/", " ")


def _name(point):
    return "bar" if point == BAR else "off" if point <= OFF else str(point)


def _places(state):
    """Name, owner and number of checkers of every point, bar and tray, as the seat to move counts them."""
    own = int(state.seat)
    for point in range(1, BAR):
        seat = own if state.checkers[own, point] else 1 - own
        yield _name(point), seat, int(state.checkers[seat, point if seat == own else BAR - point])
    for point in (BAR, OFF):
        for seat in (own, 1 - own):
            yield _name(point), seat, int(state.checkers[seat, point])


def _dice(state):
    return f"seat {int(state.seat)}, dice {' '.join(str(int(die)) for die in state.dice if die) or '–'}"


def text(board, state):
    places = [(name, f"{'●○'[seat]}{count}" if count else "·") for name, seat, count in _places(state)]
    rows = [places[12:24], places[11::-1]]
    lines = [" ".join(f"{piece:>3}" for piece in line) for row in rows for line in zip(*row, strict=True)]
    return "\n".join([*lines, "  ".join(f"{name} {sign}" for name, sign in places[24:]), _dice(state)])


def picture(board, state):
    acts, out = np.zeros(52, np.int32), []
    moves = [int(act) for act in acts[: legal(board, state, acts)]] if to_move(board, state) >= 0 else []
    clicks = {piece for act in moves for piece in words(board, state, act).split()}
    for place, (name, seat, count) in enumerate(_places(state)):
        if place < 24:
            column, is_high = (place - 12, True) if place > 11 else (11 - place, False)
        else:
            column, is_high = 12 + (place - 24) // 2, place % 2 == 1
        x, y, down = 25 + 42 * column, 30 if is_high else 290, 1 if is_high else -1
        fill = "#c8b08a" if column > 11 else ("#b5835a", "#e0c9a6")[column % 2]
        part = f'<path d="M{x - 19} {y}h38l-19 {down * 120}z" fill="{fill}"/>' + drawing.label(
            x, 22 if is_high else 308, name
        )
        for man in range(min(count, 5)):
            part += drawing.disc(x, y + down * (16 + 23 * man), 11, seat_colors[seat])
        part += drawing.label(x, y + down * 16 + 5, count, "#ffffff", font_size=12) if count > 1 else ""
        is_own = place < 24 or place % 2 == 0
        out.append(drawing.clickable(name, part) if is_own and name in clicks else part)
    out.append(drawing.label(20, 340, _dice(state), text_anchor="start"))
    extra = sorted(piece for piece in clicks if piece == "pass" or piece.startswith("off-"))
    return drawing.svg(590, 356, [*out, drawing.buttons(extra, 470, 318)], "#f3ead8")
