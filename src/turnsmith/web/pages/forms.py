"""Forms made from dataclasses: the options of a game, and who sits where."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nicegui import ui

from turnsmith.common.arrays import Array
from turnsmith.common.settings import file_names, settings
from turnsmith.contract.game import Game
from turnsmith.languages import _
from turnsmith.play.player import players
from turnsmith.search.value import named as trained
from turnsmith.web.match.live_match import PERSON
from turnsmith.web.server.offered import opponents

LINK = "link"
"""A person who plays in another browser."""


def _trained(name: str) -> Iterable[str]:
    """The trained files that were named for this server, where a setting asks for one."""
    return trained if name == "value" else ()


class SettingsForm:
    """One input for every field of a dataclass; its docstring is the hint. `usual`: an object with other defaults."""

    def __init__(
        self, kind: type, on_change: Callable[[], Any], values: dict[str, str] | None = None, usual: Any = None
    ):
        self._inputs: dict[str, tuple[Any, Any]] = {}
        files = file_names(kind)
        for setting in settings(kind):
            default = getattr(usual, setting.field, setting.default)
            given: Any = (values or {}).get(setting.name, default)
            choices = setting.choices
            if setting.field in files:  # one of those that come with turnsmith: no others are read here
                choices = tuple(dict.fromkeys((default, *files[setting.field].names, *_trained(setting.name))))
            box: Any
            if len(choices) == 1:
                continue
            if choices:
                named = {str(choice): _(str(choice)).replace("-", " ") or _("its own") for choice in choices}
                box = ui.select(named, value=str(given), label=setting.label)
            elif setting.kind is bool:
                box = ui.switch(setting.label, value=str(given).lower() == "true")
            elif setting.kind in (int, float):
                box = ui.number(setting.label, value=float(given), format="%.10g")
            else:
                box = ui.input(setting.label, value=str(given))
            box.on_value_change(on_change)
            box.classes("w-full")
            if setting.kind is bool:
                with box:
                    ui.tooltip(setting.help)
            else:
                box.props("outlined dense bottom-slots")
                hint = setting.help.removeprefix(f"{setting.label}.").strip()
                box.props.update(hint=hint)  # a text of any signs, so not through the parser of props
            self._inputs[setting.name] = (box, default)

    def move(self, name: str, to: ui.element) -> None:
        """Show the input of a field elsewhere, if there is one."""
        if name in self._inputs:
            self._inputs[name][0].move(to)

    def values(self) -> dict[str, str]:
        """What differs from the defaults, as texts."""
        changed = {}
        for name, (box, default) in self._inputs.items():
            value = box.value
            if isinstance(value, bool):
                text = str(value).lower()
            elif isinstance(value, float):
                text = f"{value:.10g}"
            else:
                text = "" if value is None else str(value)
            usual = str(default).lower() if isinstance(default, bool) else str(default).removesuffix(".0")
            if text and text != usual:
                changed[name] = text
        return changed


def text_of(name: str, values: dict[str, str]) -> str:
    """The text ``name:key=value,…``."""
    return name + (":" + ",".join(f"{key}={value}" for key, value in values.items()) if values else "")


def choices(game: Game, boards: Array) -> dict[str, str]:
    """Levels and players that accept the board: text -> what a person reads."""
    named = {text: f"{_level(level)} — {text}" for level, text in opponents(game, boards).items()}
    for name, kind in players(game).items():
        if kind().refuses(game, boards[0]) is None:
            named.setdefault(name, f"{name} — {_(kind.summary)}")
    return named


def _level(name: str) -> str:
    _kind, colon, file = name.partition(": ")
    return f"{_('trained')}: {file}" if colon else _(name)


class PlayerPick:
    """A choice of one player (or a person), with the player's settings to unfold."""

    def __init__(self, game: Game, boards: Array, label: str, value: str, people: bool = False):
        self._game = game
        options = choices(game, boards)
        if people:
            options = {PERSON: _("you, at this screen"), LINK: _("somebody in another browser"), **options}
        if value not in options and value.partition(":")[0] in players(game):
            options = {value: value, **options}
        self._form: SettingsForm | None = None
        self._select = ui.select(options, value=value if value in options else next(iter(options)), label=label)
        self._select.classes("w-full").props("outlined dense options-dense").on_value_change(self._unfold)
        self._more = ui.expansion(_("settings of this player")).props("dense").classes("w-full small")
        self._unfold()

    def _unfold(self) -> None:
        name, _colon, given = str(self._select.value).partition(":")
        kind = players(self._game).get(name)
        self._form = None
        self._more.clear()
        self._more.visible = kind is not None and bool(settings(kind))
        if kind is not None and self._more.visible:
            values = dict(piece.split("=") for piece in given.split(",") if piece)
            with self._more, ui.column().classes("w-full gap-1"):
                self._form = SettingsForm(kind, lambda: None, values)

    def delete(self) -> None:
        self._select.delete()
        self._more.delete()

    @property
    def value(self) -> str:
        """``person``, ``link``, or the text of a player."""
        name = str(self._select.value).partition(":")[0]
        return text_of(name, self._form.values()) if self._form else str(self._select.value)
