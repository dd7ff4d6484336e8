"""Dice Wars: the study of the net, from positions on disk to a net that plays."""

import itertools
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.runners import ArenaPlan, play_each
from turnsmith.compile.rng import stream
from turnsmith.contract.trainings import TrainingContext
from turnsmith.games.dicewars import net
from turnsmith.nets.files import read_arrays
from turnsmith.studies.dicewars import net_study as study
from turnsmith.studies.dicewars import positions
from turnsmith.studies.dicewars.trainings import FitSettings, GenerateSettings

WANTED = 5000


def generate(folder, count, seed=1, workers=1):
    return positions.generate(
        GenerateSettings(positions=count, player="xlogin00", seed=seed), TrainingContext(folder, workers)
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with positions of xlogin00 (whose games are quickly played), split."""
    folder = tmp_path_factory.mktemp("study")
    generate(folder, WANTED, workers=2)
    study.split(folder, seed=0)
    return folder


@pytest.fixture
def folder(made, tmp_path):
    """A copy of it to change."""
    return shutil.copytree(made, tmp_path / "study")


def test_positions_are_those_of_the_games(made):
    """Replayed as people replay matches, the first games give the rows of the store, one after every turn."""
    found = positions.read(made)
    game = ts.load("dicewars")
    own_seed = int(stream(1, 0, positions.SEED_OF_SHARD)[0] >> np.uint64(1))
    plan = ArenaPlan(game, [ts.player("xlogin00", game)], np.zeros((12, 4), np.int32), own_seed)
    batch = play_each(plan, np.array([0, 4]))
    for index in range(2):
        rows = np.flatnonzero(found.game == index)
        actions = batch.log[batch.offsets[index] : batch.offsets[index + 1]]
        position = ts.Position(game, 0, plan.sites(np.array([index]))[0].boards, draws_chance=False)
        seat, turn = int(position.state.seat), 0
        for action in actions:
            position.push(int(action))
            state = position.state
            if state.seat != seat:
                seat, row = int(state.seat), rows[turn]
                turn += 1
                numbers = [*(state.owner[:29] + 1), 0, *state.dice[:29], 0, *state.score[:4]]
                assert found.numbers[row].tolist() == numbers
                assert (found.turn[row], found.seat[row]) == (turn, seat)
        assert turn == len(rows) == found.turns[rows[0]]
        assert set(found.winner[rows]) == {position.outcome.winner}
        touching = [(a, b) for a in range(29) for b in range(a + 1, 29) if (int(position.board.beside[a]) >> b) & 1]
        assert np.flatnonzero(found.maps[index]).tolist() == [net.pair(a, b) for a, b in touching]


def test_every_game_has_a_map_of_its_own(made):
    """Rows are exactly as many as asked for, and no two games share a map: it would leak between the parts."""
    found = positions.read(made)
    assert len(found) == WANTED
    maps = {each.tobytes() for each in found.maps.values()}
    assert len(maps) == len(found.maps) >= 50
    assert {0, 1, 2, 3} == set(found.quarter())


def test_generating_goes_on_where_it_was(folder):
    """A lost shard comes back the same; more positions keep the old rows; other settings are refused."""
    before = positions.read(folder)
    lost = positions.shard_file(folder, 0)
    was = read_arrays(lost)
    lost.unlink()
    generate(folder, WANTED + 1000)
    assert all(np.array_equal(column, was[name]) for name, column in read_arrays(lost).items())
    after = positions.read(folder)
    assert len(after) == WANTED + 1000
    assert np.array_equal(after.numbers[:WANTED], before.numbers)
    with pytest.raises(ts.BadInput, match="begun with seed=1"):
        generate(folder, WANTED, seed=2)
    with pytest.raises(ts.BadInput, match="split again"):
        study.report(folder)


def test_too_few_games_are_not_split(tmp_path):
    """A split needs games for every part."""
    generate(tmp_path, 100)
    with pytest.raises(ts.BadInput, match="too few to split"):
        study.split(tmp_path, seed=0)


def test_counts_are_seen_from_the_seat_to_move(made):
    """The net of counts gets the mover's numbers first, and its chances are turned back to the seats."""
    found = positions.read(made)
    seen = positions.view(found, "counts")
    rows = np.arange(0, WANTED, 77)
    inputs = seen.inputs(rows)
    for row, numbers in zip(rows, inputs, strict=True):
        seat = found.seat[row]
        mine = found.numbers[row, :30] == seat + 1
        assert numbers[0] == mine.sum()
        assert numbers[4] == found.numbers[row, 30:60][mine].sum()
        assert numbers[8] == found.numbers[row, 60 + seat]
        assert (seat + seen.truth[row]) % 4 == found.winner[row]
    sure = np.eye(4)[seen.truth[rows]]
    assert np.array_equal(seen.seats(sure, rows).argmax(axis=1), found.winner[rows])


@pytest.fixture
def knowing(monkeypatch):
    """Trains nets, at no rate to speak of, that add up nothing but the largest regions: the baseline in disguise."""
    sizes = (net.INPUTS, 64, 32, 4)
    layers = [(np.zeros(pair, np.float32), np.zeros(pair[1], np.float32)) for pair in itertools.pairwise(sizes)]
    for seat in range(4):
        layers[0][0][net.INPUTS - 4 + seat, seat] = 1.0
        layers[1][0][seat, seat] = layers[2][0][seat, seat] = 1.0
    monkeypatch.setattr(study, "fresh", lambda sizes, seed: layers)
    return lambda folder, by: study.fit(FitSettings(by=by, epochs=1, rate=1e-30, batch=1024), TrainingContext(folder))


def test_the_report_scores_nets_and_counting_on_both_splits(folder, knowing):
    """A net that reads the largest regions is as often right as counting them, which beats chance in every report."""
    for by in study.SPLITS:
        knowing(folder, by)
    document = study.report(folder)
    assert document == json.loads((folder / "report.json").read_text())
    for by in study.SPLITS:
        rows = document[f"by {by}"]
        counted, disguised = rows["largest region"], rows["net all, last epoch"]
        assert disguised["accuracy"] == pytest.approx(counted["accuracy"], abs=1e-9)
        assert counted["accuracy"] > 0.4
        assert counted["log_loss"] < min(np.log(4), disguised["log_loss"])
        assert counted["quarters"][0]["accuracy"] < counted["quarters"][3]["accuracy"]
        assert sum(each["rows"] for each in counted["reliability"]) == rows["rows"]
    shown = study.shown(document)
    assert shown.count("| net all, best epoch |") == 8


def test_a_fit_learns_and_goes_on_where_it_was(folder):
    """Three epochs at once leave the files of one epoch and two more, and a net that knows more than nothing."""
    shutil.copytree(folder, folder / "again")

    def fit(where, epochs):
        settings = FitSettings(inputs="counts", epochs=epochs, batch=256)
        study.fit(settings, TrainingContext(where, command="turnsmith train dicewars fit"))
        kept = where / "counts-by-game"
        return {path.name: path.read_bytes() for path in kept.rglob("*") if path.suffix != ".json" and path.is_file()}

    whole = fit(folder, 3)
    fit(folder / "again", 1)
    assert fit(folder / "again", 3) == whole
    assert {"net.npz", "curve.jsonl", "curve.svg", "card.md"} <= whole.keys()
    found = study.report(folder)["by game"]["net counts, best epoch"]
    assert found["log_loss"] < 0.9 * np.log(4)


def test_an_exported_net_plays(folder, knowing):
    """What was trained is exported, and a player takes it from the file."""
    knowing(folder, "game")
    study.export(folder, "game", "best", folder / "mine.onnx")
    game = ts.load("dicewars")
    mine = ts.player(f"maxn-net:file={folder}/mine.onnx,lines=20", game)
    assert mine.digest() != ts.player("maxn-net", game).digest()
    assert not ts.arena(game, [mine, "rand"], games=8, seed=1).reasons


def test_speed_is_measured_three_ways(monkeypatch):
    """A time is that of one position; asked are batches of 1 and 256, and compiled code for 256 positions."""
    clock = [0.0]

    def work():
        clock[0] += 0.01

    monkeypatch.setattr(study.time, "process_time", lambda: clock[0])
    assert study.measured(work, 50, 1.0) == pytest.approx(200.0)
    monkeypatch.setattr(study, "measured", lambda work, positions, seconds: (work(), positions)[1])
    ways = {"onnxruntime, batch of 1": 1, "onnxruntime, batch of 256": 256, "compiled, as maxn-net plays": 256}
    assert study.speed(net.SHIPPED) == ways


def test_training_needs_torch_and_says_so(made, monkeypatch):
    """Without torch the command to install it is the answer."""
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ts.BadInput, match=r"torch is missing: pip install 'turnsmith\[learn\]'"):
        study.fit(FitSettings(), TrainingContext(made))


def test_the_commands(made, tmp_path):
    """Generating nothing new, splitting and reporting work from the command line; mistakes are one line."""

    def run(*words):
        command = [sys.executable, "-m", "turnsmith", "train", "dicewars", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    known = ("--folder", str(made))
    again = run("generate", *known, "--positions", str(WANTED), "--player", "xlogin00", "--seed", "1", "--json")
    assert json.loads(again.stdout)["positions"] == WANTED
    assert "test games also trained on 0" in run("split", *known).stdout
    assert "| dice |" in run("report", *known).stdout
    for words in (
        ("split", "--folder", "nosuch"),
        ("fit", *known, "--by", "luck"),
        ("fit", *known, "--epochs", "0"),
        ("export", *known, "--to", "net.txt"),
        ("export", *known, "--to", "net.onnx"),
        ("speed", "--net", "nosuch.onnx"),
        ("generate", "--positions", "0"),
    ):
        ran = run(*words)
        assert ran.returncode == 2, words
        assert len(ran.stderr.strip().splitlines()) == 1
        assert ran.stderr.startswith("turnsmith: ")
    assert list(tmp_path.iterdir()) == []
