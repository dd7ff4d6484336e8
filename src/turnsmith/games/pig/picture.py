"""Pig for people: words, bars in a terminal, the picture."""

from __future__ import annotations

from turnsmith.game import CHANCE, OVER
from turnsmith.games.pig.rules import ROLL, to_move


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


def picture(board, state):
    seats, width = int(board.seats), 420
    height = 34 * seats + 70
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="15">',
        f'<rect width="{width}" height="{height}" rx="10" fill="#f6f1e7"/>',
    ]
    for seat in range(seats):
        y, here = 12 + 34 * seat, seat == state.seat
        done = 280 * min(1.0, int(state.scores[seat]) / int(board.target))
        risk = 280 * min(1.0, int(state.turn_total) / int(board.target)) if here else 0.0
        out.append(
            f'<text x="14" y="{y + 17}" font-weight="{"bold" if here else "normal"}" fill="#333333">seat {seat}</text>'
        )
        out.append(f'<rect x="74" y="{y}" width="280" height="24" rx="4" fill="#e2d9c6"/>')
        out.append(f'<rect x="74" y="{y}" width="{done:.1f}" height="24" rx="4" fill="#30638e"/>')
        out.append(
            f'<rect x="{74 + done:.1f}" y="{y}" width="{min(risk, 280 - done):.1f}" height="24" fill="#edae49"/>'
        )
        out.append(f'<text x="364" y="{y + 17}" fill="#333333">{int(state.scores[seat])}</text>')
    mover = to_move(board, state)
    if mover == CHANCE:
        wide = 380 / int(board.sides)
        buttons = [(str(face + 1), 20 + face * wide, wide - 4) for face in range(board.sides)]
    elif mover == OVER:
        buttons = []
    else:
        buttons = [("roll", 74.0, 130.0)] + ([("hold", 224.0, 130.0)] if state.turn_total > 0 else [])
    for word, x, wide in buttons:
        place = f'x="{x:.1f}" y="{height - 48}" width="{wide:.1f}" height="34"'
        label = f'x="{x + wide / 2:.1f}" y="{height - 25}" text-anchor="middle"'
        out.append(f'<g data-word="{word}" style="cursor:pointer"><rect {place} rx="6" fill="#3d5a3d"/>')
        out.append(f'<text {label} fill="#ffffff">{word}</text></g>')
    return "".join(out) + "</svg>"
