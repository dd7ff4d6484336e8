"""Mastermind learned by reward, 6 colours and 4 pegs, net of 340, three times 256 and 24: where the time goes.

stable-baselines3 with games in plain Python, stable-baselines3 with our games, our own loop; guesses a CPU second on
one core, and the shares of choosing guesses, playing and learning. Reward 1 for all, the cheapest to pay.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import random
import time

import gymnasium
import numpy as np
from stable_baselines3.common.vec_env import DummyVecEnv

from turnsmith.studies.mastermind.benches import learning_seconds
from turnsmith.studies.mastermind.ppo_sb3 import StableBaselinesPpo
from turnsmith.studies.mastermind.trainings import PpoSettings


class PlainMastermind(gymnasium.Env):
    """As one would write it: lists and a NumPy array of bits."""

    observation_space = gymnasium.spaces.Box(0, 1, (340,), np.float32)
    action_space = gymnasium.spaces.MultiDiscrete([6] * 4)

    def reset(self, *, seed=None, options=None):
        self.secret, self.turn = [random.randrange(6) for _ in range(4)], 0
        self.seen = np.zeros(340, np.float32)
        return self.seen.copy(), {}

    def step(self, action):
        guess = [int(color) for color in action]
        red = sum(a == b for a, b in zip(guess, self.secret, strict=True))
        white = sum(min(guess.count(color), self.secret.count(color)) for color in set(guess)) - red
        bits = self.seen[34 * self.turn : 34 * (self.turn + 1)]
        for place, color in enumerate(guess):
            bits[6 * place + color] = 1.0
        bits[24 + red] = bits[29 + white] = 1.0
        self.turn += 1
        return self.seen.copy(), 1.0 if red == 4 else -1.0, red == 4 or self.turn == 10, False, {}


class TimedVecEnv(DummyVecEnv):
    seconds = 0.0

    def step_wait(self):
        moment = time.process_time()
        found = super().step_wait()
        self.seconds += time.process_time() - moment
        return found


def plain_seconds(epochs, batch, games):
    """As ``learning_seconds``, with games in plain Python."""
    settings = PpoSettings(games=games, horizon=4096 // games, epochs=epochs, batch=batch, reward="1")
    model = StableBaselinesPpo(settings, (340,)).model
    env = TimedVecEnv([PlainMastermind] * games)
    model.set_env(env)
    model.learn(4096)
    env.seconds, model.learning, begun = 0.0, 0.0, time.process_time()
    model.learn(20_480)
    spent = time.process_time() - begun
    return [each / 20_480 for each in (spent - env.seconds - model.learning, env.seconds, model.learning)]


WAYS = [
    ("stable-baselines3, games in plain Python", plain_seconds),
    ("stable-baselines3, our games", lambda epochs, batch, games: learning_seconds(epochs, batch, "sb3", games)),
    ("our loop", lambda epochs, batch, games: learning_seconds(epochs, batch, "own", games)),
]

if __name__ == "__main__":
    for games, epochs, batch in ((8, 4, 256), (256, 4, 256), (256, 1, 1024)):
        print(f"{games} games at once, each guess learned from {epochs} times, batches of {batch}")
        for name, measure in WAYS:
            seconds = np.array(measure(epochs, batch, games))
            acting, playing, learned = 100 * seconds / seconds.sum()
            shares = f"choosing {acting:.0f} %, playing {playing:.0f} %, learning {learned:.0f} %"
            print(f"  {name:<42} {1 / seconds.sum():>7,.0f} guesses/CPU s   {shares}", flush=True)
