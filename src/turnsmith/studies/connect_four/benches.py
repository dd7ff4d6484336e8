"""What ``turnsmith bench`` measures of Connect Four."""

from __future__ import annotations

from functools import partial

from turnsmith.studies.speed import Bench, arena_speed, decision, outside_net, playouts, steps

GAME = "connect_four"
BENCHES = {
    "playouts": Bench(partial(playouts, GAME, 300_000), "moves/CPU s"),
    "steps": Bench(partial(steps, GAME, view="planes"), "steps/CPU s"),
    "steps, 171 features": Bench(partial(steps, GAME), "steps/CPU s"),
    "mcts": Bench(partial(decision, GAME, "mcts:simulations=100000"), "simulations/CPU s"),
    "alphazero": Bench(partial(decision, GAME, "alphazero:simulations=100000"), "simulations/CPU s"),
    "alphazero outside a dense net": Bench(partial(outside_net, GAME, "features"), "% of CPU time"),
    "alphazero outside a residual net": Bench(partial(outside_net, GAME, "planes"), "% of CPU time"),
    "negamax": Bench(partial(decision, GAME, "negamax:depth=12,table=20"), "nodes/CPU s"),
    "arena": Bench(partial(arena_speed, GAME, ["random", "random"], 40_000), "games/s"),
}
