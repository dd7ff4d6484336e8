"""A move in the making: its pieces by clicks, keys and words, until it is whole and sent."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from nicegui import events, ui

from turnsmith.languages import _, marked, worded
from turnsmith.web.match.live_match import LiveMatch
from turnsmith.web.pages.board import next_pieces, typed
from turnsmith.web.pages.viewer import Viewer

ICONS = {
    "ArrowLeft": ("arrow_back", marked("left")),
    "ArrowUp": ("arrow_upward", marked("up")),
    "ArrowDown": ("arrow_downward", marked("down")),
    "ArrowRight": ("arrow_forward", marked("right")),
}
"""Buttons instead of arrow keys, for phones."""
MOST_AHEAD = 60
"""Pieces that can be planned."""
SECOND_THOUGHT = 0.7
"""Seconds after a move in which a click is no plan, but the second of a double click."""
TIPS = 400
"""For more moves than this, tips are given only when one is left."""


class MoveMaker:
    """The move one visitor is making. `send` makes it, `changed` is called when something of it has changed."""

    def __init__(
        self,
        match: LiveMatch,
        mine: Sequence[int],
        send: Callable[[str | int], Awaitable[None]],
        changed: Callable[[], Any],
    ) -> None:
        self.match, self.mine, self.send_move, self.changed = match, mine, send, changed
        self.seen: Viewer | None = None
        self.live = False
        """Whether the visitor may move now."""
        self.asks_first = False
        """Whether a move of several parts waits for its sender's word."""
        self.chosen: list[str] = []
        self.letters = ""
        self.ahead: list[str] = []
        """Pieces for the turns to come, chosen while others move."""
        self.moved = 0.0

    def build(self) -> None:
        """The pieces so far, and other ways to choose them."""
        with ui.row().classes("w-full items-center gap-2"):
            self.chips = ui.row().classes("items-center gap-1")
            self.tip = ui.label().classes("font-bold")
            self.send = ui.button(_("Send"), icon="check", on_click=self.submit).props("unelevated no-caps")
            self.back = ui.button(_("Take back"), icon="backspace", on_click=self.unpick).props("flat no-caps")
        with ui.row().classes("w-full items-center gap-2") as self.planned:
            self.plan = ui.label().classes("small")
            ui.button(_("Forget"), icon="clear", on_click=self.forget).props("flat dense no-caps")
        if self.match.game.arrows:
            with ui.row().classes("pad w-full justify-center"):
                for key, (icon, name) in ICONS.items():
                    pressed = ui.button(icon=icon, on_click=lambda key=key: self.press(key)).props("unelevated round")
                    pressed.props.update({"aria-label": _(name)})
        self.typing = ui.input(_("or type a move")).props("outlined dense").classes("w-full")
        self.typing.on("keydown.enter", self.say)

    # ------------------------------------------------------------ showing

    def begin(self, seen: Viewer) -> None:
        """The position has changed."""
        self.seen, self.chosen, self.letters = seen, [], ""
        self.ahead = [] if self.match.over else self.ahead

    def show(self, live: bool) -> None:
        self.live = live
        self.chips.clear()
        with self.chips:
            for piece in self.chosen:
                ui.chip(worded(piece), color="primary", text_color="white").props("dense square")
        self.tip.set_text(self.pending_tip())
        self.back.visible = bool(self.chosen)
        self.send.visible = live and self.complete() is not None
        self.typing.visible = live or self.may_plan
        self.typing.props.update(label=_("or type a move") if live or not self.may_plan else _("your next move"))
        self.planned.visible = bool(self.ahead)
        self.plan.set_text(_("Next: {all}").format(all=worded(" ".join(self.ahead))))

    def drawn(self) -> dict[str, Any]:
        """What the board shows of the move: see ``Board.show``."""
        following = self.following()
        return {
            "live": self.live,
            "ahead": self.may_plan,
            "open": [word for word in following if word],
            "chosen": list(self.chosen),
            "draft": self.draft(),
            "tips": self.told("tip", following),
            "overlays": self.told("overlay", following),
        }

    def draft(self) -> str:
        """What the game draws for the pieces chosen so far."""
        draw, seen = self.match.game.draft, self.seen
        return str(draw(seen.board, seen.view, self.chosen)) if draw and seen and self.chosen else ""

    def told(self, rule: str, following: dict[str, list[int]]) -> dict[str, str]:
        """What the game's `tip` or `overlay` says of each piece that would complete a move."""
        tell, seen = getattr(self.match.game, rule), self.seen
        if tell is None or seen is None or sum(map(len, following.values())) > TIPS:
            return {}
        single = {word: moves[0] for word, moves in following.items() if len(moves) == 1 and word}
        sentences = {word: str(tell(seen.board, seen.view, seen.actions[move])) for word, move in single.items()}
        return {word: sentence for word, sentence in sentences.items() if sentence}

    def pending_tip(self) -> str:
        place = self.complete()
        if place is None or self.seen is None or self.match.game.tip is None:
            return ""
        return str(self.match.game.tip(self.seen.board, self.seen.view, self.seen.actions[place]))

    # ------------------------------------------------------------ choosing

    def following(self) -> dict[str, list[int]]:
        """The pieces that may come next, with the moves they lead to."""
        return next_pieces(self.seen.words, self.chosen) if self.live and self.seen else {}

    def complete(self) -> int | None:
        """The place of the move that the chosen pieces are, if they are one."""
        if not self.seen or not self.chosen:
            return None
        whole = " ".join(self.chosen)
        places = next_pieces(self.seen.words, self.chosen[:-1]).get(self.chosen[-1], [])
        return next((place for place in places if self.seen.words[place] == whole), None)

    async def pick(self, piece: str) -> None:
        """A part of the board was clicked, or its word typed."""
        if self.seen is None or not self.seen.may_move:
            if time.monotonic() - self.moved > SECOND_THOUGHT:
                self.plan_ahead([piece])
            return
        if piece in next_pieces(self.seen.words, self.chosen):
            self.chosen = [*self.chosen, piece]
        elif piece in self.chosen:
            self.chosen = self.chosen[: self.chosen.index(piece)]
        elif piece in next_pieces(self.seen.words, []):
            self.chosen = [piece]  # another beginning
        if self.complete() is not None and (len(self.chosen) == 1 or not self.asks_first):
            await self.submit()
        else:
            self.changed()

    def unpick(self) -> None:
        self.chosen = self.chosen[:-1]
        self.changed()

    async def submit(self) -> None:
        place = self.complete()
        if place is not None and self.seen is not None:
            self.moved = time.monotonic()
            await self.send_move(self.seen.actions[place])

    async def say(self) -> None:
        text, self.typing.value = str(self.typing.value or "").strip(), ""
        if text and not self.live:
            self.plan_ahead(text.replace(",", " ").split())
        elif text:
            known = {worded(words): words for words in (self.seen.words if self.seen else ())}
            await self.send_move(known.get(text, text))

    # ------------------------------------------------------------ planning ahead

    @property
    def may_plan(self) -> bool:
        """Whether the visitor waits for others in a match of theirs, and could say already what comes next."""
        seen, match = self.seen, self.match
        others = len(match.seats) > len(self.mine) and bool(self.mine) and not match.by_hand
        return others and seen is not None and not seen.may_move and not match.over and not match.stand_ins

    def plan_ahead(self, pieces: list[str]) -> None:
        if self.may_plan:
            self.ahead = [*self.ahead, *(piece[:40] for piece in pieces)][:MOST_AHEAD]
            self.changed()

    def forget(self) -> None:
        self.ahead = []
        self.changed()

    async def go_ahead(self) -> None:
        """It is the visitor's turn: choose what was planned, until a move is made or it can no longer be."""
        before = self.seen
        while self.ahead and self.live and self.seen is before:  # the next position is looked at when it is shown
            piece, *self.ahead = self.ahead
            if piece in self.following():
                await self.pick(piece)
            else:
                self.ahead, self.chosen = [], []
                ui.notify(_("{piece} is no longer possible; what was planned is forgotten").format(piece=worded(piece)))
                self.changed()

    async def key(self, event: events.KeyEventArguments) -> None:
        if event.action.keydown and not (event.modifiers.ctrl or event.modifiers.alt or event.modifiers.meta):
            await self.press(str(event.key.name))

    async def press(self, name: str) -> None:
        """A key was pressed, or its button on a phone."""
        if not self.live:
            return
        if name in ("Backspace", "Escape"):
            self.letters = ""
            self.chosen = self.chosen[:-1] if name == "Backspace" else []
            self.changed()
        elif name == "Enter" and self.complete() is not None:
            await self.submit()
        else:
            following = list(self.following())
            self.letters, word = typed(name, self.letters, following, self.match.game.arrows)
            if word:
                await self.pick(word)
