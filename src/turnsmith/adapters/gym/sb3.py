"""The vector environment of stable-baselines3, on the same kernels; sb3-contrib's MaskablePPO finds the masks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from turnsmith.adapters.gym.vector import AutoresetMode, VectorEnv
from turnsmith.adapters.rendering import RGB
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.extras import extra
from turnsmith.contract.game import Game

Base: Any = extra("stable_baselines3.common.vec_env").VecEnv


class SB3VecEnv(Base):
    """`num_envs` environments for stable-baselines3; the arguments are those of ``VectorEnv`` but for `autoreset_mode`.

    An episode that ends begins anew in the same step; its last observation is in `info["terminal_observation"]`.
    """

    def __init__(self, game: Game | str, num_envs: int = 1, **settings: Any):
        if "autoreset_mode" in settings:
            raise BadInput("stable-baselines3 begins episodes anew in the same step: leave out autoreset_mode")
        self.envs = VectorEnv(game, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **settings)
        self._actions: Array = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)
        self.metadata = self.envs.metadata

    def reset(self) -> Array:
        seeds = None if self._seeds[0] is None else [int(seed) for seed in self._seeds]
        seen, info = self.envs.reset(seed=seeds)
        self.reset_infos = [{"seat": int(seat)} for seat in info["seat"]]
        self._reset_seeds()
        self._reset_options()
        return seen

    def step_async(self, actions: Array) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        seen, rewards, ended, _, info = self.envs.step(self._actions)
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(self.num_envs)]
        for number in np.flatnonzero(ended):
            last = info["final_info"]
            infos[number] |= {
                "terminal_observation": info["final_obs"][number],
                "returns": last["returns"][number],
                "forfeit": bool(last["forfeit"][number]),
            }
            self.reset_infos[number] = {"seat": int(info["seat"][number])}
        return seen, rewards.astype(np.float32), ended, infos

    def close(self) -> None:
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [self._of(attr_name, number) for number in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"{attr_name} cannot be set: the environments are compiled; make them anew with it")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        if method_name == "action_masks":  # asked for at every step
            masks = self.envs.action_masks()
            return list(masks) if indices is None else [masks[number] for number in self._get_indices(indices)]
        return [self._of(method_name, number)(*method_args, **method_kwargs) for number in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._indices(indices)]

    def get_images(self) -> list[Any]:
        """Pixels of every environment, in the mode "rgb_array"."""
        pictures = self.envs.render() if self.envs.render_mode == RGB else None
        return list(pictures) if pictures else [None] * self.num_envs

    def _indices(self, indices: Any) -> Iterable[int]:
        chosen: Iterable[int] = self._get_indices(indices)
        return chosen

    def _of(self, name: str, number: int) -> Any:
        """What one of the environments has by a name: its mask and looks, or what all have in common."""
        if name == "action_masks":
            return lambda: self.envs.action_masks()[number]
        if name == "render":
            return lambda: self.envs.episodes.rendered(number, self.envs.render_mode or "ansi")
        return getattr(self.envs, name)
