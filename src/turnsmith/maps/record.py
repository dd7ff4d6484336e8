"""A map with what is known of it: the game, its description, where it came from, what somebody thought of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from turnsmith.common.errors import BadInput
from turnsmith.common.settings import as_texts, file_names, parse
from turnsmith.contract.game import Game
from turnsmith.contract.homes import names_file
from turnsmith.contract.loading import load


@dataclass(frozen=True)
class GameMap:
    """One map of one game."""

    game: str
    """The text that loads the game, with the options such a board needs."""
    source: dict[str, Any]
    """What `tables` makes the board from."""
    seed: int | None = None
    """The seed it was drawn with, if it was."""
    rating: float | None = None
    """What a person thought of it, the more the better."""
    label: int | None = None
    """The class it belongs to, a whole number: maps of one class have the same covers, for instance."""
    embeddings: tuple[tuple[float, ...], ...] = ()
    """Vectors that stand for it."""
    provenance: dict[str, Any] = field(default_factory=dict)
    """Who or what made it, in any words; JSON can hold it."""


def map_of(game: Game, seed: int) -> GameMap:
    """The map that a game draws with a seed."""
    source = game.describe(seed)
    return GameMap(lasting_text(game, source), source, seed)


def lasting_text(game: Game, source: dict[str, Any]) -> str:
    """The text of a game for a file that is read elsewhere: it names no files that the description makes needless."""
    if game.options is None or not file_names(type(game.options)):
        return game.text_name
    files = file_names(type(game.options))
    chosen = as_texts(game.options)
    kept = {name: value for name, value in chosen.items() if name not in files or value in files[name].names}
    try:
        other = load(with_options(split_options(game.text_name)[0], {**kept, **needed_options(game, source)}))
        other.build(source)
    except BadInput:
        return game.text_name  # boards of another kind than the usual need the file
    return other.text_name


def needed_options(game: Game, source: dict[str, Any]) -> dict[str, Any]:
    """What the game's form says of the options that such a board needs."""
    from turnsmith.contract.grids import form_of

    try:
        form = form_of(game.home or game.name)
    except BadInput:
        return {}
    return form.options(source) if form.options else {}


def always_on(game: Game, source: Mapping[str, Any]) -> Game:
    """The game on this one board, whatever the seed."""
    return dataclasses.replace(game, source=lambda options, seed: source, draw_boards=None, sources_of=None)


def with_options(name: str, options: dict[str, Any]) -> str:
    """The text of a game with options.

    >>> with_options("tactics", {"size": 8}), with_options("pig", {})
    ('tactics:size=8', 'pig')
    """
    texts = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in options.items()}
    settings = ",".join(f"{key}={text}" for key, text in texts.items())
    return f"{name}:{settings}" if settings else name


def split_options(game: str) -> tuple[str, dict[str, str]]:
    """The name of a game, or the path of its file, and its options as texts.

    >>> split_options("./my.py:size=3"), split_options("pig")
    (('./my.py', {'size': '3'}), ('pig', {}))
    """
    if not names_file(game):
        return parse(game)
    home, _, rest = game.strip().partition(".py")
    return home + ".py", parse(f"x{rest}")[1]


def refuse_untaken(found: GameMap, said: str) -> None:
    """Refuse a map that its game does not take; `said` is what to call it."""
    try:
        load(found.game).rebuild(found.source)
    except BadInput as error:
        raise BadInput(f"{said}: {error}") from None
