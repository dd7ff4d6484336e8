"""What the environments of other frameworks have in common: a game with its maps, what is seen, who plays, which match.

An environment is reset with a seed and plays one episode after another. The first is the match of that seed, the same
that ``ts.play`` and the page play; the others have seeds drawn from it. Where a game's boards differ, every episode is
played on one of `maps` boards, those of the seeds from `first_map` on, so that a learner can be tested on maps that it
never saw. What it sees does not depend on which maps these are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.common.extras import extra
from turnsmith.common.settings import split
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import below, stream
from turnsmith.contract.game import Game
from turnsmith.contract.homes import OPENSPIEL, names_file
from turnsmith.contract.loading import load
from turnsmith.play.batch import boards_of
from turnsmith.play.observe import BEYOND, BOARDS, Observer, View, observer
from turnsmith.play.player import Player, player

EPISODE, MAP, LEARNER = 1 << 32, (1 << 32) + 1, (1 << 32) + 2
"""Streams of a seed that no seat has: its later episodes, and of a match its map and the learner's seat."""

ALL, ANY = -1, -2
"""In place of a learner's seat: it decides for every seat; another seat each episode."""

Illegal = Literal["lose", "random", "refuse"]
"""What comes of an action that is not legal: the episode is lost, a random one is made instead, or an error."""


@dataclass(frozen=True)
class GameTable:
    """A game ready to be played by learners."""

    game: Game
    boards: Array
    """Those that episodes are played on."""
    observer: Observer
    illegal: Illegal
    seats: int
    actions: int

    @staticmethod
    def of(
        game: Game | str, view: View, maps: int, first_map: int, illegal: Illegal, options: Mapping[str, Any]
    ) -> GameTable:
        """Load a game with its options, and draw its maps."""
        if illegal not in get_args(Illegal):
            raise BadInput(f"illegal={shown(illegal)} is not one of {', '.join(get_args(Illegal))}")
        if view not in get_args(View):
            raise BadInput(f"view={shown(view)} is not one of {', '.join(get_args(View))}")
        if not (1 <= whole(maps, "maps") <= 1 << 20 and 0 <= whole(first_map, "first_map") < 1 << 62):
            raise BadInput(f"maps={shown(maps)} and first_map={shown(first_map)} must be at least 1 and 0")
        loaded = with_options(game, options)
        boards = boards_of(loaded, first_map, maps)
        seats, actions = int(boards["seats"].max()), int(boards["actions"].max())
        if (boards["seats"] != seats).any():
            raise BadInput(f"{loaded.text_name} has other numbers of seats on other maps; choose one by its options")
        sees = observer(loaded, boards_of(loaded, 0, BOARDS), view)
        return GameTable(loaded, boards, sees, illegal, seats, actions)

    def board(self, match: int) -> tuple[int, Array]:
        """The number of the map that a match is played on, and an array of that board."""
        number = drawn(match, MAP, len(self.boards))
        return number, self.boards[number : number + 1]

    def mask(self, actions: Array) -> Array:
        """int8[actions]: 1 for these."""
        mask = np.zeros(self.actions, np.int8)
        mask[actions] = 1
        return mask

    def observation_space(self) -> Any:
        """The gymnasium space of what is seen; a game's own features may be any numbers."""
        box, seen = extra("gymnasium.spaces", of="gym").Box, self.observer
        if seen.kind == "planes":
            return box(0, 255, seen.shape, np.uint8)
        bound = np.inf if self.game.gives_features else BEYOND
        return box(-bound, bound, seen.shape, np.float32)

    def action_space(self) -> Any:
        return extra("gymnasium.spaces", of="gym").Discrete(self.actions)


def with_options(game: Game | str, options: Mapping[str, Any]) -> Game:
    """A game by its text and options beside it: ``"connect_four"``, width=5 is ``"connect_four:width=5"``."""
    if isinstance(game, Game):
        if options:
            raise BadInput(f"{game.text_name} is loaded already; give its text to choose {', '.join(options)}")
        return game
    written = (f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in options.items())
    chosen = ",".join(written)
    if not chosen:
        return load(game)
    if game.strip().startswith(OPENSPIEL):
        raise BadInput(f"parameters of {shown(game)} stand in its brackets, as OpenSpiel has them; not {shown(chosen)}")
    has_some = ":" in (game.rpartition(".py")[2] if names_file(game) else game)
    return load(f"{game},{chosen}" if has_some else f"{game}:{chosen}")


def whole(given: Any, name: str = "an action") -> int:
    """What must be a whole number, such as an action."""
    number = np.asarray(given)
    if number.size != 1 or number.dtype.kind not in "iu":
        raise BadInput(f"{name} is a whole number, not {shown(given)}")
    return int(number.reshape(()))


def match_seed(seed: int, episode: int) -> int:
    """The seed of an environment's episode: of the first its own."""
    return int(stream(seed, episode, EPISODE)[0]) if episode else seed


def drawn(match: int, index: int, count: int) -> int:
    """A whole number below `count` that belongs to a match."""
    return int(compiled(below)(stream(match, 0, index), count)) if count > 1 else 0


def learner_seat(seat: int | str, seats: int) -> int:
    """A seat's number, ALL or ANY."""
    if seat in ("all", "any"):
        return ALL if seat == "all" else ANY
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < seats:
        raise BadInput(f"seat={shown(seat)} must be 0 to {seats - 1}, 'any' (drawn for each episode) or 'all'")
    return int(seat)


def opponents_of(game: Game, given: str | Player | Sequence[str | Player], seats: int) -> list[Player]:
    """The players of all seats but the learner's, in the order of seats after it; one that is named is all of them."""
    texts = split(given) if isinstance(given, str) else [given] if isinstance(given, Player) else given
    named = [player(text, game) for text in texts]
    if len(named) == 1:
        named *= seats - 1
    if len(named) != seats - 1:
        raise BadInput(f"{game.text_name} has {seats} seats: name one opponent, or {seats - 1}; {len(named)} are named")
    return named
