"""What a visitor likes while playing, remembered by their browser: sounds, marks, a question before moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.element import Element

from turnsmith.languages import _, marked
from turnsmith.web.server.remembered import recall, remember

SETS = {
    "": marked("no sound"),
    "soft": marked("soft sounds"),
    "wood": marked("wooden sounds"),
    "arcade": marked("arcade sounds"),
}


class Sound(Element, component="sound.js"):
    """Plays the sounds of a set: move, dice, turn, win, lose, end."""

    def play(self, kind: str) -> None:
        self.run_method("play", kind)


class Preferences:
    """Switches beside a game. `changed` is called when one of them is."""

    def __init__(self, changed: Callable[[], Any]):
        self.changed = changed
        chosen = recall("sound")
        with ui.card().classes("panel"):
            self.sound = Sound()
            named = {key: _(name) for key, name in SETS.items()}
            self.sounds = ui.select(named, value=chosen if chosen in SETS else "", on_change=self.choose_sound)
            self.sounds.props("outlined dense").classes("w-full").props.update({"aria-label": _("sounds")})
            self.dots = self.switch("dots", _("show where I can click"))
            self.confirm = self.switch("confirm", _("ask before a move of several parts is sent"))
        self.sound._props["set"] = self.sounds.value

    def switch(self, name: str, label: str) -> ui.switch:
        made = ui.switch(label, value=recall(name) == "yes")

        def turned() -> None:
            remember(name, "yes" if made.value else "no")
            self.changed()

        made.on_value_change(turned)
        return made

    def choose_sound(self) -> None:
        remember("sound", str(self.sounds.value or "off"))
        self.sound._props["set"] = self.sounds.value
        self.sound.update()
        self.sound.play("turn")
