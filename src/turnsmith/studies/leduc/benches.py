"""Entries of ``turnsmith bench`` for Leduc poker."""

from __future__ import annotations

from functools import partial

from turnsmith.studies.speed import Bench, regret_iterations, unexploitable

BENCHES = {
    "cfr+": Bench(partial(regret_iterations, "leduc", "cfr+", 3000), "iterations/CPU s"),
    "cfr+ to exploitability 0.001": Bench(partial(unexploitable, "leduc", 0.001), "CPU s"),
    "mccfr": Bench(partial(regret_iterations, "leduc", "mccfr", 200_000), "iterations/CPU s"),
}
