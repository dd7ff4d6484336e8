"""AlphaZero here and in OpenSpiel (its Python implementation, on JAX): Connect Four, equal CPU minutes of training.

    python -m venv .venv-spiel
    .venv-spiel/bin/pip install -e '.[learn,openspiel]' jax flax optax chex orbax-checkpoint
    .venv-spiel/bin/python bench/alphazero_open_spiel.py --minutes 10 --games 100

Both learn from nothing but the rules, in one process each, until their CPU time is spent; nets are dense, of about the
same size. OpenSpiel's actor and learner take turns here, with the settings of its own example; what they do is its
code, but for one kindness: it asks its net operation by operation, and here the net is compiled once and asked as a
whole. How fast it is as it comes is told first. Then both play the same `mcts` from the same random openings, each from
both seats, with as many simulations a decision as each other, and the CPU time of a decision is told. Intervals are of
95 %, by openings.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
from mcts_budgets import Chooser, opening, points_of_pair, rate_of
from open_spiel.python.algorithms.alpha_zero import alpha_zero, evaluator, replay_buffer, utils

import turnsmith as ts
from turnsmith.arena.statistics import RateWithInterval
from turnsmith.contract.trainings import TrainingContext
from turnsmith.learn import alphazero
from turnsmith.play.position import Position
from turnsmith.play.seat import Seat

GAME, GAMES = "connect_four", 2048
"""GAMES: of a round of ours."""
CONFIG = {
    "game": GAME, "learning_rate": 1e-3, "weight_decay": 1e-4, "decouple_weight_decay": False,
    "train_batch_size": 128, "replay_buffer_size": 2**13, "replay_buffer_reuse": 4, "max_steps": 0,
    "checkpoint_freq": 25, "actors": 1, "evaluators": 0, "evaluation_window": 50, "eval_levels": 7, "uct_c": 1.41,
    "max_simulations": 40, "policy_alpha": 1.0, "policy_epsilon": 0.25, "temperature": 1.0, "temperature_drop": 10,
    "nn_model": "mlp", "nn_width": 256, "nn_depth": 2, "verbose": False, "quiet": True, "nn_api_version": "linen",
}  # fmt: skip
"""Of its example, but for the game, a dense net, one actor, and ten drawn moves instead of two, as games are longer."""


def hasten(model: Any) -> None:
    """Let its net be asked as a whole."""

    @jax.jit
    def predict(params: Any, stats: Any, observation: Any, mask: Any) -> Any:
        logits, value = model._state.apply_fn(
            {"params": params, "batch_stats": stats}, observation, training=False, mutable=False
        )
        return value, jax.nn.softmax(jnp.where(mask, logits, jnp.finfo(jnp.float32).min), axis=-1)

    def inference(observation: Any, mask: Any) -> tuple[Any, Any]:
        given = np.asarray(observation, np.float32), np.asarray(mask, np.bool_)
        value, policy = predict(model._state.params, model._state.batch_stats, *given)
        return np.asarray(value), np.asarray(policy)

    model.inference = inference


class Silent:
    """In place of its log files."""

    def print(self, *words: object) -> None:
        pass

    opt_print = print


def learn_theirs(minutes: float, folder: str) -> tuple[alpha_zero.Config, pyspiel.Game, object]:
    """Its actor and its learner by turns, until the CPU time is spent."""
    game = pyspiel.load_game(GAME)
    shape, actions = game.observation_tensor_shape(), game.num_distinct_actions()
    config = alpha_zero.Config(**CONFIG, path=folder, observation_shape=shape, output_size=actions)
    model = alpha_zero._init_model_from_config(config)
    judge, buffer = evaluator.AlphaZeroEvaluator(game, model), replay_buffer.Buffer(config.replay_buffer_size)
    bots = tuple(alpha_zero._init_bot(config, game, judge, False) for _ in range(2))

    def one_game() -> alpha_zero.Trajectory:
        return alpha_zero._play_game(Silent(), 0, game, bots, config.temperature, config.temperature_drop)

    begun = time.process_time()
    positions = len(one_game().states)
    tell("OpenSpiel as it comes", 1, positions, time.process_time() - begun, time.process_time() - begun, "one game")
    hasten(model)
    begun, positions, games, fresh, steps, playing = time.process_time(), 0, 0, 0, 0, 0.0
    while time.process_time() - begun < 60.0 * minutes:
        since = time.process_time()
        played = one_game()
        playing += time.process_time() - since
        games, fresh = games + 1, fresh + len(played.states)
        positions += len(played.states)
        for each in played.states:
            row = utils.TrainInput(
                observation=jnp.asarray(each.observation, dtype=jnp.float32),
                legals_mask=jnp.asarray(each.legals_mask, dtype=jnp.bool),
                policy=jnp.asarray(each.policy, dtype=jnp.float32),
                value=jnp.asarray(played.returns[0], dtype=jnp.float32),
            )
            buffer.append(row)
        if fresh >= config.replay_buffer_size // config.replay_buffer_reuse:
            for _ in range(min(config.replay_buffer_size, positions) // config.train_batch_size):
                model.update(buffer.sample(config.train_batch_size))
            judge.clear_cache()
            fresh, steps = 0, steps + 1
    spent = time.process_time() - begun
    tell("OpenSpiel", games, positions, spent, playing, f"{steps} steps of its learner")
    return config, game, judge


def learn_ours(minutes: float, folder: str) -> Path:
    """Rounds until the CPU time is spent."""
    game, begun, rounds, positions, playing = ts.load(GAME), time.process_time(), 0, 0, 0.0
    work, play = TrainingContext(Path(folder) / "run", game_text=GAME), alphazero.play

    def timed(*given: Any) -> Any:
        nonlocal playing, positions
        since = time.process_time()
        found = play(*given)
        playing, positions = playing + time.process_time() - since, positions + len(found.mover)
        return found

    alphazero.play = timed
    while rounds == 0 or time.process_time() - begun < 60.0 * minutes:
        rounds += 1
        settings = alphazero.AlphaZeroSettings(
            rounds=rounds, games=GAMES, simulations=64, quick=16, view="features", batch=512, passes=3.0, remembered=10,
            gated=False, anchored=0, proof=0,
        )  # fmt: skip
        net, _ = alphazero.learn(game, settings, work)
    spent = time.process_time() - begun
    tell("turnsmith", rounds * GAMES, positions, spent, playing, f"{rounds} rounds")
    return net


def tell(who: str, games: int, positions: int, spent: float, playing: float, more: str) -> None:
    print(
        f"{who}: {games:,} games, {positions:,} positions in {spent:.0f} CPU s: {positions / spent:,.0f} a CPU s "
        f"({positions / max(playing, 1e-9):,.0f} while playing); {more}",
        flush=True,
    )


def duel(name: str, make: Callable[[Position], Chooser], rival: str, games: int, plies: int) -> RateWithInterval:
    """Points of a player against the rival, and what its decisions took."""
    game, spent, decisions = ts.load(GAME), 0.0, 0

    def choosers(position: Position, seat: int) -> tuple[Chooser, Chooser]:
        ours = make(position)

        def timed(position: Position) -> int:
            nonlocal spent, decisions
            begun = time.process_time()
            action = ours(position)
            spent, decisions = spent + time.process_time() - begun, decisions + 1
            return action

        return timed, Seat(ts.player(rival, game), game, position.boards).choose

    points_of_pair(opening(game, plies, 0), choosers)  # compiled now
    spent, decisions = 0.0, 0
    found = rate_of([points_of_pair(opening(game, plies, 1000 + pair), choosers) for pair in range(games // 2)])
    print(
        f"{name}: {found.rate:.1%} ({found.low:.1%} to {found.high:.1%}) of {found.games} games against {rival}, "
        f"{1000 * spent / max(1, decisions):.2f} CPU ms a decision",
        flush=True,
    )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0, help="CPU minutes of training, each")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--simulations", type=int, default=100, help="of a decision, when they play")
    parser.add_argument("--rival", default="mcts:simulations=500")
    parser.add_argument("--opening", type=int, default=4, help="random moves")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        net = learn_ours(given.minutes, folder)
        config, their_game, judge = learn_theirs(given.minutes, folder)
        config = config.replace(max_simulations=given.simulations)
        ours = ts.player(f"alphazero:net={net},simulations={given.simulations}", ts.load(GAME))

        def theirs(position: Position) -> Chooser:
            bot = alpha_zero._init_bot(config, their_game, judge, True)

            def choose(position: Position) -> int:
                state = their_game.new_initial_state()
                for action in position.history:
                    state.apply_action(action)
                return int(bot.mcts_search(state).best_child().action)

            return choose

        duel("turnsmith", lambda at: Seat(ours, at.game, at.boards).choose, given.rival, given.games, given.opening)
        duel("OpenSpiel", theirs, given.rival, given.games, given.opening)


if __name__ == "__main__":
    main()
