"""What ``turnsmith bench`` measures of Pac-Man."""

from __future__ import annotations

from functools import partial

from turnsmith.games.pacman.rules import TEN
from turnsmith.studies.speed import Bench, decision, playouts


def exact_depth(name: str, seconds: float) -> float:
    """How deep an exact search from the start of a map comes in so many CPU seconds."""
    from turnsmith.play.timing import depths

    return float(depths(f"pacman:map={name}", "negamax:exact=true,table=22", [seconds])[0])


BENCHES = {
    "random joint turns/s": Bench(partial(playouts, "pacman", 2_000), "turns/CPU s"),
    "random joint turns/s, from full lists": Bench(partial(playouts, "pacman", 2_000, listed=True), "turns/CPU s"),
    "unit moves/s": Bench(partial(playouts, "pacman:moves=unit", 2_000), "moves/CPU s"),
    "nodes/s": Bench(
        partial(decision, "pacman:map=open-corners", "negamax:exact=true,depth=8,table=22"), "nodes/CPU s"
    ),
    **{
        f"exact depth in {seconds:g} s {name}": Bench(partial(exact_depth, name, seconds), "plies")
        for seconds in (0.3, 3.0)
        for name in TEN
    },
}
