"""Simulated people, what genes tell of play, and the benchmarks of taste at a small size."""

import json

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score

from turnsmith.cli import main
from turnsmith.maps.tree_runs import Nursery, TreeSettings
from turnsmith.nets.dense import read_net
from turnsmith.studies.taste import benchmark, inputs, loop, people, play
from turnsmith.studies.taste.benchmark import TasteMethod

RANKS = {
    name: np.random.default_rng(number).permutation(2000) / 2000
    for number, name in enumerate(people.DOCUMENT + people.GEOMETRY + people.GAMEPLAY[:4])
}
TINY = {"people": 2, "seeds": 1, "others": 20, "validation": 50, "test": 50, "trees": 2, "judged": 2, "branches": 8}


@pytest.mark.parametrize("family", people.FAMILIES)
def test_people(family):
    """Everybody dislikes 35 % of all maps, has reasons of the family, and errs as often as the family does."""
    for number in range(20):
        who = people.person(family, RANKS, np.random.default_rng(number))
        assert who.likes(RANKS).mean() == pytest.approx(1 - people.DISLIKED, abs=0.01)
        assert set(who.reasons) <= set(people.reasons_of(family, RANKS))
        said = who.ratings(RANKS, np.random.default_rng(1))
        wrong = ((said > 0) != who.likes(RANKS)).mean()
        assert wrong == pytest.approx(people.NOISE if family in people.SEVERAL else 0.0, abs=0.04)
        assert set(said.tolist()) == {-2.0, -1.0, 1.0, 2.0}
        assert (who.later is not None) == (family == "drifting")
        if who.later is not None:
            changed = (who.likes(RANKS) != who.later.likes(RANKS)).mean()
            assert 0.0 < changed < 0.6
            assert len(set(who.reasons) & set(who.later.reasons)) == 2


def test_the_documents_people_by_hand():
    """A map is disliked that lacks any of what counts."""
    ranks = {"drama": np.array([0.1, 0.9, 0.9, 0.5]), "lead_change": np.array([0.9, 0.1, 0.8, 0.6])}
    who = people.Person("document", ("drama", "lead_change"), (1.0, 1.0), cuts=(0.2, 0.3, 0.7))
    assert who.likes(ranks).tolist() == [False, False, True, True]
    assert who.ratings(ranks, np.random.default_rng(0)).tolist() == [-2.0, -2.0, 2.0, 1.0]
    assert who.ratings(ranks, np.random.default_rng(0), words=2).tolist() == [-1.0, -1.0, 1.0, 1.0]


def test_auc_is_scikit_learns():
    random = np.random.default_rng(0)
    liking, liked = np.round(random.random(300), 1), random.random(300) < 0.65  # with many ties
    assert benchmark.auc(liking, liked) == pytest.approx(roc_auc_score(liked, liking))


def test_what_is_judged_by_hand():
    """Of eight maps, four bad: three of these are in the worse half; and the best ten are all there are."""
    liking = np.arange(8.0)
    liked = np.array([False, False, True, False, True, True, False, True])
    found = benchmark.judged(liking, liked, np.array([True, True, False, True]))
    assert found[1:] == [0.75, 0.5, 0.25]


def test_additive_is_scikit_learns():
    """Weights are those of ridge regression, and what is missed is what leaving out a row misses."""
    random = np.random.default_rng(0)
    inputs_, wanted = random.standard_normal((40, 6)), random.standard_normal((40, 1))
    weights, missed = play.additive(inputs_, wanted)
    by_strength = [Ridge(strength).fit(inputs_, wanted[:, 0]).coef_ for strength in play.STRENGTHS]
    near = [np.abs(weights[:, 0] - each).max() for each in by_strength]
    assert min(near) < 1e-9
    strength = play.STRENGTHS[int(np.argmin(near))]
    others = np.arange(40) != 7
    left_out = Ridge(strength).fit(inputs_[others], wanted[others, 0]).predict(inputs_[7:8])
    assert missed[7, 0] == pytest.approx(wanted[7, 0] - left_out[0], abs=2e-3)


def test_genes_tell_of_play(tmp_path):
    """Where numbers of play are sums over genes with noise, genes tell them; trees help where genes do not tell all;
    the net that is written says the same."""
    random = np.random.default_rng(1)
    genes = np.eye(3)[random.integers(0, 3, (400, 10))].reshape(400, -1)
    truth = genes @ random.standard_normal((30, 5)) + random.standard_normal((400, 5))
    trees = truth[:, None] + 3.0 * random.standard_normal((400, 6, 5))
    told = play.fit(genes[:300], trees[:300])
    wanted = (truth[300:] - told.middle) / told.unit

    def nearness(found):
        return np.mean([np.corrcoef(found[:, number], wanted[:, number])[0, 1] for number in range(5)])

    alone = (trees[300:].mean(axis=1) - told.middle) / told.unit
    by_genes, both = told.by_genes(genes[300:]), told.by_both(genes[300:], trees[300:])
    assert nearness(both) > max(nearness(alone), nearness(by_genes)) > 0.8
    told.write(tmp_path / "play.onnx", {"genes": 10, "values": 3})
    np.testing.assert_allclose(read_net(tmp_path / "play.onnx")(genes[300:].astype(np.float32)), by_genes, atol=1e-4)


def test_criteria_are_not_among_inputs():
    """No number of what is counted of trees, nor of rich statistics, rings or features, follows a criterion."""
    nursery = Nursery(TreeSettings("homeguard", maps=60, per_map=1, branches=24, kept=2, seed=9))
    trees, sources = nursery.grow(np.arange(60)), nursery.sources(np.arange(60))
    maps = [people.GameMap("homeguard", each) for each in sources]
    criteria = people.of_trees(trees) | people.of_covers(maps, inputs.openness)
    assert set(criteria) == set(RANKS)
    genes = np.array([inputs.load("homeguard").genes(each) for each in sources], np.int32)
    field = inputs.Field("others", inputs.Size(others=2, trees=1))
    for counted in (
        play.counted(trees),
        inputs.rich(maps, trees),
        inputs.raw_features(maps),
        field.describer.rings(genes),
    ):
        used = counted[:, counted.std(axis=0) > 1e-9]
        for name, values in criteria.items():
            alike = np.abs(np.corrcoef(used.T, values)[-1, :-1]).max()
            assert alike < 0.99, name


def test_the_benchmark(tmp_path, capsys):
    """A small run: every method is there with its intervals; killed in the middle it ends the same."""
    words = [f"--{name}={value}" for name, value in TINY.items() if name not in ("validation", "test")]
    with pytest.raises(SystemExit) as end:
        main(["maps", "benchmark", "--to", str(tmp_path / "a"), "--maps=50", *words, "--json"])
    assert end.value.code == 0
    results = json.loads(capsys.readouterr().out)
    names = {row["name"] for row in results["methods"]}
    assert {TasteMethod(name).name for name in inputs.VIEWS} <= names
    assert {
        TasteMethod(inputs.VIEWS[0], benchmark.RIVAL).name,
        TasteMethod(results["best"], choice="play").name,
    } <= names
    for row in results["methods"]:
        for told in row["families"].values():
            assert all(0 <= each["low"] <= each["mean"] <= each["high"] <= 1 for each in told.values())
    ceiling = next(row for row in results["methods"] if row["name"] == TasteMethod(inputs.CEILING).name)["families"]
    random = next(row for row in results["methods"] if row["name"] == TasteMethod("random").name)["families"]
    gains = [ceiling[name]["auc 40"]["mean"] - random[name]["auc 40"]["mean"] for name in people.FAMILIES]
    assert np.mean(gains) > 0.1
    assert len(benchmark.tables(results)) == 6 - (results["best"] == "genome")
    whole = (tmp_path / "a" / "results.json").read_bytes()
    for lost in ("results.json", "auc.svg", "test/genome-gp-random-2-words.json", "maps/test-00020.npz"):
        (tmp_path / "a" / lost).unlink()
    settings = benchmark.BenchmarkSettings(**TINY)
    benchmark.run(tmp_path / "a", settings)
    assert (tmp_path / "a" / "results.json").read_bytes() == whole


def test_the_loop(tmp_path):
    """A small loop: people are shown maps and get ten; a run with more people goes on."""
    settings = loop.LoopSettings(people=1, ratings=10, trees=2, drawn=20, evaluations=600)
    results = loop.run(tmp_path, settings)
    told = results["families"]["all"]
    assert (told["people"], len(told["shown"])) == (4, 2)
    assert 0 < told["made"]["mean"] <= 1
    kept = (tmp_path / "loop" / "mixed-000.json").read_bytes()
    assert "made maps liked" in loop.table(results)
    (tmp_path / "loop" / "mixed-000.json").unlink()
    assert loop.run(tmp_path, settings) == results
    assert (tmp_path / "loop" / "mixed-000.json").read_bytes() == kept


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--people=1"], "people"),
        (["--loop=homeguard", "--ratings=7"], "multiple of 5"),
        (["--loop=nothing"], "no game"),
        (["--loop=pig"], "genes"),
    ],
)
def test_refusals(words, said, tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        main(["maps", "benchmark", "--to", str(tmp_path / "a"), *words])
    assert end.value.code == 2
    assert said in capsys.readouterr().err
