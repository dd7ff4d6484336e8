"""What ``turnsmith bench`` measures of Homeguard."""

from __future__ import annotations

from functools import partial

from turnsmith.studies.speed import Bench, board_time, games_by_cpu, making, playouts, thinking, tree_time

GAME = "homeguard"


def rounds(games: int) -> float:
    """Rounds a CPU second of random games; a round is a move of either seat."""
    return playouts(GAME, games) / 2


BENCHES = {
    "tree": Bench(partial(tree_time, GAME, 500), "CPU ms"),
    "random rounds": Bench(partial(rounds, 20_000), "rounds/CPU s"),
    "greedy games": Bench(partial(games_by_cpu, GAME, ["greedy", "greedy"], 20_000), "games/CPU s"),
    "maximin": Bench(partial(thinking, GAME, "maximin"), "ms/decision"),
    "new map": Bench(partial(board_time, GAME, 200), "CPU ms"),
    "making maps": Bench(partial(making, GAME, 100_000), "judged children/CPU s"),
}
