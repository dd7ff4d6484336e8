"""``turnsmith maps trees``, ``embed`` and ``identity``: grow game trees, make vectors of them, see what these tell."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import Address, GameText, Json, Runner, Seed, Workers, real, whole
from turnsmith.files import refuse_unwritable_folder


def trees(
    game: GameText,
    to: Annotated[Path, typer.Option(help="folder for the trees; one that was begun goes on")],
    maps: Annotated[int, whole("how many maps", 1, 1_000_000)] = 2000,
    per_map: Annotated[int, whole("trees of each: other portals in Homeguard, elsewhere other chance", 1, 1000)] = 10,
    iterations: Annotated[int, whole("of two rounds each; then branches are drawn", 1, 50)] = 4,
    branches: Annotated[int, whole("kept after an iteration, drawn by their score", 1, 10_000)] = 128,
    kept: Annotated[int, whole("actions of a layer that are tried, drawn at random; 0: all", 0, 1000)] = 0,
    dropout: Annotated[float, real("share of actions left out in iterations that prune, never the first", 0, 0.99)] = 0,
    skip: Annotated[int, whole("rounds played at random before a tree begins", 0, 1000)] = 0,
    player: Annotated[str, typer.Option(help="who decides for the others: greedy in Homeguard, elsewhere random")] = "",
    seat: Annotated[int, whole("whose decisions are followed, from 0", 0, 63)] = 0,
    seed: Seed = 0,
    workers: Workers = 0,
    runner: Runner = "local",
    address: Address = "",
    json: Json = False,
) -> None:
    """Grow game trees: sampled games of equal length on each map, as tensors with the maps they grew on."""
    refuse_unwritable_folder(to, "--to")
    from turnsmith.cli.progress import progress_bar
    from turnsmith.cluster import cluster
    from turnsmith.maps.grow import Settings, grow

    settings = Settings(game, maps, per_map, iterations, branches, kept, dropout, player, seat, seed, skip)
    with cluster(runner, address, workers), progress_bar(f"trees of {game}", hidden=json) as report:
        files = grow(settings, to, workers or os.cpu_count() or 1, report)
    if json:
        print_json({"trees": maps * per_map, "files": [str(path) for path in files]})
    else:
        typer.echo(f"{maps * per_map:,} trees of {maps:,} map{'s' if maps > 1 else ''} in {to}")


Trees = Annotated[Path, typer.Argument(metavar="TREES", help="folder of trees, of turnsmith maps trees")]


def embed(
    trees: Trees,
    to: Annotated[Path, typer.Option(help="folder for the net, its card and the vectors; one that was begun goes on")],
    kind: Annotated[
        str, typer.Option(help="contrastive, or one of the original's: completion, linear, …")
    ] = "contrastive",
    net: Annotated[Path | None, typer.Option(help="a net to embed with, or `shipped`; nothing is trained then")] = None,
    epochs: Annotated[int, whole("how often all is seen; this and all below 0: as usual for the kind", 0, 100_000)] = 0,
    batch: Annotated[int, whole("maps, or trees, of a step", 0, 10_000)] = 0,
    rate: Annotated[float, real("learning rate", 0.0, 1.0)] = 0.0,
    channels: Annotated[int, whole("width of the net, a multiple of 4", 0, 1024)] = 0,
    branches: Annotated[int, whole("of a tree, drawn anew at every step", 0, 1024)] = 0,
    sights: Annotated[bool, typer.Option(help="read what the game tells from whole trees too")] = True,
    normalised_over: Annotated[
        Literal["batch", "tree"] | None, typer.Option(help="of the original's nets: batch as there, or tree")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Train a net that makes a vector of every tree, or use one: vectors.npz has a row a tree, and its map's number.

    Where maps have genes, a second net (genome.onnx) learns to tell a map's vector from them, without any tree.
    """
    refuse_unwritable_folder(to, "--to")
    from turnsmith.cli.progress import progress_bar
    from turnsmith.game import load
    from turnsmith.maps import embed as work
    from turnsmith.maps import genome_net

    measured: dict[str, Any] = {}
    if net is None:
        given = {
            "epochs": epochs, "batch": batch, "rate": rate, "channels": channels, "branches": branches,
            "normalised_over": normalised_over,
        }  # fmt: skip
        usual = work.Settings.usual(kind)
        chosen: dict[str, Any] = {name: value for name, value in given.items() if value}
        settings = replace(usual, **chosen, sights=sights and usual.sights, seed=seed)
        with progress_bar(f"{kind} net", hidden=json) as report:
            measured = work.train(trees, to, settings, report)
    grove, vectors = work.embed(net or to / "net.onnx", trees)
    work.write_vectors(to / "vectors.npz", grove, vectors)
    if net is None and load(grove.maps[0].game).genes is not None:
        measured["genome"] = genome_net.train(grove, vectors, to / "genome.onnx")
    if json:
        print_json({"vectors": list(vectors.shape), **measured})
    else:
        typer.echo(f"{len(vectors):,} vectors of {vectors.shape[1]} numbers in {to}")
        if measured:
            found = 1.0 - measured["not found first"]
            typer.echo(f"of {measured['maps never seen']} maps never seen, R@1 is {found:.3f}")
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
    from turnsmith.maps.grow import labels_of, read_grown

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
        told = "  ".join(f"{'' if row[key] is None else row[key]!s:<20}" for key in columns)
        typer.echo(f"{name:<28} {row['numbers']:>7}  {told}")
