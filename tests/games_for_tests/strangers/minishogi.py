"""Minishogi: shogi on five by five cells; what you take changes sides, and comes back where you like.

Each seat has a king K, a rook R, a bishop B, a gold general G, a silver general S and a pawn P. Seat 0 begins and
moves up the board. A piece that is taken goes to the taker's hand, and may be dropped on an empty cell instead of a
move. A pawn, silver, bishop or rook that moves to or from the far row may be promoted. A pawn that arrives there must
be. A pawn is not dropped on the far row, nor on a column with an unpromoted pawn of its own seat, nor to give mate.
Who cannot move without leaving the king in check has lost. When a position comes up for the fourth time, a seat that
gave check with every move in between loses, and otherwise seat 0 does. After a fixed number of moves it is a draw.
"""

from dataclasses import asdict, dataclass

import numpy as np

from turnsmith.game import OVER, board_record, drawing, lowest_bit, mix, new_board, record, scratch, setting, sources
from turnsmith.languages import player_name

SIDE, CELLS, MOST_MOVES = 5, 25, 200
PAWN, SILVER, BISHOP, ROOK, GOLD, KING = 1, 2, 3, 4, 5, 6
KINDS, PROMOTION, WHITE = 11, 6, 16  # a promoted piece is kind + 6, a piece of seat 1 is + 16
DROPS = CELLS * CELLS * 2  # the first action that is a drop
MATE, REPETITION, CHECKS, LONG = 1, 2, 3, 4  # why it ended
START = (
    (ROOK + WHITE, BISHOP + WHITE, SILVER + WHITE, GOLD + WHITE, KING + WHITE),
    (0, 0, 0, 0, PAWN + WHITE),
    (0, 0, 0, 0, 0),
    (PAWN, 0, 0, 0, 0),
    (KING, GOLD, SILVER, BISHOP, ROOK),
)
# Eight directions as seat 0 sees them, clockwise from straight on; seat 1 sees each turned by half a circle.
WAYS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
STRAIGHT, SLANTED, EVERY = 0b01010101, 0b10101010, 0b11111111
LIKE_GOLD = 0b11010111
STEPS = (0, 0b1, 0b10101011, 0, 0, LIKE_GOLD, EVERY, LIKE_GOLD, LIKE_GOLD, STRAIGHT, SLANTED)
SLIDES = (0, 0, 0, SLANTED, STRAIGHT, 0, 0, 0, 0, SLANTED, STRAIGHT)
WORTH = (0, 1, 5, 8, 10, 6, 0, 6, 6, 12, 14)
LETTERS = "?PSBRGKPSBR"


@dataclass(frozen=True)
class Options:
    moves: int = setting(120, 10, MOST_MOVES)
    """Moves until a draw, of both seats together."""


Board = board_record(
    moves=np.int64,
    beside=(np.int64, 8 * CELLS),
    steps=(np.int64, KINDS),
    slides=(np.int64, KINDS),
    worth=(np.int64, KINDS),
)
State = record(
    cells=(np.int8, CELLS), hands=(np.int8, 2 * KING), seat=np.int8, why=np.int8, victor=np.int8, made=np.int64,
    checks=(np.int8, MOST_MOVES + 1), seen=(np.uint64, MOST_MOVES + 1),
)  # fmt: skip
"""`hands`: how many of a kind a seat holds, at 6 · seat + kind. `victor`: seat + 1, 0 for a draw. `seen`: every
position so far as a number, and `checks`: whether the move that led there gave check."""


def source(options, seed):
    return asdict(options)


def tables(source):
    options = sources.options(source, Options)
    beside = np.full((CELLS, 8), -1)
    for cell in range(CELLS):
        for way, (dx, dy) in enumerate(WAYS):
            x, y = cell % SIDE + dx, cell // SIDE + dy
            if 0 <= x < SIDE and 0 <= y < SIDE:
                beside[cell, way] = y * SIDE + x
    return new_board(
        Board, seats=2, actions=DROPS + KING * CELLS, moves=options.moves,
        beside=beside.reshape(-1), steps=STEPS, slides=SLIDES, worth=WORTH,
    )  # fmt: skip


# ---------------------------------------------------------------- the rules, which are compiled


def setup(board, state):
    for row in range(SIDE):
        for column in range(SIDE):
            state.cells[row * SIDE + column] = START[row][column]
    state.seen[0] = position_number(state)


def position_number(state):
    """Equal positions have equal numbers: what stands where, what is in hand, and who moves."""
    number = np.uint64(int(state.seat) + 1)
    for cell in range(CELLS):
        number = mix(number ^ np.uint64(state.cells[cell]))
    for place in range(2 * KING):
        number = mix(number ^ np.uint64(state.hands[place]))
    return number


def is_far(seat, cell):
    return cell < SIDE if seat == 0 else cell >= CELLS - SIDE


def is_attacked(board, cells, cell, by):
    """Whether a piece of seat `by` could move to this cell."""
    for way in range(8):
        at, distance = int(board.beside[8 * cell + way]), 1
        while at >= 0 and cells[at] == 0:
            at, distance = int(board.beside[8 * at + way]), distance + 1
        if at < 0 or int(cells[at]) >> 4 != by:
            continue
        kind, back = int(cells[at]) & 15, (way + 4 + 4 * by) % 8
        if (board.slides[kind] >> back) & 1 or (distance == 1 and (board.steps[kind] >> back) & 1):
            return True
    return False


def is_in_check(board, cells, seat):
    for cell in range(CELLS):
        if int(cells[cell]) == KING + WHITE * seat:
            return is_attacked(board, cells, cell, 1 - seat)
    return False


def targets(board, cells, cell):
    """The cells that the piece on this one could move to, as bits, be the king safe or not."""
    seat, kind = int(cells[cell]) >> 4, int(cells[cell]) & 15
    bits = np.uint64(0)
    for turned in range(8):
        if not ((board.steps[kind] | board.slides[kind]) >> turned) & 1:
            continue
        way = (turned + 4 * seat) % 8
        at = int(board.beside[8 * cell + way])
        while at >= 0:
            if cells[at] == 0 or int(cells[at]) >> 4 != seat:
                bits |= np.uint64(1) << np.uint64(at)
            if cells[at] != 0 or not (board.slides[kind] >> turned) & 1:
                break
            at = int(board.beside[8 * at + way])
    return bits


def is_safe(board, cells, seat, start, target, piece):
    """Whether the seat's king is out of check after a move from `start`, or a drop where that is -1."""
    after = scratch(CELLS, np.int8)
    for cell in range(CELLS):
        after[cell] = cells[cell]
    if start >= 0:
        after[start] = 0
    after[target] = piece
    return not is_in_check(board, after, seat)


def mates_by_pawn(board, cells, seat, target):
    """Whether a pawn dropped here is mate. Only moves can answer: nothing comes between a king and a pawn before it."""
    front = int(board.beside[8 * target + 4 * seat])
    if int(cells[front]) != KING + WHITE * (1 - seat):
        return False
    after = scratch(CELLS, np.int8)
    for cell in range(CELLS):
        after[cell] = cells[cell]
    after[target] = PAWN + WHITE * seat
    for cell in range(CELLS):
        if after[cell] == 0 or int(after[cell]) >> 4 == seat:
            continue
        bits = targets(board, after, cell)
        while bits:
            answer = int(lowest_bit(bits))
            bits &= bits - np.uint64(1)
            if is_safe(board, after, 1 - seat, cell, answer, after[cell]):
                return False
    return True


def may_drop(board, cells, seat, kind, target):
    if cells[target] != 0:
        return False
    if kind == PAWN:
        if is_far(seat, target):
            return False
        for row in range(SIDE):
            if int(cells[row * SIDE + target % SIDE]) == PAWN + WHITE * seat:
                return False
    if not is_safe(board, cells, seat, -1, target, kind + WHITE * seat):
        return False
    return kind != PAWN or not mates_by_pawn(board, cells, seat, target)


def list_moves(board, state, out, enough):
    """The legal moves, ascending; at least the first `enough` of them."""
    seat, count = int(state.seat), 0
    for start in range(CELLS):
        piece = int(state.cells[start])
        if piece == 0 or piece >> 4 != seat:
            continue
        kind, bits = piece & 15, targets(board, state.cells, start)
        while bits and count < enough:
            target = int(lowest_bit(bits))
            bits &= bits - np.uint64(1)
            if not is_safe(board, state.cells, seat, start, target, piece):
                continue
            action = 2 * (start * CELLS + target)
            if kind != PAWN or not is_far(seat, target):
                out[count] = action
                count += 1
            if kind <= ROOK and (is_far(seat, start) or is_far(seat, target)):
                out[count] = action + 1
                count += 1
    for kind in range(PAWN, KING):
        if state.hands[KING * seat + kind] == 0:
            continue
        for target in range(CELLS):
            if count < enough and may_drop(board, state.cells, seat, kind, target):
                out[count] = DROPS + kind * CELLS + target
                count += 1
    return count


def to_move(board, state):
    return OVER if state.why else int(state.seat)


def legal(board, state, out):
    return 0 if state.why else list_moves(board, state, out, board.actions)


def apply(board, state, action):
    seat = int(state.seat)
    if action >= DROPS:
        kind = (action - DROPS) // CELLS
        state.cells[(action - DROPS) % CELLS] = kind + WHITE * seat
        state.hands[KING * seat + kind] -= 1
    else:
        start, target = action // 2 // CELLS, action // 2 % CELLS
        taken = int(state.cells[target]) & 15
        if taken:
            state.hands[KING * seat + (taken - PROMOTION if taken > PROMOTION else taken)] += 1
        state.cells[target] = int(state.cells[start]) + PROMOTION * (action % 2)
        state.cells[start] = 0
    state.seat = 1 - seat
    state.made += 1
    state.seen[state.made] = position_number(state)
    state.checks[state.made] = is_in_check(board, state.cells, 1 - seat)
    judge(board, state)


def judge(board, state):
    """Whether the game is over, after a move."""
    any_move = scratch(2, np.int32)
    mover, made = 1 - int(state.seat), int(state.made)
    if list_moves(board, state, any_move, 1) == 0:
        state.why, state.victor = MATE, mover + 1
        return
    times, first = 1, made
    for earlier in range(made - 1, -1, -1):
        if state.seen[earlier] == state.seen[made]:
            times, first = times + 1, earlier
    if times >= 4:
        always = scratch(2, np.int8)
        always[0] = always[1] = 1
        for later in range(first + 1, made + 1):
            if not state.checks[later]:
                always[(later - 1) % 2] = 0
        state.why, state.victor = REPETITION, 2
        if always[mover] or always[1 - mover]:
            state.why, state.victor = CHECKS, (2 - mover if always[mover] else mover + 1)
    elif made >= board.moves:
        state.why = LONG


def returns(board, state, out):
    out[0] = 0.0 if state.victor == 0 else 3.0 - 2.0 * state.victor
    out[1] = -out[0]


def evaluate(board, state, out):
    """Material: what stands on the board and is in hand."""
    lead = 0
    for cell in range(CELLS):
        worth = board.worth[int(state.cells[cell]) & 15]
        lead += worth if int(state.cells[cell]) < WHITE else -worth
    for kind in range(PAWN, KING):
        lead += board.worth[kind] * (int(state.hands[kind]) - int(state.hands[KING + kind]))
    out[0] = np.tanh(lead / 10.0)
    out[1] = -out[0]


def hash(board, state):
    """The positions that came before are left out; the number of moves matters near the end."""
    left = int(board.moves) - int(state.made)
    return mix(state.seen[state.made] + np.uint64(left if left < 20 else 20))


# ---------------------------------------------------------------- for people, plain Python
lesson = (
    ("Each seat wants the other's king. Yours stand below and move up.", ()),
    ("R slides straight, B slants. K, G, S step; P steps straight on.", ("e1 e4",)),
    ("What you take is yours, and is kept beside the board.", ("e1 e4", "e5 e4")),
    ("Drop it on an empty cell instead of a move.", ("e1 e4", "e5 e4", "a2 a3", "R c3", "P d3")),
    ("In the far row, or leaving it, a piece may be promoted.", ("d1 b3", "e4 e3", "b3 d5 promote")),
    ("Click a piece, in hand or on the board, and where it goes.", ()),
)
seat_colors = ("#d1495b", "#2e5e8c")


def name(cell):
    return drawing.cell_name(cell % SIDE, cell // SIDE, SIDE)


def words(board, state, action):
    if action >= DROPS:
        return f"{LETTERS[(action - DROPS) // CELLS]} {name((action - DROPS) % CELLS)}"
    start, target = action // 2 // CELLS, action // 2 % CELLS
    piece = int(state.cells[start])
    seat, kind = piece >> 4, piece & 15
    choice = ""
    if kind <= ROOK and (is_far(seat, start) or is_far(seat, target)):
        choice = " promote" if action % 2 else " stay"
    return f"{name(start)} {name(target)}{choice}"


def ending(board, state):
    if state.why == LONG:
        return f"{int(state.made)} moves were made"
    if state.why == REPETITION:
        return "the same position for the fourth time"
    loser = player_name(2 - int(state.victor))
    return f"{loser} gave check again and again" if state.why == CHECKS else f"{loser} cannot save the king"


def sign(piece):
    return ("+" if piece & 15 > PROMOTION else "") + LETTERS[piece & 15]


def in_hand(state, seat):
    return [kind for kind in range(PAWN, KING) for _ in range(int(state.hands[KING * seat + kind]))]


def text(board, state):
    signs = {}
    for cell in range(CELLS):
        piece = int(state.cells[cell])
        if piece:
            signs[cell % SIDE, cell // SIDE] = f"[bold {('red', 'blue')[piece >> 4]}]{sign(piece)}[/]"
    hands = [
        f"{player_name(seat)} holds {' '.join(LETTERS[k] for k in in_hand(state, seat)) or '-'}" for seat in (1, 0)
    ]
    return "\n".join([hands[0], drawing.board_text(SIDE, SIDE, signs, rows=SIDE), hands[1]])


def man(x, y, piece):
    """A tile that points to where it moves."""
    half = f' transform="rotate(180 {x} {y})"' if piece >> 4 else ""
    ink = "#b3261e" if piece & 15 > PROMOTION else "#22262b"
    shape = f"M{x} {y - 24} l16 8 l4 38 h-40 l4 -38 z"
    return (
        f'<g{half}><path d="{shape}" fill="{("#f3d9a4", "#cfdcec")[piece >> 4]}" stroke="{seat_colors[piece >> 4]}"/>'
        f"{drawing.label(x, y + 8, sign(piece), ink, font_size=22)}</g>"
    )


def picture(board, state):
    pieces = drawing.pieces(legal, words, board, state) if to_move(board, state) >= 0 else {}
    parts = []
    for cell in range(CELLS):
        x, y, piece = 40 + 60 * (cell % SIDE), 110 + 60 * (cell // SIDE), int(state.cells[cell])
        square = f'<rect x="{x - 29}" y="{y - 29}" width="58" height="58" fill="#e8c98f"/>'
        inner = square + (man(x, y, piece) if piece else "")
        parts.append(drawing.clickable(name(cell), inner) if name(cell) in pieces else inner)
    for seat, y in ((1, 40), (0, 420)):
        held = in_hand(state, seat)
        for kind in sorted(set(held)):
            x, count = 40 + 60 * (kind - 1), held.count(kind)
            inner = man(x, y, kind + WHITE * seat) + (drawing.label(x + 22, y + 20, count) if count > 1 else "")
            mine = seat == int(state.seat) and LETTERS[kind] in pieces
            parts.append(drawing.clickable(LETTERS[kind], inner) if mine else inner)
    parts.append(drawing.buttons([word for word in ("promote", "stay") if word in pieces], 20, 460))
    return drawing.svg(320, 510, parts, "#f7f1e3")
