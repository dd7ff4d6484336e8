"""``turnsmith bench``: how fast this machine runs what matters. ``bench/peers.py`` puts the peers beside it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.texts import BadInput

Measure = Callable[[], float]


def playouts(text: str, games: int, listed: bool = False) -> float:
    """Moves of random games a CPU second, on one core; `listed`: each drawn from the full list of legal moves."""
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
    return float(moves / (time.process_time() - begun))


def decision(text: str, player_text: str) -> float:
    """Nodes or simulations a CPU second of one decision from the start, the best of three."""
    from turnsmith.measure import decide_once

    runs = [decide_once(text, player_text) for _ in range(3)]
    return max(run.work / run.seconds for run in runs)


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


def arena_speed(text: str, players: list[str], games: int) -> float:
    """Games a second in the arena, one worker, nothing stored."""
    from turnsmith.arena import arena

    return games / arena(text, players, games).seconds


PACMAN_MAPS = tuple(
    f"{name}-{start}"
    for name in ("asymmetric", "chokepoints", "classic", "corridors", "open")
    for start in ("corners", "middle")
)
ONE_STEP = ("knuth", "entropy", "expected-size", "most-parts")
SMALL_ARENA = ("arena", "connect_four", "--players", "random,random", "--games", "10", "--store", "none", "--json")
BENCHES: dict[str, tuple[Measure, str]] = {
    "connect_four playouts": (lambda: playouts("connect_four", 300_000), "moves/CPU s"),
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
        for name in PACMAN_MAPS
    },
    "connect_four mcts": (lambda: decision("connect_four", "mcts:simulations=100000"), "simulations/CPU s"),
    "connect_four negamax": (lambda: decision("connect_four", "negamax:depth=12,table=20"), "nodes/CPU s"),
    "connect_four arena": (lambda: arena_speed("connect_four", ["random", "random"], 40_000), "games/s"),
    "mastermind knuth 6-4": (lambda: strategy("mastermind", "knuth"), "CPU s"),
    "mastermind optimal 6-4": (lambda: strategy("mastermind", "optimal"), "CPU s"),
    **{
        f"mastermind {name} 8-5": (lambda name=name: strategy("mastermind:colors=8,pegs=5", name, 1), "CPU s")  # type: ignore[misc]
        for name in ONE_STEP
    },
    "start-up games": (lambda: start_up("games"), "s"),
    "start-up arena": (lambda: start_up(*SMALL_ARENA), "s"),
}


def bench(
    name: Annotated[str, typer.Argument(help="only the entries whose name contains this")] = "",
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Measure speed on this machine. Everything is compiled before it is timed."""
    chosen = {entry: measure for entry, measure in BENCHES.items() if name in entry}
    if not chosen:
        raise BadInput(f"no entry's name contains '{name}'; there are {', '.join(BENCHES)}")
    rows = []
    for entry, (measure, unit) in chosen.items():
        value = measure()
        rows.append({"name": entry, "value": value, "unit": unit})
        if not json:
            typer.echo(f"{entry:<48} {value:>16,.{0 if value > 100 else 4}f} {unit}")
    if json:
        print_json(rows)


COMMANDS = (bench,)
