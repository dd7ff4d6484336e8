"""Nets that embed trees, and what each kind learns from. Torch trains them here; what uses them reads ONNX.

A net takes rows of ``reading.py`` and gives a vector a tree. Kinds:

- contrastive: set attention over branches and a second way in for sights; trees of the same map must be near each
  other and far from those of other maps, and a little of the scores of branches that were held back must be told;
- completion: the original's net, which tells scores of branches that were removed from what it reads;
- linear, variational, teacher, map, position: the original's other tries (blocks with a global maximum in place of
  attention; a drawn vector; a slow copy of the net as teacher; telling the map; telling how a part began).

The original's nets normalise every channel over all branches of a batch, as the original did, or over the branches of
each tree by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from turnsmith.common.extras import extra
from turnsmith.maps.reading import RowForm

SIZE = 64
"""Numbers of an embedding, unless somebody asks for others."""
CELL, ACTION = 16, 6
"""Numbers by which a cell and an action are entered."""
SEEDS = 4
HEADS = 4
Over = Literal["batch", "tree"]
OVER: tuple[Over, ...] = get_args(Over)
KINDS = ("contrastive", "completion", "linear", "variational", "teacher", "map", "position")


@dataclass(frozen=True)
class Shape:
    """What else may be chosen of a net, besides its channels."""

    size: int = SIZE
    """Numbers of an embedding."""
    encoder: tuple[float, float] = (0.0, 0.0)
    """Of the original's net: the share of channels that is left out behind each attention of the encoder."""
    decoder: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The same of the vector that the decoder gets, and behind each of its attentions."""
    normalised_over: Over = "batch"
    """Of the original's nets: the branches that each channel is normalised over, of a batch or of a tree."""


USUAL = Shape()


def entry(form: RowForm) -> Any:
    """Rows to numbers of every branch and round: tables for indices, the rest as it is."""
    torch = extra("torch")

    class TreeEntry(torch.nn.Module):  # type: ignore[name-defined]
        """[n, length] -> [n, branches, rounds, outputs] and [n, sights]."""

        outputs = form.numbers + form.layers * ACTION + form.units * CELL

        def __init__(self) -> None:
            super().__init__()
            self.actions = torch.nn.Embedding(form.actions, ACTION)
            if form.units:
                self.cells = torch.nn.Embedding(form.units * form.cells, CELL)

        def forward(self, rows: Any) -> tuple[Any, Any]:
            count = (rows.shape[1] - form.sights) // (form.rounds * form.width)
            end = count * form.rounds * form.width
            branches = rows[:, :end].reshape(-1, count, form.rounds, form.width)
            acts = branches[..., form.numbers : form.numbers + form.layers].long()
            parts = [branches[..., : form.numbers], self.actions(acts).flatten(3)]
            if form.units:
                places = branches[..., form.numbers + form.layers :].long()
                offset = form.cells * torch.arange(form.units)
                parts.append(self.cells(places + offset).flatten(3))
            return torch.cat(parts, -1), rows[:, end:]

    return TreeEntry()


def attention(channels: int) -> Any:
    """A block of self-attention over branches with what follows it, each normalised before."""
    torch = extra("torch")

    class Attention(torch.nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.before, self.between = torch.nn.LayerNorm(channels), torch.nn.LayerNorm(channels)
            self.asks = torch.nn.Linear(channels, 3 * channels)
            self.joins = torch.nn.Linear(channels, channels)
            self.wide = torch.nn.Linear(channels, 2 * channels)
            self.narrow = torch.nn.Linear(2 * channels, channels)

        def forward(self, x: Any) -> Any:
            query, key, value = self.asks(self.before(x)).chunk(3, -1)
            x = x + self.joins(attended(query, key, value, HEADS))
            return x + self.narrow(torch.relu(self.wide(self.between(x))))

    return Attention()


def attended(query: Any, key: Any, value: Any, heads: int) -> Any:
    """Scaled dot-product attention: [n, a, c], [n, b, c], [n, b, c] -> [n, a, c]."""
    torch = extra("torch")
    parts = [part.reshape(part.shape[0], part.shape[1], heads, -1).transpose(1, 2) for part in (query, key, value)]
    weights = torch.softmax(parts[0] @ parts[1].transpose(2, 3) / math.sqrt(query.shape[2] // heads), -1)
    return (weights @ parts[2]).transpose(1, 2).reshape(query.shape)


def set_net(form: RowForm, channels: int, shape: Shape = USUAL) -> Any:
    """Set attention over branches, attention pooling with SEEDS seeds, beside it the sights."""
    torch = extra("torch")

    class SetNet(torch.nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.entry = entry(form)
            self.rounds = torch.nn.Linear(self.entry.outputs, channels)
            self.again = torch.nn.Linear(channels, channels)
            self.branches = torch.nn.Linear(channels * form.rounds, channels)
            self.blocks = torch.nn.ModuleList([attention(channels) for _ in range(2)])
            self.seeds = torch.nn.Linear(channels, SEEDS)
            self.last = torch.nn.Linear(SEEDS * channels + (shape.size if form.sights else 0), shape.size)
            if form.sights:
                self.sights = torch.nn.Sequential(
                    torch.nn.Dropout(0.3),
                    torch.nn.Linear(form.sights, 2 * shape.size),
                    torch.nn.ReLU(),
                    torch.nn.Linear(2 * shape.size, shape.size),
                )

        def forward(self, rows: Any) -> Any:
            entered, sights = self.entry(rows)
            x = torch.relu(self.again(torch.relu(self.rounds(entered))))
            x = self.branches(x.flatten(2))
            for block in self.blocks:
                x = block(x)
            pooled = (torch.softmax(self.seeds(x), 1).transpose(1, 2) @ x).flatten(1)
            if form.sights:
                pooled = torch.cat([pooled, self.sights(sights)], 1)
            return torch.nn.functional.normalize(self.last(pooled), dim=1)

    return SetNet()


# ---------------------------------------------------------------- the original's net


def normaliser(channels: int, over: Over) -> Any:
    """[n, branches, channels] -> the same with every channel normalised. Over a batch: by moving averages in use."""
    torch = extra("torch")

    class OverBatch(torch.nn.BatchNorm1d):  # type: ignore[name-defined]
        def forward(self, x: Any) -> Any:
            return super().forward(x.flatten(0, 1)).reshape(x.shape)

    class OverTree(torch.nn.Module):  # type: ignore[name-defined]
        def forward(self, x: Any) -> Any:
            return (x - x.mean(1, keepdim=True)) / (x.var(1, keepdim=True, unbiased=False) + 1e-5).sqrt()

    return OverBatch(channels) if over == "batch" else OverTree()


def double_block(inputs: int, between: int, outputs: int, over: Over) -> Any:
    """Two linear layers, each normalised and cut at 0."""
    torch = extra("torch")

    class Double(torch.nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two = torch.nn.Linear(inputs, between), torch.nn.Linear(between, outputs)
            self.after_one, self.after_two = normaliser(between, over), normaliser(outputs, over)

        def forward(self, x: Any) -> Any:
            return torch.relu(self.after_two(self.two(torch.relu(self.after_one(self.one(x))))))

    return Double()


def attention_block(channels: int, left_out: float, over: Over) -> Any:
    """Attention of some branches to others, or to themselves, normalised and cut at 0; a share of the channels of each
    tree may be left out."""
    torch = extra("torch")

    class TreeBlock(torch.nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.query, self.key, self.value, self.joins = (torch.nn.Linear(channels, channels) for _ in range(4))
            self.after = normaliser(channels, over)
            self.thinned = torch.nn.Dropout1d(left_out) if left_out else None

        def forward(self, x: Any, others: Any) -> Any:
            joined = attended(self.query(x), self.key(others), self.value(others), HEADS)
            joined = torch.relu(self.after(self.joins(joined)))
            return joined if self.thinned is None else self.thinned(joined.transpose(1, 2)).transpose(1, 2)

    return TreeBlock()


def branches_of(form: RowForm, rows: Any) -> tuple[Any, Any]:
    """[n, branches, rounds * layers] actions, and [n, branches, …] the scores and best reachable scores."""
    count = (rows.shape[1] - form.sights) // (form.rounds * form.width)
    branches = rows[:, : count * form.rounds * form.width].reshape(-1, count, form.rounds, form.width)
    acts = branches[..., form.numbers : form.numbers + form.layers].long().flatten(2)
    return acts, branches[..., : 1 + form.layers].flatten(2)


def original_net(form: RowForm, channels: int, shape: Shape = USUAL, plain: bool = False) -> Any:
    """The encoder: double block, attention, double block, attention, maximum over branches, linear. `plain`: in place
    of attention every branch gets the maximum over all beside its own numbers."""
    torch = extra("torch")
    inputs, over = form.rounds * (form.layers * ACTION + 1 + form.layers), shape.normalised_over

    class Original(torch.nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.actions = torch.nn.Embedding(form.actions, ACTION)
            self.first = double_block(inputs, 4 * channels, channels, over)
            self.second = double_block(channels * (1 + plain), 2 * channels, channels, over)
            if not plain:
                self.one, self.two = (attention_block(channels, share, over) for share in shape.encoder)
            self.last = torch.nn.Linear(channels, shape.size)

        def layers(self, rows: Any) -> tuple[Any, Any]:
            """What comes out of the first and of the last layer, a row a branch."""
            acts, scores = branches_of(form, rows)
            x = self.first(torch.cat([self.actions(acts).flatten(2), scores], 2))
            if plain:
                most = x.max(1, keepdim=True).values
                return x, self.second(torch.cat([x, most.expand(x.shape)], 2))
            first = self.one(x, x)
            x = self.second(first)
            return first, self.two(x, x)

        def forward(self, rows: Any) -> Any:
            return self.last(self.layers(rows)[1].max(1).values)

    return Original()


def decoder(form: RowForm, channels: int, shape: Shape = USUAL) -> Any:
    """Tells scores and best reachable scores of removed branches from their actions, the vector of the tree, and, by
    attention, what the encoder made of the branches that it has seen."""
    torch = extra("torch")
    inputs, over = shape.size + form.rounds * form.layers * ACTION, shape.normalised_over

    class Decoder(torch.nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.actions = torch.nn.Embedding(form.actions, ACTION)
            self.first = double_block(inputs, 4 * channels, channels, over)
            self.second = double_block(channels, 2 * channels, channels, over)
            self.one, self.two = (attention_block(channels, share, over) for share in shape.decoder[1:])
            self.vector = torch.nn.Dropout(shape.decoder[0]) if shape.decoder[0] else torch.nn.Identity()
            self.last = torch.nn.Linear(channels, form.rounds * (1 + form.layers))

        def forward(self, vectors: Any, acts: Any, first: Any, last: Any) -> Any:
            wide = self.vector(vectors)[:, None].expand(-1, acts.shape[1], -1)
            x = self.one(self.first(torch.cat([wide, self.actions(acts).flatten(2)], 2)), last)
            return self.last(self.two(self.second(x), first))

    return Decoder()


# ---------------------------------------------------------------- what is learned from

TEMPERATURE, COMPLETION = 0.1, 0.1
TOLD = 8
"""Branches of each tree whose scores are to be told from its vector alone."""
TEACHER, SHARPNESS, SLOWNESS = 0.04, 0.1, 0.99
"""Temperatures of teacher and student, and the share of the teacher that stays at a step."""


def learner(kind: str, form: RowForm, channels: int, grove: Any, shape: Shape = USUAL) -> Any:
    """A module with a net that embeds and a loss(rows, branches, random) to train it by: rows are maps for what learns
    from pairs of trees, else trees."""
    makers: dict[str, Callable[..., Any]] = {
        "contrastive": contrastive, "completion": completion, "linear": linear, "variational": variational,
        "teacher": taught, "map": telling_maps, "position": telling_positions,
    }  # fmt: skip
    return makers[kind](form, channels, grove, shape)


def module(loss: Callable[..., Any], grove: Any, **parts: Any) -> Any:
    """A module of these parts whose loss is loss(itself, grove, rows, branches, random)."""
    torch = extra("torch")

    class PairLearner(torch.nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            for name, part in parts.items():
                setattr(self, name, part)

        def loss(self, rows: Any, branches: int, random: Any) -> Any:
            return loss(self, grove, rows, branches, random)

    return PairLearner()


def contrastive(form: RowForm, channels: int, grove: Any, shape: Shape) -> Any:
    """Two trees of every map of a step: each must find the other among all."""
    torch = extra("torch")

    def loss(learner: Any, grove: Any, labels: Any, branches: int, random: Any) -> Any:
        rows = two_trees(grove, labels, random)
        vectors = learner.net(grove.read(rows, grove.drawn(rows, branches, random)))
        one, other = vectors.chunk(2)
        near, same = one @ other.T / TEMPERATURE, torch.arange(len(one))
        cross = torch.nn.functional.cross_entropy
        more = grove.read(rows, grove.drawn(rows, TOLD, random))
        return 0.5 * (cross(near, same) + cross(near.T, same)) + COMPLETION * learner.teller.loss(vectors, more)

    return module(loss, grove, net=set_net(form, channels, shape), teller=teller(form, channels, shape))


def two_trees(grove: Any, labels: Any, random: Any) -> Any:
    """One tree of every map, and then another of every map."""
    pairs = [random.choice(grove.rows_of(label), 2, replace=False) for label in labels]
    return np.array(pairs).T.reshape(-1)


def completion(form: RowForm, channels: int, grove: Any, shape: Shape) -> Any:
    """The original: half of the branches are removed and their scores told, without those that are the same in nearly
    all trees."""

    def loss(learner: Any, grove: Any, rows: Any, branches: int, random: Any) -> Any:
        seen, removed = grove.parted(rows, branches - branches // 2, branches // 2, random)
        acts, scores = branches_of(form, grove.read(rows, removed))
        first, last = learner.net.layers(grove.read(rows, seen))
        guess = learner.decoder(learner.net.last(last.max(1).values), acts, first, last)
        varies = scores.var((0, 1), unbiased=False) > 1e-6
        return (((guess - scores) ** 2) * varies).sum() / (
            varies.sum().clamp(min=1) * scores.shape[0] * scores.shape[1]
        )

    return module(loss, grove, net=original_net(form, channels, shape), decoder=decoder(form, channels, shape))


def linear(form: RowForm, channels: int, grove: Any, shape: Shape) -> Any:
    """Blocks with a global maximum, and scores of removed branches told from the vector alone."""

    def loss(learner: Any, grove: Any, rows: Any, branches: int, random: Any) -> Any:
        seen, removed = grove.parted(rows, branches, TOLD, random)
        return learner.teller.loss(learner.net(grove.read(rows, seen)), grove.read(rows, removed))

    return module(
        loss, grove, net=original_net(form, channels, shape, plain=True), teller=teller(form, channels, shape)
    )


def variational(form: RowForm, channels: int, grove: Any, shape: Shape) -> Any:
    """A vector drawn around the one that the net gives, kept near the standard normal; scores of removed branches are
    told from it."""
    torch = extra("torch")

    def loss(learner: Any, grove: Any, rows: Any, branches: int, random: Any) -> Any:
        seen, removed = grove.parted(rows, branches, TOLD, random)
        middle = learner.net(grove.read(rows, seen))
        spread = learner.spread(middle).clamp(-8.0, 8.0)
        drawn = middle + torch.exp(0.5 * spread) * torch.randn(middle.shape)
        far = -0.5 * (1.0 + spread - middle**2 - spread.exp()).sum(1).mean()
        return learner.teller.loss(drawn, grove.read(rows, removed)) + 0.001 * far

    parts = {
        "net": original_net(form, channels, shape),
        "spread": torch.nn.Linear(shape.size, shape.size),
        "teller": teller(form, channels, shape),
    }
    return module(loss, grove, **parts)


def taught(form: RowForm, channels: int, grove: Any, shape: Shape) -> Any:
    """The net sees a few branches and must say what a slow copy of it says of many."""
    torch = extra("torch")
    net, teacher = original_net(form, channels, shape), original_net(form, channels, shape)
    teacher.load_state_dict(net.state_dict())
    middle = torch.nn.Parameter(torch.zeros(shape.size))

    def loss(learner: Any, grove: Any, rows: Any, branches: int, random: Any) -> Any:
        with torch.no_grad():
            for slow, fast in zip(learner.teacher.parameters(), learner.net.parameters(), strict=True):
                slow.mul_(SLOWNESS).add_((1.0 - SLOWNESS) * fast)
            answers = learner.teacher(grove.read(rows, grove.drawn(rows, 2 * branches, random)))
            wanted = torch.softmax((answers - learner.middle) / TEACHER, 1)
            learner.middle.mul_(0.9).add_(0.1 * answers.mean(0))
        student = torch.log_softmax(learner.net(grove.read(rows, grove.drawn(rows, branches, random))) / SHARPNESS, 1)
        crossed = -(wanted * student).sum(1).mean()
        apart = crossed + (wanted * torch.log(wanted + 1e-9)).sum(1).mean()
        still = sum(weights.sum() for weights in [*learner.teacher.parameters(), learner.middle])
        return crossed + 100.0 * apart + 0.0 * still  # so that checkpoints keep the teacher, whom no gradient moves

    return module(loss, grove, net=net, teacher=teacher, middle=middle)


def telling_maps(form: RowForm, channels: int, grove: Any, shape: Shape) -> Any:
    """Every gene of the map from the vector."""
    torch = extra("torch")
    genes, values = grove.genes
    head = torch.nn.Sequential(
        torch.nn.Linear(shape.size, 2 * channels),
        torch.nn.ReLU(),
        torch.nn.Linear(2 * channels, genes.shape[1] * values),
    )

    def loss(learner: Any, grove: Any, rows: Any, branches: int, random: Any) -> Any:
        guesses = learner.head(learner.net(grove.read(rows, grove.drawn(rows, branches, random))))
        wanted = torch.from_numpy(genes[rows]).flatten()
        return torch.nn.functional.cross_entropy(guesses.reshape(-1, values), wanted)

    return module(loss, grove, net=original_net(form, channels, shape), head=head)


def telling_positions(form: RowForm, channels: int, grove: Any, shape: Shape) -> Any:
    """Of branches that begin with the same round, which actions it had: they are blanked in what the net reads."""
    torch = extra("torch")
    head = torch.nn.Linear(shape.size, form.layers * form.actions)

    def loss(learner: Any, grove: Any, rows: Any, branches: int, random: Any) -> Any:
        chosen = same_beginning(grove, form, rows, branches, random)
        seen = grove.read(rows, chosen)
        wanted = branches_of(form, seen)[0][:, 0, : form.layers]
        blank = seen[:, : branches * form.rounds * form.width].view(-1, branches, form.rounds, form.width)
        blank[:, :, 0, form.numbers : form.numbers + form.layers] = 0
        guesses = learner.head(learner.net(seen)).reshape(-1, form.actions)
        return torch.nn.functional.cross_entropy(guesses, wanted.flatten())

    return module(loss, grove, net=original_net(form, channels, shape), head=head)


def same_beginning(grove: Any, form: RowForm, rows: Any, branches: int, random: Any) -> Any:
    """int64[rows, branches]: of each tree, some that begin with the round of one drawn at random."""
    chosen = []
    for row, (one,) in zip(rows, grove.drawn(rows, 1, random), strict=True):
        begins = grove.trees.actions[row, :, : form.layers]
        chosen.append(random.choice(np.flatnonzero((begins == begins[one]).all(axis=1)), branches))
    return np.array(chosen)


def teller(form: RowForm, channels: int, shape: Shape = USUAL) -> Any:
    """Tells the scores of branches from a tree's vector and their actions."""
    torch = extra("torch")

    class Teller(torch.nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.actions = torch.nn.Embedding(form.actions, ACTION)
            inputs = shape.size + form.rounds * form.layers * ACTION
            self.inner = torch.nn.Sequential(
                torch.nn.Linear(inputs, channels), torch.nn.ReLU(),
                torch.nn.Linear(channels, form.rounds * (1 + form.layers)),
            )  # fmt: skip

        def loss(self, vectors: Any, rows: Any) -> Any:
            """The mean square error of scores and best reachable scores."""
            acts, scores = branches_of(form, rows)
            wide = vectors[:, None].expand(-1, acts.shape[1], -1)
            guesses = self.inner(torch.cat([wide, self.actions(acts).flatten(2)], 2))
            return ((guesses - scores) ** 2).mean()

    return Teller()
