"""Nets that embed trees: every kind trains, goes on after a kill, and says the same as ONNX."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from turnsmith.cli import main
from turnsmith.common.errors import BadInput
from turnsmith.maps import embed, genome_net, identity, nets, reading, tree, tree_runs
from turnsmith.maps.embed import EmbeddingSettings
from turnsmith.nets.dense import read_net

SMALL = {"epochs": 2, "batch": 8, "channels": 8, "branches": 8}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A few small trees."""
    found = tmp_path_factory.mktemp("trees") / "grown"
    tree_runs.grow(
        tree_runs.TreeSettings("homeguard", maps=24, per_map=3, iterations=1, branches=16, kept=2, seed=1), found
    )
    return found


@pytest.mark.parametrize("kind", nets.KINDS)
def test_kinds(folder, tmp_path, kind):
    """Every kind trains and embeds; one that was stopped after an epoch ends with the same net."""
    settings = replace(EmbeddingSettings.usual(kind), **SMALL)
    measured = embed.train(folder, tmp_path / "whole", settings)
    assert 0.0 <= measured["not found first"] <= 1.0
    _, vectors = embed.embed(tmp_path / "whole" / "net.onnx", folder)
    assert vectors.shape == (72, nets.SIZE)
    assert np.isfinite(vectors).all()
    assert vectors.std(axis=0).max() > 0
    if kind in ("contrastive", "completion", "teacher"):

        def stop(done, total):
            if done:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            embed.train(folder, tmp_path / "stopped", settings, stop)
        embed.train(folder, tmp_path / "stopped", settings)
        assert np.array_equal(embed.embed(tmp_path / "stopped" / "net.onnx", folder)[1], vectors)


def test_usual_settings():
    """The original's nets are trained as the original was, and have about as many parameters."""
    usual = EmbeddingSettings.usual("completion")
    assert (usual.epochs, usual.batch, usual.rate, usual.channels) == (20, 128, 0.005, 128)
    form = reading.RowForm(8, 2, 6)
    assert 500_000 < sum(each.numel() for each in nets.learner("completion", form, 128, None).parameters()) < 800_000
    with pytest.raises(BadInput, match="there is no kind 'contrastiv'"):
        EmbeddingSettings.usual("contrastiv")


@pytest.mark.parametrize("kind", ["completion", "linear", "variational"])
def test_removed_branches_are_not_read(folder, monkeypatch, kind):
    """No branch whose scores are to be told is among those that the net reads, of trees with many branches and few."""
    grove = embed.Grove.of(folder, False)
    trees = grove.trees
    trees.actions[0, 2:], trees.scores[0, 2:], trees.best[0, 2:] = (tree.PADDING,) * 3  # a tree of two branches
    read, given = embed.Grove.read, []
    monkeypatch.setattr(
        embed.Grove, "read", lambda grove, rows, branches: given.append(branches) or read(grove, rows, branches)
    )
    rows = np.arange(len(trees))
    learner = nets.learner(kind, grove.form, 8, grove)
    learner.loss(rows, 16, np.random.default_rng(1)).backward()
    assert len(given) == 2
    for row, one, other in zip(rows, *given, strict=True):
        read_actions, told_actions = ({tuple(trees.actions[row, at]) for at in set(side)} for side in (one, other))
        assert not read_actions & told_actions
        assert trees.is_there[row, [*one, *other]].all()
    trees.actions[0, 1:], trees.scores[0, 1:], trees.best[0, 1:] = (tree.PADDING,) * 3
    with pytest.raises(BadInput, match="a tree of one branch has none to remove"):
        learner.loss(rows, 16, np.random.default_rng(1))


def test_normalised_over_a_batch_or_a_tree(folder):
    """Over a tree, a net cannot know the level of all scores of a tree; over a batch it can. In use no tree changes the
    vector of another."""
    grove = embed.Grove.of(folder, False)
    rows = grove.read(np.arange(4), np.tile(np.arange(8), (4, 1)))
    higher = rows.clone().view(4, 8, grove.form.rounds, grove.form.width)
    higher[..., : 1 + grove.form.layers] += 0.5
    for over, is_level_seen in (("batch", True), ("tree", False)):
        settings = replace(EmbeddingSettings.usual("completion"), channels=8, normalised_over=over)
        net = embed.begun(grove, settings).net.eval()
        vectors = net(rows).detach().numpy()
        assert np.allclose(net(higher.view(rows.shape)).detach().numpy(), vectors, atol=1e-4) != is_level_seen
        assert np.allclose(net(rows[:1]).detach().numpy(), vectors[:1], atol=1e-5)


def test_order_of_branches(folder):
    """A tree's vector does not depend on the order of its branches."""
    grove = embed.Grove.of(folder)
    learner = nets.learner("contrastive", grove.form, 8, grove)
    learner.eval()
    rows, order = np.arange(4), np.arange(8)
    one, other = (
        learner.net(grove.read(rows, np.tile(each, (4, 1)))).detach().numpy() for each in (order, order[::-1])
    )
    assert np.allclose(one, other, atol=1e-5)


def test_fewer_branches(folder):
    """Branches that are there are read again where a tree has fewer than a row."""
    grove = embed.Grove.of(folder)
    first = reading.first_branches(grove.trees, np.arange(3), 40)
    there = grove.trees.is_there.sum(axis=1)
    assert (first < there[:3, None]).all()
    assert grove.read(np.arange(3), first).shape == (3, grove.form.length(40))


def test_genome(folder, tmp_path):
    """A net learns vectors that follow from genes, and is written as a plain net."""
    grove = embed.Grove.of(folder)
    genes, values = grove.genes
    vectors = genome_net.one_hot(genes, values)[:, :8]
    found = genome_net.train(grove, vectors, tmp_path / "genome.onnx", replace(genome_net.HOW, epochs=150, dropout=0.0))
    assert found["explained"] > 0.1
    assert read_net(tmp_path / "genome.onnx").about == {"genes": 40, "values": 3}


def test_commands(folder, tmp_path, capsys):
    """Training, embedding with the net and measuring it, and refusals in one line."""
    small = [word for name, value in SMALL.items() for word in (f"--{name}", str(value))]
    net = tmp_path / "net" / "net.onnx"

    def said(*words):
        with pytest.raises(SystemExit) as end:
            main(["maps", *map(str, words)])
        out = capsys.readouterr()
        return end.value.code, out.out, out.err

    code, out, _ = said("embed", folder, "--to", net.parent, *small, "--json")
    assert code == 0
    assert json.loads(out)["vectors"] == [72, nets.SIZE]
    assert "turnsmith maps embed grown --to net --epochs 2" in (net.parent / "card.md").read_text()
    assert said("embed", folder, "--net", net, "--to", tmp_path / "other")[0] == 0
    assert (tmp_path / "other" / "vectors.npz").exists()
    code, out, _ = said("identity", folder, "--net", net)
    assert code == 0
    assert "net.onnx" in out
    for wrong, why in (
        (["embed", folder, "--kind", "none", "--to", tmp_path / "x"], "no kind 'none'"),
        (["embed", folder, "--channels", "6", "--to", tmp_path / "x"], "multiple of 4"),
        (["embed", folder, "--kind", "completion", "--branches", "3", "--to", tmp_path / "x"], "must be 4 or more"),
        (["embed", folder, "--normalised-over", "tree", "--to", tmp_path / "x"], "leave --normalised-over out"),
        (["embed", tmp_path, "--to", tmp_path / "x"], "no trees"),
        (["embed", folder, "--net", folder / "trees", "--to", tmp_path / "x"], "no net of ours"),
        (["embed", folder, "--seed", "1", *small, "--to", net.parent], "begun with"),
        (["identity", folder, "--fit-on", folder], "nothing was fitted on"),
        (["identity", folder, "--net", tmp_path / "none.onnx"], "no file"),
    ):
        code, _, err = said(*wrong)
        assert (code, err.count("\n")) == (2, 1)
        assert why in err


def test_shipped(tmp_path):
    """The net that comes with Homeguard tells maps apart, and the one of genes comes near it without a tree."""
    settings = tree_runs.TreeSettings("homeguard", maps=30, per_map=3, kept=2, seed=77)
    tree_runs.grow(settings, tmp_path / "grown")
    grove, vectors = embed.embed(Path(embed.SHIPPED), tmp_path / "grown")
    assert identity.identity(vectors, grove.labels)["R@1"].mean > 0.8
    means = np.stack([vectors[grove.labels == label].mean(axis=0) for label in range(30)])
    said = genome_net.told(grove, tree_runs.growth_of("homeguard").genome_net)[::3]
    assert ((said - means) ** 2).mean() < ((means - means.mean(axis=0)) ** 2).mean()
    with pytest.raises(BadInput, match="comes with no net"):
        embed.shipped("dicewars")
