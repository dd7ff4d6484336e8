"""Connect Four side by side with OpenSpiel, pgx and EnvPool, in one run on one core: ``make peers``.

Random playouts in moves per CPU second, steps of a batch of games as a learner takes them (random legal actions; what
the mover sees and may do is written out at every step), the same through Gymnasium's interface as Gymnasium itself
measures it, and Monte Carlo tree search with random rollouts in simulations per CPU second, from the empty 7 x 6 board.
Everything that compiles has compiled before the clock starts.
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})  # one core for everybody

import random  # noqa: E402
import time  # noqa: E402
from types import SimpleNamespace  # noqa: E402

import envpool  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import pgx  # noqa: E402
import pyspiel  # noqa: E402
from gymnasium.utils import performance  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402
from gymnasium.vector.utils import batch_space  # noqa: E402
from open_spiel.python.algorithms import mcts as python_mcts  # noqa: E402
from pgx.experimental import auto_reset  # noqa: E402

from turnsmith.adapters.gym import VectorEnv  # noqa: E402
from turnsmith.cli.bench import decision, playouts, steps  # noqa: E402

BATCH = 1024


def cpu(work):
    """What `work` returns, a CPU second."""
    begun = time.process_time()
    return work() / (time.process_time() - begun)


def open_spiel_playouts(games=3000):
    game = pyspiel.load_game("connect_four")

    def work():
        moves = 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(random.choice(state.legal_actions()))
                moves += 1
        return moves

    return cpu(work)


def pgx_batch():
    """A batch at the start, and one random step of it; games that end start again, so that every step is a move."""
    environment = pgx.make("connect_four")
    init, step = jax.vmap(environment.init), jax.vmap(auto_reset(environment.step, environment.init))

    def turn(state, key):
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(key, logits, axis=-1)
        return step(state, action, jax.random.split(key, BATCH))

    return init(jax.random.split(jax.random.PRNGKey(0), BATCH)), turn


def pgx_playouts(moves=200):
    """Whole games inside compiled code; nobody looks at the positions."""
    start, turn = pgx_batch()

    @jax.jit
    def run(key):
        state, _ = jax.lax.scan(lambda state, key: (turn(state, key), None), start, jax.random.split(key, moves))
        return state.rewards.sum()

    run(jax.random.PRNGKey(0)).block_until_ready()

    def work():
        for seed in range(1, 6):
            run(jax.random.PRNGKey(seed)).block_until_ready()
        return 5 * BATCH * moves

    return cpu(work)


def pgx_steps(rounds=500):
    """The same step by step: every state, with its observation and mask, is handed out."""
    state, turn = pgx_batch()
    turn = jax.jit(turn)
    keys = list(jax.random.split(jax.random.PRNGKey(1), rounds))
    turn(state, keys[0]).observation.block_until_ready()

    def work():
        at = state
        for key in keys:
            at = turn(at, key)
        at.observation.block_until_ready()
        return BATCH * rounds

    return cpu(work)


def envpool_steps(rounds=500):
    """In one thread; drawing the actions does not count. A game that has ended takes a step to start again."""
    pool = envpool.make("ConnectFour-v1", env_type="gymnasium", num_envs=BATCH, num_threads=1)
    draws, (_, about), spent = np.random.default_rng(1), pool.reset(), 0.0
    for _ in range(rounds):
        chances = draws.random((BATCH, 7)) * about["legal_action_mask"]
        actions = chances.argmax(1).astype(np.int32)
        begun = time.process_time()
        *_, about = pool.step(actions)
        spent += time.process_time() - begun
    return BATCH * rounds / spent


class Pool:
    """EnvPool's Connect Four as Gymnasium's benchmark wants it: with a space of actions of all games. As ours does with
    seat="all", it shows every position to who moves (and to the other), and who moves illegally loses."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(self):
        self.pool = envpool.make("ConnectFour-v1", env_type="gymnasium", num_envs=BATCH, num_threads=1)
        self.num_envs, self.action_space = BATCH, batch_space(self.pool.action_space, BATCH)

    def reset(self, seed=None):
        return self.pool.reset()

    def step(self, actions):
        return self.pool.step(actions.astype(np.int32))


def gymnasium_steps(environments):
    """What Gymnasium's own benchmark says, its actions drawn without a mask, with a clock of CPU seconds."""
    performance.time = SimpleNamespace(time=time.process_time)
    return performance.benchmark_vector_step(environments, seed=1)


def ours(**settings):
    return VectorEnv("connect_four", BATCH, view="planes", **settings)


def open_spiel_mcts(simulations=100_000):
    game = pyspiel.load_game("connect_four")
    evaluator, selection = pyspiel.RandomRolloutEvaluator(1, 7), pyspiel.ChildSelectionPolicy.UCT
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, simulations, 1000, False, 7, False, selection)

    def work():
        bot.step(game.new_initial_state())
        return simulations

    return cpu(work)


def open_spiel_python_mcts(simulations=10_000):
    game = pyspiel.load_game("connect_four")
    generator = np.random.RandomState(7)
    evaluator = python_mcts.RandomRolloutEvaluator(1, generator)
    bot = python_mcts.MCTSBot(game, 1.4, simulations, evaluator, solve=False, random_state=generator)

    def work():
        bot.step(game.new_initial_state())
        return simulations

    return cpu(work)


ROWS = [
    ("random playouts, moves/CPU s", "turnsmith", lambda: playouts("connect_four", 300_000)),
    ("", "OpenSpiel from Python", open_spiel_playouts),
    ("", "pgx, batch of 1024", pgx_playouts),
    ("steps of a batch of 1024/CPU s", "turnsmith", lambda: steps("connect_four", BATCH, "planes")),
    ("", "pgx", pgx_steps),
    ("", "EnvPool", envpool_steps),
    ("Gymnasium's benchmark/CPU s", "turnsmith", lambda: gymnasium_steps(ours(seat="all"))),
    ("", "EnvPool", lambda: gymnasium_steps(Pool())),
    ("", "turnsmith, random opponent", lambda: gymnasium_steps(ours())),
    ("MCTS, simulations/CPU s", "turnsmith", lambda: decision("connect_four", "mcts:simulations=100000")),
    ("", "OpenSpiel C++", open_spiel_mcts),
    ("", "OpenSpiel Python", open_spiel_python_mcts),
]

if __name__ == "__main__":
    best = 0.0
    for what, who, measure in ROWS:
        value = measure()
        best = value if who == "turnsmith" else best
        ratio = "" if who.startswith("turnsmith") else f"   turnsmith is {best / value:,.1f} x as fast"
        print(f"{what:<30} {who:<26} {value:>14,.0f}{ratio}", flush=True)
