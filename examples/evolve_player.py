"""Evolving a player of one's own: when to hold in Pig, found by CMA-ES against a fixed player and those found before.

Two genes make a player. Every generation all candidates play the same games, in both seats, with the same dice. Stopped
and started again, it goes on where it was and ends the same.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import turnsmith as ts
from turnsmith.evolve.fitness import FitnessArena, every_seat, interval
from turnsmith.evolve.league import League, LeagueSettings
from turnsmith.evolve.optimisers import Cma
from turnsmith.game import Prepared
from turnsmith.learn.run import Run


def decide(game, board, view, acts, data, memory, params, report, rng):
    behind = view.scores[1 - view.seat] - view.scores[view.seat]
    return acts[acts.shape[0] - 1] if view.turn_total >= params[0] + params[1] * behind else acts[0]


@dataclass(frozen=True, repr=False)
class Holder(ts.CompiledPlayer):
    name = "holder"
    summary = "holds at a total that grows with how far it is behind"
    total: float = 8.0
    per_point_behind: float = 0.0
    decide = decide

    def prepare(self, game, boards):
        return Prepared.of(params=[self.total, self.per_point_behind])


if __name__ == "__main__":
    ground = FitnessArena(ts.load("pig"), workers=2)
    settings = LeagueSettings(iterations=4, generations=4, games=400, final_games=2000, hall=2)
    run = Run(Path("evolved"), settings)
    league = League(run, ground, lambda genes: Holder(*genes), settings, anchors=[Holder()])
    proposing = Cma(np.array([8.0, 0.0]), 2.0, seed=1)
    for found in league.iterations(lambda role, number, best: proposing):
        print(f"{found.number}: holds at {found.main[0]:.1f} + {found.main[1]:.2f} a point behind, {found.fitness:.1%}")
        run.note(found.number, fitness=found.fitness)
    run.finish("Pig: when to hold", "python examples/evolve_player.py", {"holds at": float(found.main[0])})

    newest, games = Holder(*found.main), every_seat(1, 2, 10_000)
    mean, low, high = interval(ground.scores([newest], [Holder(20.0)], games, seed=99)[0], seats=2)
    print(f"wins {mean:.1%} ({low:.1%} to {high:.1%}) of 10,000 new games against holding at 20")
