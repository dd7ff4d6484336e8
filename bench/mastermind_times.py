"""Mastermind, 6 colours and 4 pegs: CPU seconds for 100 games, one after another, beside the document's table.

Tables, trees and nets are made or read before. How long a net by reward thinks does not depend on what it has learned:
those are fresh ones, and their 100 games are as long as the document's.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import time

import torch

from turnsmith.arena.evaluate import evaluate
from turnsmith.studies.mastermind.ppo import learner_class
from turnsmith.studies.mastermind.rewarded import RewardedGames
from turnsmith.studies.mastermind.trainings import PpoSettings

DOCUMENT = {"random": 0.01, "eliminate": 0.29, "knuth": 1386.87}
PLAYERS = {
    "random": 20_000, "random-unique": 20_000, "eliminate": 5_000, "eliminate-frequency": 2_000, "knuth": 20_000,
    "most-parts": 20_000, "entropy": 20_000, "optimal": 20_000, "learned": 500, "eyes": 50, "eyes:distortion=2": 50,
}  # fmt: skip
"""Each with how many games it is measured on."""
NETS = {"history": (5.438, 1.3), "pictures": (5.602, 4.05)}
"""By what they see: the guesses that the document's took, and its seconds."""


def by_player(name, games):
    """(seconds a guess, guesses a game)"""
    evaluate("mastermind", name, 2)
    begun = time.process_time()
    length = float(evaluate("mastermind", name, games).evaluation.mean)
    return (time.process_time() - begun) / (games * length), length


def by_net(see, by, guesses=500):
    """Seconds a guess of the net of ``turnsmith train mastermind ppo --see … --by …``, one game at a time."""
    settings = PpoSettings(see=see, by=by, games=1, batch=16)
    games = RewardedGames(settings.board, 1, settings.kind, (0, 0), see)
    learner = learner_class(by)(settings, games.seen.shape[1:])
    for turn in range(guesses + 20):
        if turn == 20:
            begun = time.process_time()
        with torch.no_grad():
            likeliest = learner(torch.from_numpy(games.seen))[0].argmax(2)
        games.step((likeliest * learner.power).sum(1).numpy())
    return (time.process_time() - begun) / guesses


def tell(name, seconds, length, document=None):
    beside = f"   the document: {document:,.2f}" if document else ""
    all_games = f"{100 * seconds * length:>9.4f} s a hundred games"
    print(f"{name:<36} {1000 * seconds:>9.4f} ms a guess {all_games}{beside}", flush=True)


if __name__ == "__main__":
    for name, games in PLAYERS.items():
        tell(name, *by_player(name, games), DOCUMENT.get(name))
    for see, (length, document) in NETS.items():
        for by, called in (("own", "our loop's net"), ("sb3", "stable-baselines3's net")):
            tell(f"{called}, {see}", by_net(see, by), length, document)
