"""The board on a page: shows a picture, reports clicked words, and draws advice on top."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from turnsmith.languages import _, worded
from turnsmith.play.player import Decision


class Board(Element, component="board.js", esm={"turnsmith-marks": "marks"}):
    """A picture whose ``data-word`` parts are clickable while `live`. `on_piece` gets the word of a clicked part."""

    def __init__(self, svg: str = "", label: str = "", on_piece: Callable[[str], Any] | None = None):
        super().__init__()
        self._props.update(svg=svg, label=label or _("board"), live=False, open=[], chosen=[], dots=False, marks=[])
        self._props.update(tips={}, overlays={}, names={})
        if on_piece is not None:
            self.on("piece", lambda event: on_piece(_word(event)))

    def show(self, **changes: Any) -> None:
        """Change what is shown: svg, live, open, chosen, draft, dots, tips, overlays, marks, ahead, arrows."""
        if "open" in changes:
            changes["names"] = {word: worded(word) for word in changes["open"] if worded(word) != word}
        fresh = {name: value for name, value in changes.items() if self._props.get(name) != value}
        if fresh:
            self._props.update(fresh)
            self.update()


def _word(event: GenericEventArguments) -> str:
    return str(event.args)[:200]


def best_of(decision: Decision) -> Decision:
    """Advice: the move that its player thinks best. Who plays by chance, as weakened opponents do, may have drawn
    another."""
    policy = decision.policy or {}
    best = max(policy, key=lambda words: policy[words], default=decision.words)
    if policy.get(best, 0.0) <= policy.get(decision.words, 1.0):
        return decision
    return replace(decision, words=best, line=())


def marks_of(decision: Decision, most: int = 5) -> list[dict[str, Any]]:
    """A decision drawn on the board: its policy, the move itself, and the line of play it expects, numbered."""
    marks: list[dict[str, Any]] = []
    policy = decision.policy or {}
    for words, share in list(policy.items())[:most]:
        if words != decision.words and share >= 0.01:
            marks.append({"pieces": words.split(), "label": f"{share:.0%}", "strength": share, "kind": "policy"})
    own = policy.get(decision.words, 1.0)
    label = f"{own:.0%}" if own < 1 else "1" if len(decision.line) > 1 else _("best")
    marks.append({"pieces": decision.words.split(), "label": label, "strength": 1.0, "kind": "best"})
    for number, words in enumerate(decision.line[1:most], start=2):
        marks.append({"pieces": words.split(), "label": str(number), "strength": 0.4, "kind": "line"})
    return marks


def next_pieces(words: Sequence[str], chosen: Sequence[str]) -> dict[str, list[int]]:
    """The pieces that may follow those chosen, each with the moves (places in `words`) it leads to.

    >>> next_pieces(["a b", "a c", "end"], ["a"])
    {'b': [0], 'c': [1]}
    """
    pieces: dict[str, list[int]] = {}
    begun = " ".join(chosen) + " " if chosen else ""
    for place, move in enumerate(words):
        if move.startswith(begun):
            pieces.setdefault(move[len(begun) :].partition(" ")[0], []).append(place)
    return pieces


ARROWS = ("ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight")


def typed(key: str, begun: str, open_words: Sequence[str], arrows: Sequence[str] = ()) -> tuple[str, str | None]:
    """What a key does: the letters typed so far, and the word they make once it is clear which is meant.

    A letter that only one word ends with will do; `arrows` are the endings that ↑ ← ↓ → stand for.

    >>> typed("1", "a", ["a1", "a12"]), typed("Enter", "a1", ["a1", "a12"]), typed("x", "", ["a1", "a12"])
    (('a1', None), ('', 'a1'), ('', None))
    >>> typed("n", "", ["1w", "1n"]), typed("ArrowUp", "", ["1w", "1n"], "wasd")
    (('', '1n'), ('', '1w'))
    """
    if key in ARROWS:
        meant = dict(zip(ARROWS, arrows, strict=False)).get(key)
        return "", next((word for word in open_words if meant and word.endswith(meant)), None)
    letters = begun + key.lower() if len(key) == 1 and key != " " else begun
    near = [word for word in open_words if word.lower().startswith(letters)] if letters else []
    ending = [word for word in open_words if key.isalpha() and word.lower().endswith(letters)] if letters else []
    if not near and len(ending) == 1:
        return "", ending[0]
    exact = [word for word in near if word.lower() == letters]
    if exact and (len(near) == 1 or key in ("Enter", " ")):
        return "", exact[0]
    return (letters, None) if near else ("", None)
