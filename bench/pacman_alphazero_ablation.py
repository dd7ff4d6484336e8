"""Why an AlphaZero for Pac-Man learned little, and what mends it: its way at a small scale, then change by change.

    python bench/pacman_alphazero_ablation.py --seconds 600 --games 200 --folder ablation

The first row has what that version had: joint moves, about half a visit for every move there may be, PUCT at the root
with Dirichlet noise and visits as the policy, values of which a dot is a small part, a net too large for the time,
and a start from nothing. Every row below it changes one thing more. All train for the same CPU seconds (of this
process, compiling apart; rounds that are begun are ended) on 64 mazes of 9 x 10 drawn from seeds 0 to 63. They are
judged in mazes from seed 1,000,000 on: the share that the pacmans eat from the arcade's ghosts, and what the ghosts let
`main` eat. Intervals are of 95 %. Killed, it goes on with the same folder.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from turnsmith.arena.statistics import mean_interval
from turnsmith.common.files import write_text
from turnsmith.contract.loading import load
from turnsmith.contract.trainings import TrainingContext
from turnsmith.learn.alphazero import AlphaZeroSettings, learn
from turnsmith.studies.pacman.cells import eaten

MAP = "pacman:map=9x10"
MAIN = "negamax:depth=2,weights=main"
UNSEEN = 1_000_000
"""The first seed of mazes that are for judging."""


@dataclass(frozen=True)
class Way:
    """One way to learn."""

    name: str
    game: str
    settings: AlphaZeroSettings


def ways() -> list[Way]:
    """The failed version, and the same with one thing after another mended."""
    first = AlphaZeroSettings(
        games=256, simulations=12, quick=12, careful=1.0, considered=0, exploration=2.0, channels=64, blocks=6,
        any_size=True, ends=0.0, gated=False, league=False, anchored=0, proof=0, passes=2.0, trace=1.0,
    )  # fmt: skip
    found = [Way("joint moves, visits, Dirichlet noise, large net", MAP, first)]
    changes: list[tuple[str, dict[str, Any]]] = [
        ("a small net", {"channels": 16, "blocks": 3, "rate": 0.003}),
        ("numbers of each way instead of planes", {"view": "features", "hidden": "128,64", "rate": 0.002}),
        ("unit by unit", {}),
        ("16 moves at the root, with Gumbel noise; rescaled", {"considered": 16, "least_range": 0.005}),
        ("less exploration in the tree", {"exploration": 0.05}),
        ("values count ten times; quick moves", {"values": 10.0, "careful": 0.3, "simulations": 24, "quick": 6}),
        ("lessons of `negamax` first", {"teacher": "negamax:depth=2,evaluation=voronoi,table=12", "lessons": 4}),
    ]
    for name, change in changes:
        game = found[-1].game if name != "unit by unit" else f"{MAP},moves=unit"
        found.append(Way(f"+ {name}", game, replace(found[-1].settings, **change)))
    return found


def train(way: Way, folder: Path, seconds: float) -> tuple[Path, int, float]:
    """Learn for so many CPU seconds; returns the net, its rounds and what they took."""
    spent_file, rounds, spent = folder / "spent.json", 0, 0.0
    if spent_file.exists():
        rounds, spent = json.loads(spent_file.read_text("utf-8"))
    else:  # games of a few plies compile all that is needed
        lessons = min(1, way.settings.lessons)
        short = replace(way.settings, rounds=1 + lessons, lessons=lessons, passes=0.01)
        learn(load(f"{way.game},t_max=4"), short, TrainingContext(folder / "compiled", 1, game_text=way.game))
    net = folder / f"net-{rounds - 1}.onnx"
    while spent < seconds or not rounds:
        begun = time.process_time()
        net, _ = learn(
            load(way.game), replace(way.settings, rounds=rounds + 1), TrainingContext(folder, 1, game_text=way.game)
        )
        rounds, spent = rounds + 1, spent + time.process_time() - begun
        write_text(spent_file, json.dumps([rounds, spent]))
    return net, rounds, spent


def judge(net: Path, simulations: int, games: int) -> dict[str, str]:
    """Shares of dots with their intervals."""
    player, told = f"alphazero:net={net},simulations={simulations},exploration=0.02,least_range=0.005", {}
    for name, seats in {"its pacmans eat": (player, "original-ghosts"), "main eats": (MAIN, player)}.items():
        mean, low, high = mean_interval(eaten(MAP, *seats, games, UNSEEN, 1))
        told[name] = f"{mean:.3f} ({low:.3f} – {high:.3f})"
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600.0, help="CPU seconds of training for each")
    parser.add_argument("--games", type=int, default=200, help="games a number")
    parser.add_argument("--simulations", type=int, default=12, help="of a decision when judged")
    parser.add_argument("--only", default="", help="numbers of rows, with commas; all by default")
    parser.add_argument("--folder", type=Path, default=Path("pacman-ablation"))
    given = parser.parse_args()
    wanted = [int(each) for each in given.only.split(",")] if given.only else range(len(ways()))
    for number in wanted:
        way = ways()[number]
        net, rounds, spent = train(way, given.folder / str(number), given.seconds)
        told = judge(net, given.simulations, given.games)
        cells = [way.name, f"{rounds}", f"{spent:.0f} s", *told.values()]
        if number == wanted[0]:
            print("| " + " | ".join(["", "rounds", "CPU", *told]) + " |\n" + "|---" * len(cells) + "|", flush=True)
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
