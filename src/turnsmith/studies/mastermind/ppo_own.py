"""Proximal policy optimisation (PPO), the way to train: a loop of our own on many games at once.

The net has three hidden layers of 256, or three of convolution and one of 512 for pictures, and tells, for each place,
the chances of its colours, and the value. Games are played by compiled rules; torch only multiplies.
"""

from __future__ import annotations

import itertools
import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.extras import extra
from turnsmith.games.mastermind.pixels import GROUND
from turnsmith.studies.mastermind.rewarded import RewardedGames

if TYPE_CHECKING:
    from turnsmith.studies.mastermind.trainings import PpoSettings

OF_VALUE, MOST_NORM = 0.5, 0.5
"""The weight of the value's loss, and the longest gradient."""
OF_PICTURES = 512
"""Numbers that the convolutions come to."""


class OwnPpo:
    """The net, its optimiser, and how they learn. shape: of what is seen of one game."""

    def __init__(self, settings: PpoSettings, shape: tuple[int, ...]):
        torch = extra("torch")
        torch.set_num_threads(1)
        torch.manual_seed(settings.seed)
        self.torch, self.settings = torch, settings
        self.colors, self.pegs = settings.colors, settings.pegs
        self.trunk, wide = self._trunk(shape)
        self.zero = torch.tensor(zero_of(settings)).view(3, 1, 1)
        self.head = torch.nn.Linear(wide, self.colors * self.pegs + 1)
        begin(torch, self.head, 0.01)  # nearly even chances
        self.parameters = [*self.trunk.parameters(), *self.head.parameters()]
        self.adam = torch.optim.Adam(self.parameters, lr=settings.rate, eps=1e-5, fused=True)
        self.power = torch.tensor([self.colors ** (self.pegs - 1 - place) for place in range(self.pegs)])

    def _trunk(self, shape: tuple[int, ...]) -> tuple[Any, int]:
        """The layers up to the last, and how many numbers they come to."""
        nn = self.torch.nn
        if self.settings.see == "history":
            sizes = (*shape, *[self.settings.hidden] * 3)
            layers = [nn.Linear(above, below) for above, below in itertools.pairwise(sizes)]
        else:  # as for Atari's games (Mnih and others, 2015)
            layers = [nn.Conv2d(3, 32, 8, stride=4), nn.Conv2d(32, 64, 4, stride=2), nn.Conv2d(64, 64, 3)]
            output = nn.Sequential(*layers)(self.torch.zeros(1, 3, *shape[:2]))
            layers.append(nn.Linear(output.numel(), OF_PICTURES))
            sizes = (OF_PICTURES,)
        for layer in layers:
            begin(self.torch, layer, math.sqrt(2.0))
        between = nn.Tanh if self.settings.see == "history" else nn.ReLU
        parts = [part for layer in layers for part in (layer, between())]
        if self.settings.see == "pictures":
            parts.insert(-2, nn.Flatten())
        return nn.Sequential(*parts), sizes[-1]

    def __call__(self, seen: Any) -> tuple[Any, Any]:
        """(log chances [rows, pegs, colors], values [rows])"""
        if self.settings.see == "pictures":
            seen = seen.permute(0, 3, 1, 2) / 255.0 - self.zero
        out = self.head(self.trunk(seen))
        chances = out[:, :-1].view(-1, self.pegs, self.colors)
        return self.torch.log_softmax(chances, 2), out[:, -1]

    def learn(self, seen: Any, pegs: Any, before: Any, gains: Any, returns: Any) -> None:
        """One step of the optimiser: before [rows] the log chance at which the pegs [rows, pegs] were chosen."""
        torch, settings = self.torch, self.settings
        logs, values = self(seen)
        ratio = (logs.gather(2, pegs[:, :, None]).sum((1, 2)) - before).exp()
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
        entropy = -(logs.exp() * logs).sum((1, 2)).mean()
        loss = OF_VALUE * (returns - values).square().mean() - settings.entropy * entropy
        loss = loss - torch.minimum(ratio * gains, clipped * gains).mean()
        self.adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, MOST_NORM)
        self.adam.step()

    def play_leg(self, leg: int, seconds: Array) -> tuple[Array, float]:
        """Play and learn for a leg: the lengths of its games and the mean reward of a guess.

        seconds: float64[3], which gains the processor time of acting, playing and learning.
        """
        torch, settings = self.torch, self.settings
        torch.manual_seed(settings.seed * 1_000_003 + leg)
        rows, steps = settings.games, settings.horizon
        games = RewardedGames(settings.board, rows, settings.kind, (settings.seed, leg), settings.see)
        seen = torch.from_numpy(np.zeros((steps + 1, *games.seen.shape), games.seen.dtype))
        pegs = torch.zeros(steps, rows, settings.pegs, dtype=torch.int64)
        logs, values = torch.zeros(steps, rows), torch.zeros(steps + 1, rows)
        rewards, going = np.zeros((steps, rows), np.float32), np.zeros((steps, rows), np.float32)
        ended: list[Array] = []
        paid, rounds = 0.0, max(1, settings.leg // (rows * steps))
        for _ in range(rounds):
            with torch.no_grad():
                for step in range(steps):
                    moment = time.process_time()
                    seen[step] = torch.from_numpy(games.seen)
                    chances, values[step] = self(seen[step])
                    noise = -torch.log(-torch.log(torch.rand_like(chances)))
                    pegs[step] = (chances + noise).argmax(2)
                    logs[step] = chances.gather(2, pegs[step][:, :, None]).sum((1, 2))
                    guesses = (pegs[step] * self.power).sum(1).numpy()
                    seconds[0] += time.process_time() - moment
                    moment = time.process_time()
                    games.step(guesses)
                    rewards[step], going[step] = games.rewards, games.lengths == 0
                    ended.append(games.lengths[games.lengths > 0])
                    paid += float(games.rewards.sum())
                    seconds[1] += time.process_time() - moment
                moment = time.process_time()
                seen[steps] = torch.from_numpy(games.seen)
                values[steps] = self(seen[steps])[1]
            gains = advantages(settings.gamma, settings.trace, rewards, going, values.numpy())
            parts = seen[:steps], pegs, logs, torch.from_numpy(gains), torch.from_numpy(gains) + values[:steps]
            flat = [part.flatten(0, 1) for part in parts]
            for _ in range(settings.epochs):
                for chosen in torch.randperm(rows * steps).split(settings.batch):
                    self.learn(*[part[chosen] for part in flat])
            seconds[2] += time.process_time() - moment
        return np.concatenate(ended), paid / (rounds * rows * steps)


def zero_of(settings: PpoSettings) -> Array:
    """float32[3]: the colour that is 0 to the net. A board is mostly wood, and what is alike in all pictures drowns
    the little in which they differ."""
    return GROUND.astype(np.float32) / 255 if settings.zero == "wood" else np.zeros(3, np.float32)


def begin(torch: Any, layer: Any, gain: float) -> None:
    """Rows at right angles: bits that are mostly 0 would not get through what torch begins with."""
    torch.nn.init.orthogonal_(layer.weight, gain)
    torch.nn.init.zeros_(layer.bias)


def advantages(gamma: float, trace: float, rewards: Array, going: Array, values: Array) -> Array:
    """float32[steps, rows]: generalised advantages; values has one step more, going is 0 where a game ended."""
    gains, later = np.zeros_like(rewards), np.zeros(rewards.shape[1], np.float32)
    for step in range(len(rewards) - 1, -1, -1):
        surprise = rewards[step] + gamma * going[step] * values[step + 1] - values[step]
        later = surprise + gamma * trace * going[step] * later
        gains[step] = later
    return gains
