"""The classic games side by side with OpenSpiel, pgx and EnvPool, in one run on one core: ``make peers``.

For every game that a peer has too, two numbers are measured: whole random games a CPU second, and simulations a CPU
second of tree search with random rollouts, from the start. For games that EnvPool has, steps of a batch are measured
too, as a learner takes them: actions are random legal ones, and each step writes out what the mover sees and may do.
Everything that compiles has compiled before the clock starts. CPU time counts, so other programs on the machine hardly
do, but for the caches that they share.

``python bench/peers.py go othello`` measures only these; ``--write`` also writes docs/reference/peers.md.
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})  # one core for everybody

import argparse  # noqa: E402
import random  # noqa: E402
import time  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from importlib.metadata import version  # noqa: E402
from pathlib import Path  # noqa: E402
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
from turnsmith.contract.loading import load as load_game  # noqa: E402
from turnsmith.studies.speed import decision, random_games, steps  # noqa: E402

BATCH = 1024
PAGE = Path(__file__).parent.parent / "docs" / "reference" / "peers.md"
ENOUGH = 1.0
"""CPU seconds of one measurement, at least."""


@dataclass(frozen=True)
class Classic:
    """A game as each library calls it ("" where it has none), and how much is measured of ours and of OpenSpiel's."""

    ours: str
    open_spiel: str
    pgx: str = ""
    envpool: str = ""
    games: int = 2000
    simulations: int = 20_000
    batch: int = BATCH


CLASSICS = [
    Classic("tic_tac_toe", "tic_tac_toe", "tic_tac_toe", "TicTacToe-v1", games=500_000),
    Classic("connect_four", "connect_four", "connect_four", "ConnectFour-v1", games=200_000, simulations=100_000),
    Classic("othello", "othello", "othello", "Othello-v1", games=20_000),
    Classic("hex", "hex", "hex", "Hex-v1", games=20_000),
    Classic("breakthrough", "breakthrough", games=50_000),
    Classic("go", "go(board_size=9)", "go_9x9", games=5000, simulations=5000, batch=256),
    Classic("backgammon", "backgammon", "backgammon", "Backgammon-v1", games=1000, simulations=1000, batch=256),
    Classic("kuhn", "kuhn_poker", "kuhn_poker", "KuhnPoker-v1", games=500_000),
    Classic("leduc", "leduc_poker", "leduc_holdem", "LeducHoldem-v1", games=500_000),
    Classic("goofspiel", "goofspiel", games=200_000),
]


def cpu(work):
    """What `work` counts, a CPU second, over as many calls as that takes."""
    begun, done = time.process_time(), 0
    while time.process_time() - begun < ENOUGH:
        done += work()
    return done / (time.process_time() - begun)


# ---------------------------------------------------------------- whole random games


def move_at_random(state):
    if state.is_simultaneous_node():
        state.apply_actions([random.choice(state.legal_actions(seat)) for seat in range(state.num_players())])
    else:
        state.apply_action(random.choice(state.legal_actions()))


def open_spiel_games(classic):
    """From Python; chance draws from its outcomes as if all were as likely, which is quicker than by their chances."""
    game = pyspiel.load_game(classic.open_spiel)

    def work():
        state = game.new_initial_state()
        while not state.is_terminal():
            move_at_random(state)
        return 1

    return cpu(work)


def pgx_batch(classic):
    """A batch at the start, and one random step of it; games that end start again, so that every step is a move."""
    environment = pgx.make(classic.pgx)
    init, step = jax.vmap(environment.init), jax.vmap(auto_reset(environment.step, environment.init))

    def turn(state, key):
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(key, logits, axis=-1)
        return step(state, action, jax.random.split(key, classic.batch))

    return init(jax.random.split(jax.random.PRNGKey(0), classic.batch)), turn


def pgx_games(classic, moves=100):
    """Whole games inside compiled code; nobody looks at the positions."""
    start, turn = pgx_batch(classic)

    @jax.jit
    def run(state, key):
        def one(state, key):
            state = turn(state, key)
            return state, state.terminated.sum()

        return jax.lax.scan(one, state, jax.random.split(key, moves))

    at, seed = start, 0
    for seed in range(5):  # compiled, and far enough for games of all lengths to be under way
        at, ended = run(at, jax.random.PRNGKey(seed))
    ended.block_until_ready()

    def work():
        nonlocal at, seed
        seed += 1
        at, ended = run(at, jax.random.PRNGKey(seed))
        return int(ended.sum())

    return cpu(work)


# ---------------------------------------------------------------- tree search


def first_decision(game):
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(random.choice(state.legal_actions()))
    return state


def open_spiel_mcts(classic):
    """In C++: MCTS, or where something is hidden information-set MCTS."""
    game = pyspiel.load_game(classic.open_spiel)
    evaluator, simulations = pyspiel.RandomRolloutEvaluator(1, 7), min(classic.simulations, 1000)
    if game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION:
        selection = pyspiel.ChildSelectionPolicy.UCT
        bot = pyspiel.MCTSBot(game, evaluator, 1.4, simulations, 1000, False, 7, False, selection)
    else:
        bot = pyspiel.ISMCTSBot(7, evaluator, 1.4, simulations)

    def work():
        bot.step(first_decision(game))
        return simulations

    return cpu(work)


def open_spiel_python_mcts(classic):
    game, generator, simulations = pyspiel.load_game(classic.open_spiel), np.random.RandomState(7), 200
    evaluator = python_mcts.RandomRolloutEvaluator(1, generator)
    bot = python_mcts.MCTSBot(game, 1.4, simulations, evaluator, solve=False, random_state=generator)

    def work():
        bot.step(first_decision(game))
        return simulations

    return cpu(work)


# ---------------------------------------------------------------- steps of a batch, for learners


def pgx_steps(classic, rounds=100):
    """Step by step: every state, with its observation and mask, is handed out."""
    at, turn = pgx_batch(classic)
    turn = jax.jit(turn)
    keys = list(jax.random.split(jax.random.PRNGKey(1), rounds))
    at = turn(at, keys[0])
    at.observation.block_until_ready()

    def work():
        nonlocal at
        for key in keys:
            at = turn(at, key)
        at.observation.block_until_ready()
        return classic.batch * rounds

    return cpu(work)


def envpool_steps(classic, rounds=500):
    """In one thread; drawing the actions does not count. A game that has ended takes a step to start again."""
    pool = envpool.make(classic.envpool, env_type="gymnasium", num_envs=BATCH, num_threads=1)
    draws, (_, about), spent = np.random.default_rng(1), pool.reset(), 0.0
    for _ in range(rounds):
        mask = about["legal_action_mask"]
        actions = (draws.random(mask.shape) * mask).argmax(1).astype(np.int32)
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


# ---------------------------------------------------------------- the run


def measures(classic):
    """What is measured of a game: of each kind ours first."""
    is_open = pyspiel.load_game(classic.open_spiel).get_type().information.name == "PERFECT_INFORMATION"
    view = "planes" if load_game(classic.ours).gives_planes else "features"
    yield "random games", "turnsmith", lambda: random_games(classic.ours, classic.games)
    yield "random games", "OpenSpiel from Python", lambda: open_spiel_games(classic)
    if classic.pgx:
        yield "random games", f"pgx, batch of {classic.batch}", lambda: pgx_games(classic)
    if classic.ours != "goofspiel":  # whose moves are simultaneous: OpenSpiel's tree search does not play it
        yield "tree search", "turnsmith", lambda: decision(classic.ours, f"mcts:simulations={classic.simulations}")
        yield "tree search", "OpenSpiel C++", lambda: open_spiel_mcts(classic)
        if is_open:
            yield "tree search", "OpenSpiel Python", lambda: open_spiel_python_mcts(classic)
    if classic.envpool:
        yield "batch steps", "turnsmith", lambda: steps(classic.ours, BATCH, view)
        yield "batch steps", f"pgx, batch of {classic.batch}", lambda: pgx_steps(classic)
        yield "batch steps", "EnvPool", lambda: envpool_steps(classic)
    if classic.ours == "connect_four":  # as Gymnasium itself measures
        yield "Gymnasium's benchmark", "turnsmith", lambda: gymnasium_steps(ours(seat="all"))
        yield "Gymnasium's benchmark", "EnvPool", lambda: gymnasium_steps(Pool())


def table_of(classic):
    """Rows (what, who, how many a CPU second, how much faster we are), printed as they come."""
    ours = 0.0
    for what, who, measure in measures(classic):
        value = measure()
        ours = value if who == "turnsmith" else ours
        faster = "" if who == "turnsmith" else f"{ours / value:,.1f} ×"
        print(f"{classic.ours:<13} {what:<21} {who:<24} {value:>14,.0f} {faster:>12}", flush=True)
        yield what, who, f"{value:,.0f}", faster


def page(tables, load):
    """docs/reference/peers.md; of games that are not measured now, the rows of the page as it is are kept."""
    used = ", ".join(f"{name} {version(name)}" for name in ("open_spiel", "pgx", "jax", "envpool", "numba"))
    lines = [
        "# Side by side",
        "",
        "OpenSpiel, pgx and EnvPool are other libraries of games; numba compiles ours, jax those of pgx.",
        "`make peers` (`python bench/peers.py --write`) writes this page.",
        "",
        __doc__.split("\n\n")[1],
    ]
    lines += ["", f"With {used}; one core, the machine's load average {load:.1f} when it began.", ""]
    lines += ["| game | a CPU second | library | measured | turnsmith is faster |", "|---|---|---|---|---|"]
    before = PAGE.read_text("utf-8").splitlines() if PAGE.exists() else []
    for name in (classic.ours for classic in CLASSICS):
        kept = [line for line in before if line.startswith(f"| {name} |")]
        rows = [
            f"| {name} | {what} | {who} | {value} | {faster} |" for what, who, value, faster in tables.get(name, [])
        ]
        lines += rows or kept
    lines += [
        "",
        "A move of OpenSpiel's backgammon plays both dice, one of ours a single die: games are compared, not moves.",
    ]
    lines += ["Our simulations look one move ahead in their rollouts, and merge positions met on several ways."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", help="only these of ours")
    parser.add_argument("--write", action="store_true", help="write docs/reference/peers.md")
    given = parser.parse_args()
    unknown = set(given.games) - {classic.ours for classic in CLASSICS}
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(each.ours for each in CLASSICS)}")
    load = os.getloadavg()[0]
    random.seed(1)
    chosen = [classic for classic in CLASSICS if not given.games or classic.ours in given.games]
    found = {}
    for classic in chosen:
        found[classic.ours] = list(table_of(classic))
        if given.write:  # after every game: the page of a run that was stopped has what it came to
            PAGE.write_text(page(found, load), "utf-8")
