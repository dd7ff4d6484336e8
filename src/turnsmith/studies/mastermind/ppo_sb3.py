"""Proximal policy optimisation (PPO) by stable-baselines3, which the thesis used: what our own loop is compared with.

Its own files are never read, they hold pickles: a leg begins a new model and takes over parameters and moments.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.extras import extra
from turnsmith.studies.mastermind.ppo_own import zero_of
from turnsmith.studies.mastermind.rewarded import RewardedGames

if TYPE_CHECKING:
    from turnsmith.studies.mastermind.trainings import PpoSettings

torch: Any = extra("torch")
sb3: Any = extra("stable_baselines3")
spaces: Any = extra("gymnasium.spaces")
VecEnv: Any = extra("stable_baselines3.common.vec_env").VecEnv
NatureCNN: Any = extra("stable_baselines3.common.torch_layers").NatureCNN
ROWS = ("seen", "rewards", "lengths")
"""What can be asked for of one game; not its secret."""


class RewardedVecEnv(VecEnv):
    """Games as stable-baselines3 wants them; a guess is a colour for each place, a picture has its channels first."""

    def __init__(self, settings: PpoSettings, leg: int):
        self.games = RewardedGames(settings.board, settings.games, settings.kind, (settings.seed, leg), settings.see)
        self.power = settings.colors ** np.arange(settings.pegs - 1, -1, -1)
        self.ended: list[Array] = []
        self.paid, self.seconds = 0.0, 0.0
        seen = in_its_order(self.games.seen)
        space = spaces.Box(0, 1 if settings.see == "history" else 255, seen.shape[1:], seen.dtype)
        super().__init__(settings.games, space, spaces.MultiDiscrete([settings.colors] * settings.pegs))

    def reset(self) -> Array:
        self.games.deal()
        return in_its_order(self.games.seen)

    def step_async(self, actions: Array) -> None:
        moment = time.process_time()
        self.games.step(actions @ self.power)
        self.seconds += time.process_time() - moment

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        games = self.games
        self.ended.append(games.lengths[games.lengths > 0])
        self.paid += float(games.rewards.sum())
        return in_its_order(games.seen), games.rewards.copy(), games.lengths > 0, [{} for _ in games.lengths]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Of each game its row."""
        if attr_name == "render_mode":  # asked for at the start; there is none
            return [None for _ in self._get_indices(indices)]
        if attr_name not in ROWS:
            raise AttributeError(f"a game has no {attr_name}; it has {', '.join(ROWS)}")
        return [getattr(self.games, attr_name)[row].copy() for row in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"{attr_name} cannot be set: the games are compiled; make them anew with it")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        raise AttributeError(f"a game has no method {method_name}: it is a row of many that are played at once")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        pass


def in_its_order(seen: Array) -> Array:
    """A copy; of pictures uint8[rows, height, width, 3] one with channels first."""
    return seen.copy() if seen.ndim == 2 else np.ascontiguousarray(seen.transpose(0, 3, 1, 2))


class FromZero(NatureCNN):
    """The usual convolutions, on pictures in which some colour is 0."""

    def __init__(self, space: Any, zero: Array):
        super().__init__(space)
        self.zero = torch.tensor(zero).view(3, 1, 1)

    def forward(self, seen: Any) -> Any:
        return super().forward(seen - self.zero)


class TimedPPO(sb3.PPO):
    """PPO that tells what of its time is learning."""

    learning = 0.0

    def train(self) -> None:
        moment = time.process_time()
        super().train()
        self.learning += time.process_time() - moment


class StableBaselinesPpo:
    """A model of stable-baselines3 with the thesis's net: it learns as ``OwnPpo`` does."""

    def __init__(self, settings: PpoSettings, shape: tuple[int, ...]):
        torch.set_num_threads(1)
        self.settings = settings
        looks = {"features_extractor_class": FromZero, "features_extractor_kwargs": {"zero": zero_of(settings)}}
        policy = {"net_arch": [settings.hidden] * 3} if settings.see == "history" else looks
        self.model = TimedPPO(
            "MlpPolicy" if settings.see == "history" else "CnnPolicy", RewardedVecEnv(settings, 0),
            learning_rate=settings.rate, n_steps=settings.horizon, batch_size=settings.batch, n_epochs=settings.epochs,
            clip_range=settings.clip, ent_coef=settings.entropy, gamma=settings.gamma,
            gae_lambda=settings.trace, policy_kwargs=policy, seed=settings.seed, device="cpu",
        )  # fmt: skip
        self.parameters, self.adam = list(self.model.policy.parameters()), self.model.policy.optimizer
        self.torch, self.power = torch, torch.from_numpy(self.model.env.power)

    def __call__(self, seen: Any) -> tuple[Any, Any]:
        """(log chances [rows, pegs, colors], values [rows])"""
        seen, policy = torch.from_numpy(in_its_order(seen.numpy())), self.model.policy
        chances = [choice.logits for choice in policy.get_distribution(seen).distribution]
        return torch.stack(chances, 1), policy.predict_values(seen)[:, 0]

    def play_leg(self, leg: int, seconds: Array) -> tuple[Array, float]:
        """As ``OwnPpo.play_leg``: a leg plays fresh games with its own random numbers."""
        settings, model, begun = self.settings, self.model, time.process_time()
        env = RewardedVecEnv(settings, leg)
        sb3.common.utils.set_random_seed((settings.seed * 1_000_003 + leg) % 2**32)  # it orders batches by NumPy's
        model.set_env(env)
        model.learning = 0.0
        a_round = settings.games * settings.horizon
        rounds = max(1, settings.leg // a_round)
        model.learn(rounds * a_round)
        spent = time.process_time() - begun
        seconds += spent - env.seconds - model.learning, env.seconds, model.learning
        return np.concatenate(env.ended), env.paid / (rounds * a_round)
