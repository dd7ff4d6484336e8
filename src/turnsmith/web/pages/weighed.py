"""How a player weighed what it might do, beside the advice on a game's page."""

from __future__ import annotations

import html

from turnsmith.languages import _
from turnsmith.play.inspection import Choice, Inspection, short
from turnsmith.play.player import Decision

ROWS, PARTS = 12, 6
"""Choices and parts of their scores that are shown: those that count most."""


def why_html(decision: Decision) -> str:
    """The choices best first, the one that is played marked, each with the largest parts of its score; then what the
    player looked at. All texts are escaped: players may say anything."""
    inspection = decision.inspection
    if inspection is None:
        return ""
    ranked = inspection.ranked()[:ROWS]
    played = next((choice for choice in ranked if choice.words == decision.words and not choice.impossible), None)
    largest = max(
        (abs(part) for choice in ranked if not choice.impossible for part in choice.parts.values()), default=0.0
    )
    lines = [_choice(inspection, choice, choice is played, largest) for choice in ranked]
    if len(inspection.choices) > ROWS:
        lines.append(f'<div class="small">{_("and {count} more").format(count=len(inspection.choices) - ROWS)}</div>')
    seen = ", ".join(f"{html.escape(name)} <b>{short(value)}</b>" for name, value in inspection.inputs.items())
    if seen:
        lines.append(f'<div class="small why-inputs">{_("It looks at {seen}.").format(seen=seen)}</div>')
    return "".join(lines)


def _choice(found: Inspection, choice: Choice, is_played: bool, largest: float) -> str:
    """One choice: its name, move and score, and below what the score is made of, with bars to compare."""
    kind = " played" if is_played else " impossible" if choice.impossible else ""
    move = f' <span class="small">{html.escape(choice.words)}</span>' if choice.words not in ("", choice.name) else ""
    score = "" if choice.score is None else f'<span class="why-score">{choice.score:.3f}</span>'
    head = f'<div class="why-head"><span>{html.escape(choice.name)}{move}</span>{score}</div>'
    if choice.impossible:
        return f'<div class="why-choice{kind}">{head}<div class="small">{html.escape(choice.impossible)}</div></div>'
    told = f'<div class="small">{html.escape(choice.told)}</div>' if choice.told else ""
    return f'<div class="why-choice{kind}">{head}{told}{"".join(_parts(found, choice, largest))}</div>'


def _parts(found: Inspection, choice: Choice, largest: float) -> list[str]:
    lines = []
    for name, part in choice.largest(PARTS):
        width = round(100 * abs(part) / largest) if largest else 0
        sign = "less" if part < 0 else "more"
        bar = f'<span class="why-bar"><span class="{sign}" style="width: {width}%"></span></span>'
        lines.append(f'<div class="why-part small">{bar}{html.escape(found.part_told(name, part))}</div>')
    return lines
