"""``turnsmith bench``: how fast this machine runs what matters. ``bench/peers.py`` puts the peers beside it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import Json
from turnsmith.texts import BadInput

if TYPE_CHECKING:
    from turnsmith.observe import View

Measure = Callable[[], float]


def play_at_random(text: str, games: int, listed: bool = False) -> tuple[int, float]:
    """Random games on one board: how many moves, in how many CPU seconds.

    `listed`: each move is drawn from the full list of legal ones, even where the game can pick without it.
    """
    from dataclasses import replace

    from turnsmith import step
    from turnsmith.game import Game, load
    from turnsmith.kernel import compiled
    from turnsmith.rng import stream

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

    from turnsmith.batch import Batch

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
    from turnsmith.measure import decide_once

    runs = [decide_once(text, player_text) for _ in range(3)]
    return max(run.work / run.seconds for run in runs)


def outside_net(text: str, view: View, simulations: int = 16) -> float:
    """The percentage of CPU time that AlphaZero's games with itself spend outside the net: one of 256 and 128 hidden
    numbers where it sees features, of 32 channels and 5 blocks where it sees planes."""
    import tempfile
    from pathlib import Path

    from turnsmith.game import Array, load
    from turnsmith.learn.gathering import manner_of, play
    from turnsmith.learn.nets import Net, fresh
    from turnsmith.learn.residual import read_planes_net
    from turnsmith.observe import observer
    from turnsmith.search.alphazero import AlphaZero

    game = load(text)
    boards = game.board()
    sees, outputs, spent = observer(game, boards, view), int(boards[0]["actions"]) + 1, 0.0
    if view == "features":
        net: Callable[[Array], Array] = Net(fresh((*sees.shape, 256, 128, outputs), 1), "", {})
    else:
        from turnsmith.learn.residual_net import Residual, export

        planes, height, width = sees.shape
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "net.onnx"
            export(Residual(planes, (height, width), 32, 5, outputs - 1, 1), file, sees.shape, "a bench", {})
            net = read_planes_net(file)

    def judge(inputs: Array) -> Array:
        nonlocal spent
        begun = time.process_time()
        said = net(inputs)
        spent += time.process_time() - begun
        return said

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
    from turnsmith.game import load
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


def exact_depth(name: str, seconds: float) -> float:
    """How deep an exact search of Pac-Man from the start of a map comes in so many CPU seconds."""
    from turnsmith.measure import depths

    return float(depths(f"pacman:map={name}", "negamax:exact=true,table=22", [seconds])[0])


def strategy(text: str, name: str, repeats: int = 3) -> float:
    """CPU seconds to build a whole strategy of Mastermind, nothing taken from the disk."""
    from turnsmith.game import load
    from turnsmith.games.mastermind.trees import build

    build(load("mastermind:colors=3,pegs=2").board(), name)
    boards = load(text).board()
    best = float("inf")
    for _ in range(repeats):
        begun = time.process_time()
        build(boards, name)
        best = min(best, time.process_time() - begun)
    return best


def start_up(*words: str) -> float:
    """Seconds of a whole command in a new process, everything compiled before; the best of three."""
    command = [sys.executable, "-m", "turnsmith", *words]
    best = float("inf")
    for turn in range(4):
        begun = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        if turn:
            best = min(best, time.perf_counter() - begun)
    return best


def arena_speed(text: str, players: list[str], games: int, workers: int = 1) -> float:
    """Games a second in the arena, nothing stored; the best of three."""
    from turnsmith.arena import arena

    return games / min(arena(text, players, games, seed=seed, workers=workers).seconds for seed in range(3))


def sampled(text: str, players: list[str], games: int) -> float:
    """Positions a CPU second that are taken from matches already played, every decision of theirs."""
    import numpy as np

    from turnsmith.arena.runners import Plan, play_compiled
    from turnsmith.arena.schedule import seatings
    from turnsmith.game import load
    from turnsmith.learn.samples import every_decision, sample_batch
    from turnsmith.player import player

    game = load(text)
    seats = int(game.board()[0].seats)
    plan = Plan(game, [player(each, game) for each in players], seatings(len(players), seats, games, 1), 1)
    batch = play_compiled(plan, np.arange(games, dtype=np.int64))
    sample_batch(plan, batch, every_decision)  # compiled now
    begun = time.process_time()
    return len(sample_batch(plan, batch, every_decision)) / (time.process_time() - begun)


def games_by_cpu(text: str, players: list[str], games: int) -> float:
    """Games a CPU second of one worker in the arena, boards made on the way; the better of two runs."""
    from turnsmith.arena import arena

    arena(text, players, 20)
    best = float("inf")
    for seed in range(2):
        begun = time.process_time()
        arena(text, players, games, seed=seed)
        best = min(best, time.process_time() - begun)
    return games / best


def board_time(text: str, boards: int) -> float:
    """CPU milliseconds to make a new board, tables and all."""
    from turnsmith.game import load

    game = load(text)
    game.board(0)
    begun = time.process_time()
    for seed in range(boards):
        game.board(seed)
    return 1000.0 * (time.process_time() - begun) / boards


def evolving(games: int, workers: int) -> float:
    """Seconds of a generation of the document's first experiment in Tactics, so many games of a pair; the best of
    three, after one on whose way the maps were made."""
    from turnsmith.games.tactics.declares import ExperimentSettings
    from turnsmith.games.tactics.evolution import Experiment
    from turnsmith.learn.training import Work

    experiment = Experiment(ExperimentSettings(games=games), Work(workers=workers))
    genetic, times = experiment.genetic(), []
    for number in range(4):
        begun = time.perf_counter()
        genetic.tell(experiment.points(genetic.ask(), number)[0])
        times.append(time.perf_counter() - begun)
    return min(times[1:])


def tree_time(text: str, trees: int) -> float:
    """CPU milliseconds to grow a tree of 128 branches and 8 rounds, two actions kept a layer; its map included."""
    import numpy as np

    from turnsmith.maps.grow import Nursery, Settings

    nursery = Nursery(Settings(text, maps=trees, kept=2, seed=1))
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
    from turnsmith.measure import decide_often

    return 1000.0 * decide_often(text, player_text, 400)


def pictures(count: int = 2000) -> float:
    """Pictures of random boards a CPU second."""
    import numpy as np

    from turnsmith.game import load
    from turnsmith.games.mastermind.pixels import draw_all, shape_of
    from turnsmith.kernel import compiled

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


def looking(text: str, player_text: str, games: int = 20) -> float:
    """CPU milliseconds a decision of a player in Python, in whole games; what it loads is loaded before."""
    from turnsmith.arena.evaluate import evaluate

    evaluate(text, player_text, 1)
    begun = time.process_time()
    found = evaluate(text, player_text, games)
    return 1000.0 * (time.process_time() - begun) / (games * float(found.evaluation.mean))


def rewarded(games: int = 1024) -> float:
    """Guesses a CPU second in many games of Mastermind at once, rewarded by the codes they removed; nobody learns."""
    import numpy as np

    from turnsmith.games.mastermind.rewarded import Games

    batch, random = Games("mastermind", games, 4, (1, 0)), np.random.default_rng(1)
    guesses = random.integers(0, 1296, (101, games))
    batch.step(guesses[0])  # compiled now
    begun = time.process_time()
    for row in guesses[1:]:
        batch.step(row)
    return 100 * games / (time.process_time() - begun)


def learning(epochs: int, batch: int, by: str = "own", games: int = 256) -> float:
    """Guesses a CPU second of play and learning together, Mastermind's net of the document, each guess learned from
    `epochs` times."""
    return 1.0 / sum(learning_seconds(epochs, batch, by, games))


def learning_seconds(epochs: int, batch: int, by: str, games: int) -> list[float]:
    """CPU seconds a guess of acting, playing and learning; 4,096 guesses between learning and learning."""
    import importlib

    import numpy as np

    from turnsmith.games.mastermind.declares import PpoSettings

    way = importlib.import_module(f"turnsmith.games.mastermind.ppo_{by}")
    settings = PpoSettings(reward="1", games=games, horizon=4096 // games, epochs=epochs, batch=batch, leg=20_480)
    learner, seconds = way.Learner(settings, (340,)), np.zeros(3)
    way.play_leg(settings, learner, 0, np.zeros(3))
    way.play_leg(settings, learner, 1, seconds)
    return [float(each) / settings.leg for each in seconds]


MAPS = "tactics:pool=64"
FIELD = ["ste", "wpm_c", "sdc", "rand", "xlogin00"]
LEVELS = ("fast", "strong", "master")
ONE_STEP = ("knuth", "entropy", "expected-size", "most-parts")
SMALL_ARENA = ("arena", "connect_four", "--players", "random,random", "--games", "10", "--store", "none", "--json")


def benches() -> dict[str, tuple[Measure, str]]:
    """Every entry: what measures it, and its unit."""
    from turnsmith.games.pacman.rules import TEN

    return {
        "connect_four playouts": (lambda: playouts("connect_four", 300_000), "moves/CPU s"),
        "connect_four steps": (lambda: steps("connect_four", view="planes"), "steps/CPU s"),
        "connect_four steps, 171 features": (lambda: steps("connect_four"), "steps/CPU s"),
        "pig playouts": (lambda: playouts("pig", 20_000), "moves/CPU s"),
        "dicewars playouts": (lambda: playouts("dicewars", 2_000), "moves/CPU s"),
        "pacman random joint turns/s": (lambda: playouts("pacman", 2_000), "turns/CPU s"),
        "pacman random joint turns/s, from full lists": (lambda: playouts("pacman", 2_000, listed=True), "turns/CPU s"),
        "pacman unit moves/s": (lambda: playouts("pacman:moves=unit", 2_000), "moves/CPU s"),
        "pacman nodes/s": (
            lambda: decision("pacman:map=open-corners", "negamax:exact=true,depth=8,table=22"),
            "nodes/CPU s",
        ),
        **{
            f"pacman exact depth in {seconds:g} s {name}": (
                lambda name=name, seconds=seconds: exact_depth(name, seconds),  # type: ignore[misc]
                "plies",
            )
            for seconds in (0.3, 3.0)
            for name in TEN
        },
        "dicewars samples": (lambda: sampled("dicewars", FIELD, 2_000), "positions/CPU s"),
        "connect_four mcts": (lambda: decision("connect_four", "mcts:simulations=100000"), "simulations/CPU s"),
        "connect_four alphazero": (
            lambda: decision("connect_four", "alphazero:simulations=100000"),
            "simulations/CPU s",
        ),
        **{
            f"connect_four alphazero outside a {name} net": (
                lambda view=view: outside_net("connect_four", view),  # type: ignore[misc]
                "% of CPU time",
            )
            for name, view in (("dense", "features"), ("residual", "planes"))
        },
        "connect_four negamax": (lambda: decision("connect_four", "negamax:depth=12,table=20"), "nodes/CPU s"),
        "leduc cfr+": (lambda: regret_iterations("leduc", "cfr+", 3000), "iterations/CPU s"),
        "leduc cfr+ to exploitability 0.001": (lambda: unexploitable("leduc", 0.001), "CPU s"),
        "leduc mccfr": (lambda: regret_iterations("leduc", "mccfr", 200_000), "iterations/CPU s"),
        "connect_four arena": (lambda: arena_speed("connect_four", ["random", "random"], 40_000), "games/s"),
        "dicewars field games": (lambda: arena_speed("dicewars", FIELD, 8_000), "games/s"),
        "dicewars field games, 2 workers": (lambda: arena_speed("dicewars", FIELD, 16_000, 2), "games/s"),
        "dicewars random games": (lambda: arena_speed("dicewars", ["rand"] * 4, 8_000), "games/s"),
        "dicewars random games on one board": (lambda: random_games("dicewars", 4_000), "games/CPU s"),
        **{f"dicewars {name}": (lambda name=name: thinking("dicewars", name), "ms/decision") for name in LEVELS},  # type: ignore[misc]
        "tactics playouts": (lambda: playouts("tactics", 500), "moves/CPU s"),
        "tactics static games": (lambda: games_by_cpu(MAPS, ["static", "static"], 150_000), "games/CPU s"),
        "tactics matrix games": (lambda: games_by_cpu(MAPS, ["matrix:name=hand"] * 2, 50_000), "games/CPU s"),
        "tactics matrix games, 18 inputs": (lambda: games_by_cpu(MAPS, ["matrix"] * 2, 30_000), "games/CPU s"),
        "tactics cells games": (lambda: games_by_cpu(MAPS, ["cells", "cells"], 10_000), "games/CPU s"),
        "tactics master": (lambda: thinking(MAPS, "master"), "CPU ms a decision"),
        "tactics generation of 1,200 games, 2 workers": (lambda: evolving(4, 2), "s"),
        "tactics new map": (lambda: board_time("tactics", 50), "CPU ms"),
        "tactics new map, 48 x 48": (lambda: board_time("tactics:size=48", 5), "CPU ms"),
        "homeguard tree": (lambda: tree_time("homeguard", 500), "CPU ms"),
        "homeguard random rounds": (lambda: playouts("homeguard", 20_000) / 2, "rounds/CPU s"),
        "homeguard greedy games": (lambda: games_by_cpu("homeguard", ["greedy", "greedy"], 20_000), "games/CPU s"),
        "homeguard maximin": (lambda: thinking("homeguard", "maximin"), "ms/decision"),
        "homeguard new map": (lambda: board_time("homeguard", 200), "CPU ms"),
        "homeguard making maps": (lambda: making("homeguard", 100_000), "judged children/CPU s"),
        "mastermind knuth 6-4": (lambda: strategy("mastermind", "knuth"), "CPU s"),
        "mastermind optimal 6-4": (lambda: strategy("mastermind", "optimal"), "CPU s"),
        "mastermind learned": (lambda: thinking("mastermind", "learned"), "CPU ms a decision"),
        "mastermind pictures": (pictures, "pictures/CPU s"),
        "mastermind eyes": (lambda: looking("mastermind", "eyes"), "CPU ms a decision"),
        "mastermind guesses with reward": (rewarded, "guesses/CPU s"),
        "mastermind ppo": (lambda: learning(4, 256), "guesses/CPU s"),
        "mastermind ppo, learned from once": (lambda: learning(1, 1024), "guesses/CPU s"),
        "mastermind ppo by sb3": (lambda: learning(4, 256, "sb3"), "guesses/CPU s"),
        "mastermind ppo by sb3, learned from once": (lambda: learning(1, 1024, "sb3"), "guesses/CPU s"),
        **{
            f"mastermind {name} 8-5": (lambda name=name: strategy("mastermind:colors=8,pegs=5", name, 1), "CPU s")  # type: ignore[misc]
            for name in ONE_STEP
        },
        "start-up games": (lambda: start_up("games"), "s"),
        "start-up arena": (lambda: start_up(*SMALL_ARENA), "s"),
    }


def benches_of(text: str) -> dict[str, tuple[Measure, str]]:
    """The entries of any game: each takes about as long as so many games need a second."""
    from turnsmith.game import load
    from turnsmith.player import player

    game = load(text)
    boards = game.board()
    seats = int(boards[0].seats)
    _, seconds = play_at_random(text, 20)
    games = max(20, int(20 / max(seconds, 1e-6)))
    found: dict[str, tuple[Measure, str]] = {
        f"{text} playouts": (lambda: playouts(text, games), "moves/CPU s"),
        f"{text} steps": (lambda: steps(text), "steps/CPU s"),
        f"{text} arena": (lambda: arena_speed(text, ["random"] * seats, max(seats, games // 4)), "games/s"),
    }
    searches = {"mcts": ("mcts:simulations=5000", "simulations"), "negamax": ("negamax:depth=4", "nodes")}
    for name, (who, unit) in searches.items():
        if player(who, game).refuses(game, boards[0]) is None:
            found[f"{text} {name}"] = (lambda who=who: decision(text, who), f"{unit}/CPU s")  # type: ignore[misc]
    return found


def bench(
    name: Annotated[str, typer.Argument(help="entries whose name contains this, or a game such as ./my_game.py")] = "",
    json: Json = False,
) -> None:
    """Measure speed on this machine. Everything is compiled before it is timed."""
    from turnsmith.game import names_file

    entries = benches_of(name) if names_file(name) else benches()
    chosen = {entry: measure for entry, measure in entries.items() if name in entry}
    if not chosen:
        raise BadInput(f"no entry's name contains '{name}'; there are {', '.join(entries)}, or ./my_game.py")
    rows = []
    for entry, (measure, unit) in chosen.items():
        value = measure()
        rows.append({"name": entry, "value": value, "unit": unit})
        if not json:
            typer.echo(f"{entry:<48} {value:>16,.{0 if value > 100 else 4}f} {unit}")
    if json:
        print_json(rows)


COMMANDS = (bench,)
