"""How fast a game runs: what can be measured of any, and the entries of ``turnsmith bench`` that a game declares.

A game says ``BENCHES = {"playouts": Bench(...)}`` in its one file, or in its folder's ``benches.py``. Everything is
compiled before it is timed, and where CPU seconds are meant, other programs on the machine do not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from turnsmith.common.errors import BadInput

if TYPE_CHECKING:
    from turnsmith.play.observe import View


@dataclass(frozen=True)
class Bench:
    """One entry: what measures it, and the unit of what that returns."""

    measure: Callable[[], float]
    unit: str


def declared_benches(home: str) -> dict[str, Bench]:
    """The entries that the game of this name, or in this file, declares, by their own names."""
    from turnsmith.contract.homes import part_of

    declared = getattr(part_of(home, "benches"), "BENCHES", {})
    if not isinstance(declared, dict) or not all(isinstance(bench, Bench) for bench in declared.values()):
        raise BadInput(f"{home}: BENCHES must be a dict of Bench by name, not {declared!r:.60}")
    return declared


def benches_of(text: str) -> dict[str, Bench]:
    """The entries of any game, about a second each, and where no settings are given what it declares itself."""
    from turnsmith.contract.homes import home_and_settings
    from turnsmith.contract.loading import load
    from turnsmith.play.player import player

    game = load(text)
    boards = game.board()
    seats = int(boards[0].seats)
    _, seconds = play_at_random(text, 20)
    games = max(20, int(20 / max(seconds, 1e-6)))
    benches = {
        f"{text} playouts": Bench(partial(playouts, text, games), "moves/CPU s"),
        f"{text} steps": Bench(partial(steps, text), "steps/CPU s"),
        f"{text} arena": Bench(partial(arena_speed, text, ["random"] * seats, max(seats, games // 4)), "games/s"),
    }
    searches = {"mcts": ("mcts:simulations=5000", "simulations"), "negamax": ("negamax:depth=4", "nodes")}
    for name, (who, unit) in searches.items():
        if player(who, game).refuses(game, boards[0]) is None:
            benches[f"{text} {name}"] = Bench(partial(decision, text, who), f"{unit}/CPU s")
    home, chosen = home_and_settings(text)
    own = {} if chosen else declared_benches(home)
    return benches | {f"{text} {name}": bench for name, bench in own.items()}


# ---------------------------------------------------------------- measures


def play_at_random(text: str, games: int, listed: bool = False) -> tuple[int, float]:
    """Random games on one board: how many moves, in how many CPU seconds.

    `listed`: each move is drawn from the full list of legal ones, even where the game can pick without it.
    """
    from dataclasses import replace

    from turnsmith.compile.kernel import compiled
    from turnsmith.compile.rng import stream
    from turnsmith.contract.game import Game
    from turnsmith.contract.loading import load
    from turnsmith.play import step

    game = replace(load(text), pick=Game.pick) if listed else load(text)
    boards = game.board()
    kernel = compiled(step.playouts)
    rng = stream(1)
    kernel(game, boards, 10, *step.buffers(boards), rng)
    begun = time.process_time()
    moves = kernel(game, boards, games, *step.buffers(boards), rng)
    return int(moves), time.process_time() - begun


def playouts(text: str, games: int, listed: bool = False) -> float:
    """Moves a CPU second."""
    moves, seconds = play_at_random(text, games, listed)
    return moves / seconds


def random_games(text: str, games: int) -> float:
    """Games a CPU second."""
    return games / play_at_random(text, games)[1]


def steps(text: str, size: int = 1024, view: View = "features") -> float:
    """Steps a CPU second of a batch of games, random actions drawn, everything observed and masked."""
    import numpy as np

    from turnsmith.play.batch import Batch

    batch, actions = Batch(text, size, view=view), np.zeros(size, np.int32)

    def run(rounds: int) -> float:
        begun = time.process_time()
        for _ in range(rounds):
            batch.random_actions(actions)
            batch.step(actions)
        return time.process_time() - begun

    run(1)  # compiled now
    rounds = 1 + int(1.0 / run(10) * 10)
    return rounds * size / run(rounds)


def decision(text: str, player_text: str) -> float:
    """Nodes or simulations a CPU second of one decision from the start, the best of three."""
    from turnsmith.play.timing import decide_once

    runs = [decide_once(text, player_text) for _ in range(3)]
    return max(run.work / run.seconds for run in runs)


def outside_net(text: str, view: View, simulations: int = 16) -> float:
    """The percentage of CPU time that AlphaZero's games with itself spend outside the net: one of 256 and 128 hidden
    numbers where it sees features, of 32 channels and 5 blocks where it sees planes."""
    import tempfile
    from pathlib import Path

    from turnsmith.common.arrays import Array
    from turnsmith.contract.loading import load
    from turnsmith.learn.batched_selfplay import manner_of, play
    from turnsmith.nets.dense import Net, fresh
    from turnsmith.nets.residual import read_planes_net
    from turnsmith.play.observe import observer
    from turnsmith.search.alphazero import AlphaZero

    game = load(text)
    boards = game.board()
    sees, outputs, spent = observer(game, boards, view), int(boards[0]["actions"]) + 1, 0.0
    if view == "features":
        net: Callable[[Array], Array] = Net(fresh((*sees.shape, 256, 128, outputs), 1), "", {})
    else:
        from turnsmith.learn.residual_training import Residual, export

        planes, height, width = sees.shape
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "net.onnx"
            export(Residual(planes, (height, width), 32, 5, outputs - 1, 1), file, sees.shape, "a bench", {})
            net = read_planes_net(file)

    def judge(inputs: Array) -> Array:
        nonlocal spent
        begun = time.process_time()
        answer = net(inputs)
        spent += time.process_time() - begun
        return answer

    def run(simulations: int) -> float:
        nonlocal spent
        spent, begun = 0.0, time.process_time()
        manner = manner_of(AlphaZero(simulations=simulations), simulations, 1.0, 1)
        play(game, boards, sees, judge, None, manner, 1, 1, lambda done, total: None)
        return 100.0 * (1.0 - spent / (time.process_time() - begun))

    run(2)  # compiled now
    return run(simulations)


def regret_iterations(text: str, method: str, count: int) -> float:
    """Iterations a CPU second of CFR on listed information sets; the best of three runs."""
    from turnsmith.contract.loading import load
    from turnsmith.search.cfr import Solving
    from turnsmith.search.information_sets import list_sets

    game = load(text)
    solving = Solving(list_sets(game, game.board().tobytes()), method)  # type: ignore[arg-type]
    solving.warm()
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        solving.run(solving.iterations + count)
        best = min(best, time.process_time() - begun)
    return count / best


def unexploitable(text: str, until: float) -> float:
    """CPU seconds from listing the information sets to an average strategy with so little exploitability, by CFR+."""
    from turnsmith.search.cfr import MOST_ITERATIONS, cfr
    from turnsmith.search.information_sets import list_sets

    cfr(text, 2)
    list_sets.cache_clear()
    begun = time.process_time()
    cfr(text, MOST_ITERATIONS, until)
    return time.process_time() - begun


def arena_speed(text: str, players: list[str], games: int, workers: int = 1) -> float:
    """Games a second in the arena, nothing stored; the best of three."""
    from turnsmith.arena.tournament import arena

    return games / min(arena(text, players, games, seed=seed, workers=workers).seconds for seed in range(3))


def sampled(text: str, players: list[str], games: int) -> float:
    """Positions a CPU second that are taken from matches already played, every decision of theirs."""
    import numpy as np

    from turnsmith.arena.runners import ArenaPlan, play_compiled
    from turnsmith.arena.schedule import seatings
    from turnsmith.contract.loading import load
    from turnsmith.learn.samples import every_decision, sample_batch
    from turnsmith.play.player import player

    game = load(text)
    seats = int(game.board()[0].seats)
    plan = ArenaPlan(game, [player(who, game) for who in players], seatings(len(players), seats, games, 1), 1)
    batch = play_compiled(plan, np.arange(games, dtype=np.int64))
    sample_batch(plan, batch, every_decision)  # compiled now
    begun = time.process_time()
    return len(sample_batch(plan, batch, every_decision)) / (time.process_time() - begun)


def games_by_cpu(text: str, players: list[str], games: int) -> float:
    """Games a CPU second of one worker in the arena, boards made on the way; the better of two runs."""
    from turnsmith.arena.tournament import arena

    arena(text, players, 20)
    best = float("inf")
    for seed in range(2):
        begun = time.process_time()
        arena(text, players, games, seed=seed)
        best = min(best, time.process_time() - begun)
    return games / best


def board_time(text: str, boards: int) -> float:
    """CPU milliseconds to make a new board, tables and all."""
    from turnsmith.contract.loading import load

    game = load(text)
    game.board(0)
    begun = time.process_time()
    for seed in range(boards):
        game.board(seed)
    return 1000.0 * (time.process_time() - begun) / boards


def tree_time(text: str, trees: int) -> float:
    """CPU milliseconds to grow a tree of 128 branches and 8 rounds, two actions kept a layer; its map included."""
    import numpy as np

    from turnsmith.maps.tree_runs import Nursery, TreeSettings

    nursery = Nursery(TreeSettings(text, maps=trees, kept=2, seed=1))
    nursery.grow(np.arange(1))
    begun = time.process_time()
    nursery.grow(np.arange(trees))
    return 1000.0 * (time.process_time() - begun) / trees


def making(text: str, children: int) -> float:
    """Children a CPU second that are bred, judged by 20 ratings and compete for niches; those skipped do not count."""
    from turnsmith.maps.making.maker import taste

    maker = taste(text, seed=1, evaluations=children)
    for proposal in maker.ask(20):
        maker.tell(proposal, 1 if proposal.number % 3 else -1)
    maker.evolve()
    begun, before = time.process_time(), maker.elites.count
    maker.evolve(children)
    return (maker.elites.count - before) / (time.process_time() - begun)


def thinking(text: str, player_text: str) -> float:
    """CPU milliseconds a decision, in the mean over matches among such players."""
    from turnsmith.play.timing import decide_often

    return 1000.0 * decide_often(text, player_text, 400)


def looking(text: str, player_text: str, games: int = 20) -> float:
    """CPU milliseconds a decision of a player in Python, in whole games; what it loads is loaded before."""
    from turnsmith.arena.evaluate import evaluate

    evaluate(text, player_text, 1)
    begun = time.process_time()
    result = evaluate(text, player_text, games)
    return 1000.0 * (time.process_time() - begun) / (games * float(result.evaluation.mean))
