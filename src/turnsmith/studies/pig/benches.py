"""What ``turnsmith bench`` measures of Pig."""

from __future__ import annotations

from functools import partial

from turnsmith.studies.speed import Bench, playouts

BENCHES = {"playouts": Bench(partial(playouts, "pig", 20_000), "moves/CPU s")}
