"""Whether the net that learns Mastermind from pictures can see at all: it is taught to say what the last row is.

256 games at random on 4 colours and 2 pegs; net, beginning and optimiser are those of the learner by reward. Shares of
the last guess's two pegs, of red and of white that are named rightly, over the last 20 batches.
"""

import sys

import numpy as np
import torch

from turnsmith.studies.mastermind import ppo_own
from turnsmith.studies.mastermind.rewarded import RewardedGames
from turnsmith.studies.mastermind.trainings import PpoSettings

GAMES, BATCHES, TOLD, SIZES = 256, 300, 50, (4, 4, 3, 3)


def taught(zero: str, rate: float = 1e-3):
    """(batches so far, shares named rightly), every so often."""
    settings = PpoSettings(colors=4, pegs=2, see="pictures", zero=zero)
    games = RewardedGames(settings.board, GAMES, settings.kind, (0, 1), "pictures")
    learner = ppo_own.OwnPpo(settings, games.seen.shape[1:])
    head, board, random = torch.nn.Linear(ppo_own.OF_PICTURES, sum(SIZES)), games.boards[0], np.random.default_rng(0)
    ppo_own.begin(torch, head, 0.01)
    parameters = [*learner.trunk.parameters(), *head.parameters()]
    adam, shares = torch.optim.Adam(parameters, lr=rate, eps=1e-5, fused=True), []
    for batch in range(1, BATCHES + 1):
        games.step(random.integers(0, board.codes, GAMES))
        rows = np.flatnonzero(games.states["turns"] > 0)
        last = rows, games.states["turns"][rows] - 1
        guess, answer = games.states["guesses"][last], games.states["answers"][last]
        truth = np.stack([guess // 4, guess % 4, board.red[answer], board.white[answer]], 1)
        truth = torch.from_numpy(truth.astype(np.int64))
        seen = torch.from_numpy(games.seen[rows]).permute(0, 3, 1, 2) / 255.0 - learner.zero
        said = head(learner.trunk(seen)).split(SIZES, 1)
        loss = sum(torch.nn.functional.cross_entropy(each, truth[:, part]) for part, each in enumerate(said))
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, ppo_own.MOST_NORM)
        adam.step()
        shares.append([(each.argmax(1) == truth[:, part]).float().mean() for part, each in enumerate(said)])
        if batch % TOLD == 0:
            yield batch, np.mean(shares[-20:], axis=0)


if __name__ == "__main__":
    for zero in sys.argv[1:] or ("black", "wood"):
        for batch, shares in taught(zero):
            print(f"{zero} is 0, {batch} batches:", *(f"{share:5.1%}" for share in shares), flush=True)
