"""Learning Mastermind by reward alone, as Blažek's thesis did, by proximal policy optimisation (PPO).

The learner sees the history as bits, or nothing but pictures.

A leg is some steps of play and learning from fresh games with its own random numbers, by a loop of our own
(``ppo_own``). With ``by=sb3``, stable-baselines3 (``ppo_sb3``) does the same, for a comparison. What goes from leg to
leg is the net and Adam's moments, so a run that was killed goes on from its last leg and ends the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.extras import extra
from turnsmith.compile.digest import digest
from turnsmith.contract.loading import load
from turnsmith.contract.trainings import TrainingContext, TrainingResult
from turnsmith.learn.run import Run
from turnsmith.nets.files import read_arrays, write_arrays
from turnsmith.studies.mastermind.ppo_own import OwnPpo
from turnsmith.studies.mastermind.rewarded import EverySecret, RewardedGames
from turnsmith.studies.mastermind.rewards import REWARDS

if TYPE_CHECKING:
    from turnsmith.studies.mastermind.trainings import PpoSettings

LAST = 100
"""Games whose mean length is a point of the curve."""
AT_ONCE = 4096
"""Games looked at together: pictures of 65,536 would take gigabytes."""


def train(settings: PpoSettings, work: TrainingContext) -> TrainingResult:
    """Legs of play and learning, from the last one on that is there; then both scores. Only the newest is kept."""
    extra("torch")
    learning = learner_class(settings.by)
    code = digest(load(settings.board).digest, RewardedGames, learning)
    run = Run(work.folder, vars(settings), free=("steps",), code=code)
    shape = RewardedGames(settings.board, 1, settings.kind, (0, 0), settings.see).seen.shape[1:]
    learner, seconds = learning(settings, shape), np.zeros(3)
    legs, done = -(-settings.steps // settings.leg), sorted(number_of(path) for path in run.folder.glob("leg-*.npz"))
    for leg in range(done[-1] if done else 0, legs):
        before = run.path(f"leg-{leg - 1}.npz") if leg else None
        play = partial(learner.play_leg, leg, seconds)
        path = run.file(f"leg-{leg}.npz", partial(write_leg, play, learner, before))
        kept = read_arrays(path, "games", "recent", "reward")
        length = {"length": float(kept["recent"].mean())} if kept["games"] else {}
        run.note(leg, games=int(kept["games"]), **length, reward=float(kept["reward"]))
        if before:
            before.unlink(missing_ok=True)
        work.progress(leg + 1, legs)
    take_over(learner, read_arrays(run.path(f"leg-{max(legs - 1, done[-1] if done else 0)}.npz")))
    results = scores(settings, learner)
    reward = f"{settings.kind} {REWARDS[settings.kind - 1]}"
    run.finish(f"Mastermind by reward {reward}", work.command, results)
    text = (
        f"reward {reward}: mean {results['mean']:.4f}, {results['after a random opening']:.4f} after a random opening"
    )
    spent = dict(zip(("acting", "playing", "learning"), seconds.round(3).tolist(), strict=True))
    return TrainingResult({**results, "games": run.curve[-1]["games"], "cpu_seconds": spent}, text)


def learner_class(by: str) -> Any:
    """The class that plays and learns: our own, or the one of stable-baselines3 with which it is compared."""
    if by == "own":
        return OwnPpo
    from turnsmith.studies.mastermind.ppo_sb3 import StableBaselinesPpo

    return StableBaselinesPpo


def number_of(leg: Path) -> int:
    return int(leg.stem.partition("-")[2])


def write_leg(play: Callable[[], tuple[Array, float]], learner: Any, before: Path | None, path: Path) -> None:
    """Go on from the leg before, and leave the learner with the games so far and the lengths of the last of them."""
    played, recent = 0, np.zeros(0, np.int64)
    if before:
        arrays = read_arrays(before)
        take_over(learner, arrays)
        played, recent = int(arrays["games"]), arrays["recent"]
    lengths, reward = play()
    counts = {"games": np.array(played + len(lengths)), "recent": np.append(recent, lengths)[-LAST:]}
    write_arrays(path, {**left_by(learner), **counts, "reward": np.array(reward)})


def left_by(learner: Any) -> dict[str, Array]:
    """What a leg leaves: parameters and moments."""
    arrays = {f"p{n}": parameter.detach().numpy() for n, parameter in enumerate(learner.parameters)}
    for number, parameter in enumerate(learner.parameters):
        moments = learner.adam.state.get(parameter, {})
        arrays |= {f"{name}{number}": np.asarray(value.numpy()) for name, value in moments.items()}
    return arrays


def take_over(learner: Any, arrays: dict[str, Array]) -> None:
    torch = learner.torch
    with torch.no_grad():
        for number, parameter in enumerate(learner.parameters):
            parameter.copy_(torch.from_numpy(arrays[f"p{number}"]))
            names = ("step", "exp_avg", "exp_avg_sq")
            learner.adam.state[parameter] = {name: torch.from_numpy(arrays[f"{name}{number}"].copy()) for name in names}


# ---------------------------------------------------------------- how good it is


def scores(settings: PpoSettings, learner: Any) -> dict[str, float]:
    """Over all secrets, and after five random first guesses."""
    took = break_all_greedily(settings, learner)
    codes = settings.colors**settings.pegs
    drawn = np.random.default_rng(settings.seed).choice(codes, min(5, codes), replace=False)
    forced = [break_all_greedily(settings, learner, int(opening)).mean() for opening in drawn]
    return {"mean": float(took.mean()), "most": float(took.max()), "after a random opening": float(np.mean(forced))}


def break_all_greedily(settings: PpoSettings, learner: Any, opening: int = -1) -> Array:
    """int64[codes]: the guesses for every secret, the likeliest colours being chosen; `opening` is forced unless -1."""
    games, torch = EverySecret(settings.board, settings.see), learner.torch
    first = True
    while games.going.any():
        with torch.no_grad():
            parts = torch.from_numpy(games.seen).split(AT_ONCE)
            likeliest = torch.cat([learner(part)[0].argmax(2) for part in parts])
        guesses = (likeliest * learner.power).sum(1).numpy()
        if first and opening >= 0:
            guesses[:] = opening
        games.step(guesses)
        first = False
    return np.asarray(games.states["turns"])
