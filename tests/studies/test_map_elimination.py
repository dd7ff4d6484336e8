"""The experiments of the thesis: configurations, what is judged by hand, runs that go on where they were stopped."""

import json
from pathlib import Path

import numpy as np
import pytest

from turnsmith.cli import main
from turnsmith.common.errors import BadInput
from turnsmith.maps import tree_runs
from turnsmith.studies.map_elimination import config, protocol, report, running
from turnsmith.studies.map_elimination.protocol import EliminationExperiment, HeldOut

SMALL = {"eliminator_known": [4], "perc_bad": [25], "max_epochs": 1, "hidden_sizes": [8], "branches": 8}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("trees") / "grown"
    tree_runs.grow(
        tree_runs.TreeSettings("homeguard", maps=24, per_map=4, iterations=1, branches=16, kept=2, seed=1), found
    )
    return found


def write(path: Path, document) -> Path:
    path.write_text(json.dumps(document))
    return path


# ---------------------------------------------------------------- configurations


def test_defaults():
    """Without a file everything is as the thesis gives it."""
    (one,), said = config.read(None)
    assert said == []
    assert (one["learning_rate"], one["learning_rate_decay"], one["max_epochs"], one["batch_size"]) == (
        0.001, 0.25, 3, 64,
    )  # fmt: skip
    assert (one["perc_bad"], one["eliminator_known"], one["eliminator_iters"]) == ([25, 40], [10], 1)
    assert config.names_of(one) == ["completion"]
    assert config.names_of({**one, "reference_embeddings": True}) == ["completion", "global best", "depth best"]


def test_grid(tmp_path):
    """Lists are all combinations; what is a list itself needs lists of lists."""
    asked = {"max_epochs": [1, 2], "perc_bad": [[15], [25, 40]], "eliminator_known": [40, 80], "device": ["cpu", "cpu"]}
    found, said = config.read(write(tmp_path / "grid.json", asked))
    assert [(each["max_epochs"], each["perc_bad"], each["eliminator_known"]) for each in found] == [
        (1, [15], [40, 80]), (1, [25, 40], [40, 80]), (2, [15], [40, 80]), (2, [25, 40], [40, 80]),
    ]  # fmt: skip
    assert said == ["device changes nothing here"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("learning_rate", 0), ("learning_rate", "fast"), ("learning_rate", True), ("max_epochs", 1.5),
        ("perc_bad", [100]), ("perc_bad", []), ("perc_bad", 25), ("dropouts_enc", [0.5]), ("hidden_sizes", [6]),
        ("device", "cuda"), ("elimination", 5), ("embeddings", ["completion", "best"]), ("learning_rate", float("nan")),
        ("reference_embeddings", 1), ("max_epochs", []), ("resume_ckpt", None), ("temperature", {"a": 1}),
        ("normalised_over", "map"), ("branches", 3),
    ],
)  # fmt: skip
def test_invalid_is_replaced_and_said(key, value):
    """Whatever is not valid is replaced by its default, and one line says so."""
    (one,), said = config.combinations({key: value})
    assert said[0].startswith(f"{key}=")
    assert one.get(key, config.KEYS[key].default) == config.KEYS[key].default


def test_unknown_and_broken(tmp_path):
    """Unknown keys are said; a file that is no JSON object is refused, and so is an endless grid."""
    (line,) = config.combinations({"learning_rat": 1})[1]
    assert line.startswith("there is no key 'learning_rat'")
    assert "learning_rate" in line
    for text in ("[1]", "{", ""):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(BadInput, match="--config"):
            config.read(tmp_path / "bad.json")
    with pytest.raises(BadInput, match="cannot be read"):
        config.read(tmp_path / "none.json")
    with pytest.raises(BadInput, match="combinations"):
        config.combinations({"max_epochs": list(range(1, 50)), "batch_size": list(range(1, 50))})


# ---------------------------------------------------------------- what is judged


def test_who_dislikes_what():
    """The least of any measure is disliked; a map is disliked as a whole from a share of its trees on."""
    least = np.array([[place, 9 - place, place, place, place] for place in range(10)])
    held = HeldOut(np.repeat([0, 1], 5), least)
    assert held.disliked(20, (0,)).tolist() == [True] * 2 + [False] * 8
    assert np.flatnonzero(held.disliked(20, (0, 1, 2, 3, 4))).tolist() == [0, 1, 8, 9]
    assert held.agreed(held.disliked(20, (0,)), 0.4).tolist() == [True] * 5 + [False] * 5
    assert not held.agreed(held.disliked(20, (0,)), 0.5).any()
    random = np.random.default_rng(0)
    assert held.answers(EliminationExperiment("0.2-consistent", 20, 1), random)[0].all()
    assert (
        held.answers(EliminationExperiment("0.2-consistent", 20, 1, (0,)), random)[1].tolist()
        == [True] * 5 + [False] * 5
    )
    for _ in range(5):
        is_bad, may = held.answers(EliminationExperiment("map-distinguishing", 40, 1), random)
        assert is_bad.sum() == 5
        assert len(set(held.labels[is_bad])) == 1
        assert may is is_bad
    with pytest.raises(BadInput, match="3 can be known in the basic type"):
        held.refuse_unanswerable(EliminationExperiment("basic", 20, 4))


def test_least_of_measures(folder):
    """Exactly p per cent have the least of a measure, though many trees have equally much."""
    ground = running.SplitTrees.of(folder, running.EliminationSettings(4, 48))
    held = HeldOut.of(ground.trees[ground.judged], ground.labels[ground.judged], 0)
    assert [int(held.disliked(25, (at,)).sum()) for at in range(5)] == [12] * 5
    measured = protocol.measure_trees(ground.trees[ground.judged], ("drama",))["drama"]
    bad = held.disliked(25, (2,))
    assert measured[bad].max() <= measured[~bad].min()


def test_recall_by_hand():
    """Of 100 trees the first two are bad and one of them is known."""
    is_bad = np.zeros(100, bool)
    is_bad[[0, 1]] = True
    best, worst = np.arange(100), np.arange(100)[::-1]
    found = protocol.recalls(best, is_bad, np.array([0]))
    assert found[0, :3].tolist() == [0.5, 1.0, 1.0]
    assert found[1, :2].tolist() == [1.0, 1.0]  # of the 99 others, the first is the other bad one
    assert protocol.recalls(worst, is_bad, np.array([0]))[0, [97, 98]].tolist() == [0.0, 0.5]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_vectors_that_know(number):
    """Vectors that are the map find all trees of known maps; the same draws find as many with the same seed."""
    labels = np.repeat(np.arange(20), 10)
    held = HeldOut(labels, np.tile(np.arange(200)[:, None], (1, 5)))
    chosen = {"elimination": number, "temperature": 1.0, "recovery": 3}
    asked = EliminationExperiment("map-distinguishing", 5, 4)
    knows = protocol.orders(np.eye(20)[labels], chosen)
    found = protocol.asked_of(held, asked, knows, 5, (0, 0))
    assert found[:, 4].min() == 1.0 or number == 4
    assert found[:, 10].min() == 1.0
    assert np.array_equal(found, protocol.asked_of(held, asked, knows, 5, (0, 0)))
    blind = protocol.orders(np.random.default_rng(0).standard_normal((200, 64)), chosen)
    assert protocol.asked_of(held, asked, blind, 40, (0, 0))[1].mean() == pytest.approx(0.5, abs=0.1)


def test_known_go_first():
    """Where all vectors are the same, elimination 2 still removes the known trees first."""
    order_of = protocol.orders(np.zeros((30, 1)), {"elimination": 2})
    assert order_of(np.array([20, 7]), 0)[:4].tolist() == [20, 7, 0, 1]


def test_intervals():
    """Student's interval of three numbers, by the table: 4.303 for two degrees of freedom."""
    found = report.Estimate.of(np.array([1.0, 2.0, 3.0]))
    assert found.mean == 2.0
    assert found.high - 2.0 == pytest.approx(4.303 / np.sqrt(3), abs=1e-3)
    assert report.Estimate.of(np.array([1.0])).to_dict() == {"mean": 1.0, "low": None, "high": None}


# ---------------------------------------------------------------- runs


def test_split_by_map(folder):
    """No map is on two sides, and training sets are equally large."""
    ground = running.SplitTrees.of(folder, running.EliminationSettings(5, 10_000))
    assert len(ground.judged) == 48
    assert [len(each) for each in ground.sets] == [8] * 5
    sides = [set(ground.labels[rows].tolist()) for rows in (ground.judged, *ground.sets)]
    assert sum(map(len, sides)) == len(set.union(*sides))
    with pytest.raises(BadInput, match="grow more"):
        running.SplitTrees.of(folder, running.EliminationSettings(10, 48))


def test_goes_on(folder, tmp_path):
    """A run that was stopped ends with the same numbers, and its nets are there to be used."""
    (chosen,), _ = config.combinations(SMALL | {"embeddings": ["completion", "rich + LDA"]})
    settings = running.EliminationSettings(2, 48, seed=2)

    def stop(done, total):
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        running.run(folder, tmp_path / "stopped", settings, [chosen], progress=stop)
    before = sorted(tmp_path.glob("stopped/combination-1/*/*.npz"))
    assert len(before) == 3
    stamps = [path.stat().st_mtime_ns for path in before]
    (stopped,), (whole,) = (running.run(folder, tmp_path / name, settings, [chosen]) for name in ("stopped", "whole"))
    assert [path.stat().st_mtime_ns for path in before] == stamps
    assert list(whole.recall) == ["random", "completion", "rich + LDA"]
    assert all(np.array_equal(stopped.recall[name], whole.recall[name]) for name in whole.recall)
    assert (tmp_path / "whole/combination-1/set-02/completion/net.onnx").is_file()
    with pytest.raises(BadInput, match="was begun with"):
        running.run(folder, tmp_path / "whole", running.EliminationSettings(4, 48, seed=2), [chosen])


def test_subsets_of_measures():
    """Known ones may be drawn from what is disliked for some of the measures only."""
    (chosen,), _ = config.combinations({"eliminator_combinations": 3})
    found = running.questions(chosen, 0)
    assert len(found) == 2 * 1 * 3 * 4
    assert len({each.measures for each in found}) == 3
    assert found[0].measures == (0, 1, 2, 3, 4)


def test_command(tmp_path, capsys):
    """One command grows trees of another game and says what it replaced; what cannot be asked ends with 2."""
    file = write(tmp_path / "grid.json", SMALL | {"embeddings": ["genome"], "learning_rate": 7})
    command = ["maps", "experiment", "--config", str(file), "--to", str(tmp_path / "out"), "--splits", "2"]
    with pytest.raises(SystemExit, match="0"):
        main([*command, "--game", "dicewars", "--maps", "8", "--held-out", "40"])
    told = capsys.readouterr()
    assert "learning_rate=7 is not valid" in told.err
    assert "genome, unrated" in told.out
    (found,) = json.loads((tmp_path / "out/results.json").read_text())["combinations"]
    assert [each["type"] for each in found["embeddings"]["genome"]] == list(protocol.TYPES)
    assert len(found["embeddings"]["genome"][0]["all"]["curves"]["gain"]["mean"]) == 99
    assert sorted(path.name for path in tmp_path.glob("out/*/genome/*")) == ["25_4_gain.svg", "25_4_recall.svg"]
    write(file, SMALL | {"eliminator_known": [400]})
    with pytest.raises(SystemExit, match="2"):
        main(["maps", "experiment", str(tmp_path / "out/trees"), *command[2:]])
    assert "can be known" in capsys.readouterr().err
    write(file, SMALL | {"embeddings": ["sights"]})
    with pytest.raises(SystemExit, match="2"):
        main(
            [
                "maps",
                "experiment",
                str(tmp_path / "out/trees"),
                *command[2:4],
                "--splits",
                "2",
                "--to",
                str(tmp_path / "new"),
            ]
        )
    assert "leave out this reference" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
