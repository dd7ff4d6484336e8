"""What ``turnsmith bench`` measures of Dice Wars."""

from __future__ import annotations

from functools import partial

from turnsmith.studies.speed import Bench, arena_speed, playouts, random_games, sampled, thinking

GAME = "dicewars"
FIELD = ["ste", "wpm_c", "sdc", "rand", "xlogin00"]
BENCHES = {
    "playouts": Bench(partial(playouts, GAME, 2_000), "moves/CPU s"),
    "samples": Bench(partial(sampled, GAME, FIELD, 2_000), "positions/CPU s"),
    "field games": Bench(partial(arena_speed, GAME, FIELD, 8_000), "games/s"),
    "field games, 2 workers": Bench(partial(arena_speed, GAME, FIELD, 16_000, 2), "games/s"),
    "random games": Bench(partial(arena_speed, GAME, ["rand"] * 4, 8_000), "games/s"),
    "random games on one board": Bench(partial(random_games, GAME, 4_000), "games/CPU s"),
    **{name: Bench(partial(thinking, GAME, name), "ms/decision") for name in ("fast", "strong", "master")},
}
