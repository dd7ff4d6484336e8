"""One environment of Gymnasium: a learner in a seat, players in the others. In Python, so any may sit there."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from turnsmith.adapters.gym.kernels import MOST_MISSED
from turnsmith.adapters.rendering import RENDER_MODES, checked_mode, rendered
from turnsmith.adapters.table import (
    ALL,
    ANY,
    LEARNER,
    GameTable,
    Illegal,
    drawn,
    learner_seat,
    match_seed,
    opponents_of,
    whole,
)
from turnsmith.arena.loop import forfeit
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.common.extras import extra
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.play.batch import MANY_BOARDS
from turnsmith.play.observe import View
from turnsmith.play.player import Player, player
from turnsmith.play.position import PositionView
from turnsmith.play.seat import Seat

Base: Any = extra("gymnasium", of="gym").Env


class Env(Base):
    """A game for one learner: an action is a number of the game's, a reward comes at the end.

    game: its text, or a loaded one; what is not an argument here is an option of the game.
    opponents: a player for all other seats, or one each, in the order of seats after the learner's.
    seat: the learner's, "any" for another one each episode, or "all": then it decides for every seat, sees what the
    mover sees, and is rewarded as the seat that moved last.
    view: "features", or "planes" where the game has them.
    maps, first_map: how many boards there are to play on, where they differ, and the seed of the first.
    illegal: what comes of an illegal action: "lose", "random" (one instead), "refuse" (an error).

    `info` has the "action_mask" (int8) and the "seat" that decides; at the end the "returns" of all seats, and whether
    it was a "forfeit" (an illegal action).
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str,
        opponents: str | Player | Sequence[str | Player] = "random",
        seat: int | str = 0,
        view: View = "features",
        maps: int = MANY_BOARDS,
        first_map: int = 0,
        illegal: Illegal = "lose",
        render_mode: str | None = None,
        **options: Any,
    ):
        self.table = GameTable.of(game, view, maps, first_map, illegal, options)
        self.render_mode = checked_mode(render_mode)
        self.game, self.seat = self.table.game, learner_seat(seat, self.table.seats)
        others = [] if self.seat == ALL else opponents_of(self.game, opponents, self.table.seats)
        self.opponents = others
        self.observation_space, self.action_space = self.table.observation_space(), self.table.action_space()
        self._random = player("random", self.game)
        self._seed: int | None = None
        self._episode, self._map = 0, -1
        self._seats: list[Seat] = []
        self._look: PositionView | None = None
        self._over, self._actor = True, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """The first episode of a seed, or without one the next."""
        super().reset(seed=seed)
        if seed is not None or self._seed is None:
            self._seed = int(self.np_random.integers(2**63)) if seed is None else int(seed)
            self._episode = 0
        for _ in range(MOST_MISSED):
            self._begin(match_seed(self._seed, self._episode))
            self._episode += 1
            if self._run_on() != OVER:
                return self._shown()
        raise BadInput(f"seat {self.seat} of {self.game.text_name} never decides anything; choose another")

    def step(self, action: int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """The action, then all that chance and the opponents do up to the next decision."""
        if self._look is None or self._over:
            raise BadInput("nothing is being played: reset first")
        look, self._actor = self._look, self._look.mover
        chosen = whole(action)
        is_legal = chosen in look.actions
        if not is_legal and self.table.illegal == "refuse":
            raise BadInput(f"action {chosen} is not legal here; see the action mask")
        if not is_legal and self.table.illegal == "random":
            chosen, is_legal = Seat(self._random, self.game, look.boards).choose(look), True
        if is_legal:
            look.advance(chosen)
            if self._run_on() != OVER:
                return self._result(0.0, {})
        returns = look.returns
        if not is_legal:
            forfeit(look.boards[0], self._actor, returns)
        self._over = True
        return self._result(float(returns[self._actor]), {"returns": returns, "forfeit": not is_legal})

    def action_masks(self) -> Array:
        """bool[actions]: what is legal, as sb3-contrib asks for it."""
        return self._mask().astype(bool)

    def render(self) -> str | Array | None:
        """What the learner sees, as text or pixels; printed in the mode "human"."""
        if self.render_mode is None or self._look is None:
            return None
        picture = rendered(self._look, self._viewer, self.render_mode)
        if self.render_mode != "human":
            return picture
        sys.stdout.write(f"{picture}\n")
        return None

    # ---------------------------------------------------------------- the match

    def _begin(self, match: int) -> None:
        """A match on its map, the opponents in their seats and fresh."""
        number, boards = self.table.board(match)
        if number != self._map:
            self._map, self._seats = number, [Seat(opponent, self.game, boards) for opponent in self.opponents]
        for seat in self._seats:
            seat.forget()
        self._learner = self.seat
        if self.seat == ANY:
            self._learner = drawn(match, LEARNER, self.table.seats)
        self._look, self._over, self._actor = PositionView.at_start(self.game, boards, match), False, 0

    def _run_on(self) -> int:
        """Chance and opponents up to a decision of the learner, or the end."""
        look = self._look
        assert look is not None
        while (mover := look.mover) not in (OVER, self._learner) and (mover == CHANCE or self._learner != ALL):
            if mover == CHANCE:
                look.resolve_chance(look.seed)
                continue
            seat = self._seats[(mover - self._learner - 1) % self.table.seats]
            action = seat.choose(look)
            if action not in look.actions:
                raise BadInput(f"{seat.player!r} made the illegal move {shown(action)}")
            look.advance(action)
        return mover

    @property
    def _viewer(self) -> int:
        """Who decides, or at the end who acted last."""
        assert self._look is not None
        return self._actor if self._over else self._look.mover

    def _mask(self) -> Array:
        if self._look is None:
            raise BadInput("nothing is being played: reset first")
        if self._over:  # where none counts all may be taken, so that no learner divides by zero
            return np.ones(self.table.actions, np.int8)
        return self.table.mask(self._look.actions)

    def _shown(self) -> tuple[Array, dict[str, Any]]:
        look, viewer = self._look, self._viewer
        assert look is not None
        if self.render_mode == "human":
            self.render()
        seen = self.table.observer.see(look.boards, look.view(viewer), viewer)
        return seen, {"action_mask": self._mask(), "seat": viewer}

    def _result(self, reward: float, more: dict[str, Any]) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        seen, info = self._shown()
        return seen, reward, self._over, False, {**info, **more}
