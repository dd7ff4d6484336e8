"""What ``turnsmith bench`` measures of Mastermind."""

from __future__ import annotations

import time
from functools import partial

from turnsmith.studies.speed import Bench, looking, thinking


def strategy(text: str, name: str, repeats: int = 3) -> float:
    """CPU seconds to build a whole strategy, nothing taken from the disk."""
    from turnsmith.contract.loading import load
    from turnsmith.games.mastermind.trees import build

    build(load("mastermind:colors=3,pegs=2").board(), name)
    boards = load(text).board()
    best = float("inf")
    for _ in range(repeats):
        begun = time.process_time()
        build(boards, name)
        best = min(best, time.process_time() - begun)
    return best


def pictures(count: int = 2000) -> float:
    """Pictures of random boards a CPU second."""
    import numpy as np

    from turnsmith.compile.kernel import compiled
    from turnsmith.contract.loading import load
    from turnsmith.games.mastermind.pixels import draw_all, shape_of

    game, random = load("mastermind"), np.random.default_rng(1)
    views = np.zeros(count, game.State)
    views["secret"], views["turns"] = -1, random.integers(0, 11, count)
    views["guesses"], views["answers"] = random.integers(0, 1296, (count, 20)), random.integers(0, 14, (count, 20))
    tall, wide = shape_of(4, 10)
    out = np.zeros((count, tall, 3 * wide), np.uint8)
    compiled(draw_all)(game.board(), views, out)
    begun = time.process_time()
    for _ in range(10):
        compiled(draw_all)(game.board(), views, out)
    return 10 * count / (time.process_time() - begun)


def rewarded(games: int = 1024) -> float:
    """Guesses a CPU second in many games at once, rewarded by the codes they removed; nobody learns."""
    import numpy as np

    from turnsmith.studies.mastermind.rewarded import RewardedGames

    batch, random = RewardedGames("mastermind", games, 4, (1, 0)), np.random.default_rng(1)
    guesses = random.integers(0, 1296, (101, games))
    batch.step(guesses[0])  # compiled now
    begun = time.process_time()
    for row in guesses[1:]:
        batch.step(row)
    return 100 * games / (time.process_time() - begun)


def learning(epochs: int, batch: int, by: str = "own", games: int = 256) -> float:
    """Guesses a CPU second of play and learning together, the net of the thesis, each guess learned from
    `epochs` times."""
    return 1.0 / sum(learning_seconds(epochs, batch, by, games))


def learning_seconds(epochs: int, batch: int, by: str, games: int) -> list[float]:
    """CPU seconds a guess of acting, playing and learning; 4,096 guesses between learning and learning."""
    import numpy as np

    from turnsmith.studies.mastermind.ppo import learner_class
    from turnsmith.studies.mastermind.trainings import PpoSettings

    settings = PpoSettings(reward="1", games=games, horizon=4096 // games, epochs=epochs, batch=batch, leg=20_480)
    learner, seconds = learner_class(by)(settings, (340,)), np.zeros(3)
    learner.play_leg(0, np.zeros(3))
    learner.play_leg(1, seconds)
    return [float(spent) / settings.leg for spent in seconds]


GAME = "mastermind"
LARGE = "mastermind:colors=8,pegs=5"
ONE_STEP = ("knuth", "entropy", "expected-size", "most-parts")
BENCHES = {
    "knuth 6-4": Bench(partial(strategy, GAME, "knuth"), "CPU s"),
    "optimal 6-4": Bench(partial(strategy, GAME, "optimal"), "CPU s"),
    "learned": Bench(partial(thinking, GAME, "learned"), "CPU ms a decision"),
    "pictures": Bench(pictures, "pictures/CPU s"),
    "eyes": Bench(partial(looking, GAME, "eyes"), "CPU ms a decision"),
    "guesses with reward": Bench(rewarded, "guesses/CPU s"),
    "ppo": Bench(partial(learning, 4, 256), "guesses/CPU s"),
    "ppo, learned from once": Bench(partial(learning, 1, 1024), "guesses/CPU s"),
    "ppo by sb3": Bench(partial(learning, 4, 256, "sb3"), "guesses/CPU s"),
    "ppo by sb3, learned from once": Bench(partial(learning, 1, 1024, "sb3"), "guesses/CPU s"),
    **{f"{name} 8-5": Bench(partial(strategy, LARGE, name, 1), "CPU s") for name in ONE_STEP},
}
