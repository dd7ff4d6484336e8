"""Pac-Man's players with the same time for a move: who eats how much, on both sides and from both kinds of starts.

    python bench/pacman_equal_time.py --milliseconds 2 --games 200 --by-work --folder equal-time

`zero` meets `main`, `voronoi` and `learned`, and these meet themselves, in the same games: on the ten maps, half of the
games from the map's start and half from starts drawn at random. Time is the clock's, so on a busy machine all think
less, both sides of a game alike. With `--by-work` it is the processor's: before the games it is measured how many
positions each looks at in that time, on either side, and these are the limit, so that nothing else that runs has a say.
A second table says how much more zero's pacmans eat than the other's own from the other's ghosts, and how much less its
ghosts let the other's pacmans eat, in the same games. Intervals are of 95 %. Killed, it goes on with the same folder.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path

import numpy as np

from turnsmith.arena.statistics import mean_interval
from turnsmith.common.arrays import Array
from turnsmith.games.pacman.rules import TEN
from turnsmith.learn.run import Run
from turnsmith.studies.pacman.cells import eaten

PLAYERS = {
    "zero": "zero:time={}",
    "main": "negamax:time={},table=18,weights=main",
    "voronoi": "negamax:time={},table=18,evaluation=voronoi",
    "learned": "learned:time={},table=18",
}
WORKS = {
    "zero": "zero:simulations={},time=1000",
    "main": "negamax:nodes={},table=18,weights=main",
    "voronoi": "negamax:nodes={},table=18,evaluation=voronoi",
    "learned": "learned:nodes={},table=18",
}
"""The same players by what they look at; `zero` decides as it does by time, since it has some."""
FIRST, LAST, GAMES, TIMED, SETTLED, MOST = 4, 24, 8, 2, 5, 32.0
"""Moves are timed between these plies, in so many games on each map, the quicker of two times; how often a limit is
mended, and by how much at most."""


def limited(name: str, seat: int, milliseconds: float) -> str:
    """The player that looks at as much as takes it so long a move, by the processor's clock."""
    work = 100
    for _ in range(SETTLED):
        ratio = milliseconds / max(spent(WORKS[name].format(work), seat), milliseconds / MOST)
        work = max(16, round(work * ratio))
    return WORKS[name].format(work)


def spent(text: str, seat: int) -> float:
    """The processor's milliseconds for a move, against players that need next to none."""
    players = (text, "original-ghosts") if seat == 0 else ("fuzzy", text)

    def took(plies: int) -> float:
        begun = time.process_time()
        for name in TEN:
            eaten(f"pacman:map={name},t_max={plies}", *players, GAMES, 1, 1)
        return time.process_time() - begun

    took(FIRST)  # compiles
    first, last = (min(took(plies) for _ in range(TIMED)) for plies in (FIRST, LAST))
    return 1000.0 * (last - first) / (GAMES * len(TEN) * (LAST - FIRST) / 2)


def cell(pacmans: str, ghosts: str, games: int, seed: int) -> list[list[float]]:
    """Shares of dots: from the maps' starts, and from starts drawn at random."""
    each = -(-games // (2 * len(TEN)))
    found = []
    for start in ("map", "random"):
        texts = [f"pacman:map={name},start={start}" for name in TEN]
        found.append(np.concatenate([eaten(text, pacmans, ghosts, each, seed, 1) for text in texts]).tolist())
    return found


def differences(more: list[list[float]], less: list[list[float]]) -> Array:
    """Game by game."""
    return np.concatenate(more) - np.concatenate(less)


def told(scores: list[float] | Array) -> str:
    return "{:.3f} ({:.3f} – {:.3f})".format(*mean_interval(np.array(scores)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--milliseconds", type=float, default=2.0, help="for a move")
    parser.add_argument("--games", type=int, default=200, help="games a cell")
    parser.add_argument("--by-work", action="store_true", help="as much work as takes so long, on a busy machine")
    parser.add_argument("--only", default="", help="zero against these, with commas; all by default")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("pacman-equal-time"))
    given = parser.parse_args()
    run = Run(given.folder, {name: getattr(given, name) for name in ("milliseconds", "games", "seed", "by_work")})
    others = given.only.split(",") if given.only else [name for name in PLAYERS if name != "zero"]
    pairs = [pair for name in others for pair in (("zero", name), (name, "zero"))]
    pairs += [(name, name) for name in others]

    def text(name: str, seat: int) -> str:
        if not given.by_work:
            return PLAYERS[name].format(given.milliseconds / 1000)
        make = partial(limited, name, seat, given.milliseconds)
        return str(run.json(f"work-{name}-{seat}.json", make))

    print("| pacmans | ghosts | all | the maps' own starts | starts drawn at random |\n" + "|---" * 5 + "|", flush=True)
    found = {}
    for pacmans, ghosts in pairs:
        make = partial(cell, text(pacmans, 0), text(ghosts, 1), given.games, given.seed)
        own, random = found[pacmans, ghosts] = run.json(f"{pacmans}-{ghosts}.json", make)
        print(f"| {pacmans} | {ghosts} | {told(own + random)} | {told(own)} | {told(random)} |", flush=True)
    print("\n| zero gains on | as pacmans | as ghosts | in sum |\n" + "|---" * 4 + "|")
    for name in others:
        as_pacmans = differences(found["zero", name], found[name, name])
        as_ghosts = differences(found[name, name], found[name, "zero"])
        print(f"| {name} | {told(as_pacmans)} | {told(as_ghosts)} | {told(as_pacmans + as_ghosts)} |", flush=True)


if __name__ == "__main__":
    main()
