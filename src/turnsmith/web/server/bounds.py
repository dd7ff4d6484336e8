"""What strangers may ask for: boards and matches of a bounded size, and no files."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.common.settings import file_names, written
from turnsmith.compile.kernel import NotReady
from turnsmith.contract.first_use import is_checked
from turnsmith.contract.game import Game
from turnsmith.languages import _
from turnsmith.play.player import Player, player
from turnsmith.play.position import Position
from turnsmith.search.value import named
from turnsmith.web.server.offered import known_game
from turnsmith.web.server.workers import Busy

MOST_ACTIONS = 40_000
"""Games with more actions or outcomes are refused: their moves in words would take seconds to list."""
MOST_PLIES = 20_000
"""Of one match; longer games count as endless."""
REPLAY_SECONDS = 10.0
"""What making the moves of a record may take."""


class NotFound(BadInput):
    """A link or a number that leads nowhere."""


class Refused(BadInput):
    """Something exists, but not for the one who asks."""


def source_of(game: Game, seed: int = 0, source: Any = None) -> Any:
    """The description of a board: the one given, or the game's own, unless that would read a file.

    Of a game that is not ours others are taken only if ``turnsmith check`` has tampered with them and found no fault.
    """
    if source is not None and is_checked(game):
        return source
    refuse_files(game.options)
    with blaming(f"{game.text_name} has no board"):
        own = game.describe(seed)
    if source is not None and source != own:
        raise BadInput(
            _(
                "boards of your own are not taken for {game} until whoever serves it has let 'turnsmith check' pass "
                "it; leave the source out"
            ).format(game=game.text_name)
        )
    return own


def known_player(text: str, game: Game) -> Player:
    """A player of a game, without files of a stranger's choice."""
    chosen = player(text, game)
    for who in (chosen, *chosen.asks(game)):
        refuse_files(who)
    return chosen


def refuse_files(settings: Any) -> None:
    """Strangers do not name files of this machine to be read, not even to learn that they exist.

    `settings`: a game's options or a player, a dataclass; None has none.
    """
    for name, mark in (file_names(type(settings)) if settings is not None else {}).items():
        value = getattr(settings, name)
        names = (*mark.names, *(named if name == "value" else ()))
        if value not in names and value != type(settings).__dataclass_fields__[name].default:
            known = f"; there are {', '.join(names)}" if names else "; leave it out"
            setting = f"{written(name)}={shown(value)}"
            raise BadInput(
                _("{said} does not come with turnsmith, and files are not read here{known}").format(
                    said=setting, known=known
                )
            )


@contextmanager
def blaming(what: str) -> Iterator[None]:
    """Whatever breaks on what a stranger gave is told in one line, as `what`: their input is at fault."""
    try:
        yield
    except (BadInput, Busy, NotReady):
        raise
    except Exception as error:
        line = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        raise BadInput(f"{what} ({line})") from None


def described(game: Game, source: Any) -> Array:
    """The board of a description, refused with a reason if the game cannot build it or it is too large for here."""
    try:
        boards = game.build(source)
    except BadInput as error:
        raise BadInput(_("this is no board of {name}: {error}").format(name=game.name, error=error)) from None
    except NotReady:
        raise
    except Exception as error:
        why = f" ({str(error)[:200]})" if isinstance(error, ValueError) else ""  # "'map'" of a KeyError tells nothing
        cure = f"take a match of {game.name} that was saved, or the `source` in one"
        raise BadInput(
            _("this is no board of {name}{why}; {cure}").format(name=game.name, why=why, cure=cure)
        ) from None
    if max(boards[0].actions, boards[0].outcomes) > MOST_ACTIONS:
        raise BadInput(
            _("{game} has more than {most:,} moves to list; choose it smaller").format(
                game=game.text_name, most=MOST_ACTIONS
            )
        )
    return boards


def stand(game: str, actions: Sequence[int], seed: int = 0, source: Any = None) -> Position:
    """The position after a list of integers, each of them checked."""
    loaded = known_game(game)
    boards = described(loaded, source_of(loaded, seed, source))
    position = Position(loaded, seed, boards, draws_chance=False)
    replay(position, actions, "action")
    return position


def replay(position: Position, actions: Sequence[int], what: str) -> None:
    """Make the moves of a list, each of them checked; refused when that takes too long."""
    until = time.monotonic() + REPLAY_SECONDS
    for number, action in enumerate(actions):
        try:
            position.push(int(action))
        except BadInput as error:
            raise BadInput(f"{what} {number + 1}: {error}") from None
        if time.monotonic() > until:
            raise BadInput(
                _("{number:,} of {actions:,} moves took {seconds:g} seconds; give fewer").format(
                    number=number + 1, actions=len(actions), seconds=REPLAY_SECONDS
                )
            )
