"""Training nets that embed trees, and embedding with them: a folder with the net, its card and the vectors.

Maps are split before anything is trained: what is judged after every epoch, how often the nearest other tree is one of
the same map, is measured on maps that the net never saw.
"""

from __future__ import annotations

import io
import json
import shlex
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, suggestion
from turnsmith.common.extras import extra, refuse_without
from turnsmith.common.files import write_whole
from turnsmith.contract.loading import load
from turnsmith.learn import fit
from turnsmith.learn.fit import Progress, silent
from turnsmith.learn.run import Run
from turnsmith.learn.split import split
from turnsmith.maps import nets, reading
from turnsmith.maps.identity import nearest_shares
from turnsmith.maps.record import GameMap
from turnsmith.maps.tree import Trees
from turnsmith.maps.tree_runs import growth_of, labels_of, read_grown
from turnsmith.nets.dense import evaluator
from turnsmith.nets.files import write_arrays
from turnsmith.nets.runtime import model_in, told_by

SHARES = (0.9, 0.1)
"""Of the maps: trained on, judged on."""
AT_ONCE = 256
"""Trees that are embedded at once."""
SHIPPED = "shipped"
"""What the net that comes with a game is called."""
PAIRS = "contrastive"
"""The kind that learns from pairs of trees."""
LEAST = 4
"""Branches of a tree that the original's nets need: half are removed, and one alone cannot be normalised."""


@dataclass(frozen=True)
class EmbeddingSettings:
    """How a net is trained."""

    kind: str = "contrastive"
    epochs: int = 25
    batch: int = 64
    """Maps of a step, or trees where pairs of trees are not needed."""
    rate: float = 0.002
    channels: int = 64
    branches: int = 32
    """Of every tree, drawn anew at every step; completion reads half of them and tells the others."""
    sights: bool = True
    """Whether what a game tells from whole trees is read too; the original's nets never read it."""
    seed: int = 0
    normalised_over: nets.Over | None = None
    """Of the original's nets: whether channels are normalised over a batch, as there, or over each tree."""

    @staticmethod
    def usual(kind: str) -> EmbeddingSettings:
        """Those of a kind: the original's nets are trained as the original was."""
        if kind not in nets.KINDS:
            raise BadInput(
                f"there is no kind '{kind}' of nets{suggestion(kind, nets.KINDS)}; there are {', '.join(nets.KINDS)}"
            )
        return (
            EmbeddingSettings()
            if kind == PAIRS
            else EmbeddingSettings(kind, 20, 128, 0.005, 128, 128, False, 0, "batch")
        )


@dataclass(eq=False)
class Grove:
    """Trees by map, ready to be read."""

    maps: list[GameMap]
    trees: Trees
    form: reading.RowForm
    sights: Array
    labels: Array

    @staticmethod
    def of(folder: Path, with_sights: bool = True, form: reading.RowForm | None = None) -> Grove:
        maps, trees = read_grown(folder)
        used = form or reading.form_of(maps, trees, with_sights)
        return Grove(maps, trees, used, reading.sights_of(maps, trees, used), labels_of(maps, folder))

    @property
    def genes(self) -> tuple[Array, int]:
        """int64[trees, genes] of the maps, and how many values a gene has at most."""
        game = load(self.maps[0].game)
        if game.genes is None or game.gene_values is None:
            raise BadInput(f"maps of {game.name} have no genes to learn; choose another kind")
        genes = np.array([game.genes(game_map.source) for game_map in self.maps], np.int64)
        return genes, int(np.max(game.gene_values(self.maps[0].source)))

    def rows_of(self, label: int) -> Array:
        """The trees of a map."""
        return np.flatnonzero(self.labels == label)

    def drawn(self, rows: Array, count: int, random: np.random.Generator) -> Array:
        """int64[rows, count]: branches drawn from each, without order."""
        there = self.trees.is_there[rows].sum(axis=1)
        return np.asarray(random.random((len(rows), count)) * there[:, None], np.int64)

    def parted(self, rows: Array, seen: int, removed: int, random: np.random.Generator) -> tuple[Array, Array]:
        """int64[rows, seen] and int64[rows, removed]: branches drawn from each, none of a tree on both sides. Where
        there are fewer, each side has its share of them, some more than once."""
        is_there = self.trees.is_there[rows]
        there = is_there.sum(axis=1)[:, None]
        if there.min() < 2:
            raise BadInput("a tree of one branch has none to remove; grow trees with more --branches")
        order = np.argsort(np.where(is_there, random.random(is_there.shape), np.inf), axis=1)
        cut = np.clip(there * seen // (seen + removed), 1, there - 1)
        at = np.arange(seen) % cut, cut + np.arange(removed) % (there - cut)
        return np.take_along_axis(order, at[0], axis=1), np.take_along_axis(order, at[1], axis=1)

    def read(self, rows: Array, branches: Array) -> Any:
        """A tensor of what a net takes."""
        return extra("torch").from_numpy(reading.whole_rows(self.trees, self.form, self.sights, rows, branches))

    def embedded(self, net: Callable[[Any], Array], rows: Array) -> Array:
        """float32[rows, SIZE]: by the first branches of each."""
        parts = []
        for start in range(0, len(rows), AT_ONCE):
            chosen = rows[start : start + AT_ONCE]
            first = reading.first_branches(self.trees, chosen, reading.MOST_SAMPLED)
            parts.append(net(reading.whole_rows(self.trees, self.form, self.sights, chosen, first)))
        return np.concatenate(parts)


# ---------------------------------------------------------------- training


def train(folder: Path, to: Path, settings: EmbeddingSettings, progress: Progress = silent) -> dict[str, Any]:
    """Train a net on the trees of a folder; what was measured on maps that it never saw."""
    if settings.channels % nets.HEADS:
        raise BadInput(f"--channels {settings.channels} must be a multiple of {nets.HEADS}")
    if settings.kind != PAIRS and settings.branches < LEAST:
        raise BadInput(f"--branches {settings.branches} must be {LEAST} or more for one of the original's nets")
    if settings.kind == PAIRS and settings.normalised_over:
        raise BadInput(f"a {PAIRS} net normalises every branch by itself; leave --normalised-over out")
    refuse_without("torch")
    grove = Grove.of(folder, settings.sights)
    parts = split(grove.labels, "game", settings.seed, SHARES)
    known, unseen = np.unique(grove.labels[parts == 0]), np.flatnonzero(parts == 1)
    if len(known) < 2 or len(np.unique(grove.labels[unseen])) < 2:
        raise BadInput(f"{folder} has trees of {len(set(grove.labels.tolist()))} maps; training needs 20 or more")
    run = Run(to, asdict(settings) | {"trees": folder.name}, free=("epochs", "trees"))
    torch = extra("torch")
    learner = begun(grove, settings)

    def judge() -> dict[str, float]:
        vectors = grove.embedded(lambda rows: np.asarray(learner.net(torch.from_numpy(rows)).detach().numpy()), unseen)
        shares = nearest_shares(vectors, grove.labels[unseen])
        return {"not found first": 1.0 - float(shares["R@1"].mean()), "hit@10": float(shares["hit@10"].mean())}

    rows = known if settings.kind == PAIRS else np.flatnonzero(parts == 0)
    about = fit.digest_of(grove.labels, grove.trees.scores[:, :1])
    done = fitted(learner, rows, settings, to / "checkpoint.npz", about, judge, progress)
    for point, numbers in enumerate(done.history):
        run.note(point, **numbers)
    write_net(learner.net, to / "net.onnx", grove.form, settings)
    measured = {**judge(), "maps never seen": len(set(grove.labels[unseen].tolist()))}
    run.finish(f"{settings.kind} embedding of trees", command_of(folder, to, settings), measured)
    return measured


def begun(grove: Grove, settings: EmbeddingSettings, shape: nets.Shape = nets.USUAL) -> Any:
    """A learner of some trees before its first step, the same for the same seed."""
    extra("torch").manual_seed(settings.seed)
    if settings.normalised_over:
        shape = replace(shape, normalised_over=settings.normalised_over)
    return nets.learner(settings.kind, grove.form, settings.channels, grove, shape)


def fitted(
    learner: Any,
    rows: Array,
    settings: EmbeddingSettings,
    checkpoint: Path,
    about: str,
    judge: Callable[[], dict[str, float]] | None = None,
    progress: Progress = silent,
    half_epoch: float = fit.FittingSettings.half_epoch,
) -> fit.Fit:
    """Train a learner in place, on maps where it learns from pairs, else on trees; it ends as it was judged best."""
    torch = extra("torch")

    def loss(chosen: Any) -> Any:
        random = np.random.default_rng(int(torch.randint(2**31, ()).item()))
        return learner.loss(chosen.numpy(), settings.branches, random)

    schedule: Any = "constant" if settings.kind == PAIRS else "decaying"
    how = fit.FittingSettings(
        (), 0.0, settings.epochs, settings.batch, settings.rate, schedule, 0.0, settings.seed, half_epoch
    )
    done = fit.fit(learner, loss, rows, how, judge, checkpoint, about, progress)
    fit.put_best(learner, done)
    return done


def command_of(folder: Path, to: Path, settings: EmbeddingSettings) -> str:
    """The command that trains the same."""
    words = ["turnsmith", "maps", "embed", folder.name, "--to", to.name]
    for name, value in asdict(settings).items():
        usual = getattr(EmbeddingSettings.usual(settings.kind), name) if name != "kind" else PAIRS
        if value != usual:
            option = name.replace("_", "-")
            words += [f"--no-{option}"] if value is False else [f"--{option}", str(value)]
    return shlex.join(words)


def write_net(net: Any, path: Path, form: reading.RowForm, settings: EmbeddingSettings) -> None:
    """The net as ONNX, which says of itself what it reads."""
    torch, onnx = extra("torch"), extra("onnx")
    example = torch.zeros(2, form.length(reading.MOST_SAMPLED))
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter that needs no further library calls itself old
        torch.onnx.export(
            net, (example,), out, dynamo=False, opset_version=17, input_names=["trees"], output_names=["embedding"],
            dynamic_axes={"trees": {0: "rows"}, "embedding": {0: "rows"}},
        )  # fmt: skip
    model = onnx.load_from_string(out.getvalue())
    onnx.helper.set_model_props(model, {"turnsmith": json.dumps({"form": asdict(form), "kind": settings.kind})})
    write_whole(path, lambda target: target.write(model.SerializeToString()))


# ---------------------------------------------------------------- using a net


def embed(net: Path, folder: Path) -> tuple[Grove, Array]:
    """The trees of a folder and float32[trees, SIZE], by a net of ``train`` or the one that is SHIPPED."""
    maps, trees = read_grown(folder)
    return embed_trees(net, maps, trees, labels_of(maps, folder))


def embed_trees(net: Path, maps: list[GameMap], trees: Trees, labels: Array) -> tuple[Grove, Array]:
    """The same of trees that are read already."""
    if str(net) == SHIPPED:
        net = shipped(maps[0].game)
    form = form_in(net)
    own_form = reading.form_of(maps, trees, form.sights > 0)
    reading.refuse_other_form(own_form, {"form": asdict(form)}, str(net))
    grove = Grove(maps, trees, form, reading.sights_of(maps, trees, form), labels)
    return grove, grove.embedded(evaluator(net), np.arange(len(trees)))


def shipped(game: str) -> Path:
    """The net that comes with a game."""
    net = growth_of(game).net
    if net is None:
        raise BadInput(f"{game} comes with no net that embeds trees; train one: turnsmith maps embed")
    return net


def form_in(net: Path) -> reading.RowForm:
    """What a net says that it reads."""
    cure = "train one: turnsmith maps embed"
    try:
        return reading.RowForm(**told_by(model_in(net, cure)[1], net, cure)["form"])
    except (KeyError, TypeError):
        raise BadInput(f"{net} is no net that embeds trees; {cure}") from None


def write_vectors(path: Path, grove: Grove, vectors: Array) -> None:
    write_arrays(path, {"vectors": vectors, "labels": grove.labels})
