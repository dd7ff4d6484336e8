"""Every training that was killed ends with the same bytes as one that was not, however often and wherever it was."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from turnsmith.contract.trainings import TrainingContext
from turnsmith.games.dicewars import value
from turnsmith.learn import value as any_value
from turnsmith.nets.dense import flat
from turnsmith.studies.dicewars import positions, tuning
from turnsmith.studies.dicewars import selfplay as dicewars_selfplay
from turnsmith.studies.dicewars import trainings as declares
from turnsmith.studies.mastermind import learning, ppo
from turnsmith.studies.mastermind import trainings as mastermind
from turnsmith.studies.pacman import episodes, league
from turnsmith.studies.pacman import selfplay as pacman_selfplay
from turnsmith.studies.pacman import trainings as pacman
from turnsmith.studies.tactics import evolution, improve, personalities
from turnsmith.studies.tactics import trainings as tactics

NIM = Path(__file__).parent.parent.parent / "examples" / "nim.py"


class Killed(BaseException):
    """Nothing that a training could catch."""


def quietly(*said):
    """Tell nobody."""


def left_in(folder):
    """The files a training leaves, and what is in them."""
    found = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    assert not [name for name in found if name.endswith(".part")]
    return found


def run_league(folder):
    few = {"trials": 3, "exploiter_trials": 2, "games": 2, "depth": 1, "map": "tiny,start=random,t_max=30"}
    league.train(pacman.PacmanLeagueSettings(iterations=2, **few), TrainingContext(folder))


def run_sarsa(folder):
    episodes.train(pacman.SarsaSettings(episodes=50, mazes=2), TrainingContext(folder))


def run_pacman_value(folder):
    pacman_selfplay.train(pacman.PacmanValueSettings(games=1, sweeps=2), TrainingContext(folder, workers=2))


def run_tune(folder):
    tuning.tune(declares.TuneSettings(from_=value.SHIPPED, generations=4, games=4, seed=7), TrainingContext(folder))


def run_generate(folder):
    positions.generate(declares.GenerateSettings(positions=400, player="xlogin00", seed=1), TrainingContext(folder, 2))


def run_dicewars_value(folder):
    dicewars_selfplay.learn(
        declares.DicewarsValueSettings(rounds=3, games=40, noise=0.1, seed=3), TrainingContext(folder, 2)
    )


def run_value(folder):
    settings = any_value.ValueTrainingSettings(rounds=2, games=256, hidden="4", proof=4, compare=0)
    any_value.train(settings, TrainingContext(folder, 2, game_text=f"{NIM}:piles=2-3"))


def run_personalities(folder):
    few = {"generations": 2, "batch": 2, "games": 2, "cells": 3, "maps": 2, "again": 2, "proof": 2}
    personalities.train(tactics.PersonalitySettings(**few), TrainingContext(folder, 2))


def run_experiment(folder):
    few = {"population": 3, "games": 2, "static_games": 4, "maps": 2, "team": 1, "static_team": 1, "proof": 2}
    settings = tactics.SecondSettings(generations=3, win_rate=1.0, options="size=8", **few)
    evolution.train(settings, TrainingContext(folder, 2), "An experiment")


def run_tactics_league(folder):
    few = {"population": 4, "maps": 2, "finalists": 2, "final_maps": 2, "static_games": 2, "team": 1, "proof": 2}
    tactics.league(
        tactics.TacticsLeagueSettings(iterations=2, generations=2, options="size=8", **few), TrainingContext(folder, 2)
    )


def run_improve(folder):
    few = {"decisions": 1, "final_maps": 2, "static_games": 2, "team": 1, "proof": 2, "from_": "hand"}
    improve.train(tactics.ImproveSettings(iterations=2, parts=2, options="size=8", **few), TrainingContext(folder, 2))


def run_mastermind_learned(folder):
    few = {"colors": 3, "pegs": 2, "games": 20, "steps": 10, "hidden": "8", "rounds": 1, "openings": 2}
    learning.train(mastermind.LearnedSettings(**few), TrainingContext(folder))


def run_ppo(folder):
    few = {"colors": 2, "pegs": 2, "steps": 96, "games": 4, "horizon": 8, "batch": 16, "hidden": 8, "leg": 32}
    ppo.train(mastermind.PpoSettings(**few), TrainingContext(folder))


TRAININGS = [
    *(run_league, run_sarsa, run_pacman_value, run_tune, run_generate, run_dicewars_value, run_value),
    *(run_experiment, run_tactics_league, run_improve, run_personalities, run_mastermind_learned, run_ppo),
]


@pytest.fixture
def small(monkeypatch):
    """Trainings of seconds."""
    monkeypatch.setattr(episodes, "ROUND", 20)
    monkeypatch.setattr(episodes, "TESTS", 5)
    monkeypatch.setattr(episodes, "TEST_MAZES", 1)
    monkeypatch.setattr(league, "PROOF_GAMES", 2)
    monkeypatch.setattr(pacman_selfplay, "GAMES_A_MAZE", 4)
    monkeypatch.setattr(pacman_selfplay, "ROSTER", {"random": (0.5, 0.5), "fuzzy": (0.5, 0.5)})
    monkeypatch.setattr(positions, "SHARD_GAMES", 2)
    monkeypatch.setattr(learning, "EPOCHS", 2)
    monkeypatch.setattr(improve, "MAPS", 2)
    monkeypatch.setattr(tuning, "won", lambda nets, _, seed, __: np.array([[flat(net).sum() + seed] for net in nets]))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("train", TRAININGS)
@pytest.mark.parametrize("survives", [True, False], ids=["after a file is written", "before a file is written"])
def test_a_training_killed_at_every_file_ends_the_same(train, survives, tmp_path, monkeypatch):
    """It is killed at each file it writes in turn, begun again, and leaves exactly what an unkilled one does."""
    train(tmp_path / "whole")
    monkeypatch.chdir(tmp_path)
    replaced, kills, seen = Path.replace, [0], set()

    def replace_and_die(part, target):
        what = (target, part.read_bytes())
        first = what not in seen
        seen.add(what)
        if survives or not first:
            replaced(part, target)
        if first and target.name != "settings.json":
            kills[0] += 1
            raise Killed
        return target

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", replace_and_die)
        for _ in range(200):
            try:
                train(tmp_path / "killed")
                break
            except Killed:
                continue
    assert kills[0] >= 3
    killed, whole = (left_in(tmp_path / name) for name in ("killed", "whole"))
    assert {name: where(data, tmp_path) for name, data in killed.items()} == {
        name: where(data, tmp_path) for name, data in whole.items()
    }


def where(data, folder):
    """What a file holds, but for the name of the folder it is in."""
    return data.replace(str(folder / "killed").encode(), b"x").replace(str(folder / "whole").encode(), b"x")


def test_a_league_ended_by_the_system_ends_the_same(tmp_path):
    """SIGKILL in the midst of the trials, and again in those of the exploiter, loses and repeats nothing."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "from pathlib import Path\n"
        "from test_killed_trainings import run_league\n"
        "run_league(Path(sys.argv[1]))\n"
    )
    run_league(tmp_path / "whole")
    folder = tmp_path / "killed"
    for file in ("main-0/generation-1.json", "exploiter-0/generation-0.json"):
        child = subprocess.Popen([sys.executable, "-c", code, str(folder), str(Path(__file__).parent)])
        for _ in range(6000):
            if (folder / file).exists() or child.poll() is not None:
                break
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        child.wait()
    for part in folder.rglob("*.part"):
        part.unlink()  # what was being written is left behind, and nobody reads it
    run_league(folder)
    assert left_in(folder) == left_in(tmp_path / "whole")
