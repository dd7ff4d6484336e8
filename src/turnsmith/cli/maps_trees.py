"""``turnsmith maps trees``, ``embed`` and ``identity``: grow game trees, make vectors of them, see what these tell."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from turnsmith.cli import print_json
from turnsmith.cli.command import command
from turnsmith.cli.options import Address, GameText, Json, Runner, Seed, Workers
from turnsmith.common.files import refuse_unwritable_folder
from turnsmith.common.settings import setting


@dataclass(frozen=True)
class TreesOptions:
    """What ``turnsmith maps trees`` is asked for."""

    game: GameText
    to: Path
    """folder for the trees; one that was begun goes on"""
    maps: int = setting(2000, 1, 1_000_000)
    """how many maps"""
    per_map: int = setting(10, 1, 1000)
    """trees of each: other portals in Homeguard, elsewhere other chance"""
    iterations: int = setting(4, 1, 50)
    """of two rounds each; then branches are drawn"""
    branches: int = setting(128, 1, 10_000)
    """kept after an iteration, drawn by their score"""
    kept: int = setting(0, 0, 1000)
    """actions of a layer that are tried, drawn at random; 0: all"""
    dropout: float = setting(0, 0, 0.99)
    """share of actions left out in iterations that prune, never the first"""
    skip: int = setting(0, 0, 1000)
    """rounds played at random before a tree begins"""
    player: str = ""
    """who decides for the others: greedy in Homeguard, elsewhere random"""
    seat: int = setting(0, 0, 63)
    """whose decisions are followed, from 0"""
    seed: Seed = 0
    workers: Workers = 0
    runner: Runner = "local"
    address: Address = ""
    json: Json = False


@command(TreesOptions)
def trees(options: TreesOptions) -> None:
    """Grow game trees: sampled games of equal length on each map, as tensors with the maps they grew on."""
    to, maps, workers = options.to, options.maps, options.workers
    refuse_unwritable_folder(to, "--to")
    from turnsmith.cli.progress import progress_bar
    from turnsmith.cluster import cluster
    from turnsmith.maps.tree_runs import TreeSettings, grow

    settings = TreeSettings(**{field.name: getattr(options, field.name) for field in fields(TreeSettings)})
    with (
        cluster(options.runner, options.address, workers),
        progress_bar(f"trees of {options.game}", hidden=options.json) as report,
    ):
        files = grow(settings, to, workers or os.cpu_count() or 1, report)
    count = maps * options.per_map
    if options.json:
        print_json({"trees": count, "files": [str(path) for path in files]})
    else:
        typer.echo(f"{count:,} trees of {maps:,} map{'s' if maps > 1 else ''} in {to}")


Trees = Annotated[Path, typer.Argument(metavar="TREES", help="folder of trees, of turnsmith maps trees")]


@dataclass(frozen=True)
class EmbedOptions:
    """What ``turnsmith maps embed`` is asked for."""

    trees: Trees
    to: Path
    """folder for the net, its card and the vectors; one that was begun goes on"""
    kind: str = "contrastive"
    """contrastive, or one of the original's: completion, linear, …"""
    net: Path | None = None
    """a net to embed with, or `shipped`; nothing is trained then"""
    epochs: int = setting(0, 0, 100_000)
    """how often all is seen; this and all below 0: as usual for the kind"""
    batch: int = setting(0, 0, 10_000)
    """maps, or trees, of a step"""
    rate: float = setting(0.0, 0.0, 1.0)
    """learning rate"""
    channels: int = setting(0, 0, 1024)
    """width of the net, a multiple of 4"""
    branches: int = setting(0, 0, 1024)
    """of a tree, drawn anew at every step"""
    sights: bool = True
    """read what the game tells from whole trees too"""
    normalised_over: Literal["batch", "tree"] | None = None
    """of the original's nets: batch as there, or tree"""
    seed: Seed = 0
    json: Json = False


TUNED = ("epochs", "batch", "rate", "channels", "branches", "normalised_over")
"""Options of ``embed`` that are as usual for the kind of net unless they are given."""


@command(EmbedOptions)
def embed(options: EmbedOptions) -> None:
    """Train a net that makes a vector of every tree, or use one: vectors.npz has a row a tree, and its map's number.

    Where maps have genes, a second net (genome.onnx) learns to tell a map's vector from them, without any tree.
    """
    to = options.to
    refuse_unwritable_folder(to, "--to")
    from turnsmith.cli.progress import progress_bar
    from turnsmith.contract.loading import load
    from turnsmith.maps import embed as embedding
    from turnsmith.maps import genome_net

    measured: dict[str, Any] = {}
    if options.net is None:
        usual = embedding.EmbeddingSettings.usual(options.kind)
        chosen: dict[str, Any] = {name: value for name in TUNED if (value := getattr(options, name))}
        settings = replace(usual, **chosen, sights=options.sights and usual.sights, seed=options.seed)
        with progress_bar(f"{options.kind} net", hidden=options.json) as report:
            measured = embedding.train(options.trees, to, settings, report)
    grove, vectors = embedding.embed(options.net or to / "net.onnx", options.trees)
    embedding.write_vectors(to / "vectors.npz", grove, vectors)
    if options.net is None and load(grove.maps[0].game).genes is not None:
        measured["genome"] = genome_net.train(grove, vectors, to / "genome.onnx")
    if options.json:
        print_json({"vectors": list(vectors.shape), **measured})
    else:
        typer.echo(f"{len(vectors):,} vectors of {vectors.shape[1]} numbers in {to}")
        if measured:
            recall = 1.0 - measured["not found first"]
            typer.echo(f"of {measured['maps never seen']} maps never seen, R@1 is {recall:.3f}")
        if "genome" in measured:
            typer.echo(explained_text(measured["genome"]["explained"]))


def explained_text(share: float) -> str:
    """What a share of explained variance, R², means.

    >>> explained_text(-5.941)[:83]
    'genes alone tell nothing of the vectors of maps never seen: what they say is worse '
    """
    if share > 0.0:
        return f"genes alone tell {share:.3f} of the variance of the vectors of maps never seen"
    return (
        "genes alone tell nothing of the vectors of maps never seen: what they say is worse than the others' mean "
        f"(R² {share:.3f}, where 1 is all and 0 the mean); give it more maps"
    )


def identity(
    trees: Trees,
    fit_on: Annotated[
        Path | None, typer.Option(help="folder of trees of other maps, for what has to be fitted")
    ] = None,
    net: Annotated[
        list[Path] | None, typer.Option(help="a net of turnsmith maps embed, or `shipped`; may be given again")
    ] = None,
    json: Json = False,
) -> None:
    """Measure how well vectors tell maps apart (is the nearest other tree one of the same map?), and what is played on
    them (the share of its variance that other trees of the map tell). 95 % intervals over maps."""
    from turnsmith.maps import identity as work
    from turnsmith.maps.tree_runs import labels_of, read_grown

    table = work.compare(trees, fit_on, net or [])
    if json:
        rows = {name: {key: getattr(v, "__dict__", v) for key, v in row.items()} for name, row in table.items()}
        print_json(rows)
        return
    labels = labels_of(read_grown(trees)[0], trees)
    typer.echo(f"{len(labels):,} trees of {len(set(labels.tolist())):,} maps; chance of R@1 {work.chance(labels):.3f}")
    columns = (*work.NAMES, "gameplay")
    typer.echo(f"{'vectors':<28} {'numbers':>7}  " + "  ".join(f"{name:<20}" for name in columns))
    for name, row in table.items():
        cells = "  ".join(f"{'' if row[key] is None else row[key]!s:<20}" for key in columns)
        typer.echo(f"{name:<28} {row['numbers']:>7}  {cells}")
