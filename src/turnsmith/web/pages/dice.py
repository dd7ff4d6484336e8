"""Dice on a page: what fell last, with what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui.element import Element

from turnsmith.web.match.log import Roll

MOST_PIPS = 6


class Dice(Element, component="dice.js"):
    """The dice that fell last. They tumble when others fall while somebody looks."""

    def __init__(self, kept: bool) -> None:
        """kept: whether there is place for dice before any fall."""
        super().__init__()
        self._props.update(kept=kept, number=-1, rows=[], said="", tumbles=False)
        self.shown = False

    def show(self, roll: Roll | None, colors: Sequence[str], said: str) -> None:
        """`colors`: one a seat; `said`: what the roll meant."""
        rows = [
            {"color": colors[seat % len(colors)], "faces": faces, "sides": max(MOST_PIPS, *faces)}
            for seat, faces in (roll.rows if roll else ())
        ]
        self._props.update(number=roll.number if roll else -1, rows=rows, said=said, tumbles=self.shown)
        self.shown = True
        self.update()
