"""The gate of AlphaZero where nobody wins: what a new net gets beyond the best one decides, start by start; and the net
that a training begins with."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.contract.trainings import TrainingContext
from turnsmith.learn import alphazero
from turnsmith.learn.alphazero import AlphaZeroLearner, AlphaZeroSettings
from turnsmith.learn.gate import LIKELY, evidence_of_gains, evidence_of_wins, gains_of
from turnsmith.learn.run import Run
from turnsmith.nets.dense import read_net
from turnsmith.play.batch import boards_of
from turnsmith.play.observe import observer

TINY = "pacman:map=tiny,t_max=40,start=random"
GOOD, BAD = "negamax:depth=2,evaluation=voronoi,table=8", "random"


@dataclass(frozen=True)
class Stand(AlphaZeroLearner):
    """A learner for whose nets other players stand in."""

    players: tuple[str, ...] = ()

    def player(self, number, simulations, noise=0.0):
        return ts.player(self.players[number], self.game)


@pytest.mark.parametrize(("players", "best"), [((BAD, GOOD), 1), ((GOOD, BAD), 0)])
def test_scores_decide_which_net_is_the_best(tmp_path, players, best):
    game = ts.load(TINY)
    boards, told = boards_of(game, 0), []
    work = TrainingContext(tmp_path, 1, tell=told.append)
    learner = Stand(game, boards, AlphaZeroSettings(), Run(tmp_path, {}), observer(game, boards), work, players=players)
    assert learner.best(1) == best
    assert ("not taken" in told[0]) == (best == 0)
    assert "in 40 against" in told[0]  # so clear a difference needs one batch


def test_a_player_gains_nothing_on_itself():
    """Every start is played from both seats, so what the seats are worth cancels out; with luck it does in the mean."""
    table = ts.arena(TINY, [GOOD, GOOD], games=40, seed=3)
    assert len(gains_of(table)) == 20
    assert np.abs(gains_of(table)).max() < 0.5
    assert abs(evidence_of_gains(gains_of(table), 2)) < LIKELY


def test_equal_nets_pass_and_worse_ones_rarely():
    """The test's errors after all its games, by simulation: an equal net is turned down about as often as where wins
    count (8.6 % of 200 games that equals play), one that is much worse is hardly ever taken."""
    random, taken = np.random.default_rng(1), {}
    for worse in (0.0, 0.45):
        ends = [evidence_of_gains(random.normal(-worse, 1.0, 100), 2) > -LIKELY for _ in range(400)]
        taken[worse] = np.mean(ends)
    by_wins = [evidence_of_wins(won, 200, 2) > -LIKELY for won in random.binomial(200, 0.5, 400)]
    assert abs(taken[0.0] - np.mean(by_wins)) < 0.06
    assert taken[0.45] < 0.1
    assert evidence_of_wins(110, 200, 2) > 0 > evidence_of_wins(100, 200, 2)


def test_a_training_begins_with_another_net_and_plays_with_it(tmp_path):
    """With a rate of next to nothing the net stays what it was; games are played by it, so they are better than those
    of nobody; a net of another shape is refused."""
    few = AlphaZeroSettings(
        rounds=1, games=256, simulations=4, quick=2, view="features", hidden="8", anchored=0, proof=0,
        compare=0, gated=False,
    )  # fmt: skip
    small = "connect_four:width=4,height=4,connect=3"
    first = alphazero.train(few, TrainingContext(tmp_path / "first", 1, game_text=small)).document["net"]
    still = replace(few, from_=first, rate=1e-7, passes=0.01)
    after = alphazero.train(still, TrainingContext(tmp_path / "next", 1, game_text=small)).document["net"]
    for one, other in zip(read_net(Path(first)).layers, read_net(Path(after)).layers, strict=True):
        assert all(np.allclose(mine, theirs, atol=1e-5) for mine, theirs in zip(one, other, strict=True))
    policies = [np.load(tmp_path / name / "rows-0.npz")["policy"].astype(float) for name in ("first", "next")]
    assert len({rows.std() for rows in policies}) == 2
    with pytest.raises(ts.BadInput, match="another shape"):
        alphazero.train(replace(still, hidden="9"), TrainingContext(tmp_path / "wide", 1, game_text=small))
