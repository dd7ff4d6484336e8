"""Gymnasium's vector environment, compiled: a step of all games, with opponents and chance, is one call."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from turnsmith.adapters.gym import kernels
from turnsmith.adapters.gym.episodes import Episodes
from turnsmith.adapters.rendering import RENDER_MODES, checked_mode
from turnsmith.adapters.table import GameTable, Illegal, whole
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.common.extras import extra
from turnsmith.contract.game import Game
from turnsmith.play.batch import MANY_BOARDS
from turnsmith.play.observe import View
from turnsmith.play.player import Player

Base: Any = extra("gymnasium.vector", of="gym").VectorEnv
AutoresetMode = extra("gymnasium.vector", of="gym").AutoresetMode
batch_space = extra("gymnasium.vector.utils", of="gym").batch_space

MODES = {
    AutoresetMode.SAME_STEP: kernels.SAME_STEP,
    AutoresetMode.NEXT_STEP: kernels.NEXT_STEP,
    AutoresetMode.DISABLED: kernels.DISABLED,
}


class VectorEnv(Base):
    """What ``gymnasium.vector.SyncVectorEnv`` of as many ``Env`` is, with the same seeds and results, compiled.

    The arguments are those of ``Env``, opponents compiled ones, and
    autoreset_mode: when an episode that ended begins anew, also said in `metadata`.
    copy: whether observations and masks are copies; without, they are the arrays that the next step writes.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        opponents: str | Player | Sequence[str | Player] = "random",
        seat: int | str = 0,
        view: View = "features",
        maps: int = MANY_BOARDS,
        first_map: int = 0,
        illegal: Illegal = "lose",
        render_mode: str | None = None,
        autoreset_mode: Any = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **options: Any,
    ):
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            known = ", ".join(mode.value for mode in MODES)
            raise BadInput(f"autoreset_mode={shown(autoreset_mode)} is not one of {known}") from None
        self.table = GameTable.of(game, view, maps, first_map, illegal, options)
        self.game, self.copy, self.render_mode = self.table.game, copy, checked_mode(render_mode)
        self.episodes = Episodes(self.table, num_envs, seat, opponents, MODES[self.autoreset_mode])
        self.num_envs = self.episodes.size
        self.metadata = {"render_modes": RENDER_MODES, "render_fps": 4, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = self.table.observation_space()
        self.single_action_space = self.table.action_space()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """The first episodes of a seed, of which environment i has seed + i, or without one the next episodes.

        options: {"reset_mask": bool[num_envs]} resets only these.
        """
        chosen = (options or {}).get("reset_mask")
        if chosen is not None and (np.shape(chosen) != (self.num_envs,) or np.asarray(chosen).dtype != bool):
            raise BadInput(f"reset_mask must be bool[{self.num_envs}], not {shown(chosen)}")
        super().reset(seed=seed if isinstance(seed, int) else None)
        self.episodes.reset(self._seeds(seed), chosen)
        at = np.ones(self.num_envs, bool) if chosen is None else np.asarray(chosen).copy()
        return self._copied(self.episodes.observations), self._info(at)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> Array | None:
        if seed is None:
            if self.episodes.is_seeded:
                return None
            return np.asarray(self.np_random.integers(2**63, size=self.num_envs), np.uint64)
        given: list[int | None]
        given = [seed + number for number in range(self.num_envs)] if isinstance(seed, int | np.integer) else list(seed)
        if len(given) != self.num_envs:
            raise BadInput(f"seed must be one number or {self.num_envs}; {len(given)} are given")
        return np.array([self._seed_of(number) for number in given], np.uint64)

    def _seed_of(self, given: int | None) -> int:
        """A seed of a list, in which None stands for any."""
        return int(self.np_random.integers(2**63)) if given is None else whole(given, "a seed") % 2**64

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """One action in every environment; those that ended in the last step of NEXT_STEP begin anew instead."""
        episodes = self.episodes
        episodes.step(actions)
        ended = episodes.ended.astype(bool)
        info = self._info(np.ones(self.num_envs, bool))
        if ended.any():
            more = self._at_the_end(ended)
            if self.autoreset_mode == AutoresetMode.SAME_STEP:
                finals = np.full(self.num_envs, None, object)
                for number in np.flatnonzero(ended):
                    finals[number] = episodes.finals[number].copy()
                last = {"action_mask": np.zeros_like(episodes.mask), "seat": np.zeros(self.num_envs, np.int64)}
                last["action_mask"][ended] = 1
                last["seat"][ended] = episodes.actors[ended]
                last |= {f"_{key}": ended.copy() for key in last}
                info |= {"final_obs": finals, "_final_obs": ended.copy()}
                info |= {"final_info": {**last, **more}, "_final_info": ended.copy()}
            else:
                info |= more
        truncated = np.zeros(self.num_envs, bool)
        return self._copied(episodes.observations), episodes.rewards.copy(), ended, truncated, info

    def action_masks(self) -> Array:
        """bool[num_envs, actions]: what is legal."""
        return self.episodes.mask.astype(bool)

    def render(self) -> tuple[str | Array, ...] | None:
        """What the learner sees of every environment, as text or pixels; printed in the mode "human"."""
        if self.render_mode is None:
            return None
        pictures = tuple(self.episodes.rendered(number, self.render_mode) for number in range(self.num_envs))
        if self.render_mode != "human":
            return pictures
        sys.stdout.write("\n\n".join(map(str, pictures)) + "\n")
        return None

    def _copied(self, array: Array) -> Array:
        if self.copy:
            return array.copy()
        shown = array.view()
        shown.flags.writeable = False
        return shown

    def _info(self, at: Array) -> dict[str, Any]:
        mask, seats = self._copied(self.episodes.mask), self.episodes.movers.astype(np.int64)
        if not at.all():
            mask, seats = np.where(at[:, None], mask, np.int8(0)), np.where(at, seats, 0)
        return {"action_mask": mask, "_action_mask": at, "seat": seats, "_seat": at.copy()}

    def _at_the_end(self, ended: Array) -> dict[str, Any]:
        returns = np.where(ended[:, None], self.episodes.returns, 0.0)
        forfeits = self.episodes.forfeits.astype(bool) & ended
        return {"returns": returns, "_returns": ended.copy(), "forfeit": forfeits, "_forfeit": ended.copy()}
