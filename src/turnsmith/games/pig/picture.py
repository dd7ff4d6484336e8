"""Pig for people: words, bars in a terminal, the picture."""

from __future__ import annotations

from turnsmith.contract.drawing import SEAT_COLORS
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.games.pig.rules import HOLD, ROLL, to_move
from turnsmith.languages import _, counted, marked, player_name


def words(board, state, action):
    if state.rolling:
        return str(action + 1)
    return marked("roll") if action == ROLL else marked("hold")


def text(board, state):
    lines, wide = [], len(player_name(board.seats - 1))
    for seat in range(board.seats):
        score, here = int(state.scores[seat]), seat == state.seat
        bar = "█" * round(20 * min(score, board.target) / board.target)
        turn = f"  [yellow]+{int(state.turn_total)}[/]" if here else ""
        said = f"{player_name(seat):<{wide}} {score:>4} {bar:<20}"
        lines.append(f"[bold]{said}[/]{turn}" if here else said)
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
        said = counted("held {total}: {score} point", "held {total}: {score} points", score + total)
        return said.format(total=total, score=score + total)
    if not answers:
        return _("rolls")
    face = int(answers[0][1]) + 1
    if face == 1:
        return _("rolled a 1: {} lost").format(total) if total else _("rolled a 1: nothing this turn")
    said = _("rolled an {face}: {total} this turn") if face in (8, 11, 18) else _("rolled a {face}: {total} this turn")
    return said.format(face=face, total=total + face)


def picture(board, state):
    seats, width, left, wide = int(board.seats), 460, 126, 270
    height, total = 34 * seats + 104, int(state.turn_total)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="15">',
    ]
    for seat in range(seats):
        y, here = 12 + 34 * seat, seat == state.seat
        done = wide * min(1.0, int(state.scores[seat]) / int(board.target))
        risk = min(wide * total / int(board.target), wide - done) if here else 0.0
        weight = "bold" if here else "normal"
        out.append(f'<text x="14" y="{y + 17}" font-weight="{weight}" fill="currentColor">{player_name(seat)}</text>')
        out.append(f'<rect x="{left}" y="{y}" width="{wide}" height="24" rx="4" fill="#8a8578" fill-opacity="0.3"/>')
        out.append(
            f'<rect data-key="done{seat}" x="{left}" y="{y}" width="{done:.1f}" height="24" rx="4" '
            f'fill="{seat_colors[seat]}"/>'
        )
        out.append(
            f'<rect data-key="risk{seat}" x="{left + done:.1f}" y="{y}" width="{risk:.1f}" height="24" fill="#edae49"/>'
        )
        out.append(f'<text x="{left + wide + 10}" y="{y + 17}" fill="currentColor">{int(state.scores[seat])}</text>')
    mover = to_move(board, state)
    if mover != OVER:
        place = f'x="{width / 2:g}" y="{34 * seats + 38}" font-size="18" text-anchor="middle"'
        said = _("turn total {total}, {target} to win").format(total=total, target=int(board.target))
        out.append(f'<text {place} fill="currentColor">{said}</text>')
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
        out.append(f'<text {label} fill="#ffffff">{_(word)}</text></g>')
    return "".join(out) + "</svg>"
