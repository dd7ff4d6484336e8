"""Steps of Connect Four a CPU second through every door to another framework: ``python bench/doors.py [SECONDS]``.

Actions are random legal ones; drawing them does not count. Against an opponent a step is two moves.
"""

import sys
import time

import numpy as np
from gymnasium.vector import AutoresetMode

from turnsmith.adapters import pettingzoo
from turnsmith.adapters.gym import Env, PufferEnv, SB3VecEnv, VectorEnv

GAME, MANY = "connect_four", 1024
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
DRAWS = np.random.default_rng(1)


def pick(mask):
    """A random legal action in every row."""
    return (DRAWS.random(mask.shape, np.float32) * mask).argmax(-1)


def rate(step, mask, size=1):
    """How many environments `step(actions)` steps a CPU second."""
    step(pick(mask()))  # compiled now
    spent, steps = 0.0, 0
    while spent < SECONDS:
        actions = pick(mask())
        begun = time.process_time()
        step(actions)
        spent, steps = spent + time.process_time() - begun, steps + size
    return steps / spent


def vector(**settings):
    envs = VectorEnv(GAME, MANY, **settings)
    envs.reset(seed=1)
    return rate(envs.step, lambda: envs.episodes.mask, MANY)


def sb3():
    envs = SB3VecEnv(GAME, MANY)
    envs.reset()
    return rate(envs.step, lambda: envs.envs.episodes.mask, MANY)


def puffer(**settings):
    envs = PufferEnv(GAME, MANY, **settings)
    envs.reset(seed=1)
    return rate(envs.step, lambda: envs.action_mask, MANY)


def single():
    env = Env(GAME)
    env.reset(seed=1)

    def step(action):
        if env.step(action)[2]:
            env.reset()

    return rate(step, env.action_masks)


def by_turns():
    env = pettingzoo.raw_env(GAME)
    env.reset(seed=1)

    def step(action):
        env.step(action)
        if any(env.terminations.values()):
            env.reset()

    return rate(step, lambda: env.observe(env.agent_selection)["action_mask"])


SAME = AutoresetMode.SAME_STEP
ROWS = [
    ("VectorEnv, every seat, planes", lambda: vector(seat="all", view="planes")),
    ("VectorEnv, every seat, 171 features", lambda: vector(seat="all")),
    ("VectorEnv, every seat, 171 features, copy=False", lambda: vector(seat="all", copy=False)),
    ("VectorEnv, random opponent, planes", lambda: vector(view="planes")),
    ("VectorEnv, random opponent, 171 features", lambda: vector()),
    ("VectorEnv, random opponent, SAME_STEP", lambda: vector(autoreset_mode=SAME)),
    ("VectorEnv, opponent mcts:simulations=100", lambda: vector(opponents="mcts:simulations=100")),
    ("PufferEnv, every seat, 171 features", lambda: puffer(seat="all")),
    ("PufferEnv, random opponent, 171 features", lambda: puffer()),
    ("SB3VecEnv, random opponent, 171 features", sb3),
    ("Env, random opponent, 171 features", single),
    ("PettingZoo AEC, 171 features", by_turns),
]

if __name__ == "__main__":
    for what, measure in ROWS:
        print(f"{what:<50} {measure():>12,.0f} steps/CPU s", flush=True)
