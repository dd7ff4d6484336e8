"""Uniformly random legal moves: the baseline every player should beat."""

from __future__ import annotations

from dataclasses import dataclass

from turnsmith.player import CompiledPlayer
from turnsmith.rng import below


def decide(game, board, view, acts, data, memory, params, report, rng):
    return acts[below(rng, acts.shape[0])]


@dataclass(frozen=True, repr=False)
class Random(CompiledPlayer):
    name = "random"
    summary = "any legal move, each as likely"
    decide = decide
