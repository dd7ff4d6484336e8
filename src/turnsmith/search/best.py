"""The best player of any game at a given time, found by playing.

``best`` stands for another player: the one that won the games between all that could be it. Which these are,
``candidates`` lists; ``arena/race.py`` lets them meet, and ``play/choice.py`` keeps what came of it. Until somebody
has met, the choice is a fair guess.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import setting, settings
from turnsmith.contract.game import Game
from turnsmith.play.choice import choice_of
from turnsmith.play.player import CompiledPlayer, Decision, Player, player
from turnsmith.play.position import PositionView
from turnsmith.search.limits import MOST_SECONDS

USUAL_SECONDS = 1.0
DEPTH_FIRST = ("negamax", "expectimax", "maxn")
"""The first that plays a game is a candidate, and so is each of its variants that the game has the rules for."""
VARIANTS = {
    "negamax:reductions=true": "",
    "negamax:quiescence=false": "louds",
    "negamax:reductions=true,skips=true": "skips",
    "expectimax:turns=true": "",
}
"""Variants, and the flags of the games that they are for."""
TREE = ("mcts", "mcts:mast=0.6", "mcts:rave=1000,exploration=0.2", "mcts:rave=1000,exploration=0")
TREE_BY_ESTIMATE = ("mcts:leaf=evaluate", "mcts:cut=8", "mcts:leaf=evaluate,minimax=0.3")
"""Tree searches: of every game, and of those that can `evaluate`."""
EXACT, PREPARED = ("solve", "cfr"), 2.0
"""Exact play of games that are worked out in about so many seconds."""
LARGEST_TABLE, SMALLEST_TABLE = 22, 12
"""Of the transposition tables of depth-first searches, as powers of 2: they grow with the positions looked at."""


@dataclass(frozen=True, repr=False)
class Best(Player):
    name = "best"
    summary = "the strongest player for the time it has, found by games between all that can play the game"

    time: float = setting(0.0, 0.0, MOST_SECONDS)
    """Seconds for one decision by the clock; 0 is one second, unless `seconds` says otherwise."""
    seconds: float = setting(0.0, 0.0, MOST_SECONDS)
    """CPU seconds for one decision, counted in work: then the same seed gives the same moves."""

    def __post_init__(self) -> None:
        if self.time > 0.0 and self.seconds > 0.0:
            raise BadInput("best takes time by the clock or seconds counted in work; leave one of them out")

    def chosen_for(self, game: Game) -> Player:
        allowed = self.seconds or self.time or USUAL_SECONDS
        choice = choice_of(game)
        race = choice.nearest(allowed) if choice is not None else None
        if choice is None or race is None or not _plays(race.best, game):
            return with_time(_guess(game), game, allowed)
        speed = choice.speeds.get(race.best)
        if self.seconds > 0.0 and speed is not None:
            return with_work(race.best, game, self.seconds, speed)
        return with_time(race.best, game, allowed, speed)

    def act(self, position: PositionView) -> Decision:
        return self.chosen_for(position.game).act(position)


def with_time(text: str, game: Game, seconds: float, speed: float | None = None) -> Player:
    """A player without limits, who is given so much time by the clock; `speed` is its work in a second, where known."""
    chosen = player(text, game)
    limits: dict[str, Any] = {"time": seconds} if hasattr(chosen, "time") else {}
    return dataclasses.replace(chosen, **limits, **_table(chosen, (speed or 1e6) * seconds))


def with_work(text: str, game: Game, seconds: float, speed: float) -> Player:
    """A player without limits, who is given as much work as it does in so many CPU seconds; who does not count its work
    gets the time by the clock, if it takes any."""
    chosen = player(text, game)
    kind, work = work_of(chosen), max(1, round(speed * seconds))
    work = min([work, *(known.high for known in settings(type(chosen)) if known.field == kind and known.high)])
    return (
        dataclasses.replace(chosen, **{kind: work}, **_table(chosen, work)) if kind else with_time(text, game, seconds)
    )


def work_of(chosen: Player) -> str:
    """What a player counts its work in, as a setting; "" where it decides without such a limit."""
    return next((kind for kind in ("simulations", "nodes") if hasattr(chosen, kind)), "")


def _table(chosen: Player, work: float) -> dict[str, Any]:
    """The setting of a transposition table with room for about as many positions, unless its size was chosen."""
    usual = getattr(type(chosen), "table", None)
    if usual is None or getattr(chosen, "table", None) != usual or not hasattr(chosen, "nodes"):
        return {}
    return {"table": min(max(int(work).bit_length(), SMALLEST_TABLE), LARGEST_TABLE)}


# ---------------------------------------------------------------- who could be it


def candidates(game: Game, boards: Array, more: Sequence[str] = ()) -> list[str]:
    """All that could be the best, without limits of time and work, a fair guess first: searches of every kind, exact
    play of small games, the game's own players, and `more`, such as searches with a net."""
    declared = (text for text in reversed(game.levels().values()) if text.partition(":")[0] in game.players())
    own = [*declared, *reversed(game.players())]
    by_estimate = [*_depth_first(game, boards), *(TREE_BY_ESTIMATE if game.evaluates else ())]
    searches = [*by_estimate, *TREE] if game.evaluates and not game.hides else [*TREE, *by_estimate]
    texts = dict.fromkeys(_unlimited(text, game) for text in [*own, *searches] if _plays(text, game, boards))
    exact = [repr(player(text, game).within(PREPARED)) for text in EXACT if _plays(text, game, boards)]
    for text in more:
        player(text, game).check(game, boards)
    return [*dict.fromkeys([*texts, *exact, *(_unlimited(text, game) for text in more)])]


def _depth_first(game: Game, boards: Array) -> list[str]:
    fits = [text for text in DEPTH_FIRST if player(text, game).refuses(game, boards[0]) is None]
    if not fits or not game.evaluates:
        return fits[:1] if boards[0].seats <= 2 else []
    name = fits[0]
    fitting = (text for text, flag in VARIANTS.items() if not flag or getattr(game, flag))
    return [name, *(text for text in fitting if text.partition(":")[0] == name)]


def _unlimited(text: str, game: Game) -> str:
    """The text of a player without limits of time and work."""
    chosen = player(text, game)
    fields = {
        f.name: f.default for f in dataclasses.fields(chosen) if f.name in ("time", "simulations", "nodes", "depth")
    }
    return repr(dataclasses.replace(chosen, **fields))


def _plays(text: str, game: Game, boards: Array | None = None) -> bool:
    """Whether a text names a compiled player of this game that accepts the board."""
    try:
        chosen = player(text, game)
    except BadInput:
        return False
    return isinstance(chosen, CompiledPlayer) and (boards is None or chosen.refuses(game, boards[0]) is None)


@lru_cache(maxsize=64)
def _guess(game: Game) -> str:
    """Who plays best as long as nobody has met: the player of the game's hardest level, or its last own one; else a
    search that looks at the game's own estimate, else one by random games."""
    return candidates(game, game.board())[0]
