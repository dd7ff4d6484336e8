"""`cfr` beside OpenSpiel's solvers, C++ and Python, on the same games in one run.

    python bench/cfr_open_spiel.py
    python bench/cfr_open_spiel.py --games leduc --until 0.001 --seconds 60

Everyone iterates until the average strategy's exploitability is `--until`, looking at it after 1, 2, 3, 4, 5, 6, 7, 8,
10, 12, … iterations as ours does; a solver that is not there after `--seconds` CPU seconds is stopped and its last
exploitability told. Looking does not count in iterations a second. Times are CPU seconds; ours are of compiled code,
listing the tree included in the time until, as theirs build their tables in the constructor.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import pyspiel
from open_spiel.python.algorithms import cfr as python_cfr
from open_spiel.python.algorithms import exploitability as python_exploitability
from open_spiel.python.algorithms import external_sampling_mccfr as python_mccfr

import turnsmith as ts
from turnsmith.search.cfr import Solving, cfr
from turnsmith.search.information_sets import list_sets

KUHN = "kuhn"
GAMES = {"kuhn": (KUHN, "kuhn_poker"), "leduc": ("leduc", "leduc_poker")}


class Run(NamedTuple):
    iterations: int
    iterating: float
    whole: float
    exploitability: float


def measure(make: Callable[[], tuple[Callable[[int], Any], Callable[[], float]]], until: float, most: float) -> Run:
    """Iterate until the exploitability is `until`, or time is over."""
    begun = time.process_time()
    step, look = make()
    done, iterating, found = 0, 0.0, float("inf")
    while found > until and time.process_time() - begun < most:
        count = max(1, done // 4)
        before = time.process_time()
        made = 0
        while made < count and time.process_time() - begun < most:
            made += step(count - made)
        iterating += time.process_time() - before
        done += made
        found = look()
    return Run(done, iterating, time.process_time() - begun, found)


def ours(game: str, method: str):
    def make():
        loaded = ts.load(game)
        list_sets.cache_clear()
        solving = Solving(list_sets(loaded, loaded.board().tobytes()), method)

        def step(count: int) -> int:
            solving.run(solving.iterations + count)
            return count

        return step, lambda: solving.solution().exploitability

    return make


def theirs(game: str, kind: str):
    def make():
        loaded = pyspiel.load_game(game)
        if kind.startswith("C++"):
            solver = {
                "C++ CFR+": lambda: pyspiel.CFRPlusSolver(loaded),
                "C++ CFR": lambda: pyspiel.CFRSolver(loaded),
                "C++ external sampling": lambda: pyspiel.ExternalSamplingMCCFRSolver(loaded, 1),
            }[kind]()
            step = solver.run_iteration if "sampling" in kind else solver.evaluate_and_update_policy
            look = lambda: pyspiel.exploitability(loaded, solver.average_policy())  # noqa: E731
        else:
            solver = {
                "Python CFR+": lambda: python_cfr.CFRPlusSolver(loaded),
                "Python external sampling": lambda: python_mccfr.ExternalSamplingSolver(loaded),
            }[kind]()
            step = solver.iteration if "sampling" in kind else solver.evaluate_and_update_policy
            look = lambda: python_exploitability.exploitability(loaded, solver.average_policy())  # noqa: E731

        def one(count: int) -> int:
            step()
            return 1

        return one, look

    return make


def told(who: str, run: Run, until: float) -> str:
    speed = run.iterations / run.iterating if run.iterating else float("inf")
    reached = f"{run.whole:>10.3f} s" if run.exploitability <= until else f"not in {run.whole:.0f} s"
    return f"{who:<36} {speed:>12,.0f} {run.iterations:>12,} {reached:>14} {run.exploitability:>12.2g}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", default="kuhn,leduc", help="of kuhn and leduc")
    parser.add_argument("--until", type=float, default=0.001, help="exploitability")
    parser.add_argument("--sampled", type=float, default=0.05, help="exploitability for those that sample")
    parser.add_argument("--seconds", type=float, default=60.0, help="CPU seconds at most for each solver")
    given = parser.parse_args()
    for name in given.games.split(","):
        game, game_of_theirs = GAMES[name]
        cfr(game, 2)
        cfr(game, 2, method="mccfr")  # compiled now
        print(f"\n{name:<36} {'iterations/s':>12} {'iterations':>12} {'until':>14} {'expl.':>12}", flush=True)
        for until, rows in (
            (
                given.until,
                {
                    "turnsmith cfr+": ours(game, "cfr+"),
                    "turnsmith dcfr": ours(game, "dcfr"),
                    "turnsmith cfr": ours(game, "cfr"),
                    "turnsmith lp": ours(game, "lp"),
                    **{f"OpenSpiel {k}": theirs(game_of_theirs, k) for k in ("C++ CFR+", "C++ CFR", "Python CFR+")},
                },
            ),
            (
                given.sampled,
                {
                    "turnsmith mccfr": ours(game, "mccfr"),
                    **{
                        f"OpenSpiel {kind}": theirs(game_of_theirs, kind)
                        for kind in ("C++ external sampling", "Python external sampling")
                    },
                },
            ),
        ):
            for who, make in rows.items():
                print(told(who, measure(make, until, given.seconds), until), flush=True)
