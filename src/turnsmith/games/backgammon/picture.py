"""The board of backgammon for people, and the words of its moves."""

from turnsmith.contract import drawing
from turnsmith.contract.game import CHANCE
from turnsmith.games.backgammon.rules import BAR, CHECKERS, OFF, PASS, ROLLS, legal, to_move
from turnsmith.languages import _, marked, player_name

lesson = (
    ("Two dice say how far two checkers go, towards your own home.", ()),
    ("A point with two or more checkers of the other is closed to you.", ()),
    ("A single one is hit, and must begin again from the bar.", ()),
    ("When all of yours are home, bear them off. Who is done first wins.", ()),
    ("Click a checker, then where it goes.", ()),
)
seat_colors = ("#22262b", "#d1495b")


def ending(board, state):
    return _("{} has all checkers off").format(player_name(0 if state.checkers[0, OFF] == CHECKERS else 1))


def words(board, state, action):
    if to_move(board, state) == CHANCE:
        roll = "-".join(map(str, ROLLS[action if state.begun else action // 2].tolist()))
        return roll if state.begun else f"seat-{action % 2} {roll}"
    start, die, other = action // 2, int(state.dice[action % 2]), int(state.dice[1 - action % 2])
    is_second = start <= die < other  # both dice take this checker off: one of them is named
    return marked("pass") if action == PASS else f"{_name(start)} {f'off-{die}' if is_second else _name(start - die)}"


def roll(board, state, outcome):
    said = words(board, state, outcome)
    seat = int(state.seat) if state.begun else int(said.partition(" ")[0][-1])
    return ((seat, tuple(int(die) for die in said.rpartition(" ")[2].split("-"))),)


def shorthand(board, state, text):
    return text.replace("/", " ")


def _name(point):
    return marked("bar") if point == BAR else marked("off") if point <= OFF else str(point)


def _places(state, side):
    """Name, owner and number of checkers of points, bar and tray, as they lie from a side; names are the mover's."""
    side = int(side or 0)
    is_other = int(state.seat) != side
    for point in range(1, BAR):
        seat = side if state.checkers[side, point] else 1 - side
        count = int(state.checkers[seat, point if seat == side else BAR - point])
        yield _name(BAR - point if is_other else point), seat, count
    for point in (BAR, OFF):
        for seat in (side, 1 - side):
            yield _name(point), seat, int(state.checkers[seat, point])


def _dice(state):
    dice = " ".join(str(int(die)) for die in state.dice if die) or "–"
    return _("{who}, dice {dice}").format(who=player_name(state.seat), dice=dice)


def text(board, state, side=None):
    places = [(name, f"{'●○'[seat]}{count}" if count else "·") for name, seat, count in _places(state, side)]
    rows = [places[12:24], places[11::-1]]
    lines = [" ".join(f"{piece:>3}" for piece in line) for row in rows for line in zip(*row, strict=True)]
    return "\n".join([*lines, "  ".join(f"{_(name)} {sign}" for name, sign in places[24:]), _dice(state)])


def picture(board, state, side=None):
    side = int(side or 0)
    clicks = drawing.pieces(legal, words, board, state) if to_move(board, state) >= 0 else {}
    parts = []
    for place, (name, seat, count) in enumerate(_places(state, side)):
        if place < 24:
            column, is_high = (place - 12, True) if place > 11 else (11 - place, False)
        else:  # of bar and tray the half of this side is below
            column, is_high = 12 + (place - 24) // 2, place % 2 == 1
        x, y, down = 25 + 42 * column, 30 if is_high else 290, 1 if is_high else -1
        fill = "#c8b08a" if column > 11 else ("#b5835a", "#e0c9a6")[column % 2]
        part = f'<path d="M{x - 19} {y}h38l-19 {down * 120}z" fill="{fill}"/>'
        line = 22 if is_high else 308
        if place < 24:  # the log tells the moves of each seat by its own numbers, so both stand there
            part += drawing.label(x - 3, line, place + 1, seat_colors[side])
            part += drawing.label(x + 13, line, 24 - place, seat_colors[1 - side], font_size=9)
        else:
            part += drawing.label(x, line, _(name))
        for man in range(min(count, 5)):
            part += drawing.disc(x, y + down * (16 + 23 * man), 11, seat_colors[seat])
        part += drawing.label(x, y + down * 16 + 5, count, "#ffffff", font_size=12) if count > 1 else ""
        is_click = (place < 24 or seat == state.seat) and name in clicks
        # The words are the mover's; by its key a point stays where it is, and is known to who plans a move there.
        key = str(place + 1) if place < 24 else f"{name}{' of the other' if is_high else ''}"
        parts.append(drawing.clickable(name if is_click else "", part, key))
    parts.append(drawing.label(20, 340, _dice(state), text_anchor="start"))
    named = [piece for piece in clicks if piece == "pass" or piece.startswith("off-")]
    return drawing.svg(590, 356, [*parts, drawing.buttons(named, 470, 318)], "#f3ead8")
