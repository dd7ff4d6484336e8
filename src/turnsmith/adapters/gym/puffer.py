"""The layout of PufferLib 3's native environments, without depending on it: arrays made once, written in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from turnsmith.adapters.gym.episodes import Episodes
from turnsmith.adapters.gym.kernels import SAME_STEP
from turnsmith.adapters.table import GameTable, Illegal
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.common.extras import extra
from turnsmith.contract.game import Game
from turnsmith.play.batch import MANY_BOARDS
from turnsmith.play.observe import View
from turnsmith.play.player import Player

batch_space = extra("gymnasium.vector.utils", of="gym").batch_space


class PufferEnv:
    """`num_envs` games, an agent each, in arrays a row an agent, which `buf` may give.

    observations, rewards (float32), terminals, truncations and masks (bool) are written by every step, actions (int32)
    read; `masks` are the agents that are there, which are all. `action_mask` (int8, read only) is what is legal. An
    episode that ends begins anew in the same step. `infos` are means over the episodes that ended, every
    `report_every` steps. The other arguments are those of ``Env``.
    """

    emulated, done = False, False

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1024,
        opponents: str | Player | Sequence[str | Player] = "random",
        seat: int | str = 0,
        view: View = "features",
        maps: int = MANY_BOARDS,
        first_map: int = 0,
        illegal: Illegal = "lose",
        report_every: int = 128,
        buf: Mapping[str, Array] | None = None,
        seed: int = 0,
        **options: Any,
    ):
        self.table = GameTable.of(game, view, maps, first_map, illegal, options)
        self.single_observation_space, self.single_action_space = (
            self.table.observation_space(),
            self.table.action_space(),
        )
        shape, kind = (num_envs, *self.table.observer.shape), self.table.observer.dtype
        self.observations = _given(buf, "observations", shape, kind)
        self.rewards = _given(buf, "rewards", (num_envs,), np.dtype(np.float32))
        self.terminals = _given(buf, "terminals", (num_envs,), np.dtype(bool))
        self.truncations = _given(buf, "truncations", (num_envs,), np.dtype(bool))
        self.masks = _given(buf, "masks", (num_envs,), np.dtype(bool))
        self.actions = _given(buf, "actions", (num_envs,), np.dtype(np.int32))
        self.masks[:] = True
        self.episodes = Episodes(self.table, num_envs, seat, opponents, SAME_STEP, self.observations)
        self.num_agents, self.action_mask = num_envs, self.episodes.mask
        self.agent_ids = np.arange(num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.report_every, self.seed, self.infos = report_every, seed, list[dict[str, float]]()
        self._lengths, self._step = np.zeros(num_envs, np.int64), 0
        self._ended = np.zeros(4)  # episodes, their rewards, their steps, forfeits

    @property
    def driver_env(self) -> PufferEnv:
        return self

    @property
    def agents_per_batch(self) -> int:
        return self.num_agents

    agent_per_batch = agents_per_batch

    def reset(self, seed: int | None = None) -> tuple[Array, list[dict[str, float]]]:
        """Begin the episodes of a seed, of which environment i has seed + i."""
        first = self.seed if seed is None else seed
        self.episodes.reset(np.array([(first + at) % 2**64 for at in range(self.num_agents)], np.uint64))
        for array in (self.rewards, self.terminals, self.truncations, self._lengths, self._ended):
            array[:] = 0
        self._step = 0
        return self.observations, []

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, list[dict[str, float]]]:
        """One action an agent."""
        if np.shape(actions) != self.actions.shape:
            raise BadInput(f"one action an agent: {self.num_agents} are needed, not {shown(np.shape(actions))}")
        self.actions[:] = actions
        self.episodes.step(self.actions)
        ended = self.episodes.ended
        self.rewards[:], self.terminals[:] = self.episodes.rewards, ended
        self._lengths += 1
        over = np.flatnonzero(ended)
        sums = (len(over), self.rewards[over].sum(), self._lengths[over].sum(), self.episodes.forfeits[over].sum())
        self._ended += sums
        self._lengths[over] = 0
        self._step += 1
        return self.observations, self.rewards, self.terminals, self.truncations, self._report()

    def _report(self) -> list[dict[str, float]]:
        if self._step % self.report_every or not self._ended[0]:
            return []
        count = float(self._ended[0])
        reward, length, forfeits = (float(total) / count for total in self._ended[1:])
        self._ended[:] = 0
        return [{"episode_return": reward, "episode_length": length, "forfeits": forfeits, "n": count}]

    def async_reset(self, seed: int | None = None) -> None:
        _, self.infos = self.reset(seed)

    def send(self, actions: Array) -> None:
        *_, self.infos = self.step(actions)

    def recv(self) -> tuple[Any, ...]:
        seen = (self.observations, self.rewards, self.terminals, self.truncations)
        return (*seen, self.infos, self.agent_ids, self.masks)

    def close(self) -> None:
        """Nothing is open."""


def _given(buf: Mapping[str, Array] | None, name: str, shape: tuple[int, ...], kind: np.dtype[Any]) -> Array:
    """An array of the buffer, refused where compiled code could not write to it; without a buffer a new one."""
    if buf is None:
        return np.zeros(shape, kind)
    array = buf.get(name)
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != kind:
        got = f"{array.dtype}{array.shape}" if isinstance(array, np.ndarray) else "not there"
        raise BadInput(f"buf['{name}'] must be {kind}{shape}; it is {got}")
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise BadInput(f"buf['{name}'] must be contiguous and writeable")
    return array
