"""Pac-Man's players with the same time for a move: who eats how much, on both sides and from both kinds of starts.

    python bench/pacman_equal_time.py --milliseconds 2 --games 200 --folder equal-time

`zero` meets `main`, `voronoi` and `learned`, and these meet themselves, in the same games: on the ten maps, half of the
games from the map's start and half from starts drawn at random. Time is the clock's, so on a busy machine all think
less, both sides of a game alike. Intervals are of 95 %. Killed, it goes on with the same folder.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import numpy as np

from turnsmith.arena.statistics import mean_interval
from turnsmith.games.pacman.cells import eaten
from turnsmith.games.pacman.rules import TEN
from turnsmith.learn.run import Run

PLAYERS = {
    "zero": "zero:time={}",
    "main": "negamax:time={},table=18,weights=main",
    "voronoi": "negamax:time={},table=18,evaluation=voronoi",
    "learned": "learned:time={},table=18",
}


def cell(pacmans: str, ghosts: str, games: int, seed: int) -> list[list[float]]:
    """Shares of dots: from the maps' starts, and from starts drawn at random."""
    each = -(-games // (2 * len(TEN)))
    found = []
    for start in ("map", "random"):
        texts = [f"pacman:map={name},start={start}" for name in TEN]
        found.append(np.concatenate([eaten(text, pacmans, ghosts, each, seed, 1) for text in texts]).tolist())
    return found


def told(scores: list[float]) -> str:
    return "{:.3f} ({:.3f} – {:.3f})".format(*mean_interval(np.array(scores)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--milliseconds", type=float, default=2.0, help="for a move")
    parser.add_argument("--games", type=int, default=200, help="games a cell")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("pacman-equal-time"))
    given = parser.parse_args()
    run = Run(given.folder, {name: getattr(given, name) for name in ("milliseconds", "games", "seed")})
    texts = {name: text.format(given.milliseconds / 1000) for name, text in PLAYERS.items()}
    others = [name for name in PLAYERS if name != "zero"]
    pairs = [pair for name in others for pair in (("zero", name), (name, name), (name, "zero"))] + [("zero", "zero")]
    print("| pacmans | ghosts | all | the maps' own starts | starts drawn at random |\n" + "|---" * 5 + "|", flush=True)
    for pacmans, ghosts in pairs:
        make = partial(cell, texts[pacmans], texts[ghosts], given.games, given.seed)
        own, random = run.json(f"{pacmans}-{ghosts}.json", make)
        print(f"| {pacmans} | {ghosts} | {told(own + random)} | {told(own)} | {told(random)} |", flush=True)


if __name__ == "__main__":
    main()
